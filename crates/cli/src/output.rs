//! What the command prints, and the only place that prints: results on standard output, everything else on standard
//! error.

use std::io::{self, IsTerminal as _, Write as _};

use lockstep_api::wire::ApiError;
use serde::Serialize;
use serde_json::Value;

use crate::exit::{self, Exit};

/// How a command ended well: text for people, the same as one JSON document, and an exit code.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) json: Value,
    pub(crate) exit: Exit,
}

impl Done {
    /// A result with exit code 0.
    pub(crate) fn new(text: impl Into<String>, json: impl Serialize) -> Self {
        // Wire types always have a JSON form.
        Self { text: text.into(), json: serde_json::to_value(json).unwrap_or(Value::Null), exit: exit::DONE }
    }

    /// A result of which everything was printed already.
    pub(crate) fn told() -> Self {
        Self { text: String::new(), json: Value::Null, exit: exit::DONE }
    }

    /// The same with another exit code.
    pub(crate) fn ending(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

/// Where and how to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a person watches standard error and wants to read.
    pub(crate) fn is_watched(self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(self) -> bool {
        self.is_watched() && io::stdin().is_terminal()
    }

    pub(crate) fn done(self, done: &Done) {
        if self.json {
            if !done.json.is_null() {
                let text = serde_json::to_string_pretty(&done.json).unwrap_or_default();
                print(&mut io::stdout().lock(), &text);
            }
        } else if !done.text.is_empty() {
            print(&mut io::stdout().lock(), done.text.trim_end());
        }
    }

    /// Whether results go to a terminal as text.
    pub(crate) fn is_on_screen(self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// One line of a result that goes on: the text, or under `--json` the document. `false`: the reader went away.
    pub(crate) fn line(self, text: &str, json: &impl Serialize) -> bool {
        let mut out = io::stdout().lock();
        let line = if self.json { serde_json::to_string(json).unwrap_or_default() } else { text.to_owned() };
        writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
    }

    pub(crate) fn error(self, error: &ApiError) {
        if self.json {
            let text = serde_json::to_string(error).unwrap_or_default();
            print(&mut io::stderr().lock(), &text);
            return;
        }
        let reference = error.ref_id.as_deref().map(|id| format!(", reference {id}")).unwrap_or_default();
        let text =
            format!("error: {}\n\nhint: {}\n\ncode: {}{reference}", error.message, error.hint, error.code);
        print(&mut io::stderr().lock(), &text);
    }

    /// An error without a code.
    pub(crate) fn plain_error(self, text: &str) {
        print(&mut io::stderr().lock(), &format!("error: {text}"));
    }

    /// A remark to a person; nothing under `--json`.
    pub(crate) fn note(self, text: &str) {
        if !self.json {
            print(&mut io::stderr().lock(), text);
        }
    }

    /// Asks a person a question; only `y` or `yes` is yes.
    pub(crate) fn ask(self, question: &str) -> bool {
        let mut error = io::stderr().lock();
        let asked = write!(error, "{question} [y/N] ").and_then(|()| error.flush());
        let mut answer = String::new();
        asked.and_then(|()| io::stdin().read_line(&mut answer)).is_ok()
            && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }
}

/// A reader that went away (`lockstep runs | head`) is no error.
fn print(to: &mut dyn io::Write, text: &str) {
    drop(writeln!(to, "{text}"));
}
