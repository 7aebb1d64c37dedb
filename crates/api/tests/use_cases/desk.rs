//! A desk: one data folder, one practice course, one application.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lockstep_api::wire::{ConnectInput, ConnectionView, NewProjectInput, RosterInput, SyncInput};
use lockstep_api::{App, connections, projects, recipients, sources};
use lockstep_config::{Config, Overrides, variables};
use lockstep_forge::ForgeOptions;
use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_testkit::Practice;
use tempfile::TempDir;

pub(crate) const PROJECT: &str = "Lab 4";

/// See the module.
pub(crate) struct Desk {
    pub(crate) app: App,
    pub(crate) forge: Practice,
    pub(crate) course: DemoCourse,
    folder: TempDir,
}

impl Desk {
    /// Nothing connected yet; `pace_ms` lies between two content writes.
    pub(crate) async fn new(recipients: u32, pace_ms: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let forge = Practice::start(ForgeOptions::checked());
        let options = DemoOptions { recipients, ..DemoOptions::default() };
        let course = demo::build(forge.handle(), &options).unwrap();
        let settings = format!("[pacing]\nmin_interval_ms = {pace_ms}\nper_hour = 100000\n");
        std::fs::write(folder.path().join("settings.toml"), settings).unwrap();
        let app = open(folder.path().to_owned(), None).await;
        Self { app, forge, course, folder }
    }

    /// A project that is adopted and has its recipients.
    pub(crate) async fn ready(recipients: u32, pace_ms: u32) -> (Self, String) {
        let desk = Self::new(recipients, pace_ms).await;
        desk.connect().await;
        let source = desk.add_source().await;
        let made = projects::create(&desk.app, desk.new_project(&source)).await.unwrap();
        recipients::import(&desk.app, &made.project, desk.pattern()).await.unwrap();
        (desk, made.project)
    }

    /// The same data folder in another process, as far as the database can tell apart.
    pub(crate) async fn another(&self) -> App {
        open(self.folder.path().to_owned(), None).await
    }

    pub(crate) fn connect_input(&self, name: &str) -> ConnectInput {
        ConnectInput {
            name: name.to_owned(),
            base_url: self.course.api_root.clone(),
            secret: self.course.token.clone(),
            app_id: None,
            installation_id: None,
        }
    }

    pub(crate) async fn connect(&self) -> ConnectionView {
        connections::add(&self.app, self.connect_input("Forge")).await.unwrap()
    }

    /// Registers the course's source; returns its id.
    pub(crate) async fn add_source(&self) -> String {
        let connection = connections::list(&self.app).await.unwrap().remove(0).id;
        sources::add(&self.app, &connection, &self.course.source).await.unwrap().id
    }

    pub(crate) fn new_project(&self, source: &str) -> NewProjectInput {
        NewProjectInput {
            name: PROJECT.to_owned(),
            source: source.to_owned(),
            branches: vec!["main".to_owned()],
            strategy: "squash".to_owned(),
            distribution: self.course.distribution.clone(),
            adopt: true,
            deadline: None,
            connection: None,
        }
    }

    pub(crate) fn pattern(&self) -> RosterInput {
        RosterInput::Pattern { pattern: format!("{}/{}", self.course.org, self.course.pattern) }
    }

    /// Files that hold credentials.
    pub(crate) fn credentials(&self) -> BTreeSet<PathBuf> {
        let folder = std::fs::read_dir(self.folder.path().join("credentials"));
        folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    pub(crate) fn pulls(&self) -> usize {
        let count = |name: &String| self.forge.control().pull_requests(name).unwrap().len();
        self.course.recipients.iter().map(count).sum()
    }
}

pub(crate) async fn open(data: PathBuf, practice: Option<PathBuf>) -> App {
    let env = |name: &str| match name {
        variables::SECRETS => Some("file".to_owned()),
        variables::PERSON => None,
        "USER" => Some("ada".to_owned()),
        "PATH" => variables::of_process("PATH"),
        _ => None,
    };
    let config = Config::load(env, Overrides { data: Some(data), practice }).unwrap();
    App::open(config).await.unwrap()
}

/// A press on everybody.
pub(crate) fn everybody(project: &str) -> SyncInput {
    SyncInput {
        project: project.to_owned(),
        selection: "all".to_owned(),
        recipients: Vec::new(),
        resumes: None,
    }
}
