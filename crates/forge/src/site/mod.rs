//! A tiny read-only web page of repositories and pull requests, for people.

mod page;

use std::sync::Arc;

use crate::core::Core;
use crate::http::answer::{Exchange, Reply};
use crate::options::ForgeError;
use crate::world::{Pull, PullState, Repository};
use page::{Page, escape};

/// Answers a browser.
pub(crate) fn serve(core: &Arc<Core>, exchange: &mut Exchange, path: &str) -> Reply {
    let segments = path.trim_matches('/').split('/').map(crate::http::call::unescape).collect::<Vec<_>>();
    let words = segments.iter().map(String::as_str).collect::<Vec<_>>();
    let outcome = match words.as_slice() {
        [""] => {
            exchange.route = Some("/ (page)".into());
            Ok(Some(front(core)))
        }
        [owner, name] => on_repository(core, exchange, owner, name, "/{owner}/{repo} (page)", overview),
        [owner, name, "pulls"] => {
            on_repository(core, exchange, owner, name, "/{owner}/{repo}/pulls (page)", |core, found| {
                Ok(Some(pulls(core, found)))
            })
        }
        [owner, name, "pull", number] => on_repository(
            core,
            exchange,
            owner,
            name,
            "/{owner}/{repo}/pull/{number} (page)",
            |core, found| pull(core, found, number),
        ),
        _ => Ok(None),
    };
    match outcome {
        Ok(Some(page)) => Reply::html(200, page.render()),
        Ok(None) => Reply::html(404, Page::new("Not found").text("There is no such page here.").render()),
        Err(error) => Reply::html(500, Page::new("Trouble").text(&error.to_string()).render()),
    }
}

type Shown = Result<Option<Page>, ForgeError>;

fn on_repository(
    core: &Core,
    exchange: &mut Exchange,
    owner: &str,
    name: &str,
    route: &str,
    show: impl FnOnce(&Core, &Repository) -> Shown,
) -> Shown {
    exchange.route = Some(route.into());
    let found =
        core.read(|world| world.repository(owner, name).or_else(|| world.renamed(owner, name)).cloned());
    match found {
        Some(found) => {
            exchange.repository = Some(found.id);
            show(core, &found)
        }
        None => Ok(None),
    }
}

fn name_of(core: &Core, repository: &Repository) -> String {
    core.read(|world| world.full_name(repository))
}

fn front(core: &Core) -> Page {
    let rows = core.read(|world| {
        let mut all = world.repositories.values().collect::<Vec<_>>();
        all.sort_by_key(|found| world.full_name(found));
        let rows = all.into_iter().map(|found| {
            let name = escape(&world.full_name(found));
            let open = world
                .pulls
                .get(&found.id)
                .map_or(0, |pulls| pulls.values().filter(|pull| pull.state == PullState::Open).count());
            let mut marks = String::from(if found.private { "<span class=mark>private</span>" } else { "" });
            if found.archived_at.is_some() {
                marks.push_str("<span class=mark>archived</span>");
            }
            let about = escape(found.description.as_deref().unwrap_or_default());
            vec![
                format!("<a href=\"/{name}\">{name}</a> {marks}<div class=soft>{about}</div>"),
                format!("<a href=\"/{name}/pulls\">{open} open</a>"),
            ]
        });
        rows.collect::<Vec<_>>()
    });
    Page::new("Repositories").table(&["Repository", "Pull requests"], &rows)
}

fn overview(core: &Core, repository: &Repository) -> Shown {
    let name = name_of(core, repository);
    let refs = core.refs(repository.id);
    let heads = refs.iter().filter_map(|(name, oid)| Some((name.strip_prefix("refs/heads/")?, oid)));
    let mut rows = Vec::new();
    for (branch, oid) in heads {
        let commit = core.commit(repository.id, oid)?;
        let headline = commit.as_ref().map_or("", |commit| commit.headline());
        let author = commit.as_ref().map_or("", |commit| commit.author.name.as_str());
        rows.push(vec![
            format!("<code>{}</code>", escape(branch)),
            format!("<code>{}</code> {}", &oid[..7], escape(headline)),
            escape(author),
        ]);
    }
    let mut page = Page::new(&name)
        .link(&format!("/{name}/pulls"), "Pull requests")
        .heading("Branches")
        .table(&["Branch", "Newest commit", "Author"], &rows);
    if let Some(tip) = refs.get(&format!("refs/heads/{}", repository.default_branch)) {
        let oids = crate::git::history::list(
            &core.git,
            &core.dir(repository.id),
            &["--max-count=20".into(), tip.clone()],
        )?;
        page = page
            .heading("Commits")
            .table(&["Commit", "Author", "Date"], &commit_rows(core, repository, &oids)?);
    }
    Ok(Some(page))
}

