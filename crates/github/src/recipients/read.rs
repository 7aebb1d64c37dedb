//! Batches, sized by cost.

use lockstep_domain::ports::{ForgeError, RecipientRead, RecipientsQuery};
use serde_json::Value;

use crate::client::Client;
use crate::graphql::{GraphqlError, Told, Unanswered};
use crate::parts::in_parts;
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
    let (text, names) = (&text, &names);
    in_parts(client, &query.node_ids, most, |ids| async move {
        let values = variables(ids, &query.branches);
        let told = client.query(NAME, text, &values, "the recipients").await?;
        batch(&told, ids, names)
    })
    .await
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
