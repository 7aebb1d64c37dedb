//! GraphQL questions: an answer may carry data and errors at once, and its status says little.

use lockstep_domain::clock::Millis;
use lockstep_domain::ports::ForgeError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::classify::{Context, Kind, classify, classify_lost, cut, unreadable};
use crate::client::{Client, Ended};
use crate::shapes::instant;
use crate::wire::{Answer, Lost};

/// One entry of `errors`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct GraphqlError {
    #[serde(rename = "type", default)]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) path: Option<Vec<Value>>,
    #[serde(default)]
    pub(crate) extensions: Value,
}

impl GraphqlError {
    fn is(&self, kind: &str) -> bool {
        let told = self.kind.as_deref().or_else(|| self.extensions["code"].as_str());
        told.is_some_and(|told| told.eq_ignore_ascii_case(kind))
    }

    fn has(&self, part: &str) -> bool {
        self.message.to_ascii_lowercase().contains(part)
    }

    /// Less at once would have worked: too slow, too much, or a server that gave up in the middle.
    pub(crate) fn asks_for_less(&self) -> bool {
        const KINDS: [&str; 4] =
            ["RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED", "EXCESSIVE_PAGINATION", "INTERNAL"];
        const TEXTS: [&str; 4] =
            ["something went wrong while executing", "timeout", "timed out", "resource limits"];
        KINDS.iter().any(|kind| self.is(kind)) || TEXTS.iter().any(|text| self.has(text))
    }
}

#[derive(Debug, Deserialize)]
struct Envelope {
    data: Option<Value>,
    #[serde(default)]
    errors: Vec<GraphqlError>,
    message: Option<String>,
}

/// Data, and the errors that concern parts of it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) data: Value,
    pub(crate) errors: Vec<GraphqlError>,
}

/// Why a question has no data.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// Ask for less and it may work (502, 504, too slow, too many nodes).
    TooMuch(String),
    /// Named.
    Named(ForgeError),
}

impl From<Unanswered> for ForgeError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::TooMuch(why) => Self::Unavailable(why),
            Unanswered::Named(error) => error,
        }
    }
}

impl Client {
    /// Asks; repeats in trouble, except where asking for less is the better answer.
    pub(crate) async fn query(
        &self,
        name: &'static str,
        document: &str,
        variables: &Value,
        what: &str,
    ) -> Result<Told, Unanswered> {
        let ask = self
            .question(name, json!({ "query": document, "operationName": name, "variables": variables }))
            .map_err(Unanswered::Named)?;
        let mut tries = 0;
        loop {
            let context = self.context(Kind::Read, what);
            let error = match self.authorised(&ask, None).await {
                Ok(answer) => match understand(context, &answer) {
                    Err(Unanswered::Named(error)) => error,
                    ended => return ended,
                },
                Err(Ended::Lost(Lost::TimedOut)) => {
                    return Err(Unanswered::TooMuch("no answer in time".to_owned()));
                }
                Err(Ended::Lost(lost)) => classify_lost(Kind::Read, &lost),
                Err(Ended::Named(error)) => error,
            };
            match (&error, self.pause(tries)) {
                (ForgeError::Unavailable(_), Some(pause)) => tokio::time::sleep(pause).await,
                _ => return Err(Unanswered::Named(error)),
            }
            tries += 1;
        }
    }
}

/// An answer of the GraphQL interface.
fn understand(context: Context<'_>, answer: &Answer) -> Result<Told, Unanswered> {
    if matches!(answer.status, 502 | 504) {
        return Err(Unanswered::TooMuch(format!("status {}", answer.status)));
    }
    if !answer.is_success() {
        return Err(Unanswered::Named(classify(context, answer)));
    }
    let Some(envelope) = answer.json::<Envelope>() else {
        return Err(Unanswered::Named(unreadable(context, answer)));
    };
    let Envelope { data, errors, message } = envelope;
    let data = data.unwrap_or(Value::Null);
    if let Some(error) = overall(context, answer, &errors) {
        return Err(Unanswered::Named(error));
    }
    if !data.is_null() {
        return Ok(Told { data, errors });
    }
    match errors.iter().find(|error| error.asks_for_less()) {
        Some(error) => Err(Unanswered::TooMuch(cut(&error.message))),
        None => {
            let texts: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            let words = message.unwrap_or_else(|| texts.join("; "));
            Err(Unanswered::Named(match words.is_empty() {
                true => unreadable(context, answer),
                false => ForgeError::Validation(cut(&words)),
            }))
        }
    }
}

