//! Commands through the real permissions, on a runtime without a window.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_config::{Config, ConfigError, Overrides, variables};
use serde_json::{Value, json};
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager as _, WebviewUrl, WebviewWindowBuilder};

use crate::host::Host;
use crate::quit::Quitting;

macro_rules! command_list {
    ($($name:ident,)+) => { const COMMANDS: &[&str] = &[$(stringify!($name)),+]; };
}
include!("list.rs");

fn window(config: impl Fn() -> Result<Config, ConfigError> + Send + Sync + 'static) -> App<MockRuntime> {
    let specta = crate::builder::<MockRuntime>();
    let app = mock_builder()
        .invoke_handler(specta.invoke_handler())
        .manage(Host::new(config))
        .manage(Quitting::default())
        .build(crate::context())
        .unwrap();
    // The windows of the configuration open only when the application runs.
    WebviewWindowBuilder::new(&app, crate::WINDOW, WebviewUrl::default()).build().unwrap();
    app
}

/// Calls a command as the window's page does.
fn call(app: &App<MockRuntime>, command: &str, arguments: Value) -> Result<Value, Value> {
    let window = app.get_webview_window(crate::WINDOW).unwrap();
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().unwrap(),
        body: InvokeBody::Json(arguments),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(&window, request).map(|body| body.deserialize().unwrap())
}

fn in_folder(folder: &std::path::Path) -> Result<Config, ConfigError> {
    let env = |name: &str| match name {
        variables::SECRETS => Some("file".to_owned()),
        "USER" => Some("ada".to_owned()),
        "PATH" => variables::of_process("PATH"),
        _ => None,
    };
    Config::load(env, Overrides { data: Some(folder.to_owned()), practice: None })
}

#[test]
fn the_window_may_call_exactly_the_commands_of_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_owned();
    let app = window(move || in_folder(&data));
    // These act without arguments, or need none to be told apart from a refusal.
    for command in COMMANDS.iter().filter(|name| **name != "app_quit") {
        let answer = call(&app, command, json!({ "nothing": true }));
        let refused =
            answer.as_ref().err().and_then(Value::as_str).is_some_and(|text| text.contains("not allowed"));
        assert!(!refused, "{command}: {answer:?}");
    }
    for other in
        ["plugin:window|close", "plugin:event|emit", "plugin:webview|create_webview_window", "no_such"]
    {
        assert!(call(&app, other, json!({})).is_err(), "{other}");
    }
}

#[test]
fn a_command_answers_with_the_use_cases_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_owned();
    let app = window(move || in_folder(&data));
    let info = call(&app, "app_info", json!({})).unwrap();
    assert_eq!((&info["person"], &info["firstStart"]), (&"ada".into(), &true.into()));
    assert_eq!(call(&app, "project_list", json!({})).unwrap(), json!([]));
    let error = call(&app, "project_get", json!({ "project": "x" })).unwrap_err();
    assert_eq!(error["code"], "bad_input", "{error}");
    let set = call(&app, "preferences_set", json!({ "input": { "theme": "dark" } })).unwrap();
    assert_eq!(set["theme"], "dark");
    assert_eq!(call(&app, "link_open", json!({ "url": "file:///x" })).unwrap_err()["code"], "bad_input");
}

#[test]
fn a_start_that_fails_is_told_by_every_command_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (data, mended) = (folder.path().to_owned(), Arc::new(AtomicBool::new(false)));
    let now = Arc::clone(&mended);
    let file = data.join("file");
    std::fs::write(&file, "no folder").unwrap();
    let app = window(move || in_folder(if now.load(Ordering::Acquire) { &data } else { &file }));
    for command in ["app_info", "project_list"] {
        let error = call(&app, command, json!({})).unwrap_err();
        assert_eq!(error["code"], "data_folder_unusable", "{error}");
        assert!(error["hint"].as_str().unwrap().contains("LOCKSTEP_DATA_DIR"));
    }
    mended.store(true, Ordering::Release);
    let mut answer = call(&app, "app_info", json!({}));
    while answer.is_err() {
        std::thread::yield_now();
        answer = call(&app, "app_info", json!({}));
    }
    assert_eq!(answer.unwrap()["person"], "ada");
}
