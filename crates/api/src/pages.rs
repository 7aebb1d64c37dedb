//! Addresses for people: the pages behind repositories.

use lockstep_domain::model::Connection;
use lockstep_domain::names::RepoSlug;
use url::Url;

/// The web address of a connection's host: `https://api.github.com` is `https://github.com`, `https://host/api/v3` is
/// `https://host`.
pub(crate) fn root(base_url: &str) -> Option<Url> {
    let mut url = Url::parse(base_url).ok()?;
    if url.host_str() == Some("api.github.com") {
        url.set_host(Some("github.com")).ok()?;
    }
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

/// The page of a repository; empty when its connection is unknown.
pub(crate) fn repository(connections: &[Connection], of: &lockstep_domain::model::RepoIdent) -> String {
    let connection = connections.iter().find(|connection| connection.id == of.connection);
    connection.map_or_else(String::new, |connection| page(&connection.base_url, &of.slug))
}

fn page(base_url: &str, slug: &RepoSlug) -> String {
    root(base_url).map_or_else(String::new, |root| format!("{root}{slug}"))
}

/// Whether an address lies at the host of one of these connections.
pub(crate) fn is_ours(connections: &[Connection], url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && connections
            .iter()
            .filter_map(|connection| root(&connection.base_url))
            .any(|root| root.origin() == url.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_from_the_rest_base() {
        let slug: RepoSlug = "o/n".parse().unwrap();
        for (base, expected) in [
            ("https://api.github.com", "https://github.com/o/n"),
            ("https://ghe.example/api/v3", "https://ghe.example/o/n"),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000/o/n"),
        ] {
            assert_eq!(page(base, &slug), expected);
        }
    }
}
