//! Identifiers in GitHub's shapes: node ids, tokens, request ids, timestamps.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, SecondsFormat, Utc};

/// What a node id stands for. GitHub's ids are a prefix and a MessagePack list; clients must treat them as opaque.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    User(u64),
    Organization(u64),
    Bot(u64),
    Repository(u64),
    PullRequest(u64, u64),
    Comment(u64),
    Ref(u64, String),
    Commit(u64, String),
    Tree(u64, String),
    Blob(u64, String),
    Tag(u64, String),
    Comparison(u64, String),
}

impl Node {
    /// The id that goes over the wire.
    pub(crate) fn encode(&self) -> String {
        let (prefix, numbers, text): (&str, &[u64], Option<&str>) = match self {
            Self::User(id) => ("U", &[*id], None),
            Self::Organization(id) => ("O", &[*id], None),
            Self::Bot(id) => ("BOT", &[*id], None),
            Self::Repository(id) => ("R", &[*id], None),
            Self::PullRequest(repo, id) => ("PR", &[*repo, *id], None),
            Self::Comment(id) => ("IC", &[*id], None),
            Self::Ref(repo, name) => ("REF", &[*repo], Some(name)),
            Self::Commit(repo, oid) => ("C", &[*repo], Some(oid)),
            Self::Tree(repo, oid) => ("T", &[*repo], Some(oid)),
            Self::Blob(repo, oid) => ("B", &[*repo], Some(oid)),
            Self::Tag(repo, oid) => ("TA", &[*repo], Some(oid)),
            Self::Comparison(repo, range) => ("CMP", &[*repo], Some(range)),
        };
        let count = 1 + numbers.len() + usize::from(text.is_some());
        let mut bytes = vec![0x90 | u8::try_from(count).unwrap_or(0x0f), 0];
        for number in numbers {
            bytes.push(0xce);
            bytes.extend_from_slice(&u32::try_from(*number).unwrap_or(u32::MAX).to_be_bytes());
        }
        if let Some(text) = text {
            bytes.push(0xda);
            bytes.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Reads an id of this forge, `None` for anything else.
    pub(crate) fn decode(id: &str) -> Option<Self> {
        let (prefix, rest) = id.split_once('_')?;
        let bytes = URL_SAFE_NO_PAD.decode(rest).ok()?;
        let mut rest = bytes.get(2..)?;
        let mut numbers = Vec::new();
        while let [0xce, a, b, c, d, more @ ..] = rest {
            numbers.push(u64::from(u32::from_be_bytes([*a, *b, *c, *d])));
            rest = more;
        }
        let text = match rest {
            [0xda, _, _, text @ ..] => Some(String::from_utf8(text.to_vec()).ok()?),
            _ => None,
        };
        Some(match (prefix, numbers.as_slice(), text) {
            ("U", [id], None) => Self::User(*id),
            ("O", [id], None) => Self::Organization(*id),
            ("BOT", [id], None) => Self::Bot(*id),
            ("R", [id], None) => Self::Repository(*id),
            ("PR", [repo, id], None) => Self::PullRequest(*repo, *id),
            ("IC", [id], None) => Self::Comment(*id),
            ("REF", [repo], Some(name)) => Self::Ref(*repo, name),
            ("C", [repo], Some(oid)) => Self::Commit(*repo, oid),
            ("T", [repo], Some(oid)) => Self::Tree(*repo, oid),
            ("B", [repo], Some(oid)) => Self::Blob(*repo, oid),
            ("TA", [repo], Some(oid)) => Self::Tag(*repo, oid),
            _ => return None,
        })
    }
}

/// One step of the splitmix64 generator: the same seed and step give the same number.
pub(crate) fn mix(seed: u64, step: u64) -> u64 {
    let mut z = seed.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A token: prefix and 36 letters and digits, as GitHub's are.
pub(crate) fn token(prefix: &str, seed: u64, counter: u64) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::from(prefix);
    for index in 0..36 {
        let number = mix(seed ^ 0x70_6b_65_6e, counter.wrapping_mul(64).wrapping_add(index));
        let place = usize::try_from(number % 62).unwrap_or_default();
        text.push(char::from(LETTERS[place]));
    }
    text
}

/// A stateless installation token: the App's id, then three parts like those of a JSON web token.
pub(crate) fn stateless_token(app: u64, seed: u64, counter: u64) -> String {
    let part = |number: u64| token("", seed ^ number, counter);
    let body = (2..8).map(part).collect::<String>();
    format!("ghs_{app}_eyJ{}.{body}.{}{}", part(1), part(9), part(10))
}

/// A request id in the shape of `x-github-request-id`.
pub(crate) fn request_id(counter: u64) -> String {
    let number = mix(0x5eed, counter);
    format!(
        "{:04X}:{:06X}:{:06X}:{:06X}:{:08X}",
        number & 0xffff,
        (number >> 16) & 0xff_ffff,
        (number >> 40) & 0xff_ffff,
        counter & 0xff_ffff,
        mix(number, 1) & 0xffff_ffff
    )
}

/// `2026-03-01T09:30:00Z`.
pub(crate) fn timestamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_id_reads_back_as_what_it_stands_for() {
        for node in [
            Node::Repository(515_436_299),
            Node::PullRequest(7, 12),
            Node::Ref(7, "refs/heads/sync/main".into()),
            Node::Commit(7, "a".repeat(40)),
            Node::User(1),
        ] {
            assert_eq!(Node::decode(&node.encode()), Some(node));
        }
        assert_eq!(Node::decode("R_nonsense!"), None);
        assert_eq!(Node::decode(""), None);
    }

    #[test]
    fn a_repository_id_looks_like_githubs() {
        assert!(Node::Repository(515_436_299).encode().starts_with("R_kgDO"));
        assert!(Node::PullRequest(515_436_299, 1).encode().starts_with("PR_kwDO"));
    }

    #[test]
    fn tokens_differ_by_counter_and_repeat_by_seed() {
        assert_eq!(token("ghp_", 1, 2), token("ghp_", 1, 2));
        assert_ne!(token("ghp_", 1, 2), token("ghp_", 1, 3));
        assert_ne!(token("ghp_", 1, 2), token("ghp_", 2, 2));
        assert_eq!(token("ghp_", 1, 2).len(), 40);
    }
}
