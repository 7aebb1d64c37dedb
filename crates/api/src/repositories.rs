//! Looking around at a forge while a form is filled in.

use crate::app::App;
use crate::error::Result;
use crate::input;
use crate::wire::RepoHit;

/// Most repositories that one search returns.
const MOST: usize = 2_000;

/// Repositories whose name matches `owner/pattern`, sorted by name, at most 2,000.
///
/// # Errors
/// `bad_input` for a pattern that names no owner; the forge's trouble.
pub async fn search(app: &App, connection: &str, owner_pattern: &str) -> Result<Vec<RepoHit>> {
    let (owner, pattern) = input::pattern(owner_pattern)?;
    let forge = app.forges().of(input::connection(connection)?).await?;
    let found = forge.repositories_like(&owner, &pattern, MOST).await?;
    Ok(found
        .into_iter()
        .map(|repo| RepoHit { name: repo.slug.to_string(), private: repo.private, archived: repo.archived })
        .collect())
}

/// The branches of a repository; its default branch first, then by name.
///
/// # Errors
/// `bad_input` for a name that is none; `repository_not_found`; the forge's trouble.
pub async fn branches(app: &App, connection: &str, repo: &str) -> Result<Vec<String>> {
    let forge = app.forges().of(input::connection(connection)?).await?;
    let repo = forge.repository_by_name(&input::slug(repo)?).await?;
    let mut names: Vec<String> = forge.heads(&repo).await?.into_iter().map(|(name, _)| name).collect();
    names.sort_by_key(|name| (repo.default_branch.as_ref() != Some(name), name.clone()));
    Ok(names)
}
