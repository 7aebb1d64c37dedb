//! The headless command, as a person or a script would call it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::failure::Failure;
use crate::run::Run;

/// `lockstep` on one data folder.
#[derive(Debug)]
pub(crate) struct Headless {
    program: PathBuf,
    data: PathBuf,
}

impl Headless {
    pub(crate) fn new(program: PathBuf, data: &Path) -> Self {
        Self { program, data: data.to_owned() }
    }

    /// Runs a command and gives its JSON answer.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Result<Value, Failure> {
        self.tell(arguments, None)
    }

    /// Runs a command as a person would: its own words, its bar on a terminal, its exit code.
    pub(crate) fn show(&self, arguments: &[&str]) -> Result<(), Failure> {
        Run::new(&self.program).arguments(["--data"]).arguments([&self.data]).arguments(arguments).succeed(
            &format!("the data is in {}; the command above can be repeated by hand", self.data.display()),
        )
    }

    /// As [`Self::ask`], with a secret on standard input: it never appears in a list of processes.
    pub(crate) fn tell(&self, arguments: &[&str], secret: Option<&str>) -> Result<Value, Failure> {
        let run = Run::new(&self.program)
            .arguments(["--json", "--data"])
            .arguments([&self.data])
            .arguments(arguments);
        let shown = format!("lockstep {}", arguments.join(" "));
        let mut command = run.command();
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        if secret.is_some() {
            command.stdin(Stdio::piped());
        }
        let failed = || Failure::io(format!("running `{shown}`"));
        let mut child = command.spawn().map_err(failed())?;
        if let (Some(secret), Some(mut input)) = (secret, child.stdin.take()) {
            writeln!(input, "{secret}").map_err(failed())?;
        }
        let output = child.wait_with_output().map_err(failed())?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(Failure::new(
                format!("`{shown}` ended with {}\n{}", output.status, said.trim_end()),
                format!(
                    "the data is in {}; the command can be repeated by hand with --data",
                    self.data.display()
                ),
            ));
        }
        Ok(last_json(&said))
    }
}

/// The last line that is JSON, else the whole as JSON, else the text: progress may come before the answer.
fn last_json(said: &str) -> Value {
    serde_json::from_str(said)
        .ok()
        .or_else(|| said.lines().rev().find_map(|line| serde_json::from_str(line).ok()))
        .unwrap_or_else(|| Value::String(said.trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_last_json() {
        assert_eq!(last_json("{\n \"a\": 1\n}\n")["a"], 1);
        assert_eq!(last_json("{\"step\":1}\n{\"outcome\":\"opened\"}\n")["outcome"], "opened");
        assert_eq!(last_json("done\n"), Value::String("done".into()));
    }
}
