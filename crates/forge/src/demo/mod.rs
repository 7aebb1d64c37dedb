//! The practice course: a source with a real little history, a living distribution, and recipients that have worked.
//!
//! Everything in git follows from the seed: the same options give the same commit ids.

mod history;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::control::{Control, NewApp, NewRepository};
use crate::git::refs;
use crate::git::write::{self, RefMove};
use crate::handle::ForgeHandle;
use crate::options::ForgeError;
use crate::world::{DemoState, Level};

/// The organization of the practice course.
const ORG: &str = "practice-school";
/// Its teacher.
const TEACHER: &str = "practice-teacher";
const SOURCE: &str = "practice-school/algorithms-source";
const DISTRIBUTION: &str = "practice-school/algorithms-2026-lab4";
const APP: &str = "lockstep-practice";

/// How large the practice course is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoOptions {
    /// Number of recipients.
    pub recipients: u32,
    /// Varies what the students did.
    pub seed: u64,
    /// Commits of the source that the distribution does not have yet.
    pub ahead: u32,
    /// The teacher's token; `None`: a generated one.
    pub token: Option<String>,
}

impl Default for DemoOptions {
    fn default() -> Self {
        Self { recipients: 30, seed: 1, ahead: 3, token: None }
    }
}

/// What connects to the practice course.
#[derive(Debug, Clone, Serialize)]
pub struct DemoCourse {
    /// `http://127.0.0.1:PORT`.
    pub base_url: String,
    /// Root of the REST interface.
    pub api_root: String,
    /// The organization.
    pub org: String,
    /// The teacher's login.
    pub user: String,
    /// The teacher's token.
    pub token: String,
    /// `owner/name` of the source.
    pub source: String,
    /// `owner/name` of the distribution.
    pub distribution: String,
    /// Names of the recipients as a pattern.
    pub pattern: String,
    /// `owner/name` of each recipient.
    pub recipients: Vec<String>,
    /// The App that is installed on the organization.
    pub app: DemoApp,
}

/// The practice App.
#[derive(Debug, Clone, Serialize)]
pub struct DemoApp {
    /// App id.
    pub id: u64,
    /// Its name in addresses.
    pub slug: String,
    /// The installation on the organization.
    pub installation: u64,
    /// The private key, PEM. Public by design.
    pub private_key: String,
}

/// Builds the practice course, or finds the one that the data folder already holds (the options' size is then that of
/// the first time).
///
/// # Errors
/// git fails, or the data folder holds something else under the same names.
pub fn build(forge: &ForgeHandle, options: &DemoOptions) -> Result<DemoCourse, ForgeError> {
    let control = forge.control();
    if control.core.read(|world| world.demo.is_none()) {
        control.core.at_once(|| create(control, options))?;
    }
    let token = control.create_token_with(TEACHER, options.token.as_deref(), None)?;
    let (app, recipients) = control.core.read(|world| {
        let app = world.apps.values().find(|app| app.slug == APP);
        let installation =
            world.installations.values().find(|found| app.is_some_and(|app| app.id == found.app));
        let app = app.zip(installation).map(|(app, installation)| (app.id, installation.id));
        let names = world.repositories.values().filter(|found| found.name.starts_with("lab4-student-"));
        (app, names.map(|found| world.full_name(found)).collect::<BTreeSet<_>>())
    });
    let (id, installation) = app.ok_or_else(|| ForgeError::NotFound("the practice app".into()))?;
    Ok(DemoCourse {
        base_url: forge.base_url().to_owned(),
        api_root: forge.api_root(),
        org: ORG.into(),
        user: TEACHER.into(),
        token,
        source: SOURCE.into(),
        distribution: DISTRIBUTION.into(),
        pattern: "lab4-student-*".into(),
        recipients: recipients.into_iter().collect(),
        app: DemoApp { id, slug: APP.into(), installation, private_key: crate::PRACTICE_APP_KEY.into() },
    })
}

