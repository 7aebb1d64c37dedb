//! Listings over pages, and `*` patterns.

use lockstep_domain::ports::ForgeError;
use serde::de::DeserializeOwned;
use url::Url;

use crate::client::Client;
use crate::wire::{Answer, Ask};

/// The most that GitHub gives per page.
pub(crate) const PER_PAGE: (&str, &str) = ("per_page", "100");

/// The address of a page that the answer's `link` header names (`next`, `last`).
pub(crate) fn link(answer: &Answer, rel: &str) -> Option<Url> {
    let wanted = format!("rel=\"{rel}\"");
    answer.header("link")?.split(',').find_map(|part| {
        let (address, attributes) = part.split_once(';')?;
        let address = address.trim().strip_prefix('<')?.strip_suffix('>')?;
        attributes.split(';').any(|attribute| attribute.trim() == wanted).then(|| Url::parse(address).ok())?
    })
}

/// What a page gave and whether to go on.
pub(crate) enum Next {
    Go,
    Stop,
}

impl Client {
    /// Reads pages until `take` has enough or there are no more.
    pub(crate) async fn each_page<T: DeserializeOwned>(
        &self,
        mut ask: Ask,
        what: &str,
        mut take: impl FnMut(T) -> Next + Send,
    ) -> Result<(), ForgeError> {
        for _ in 0..self.policy.pages {
            let answer = self.read(ask.clone(), what).await?;
            if let Next::Stop = take(self.parsed(&answer, what)?) {
                return Ok(());
            }
            match link(&answer, "next").filter(|url| self.endpoints.covers(url)) {
                Some(url) => ask.url = url,
                None => return Ok(()),
            }
        }
        tracing::warn!(route = ask.route, pages = self.policy.pages, "the listing was cut");
        Ok(())
    }
}

/// Whether a name matches a pattern in which `*` stands for anything; upper and lower case do not matter on GitHub.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderMap;

    #[test]
    fn a_star_stands_for_anything_and_case_does_not_matter() {
        for (pattern, name) in [
            ("*", "anything"),
            ("lab-*", "Lab-7"),
            ("*-ada", "lab-ada"),
            ("lab-*-2026", "lab-ada-2026"),
            ("a*b*c", "axxbyyc"),
            ("exact", "exact"),
            ("a*a", "aa"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("lab-*", "xlab-1"), ("exact", "exactly"), ("a*a", "a"), ("a*b*c", "acb"), ("", "x")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn the_link_header_names_the_other_pages() {
        let mut headers = HeaderMap::new();
        let text = "<https://api.github.com/x?page=2&per_page=100>; rel=\"next\", <https://api.github.com/x?page=9>; rel=\"last\"";
        headers.insert("link", text.parse().unwrap());
        let answer = Answer { status: 200, headers, body: bytes::Bytes::new() };
        assert_eq!(link(&answer, "next").unwrap().query(), Some("page=2&per_page=100"));
        assert_eq!(link(&answer, "last").unwrap().query(), Some("page=9"));
        assert_eq!(link(&answer, "prev"), None);
    }
}
