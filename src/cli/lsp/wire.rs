//! The messages between a client and the server, over standard input and output: what is read of one is bounded.

use std::io::{self, BufRead, Read as _};
use std::thread::{self, JoinHandle};

use crossbeam_channel::bounded;
use lsp_server::{Connection, Message};

use crate::cli::Failure;

/// The largest message that is read. A document is a part of one, with escapes.
pub(crate) const MAX_MESSAGE: usize = 32 << 20;

/// The most bytes of the header of a message.
const MAX_HEADER: u64 = 8 << 10;

/// The threads that read and write.
pub(super) struct Wire {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Wire {
    /// Opens standard input and output. A message waits until the server takes it.
    pub(super) fn open() -> (Connection, Self) {
        let (to_client, sent) = bounded::<Message>(0);
        let (received, from_client) = bounded::<Message>(0);
        let writer = thread::spawn(move || {
            let mut output = io::stdout().lock();
            sent.into_iter()
                .try_for_each(|message| message.write(&mut output))
        });
        let reader = thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Some(message) = read(&mut input)? {
                let is_last = matches!(&message, Message::Notification(of) if of.method == "exit");
                if received.send(message).is_err() || is_last {
                    break;
                }
            }
            Ok(())
        });
        (
            Connection {
                sender: to_client,
                receiver: from_client,
            },
            Self { reader, writer },
        )
    }

    /// Waits for both.
    ///
    /// # Errors
    /// What was read is no message, or a message cannot be written.
    pub(super) fn join(self) -> Result<(), Failure> {
        let of = |thread: JoinHandle<io::Result<()>>| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("it failed")))
        };
        of(self.reader)
            .map_err(|error| Failure::message(format!("cannot read standard input: {error}")))?;
        of(self.writer)
            .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))
    }
}

/// The next message. `None` at the end.
///
/// # Errors
/// It is none, or too large: it is not read then.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let Some(header) = header(input)? else {
        return Ok(None);
    };
    let length = length(&header).ok_or_else(|| invalid("a message has no Content-Length"))?;
    if length > MAX_MESSAGE as u64 {
        return Err(invalid(&format!(
            "a message of {length} bytes exceeds the maximum of {} MiB",
            MAX_MESSAGE >> 20
        )));
    }
    Message::read(&mut header.chain(input.take(length)))
}

/// The lines up to the empty one, which is a part of them. `None` at the end.
fn header(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut header = Vec::new();
    loop {
        let start = header.len();
        let left = MAX_HEADER.saturating_sub(start as u64);
        input.by_ref().take(left).read_until(b'\n', &mut header)?;
        match &header[start..] {
            [] if header.is_empty() => return Ok(None),
            b"\r\n" | b"\n" => return Ok(Some(header)),
            line if line.ends_with(b"\n") => {}
            _ => return Err(invalid("a message has no end of its header")),
        }
    }
}

fn length(header: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(header).ok()?;
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    };
    text.lines().find_map(value)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<usize, String> {
        let mut input = text.as_bytes();
        let mut n = 0;
        while read(&mut input)
            .map_err(|error| error.to_string())?
            .is_some()
        {
            n += 1;
        }
        Ok(n)
    }

    #[test]
    fn a_message_is_read_whole_or_not_at_all() {
        let body = r#"{"jsonrpc": "2.0", "method": "a"}"#;
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        assert_eq!(read_all(&message.repeat(3)), Ok(3));
        assert_eq!(
            read_all(&message.replace("Content", "Content-Type: x\r\ncontent")),
            Ok(1)
        );
        assert_eq!(read_all(""), Ok(0));
        for (text, expected) in [
            (
                "Content-Length: 4000000000\r\n\r\n{}",
                "a message of 4000000000 bytes exceeds the maximum of 32 MiB",
            ),
            (
                "Content-Length: 99999999999999999999\r\n\r\n{}",
                "a message has no Content-Length",
            ),
            (
                "Content-Length: -1\r\n\r\n{}",
                "a message has no Content-Length",
            ),
            ("X: 1\r\n\r\n{}", "a message has no Content-Length"),
            ("Content-Length: 2", "a message has no end of its header"),
            (
                &"X: y\r\n".repeat(10_000),
                "a message has no end of its header",
            ),
            (&"x".repeat(1 << 20), "a message has no end of its header"),
        ] {
            assert_eq!(read_all(text), Err(expected.to_owned()));
        }
        // A body that ends early, or that is no message.
        assert!(read_all("Content-Length: 20\r\n\r\n{}").is_err());
        assert!(read_all("Content-Length: 2\r\n\r\n{}").is_err());
    }
}
