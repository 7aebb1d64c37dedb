//! The rule after a push: which refs are done, which are pushed once more, and what the others are.

use std::collections::HashMap;

use lockstep_domain::names::Oid;
use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{GitError, RefMove, RefResult};

use super::Verdict;

/// The refs of one push and what is known of each.
pub(super) struct Board<'a> {
    moves: &'a [RefMove],
    atomic: bool,
    known: Vec<Option<RefResult>>,
    doubts: Vec<Option<Verdict>>,
}

impl<'a> Board<'a> {
    pub(super) fn new(moves: &'a [RefMove], atomic: bool) -> Self {
        Self { moves, atomic, known: vec![None; moves.len()], doubts: vec![None; moves.len()] }
    }

    /// What is to be pushed now: what is not known yet; of an atomic push all or nothing.
    pub(super) fn open(&self) -> Vec<RefMove> {
        if self.atomic && self.known.iter().any(Option::is_none) {
            return self.moves.to_vec();
        }
        self.unknown().map(|(_, wanted)| wanted.clone()).collect()
    }

    fn unknown(&self) -> impl Iterator<Item = (usize, &'a RefMove)> + '_ {
        self.moves.iter().enumerate().filter(|(index, _)| self.known.get(*index) == Some(&None))
    }

    /// Takes the verdicts of a push over `pushed`; what is left has to be read again. After a second push "was there
    /// already" means that the first one landed late.
    pub(super) fn take(&mut self, pushed: &[RefMove], verdicts: &[Verdict], second: bool) -> Vec<RefMove> {
        for (wanted, verdict) in pushed.iter().zip(verdicts) {
            let Some(index) = self.moves.iter().position(|each| each.name == wanted.name) else { continue };
            let (Some(known), Some(doubt)) = (self.known.get_mut(index), self.doubts.get_mut(index)) else {
                continue;
            };
            match verdict {
                Verdict::Moved => *known = Some(RefResult::Pushed),
                Verdict::Same if second => *known = Some(RefResult::Pushed),
                Verdict::Same => *known = Some(RefResult::AlreadyThere),
                other if known.is_none() => *doubt = Some(other.clone()),
                _ => {}
            }
        }
        self.unknown().map(|(_, wanted)| wanted.clone()).collect()
    }

    /// Judges what is left by where the refs are now. True: push once more.
    pub(super) fn reread(&mut self, now: Result<&HashMap<String, Oid>, &GitError>, last: bool) -> bool {
        let mut waiting = Vec::new();
        let left: Vec<_> = self.unknown().collect();
        for (index, wanted) in left {
            let doubt = self.doubts.get(index).cloned().flatten();
            let result = match now {
                Ok(now) => judge(wanted, doubt.as_ref(), now),
                Err(error) => Some(unread(doubt.as_ref(), error)),
            };
            match result {
                Some(result) => self.set(index, result),
                None => waiting.push((index, doubt)),
            }
        }
        let blocked = self.atomic && self.known.iter().flatten().any(not_taken);
        if !last && !blocked {
            return !waiting.is_empty();
        }
        for (index, doubt) in waiting {
            let why = match doubt {
                _ if blocked => "not pushed, because another ref of the same push was not taken".to_owned(),
                Some(Verdict::Raced(why) | Verdict::Unclear(why)) => why,
                _ => "it did not move".to_owned(),
            };
            self.set(index, RefResult::Unavailable(why));
        }
        false
    }

    fn set(&mut self, index: usize, result: RefResult) {
        if let Some(known) = self.known.get_mut(index) {
            *known = Some(result);
        }
    }

    pub(super) fn results(self) -> Vec<RefResult> {
        let unknown = || RefResult::Unavailable("it is not known what became of it".into());
        self.known.into_iter().map(|known| known.unwrap_or_else(unknown)).collect()
    }
}

const fn not_taken(result: &RefResult) -> bool {
    matches!(result, RefResult::Refused { .. } | RefResult::Moved(_))
}

/// `None`: it is where it was expected, and nobody refused: push once more.
fn judge(wanted: &RefMove, doubt: Option<&Verdict>, now: &HashMap<String, Oid>) -> Option<RefResult> {
    let at = now.get(&wanted.name).copied();
    let there = if wanted.deletes() { at.is_none() } else { at == Some(wanted.new) };
    if there {
        return Some(RefResult::Pushed);
    }
    if let Some(Verdict::Refused(reason, cause)) = doubt {
        return Some(RefResult::Refused { reason: *reason, cause: cause.clone() });
    }
    if at.is_none()
        && let Some(other) = in_the_way(&wanted.name, now)
    {
        let cause = format!(
            "the repository has a branch named {}, which leaves no room for {}: rename it",
            short(other),
            short(&wanted.name)
        );
        return Some(RefResult::Refused { reason: Reason::PushFailed, cause });
    }
    if at == wanted.old { None } else { Some(RefResult::Moved(at)) }
}

fn unread(doubt: Option<&Verdict>, error: &GitError) -> RefResult {
    match doubt {
        Some(Verdict::Refused(reason, cause)) => RefResult::Refused { reason: *reason, cause: cause.clone() },
        _ => RefResult::Unavailable(error.to_string()),
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

/// The ref, those above it and those below it: git stores refs so that `sync` and `sync/main` exclude each other.
pub(super) fn neighbours(name: &str) -> Vec<String> {
    let above = name.match_indices('/').map(|(at, _)| name.split_at(at).0);
    let above = above.filter(|part| part.matches('/').count() >= 2).map(str::to_owned);
    above.chain([name.to_owned(), format!("{name}/*")]).collect()
}

fn in_the_way<'n>(name: &str, now: &'n HashMap<String, Oid>) -> Option<&'n str> {
    let clashes = |other: &str| {
        let within =
            |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('/'));
        within(name, other) || within(other, name)
    };
    now.keys().map(String::as_str).find(|other| clashes(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(digit: char) -> Oid {
        digit.to_string().repeat(40).parse().unwrap()
    }

    fn one(old: Option<Oid>) -> Vec<RefMove> {
        vec![RefMove { name: "refs/heads/sync/main".into(), old, new: oid('b') }]
    }

    fn refs(at: &[(&str, char)]) -> HashMap<String, Oid> {
        at.iter().map(|(name, digit)| (format!("refs/heads/{name}"), oid(*digit))).collect()
    }

    #[test]
    fn an_unclear_push_is_judged_by_where_the_ref_is() {
        let moves = one(Some(oid('a')));
        for (now, last, result) in [
            (refs(&[("sync/main", 'b')]), false, Some(RefResult::Pushed)),
            (refs(&[("sync/main", 'a')]), false, None),
            (refs(&[("sync/main", 'a')]), true, Some(RefResult::Unavailable("cut".into()))),
            (refs(&[("sync/main", 'c')]), false, Some(RefResult::Moved(Some(oid('c'))))),
            (refs(&[]), false, Some(RefResult::Moved(None))),
        ] {
            let mut board = Board::new(&moves, false);
            board.take(&moves, &[Verdict::Unclear("cut".into())], last);
            assert_eq!(board.reread(Ok(&now), last), result.is_none(), "{now:?}");
            assert_eq!(board.known[0], result);
        }
    }

    #[test]
    fn a_branch_in_the_way_is_named() {
        let moves = one(None);
        for blocker in ["sync", "sync/main/deep"] {
            let mut board = Board::new(&moves, false);
            board.take(&moves, &[Verdict::Raced("failed to update ref".into())], false);
            assert!(!board.reread(Ok(&refs(&[(blocker, 'c')])), false));
            let results = board.results();
            let [RefResult::Refused { reason: Reason::PushFailed, cause }] = &results[..] else {
                panic!("{results:?}");
            };
            assert!(cause.contains(&format!("named {blocker},")), "{cause}");
        }
        let near = neighbours("refs/heads/sync/a/b");
        assert_eq!(
            near,
            ["refs/heads/sync", "refs/heads/sync/a", "refs/heads/sync/a/b", "refs/heads/sync/a/b/*"]
        );
    }

    #[test]
    fn a_ref_that_was_not_read_again_is_not_called_moved() {
        let moves = one(None);
        let mut board = Board::new(&moves, false);
        board.take(&moves, &[Verdict::Unclear("cut".into())], false);
        let error = GitError::Unavailable("no connection".into());
        assert!(!board.reread(Err(&error), false));
        assert_eq!(board.results(), [RefResult::Unavailable(error.to_string())]);
    }

    #[test]
    fn an_atomic_push_with_one_refusal_is_not_tried_again() {
        let mut moves = one(Some(oid('a')));
        moves.push(RefMove { name: "refs/heads/sync/two".into(), old: Some(oid('a')), new: oid('b') });
        let mut board = Board::new(&moves, true);
        let refused = Verdict::Refused(Reason::BlockedByRule, "rule".into());
        board.take(&moves, &[refused, Verdict::Raced("atomic push failure".into())], false);
        assert!(!board.reread(Ok(&refs(&[("sync/main", 'a'), ("sync/two", 'a')])), false));
        assert!(matches!(
            &board.results()[..],
            [RefResult::Refused { .. }, RefResult::Unavailable(why)] if why.contains("another ref")
        ));
    }

    #[test]
    fn a_first_push_that_landed_late_counts_as_pushed() {
        let moves = one(None);
        let mut board = Board::new(&moves, false);
        board.take(&moves, &[Verdict::Unclear("cut".into())], false);
        assert!(board.reread(Ok(&refs(&[])), false));
        assert!(board.take(&moves, &[Verdict::Same], true).is_empty());
        assert_eq!(board.results(), [RefResult::Pushed]);
    }
}