fn commit_rows(
    core: &Core,
    repository: &Repository,
    oids: &[String],
) -> Result<Vec<Vec<String>>, ForgeError> {
    let commits = core.commits(repository.id, oids)?;
    Ok(commits
        .iter()
        .map(|commit| {
            vec![
                format!("<code>{}</code> {}", &commit.oid[..7], escape(commit.headline())),
                escape(&commit.author.name),
                commit.author.date(),
            ]
        })
        .collect())
}

fn state_mark(pull: &Pull) -> &'static str {
    match pull.state {
        PullState::Open => "<span class=\"state open\">Open</span>",
        PullState::Closed => "<span class=\"state closed\">Closed</span>",
        PullState::Merged => "<span class=\"state merged\">Merged</span>",
    }
}

fn pulls(core: &Core, repository: &Repository) -> Page {
    let name = name_of(core, repository);
    let rows = core.read(|world| {
        let all = world.pulls.get(&repository.id).into_iter().flat_map(|pulls| pulls.values().rev());
        let rows = all.map(|pull| {
            vec![
                state_mark(pull).to_owned(),
                format!("<a href=\"/{}/pull/{}\">{}</a>", escape(&name), pull.number, escape(&pull.title)),
                format!(
                    "<code>{}</code> into <code>{}</code>",
                    escape(&pull.head_ref),
                    escape(&pull.base_ref)
                ),
                escape(&world.login(&pull.author)),
            ]
        });
        rows.collect::<Vec<_>>()
    });
    Page::new(&format!("Pull requests of {name}"))
        .link(&format!("/{name}"), &name)
        .table(&["", "Title", "Branches", "Author"], &rows)
}

fn pull(core: &Core, repository: &Repository, number: &str) -> Shown {
    let name = name_of(core, repository);
    let wanted = number.parse().unwrap_or(0);
    let Some(found) = core.read(|world| world.pull(repository.id, wanted).cloned()) else { return Ok(None) };
    let author = core.read(|world| world.login(&found.author));
    let oids = crate::rest::commits_of(core, &found)?;
    let files = crate::rest::changed(core, &found)?;
    let file_rows = files.iter().map(|file| {
        let from = file.previous.as_ref().map(|from| format!("{} → ", escape(from))).unwrap_or_default();
        vec![
            format!("<code>{from}{}</code>", escape(&file.path)),
            file.status.to_owned(),
            format!("+{} −{}", file.additions, file.deletions),
        ]
    });
    let mut page = Page::new(&format!("{} #{}", found.title, found.number))
        .link(&format!("/{name}/pulls"), &format!("Pull requests of {name}"))
        .raw(&format!(
            "<p>{} <b>{}</b> wants to merge <code>{}</code> into <code>{}</code></p>",
            state_mark(&found),
            escape(&author),
            escape(&found.head_ref),
            escape(&found.base_ref)
        ))
        .note(&author, found.body.as_deref().unwrap_or("No description."));
    let comments = core.read(|world| {
        let all =
            world.comments.values().filter(|one| one.repository == repository.id && one.number == wanted);
        all.map(|one| (world.login(&one.author), one.body.clone())).collect::<Vec<_>>()
    });
    for (by, text) in comments {
        page = page.note(&by, &text);
    }
    Ok(Some(
        page.heading("Commits")
            .table(&["Commit", "Author", "Date"], &commit_rows(core, repository, &oids)?)
            .heading("Changed files")
            .table(&["File", "Change", "Lines"], &file_rows.collect::<Vec<_>>()),
    ))
}
