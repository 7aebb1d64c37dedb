//! Pull requests and their comments.

use http::Method;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::model::PullState;
use lockstep_domain::ports::{ForgeError, NewPull, PullInfo, RecipientAt, Written};
use serde_json::{Value, json};

use crate::classify::{Kind, classify, classify_lost, unreadable};
use crate::client::{Client, Ended};
use crate::pages::{Next, PER_PAGE, link};
use crate::shapes::{CommentJson, PullJson};
use crate::wire::{Answer, Ask};

const PULLS: &str = "/repositories/{id}/pulls";
const PULL: &str = "/repositories/{id}/pulls/{pull_number}";
const COMMENTS: &str = "/repositories/{id}/issues/{issue_number}/comments";

impl Client {
    /// A request about a repository by its id, so that a rename does not matter.
    fn ask_at(
        &self,
        method: Method,
        route: &'static str,
        repo: &RecipientAt,
        tail: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Ask, ForgeError> {
        let id = repo.id.to_string();
        self.ask(method, route, &[&["repositories", &id], tail].concat(), query)
    }

    pub(crate) async fn find_open_pull(
        &self,
        repo: &RecipientAt,
        head: &str,
        base: &str,
    ) -> Result<Option<PullInfo>, ForgeError> {
        let what = repo.slug.to_string();
        let ours = |pull: &PullInfo| {
            pull.state == PullState::Open
                && pull.head_ref == head
                && pull.base == base
                && pull.head_repo == Some(repo.id)
        };
        // The filter needs the current owner and is known to return other branches' pull requests, or nothing. So each
        // hit is checked, and without one all open ones on that base are looked through.
        let qualified = format!("{}:{head}", repo.slug.owner);
        for filter in [Some(("head", qualified.as_str())), None] {
            let mut query = vec![("state", "open"), ("base", base), PER_PAGE];
            query.extend(filter);
            let ask = self.ask_at(Method::GET, PULLS, repo, &["pulls"], &query)?;
            let mut found = None;
            self.each_page(ask, &what, |pulls: Vec<PullJson>| {
                found = pulls.into_iter().filter_map(PullJson::info).find(|pull| ours(pull));
                if found.is_some() { Next::Stop } else { Next::Go }
            })
            .await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    pub(crate) async fn has_marker(
        &self,
        repo: &RecipientAt,
        number: i64,
        marker: &str,
    ) -> Result<bool, ForgeError> {
        let (what, number) = (repo.slug.to_string(), number.to_string());
        let holds = |body: Option<&str>| body.is_some_and(|body| body.contains(marker));
        let ask = self.ask_at(Method::GET, PULL, repo, &["pulls", &number], &[])?;
        let pull: PullJson = self.read_json(ask, &what).await?;
        if holds(pull.body.as_deref()) {
            return Ok(true);
        }
        let in_page = |answer: &Answer| -> Result<bool, ForgeError> {
            let comments: Vec<CommentJson> = self.parsed(answer, &what)?;
            Ok(comments.iter().any(|comment| holds(comment.body.as_deref())))
        };
        let ask = self.ask_at(Method::GET, COMMENTS, repo, &["issues", &number, "comments"], &[PER_PAGE])?;
        let first = self.read(ask.clone(), &what).await?;
        // Comments of one pull request come oldest first and cannot be turned round: walk back from the last page.
        let mut page = link(&first, "last");
        for _ in 0..self.policy.pages {
            let Some(url) = page.take().filter(|url| self.endpoints.covers(url)) else { break };
            let answer = self.read(Ask { url, ..ask.clone() }, &what).await?;
            if in_page(&answer)? {
                return Ok(true);
            }
            page = link(&answer, "prev").filter(|url| page_number(url) > 1);
        }
        in_page(&first)
    }

    pub(crate) async fn open_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        pull: &NewPull,
    ) -> Result<Written<PullInfo>, ForgeError> {
        let NewPull { head, base, title, body } = pull;
        let sent = json!({ "title": title, "head": head, "base": base, "body": body });
        let answer = self.write_at(guard, repo, (Method::POST, PULLS), &["pulls"], sent).await?;
        let value = answer.json::<PullJson>().and_then(PullJson::info);
        let what = repo.slug.to_string();
        let value = value.ok_or_else(|| unreadable(self.context(Kind::Write, &what), &answer))?;
        Ok(Written { value, request_id: answer.request_id() })
    }

    pub(crate) async fn comment(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
        body: &str,
    ) -> Result<Written<()>, ForgeError> {
        let number = number.to_string();
        let path = ["issues", &number, "comments"];
        let sent = json!({ "body": body });
        let answer = self.write_at(guard, repo, (Method::POST, COMMENTS), &path, sent).await?;
        self.written::<CommentJson>(repo, &answer)
    }

    pub(crate) async fn close_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
    ) -> Result<Written<()>, ForgeError> {
        let number = number.to_string();
        let sent = json!({ "state": "closed" });
        let answer = self.write_at(guard, repo, (Method::PATCH, PULL), &["pulls", &number], sent).await?;
        self.written::<PullJson>(repo, &answer)
    }

    fn written<T: serde::de::DeserializeOwned>(
        &self,
        repo: &RecipientAt,
        answer: &Answer,
    ) -> Result<Written<()>, ForgeError> {
        let what = repo.slug.to_string();
        match answer.json::<T>() {
            Some(_) => Ok(Written { value: (), request_id: answer.request_id() }),
            None => Err(unreadable(self.context(Kind::Write, &what), answer)),
        }
    }

    /// Sends a write to a repository by id. A redirect proves that nothing was written: then the id is looked up and the
    /// write goes once to the name it has now.
    async fn write_at(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        (method, route): (Method, &'static str),
        tail: &[&str],
        body: Value,
    ) -> Result<Answer, ForgeError> {
        let what = repo.slug.to_string();
        let mut ask = self.ask_at(method.clone(), route, repo, tail, &[])?;
        ask.body = Some(body);
        let answer = self.write_once(guard, &ask).await?;
        if !answer.is_redirect() {
            return self.judged(&what, answer);
        }
        let now = self.repository(repo.id).await?.slug;
        tracing::info!(repo.id = repo.id.0, was = %what, is = %now, "the repository was renamed, writing to its new name");
        ask.url = self.ask(method, route, &[&["repos", &now.owner, &now.name], tail].concat(), &[])?.url;
        let answer = self.write_once(guard, &ask).await?;
        self.judged(&what, answer)
    }

    /// Sends a write that concerns no repository by id.
    pub(crate) async fn write(
        &self,
        guard: &LeaseGuard,
        what: &str,
        ask: &Ask,
    ) -> Result<Answer, ForgeError> {
        let answer = self.write_once(guard, ask).await?;
        self.judged(what, answer)
    }

    /// Exactly once, and only while the lease outlasts it.
    async fn write_once(&self, guard: &LeaseGuard, ask: &Ask) -> Result<Answer, ForgeError> {
        self.authorised(ask, Some(guard)).await.map_err(|ended| match ended {
            Ended::Named(error) => error,
            Ended::Lost(lost) => classify_lost(Kind::Write, &lost),
        })
    }

    fn judged(&self, what: &str, answer: Answer) -> Result<Answer, ForgeError> {
        if answer.is_success() {
            return Ok(answer);
        }
        Err(classify(self.context(Kind::Write, what), &answer))
    }

    /// A read's content.
    pub(crate) fn parsed<T: serde::de::DeserializeOwned>(
        &self,
        answer: &Answer,
        what: &str,
    ) -> Result<T, ForgeError> {
        answer.json().ok_or_else(|| unreadable(self.context(Kind::Read, what), answer))
    }
}

fn page_number(url: &url::Url) -> u32 {
    let page = url.query_pairs().find(|(name, _)| name == "page");
    page.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}
