//! The settable clock of tests. It exists only with the feature `test-clock`, and acts only on stores that were opened
//! with [`crate::OpenOptions::test_clock`].

use lockstep_domain::clock::Millis;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Mutex;

use crate::contract::{Place, Result, StoreError};

/// A hand on the clock inside one database.
#[derive(Debug)]
pub struct TestClock(Mutex<Hand>);

#[derive(Debug)]
enum Hand {
    Sqlite(sqlx::SqliteConnection),
    Postgres(sqlx::PgConnection),
}

fn failed(error: &sqlx::Error) -> StoreError {
    StoreError::Failed(format!("the test clock: {error}"))
}

impl TestClock {
    /// Connects; the store must have been opened with the test clock before.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn connect(place: &Place) -> Result<Self> {
        let hand = match place {
            Place::Sqlite(path) => {
                let options =
                    sqlx::sqlite::SqliteConnectOptions::new().filename(path).disable_statement_logging();
                Hand::Sqlite(options.connect().await.map_err(|error| failed(&error))?)
            }
            Place::Postgres(url) => {
                Hand::Postgres(sqlx::PgConnection::connect(url).await.map_err(|error| failed(&error))?)
            }
        };
        Ok(Self(Mutex::new(hand)))
    }

    /// Sets the clock; `None` lets the real one run again. Seen at once by every statement that starts later.
    ///
    /// # Errors
    /// When the database cannot be reached, or the store was not opened with the test clock.
    pub async fn set(&self, at: Option<Millis>) -> Result<()> {
        let mut hand = self.0.lock().await;
        let done = match &mut *hand {
            Hand::Sqlite(conn) => sqlx::query("UPDATE lockstep_test_clock SET at_ms = $1")
                .bind(at.map(|at| at.0))
                .execute(conn)
                .await
                .map(drop),
            Hand::Postgres(conn) => sqlx::query("SELECT setval('lockstep_test_clock', $1)")
                .bind(at.map_or(0, |at| at.0))
                .execute(conn)
                .await
                .map(drop),
        };
        done.map_err(|error| failed(&error))
    }
}
