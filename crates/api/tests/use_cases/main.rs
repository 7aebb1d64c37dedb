//! The use cases over a real database file, real git and the practice forge.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

mod connecting;
mod desk;
mod following;
mod leases;
mod practising;
mod pressing;
mod staff;
