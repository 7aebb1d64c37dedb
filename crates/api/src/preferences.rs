//! What the window remembers, in the settings file.

use lockstep_config::{Choice, settings};

use crate::app::{App, blocking};
use crate::error::Result;
use crate::wire::{Preferences, PreferencesInput};

/// The preferences now in force.
///
/// # Errors
/// The settings file cannot be read.
pub async fn get(app: &App) -> Result<Preferences> {
    let data = app.config().data.clone();
    let stored = blocking(move || settings::read(&data)).await??;
    Ok(Preferences {
        theme: stored.theme.unwrap_or_else(|| app.config().theme.clone()),
        person: app.holder().person,
        language: stored.language.unwrap_or_else(|| app.config().language.clone()),
    })
}

/// Changes preferences, all of them or none. A new person acts from now on; runs under way keep theirs.
///
/// # Errors
/// `bad_input` for an unknown theme, language or an empty person; the settings file cannot be written.
pub async fn set(app: &App, input: PreferencesInput) -> Result<Preferences> {
    let choice = Choice { theme: input.theme, person: input.person, language: input.language };
    let renames = choice.person.is_some();
    let data = app.config().data.clone();
    let stored = blocking(move || settings::write(&data, &choice)).await??;
    if let Some(person) = stored.person.filter(|_| renames) {
        app.rename_person(&person).await;
    }
    get(app).await
}
