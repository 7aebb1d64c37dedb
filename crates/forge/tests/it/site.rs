use serde_json::json;

use crate::support::{REPO, School, request};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_says_that_it_is_simulated_and_escapes_what_people_wrote() {
    let school = School::open().await;
    school.branch_ahead("sync");
    let body = json!({ "title": "<b>bold</b>", "body": "</pre><script>x</script>", "head": "school:sync",
                       "base": "main" });
    let pull = school.call("POST", &format!("/repos/{REPO}/pulls"), Some(body)).await.json();
    let base = school.forge.base_url();
    let page = pull["html_url"].as_str().unwrap().trim_start_matches(base).to_owned();
    for path in ["/", &format!("/{REPO}"), &format!("/{REPO}/pulls"), &page] {
        let answer = request(base, "GET", path, "Accept: text/html\r\n", None).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text.contains("Simulated GitHub (practice forge)"), "{path}");
        assert!(!answer.text.contains("<b>bold") && !answer.text.contains("<script>"), "{path}");
    }
    let missing = request(base, "GET", "/no/where", "Accept: text/html\r\n", None).await;
    assert_eq!(missing.status, 404);
    school.done();
}
