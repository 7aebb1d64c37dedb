//! Headings and times.

use std::time::{Duration, Instant};

use crate::failure::Failure;

/// The steps of one command, each with a heading before and its time after.
#[derive(Debug)]
pub(crate) struct Steps {
    total: usize,
    done: Vec<(String, Duration)>,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: Vec::new() }
    }

    /// Runs one step; the first that fails is the last.
    pub(crate) fn step<T>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.heading(name);
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        self.done.push((name.to_owned(), took));
        match &result {
            Ok(_) => println!("    ok, {}", seconds(took)),
            Err(_) => println!("    failed after {}", seconds(took)),
        }
        result
    }

    /// The heading of a last step that brings its own summary; before it, the times so far.
    pub(crate) fn last(&self, name: &str) {
        println!("\nTimes so far:");
        for (name, took) in &self.done {
            println!("  {:>8}  {name}", seconds(*took));
        }
        self.heading(name);
    }

    fn heading(&self, name: &str) {
        println!("\n==> {}/{} {name}", (self.done.len() + 1).min(self.total), self.total);
    }
}

pub(crate) fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}
