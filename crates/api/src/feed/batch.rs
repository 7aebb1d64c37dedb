//! One batch: feed rows made into what a window shows.

use std::collections::{BTreeSet, HashMap, HashSet};

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ProjectId, RecipientId, RunId};
use lockstep_domain::lease::{LeaseState, LeaseView};
use lockstep_domain::model::FeedRow;
use uuid::Uuid;

use crate::app::App;
use crate::error::Result;
use crate::wire::{ChangedRow, FeedBatch, LeaseCard, RunView, Tag};
use crate::words::ms;
use crate::{leases, recipients, runs};

/// More changed recipients of one project than this are read again as a list.
const MOST_ROWS: usize = 300;

/// What was sent last, to tell what changed without a feed row: heartbeats, progress, expiry.
#[derive(Debug, Default)]
pub(super) struct Reader {
    now: Millis,
    leases: HashMap<ProjectId, Shown>,
    /// Pages whose counts changed and that were not named yet.
    owed: HashSet<Tag>,
}

/// The part of a lease whose change is worth a batch.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    state: LeaseState,
    view: LeaseView,
}

impl Shown {
    fn of(view: &LeaseView) -> Self {
        // The clock of the read always differs.
        Self { state: view.state(), view: LeaseView { db_now: Millis(0), ..view.clone() } }
    }
}

/// What a group of feed rows names.
#[derive(Debug, Default)]
struct Named {
    tags: HashSet<Tag>,
    /// Pages that only count.
    counting: HashSet<Tag>,
    recipients: HashMap<ProjectId, HashSet<RecipientId>>,
    runs: BTreeSet<RunId>,
}

impl Named {
    fn of(rows: &[FeedRow]) -> Self {
        let mut named = Self::default();
        for row in rows {
            named.row(row);
        }
        named
    }

    fn row(&mut self, row: &FeedRow) {
        let page = row.project.map(|project| Tag::Project { id: project.to_string() });
        match row.topic.as_str() {
            "project" => self.tags.extend([Tag::Projects].into_iter().chain(page)),
            "lease" => self.tags.extend([Tag::Leases].into_iter().chain(page)),
            "run" => {
                let runs = row.project.map(|project| Tag::Runs { project: project.to_string() });
                self.tags.extend([Tag::Projects].into_iter().chain(page).chain(runs));
                self.runs.extend(ids(&row.key).map(RunId));
            }
            "item" | "recipient" | "pull" => {
                self.counting.extend([Tag::Projects].into_iter().chain(page));
                let Some(project) = row.project else { return };
                let known: Vec<_> = ids(&row.key).map(RecipientId).collect();
                if known.is_empty() {
                    self.tags.insert(Tag::Recipients { project: project.to_string() });
                } else {
                    self.recipients.entry(project).or_default().extend(known);
                }
            }
            "source" => self.tags.extend([Tag::Sources, Tag::Projects].into_iter().chain(page)),
            "connection" => self.tags.extend([Tag::Connections]),
            other => tracing::debug!(topic = other, "a feed row of an unknown kind was passed over"),
        }
    }
}

/// All ids in a key, whatever stands between them.
fn ids(key: &str) -> impl Iterator<Item = Uuid> + '_ {
    key.split(|c: char| !c.is_ascii_hexdigit() && c != '-').filter_map(|part| Uuid::parse_str(part).ok())
}

impl Reader {
    pub(super) const fn now(&self) -> Millis {
        self.now
    }

    /// Whether somebody holds a lease.
    pub(super) fn is_lively(&self) -> bool {
        self.leases.values().any(|shown| shown.view.held)
    }

    /// Whether pages still have to be named.
    pub(super) fn owes_tags(&self) -> bool {
        !self.owed.is_empty()
    }

    /// The first batch: cursor, clock, all lease cards.
    pub(super) async fn begin(&mut self, app: &App, cursor: i64) -> Result<FeedBatch> {
        self.now = app.store().info().await?.now;
        self.leases.clear();
        let (leases, runs) = self.leases(app).await?;
        Ok(self.batch(cursor, Vec::new(), Vec::new(), leases, runs))
    }

