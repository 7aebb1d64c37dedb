//! A small school on the practice forge.

#![allow(dead_code, reason = "each test program uses its part")]

use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::ids::{ProjectId, RepoId, RunId};
use lockstep_domain::lease::{Fence, LeaseGuard, OwnerToken, Window};
use lockstep_domain::ports::{NewPull, RecipientAt};
use lockstep_forge::{
    BaseStyle, Clock as _, Control, Forge as Practice, ForgeHandle, ForgeOptions, ManualClock, NewApp,
    NewRepository, PRACTICE_APP_KEY, RepositorySeen,
};
use lockstep_github::{Credential, GithubForge, GithubOptions};
use uuid::Uuid;

/// The forge's clock, for the client too.
#[derive(Debug)]
pub(crate) struct Shared(pub(crate) Arc<ManualClock>);

impl Clock for Shared {
    fn now(&self) -> Millis {
        Millis(self.0.now().timestamp_millis())
    }
    fn boot(&self) -> BootMillis {
        BootMillis(self.0.now().timestamp_millis())
    }
}

pub(crate) struct World {
    pub(crate) practice: ForgeHandle,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) token: String,
}

impl World {
    pub(crate) async fn new(base: BaseStyle) -> Self {
        let start = chrono::DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let options = ForgeOptions { base, clock: clock.clone(), ..ForgeOptions::checked() };
        let practice = Practice::start(options).await.unwrap();
        let control = practice.control();
        control.create_user("teacher").unwrap();
        control.create_user("stranger").unwrap();
        control.create_org("school", &["teacher"]).unwrap();
        let token = control.create_token("teacher").unwrap();
        Self { practice, clock, token }
    }

    pub(crate) fn control(&self) -> &Control {
        self.practice.control()
    }

    pub(crate) fn connect(&self, credential: Credential) -> GithubForge {
        let clock = Arc::new(Shared(self.clock.clone()));
        let mut options = GithubOptions::new(self.practice.api_root(), credential, clock);
        options.policy.read_retries = vec![Duration::ZERO];
        options.policy.fresh_pause = Duration::ZERO;
        GithubForge::new(options).unwrap()
    }

    pub(crate) fn as_teacher(&self) -> GithubForge {
        self.connect(Credential::Token(self.token.clone().into()))
    }

    /// The App and its installation on the school.
    pub(crate) fn as_app(&self) -> (GithubForge, u64) {
        let control = self.control();
        let app = control.create_app(&NewApp::lockstep("course-sync", "school")).unwrap();
        let installation = control.install_app(app.id, "school", None).unwrap().id;
        (self.connect(app_credential(app.id, installation)), installation)
    }

    pub(crate) fn empty(&self, name: &str) -> RepositorySeen {
        self.control().create_repository(&NewRepository::private(name)).unwrap()
    }

    /// A repository with one commit on main.
    pub(crate) fn started(&self, name: &str) -> RepositorySeen {
        let seen = self.empty(name);
        self.commit(name, "main", "README.md", "hello\n");
        seen
    }

    pub(crate) fn commit(&self, name: &str, branch: &str, path: &str, text: &str) -> String {
        self.control().commit_file(name, branch, path, text.as_bytes(), path).unwrap()
    }

    /// A sync branch with one commit on top of main.
    pub(crate) fn synced(&self, name: &str) -> (RecipientAt, String) {
        let seen = self.started(name);
        let control = self.control();
        let main = control.branch(name, "main").unwrap().unwrap();
        control.set_ref(name, "refs/heads/sync/main", &main).unwrap();
        let head = self.commit(name, "sync/main", "update.txt", "new\n");
        (at(&seen), head)
    }

    #[allow(clippy::disallowed_methods, reason = "tests stand in for the store's claim")]
    pub(crate) fn guard(&self) -> LeaseGuard {
        let (project, run) = (ProjectId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
        let sent = Shared(self.clock.clone()).boot();
        LeaseGuard::mint(project, run, Fence(1), OwnerToken::new([1; 16]), Window::DEFAULT, sent)
    }

    /// Nothing unexpected was asked, and every answer was as GitHub describes it.
    pub(crate) fn ends_clean(&self) {
        let unexpected = self.practice.journal().unexpected();
        assert!(unexpected.is_empty(), "{unexpected:?}");
        let failures = self.practice.self_check_failures();
        assert!(failures.is_empty(), "{failures:?}");
    }

    /// Method and route of every request so far; forgets them.
    pub(crate) fn routes(&self) -> Vec<String> {
        let journal = self.practice.journal();
        let name = |route: Option<String>| route.unwrap_or_default();
        let routes =
            journal.entries().into_iter().map(|e| format!("{} {}", e.method, name(e.route))).collect();
        journal.clear();
        routes
    }
}

pub(crate) fn app_credential(app_id: u64, installation_id: u64) -> Credential {
    Credential::App { app_id, installation_id, private_key_pem: PRACTICE_APP_KEY.into() }
}

pub(crate) fn at(seen: &RepositorySeen) -> RecipientAt {
    RecipientAt { id: RepoId(i64::try_from(seen.id).unwrap()), slug: seen.full_name.parse().unwrap() }
}

pub(crate) fn update(title: &str) -> NewPull {
    let text = |text: &str| text.to_owned();
    NewPull {
        head: text("sync/main"),
        base: text("main"),
        title: text(title),
        body: text("Body <!-- head:1 -->"),
    }
}
