//! The real window under a display of its own, driven as a person would: keyboard, words, pictures.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::desk::{Desk, DeskOptions, PROJECT};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use lockstep_testkit::sibling_program;
use serde_json::json;

/// Longer than anything here takes; a test that reaches it is stuck.
const PATIENCE: Duration = Duration::from_secs(90);

/// One driver, one window, one data folder.
struct Window {
    client: Client,
    driver: Child,
}

impl Window {
    async fn open(desk: &Desk) -> Self {
        let port = free_port();
        let driver = Command::new("WebKitWebDriver")
            .args(["--host=127.0.0.1", &format!("--port={port}")])
            .env("LOCKSTEP_DATA_DIR", desk.data())
            .env("HOME", desk.data())
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver comes with the package webkit2gtk-driver");
        let program = sibling_program("lockstep-desktop").to_string_lossy().into_owned();
        let capabilities = json!({ "webkitgtk:browserOptions": { "binary": program, "args": [] } });
        let capabilities = capabilities.as_object().cloned().unwrap_or_default();
        let address = format!("http://127.0.0.1:{port}");
        let client = connect(&address, capabilities).await;
        Self { client, driver }
    }

    /// The element with this test id, once it is there.
    async fn find(&self, id: &str) -> Element {
        let css = format!("[data-testid='{id}']");
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(&css)).await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{id} did not appear ({error}); the window shows:\n{}", self.text().await),
        }
    }

    async fn text(&self) -> String {
        match self.client.execute("return document.body.innerText", vec![]).await {
            Ok(text) => text.as_str().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// Writes into a field as a keyboard does, replacing what is there.
    async fn write(&self, id: &str, text: &str) {
        let field = self.find(id).await;
        field.clear().await.expect("a field");
        field.send_keys(text).await.expect("a field takes keys");
    }

    /// Presses Enter where the keyboard is.
    async fn enter(&self, id: &str) {
        self.find(id).await.send_keys(&Key::Enter.to_string()).await.expect("it takes keys");
    }

    /// Waits until the window shows a text.
    async fn shows(&self, text: &str) {
        let seen = async {
            while !self.text().await.contains(text) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(PATIENCE, seen).await.is_err() {
            panic!("{text:?} did not appear; the window shows:\n{}", self.text().await);
        }
    }

    /// Keeps a picture beside the test's other artefacts.
    async fn picture(&self, name: &str) {
        // The picture shows the last painted frame: let what was written be painted first.
        let painted =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(null)))";
        self.client.execute_async(painted, vec![]).await.expect("the page paints");
        let bytes = self.client.screenshot().await.expect("a picture of the page");
        let folder = artefacts();
        std::fs::create_dir_all(&folder).expect("the folder for pictures");
        std::fs::write(folder.join(format!("{name}.png")), bytes).expect("the picture can be kept");
    }

    async fn close(mut self) {
        // Ending the session ends the window; the driver itself is asked to end, never killed while a window lives.
        let _closed = self.client.close().await;
        let _asked = Command::new("kill").args(["-TERM", &self.driver.id().to_string()]).status();
        let _ended = self.driver.wait();
    }
}

async fn connect(address: &str, capabilities: serde_json::Map<String, serde_json::Value>) -> Client {
    let started = std::time::Instant::now();
    loop {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let attempt = builder.capabilities(capabilities.clone()).connect(address);
        match tokio::time::timeout(PATIENCE, attempt).await {
            Ok(Ok(client)) => return client,
            // The driver has no sign of readiness but an answer.
            Ok(Err(error)) => assert!(started.elapsed() < Duration::from_secs(20), "no session: {error}"),
            Err(_late) => panic!("the window did not open within {PATIENCE:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of loopback");
    listener.local_addr().expect("it has an address").port()
}

fn artefacts() -> PathBuf {
    sibling_program("lockstep-desktop").with_file_name("artefacts")
}

#[tokio::test]
async fn window_from_an_empty_data_folder_to_thirty_pull_requests_by_keyboard() {
    let desk = Desk::new(DeskOptions { pace_ms: 40, ..DeskOptions::default() });
    let window = Window::open(&desk).await;
    // Where data lives, and who sits here.
    window.write("person", "Ada").await;
    window.picture("first-start").await;
    window.enter("person").await;
    // Connect to the forge.
    window.write("base-url", &desk.course.api_root).await;
    window.write("token", &desk.course.token).await;
    window.picture("connect").await;
    window.enter("token").await;
    // The first project.
    window.write("source-repo", &desk.course.source).await;
    window.enter("source-repo").await;
    window.find("branches").await;
    window.shows("default").await;
    window.picture("branches").await;
    window.find("new-next").await.click().await.expect("a button can be clicked");
    let adopt =
        window.client.wait().for_element(Locator::Css("input[value='adopt']")).await.expect("the choice");
    adopt.click().await.expect("a choice can be clicked");
    window.write("distribution", &desk.course.distribution).await;
    window.enter("distribution").await;
    window.write("pattern", &format!("{}/{}", desk.course.org, desk.course.pattern)).await;
    window.shows("30 repositories match").await;
    window.enter("pattern").await;
    window.write("project-name", PROJECT).await;
    window.picture("review").await;
    window.enter("project-name").await;
    // The project's page, and the press.
    let press = window.find("press").await;
    window.shows("3 ahead").await;
    window.picture("project-ahead").await;
    let words = press.text().await.expect("the button has words");
    assert!(words.contains("30 repositories"), "{words}");
    let body = window.client.find(Locator::Css("body")).await.expect("a page");
    body.send_keys("s").await.expect("the page takes keys");
    window.find("progress").await;
    window.picture("project-live").await;
    window.shows("30 opened").await;
    window.picture("project-done").await;
    desk.assert_one_pull_each();
    desk.assert_nothing_unexpected();
    assert!(
        !window.client.source().await.expect("the page").contains(&desk.course.token),
        "no token on screen"
    );
    window.close().await;
}

#[tokio::test]
async fn window_with_an_unusable_data_folder_says_so_instead_of_crashing() {
    let desk = Desk::new(DeskOptions { recipients: 1, ..DeskOptions::default() });
    std::fs::write(desk.data().join("lockstep.db"), "this is no database").expect("a file");
    let window = Window::open(&desk).await;
    window.find("failure").await;
    window.picture("unusable-database").await;
    window.close().await;
    assert_eq!(std::fs::read(desk.data().join("lockstep.db")).expect("still there"), b"this is no database");
}