    /// The batch for these rows; `None` when there is nothing to tell.
    pub(super) async fn read(
        &mut self,
        app: &App,
        cursor: i64,
        rows: &[FeedRow],
        may_tag: bool,
    ) -> Result<Option<FeedBatch>> {
        let named = Named::of(rows);
        let (cards, mut runs) = self.leases(app).await?;
        for run in named.runs {
            if let Some(view) = self.run(app, run).await?
                && runs.iter().all(|known| known.id != view.id)
            {
                runs.push(view);
            }
        }
        let mut stale = named.tags;
        let changed = changed_rows(app, named.recipients, &mut stale).await?;
        self.owed.extend(named.counting);
        if may_tag {
            stale.extend(self.owed.drain());
        } else {
            self.owed.retain(|tag| !stale.contains(tag));
        }
        if rows.is_empty() && stale.is_empty() && cards.is_empty() && runs.is_empty() {
            return Ok(None);
        }
        let cursor = rows.last().map_or(cursor, |row| row.seq);
        Ok(Some(self.batch(cursor, stale.into_iter().collect(), changed, cards, runs)))
    }

    /// Leases that look different from what was sent last, and the runs that hold them.
    async fn leases(&mut self, app: &App) -> Result<(Vec<LeaseCard>, Vec<RunView>)> {
        let all = app.store().leases().await?;
        if let Some(now) = all.iter().map(|view| view.db_now).max() {
            self.now = now;
        }
        let fresh: Vec<&LeaseView> =
            all.iter().filter(|view| self.leases.get(&view.project) != Some(&Shown::of(view))).collect();
        if fresh.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let ours = app.holder();
        let projects = app.store().projects().await?;
        let (mut cards, mut live) = (Vec::new(), Vec::new());
        for view in fresh {
            let name =
                projects.iter().find(|project| project.id == view.project).map(|project| &project.name);
            cards.push(leases::card(view, name.map_or("", |name| name), &ours));
            if let Some(run) = view.run.filter(|_| view.held)
                && let Some(run) = app.store().run(run).await?
            {
                live.push(runs::view(&run, Some(view), &ours));
            }
            self.leases.insert(view.project, Shown::of(view));
        }
        Ok((cards, live))
    }

    async fn run(&self, app: &App, run: RunId) -> Result<Option<RunView>> {
        let Some(run) = app.store().run(run).await? else { return Ok(None) };
        let lease = self.leases.get(&run.project).map(|shown| &shown.view);
        Ok(Some(runs::view(&run, lease, &app.holder())))
    }

    fn batch(
        &self,
        cursor: i64,
        stale: Vec<Tag>,
        rows: Vec<ChangedRow>,
        leases: Vec<LeaseCard>,
        runs: Vec<RunView>,
    ) -> FeedBatch {
        FeedBatch { cursor: cursor.to_string(), now: ms(self.now), online: true, stale, rows, leases, runs }
    }
}

/// Rows ready to show; too many of one project are named as a list instead, and so is a project that went away.
async fn changed_rows(
    app: &App,
    changed: HashMap<ProjectId, HashSet<RecipientId>>,
    stale: &mut HashSet<Tag>,
) -> Result<Vec<ChangedRow>> {
    let mut out = Vec::new();
    for (project, recipients) in changed {
        let id = project.to_string();
        let rows = if recipients.len() > MOST_ROWS {
            None
        } else {
            let some: Vec<_> = recipients.into_iter().collect();
            recipients::rows(app, project, Some(&some)).await.ok()
        };
        match rows {
            Some(rows) => {
                out.extend(rows.into_iter().map(|row| ChangedRow { project: id.clone(), row }));
            }
            None => {
                stale.insert(Tag::Recipients { project: id });
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(topic: &str, key: &str) -> FeedRow {
        let project = "0190c0de-0000-7000-8000-000000000001".parse().unwrap();
        FeedRow {
            seq: 1,
            at: Millis(0),
            topic: topic.to_owned(),
            project: Some(project),
            key: key.to_owned(),
        }
    }

    #[test]
    fn an_item_names_its_recipient_however_its_key_is_written() {
        let id = "0190c0de-0000-7000-8000-00000000000a";
        for key in [id.to_owned(), format!("{id}/main"), format!("run:{id}:bonus/graph")] {
            let named = Named::of(&[row("item", &key)]);
            let ids: Vec<_> = named.recipients.values().flatten().map(ToString::to_string).collect();
            assert!(ids.contains(&id.to_owned()), "{key}");
            assert!(named.tags.is_empty() && named.counting.contains(&Tag::Projects));
        }
    }

    #[test]
    fn an_import_without_names_makes_the_list_stale() {
        let named = Named::of(&[row("recipient", "")]);
        assert!(named.tags.iter().any(|tag| matches!(tag, Tag::Recipients { .. })));
    }

    #[test]
    fn an_unknown_topic_changes_nothing() {
        let named = Named::of(&[row("weather", "x")]);
        assert!(named.tags.is_empty() && named.counting.is_empty() && named.recipients.is_empty());
    }
}
