//! Real randomness.

use lockstep_domain::ids::Ids;
use lockstep_domain::lease::OwnerToken;
use uuid::Uuid;

/// Time-ordered row ids and owner tokens from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "the product's one source of ids")]
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }

    /// # Panics
    /// The operating system gives no random bytes: no claim may be made then, a guessable token would let two workers
    /// hold one lease.
    #[expect(clippy::expect_used, reason = "without randomness no lease is safe; stop the process instead")]
    fn token(&self) -> OwnerToken {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).expect("the operating system gave no random bytes");
        OwnerToken::new(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tokens_are_never_alike_and_ids_are_ordered() {
        let ids = SystemIds;
        assert_ne!(ids.token().expose(), ids.token().expose());
        assert!(ids.uuid() < ids.uuid());
    }
}
