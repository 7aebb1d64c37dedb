//! Connecting: tested at the forge before anything is stored.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use lockstep_api::wire::ConnectInput;
use lockstep_api::{connections, links, repositories, sources};
use lockstep_domain::code::Code;

use crate::desk::Desk;

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_stores_nothing_and_is_not_repeated() {
    let desk = Desk::new(1, 0).await;
    let secret = "ghp_000000000000000000000000000000000dead";
    let input = ConnectInput { secret: secret.to_owned(), ..desk.connect_input("Forge") };
    let error = connections::add(&desk.app, input).await.unwrap_err();
    assert_eq!(error.code, Code::BadCredentials);
    assert!(!format!("{error:?}").contains(secret));
    assert!(connections::list(&desk.app).await.unwrap().is_empty());
    assert!(desk.credentials().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_cannot_be_inserted_takes_its_credential_away() {
    let desk = Desk::new(1, 0).await;
    desk.connect().await;
    let before = desk.credentials();
    assert_eq!(before.len(), 1);
    let error = connections::add(&desk.app, desk.connect_input("Forge")).await.unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists);
    // Two at the same moment pass the first look together; the database lets one in.
    let both = futures::future::join(
        connections::add(&desk.app, desk.connect_input("Twin")),
        connections::add(&desk.app, desk.connect_input("Twin")),
    );
    let both: [_; 2] = both.await.into();
    assert_eq!(both.iter().filter(|one| one.is_ok()).count(), 1, "{both:?}");
    assert_eq!(desk.credentials().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_and_somebody_else_there_are_told_apart() {
    let desk = Desk::new(1, 0).await;
    let at = |base_url: String| ConnectInput { base_url, ..desk.connect_input("Elsewhere") };
    // Bound and dropped: nobody listens there now.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = connections::add(&desk.app, at(format!("http://{free}"))).await.unwrap_err();
    assert_eq!(nobody.code, Code::ForgeUnreachable, "{nobody:?}");
    assert!(nobody.retryable && nobody.message.contains(&free.to_string()), "{nobody:?}");
    let page = a_web_page();
    let other = connections::add(&desk.app, at(page.clone())).await.unwrap_err();
    assert_eq!(other.code, Code::NotAForge, "{other:?}");
    assert!(other.message.contains(&page) && !other.message.contains('<'), "{other:?}");
    assert!(desk.credentials().is_empty());
}

/// A server that answers every request with a web page.
fn a_web_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0_u8; 4096];
            let _read = stream.read(&mut request);
            let body = "<html>hello</html>";
            let _sent = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_connects_with_its_key_and_a_wrong_installation_is_refused() {
    let desk = Desk::new(1, 0).await;
    let app = &desk.course.app;
    let input = |installation: u64| ConnectInput {
        secret: app.private_key.clone(),
        app_id: Some(app.id.to_string()),
        installation_id: Some(installation.to_string()),
        ..desk.connect_input("App")
    };
    let error = connections::add(&desk.app, input(app.installation + 1_000)).await.unwrap_err();
    assert_eq!(error.code, Code::AppNotInstalled, "{error:?}");
    assert!(desk.credentials().is_empty());
    let connection = connections::add(&desk.app, input(app.installation)).await.unwrap();
    assert_eq!(connection.login, format!("{}[bot]", app.slug));
    let hits =
        repositories::search(&desk.app, &connection.id, &format!("{}/*", desk.course.org)).await.unwrap();
    assert!(hits.iter().any(|hit| hit.name == desk.course.source), "{hits:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_finds_repositories_and_branches() {
    let desk = Desk::new(3, 0).await;
    let connection = desk.connect().await.id;
    let pattern = format!("{}/{}", desk.course.org, desk.course.pattern);
    assert_eq!(repositories::search(&desk.app, &connection, &pattern).await.unwrap().len(), 3);
    let branches = repositories::branches(&desk.app, &connection, &desk.course.source).await.unwrap();
    assert_eq!(branches.first().map(String::as_str), Some("main"));
    let missing = format!("{}/nothing-here", desk.course.org);
    let error = repositories::branches(&desk.app, &connection, &missing).await.unwrap_err();
    assert_eq!(error.code, Code::RepositoryNotFound);
    assert!(error.message.contains(&missing), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_registered_once_and_named_by_slug_or_id() {
    let desk = Desk::new(1, 0).await;
    let connection = desk.connect().await.id;
    let id = desk.add_source().await;
    let error = sources::add(&desk.app, &connection, &desk.course.source).await.unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists);
    for name in [desk.course.source.clone(), desk.course.source.to_uppercase(), id.clone()] {
        assert_eq!(sources::named(&desk.app, &name).await.unwrap().id, id, "{name}");
    }
    assert_eq!(sources::named(&desk.app, "no/where").await.unwrap_err().code, Code::SourceMissing);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_pages_of_connected_forges_are_opened() {
    let desk = Desk::new(1, 0).await;
    desk.connect().await;
    let page = format!("{}/{}", desk.course.base_url, desk.course.source);
    assert_eq!(links::checked(&desk.app, &page).await.unwrap().as_str(), page);
    for other in [
        "https://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "nonsense",
        "http://127.0.0.1:1/",
    ] {
        assert_eq!(links::checked(&desk.app, other).await.unwrap_err().code, Code::BadInput, "{other}");
    }
}
