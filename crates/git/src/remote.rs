//! A remote, checked before git hears of it.

use lockstep_domain::ports::{GitError, Remote};
use url::{Host, Url};

/// A checked address. It holds no credential.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) url: Url,
}

impl Address {
    /// https, or plain http on loopback; no user, query or fragment in it.
    pub(crate) fn of(remote: &Remote) -> Result<Self, GitError> {
        let refuse = |why: &str| Err(GitError::Refused(format!("the repository's address {why}")));
        let Ok(url) = Url::parse(&remote.url) else { return refuse("is not a URL") };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("must not hold a user or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("must not hold a query");
        }
        match url.scheme() {
            "https" => Ok(Self { url }),
            "http" if is_loopback(&url) => Ok(Self { url }),
            "http" => refuse("must begin with https: plain http is for this machine only"),
            _ => refuse("must begin with https"),
        }
    }

    /// What git may speak: never less than the address asks for, also after a redirect.
    pub(crate) fn protocols(&self) -> &'static str {
        if self.url.scheme() == "https" { "https" } else { "http:https" }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_loopback_and_nothing_but_http_is_spoken() {
        let check = |url: &str| {
            let remote = Remote { url: url.into(), user: "u".into(), password: "p".into() };
            Address::of(&remote).is_ok()
        };
        for good in [
            "https://github.com/o/r.git",
            "http://127.0.0.1:81/o/r.git",
            "http://[::1]/r",
            "http://localhost/r",
        ] {
            assert!(check(good), "{good}");
        }
        for bad in [
            "http://github.com/o/r.git",
            "http://127.0.0.1.evil.example/r",
            "https://token@github.com/o/r.git",
            "https://github.com/o/r.git?x=1",
            "ssh://git@github.com/o/r.git",
            "file:///srv/r.git",
            "ext::sh -c x",
            "-uwhatever",
            "",
        ] {
            assert!(!check(bad), "{bad}");
        }
    }
}
