//! One test per row of the table of real answers (docs/OUTSIDE.md).

use http::HeaderMap;

use super::*;

const NOW: Millis = Millis(1_750_000_000_000);
const NOW_S: i64 = 1_750_000_000;

type Headers<'a> = &'a [(&'static str, &'a str)];

fn answer(status: u16, headers: Headers<'_>, body: &str) -> Answer {
    let mut map = HeaderMap::new();
    map.insert("x-github-request-id", "ABCD:1234".parse().unwrap());
    for (name, value) in headers {
        map.insert(*name, value.parse().unwrap());
    }
    Answer { status, headers: map, body: body.to_owned().into() }
}

fn of(kind: Kind, status: u16, headers: Headers<'_>, body: &str) -> ForgeError {
    let context = Context { kind, what: "o/r", now: NOW, secondary_ms: 60_000 };
    classify(context, &answer(status, headers, body))
}

fn write(status: u16, headers: Headers<'_>, body: &str) -> ForgeError {
    of(Kind::Write, status, headers, body)
}

fn read(status: u16, headers: Headers<'_>, body: &str) -> ForgeError {
    of(Kind::Read, status, headers, body)
}

fn message(text: &str) -> String {
    format!(r#"{{"message":"{text}","documentation_url":"https://docs.github.com/rest","status":"403"}}"#)
}

fn invalid(error: &str) -> String {
    format!(
        r#"{{"message":"Validation Failed","errors":[{error}],"documentation_url":"https://docs.github.com/rest/pulls","status":"422"}}"#
    )
}

fn waits(seconds: i64, secondary: bool) -> ForgeError {
    ForgeError::RateLimited { until: NOW.plus(seconds * 1000), secondary }
}

#[test]
fn a_secondary_limit_waits_as_told_or_a_minute() {
    let body = message(
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to \
         GitHub Support for help, please include the request ID A:B",
    );
    for status in [403, 429] {
        assert_eq!(write(status, &[("x-ratelimit-remaining", "4114")], &body), waits(60, true));
        assert_eq!(write(status, &[("retry-after", "137")], &body), waits(137, true));
    }
    let by_docs = r#"{"message":"Wait.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}"#;
    assert_eq!(read(403, &[], by_docs), waits(60, true));
    assert_eq!(read(429, &[], "too many"), waits(60, true));
}

#[test]
fn the_content_creation_limit_without_any_header_is_a_secondary_limit() {
    for tail in [
        "",
        " For more on scraping GitHub and how it may affect your rights, please review our Terms of Service",
    ] {
        let body = message(&format!(
            "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please \
             retry your request again later.{tail}"
        ));
        assert_eq!(write(403, &[("x-ratelimit-remaining", "4114")], &body), waits(60, true));
    }
}

#[test]
fn abuse_told_as_422_is_a_secondary_limit() {
    let body = invalid(r#"{"resource":"PullRequestReview","code":"abuse","field":"base"}"#);
    assert_eq!(write(422, &[], &body), waits(60, true));
    let body = invalid(r#"{"resource":"Issue","code":"custom","message":"was submitted too quickly"}"#);
    assert_eq!(write(422, &[("retry-after", "90")], &body), waits(90, true));
}

#[test]
fn the_primary_limit_waits_until_its_reset() {
    let reset = (NOW_S + 1_800).to_string();
    for text in [
        "API rate limit exceeded for installation ID 12345.",
        "API rate limit exceeded for user ID 7.",
        "API rate limit exceeded for 1.2.3.4. (But here's the good news: Authenticated requests get a higher limit.)",
    ] {
        for status in [403, 429] {
            let headers = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", reset.as_str())];
            assert_eq!(read(status, &headers, &message(text)), waits(1_800, false));
        }
    }
    let past = (NOW_S - 50).to_string();
    let headers = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", past.as_str())];
    assert_eq!(read(403, &headers, &message("API rate limit exceeded")), waits(5, false));
}

#[test]
fn no_commits_right_after_a_push_means_not_yet() {
    let body = invalid(
        r#"{"resource":"PullRequest","code":"custom","message":"No commits between main and sync/main"}"#,
    );
    assert_eq!(
        write(422, &[], &body),
        ForgeError::NotYet("No commits between main and sync/main".to_owned())
    );
}

#[test]
fn an_existing_pull_request_or_name_exists_already() {
    let body = invalid(
        r#"{"resource":"PullRequest","code":"custom","message":"A pull request already exists for o:sync/main."}"#,
    );
    assert_eq!(write(422, &[], &body), ForgeError::AlreadyExists);
    let body = invalid(
        r#"{"resource":"Repository","code":"custom","field":"name","message":"name already exists on this account"}"#,
    );
    assert_eq!(write(422, &[], &body), ForgeError::AlreadyExists);
}

#[test]
fn a_head_that_is_not_known_yet_is_not_yet_and_a_missing_base_is_refused() {
    let body = invalid(r#"{"resource":"PullRequest","field":"head","code":"invalid"}"#);
    assert_eq!(write(422, &[], &body), ForgeError::NotYet("head invalid".to_owned()));
    let body = invalid(r#"{"resource":"PullRequest","field":"base","code":"invalid"}"#);
    assert_eq!(write(422, &[], &body), ForgeError::Validation("base invalid".to_owned()));
    let body = invalid(r#""Proposed base branch 'x' was not found""#);
    assert_eq!(
        write(422, &[], &body),
        ForgeError::Validation("Proposed base branch 'x' was not found".to_owned())
    );
}

#[test]
fn reopening_after_a_force_push_is_refused_with_the_reason() {
    let text = "state cannot be changed. The sync/main branch was force-pushed or recreated.";
    let body = invalid(&format!(
        r#"{{"resource":"PullRequest","code":"custom","field":"state","message":"{text}"}}"#
    ));
    assert_eq!(write(422, &[], &body), ForgeError::Validation(text.to_owned()));
}

#[test]
fn a_redirect_that_stays_one_wrote_nothing() {
    let body = r#"{"message":"Moved Permanently","url":"https://api.github.com/repositories/515436299","documentation_url":"https://docs.github.com/v3/#http-redirects"}"#;
    assert!(matches!(write(307, &[], body), ForgeError::Unavailable(_)));
    assert!(matches!(read(301, &[], body), ForgeError::Unavailable(_)));
}

#[test]
fn not_found_names_what_was_looked_for() {
    let body = message("Not Found");
    for status in [404, 410, 451] {
        assert_eq!(read(status, &[], &body), ForgeError::NotFound("o/r".to_owned()));
    }
}

#[test]
fn an_archived_repository_is_told_as_such() {
    assert_eq!(write(403, &[], &message("Repository was archived so is read-only.")), ForgeError::Archived);
}

#[test]
fn a_missing_permission_is_named_from_the_header() {
    for text in ["Resource not accessible by integration", "Resource not accessible by personal access token"]
    {
        let headers = [("x-accepted-github-permissions", "pull_requests=write")];
        let error = write(403, &headers, &message(text));
        assert_eq!(error, ForgeError::PermissionMissing("pull_requests=write".to_owned()));
    }
    let error = write(403, &[], &message("Must have admin rights to Repository."));
    assert_eq!(error, ForgeError::PermissionMissing("(Must have admin rights to Repository.)".to_owned()));
}

#[test]
fn single_sign_on_is_a_matter_of_credentials_and_names_the_page() {
    let body = message(
        "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this \
         organization.",
    );
    let headers = [("x-github-sso", "required; url=https://github.com/orgs/o/sso?authorization_request=A")];
    let ForgeError::BadCredentials(words) = read(403, &headers, &body) else { panic!("credentials") };
    assert!(words.contains("https://github.com/orgs/o/sso"), "{words}");
    assert!(matches!(read(403, &[], &body), ForgeError::BadCredentials(_)));
    let body = message("`o` forbids access via a personal access token (classic). Please use a GitHub App.");
    assert!(matches!(read(403, &[], &body), ForgeError::BadCredentials(_)));
}

#[test]
fn a_suspended_installation_and_a_missing_one_differ() {
    let body = r#"{"message":"This installation has been suspended","documentation_url":"https://docs.github.com/rest/reference/apps#create-an-installation-access-token-for-an-app","status":"403"}"#;
    assert_eq!(of(Kind::Mint, 403, &[], body), ForgeError::Suspended);
    assert_eq!(of(Kind::Mint, 404, &[], &message("Not Found")), ForgeError::NotInstalled);
    let unknown = of(Kind::Mint, 404, &[], &message("Integration not found"));
    assert_eq!(unknown, ForgeError::BadCredentials("there is no App with this id".to_owned()));
}

#[test]
fn more_permissions_than_granted_are_a_missing_permission() {
    let body = message("The permissions requested are not granted to this installation.");
    assert!(matches!(of(Kind::Mint, 422, &[], &body), ForgeError::PermissionMissing(_)));
}

#[test]
fn a_bad_proof_says_whether_key_or_clock_is_wrong() {
    let ForgeError::BadCredentials(words) =
        of(Kind::Mint, 401, &[], &message("A JSON web token could not be decoded"))
    else {
        panic!("credentials")
    };
    assert!(words.contains("private key"), "{words}");
    let body = message("'Expiration time' claim ('exp') is too far in the future");
    let ForgeError::BadCredentials(words) = of(Kind::Mint, 401, &[], &body) else { panic!("credentials") };
    assert!(words.contains("clock"), "{words}");
}

#[test]
fn a_bad_token_is_bad_credentials() {
    assert_eq!(
        read(401, &[], &message("Bad credentials")),
        ForgeError::BadCredentials("Bad credentials".to_owned())
    );
}

#[test]
fn an_empty_repository_is_empty() {
    assert_eq!(read(409, &[], &message("Git Repository is empty.")), ForgeError::Empty);
    assert!(matches!(read(409, &[], &message("Merge conflict")), ForgeError::Validation(_)));
}

#[test]
fn unrelated_histories_are_not_a_missing_repository() {
    let body = message("No common ancestor between main and x.");
    assert!(matches!(read(404, &[], &body), ForgeError::Validation(_)));
}

#[test]
fn trouble_after_a_read_is_unavailable_and_after_a_write_unclear() {
    let html = "<!DOCTYPE html>\n<html><body>Hello future GitHubber! I bet you're here to remove those nasty inline \
                styles</body></html>";
    let slow = message("Server Error: Sorry, this diff is taking too long to generate.");
    for status in [408, 500, 502, 503, 504] {
        for body in [html, slow.as_str(), "", "{\"code\":\"503\"}"] {
            let (after_read, after_write) = (read(status, &[], body), write(status, &[], body));
            assert!(matches!(after_read, ForgeError::Unavailable(_)), "{status} {body}");
            assert!(matches!(after_write, ForgeError::Unclear(_)), "{status} {body}");
            assert!(!format!("{after_read} {after_write}").contains('<'), "no page is shown");
        }
        assert!(matches!(of(Kind::Mint, status, &[], html), ForgeError::Unavailable(_)));
    }
}

#[test]
fn an_answer_that_was_lost_is_unclear_only_after_a_write_that_was_sent() {
    let broken = Lost::Broken("connection reset".to_owned());
    let unsent = Lost::NotSent("connection refused".to_owned());
    for lost in [&broken, &Lost::TimedOut] {
        assert!(matches!(classify_lost(Kind::Write, lost), ForgeError::Unclear(_)));
        assert!(matches!(classify_lost(Kind::Read, lost), ForgeError::Unavailable(_)));
    }
    assert!(matches!(classify_lost(Kind::Write, &unsent), ForgeError::Unavailable(_)));
}

#[test]
fn a_success_that_cannot_be_read_is_unclear_after_a_write() {
    let context = |kind| Context { kind, what: "o/r", now: NOW, secondary_ms: 60_000 };
    let cut = answer(201, &[], "{\"number\":");
    assert!(matches!(unreadable(context(Kind::Write), &cut), ForgeError::Unclear(_)));
    assert!(matches!(unreadable(context(Kind::Read), &cut), ForgeError::Unavailable(_)));
    let portal = Answer { status: 200, headers: HeaderMap::new(), body: "<html>Please log in</html>".into() };
    assert!(matches!(unreadable(context(Kind::Read), &portal), ForgeError::NotAForge(_)));
}

#[test]
fn what_does_not_answer_like_github_is_not_a_forge() {
    for status in [400, 401, 403, 404, 405] {
        let page = Answer { status, headers: HeaderMap::new(), body: "<html>nginx</html>".into() };
        let context = Context { kind: Kind::Read, what: "o/r", now: NOW, secondary_ms: 60_000 };
        assert!(matches!(classify(context, &page), ForgeError::NotAForge(_)), "{status}");
    }
}

#[test]
fn an_unknown_api_version_and_the_rest_are_refusals_with_their_words() {
    let error = read(400, &[], &message("The API version 2022-11-28 is not supported"));
    assert_eq!(error, ForgeError::Validation("The API version 2022-11-28 is not supported".to_owned()));
    assert!(matches!(read(407, &[], ""), ForgeError::Unavailable(_)));
}

#[test]
fn words_for_people_are_short_and_in_one_line() {
    let long = cut(&"many words\n".repeat(100));
    assert!(long.chars().count() == 301 && !long.contains('\n') && long.ends_with('…'));
}
