//! A long question in parts: halved when GitHub cannot answer, grown back when it can.

use lockstep_domain::ports::ForgeError;

use crate::client::Client;
use crate::graphql::Unanswered;

/// Asks for `all`, at most `most` at once; the answers come in the order asked. `ask` answers as many as it was given.
pub(crate) async fn in_parts<'a, T, R, F>(
    client: &Client,
    all: &'a [T],
    most: usize,
    ask: impl Fn(&'a [T]) -> F,
) -> Result<Vec<R>, ForgeError>
where
    F: Future<Output = Result<Vec<R>, Unanswered>>,
{
    let mut told = Vec::with_capacity(all.len());
    let (mut size, mut tries) = (most, 0);
    while told.len() < all.len() {
        let rest = &all[told.len()..];
        let part = &rest[..size.min(rest.len())];
        match ask(part).await {
            Ok(answers) => {
                told.extend(answers);
                size = (size * 2).min(most);
                tries = 0;
            }
            Err(Unanswered::TooMuch(why)) if part.len() > 1 => {
                size = part.len() / 2;
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
    Ok(told)
}
