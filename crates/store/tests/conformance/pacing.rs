//! The pacing gate: by the database's clock, for every machine (docs/SYNC.md).

use lockstep_domain::clock::Millis;
use lockstep_store::{Pace, Slot};

use crate::world::{T0, World};

crate::laws! {
    two_machines_never_start_within_the_interval,
    at_most_so_many_in_any_sliding_hour,
    nothing_is_reserved_while_blocked_and_the_pace_is_halved,
    identities_do_not_share_a_gate,
}

const PACE: Pace = Pace { min_interval_ms: 1_000, per_hour: 500 };

async fn two_machines_never_start_within_the_interval(w: &mut World) {
    let other = w.another().await;
    let mut starts = Vec::new();
    for n in 0..6 {
        let store = if n % 2 == 0 { &w.store } else { &other };
        match store.gate_reserve("app:1", PACE).await.unwrap() {
            Slot::Granted { wait_ms } => starts.push(wait_ms),
            Slot::Blocked { until } => panic!("{until:?}"),
        }
    }
    assert_eq!(starts, [0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    w.at(T0 + 60_000).await;
    let (a, b) = tokio::join!(w.store.gate_reserve("app:1", PACE), other.gate_reserve("app:1", PACE));
    let mut both = [a.unwrap(), b.unwrap()];
    both.sort_by_key(|slot| matches!(slot, Slot::Granted { wait_ms } if *wait_ms > 0));
    assert_eq!(both, [Slot::Granted { wait_ms: 0 }, Slot::Granted { wait_ms: 1_000 }]);
    other.close().await;
}

async fn at_most_so_many_in_any_sliding_hour(w: &mut World) {
    let pace = Pace { min_interval_ms: 0, per_hour: 3 };
    for minute in [0, 10, 20] {
        w.at(T0 + minute * 60_000).await;
        assert_eq!(w.store.gate_reserve("app:1", pace).await.unwrap(), Slot::Granted { wait_ms: 0 });
    }
    w.at(T0 + 30 * 60_000).await;
    let hour = 3_600_000;
    assert_eq!(
        w.store.gate_reserve("app:1", pace).await.unwrap(),
        Slot::Blocked { until: Millis(T0 + hour) }
    );
    w.at(T0 + hour - 5).await;
    assert_eq!(w.store.gate_reserve("app:1", pace).await.unwrap(), Slot::Granted { wait_ms: 5 });
    let next = Millis(T0 + hour + 10 * 60_000);
    assert_eq!(w.store.gate_reserve("app:1", pace).await.unwrap(), Slot::Blocked { until: next });
}

async fn nothing_is_reserved_while_blocked_and_the_pace_is_halved(w: &mut World) {
    w.store.gate_block("app:1", 60_000, true).await.unwrap();
    w.store.gate_block("app:1", 30_000, true).await.unwrap();
    let until = Millis(T0 + 60_000);
    assert_eq!(
        w.store.gate_reserve("app:1", PACE).await.unwrap(),
        Slot::Blocked { until },
        "the longest counts"
    );
    w.at(until.0).await;
    assert_eq!(w.store.gate_reserve("app:1", PACE).await.unwrap(), Slot::Granted { wait_ms: 0 });
    let Slot::Granted { wait_ms } = w.store.gate_reserve("app:1", PACE).await.unwrap() else { panic!() };
    assert!((1_990..=2_000).contains(&wait_ms), "halved once, decaying: {wait_ms}");
    w.at(T0 + 2 * 86_400_000).await;
    w.store.gate_reserve("app:1", PACE).await.unwrap();
    assert_eq!(w.store.gate_reserve("app:1", PACE).await.unwrap(), Slot::Granted { wait_ms: 1_000 });
}

async fn identities_do_not_share_a_gate(w: &mut World) {
    w.store.gate_block("app:1", 60_000, false).await.unwrap();
    assert_eq!(w.store.gate_reserve("app:2", PACE).await.unwrap(), Slot::Granted { wait_ms: 0 });
    w.at(T0 + 60_000).await;
    assert_eq!(w.store.gate_reserve("app:1", PACE).await.unwrap(), Slot::Granted { wait_ms: 0 });
    assert_eq!(
        w.store.gate_reserve("app:1", PACE).await.unwrap(),
        Slot::Granted { wait_ms: 1_000 },
        "not slower"
    );
}
