//! Running programs: visibly, or for their answer.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// A program about to run. Its input is empty: nothing here may wait for an answer from the keyboard.
#[derive(Debug)]
pub(crate) struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
}

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref().to_owned();
        Self { program, arguments: Vec::new(), variables: Vec::new(), folder: None }
    }

    pub(crate) fn arguments<I, A>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: AsRef<OsStr>,
    {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// The same run inside another program: `wrapper... program arguments...`.
    pub(crate) fn inside(mut self, wrapper: &[&str]) -> Self {
        let Some((outer, outer_arguments)) = wrapper.split_first() else { return self };
        let mut arguments: Vec<OsString> = outer_arguments.iter().map(OsString::from).collect();
        arguments.push(std::mem::replace(&mut self.program, outer.into()));
        arguments.append(&mut self.arguments);
        self.arguments = arguments;
        self
    }

    /// For those that need the process itself.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Runs with our own output and waits; `remedy` is what to do when it does not succeed.
    pub(crate) fn succeed(&self, remedy: &str) -> Result<(), Failure> {
        match self.exit_code()? {
            0 => Ok(()),
            code => Err(Failure::new(format!("`{}` ended with code {code}", self.shown()), remedy)),
        }
    }

    /// Runs with our own output and waits for the exit code (1 when a signal ended it).
    pub(crate) fn exit_code(&self) -> Result<u8, Failure> {
        let status = self.command().status().map_err(|error| self.not_started(&error))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    /// Runs silently and gives the standard output when it succeeded.
    pub(crate) fn answer(&self, remedy: &str) -> Result<String, Failure> {
        let output = self.command().output().map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Failure::new(format!("`{}` said:\n{}", self.shown(), said.trim_end()), remedy))
    }

    /// Runs silently; `true` when the program exists and succeeds.
    pub(crate) fn works(&self) -> bool {
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// The command line as a person would type it.
    pub(crate) fn shown(&self) -> String {
        let program = Path::new(&self.program).file_name().unwrap_or(&self.program);
        std::iter::once(program)
            .chain(self.arguments.iter().map(OsString::as_os_str))
            .map(|word| quoted(&word.to_string_lossy()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        let program = self.program.to_string_lossy();
        Failure::new(
            format!("`{program}` could not be started: {error}"),
            format!("install {program}, or put it into PATH"),
        )
    }
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '"', '*', '$', '(']) { format!("'{word}'") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_command_is_shown_as_it_would_be_typed() {
        let run = Run::new("/opt/bin/cargo").arguments(["nextest", "run"]).inside(&[
            "xvfb-run",
            "-a",
            "-s",
            "-screen 0",
        ]);
        assert_eq!(run.shown(), "xvfb-run -a -s '-screen 0' /opt/bin/cargo nextest run");
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = Run::new("lockstep-no-such-program").answer("x").unwrap_err();
        assert!(failure.to_string().contains("install lockstep-no-such-program"), "{failure}");
    }
}
