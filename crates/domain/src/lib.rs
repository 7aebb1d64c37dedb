//! What the words of Lockstep mean.
//!
//! Here live ids, names, time, the lease's rules and [`lease::LeaseGuard`], outcomes, ahead, skip rules, stable codes
//! and the ports [`ports::Forge`] and [`ports::Git`]. Nothing here does IO, reads a clock or draws randomness: time and
//! randomness come in through [`clock::Clock`] and [`ids::Ids`].
//!
//! To add a code: add a variant to [`code::Code`], then its words in the window's `errors` room (a missing one is a
//! type error there) and a test that provokes it.

pub mod ahead;
pub mod clock;
pub mod code;
pub mod credential;
pub mod ids;
pub mod lease;
pub mod model;
pub mod names;
pub mod outcome;
pub mod ports;
pub mod skip;
pub mod standing;
pub mod stop;

/// Defines an enum of stable identifiers: the same text in SQL, IPC, JSON and docs.
#[macro_export]
macro_rules! codes {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, specta::Type)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable text, as stored and sent.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::names::UnknownCode;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    other => Err($crate::names::UnknownCode { kind: stringify!($name), value: other.to_owned() }),
                }
            }
        }
    };
}
