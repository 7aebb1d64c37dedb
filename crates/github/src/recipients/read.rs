//! Batches: sized by cost, halved when GitHub cannot answer, grown back when it can.

use lockstep_domain::ports::{ForgeError, RecipientRead, RecipientsQuery};
use serde_json::Value;

use crate::client::Client;
use crate::graphql::{GraphqlError, Told, Unanswered};
use crate::recipients::document::{NAME, document, nodes, variables};
use crate::recipients::tell::repository;

/// All recipients in the order asked.
pub(crate) async fn read_all(
    client: &Client,
    query: &RecipientsQuery,
) -> Result<Vec<RecipientRead>, ForgeError> {
    let k = query.branches.len();
    let text = document(k);
    let names: Vec<_> =
        query.branches.iter().map(|b| (b.base.as_str().to_owned(), b.branch.sync())).collect();
    let most = client.policy.batch.min(client.policy.batch_nodes / nodes(k)).max(1);
    let mut reads = Vec::with_capacity(query.node_ids.len());
    let mut size = most;
    let mut tries = 0;
    while reads.len() < query.node_ids.len() {
        let rest = &query.node_ids[reads.len()..];
        let ids = &rest[..size.min(rest.len())];
        let values = variables(ids, &query.branches);
        let told = client.query(NAME, &text, &values, "the recipients").await;
        match told.and_then(|told| batch(&told, ids, &names)) {
            Ok(batch) => {
                reads.extend(batch);
                size = (size * 2).min(most);
                tries = 0;
            }
            Err(Unanswered::TooMuch(why)) if ids.len() > 1 => {
                size = ids.len() / 2;
                tracing::debug!(why, size, "asking for less at once");
            }
            Err(Unanswered::TooMuch(why)) => match client.pause(tries) {
                Some(pause) => {
                    tokio::time::sleep(pause).await;
                    tries += 1;
                }
                None => return Err(ForgeError::Unavailable(why)),
            },
            Err(Unanswered::Named(error)) => return Err(error),
        }
    }
    Ok(reads)
}

/// One answer. Parts that could not be read ask for a smaller question, because they nearly always mean that GitHub
/// gave up in the middle.
fn batch(told: &Told, ids: &[String], names: &[(String, String)]) -> Result<Vec<RecipientRead>, Unanswered> {
    if let Some(error) = told.errors.iter().find(|error| error.path.is_none() || error.asks_for_less()) {
        return Err(Unanswered::TooMuch(error.message.clone()));
    }
    let found = told.data["nodes"].as_array().filter(|found| found.len() == ids.len());
    let Some(found) = found else {
        return Err(Unanswered::TooMuch("the list of repositories is incomplete".to_owned()));
    };
    found.iter().zip(ids).enumerate().map(|(at, (node, id))| one(node, at, id, names, &told.errors)).collect()
}

fn one(
    node: &Value,
    at: usize,
    id: &str,
    names: &[(String, String)],
    errors: &[GraphqlError],
) -> Result<RecipientRead, Unanswered> {
    let node_id = id.to_owned();
    if node["__typename"] != "Repository" {
        // An error below the repository empties it too; that is no proof that it is gone.
        let below = |error: &&GraphqlError| {
            error.path.as_deref().is_some_and(|path| path.len() > 2 && path[0] == "nodes" && path[1] == at)
        };
        return match errors.iter().find(below) {
            Some(error) => Err(Unanswered::TooMuch(error.message.clone())),
            None => Ok(RecipientRead { node_id, repo: None }),
        };
    }
    match repository(node, at, names, errors) {
        Ok(repo) => Ok(RecipientRead { node_id, repo: Some(repo) }),
        Err(unread) => Err(Unanswered::TooMuch(unread.0)),
    }
}
