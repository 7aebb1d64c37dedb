//! The window.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    lockstep_desktop::run();
}
