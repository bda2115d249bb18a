//! The bytes of a file, and its text: inputs and sources share them, so that a repository is in memory once.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The bytes of a file. Clones share them.
///
/// ```
/// use promgen_text::source::FileBytes;
///
/// let bytes = FileBytes::from(b"a: 1\n".to_vec());
/// assert_eq!((bytes.len(), bytes.as_text()), (5, Some("a: 1\n")));
/// assert_eq!(FileBytes::from(vec![0xff]).as_text(), None);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FileBytes(Arc<HeldBytes>);

#[derive(Clone, PartialEq, Eq)]
enum HeldBytes {
    Text(String),
    /// What is not UTF-8.
    Other(Vec<u8>),
}

impl FileBytes {
    /// The text, if the bytes are UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &*self.0 {
            HeldBytes::Text(text) => Some(text),
            HeldBytes::Other(_) => None,
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            HeldBytes::Text(text) => text.as_bytes(),
            HeldBytes::Other(bytes) => bytes,
        }
    }
}

impl Default for FileBytes {
    fn default() -> Self {
        String::new().into()
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            HeldBytes::Text(text) => text.fmt(f),
            HeldBytes::Other(bytes) => bytes.fmt(f),
        }
    }
}

impl From<String> for FileBytes {
    fn from(text: String) -> Self {
        Self(Arc::new(HeldBytes::Text(text)))
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let held = String::from_utf8(bytes).map_or_else(
            |error| HeldBytes::Other(error.into_bytes()),
            HeldBytes::Text,
        );
        Self(Arc::new(held))
    }
}

impl From<&str> for FileBytes {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl<const N: usize> From<&[u8; N]> for FileBytes {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text of a file, without a byte order mark. Clones share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    bytes: FileBytes,
    /// The length of the byte order mark.
    start: usize,
}

impl SourceText {
    /// The text of bytes, if they are one.
    #[must_use]
    pub fn of(bytes: &FileBytes) -> Option<Self> {
        let text = bytes.as_text()?;
        let start = if text.starts_with(MARK) {
            MARK.len_utf8()
        } else {
            0
        };
        Some(Self {
            bytes: bytes.clone(),
            start,
        })
    }
}

impl Deref for SourceText {
    type Target = str;

    fn deref(&self) -> &str {
        self.bytes
            .as_text()
            .and_then(|text| text.get(self.start..))
            .unwrap_or_default()
    }
}

impl From<String> for SourceText {
    fn from(text: String) -> Self {
        Self {
            bytes: text.into(),
            start: 0,
        }
    }
}
