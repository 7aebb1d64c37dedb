//! `lockstep init`.

use lockstep_api::{App, info};
use serde_json::json;

use super::Ended;
use crate::output::Done;

/// The data folder and the database were made on the way here; says what was found.
pub(super) async fn init(app: &App) -> Ended {
    let info = info::get(app).await?;
    let git = match (&info.git.ok, &info.git.problem) {
        (Some(version), _) => version.clone(),
        (None, problem) => problem.clone().unwrap_or_default(),
    };
    let data = app.config().data.display().to_string();
    let text = format!(
        "Lockstep {} is ready.\n\ndata folder  {data}\ndatabase     {} ({} {})\ngit          {git}\nperson       {}\n\
         machine      {}\n\n{}",
        info.version,
        info.database.place,
        info.database.kind,
        info.database.engine,
        info.person,
        info.host,
        info.secrets
    );
    let json = json!({ "data": data, "info": info });
    Ok(Done::new(text, json))
}
