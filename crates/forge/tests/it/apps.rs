use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use lockstep_forge::{Clock, ForgeOptions, Level, ManualClock, NewApp, PRACTICE_APP_KEY};
use serde_json::{Value, json};

use crate::support::{Answer, REPO, School, call};

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn token(issuer: u64, now: DateTime<Utc>, lasts: i64, key: &str) -> String {
    let claims =
        json!({ "iss": issuer.to_string(), "iat": now.timestamp() - 60, "exp": now.timestamp() + lasts });
    let key = EncodingKey::from_rsa_pem(key.as_bytes()).unwrap();
    jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &key).unwrap()
}

struct Installed {
    school: School,
    clock: Arc<ManualClock>,
    app: u64,
    installation: u64,
}

impl Installed {
    async fn open() -> Self {
        let clock = Arc::new(ManualClock::new(start()));
        let school = School::with(ForgeOptions { clock: clock.clone(), ..ForgeOptions::checked() }).await;
        let app = school.control().create_app(&NewApp::lockstep("helper", "school")).unwrap();
        let installation = school.control().install_app(app.id, "school", None).unwrap().id;
        Self { school, clock, app: app.id, installation }
    }

    fn jwt(&self) -> String {
        token(self.app, self.clock.now(), 540, PRACTICE_APP_KEY)
    }

    async fn call(&self, method: &str, path: &str, token: &str, body: Option<Value>) -> Answer {
        call(self.school.forge.base_url(), method, path, Some(token), body).await
    }

