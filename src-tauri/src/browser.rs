//! Opening a page in the person's own browser.

use std::process::{Command, Stdio};

use lockstep_api::wire::ApiError;
use lockstep_domain::code::Code;
use tauri::Url;

/// Opens a checked address.
pub(crate) fn open(url: &Url) -> Result<(), ApiError> {
    let mut command = opener();
    let started =
        command.arg(url.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut child) => {
            // Collects its end, so that it does not stay behind as a zombie.
            std::thread::spawn(move || child.wait());
            Ok(())
        }
        Err(error) => {
            tracing::warn!(%error, "no browser could be started");
            Err(ApiError::new(Code::NotFound, "No browser could be started on this machine.")
                .hinted("Copy the address and open it yourself."))
        }
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn opener() -> Command {
    Command::new("xdg-open")
}

#[cfg(target_os = "macos")]
fn opener() -> Command {
    Command::new("open")
}

#[cfg(windows)]
fn opener() -> Command {
    // Not `cmd /c start`: it would read `&` in an address as its own.
    let mut command = Command::new("rundll32");
    command.arg("url.dll,FileProtocolHandler");
    command
}
