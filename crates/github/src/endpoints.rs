//! Addresses: REST, GraphQL and git, each derived from one base.

use std::net::IpAddr;

use url::{Host, Url};

use crate::options::BadOptions;

/// Where one GitHub is reached. None of the addresses ends with a slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// REST base: `https://api.github.com`, `https://host/api/v3`.
    pub rest: String,
    /// GraphQL: `https://api.github.com/graphql`, `https://host/api/graphql`.
    pub graphql: String,
    /// Pages and git: `https://github.com`, `https://host`.
    pub web: String,
}

impl Endpoints {
    /// Understands what a person may write: `https://github.com`, `https://api.github.com`, an Enterprise Server as
    /// `https://host`, `https://host/api/v3` or `https://host/api/graphql`, a `*.ghe.com` host. Plain http only on
    /// loopback, where the root is taken as REST base when no path is given.
    ///
    /// # Errors
    /// Says what to write instead.
    pub fn parse(text: &str) -> Result<Self, BadOptions> {
        let bad = |url: &str, why| BadOptions::BaseUrl { url: url.to_owned(), why };
        let Ok(url) = Url::parse(text.trim()) else {
            return Err(bad("the given text", "write it as https://api.github.com or https://host/api/v3"));
        };
        let shown = url.host_str().map_or_else(String::new, |host| format!("{}://{host}", url.scheme()));
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad(&shown, "it must hold no user and no password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad(&shown, "it must end with the path"));
        }
        let loopback = is_loopback(&url);
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            "http" => return Err(bad(&shown, "plain http is allowed on this machine only, write https")),
            _ => return Err(bad(&shown, "it must start with https")),
        }
        let origin = url.origin().ascii_serialization();
        if let Some(hosted) = hosted(&url) {
            return Ok(hosted);
        }
        match url.path().trim_end_matches('/') {
            "" if loopback => Ok(Self::rooted(&origin, &origin)),
            "" | "/api/v3" | "/api/graphql" => Ok(Self {
                rest: format!("{origin}/api/v3"),
                graphql: format!("{origin}/api/graphql"),
                web: origin,
            }),
            _ => Err(bad(&shown, "the path must be /api/v3, as on GitHub Enterprise Server")),
        }
    }

    fn rooted(api: &str, web: &str) -> Self {
        Self { rest: api.to_owned(), graphql: format!("{api}/graphql"), web: web.to_owned() }
    }

    /// Whether this address belongs to the same scheme, host and port as the REST base.
    pub(crate) fn covers(&self, url: &Url) -> bool {
        Url::parse(&self.rest).is_ok_and(|rest| rest.origin() == url.origin())
    }
}

/// github.com, and the hosts of data residency below ghe.com.
fn hosted(url: &Url) -> Option<Endpoints> {
    let host = url.host_str()?;
    if url.scheme() != "https" || url.port().is_some() {
        return None;
    }
    let site = host.strip_prefix("api.").or_else(|| host.strip_prefix("www.")).unwrap_or(host);
    (site == "github.com" || site.ends_with(".ghe.com"))
        .then(|| Endpoints::rooted(&format!("https://api.{site}"), &format!("https://{site}")))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, String, String) {
        let e = Endpoints::parse(text).unwrap();
        (e.rest, e.graphql, e.web)
    }

    fn triple(rest: &str, graphql: &str, web: &str) -> (String, String, String) {
        (rest.to_owned(), graphql.to_owned(), web.to_owned())
    }

    #[test]
    fn one_base_gives_rest_graphql_and_git_in_either_style() {
        let hosted = triple("https://api.github.com", "https://api.github.com/graphql", "https://github.com");
        for text in [
            "https://api.github.com",
            "https://api.github.com/",
            "https://github.com",
            "https://www.github.com/",
        ] {
            assert_eq!(of(text), hosted, "{text}");
        }
        let server = triple(
            "https://git.school.edu/api/v3",
            "https://git.school.edu/api/graphql",
            "https://git.school.edu",
        );
        for text in
            ["https://git.school.edu", "https://git.school.edu/api/v3/", "https://git.school.edu/api/graphql"]
        {
            assert_eq!(of(text), server, "{text}");
        }
        assert_eq!(
            of("https://school.ghe.com"),
            triple(
                "https://api.school.ghe.com",
                "https://api.school.ghe.com/graphql",
                "https://school.ghe.com"
            )
        );
        assert_eq!(
            of("http://127.0.0.1:8080"),
            triple("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080")
        );
        assert_eq!(
            of("http://localhost:8080/api/v3"),
            triple(
                "http://localhost:8080/api/v3",
                "http://localhost:8080/api/graphql",
                "http://localhost:8080"
            )
        );
    }

    #[test]
    fn plain_http_is_for_loopback_only_and_a_password_is_never_shown() {
        for text in [
            "http://git.school.edu",
            "http://127.0.0.1.school.edu",
            "ftp://127.0.0.1",
            "https://host/other",
            "https://api.github.com?x=1",
            "nonsense",
            "",
        ] {
            assert!(Endpoints::parse(text).is_err(), "{text}");
        }
        let error = Endpoints::parse("https://me:hunter2@git.school.edu/api/v3").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