    async fn mint(&self, body: Option<Value>) -> Answer {
        let path = format!("/app/installations/{}/access_tokens", self.installation);
        self.call("POST", &path, &self.jwt(), body).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_mints_a_token_that_ends_after_an_hour() {
    let world = Installed::open().await;
    let app = world.call("GET", "/app", &world.jwt(), None).await;
    assert_eq!(app.json()["slug"], "helper");
    assert_eq!(app.header("x-ratelimit-limit"), None);
    assert_eq!(world.call("GET", "/app/installations", &world.jwt(), None).await.status, 200);
    let one = format!("/app/installations/{}", world.installation);
    assert_eq!(world.call("GET", &one, &world.jwt(), None).await.json()["app_slug"], "helper");
    let minted = world.mint(None).await;
    assert_eq!(minted.status, 201, "{}", minted.text);
    let minted = minted.json();
    assert_eq!(minted["permissions"]["contents"], "write");
    let token = minted["token"].as_str().unwrap().to_owned();
    let repositories = world.call("GET", "/installation/repositories", &token, None).await.json();
    assert_eq!(repositories["total_count"], 1);
    world.clock.advance(Duration::minutes(61));
    let ended = world.call("GET", "/installation/repositories", &token, None).await;
    assert_eq!((ended.status, ended.message()), (401, "Bad credentials".into()));
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_json_web_token_is_refused_with_its_reason() {
    let world = Installed::open().await;
    let now = world.clock.now();
    let mut forged = world.jwt();
    forged.truncate(forged.len() - 8);
    forged.push_str("AAAAAAAA");
    let cases = [
        (forged, 401, "A JSON web token could not be decoded"),
        ("a.b.c".into(), 401, "A JSON web token could not be decoded"),
        (
            token(world.app, now, 3600, PRACTICE_APP_KEY),
            401,
            "'Expiration time' claim ('exp') is too far in the future",
        ),
        (token(99_999, now, 500, PRACTICE_APP_KEY), 404, "Integration not found"),
    ];
    for (token, status, message) in cases {
        let answer = world.call("GET", "/app", &token, None).await;
        assert_eq!((answer.status, answer.message().as_str()), (status, message));
    }
    let expired = world.jwt();
    world.clock.advance(Duration::minutes(20));
    assert_eq!(world.call("GET", "/app", &expired, None).await.status, 401);
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_installation_gives_no_token_and_stops_those_it_gave() {
    let world = Installed::open().await;
    let token = world.mint(None).await.json()["token"].as_str().unwrap().to_owned();
    world.school.control().suspend(world.installation).unwrap();
    let refused = world.mint(None).await;
    assert_eq!((refused.status, refused.message()), (403, "This installation has been suspended".into()));
    assert_eq!(world.call("GET", "/installation/repositories", &token, None).await.status, 403);
    let seen = world.call("GET", "/app/installations", &world.jwt(), None).await.json();
    assert!(seen[0]["suspended_at"].is_string());
    world.school.control().unsuspend(world.installation).unwrap();
    assert_eq!(world.call("GET", "/installation/repositories", &token, None).await.status, 200);
    world.school.control().uninstall(world.installation).unwrap();
    assert_eq!(world.mint(None).await.status, 404);
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_permission_reads_as_not_accessible_by_integration() {
    let world = Installed::open().await;
    world.school.control().set_permission(world.installation, "pull_requests", Level::Read).unwrap();
    let token = world.mint(None).await.json()["token"].as_str().unwrap().to_owned();
    let refused = world.call("POST", &format!("/repos/{REPO}/pulls"), &token, Some(json!({}))).await;
    assert_eq!((refused.status, refused.message()), (403, "Resource not accessible by integration".into()));
    let asked = world.mint(Some(json!({ "permissions": { "pull_requests": "write" } }))).await;
    assert_eq!(
        (asked.status, asked.message()),
        (422, "The permissions requested are not granted to this installation.".into())
    );
    let narrow =
        world.mint(Some(json!({ "permissions": { "contents": "read" }, "repositories": ["lab"] }))).await;
    assert_eq!(narrow.status, 201, "{}", narrow.text);
    assert_eq!(narrow.json()["permissions"], json!({ "contents": "read" }));
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_app_opens_is_written_by_its_bot() {
    let world = Installed::open().await;
    world.school.branch_ahead("sync");
    let token = world.mint(None).await.json()["token"].as_str().unwrap().to_owned();
    let body = json!({ "title": "T", "head": "school:sync", "base": "main" });
    let pull = world.call("POST", &format!("/repos/{REPO}/pulls"), &token, Some(body)).await.json();
    assert_eq!(
        (pull["user"]["login"].as_str(), pull["user"]["type"].as_str()),
        (Some("helper[bot]"), Some("Bot"))
    );
    let comment = json!({ "body": "hello" });
    let path = format!("/repos/{REPO}/issues/1/comments");
    let comment = world.call("POST", &path, &token, Some(comment)).await.json();
    assert_eq!(comment["user"]["login"], "helper[bot]");
    assert_eq!(comment["performed_via_github_app"]["slug"], "helper");
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_finds_its_installation_by_account_and_by_repository() {
    let world = Installed::open().await;
    for path in ["/orgs/school/installation", "/users/school/installation", "/repos/school/lab/installation"]
    {
        let found = world.call("GET", path, &world.jwt(), None).await;
        assert_eq!(found.json()["id"], json!(world.installation), "{path}");
    }
    assert_eq!(world.call("GET", "/orgs/nobody/installation", &world.jwt(), None).await.status, 404);
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_token_works_like_the_short_one() {
    let world = Installed::open().await;
    let path = format!("/app/installations/{}/access_tokens", world.installation);
    let extra = format!("Authorization: Bearer {}\r\nX-GitHub-Stateless-S2S-Token: enabled\r\n", world.jwt());
    let minted = crate::support::request(world.school.forge.base_url(), "POST", &path, &extra, None).await;
    let token = minted.json()["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("ghs_") && token.len() > 300, "{token}");
    assert_eq!(world.call("GET", "/installation/repositories", &token, None).await.status, 200);
    let url = crate::support::with_token(&world.school.forge.clone_url(REPO), &token);
    crate::support::git(world.school.work.path(), &["ls-remote", &url]).await.ok();
    world.school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_sees_only_the_repositories_chosen_for_it() {
    let world = Installed::open().await;
    let control = world.school.control();
    control.create_repository(&lockstep_forge::NewRepository::private("school/other")).unwrap();
    let app = control.create_app(&NewApp::lockstep("narrow", "school")).unwrap();
    let installation = control.install_app(app.id, "school", Some(&[REPO])).unwrap().id;
    let token = control.mint_token(installation).unwrap();
    assert_eq!(world.call("GET", &format!("/repos/{REPO}"), &token, None).await.status, 200);
    assert_eq!(world.call("GET", "/repos/school/other", &token, None).await.status, 404);
    world.school.done();
}