fn create(control: &Control, options: &DemoOptions) -> Result<(), ForgeError> {
    control.create_user(TEACHER)?;
    control.create_org(ORG, &[TEACHER])?;
    let app = control.create_app(&NewApp::lockstep(APP, ORG))?;
    control.install_app(app.id, ORG, None)?;
    let source = create_source(control, options)?;
    create_distribution(control)?;
    for number in 1..=options.recipients {
        create_recipient(control, options.seed, number)?;
    }
    let clock = history::START + i64::from(options.ahead) * history::DAY + 60 * history::DAY;
    control.core.write(|world| {
        let advanced = u64::from(options.ahead);
        world.demo = Some(DemoState { source, seed: options.seed, advanced, clock });
        Ok::<_, ForgeError>(())
    })
}

fn create_source(control: &Control, options: &DemoOptions) -> Result<u64, ForgeError> {
    let mut new = NewRepository::private(SOURCE);
    new.description = Some("Algorithms, lab 4: heaps. Staff only.".into());
    let source = control.create_repository(&new)?;
    let base = history::base();
    let made = control.commit(SOURCE, "main", &base)?;
    let solutions_start = made.len().saturating_sub(2);
    let dir = control.repository_dir(SOURCE)?;
    let from = made.get(solutions_start).map(String::as_str);
    write::commits(&control.core.git, &dir, "solutions", from, &history::solutions())?;
    let newer = (0..u64::from(options.ahead)).map(history::update).collect::<Vec<_>>();
    if !newer.is_empty() {
        control.commit(SOURCE, "main", &newer)?;
    }
    Ok(source.id)
}

fn create_distribution(control: &Control) -> Result<(), ForgeError> {
    let mut new = NewRepository::private(DISTRIBUTION);
    new.description = Some("Lab 4: heaps.".into());
    control.create_repository(&new)?;
    control.commit(DISTRIBUTION, "main", &history::squashed())?;
    Ok(())
}

fn create_recipient(control: &Control, seed: u64, number: u32) -> Result<(), ForgeError> {
    let login = format!("student-{number:02}");
    let name = format!("{ORG}/lab4-student-{number:02}");
    control.create_user(&login)?;
    control.create_repository(&NewRepository::private(&name))?;
    control.add_collaborator(&name, &login, Level::Write)?;
    let (from, to) = (control.repository_dir(DISTRIBUTION)?, control.repository_dir(&name)?);
    write::share_packs(&from, &to)?;
    let head = refs::branch(&from, "main").ok_or_else(|| ForgeError::NotFound("distribution head".into()))?;
    let core = &control.core;
    write::commits(&core.git, &to, "main", Some(&head), &history::student(seed, number))?;
    let id = control.find(&name)?.id;
    crate::pulls::pushed(core, id, &core.refs(id), None)
}

/// Adds `count` commits to the source of the practice course and returns their ids.
///
/// # Errors
/// There is no practice course here.
pub fn advance(control: &Control, count: u32) -> Result<Vec<String>, ForgeError> {
    let state = control.core.read(|world| world.demo.clone());
    let state = state.ok_or_else(|| ForgeError::NotFound("the practice course".into()))?;
    let updates =
        (0..u64::from(count)).map(|step| history::update(state.advanced + step)).collect::<Vec<_>>();
    let name = control
        .core
        .read(|world| world.repositories.get(&state.source).map(|found| world.full_name(found)))
        .ok_or_else(|| ForgeError::NotFound("the source of the practice course".into()))?;
    let made = control.commit(&name, "main", &updates)?;
    control.core.write(|world| {
        if let Some(demo) = &mut world.demo {
            demo.advanced += u64::from(count);
            demo.clock += i64::from(count) * history::DAY;
        }
        Ok::<_, ForgeError>(())
    })?;
    Ok(made)
}

/// Undoes the newest commit of the source by a force-push: a rewritten source.
///
/// # Errors
/// There is no practice course here.
pub fn rewrite_source(control: &Control) -> Result<(), ForgeError> {
    let state = control.core.read(|world| world.demo.clone());
    let state = state.ok_or_else(|| ForgeError::NotFound("the practice course".into()))?;
    let core = &control.core;
    let missing = || ForgeError::NotFound("the source's history".into());
    let head = core.branch(state.source, "main").ok_or_else(missing)?;
    let parent = core.commit(state.source, &head)?.and_then(|commit| commit.parents.first().cloned());
    let step =
        RefMove { name: "refs/heads/main".into(), expected: Some(head), new: parent.ok_or_else(missing)? };
    write::update_refs(&core.git, &core.dir(state.source), &[step])?;
    crate::pulls::pushed(core, state.source, &core.refs(state.source), None)
}
