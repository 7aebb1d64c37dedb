//! Connection URLs.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// `postgres://postgres@localhost/DB?host=FOLDER`, both parts percent-encoded.
pub(crate) fn socket_url(folder: &Path, database: &str) -> String {
    format!(
        "postgres://postgres@localhost/{}?host={}",
        percent_encode(database.as_bytes()),
        percent_encode(folder.as_os_str().as_bytes())
    )
}

/// The same server, another database: replaces the path of `url` and keeps everything else.
#[must_use]
pub fn with_database(url: &str, database: &str) -> String {
    let (head, query) = match url.split_once('?') {
        Some((head, query)) => (head, Some(query)),
        None => (url, None),
    };
    let authority_start = head.find("://").map_or(0, |at| at + 3);
    let authority_end = head[authority_start..].find('/').map_or(head.len(), |at| authority_start + at);
    let mut out = format!("{}/{}", &head[..authority_end], percent_encode(database.as_bytes()));
    if let Some(query) = query {
        out.push('?');
        out.push_str(query);
    }
    out
}

fn percent_encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_folder_is_percent_encoded() {
        assert_eq!(
            socket_url(Path::new("/tmp/a b"), "t_1"),
            "postgres://postgres@localhost/t_1?host=%2Ftmp%2Fa%20b"
        );
    }

    #[test]
    fn another_database_keeps_user_host_and_query() {
        assert_eq!(
            with_database("postgres://postgres@localhost/postgres?host=%2Ftmp%2Fx", "t_1"),
            "postgres://postgres@localhost/t_1?host=%2Ftmp%2Fx"
        );
        assert_eq!(with_database("postgres://u:p@db:5433/a", "b"), "postgres://u:p@db:5433/b");
        assert_eq!(with_database("postgres://db", "b"), "postgres://db/b");
    }
}
