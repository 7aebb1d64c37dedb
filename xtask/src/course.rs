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

    /// Presses Sync and shows what the headless command says to a person, then what every recipient got.
    pub(crate) fn press_visibly(&self) -> Result<(), Failure> {
        self.headless.show(&["sync", PROJECT])?;
        println!();
        self.headless.show(&["project", "show", PROJECT])
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use super::*;

    /// A folder with stand-ins for both programs: they write down how they were called and when they ended.
    fn stand_ins(name: &str, lockstep_ends_with: u8) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lockstep-xtask-{name}-{}", std::process::id()));
        clear(&folder).unwrap();
        let program = |name: &str, text: String| {
            let path = folder.join("debug").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        let log = folder.join("log").display().to_string();
        let offer = serde_json::json!({ "base_url": "http://127.0.0.1:9", "token": "ghs_secret", "source": "org/lab4",
                                        "distribution": "org/lab4-dist", "pattern": "org/lab4-student-*",
                                        "port": 9 });
        program(
            "lockstep-forge",
            format!(
                "echo \"forge $*\" >>{log}\necho '{offer}'\ncat >/dev/null\necho 'forge ended' >>{log}\n"
            ),
        );
        let lockstep = format!(
            "echo \"lockstep $*\" >>{log}\ncase \"$*\" in *stdin*) sed 's/^/told /' >>{log};; esac\n\
             echo '{{}}'\nexit {lockstep_ends_with}\n"
        );
        program("lockstep", lockstep);
        folder
    }

    const PLAN: Plan = Plan { recipients: 30, ahead: 3, release: false };

    #[test]
    fn a_course_is_set_up_in_order_and_the_token_is_only_told_on_standard_input() {
        let folder = stand_ins("course", 0);
        let data = folder.join("data");
        fs::create_dir_all(data.join("of an earlier course")).unwrap();
        let course = Course::open(&House::with_programs_in(&folder), &data, PLAN).unwrap();
        assert_eq!(fs::read_dir(&data).unwrap().count(), 0, "a course begins afresh");
        drop(course);
        let log = fs::read_to_string(folder.join("log")).unwrap();
        clear(&folder).unwrap();
        let lines: Vec<String> =
            log.lines().map(|line| line.replace(&data.display().to_string(), "DATA")).collect();
        assert_eq!(
            lines,
            [
                "forge demo --seed 1 --json --until-stdin-closes --recipients 30 --ahead 3",
                "lockstep --json --data DATA init",
                "lockstep --json --data DATA connect --base-url http://127.0.0.1:9 --token-stdin --name Practice forge",
                "told ghs_secret",
                "lockstep --json --data DATA source add org/lab4",
                "lockstep --json --data DATA project add --name Lab 4 --source org/lab4 --branch main --strategy squash \
                 --adopt org/lab4-dist",
                "lockstep --json --data DATA recipients import --project Lab 4 --pattern org/lab4-student-*",
                "forge ended",
            ]
        );
    }

    #[test]
    fn a_refused_step_stops_the_course_and_the_forge() {
        let folder = stand_ins("refused", 3);
        let failure =
            Course::open(&House::with_programs_in(&folder), &folder.join("data"), PLAN).err().unwrap();
        let log = fs::read_to_string(folder.join("log")).unwrap();
        clear(&folder).unwrap();
        assert!(failure.to_string().contains("`lockstep init` ended with"), "{failure}");
        assert!(log.ends_with("init\nforge ended\n"), "{log}");
    }
}
