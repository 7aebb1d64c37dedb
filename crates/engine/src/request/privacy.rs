//! The privacy check over everything that this press is about to write.

use std::collections::BTreeSet;

use lockstep_domain::model::{Project, Recipient, Source, Strategy};
use lockstep_domain::names::Oid;

use crate::error::EngineError;
use crate::privacy::{Finder, Source as Secret};
use crate::request::build::{Built, BuiltBranch};
use crate::run::RunContext;
use crate::texts::{self, Update};

/// More commits than any repository has; git counts in 31 bits.
const ALL: u32 = 2_147_483_647;

/// Refuses with `would_reveal_source`. Gives the finder for the texts of the pass; `None` under `whole`.
pub(crate) async fn check(
    ctx: &RunContext,
    project: &Project,
    source: &Source,
    built: &Built,
) -> Result<Option<Finder>, EngineError> {
    if project.strategy == Strategy::Whole {
        return Ok(None);
    }
    let finder = Finder::new(&secret(ctx, source, built).await?, &open_words(project, built));
    let recipients = ctx.store().recipients(project.id).await?;
    for branch in &built.branches {
        for (place, text) in texts_of(project, branch) {
            check_one(&finder, &place, &text, &recipients)?;
        }
    }
    Ok(Some(finder))
}

/// A trace for anybody counts when some recipient would read it as one.
fn check_one(finder: &Finder, place: &str, text: &str, recipients: &[Recipient]) -> Result<(), EngineError> {
    if finder.find(text, None).is_none() {
        return Ok(());
    }
    if recipients.is_empty() {
        return finder.check(place, text, None);
    }
    recipients.iter().try_for_each(|recipient| finder.check(place, text, Some(&recipient.repo.slug)))
}

async fn secret(ctx: &RunContext, source: &Source, built: &Built) -> Result<Secret, EngineError> {
    let (mut commits, mut people) = (BTreeSet::<Oid>::new(), BTreeSet::new());
    for head in built.branches.iter().filter_map(|b| b.handed_out) {
        commits.extend(ctx.parts.git.log(None, head, ALL).await?.iter().map(|commit| commit.oid));
        people.extend(ctx.parts.git.people_of(head).await?);
    }
    Ok(Secret {
        slug: source.repo.slug.clone(),
        id: source.repo.id,
        commits: commits.into_iter().collect(),
        people: people.into_iter().collect(),
    })
}

/// What recipients may read anyway.
fn open_words(project: &Project, built: &Built) -> String {
    let mut open = vec![project.name.clone()];
    for branch in &built.branches {
        open.extend(branch.files.iter().map(|change| change.path.clone()));
        open.extend(branch.added.iter().cloned());
    }
    if let Some(first) = built.branches.first() {
        open.push(texts::wording(&first.branch, first.new));
    }
    open.join("\n")
}

fn texts_of(project: &Project, branch: &BuiltBranch) -> Vec<(String, String)> {
    let name = branch.branch.as_str();
    let update = Update {
        strategy: project.strategy,
        number: branch.update_number,
        head: branch.new,
        branch: &branch.branch,
        base: &branch.branch,
        files: &branch.files,
        note: "",
        follows: None,
    };
    vec![
        ("the staff's note".to_owned(), project.note.clone()),
        (format!("the name of the branch {name:?}"), name.to_owned()),
        ("the commit message".to_owned(), texts::COMMIT_MESSAGE.to_owned()),
        ("the title of the pull request".to_owned(), texts::title(&update)),
        (format!("the list of changed files of {name:?}"), texts::body(&update)),
        (format!("the comment about {name:?}"), texts::comment(&update)),
    ]
}
