//! The lease three times: the model of `lockstep-lease-model`, SQLite and PostgreSQL get the same random acts at the same
//! milliseconds and must give the same answers and hold the same rows after every act.
//!
//! A longer search: `LOCKSTEP_PROPERTY_CASES=2000 cargo nextest run -p lockstep-store -E 'binary(differential)'`. What a
//! search finds is kept in `regressions.txt` and tried first from then on.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

#[allow(dead_code, reason = "the conformance suite uses the rest")]
#[path = "../conformance/fakes.rs"]
mod fakes;
#[allow(dead_code, reason = "the conformance suite uses the rest")]
#[path = "../conformance/rows.rs"]
mod rows;
#[allow(dead_code, reason = "the conformance suite uses the rest")]
#[path = "../conformance/world.rs"]
mod world;

mod act;
mod model;
mod side;

use std::cell::{Cell, RefCell};

use lockstep_lease_model::Status;
use proptest::test_runner::{
    Config, FileFailurePersistence, TestCaseError, TestCaseResult, TestError, TestRunner,
};

use act::{Act, Step, Wait};
use model::Model;
use side::Side;
use world::{Kind, World, options};

/// Sequences of the regular run.
const CASES: u32 = 24;
/// Acts of the longest sequence.
const ACTS: usize = 40;
const FOUND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/regressions.txt");

#[expect(clippy::disallowed_methods, reason = "a longer search is asked for here")]
fn cases() -> u32 {
    std::env::var("LOCKSTEP_PROPERTY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

#[test]
fn model_sqlite_and_postgres_answer_alike_and_hold_the_same_rows() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let worlds = RefCell::new(runtime.block_on(worlds()));
    let config = Config {
        cases: cases(),
        max_shrink_iters: 300,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(FOUND))),
        ..Config::default()
    };
    let (number, acts) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config).run(&act::sequences(ACTS), |sequence| {
        number.set(number.get() + 1);
        acts.set(acts.get() + sequence.len());
        let mut worlds = worlds.borrow_mut();
        let (sqlite, postgres) = &mut *worlds;
        runtime.block_on(case(sqlite, postgres, number.get(), &sequence))
    });
    let (sqlite, postgres) = worlds.into_inner();
    runtime.block_on(async {
        sqlite.end().await;
        postgres.end().await;
    });
    println!("{} sequences, {} acts on each of the three", number.get(), acts.get());
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, _sequence)) => panic!("{reason}"),
        Err(error) => panic!("{error}"),
    }
}

async fn worlds() -> (World, World) {
    (World::new(Kind::Sqlite, options()).await, World::new(Kind::Postgres, options()).await)
}

/// Found by the search above: the plan of a publication was refused as naming nobody when an item was there already.
#[tokio::test]
async fn an_item_that_is_there_already_does_not_undo_a_publication() {
    let (mut sqlite, mut postgres) = worlds().await;
    let (who, recipient) = (0, 1);
    let acts = [
        Act::Claim { who, long: false },
        Act::Record { who, recipient },
        Act::Wait(Wait::By(1)),
        Act::Publish { who },
        Act::Done { who, recipient },
        Act::Finish { who, publish: false, status: Status::Succeeded },
    ];
    let result = case(&mut sqlite, &mut postgres, 1, &acts).await;
    sqlite.end().await;
    postgres.end().await;
    assert!(result.is_ok(), "{result:?}");
}

/// One sequence on a fresh project of each.
async fn case(sqlite: &mut World, postgres: &mut World, number: u64, sequence: &[Act]) -> TestCaseResult {
    let mut sides = [Side::new(sqlite, number).await, Side::new(postgres, number).await];
    let mut models = [Model::new(true), Model::new(false)];
    for (index, act) in sequence.iter().enumerate() {
        let step = Step { number: number * 1_000 + index as u64, fence: models[0].fence(), act: *act };
        let at = models[0].time(act);
        for (side, model) in sides.iter_mut().zip(&mut models) {
            side.at(at).await;
            model.at(at);
            let (told, expected) = (side.act(&step).await, model.act(&step));
            same(side, &sequence[..=index], "answers", &told, &expected)?;
            // Time alone changes no row; what it makes of a run is looked at after the next act.
            if matches!(act, Act::Wait(_)) {
                continue;
            }
            let (found, expected) = (side.look().await, model.look());
            same(side, &sequence[..=index], "holds", &found, &expected)?;
        }
        // Where the databases differ by design, the fences part, and with them what the next acts mean.
        if models[0].fence() != models[1].fence() {
            break;
        }
    }
    for side in sides {
        side.end().await;
    }
    Ok(())
}

fn same(
    side: &Side<'_>,
    acts: &[Act],
    what: &str,
    found: &serde_json::Value,
    expected: &serde_json::Value,
) -> TestCaseResult {
    if found == expected {
        return Ok(());
    }
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap_or_default();
    Err(TestCaseError::fail(format!(
        "{} {what}\n{}\nthe model {what}\n{}\nafter {acts:#?}",
        side.name(),
        pretty(found),
        pretty(expected)
    )))
}
