//! One guard altered at a time, for the tests that prove that each is missed when it is gone (docs/LEASES.md section 8).
//! It exists only with the feature `mutants`, which only dev-dependencies turn on, and acts only on stores that were
//! opened with [`crate::OpenOptions::mutant`]. The list of mutants is the tests' own.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is altered.
#[derive(Debug)]
pub enum Alter {
    /// The placeholder of this name, wherever it stands, has this text.
    Named(&'static str, &'static str),
    /// In every statement whose template holds the first text, the second is the third.
    Within(&'static str, &'static str, &'static str),
    /// The same, only where the template ends with the second.
    AtEnd(&'static str, &'static str, &'static str),
}

/// A set of alterations that act together, and how often each of them acted.
#[derive(Debug)]
pub struct Mutant {
    alters: &'static [Alter],
    hits: Vec<AtomicU64>,
}

impl Mutant {
    /// Kept for the rest of the process: stores share it by reference.
    #[must_use]
    pub fn kept(alters: &'static [Alter]) -> &'static Self {
        let hits = alters.iter().map(|_| AtomicU64::new(0)).collect();
        Box::leak(Box::new(Self { alters, hits }))
    }

    /// Whether every alteration acted at least once: one that never did proves nothing.
    #[must_use]
    pub fn acted(&self) -> bool {
        self.hits.iter().all(|hits| hits.load(Ordering::SeqCst) > 0)
    }

    fn hit(&self, index: usize) {
        if let Some(hits) = self.hits.get(index) {
            hits.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The other text of a placeholder.
    pub(crate) fn named(&self, name: &str) -> Option<&'static str> {
        self.alters.iter().enumerate().find_map(|(index, alter)| match alter {
            Alter::Named(known, text) if *known == name => {
                self.hit(index);
                Some(*text)
            }
            _ => None,
        })
    }

    /// A statement as this mutant writes it.
    pub(crate) fn within<'t>(&self, template: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(template);
        for (index, alter) in self.alters.iter().enumerate() {
            let altered = match alter {
                Alter::Within(holding, from, to) if template.contains(holding) && out.contains(from) => {
                    out.replace(from, to)
                }
                Alter::AtEnd(holding, from, to) if template.contains(holding) => {
                    let Some(start) = out.strip_suffix(from) else { continue };
                    format!("{start}{to}")
                }
                _ => continue,
            };
            self.hit(index);
            out = Cow::Owned(altered);
        }
        out
    }
}
