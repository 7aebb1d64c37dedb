//! The practice course: a forge, and Lockstep set up on it the way a person would.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::forge::Forge;
use crate::headless::Headless;
use crate::house::House;

/// The project that the course hands out.
pub(crate) const PROJECT: &str = "Lab 4";
const CONNECTION: &str = "Practice forge";

/// How the course is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) recipients: u32,
    /// Commits that the source is ahead of the distribution.
    pub(crate) ahead: u32,
    pub(crate) release: bool,
}

/// A running course.
pub(crate) struct Course {
    pub(crate) forge: Forge,
    headless: Headless,
}

impl Course {
    /// Starts a forge and prepares a fresh data folder on it: connection, source, project, recipients.
    ///
    /// Always fresh, because a forge forgets its repositories when it ends, and a connection's address never changes.
    pub(crate) fn open(house: &House, data: &Path, plan: Plan) -> Result<Self, Failure> {
        clear(data)?;
        fs::create_dir_all(data).map_err(Failure::io(format!("creating {}", data.display())))?;
        let forge = Forge::start(house, plan.release, plan.recipients, plan.ahead)?;
        let headless = Headless::new(house.binary("lockstep", plan.release), data);
        let course = Self { forge, headless };
        course.prepare()?;
        Ok(course)
    }

    fn prepare(&self) -> Result<(), Failure> {
        let offer = &self.forge.offer;
        self.headless.ask(&["init"])?;
        self.headless.tell(
            &["connect", "--base-url", &offer.base_url, "--token-stdin", "--name", CONNECTION],
            Some(&offer.token),
        )?;
        self.headless.ask(&["source", "add", &offer.source])?;
        let mut project = vec!["project", "add", "--name", PROJECT, "--source", &offer.source];
        for branch in &offer.branches {
            project.extend(["--branch", branch]);
        }
        project.extend(["--strategy", "squash", "--adopt", &offer.distribution]);
        self.headless.ask(&project)?;
        self.headless.ask(&["recipients", "import", "--project", PROJECT, "--pattern", &offer.pattern])?;
        Ok(())
    }

    /// Presses Sync and waits for the end of the run.
    pub(crate) fn press(&self) -> Result<Value, Failure> {
        self.headless.ask(&["sync", PROJECT])
    }
}

/// Removes what an earlier course left in its data folder.
pub(crate) fn clear(data: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(data) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io(format!("clearing {}", data.display()))(error))
        }
        _ => Ok(()),
    }
}