/// Errors that concern the whole connection, whatever data came with them.
fn overall(context: Context<'_>, answer: &Answer, errors: &[GraphqlError]) -> Option<ForgeError> {
    errors.iter().find_map(|error| {
        if error.is("RATE_LIMITED") || error.is("RATE_LIMIT") || error.has("rate limit exceeded") {
            let secondary = error.has("secondary") || answer.header("x-ratelimit-remaining") != Some("0");
            return Some(ForgeError::RateLimited { until: limited_until(context, answer), secondary });
        }
        if error.has("secondary rate limit") || error.has("submitted too quickly") {
            return Some(ForgeError::RateLimited { until: limited_until(context, answer), secondary: true });
        }
        if error.extensions["saml_failure"] == true || error.has("saml enforcement") {
            let words = "the organisation demands single sign-on, authorise this token for it";
            return Some(ForgeError::BadCredentials(words.to_owned()));
        }
        None
    })
}

fn limited_until(context: Context<'_>, answer: &Answer) -> Millis {
    let number = |name| answer.header(name).and_then(|text| text.trim().parse::<i64>().ok());
    let reset = number("x-ratelimit-reset").filter(|_| answer.header("x-ratelimit-remaining") == Some("0"));
    let told =
        answer.json::<Value>().and_then(|body| instant(body["data"]["rateLimit"]["resetAt"].as_str()?));
    let spent_out = || told.filter(|_| reset.is_some());
    match (number("retry-after"), reset) {
        (Some(seconds), _) => context.now.plus(seconds.clamp(1, 86_400) * 1000),
        (None, Some(reset)) => Millis(reset.saturating_mul(1000)).max(context.now.plus(5_000)),
        (None, None) => spent_out().unwrap_or_else(|| context.now.plus(context.secondary_ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderMap;

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Answer {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        Answer { status, headers: map, body: body.to_owned().into() }
    }

    fn ends(status: u16, headers: &[(&'static str, &str)], body: &str) -> Unanswered {
        let context = Context { kind: Kind::Read, what: "x", now: Millis(1_000_000), secondary_ms: 60_000 };
        understand(context, &answer(status, headers, body)).unwrap_err()
    }

    const ID: (&str, &str) = ("x-github-request-id", "A:B");

    #[test]
    fn what_is_too_much_is_asked_in_smaller_parts() {
        for (status, body) in [
            (502, "<html>"),
            (504, ""),
            (
                200,
                r#"{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."}]}"#,
            ),
            (
                200,
                r#"{"data":null,"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"This query requests up to 600,000 possible nodes"}]}"#,
            ),
            (
                200,
                r#"{"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."}]}"#,
            ),
        ] {
            assert!(matches!(ends(status, &[ID], body), Unanswered::TooMuch(_)), "{status} {body}");
        }
    }

    #[test]
    fn a_rate_limit_in_a_200_is_a_rate_limit() {
        let body = r#"{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}"#;
        let headers = [ID, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "2000")];
        let Unanswered::Named(error) = ends(200, &headers, body) else { panic!("named") };
        assert_eq!(error, ForgeError::RateLimited { until: Millis(2_000_000), secondary: false });
        let body = r#"{"errors":[{"message":"You have exceeded a secondary rate limit."}]}"#;
        let Unanswered::Named(error) = ends(200, &[ID], body) else { panic!("named") };
        assert_eq!(error, ForgeError::RateLimited { until: Millis(1_060_000), secondary: true });
    }

    #[test]
    fn saml_and_strange_answers_are_named() {
        let body = r#"{"data":{"nodes":[null]},"errors":[{"type":"FORBIDDEN","path":["nodes",0],"extensions":{"saml_failure":true},"message":"Resource protected by organization SAML enforcement."}]}"#;
        assert!(matches!(ends(200, &[ID], body), Unanswered::Named(ForgeError::BadCredentials(_))));
        assert!(matches!(ends(200, &[], "<html>"), Unanswered::Named(ForgeError::NotAForge(_))));
        assert!(matches!(ends(200, &[ID], "{"), Unanswered::Named(ForgeError::Unavailable(_))));
        let body = r#"{"errors":[{"message":"Field 'x' doesn't exist on type 'Repository'"}]}"#;
        assert!(matches!(ends(200, &[ID], body), Unanswered::Named(ForgeError::Validation(_))));
    }
}
