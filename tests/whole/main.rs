//! Tests of the whole: the headless command in processes of its own, and the real window.

mod desk;
mod processes;
mod window;
