//! The window's host: commands of one line over `lockstep_api`, the feed bridge, one window per data folder, quitting
//! with care, logs. No decision is made here, and nothing below knows Tauri.
//!
//! To add a command: its use case in `crates/api`, one function in [`commands`], its name in `list.rs`. Handler,
//! bindings and permission follow from there; `cargo xtask bindings` writes `ui/src/ipc/bindings.ts` anew.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod bindings;
mod browser;
mod commands;
mod first;
mod host;
mod place;
mod quit;

use std::path::PathBuf;

use lockstep_config::Config;
use tauri::{App, AppHandle, Manager as _, RunEvent, Runtime, WindowEvent};
use tauri_specta::{Builder, collect_commands, collect_events};

use first::{First, Start};
use host::Host;
use quit::Quitting;

const WINDOW: &str = "main";

/// The commands and events of the window, from the one list.
fn builder<R: Runtime>() -> Builder<R> {
    macro_rules! command_list {
        ($($name:ident,)+) => { collect_commands![$(commands::$name),+] };
    }
    Builder::<R>::new()
        .disable_serde_phases()
        .commands(include!("list.rs"))
        .events(collect_events![quit::QuitAsked])
}

/// What `tauri.conf.json`, the capabilities and the window's content say.
fn context<R: Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

/// Runs the program until it ends.
pub fn run() {
    // A configuration that cannot be read is shown in the window; it is read again when the window asks.
    let config = host::config().ok();
    lockstep_api::logs::start(config.as_ref(), lockstep_api::logs::Also::StandardError);
    let first = match config.as_ref().map(|config| first::start(&config.data)) {
        Some(Start::Second) => return,
        Some(Start::First(first)) => Some(first),
        None => None,
    };
    let data = config.as_ref().map(|config| config.data.clone());
    let specta = builder();
    let built = tauri::Builder::default()
        .invoke_handler(specta.invoke_handler())
        .manage(Host::new(host::config))
        .manage(Quitting::default())
        .manage(Data(data))
        .setup(move |app| {
            specta.mount_events(app);
            set_up(app, config.as_ref(), first);
            Ok(())
        })
        .build(context());
    match built {
        Ok(app) => app.run(on_event),
        Err(error) => {
            tracing::error!(%error, "the window cannot be opened");
            std::process::exit(70);
        }
    }
}

/// The data folder, when the configuration could be read.
struct Data(Option<PathBuf>);

fn set_up(app: &App, config: Option<&Config>, first: Option<First>) {
    let handle = app.handle().clone();
    if let (Some(window), Some(config)) = (app.get_webview_window(WINDOW), config) {
        place::restore(&window, &config.data);
    }
    if let Some(mut first) = first {
        let shown = handle.clone();
        first.listen(move || show(&shown));
        // Kept until the process ends.
        app.manage(std::sync::Mutex::new(first));
    }
    let opened = handle.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(error) = opened.state::<Host>().app().await {
            tracing::error!(code = error.code.as_str(), "start-up failed; the window says why");
        }
    });
    tauri::async_runtime::spawn(async move {
        let quitting = handle.state::<Quitting>();
        tokio::select! {
            () = asked_by_the_system() => {}
            () = quitting.wanted() => {}
        }
        quit::quit(&handle).await;
    });
}

/// A second start asks for the first window.
fn show(app: &AppHandle) {
    let Some(window) = app.get_webview_window(WINDOW) else { return };
    let shown = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window cannot be shown");
    }
}

/// Resolves when the session ends or a person stops the program from a terminal.
async fn asked_by_the_system() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn on_event(app: &AppHandle, event: RunEvent) {
    match event {
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { api, .. }, .. }
            if label == WINDOW =>
        {
            if let (Some(window), Some(data)) = (app.get_webview_window(WINDOW), &app.state::<Data>().0) {
                place::remember(&window, data);
            }
            if !quit::may_close(app) {
                api.prevent_close();
            }
        }
        RunEvent::ExitRequested { api, .. } if !app.state::<Quitting>().is_done() => {
            api.prevent_exit();
            let app = app.clone();
            tauri::async_runtime::spawn(async move { quit::quit(&app).await });
        }
        _ => {}
    }
}
