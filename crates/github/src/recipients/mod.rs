//! The batched read of recipients: many repositories with all their handed-out branches in one question.

mod document;
mod read;
mod tell;

pub(crate) use read::read_all;
