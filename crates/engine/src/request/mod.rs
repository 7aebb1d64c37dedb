//! The request: seconds, before any recipient is touched (docs/SYNC.md). Everything from the claim on is told by
//! the run; what is refused before the claim leaves nothing.

pub(crate) mod build;
pub(crate) mod collect;
pub(crate) mod end;
pub(crate) mod open;
pub(crate) mod privacy;
pub(crate) mod publish;
pub(crate) mod push;

use std::sync::Arc;

use lockstep_domain::model::{Project, ProjectState, Source};
use lockstep_domain::outcome::RunKind;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::pass::{self, select};
use crate::press::{Press, SyncRequest};
use crate::run::{Halt, RunContext};
use end::Done;
use open::Start;

/// Presses Sync.
pub(crate) async fn sync(parts: &Arc<EngineParts>, request: SyncRequest) -> Result<Press, EngineError> {
    let (project, source) = open::exists(parts, request.project).await?;
    parts.store.check_whole().await?;
    open::can_sync(parts, &project, &source).await?;
    let start = Start {
        project: request.project,
        kind: RunKind::Sync,
        selection: request.selection.clone(),
        resumes: request.resumes,
    };
    open::start(parts, start, move |ctx| drive(ctx, request)).await
}

/// The run, from the claim on.
async fn drive(ctx: Arc<RunContext>, request: SyncRequest) -> Result<Done, Halt> {
    let prepared = prepare(&ctx).await?;
    let Prepared { project, built, .. } = &prepared;
    let plan = match project.state {
        ProjectState::Draft => Vec::new(),
        _ => select::plan(&ctx, project, built, &request).await?,
    };
    let publication = publish::publication(built, &plan);
    if plan.is_empty() {
        return Ok(Done::early(&ctx, &prepared, Some(publication)).await);
    }
    publish::publish(&ctx, &publication).await?;
    pass::run(&ctx, prepared, plan, request.send_again).await
}

/// What the steps before the publication leave.
pub(crate) struct Prepared {
    pub(crate) project: Project,
    pub(crate) source: Source,
    pub(crate) built: build::Built,
    pub(crate) finder: Option<crate::privacy::Finder>,
}

/// Collect, build, check, push: everything before the publication.
async fn prepare(ctx: &Arc<RunContext>) -> Result<Prepared, Halt> {
    ctx.step("collect")?;
    let (project, source) = open::exists(&ctx.parts, ctx.guard.project()).await?;
    let collected = collect::collect(ctx, &project, &source).await?;
    ctx.step("build")?;
    let built = build::build(ctx, &project, &collected).await?;
    let finder = privacy::check(ctx, &project, &source, &built).await?;
    ctx.step("push_distribution")?;
    push::push(ctx, &project, &collected, &built).await?;
    // From here on the distribution may have moved: the publication is done before a cancel is heeded.
    Ok(Prepared { project, source, built, finder })
}
