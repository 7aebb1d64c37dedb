//! An App's proof and token, scripted answer by answer; and options that cannot work.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stub;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lockstep_domain::clock::Clock;
use lockstep_domain::ids::RepoId;
use lockstep_domain::ports::{Forge, ForgeError};
use lockstep_github::{BadOptions, Credential, GithubForge, GithubOptions};
use serde_json::{Value, json};
use stub::{Still, Stub, at, guard, json, options, page};

fn app() -> Credential {
    let private_key_pem = lockstep_forge::PRACTICE_APP_KEY.into();
    Credential::App { app_id: 71, installation_id: 42, private_key_pem }
}

fn minted(token: &str) -> Value {
    json!({ "token": token, "expires_at": "2026-01-01T01:00:00Z", "permissions": { "contents": "write" } })
}

fn forge(stub: &Stub) -> GithubForge {
    GithubForge::new(options(&stub.base, app(), Arc::new(Still::default()))).unwrap()
}

fn refused(status: u16, message: &str) -> stub::Say {
    json(status, &json!({ "message": message }))
}

const MINT: &str = "POST /app/installations/42/access_tokens";

#[tokio::test]
async fn the_proof_starts_a_minute_ago_and_lasts_less_than_ten() {
    let stub = Stub::start(vec![json(201, &minted("ghs_1"))]).await;
    let password = forge(&stub).git_remote(&"o/r".parse().unwrap()).await.unwrap().password;
    assert_eq!((password.as_str(), stub.lines()), ("ghs_1", vec![MINT.to_owned()]));
    let seen = stub.seen();
    let proof = seen[0].headers["authorization"].to_str().unwrap().strip_prefix("Bearer ").unwrap();
    let part = |n: usize| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(proof.split('.').nth(n).unwrap()).unwrap()).unwrap()
    };
    let now = Still::default().now().0 / 1000;
    assert_eq!(part(0)["alg"], "RS256");
    assert_eq!(part(1)["iss"], "71");
    assert_eq!(part(1)["iat"], now - 60);
    assert!(part(1)["exp"].as_i64().unwrap() <= now + 540);
}

#[tokio::test]
async fn a_write_with_a_token_that_is_not_known_everywhere_yet_goes_through() {
    let refusals = [refused(401, "Bad credentials"), refused(403, "Resource not accessible by integration")];
    for refusal in refusals {
        let stub =
            Stub::start(vec![json(201, &minted("ghs_1")), refusal, json(201, &json!({ "body": "x" }))]).await;
        forge(&stub).comment(&guard(), &at(), 3, "x").await.unwrap();
        let comment = "POST /repositories/7/issues/3/comments";
        assert_eq!(stub.lines(), [MINT, comment, comment]);
    }
}

#[tokio::test]
async fn minting_is_repeated_in_trouble_and_says_what_is_wrong_else() {
    let repo = json!({ "id": 7, "node_id": "R_7", "full_name": "o/r", "default_branch": null });
    let stub = Stub::start(vec![page(502), json(201, &minted("ghs_1")), json(200, &repo)]).await;
    assert!(forge(&stub).repository(RepoId(7)).await.is_ok());
    for (answer, expected) in [
        (refused(404, "Not Found"), ForgeError::NotInstalled),
        (refused(403, "This installation has been suspended"), ForgeError::Suspended),
    ] {
        let stub = Stub::start(vec![answer]).await;
        assert_eq!(forge(&stub).comment(&guard(), &at(), 3, "x").await.unwrap_err(), expected);
        assert_eq!(stub.lines(), [MINT], "nothing was written");
    }
}

#[tokio::test]
async fn the_lease_is_asked_after_the_token_was_minted() {
    let stub = Stub::start(vec![json(201, &minted("ghs_1"))]).await;
    let clock = Arc::new(Still::default());
    clock.forward(140_000);
    let forge = GithubForge::new(options(&stub.base, app(), clock)).unwrap();
    assert_eq!(forge.comment(&guard(), &at(), 3, "x").await.unwrap_err(), ForgeError::LeaseLost);
    assert_eq!(stub.lines(), [MINT]);
}

fn bad(change: impl FnOnce(&mut GithubOptions)) -> BadOptions {
    let mut options =
        options("https://api.github.com", Credential::Token("t".into()), Arc::new(Still::default()));
    change(&mut options);
    GithubForge::new(options).unwrap_err()
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_is_sent() {
    assert!(matches!(bad(|o| o.base_url = "http://github.example".to_owned()), BadOptions::BaseUrl { .. }));
    assert!(matches!(bad(|o| o.user_agent = "a\nb".to_owned()), BadOptions::UserAgent));
    for proxy in ["socks5://x:1", "nonsense", "https://x:1"] {
        assert!(matches!(bad(|o| o.network.proxy = Some(proxy.to_owned())), BadOptions::Proxy), "{proxy}");
    }
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = bad(|o| o.network.ca_pem = Some(pem.as_bytes().to_vec()));
        assert!(matches!(error, BadOptions::Certificates(_)), "{pem}: {error}");
    }
}

#[tokio::test]
async fn a_proxy_is_asked_for_a_tunnel_and_its_refusal_wrote_nothing() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut asked = vec![0; 4096];
        let n = client.read(&mut asked).await.unwrap();
        client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&asked[..n]).into_owned()
    });
    let mut options =
        options("https://api.github.com", Credential::Token("ghp_x".into()), Arc::new(Still::default()));
    options.network.proxy = Some(format!("http://me:hunter2@{address}"));
    assert!(!format!("{options:?}").contains("hunter2"));
    let error = GithubForge::new(options).unwrap().comment(&guard(), &at(), 3, "x").await.unwrap_err();
    assert!(matches!(error, ForgeError::Unavailable(_)), "{error:?}");
    let asked = proxy.await.unwrap();
    assert!(asked.starts_with("CONNECT api.github.com:443 HTTP/1.1"), "{asked}");
    assert!(asked.to_ascii_lowercase().contains("proxy-authorization: basic bwu6ahvudgvymg=="), "{asked}");
    assert!(!asked.contains("ghp_x"));
}
