//! One GET to a server on loopback.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::failure::Failure;

const PATIENCE: Duration = Duration::from_secs(20);

/// The body that `base` (`http://127.0.0.1:PORT`, perhaps with a path) answers for `path`, when the status is 200.
pub(crate) fn get(base: &str, path: &str) -> Result<String, Failure> {
    let address = base.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let answer = exchange(address, path).map_err(Failure::io(format!("asking http://{address}{path}")))?;
    body_of_200(&answer).ok_or_else(|| {
        Failure::new(format!("http://{address}{path} did not answer 200"), "is that the practice forge?")
    })
}

fn exchange(address: &str, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // HTTP/1.0: the answer ends with the connection, without chunks.
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: {address}\r\nUser-Agent: xtask\r\nAccept: application/json\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

fn body_of_200(answer: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.lines().next()?.split(' ').nth(1)?;
    (status == "200").then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_200_has_a_body() {
        assert_eq!(body_of_200(b"HTTP/1.0 200 OK\r\na: b\r\n\r\n[]"), Some("[]".to_owned()));
        assert_eq!(body_of_200(b"HTTP/1.0 501 Not Implemented\r\n\r\n[]"), None);
        assert_eq!(body_of_200(b""), None);
    }
}
