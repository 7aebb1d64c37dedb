//! One REST request with everything a handler needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::answer::{Fault, Reply};
use crate::core::Core;
use crate::world::{Actor, Author, Need, Repository};

/// A request that matched a route.
pub(crate) struct Call {
    pub(crate) core: Arc<Core>,
    pub(crate) actor: Actor,
    pub(crate) params: BTreeMap<String, String>,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) body: Value,
    /// The root of the interface in the style of this request, for links.
    pub(crate) api: String,
    /// The path below that root, for `Link` headers.
    pub(crate) path: String,
    /// The client asked for the long, stateless form of installation tokens.
    pub(crate) stateless: bool,
    /// The repository that the path names, already checked to be visible.
    pub(crate) repository: Option<Repository>,
}

impl Call {
    /// A parameter of the path.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// A numeric parameter of the path.
    pub(crate) fn number(&self, name: &str) -> Result<u64, Fault> {
        self.param(name).parse().map_err(|_| Fault::not_found())
    }

    /// A parameter of the query.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A text in the JSON body.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(Value::as_str)
    }

    /// A boolean in the JSON body.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.body.get(name).and_then(Value::as_bool)
    }

    /// The repository that the path names.
    pub(crate) fn repository(&self) -> Result<&Repository, Fault> {
        self.repository.as_ref().ok_or_else(Fault::not_found)
    }

    /// Who creates what this request creates.
    pub(crate) fn author(&self) -> Result<Author, Fault> {
        self.actor.author().ok_or_else(|| Fault::new(401, "Requires authentication"))
    }

    /// One page of a list with GitHub's `Link` header.
    pub(crate) fn page<T>(&self, all: Vec<T>) -> (Vec<T>, Option<String>) {
        let size =
            self.query("per_page").and_then(|text| text.parse().ok()).unwrap_or(30_usize).clamp(1, 100);
        let page = self.query("page").and_then(|text| text.parse().ok()).unwrap_or(1_usize).max(1);
        let pages = all.len().div_ceil(size).max(1);
        let shown = all.into_iter().skip((page - 1) * size).take(size).collect();
        let url = |page: usize| {
            let mut query = self.query.clone();
            query.insert("page".into(), page.to_string());
            let pairs = query.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value)));
            format!("{}{}?{}", self.api, self.path, pairs.collect::<Vec<_>>().join("&"))
        };
        let mut links = Vec::new();
        if page > 1 {
            links.push(format!("<{}>; rel=\"prev\"", url(page - 1)));
        }
        if page < pages {
            links.push(format!("<{}>; rel=\"next\"", url(page + 1)));
            links.push(format!("<{}>; rel=\"last\"", url(pages)));
        }
        if page > 1 {
            links.push(format!("<{}>; rel=\"first\"", url(1)));
        }
        (shown, (!links.is_empty()).then(|| links.join(", ")))
    }

    /// A list answer with its `Link` header.
    pub(crate) fn listed(&self, all: Vec<Value>) -> Reply {
        let (shown, link) = self.page(all);
        let reply = Reply::ok(Value::Array(shown));
        match link {
            Some(link) => reply.with("link", link),
            None => reply,
        }
    }
}

/// 403 for a missing permission.
pub(crate) fn missing(actor: &Actor, need: Need) -> Fault {
    let by = if actor.is_integration() { "integration" } else { "personal access token" };
    Fault { needs: Some(need), ..Fault::new(403, format!("Resource not accessible by {by}")) }
}

/// Percent-encodes what may not stand in a query or path segment.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Undoes percent-encoding.
pub(crate) fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads a query string.
pub(crate) fn parse_query(query: &str) -> BTreeMap<String, String> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (unescape(&name.replace('+', " ")), unescape(&value.replace('+', " "))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_reads_back() {
        for text in ["sync/main", "a b&c=d%", "grüße", "100%"] {
            assert_eq!(unescape(&escape(text)), text);
        }
        assert_eq!(unescape("%zz%4"), "%zz%4");
        assert_eq!(parse_query("head=o%3Ab&state=open+x&flag")["head"], "o:b");
    }
}
