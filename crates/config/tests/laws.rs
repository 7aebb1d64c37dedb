//! What a person may rely on about settings and the data folder.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

use std::fs;
use std::path::Path;

use lockstep_config::settings::{self, Choice};
use lockstep_config::{Config, ConfigError, Database, Overrides, SecretsKind};

fn load(data: &Path, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let env: Vec<(String, String)> = env.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    Config::load(
        |name| env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()),
        Overrides { data: Some(data.to_owned()), practice: None },
    )
}

fn with_settings(text: &str) -> (tempfile::TempDir, Result<Config, ConfigError>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(settings::path(folder.path()), text).unwrap();
    let config = load(folder.path(), &[("USER", "ada")]);
    (folder, config)
}

#[test]
fn without_settings_the_defaults_hold_and_nothing_but_the_folder_is_made() {
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("new").join("data");
    let config = load(&data, &[("USER", "ada")]).unwrap();
    assert_eq!(config.person, "ada");
    assert_eq!(config.window.ms(), 180_000);
    assert_eq!((config.pacing.min_interval_ms, config.pacing.per_hour), (1_000, 500));
    assert!(matches!(&config.database, Database::Sqlite(file) if *file == data.join("lockstep.db")));
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn a_typo_is_named_with_its_line_and_what_is_known() {
    let (_folder, result) = with_settings("person = \"Ada\"\n\n[lease]\nwindow_second = 200\n");
    let error = result.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("line 4") && text.contains("window_second") && text.contains("window_seconds"),
        "{text}"
    );
    assert!(error.hint().contains("spelling"), "{}", error.hint());
}

#[test]
fn a_broken_line_is_named() {
    let (_folder, result) = with_settings("person = \"Ada\ntheme = \"dark\"\n");
    let text = result.unwrap_err().to_string();
    assert!(text.contains("line 1"), "{text}");
}

#[test]
fn a_wrong_type_is_named() {
    let (_folder, result) = with_settings("[pacing]\nper_hour = \"many\"\n");
    let text = result.unwrap_err().to_string();
    assert!(text.contains("line 2") && text.contains("many"), "{text}");
}

#[test]
fn each_wrong_value_is_named_with_its_remedy() {
    for (text, value, remedy) in [
        ("theme = \"pink\"", "pink", "light"),
        ("language = \"de\"", "de", "fr"),
        ("secrets = \"pocket\"", "pocket", "keychain"),
        ("[lease]\nwindow_seconds = 30", "30", "180"),
        ("[pacing]\nmin_interval_ms = -1", "-1", "1000"),
        ("[pacing]\nper_hour = 0", "0", "500"),
        ("[network]\nproxy = \"nowhere\"", "proxy", "http://host:port"),
        ("[network]\nca_file = \"missing.pem\"", "ca_file", "PEM"),
        ("[database]\nsqlite = \"a\"\npostgres = \"postgres://h/d\"", "both", "one"),
        ("[database]\npostgres = \"mysql://h/d\"", "mysql", "postgres://user@host/database"),
    ] {
        let (_folder, result) = with_settings(text);
        let error = result.expect_err(text);
        assert!(error.to_string().contains(value), "{error}");
        assert!(error.hint().contains(remedy), "{}", error.hint());
    }
}

#[test]
fn a_password_in_a_wrong_url_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(folder.path(), &[("LOCKSTEP_DATABASE_URL", "mysql://u:hunter2@h/d")]).unwrap_err();
    assert!(!format!("{error} {} {error:?}", error.hint()).contains("hunter2"), "{error}");
}

#[test]
fn a_password_never_shows_in_debug() {
    let folder = tempfile::tempdir().unwrap();
    let config = load(
        folder.path(),
        &[("LOCKSTEP_DATABASE_URL", "postgres://u:hunter2@h/d"), ("LOCKSTEP_TOKEN", "ghp_known")],
    )
    .unwrap();
    let text = format!("{config:?}");
    assert!(!text.contains("hunter2") && !text.contains("ghp_known"), "{text}");
}

#[test]
fn the_environment_goes_before_the_file_and_the_command_line_before_both() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    fs::write(settings::path(folder.path()), "person = \"File\"\nsecrets = \"keychain\"\n").unwrap();
    let env = [
        ("LOCKSTEP_DATA_DIR", other.path().to_str().unwrap()),
        ("LOCKSTEP_PERSON", "Env"),
        ("LOCKSTEP_SECRETS", "file"),
        ("LOCKSTEP_DATABASE_URL", "postgres://u@h/d"),
    ];
    let config = load(folder.path(), &env).unwrap();
    assert_eq!(config.data, folder.path());
    assert_eq!(config.person, "Env");
    assert_eq!(config.secrets, SecretsKind::File);
    assert!(matches!(config.database, Database::Postgres(_)));
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for bad in [file.join("data"), file] {
        let error = load(&bad, &[]).unwrap_err();
        assert!(matches!(error, ConfigError::DataFolder { .. }), "{error}");
        assert!(error.hint().contains("--data"), "{}", error.hint());
    }
}

#[test]
fn a_choice_keeps_comments_and_other_settings_and_a_wrong_one_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = settings::path(folder.path());
    let before = "# ours\nperson = \"Ada\" # me\n\n[lease]\nwindow_seconds = 200\n";
    fs::write(&path, before).unwrap();
    let wrong = Choice { theme: Some("pink".into()), person: Some("Bo".into()), ..Choice::default() };
    assert!(settings::write(folder.path(), &wrong).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let right = Choice { theme: Some("dark".into()), person: Some(" Bo ".into()), ..Choice::default() };
    let settings = settings::write(folder.path(), &right).unwrap();
    assert_eq!(settings.person.as_deref(), Some("Bo"));
    let after = fs::read_to_string(&path).unwrap();
    assert!(
        after.contains("# ours") && after.contains("# me") && after.contains("window_seconds = 200"),
        "{after}"
    );
    assert_eq!(load(folder.path(), &[]).unwrap().theme, "dark");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no half-written file stays");
}

#[test]
fn a_broken_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = settings::path(folder.path());
    fs::write(&path, "person = \n").unwrap();
    let choice = Choice { theme: Some("dark".into()), ..Choice::default() };
    assert!(settings::write(folder.path(), &choice).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "person = \n");
}

#[test]
fn only_a_debug_build_takes_a_short_window() {
    let folder = tempfile::tempdir().unwrap();
    let config = load(folder.path(), &[("LOCKSTEP_TEST_WINDOW_MS", "1500")]).unwrap();
    let expected = if cfg!(debug_assertions) { 1_500 } else { 180_000 };
    assert_eq!(config.window.ms(), expected);
}
