//! DER: the bytes of certificates and keys.
//!
//! In: bytes. Out: elements in order. Mirrors `cryptobyte`, which Go's X.509 uses: lengths are definite, minimal and of
//! at most four bytes; tags are of one byte.

/// `BOOLEAN`.
pub(crate) const BOOLEAN: u8 = 0x01;
/// `INTEGER`.
pub(crate) const INTEGER: u8 = 0x02;
/// `BIT STRING`.
pub(crate) const BIT_STRING: u8 = 0x03;
/// `OCTET STRING`.
pub(crate) const OCTET_STRING: u8 = 0x04;
/// `NULL`.
pub(crate) const NULL: u8 = 0x05;
/// `OBJECT IDENTIFIER`.
pub(crate) const OBJECT: u8 = 0x06;
/// `SEQUENCE`.
pub(crate) const SEQUENCE: u8 = 0x30;
/// `SET`.
pub(crate) const SET: u8 = 0x31;

/// The tag of a field with that number that holds elements.
pub(crate) const fn field(number: u8) -> u8 {
    0xa0 | number
}

/// The rest of the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerReader<'a>(&'a [u8]);

/// An element: its tag, what it holds, and all of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
    pub whole: &'a [u8],
}

impl<'a> DerReader<'a> {
    /// Reads those bytes.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns whether nothing is left.
    pub(crate) const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The next element of any tag.
    pub(crate) fn any(&mut self) -> Option<Element<'a>> {
        let [tag, length, rest @ ..] = self.0 else {
            return None;
        };
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (header, length) = match length {
            0..0x80 => (2, usize::from(*length)),
            _ => {
                let n_bytes = usize::from(length & 0x7f);
                (2 + n_bytes, long_length(rest.get(..n_bytes)?)?)
            }
        };
        let whole = self.0.get(..header.checked_add(length)?)?;
        self.0 = &self.0[whole.len()..];
        Some(Element {
            tag: *tag,
            content: &whole[header..],
            whole,
        })
    }

    /// The next element, if it has that tag.
    pub(crate) fn element(&mut self, tag: u8) -> Option<Element<'a>> {
        let before = *self;
        let element = self.any().filter(|element| element.tag == tag);
        if element.is_none() {
            *self = before;
        }
        element
    }

    /// The content of the next element, if it has that tag.
    pub(crate) fn read(&mut self, tag: u8) -> Option<Self> {
        self.element(tag).map(|element| Self(element.content))
    }

    /// The content of the next element, or `None` if it has another tag.
    ///
    /// # Errors
    /// There is one, and it cannot be read.
    pub(crate) fn optional(&mut self, tag: u8) -> Result<Option<Self>, ()> {
        match self.0.first() {
            Some(first) if *first == tag => self.read(tag).map(Some).ok_or(()),
            Some(_) | None => Ok(None),
        }
    }

    /// The bytes of the next element, which is a whole number.
    pub(crate) fn integer(&mut self) -> Option<Integer<'a>> {
        let content = self.element(INTEGER)?.content;
        let is_padded = match content {
            [] => return None,
            [0, second, ..] => second & 0x80 == 0,
            [0xff, second, ..] => second & 0x80 != 0,
            [..] => false,
        };
        (!is_padded).then_some(Integer(content))
    }

    /// The bytes of the next element, which is a `BIT STRING`; a number of bits that fills no byte is fine.
    pub(crate) fn bits(&mut self) -> Option<&'a [u8]> {
        let (unused, bytes) = self.element(BIT_STRING)?.content.split_first()?;
        let last = bytes.last().copied();
        match (*unused, last) {
            (0, _) => Some(bytes),
            (1..8, Some(last)) if last & ((1 << unused) - 1) == 0 => Some(bytes),
            _ => None,
        }
    }

    /// The bytes of the next element, which is an object identifier.
    pub(crate) fn object(&mut self) -> Option<&'a [u8]> {
        let content = self.element(OBJECT)?.content;
        // Each number ends with a byte below 0x80, has no padding, and fits in 31 bits.
        let mut number = 0_u64;
        let mut starts = true;
        for byte in content {
            if starts && *byte == 0x80 {
                return None;
            }
            number = (number << 7) | u64::from(byte & 0x7f);
            if number > i32::MAX as u64 {
                return None;
            }
            starts = byte & 0x80 == 0;
            if starts {
                number = 0;
            }
        }
        (!content.is_empty() && starts).then_some(content)
    }

    /// All that is left.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// A whole number, most significant byte first, in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer<'a>(&'a [u8]);

impl<'a> Integer<'a> {
    /// Returns whether it is below 0.
    pub fn is_negative(self) -> bool {
        self.0.first().is_some_and(|first| first & 0x80 != 0)
    }

    /// Returns whether it is above 0.
    pub(crate) fn is_positive(self) -> bool {
        !self.is_negative() && self.0.iter().any(|byte| *byte != 0)
    }

    /// Its value, if it is small.
    pub const fn small(self) -> Option<i8> {
        match self.0 {
            [byte] => Some(byte.cast_signed()),
            _ => None,
        }
    }
}

/// A length that is written in several bytes.
fn long_length(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    if first == 0 || bytes.len() > 4 {
        return None;
    }
    let length = bytes
        .iter()
        .fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
    (length >= 0x80).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_as_short_as_can_be() {
        let whole = |bytes: &[u8]| {
            DerReader::new(bytes)
                .any()
                .map(|element| element.content.len())
        };
        assert_eq!(whole(&[2, 1, 5]), Some(1));
        let mut long = vec![4, 0x81, 0x80];
        long.extend([0; 0x80]);
        assert_eq!(whole(&long), Some(0x80));
        let hostile: &[&[u8]] = &[
            &[],
            &[2],
            &[2, 1],
            &[2, 0x80, 0, 0],
            &[2, 0x81, 1, 5],
            &[2, 0x82, 0, 0x80],
            &[2, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[2, 0x85, 1, 0, 0, 0, 0],
            &[0x1f, 1, 0],
        ];
        for bytes in hostile {
            assert_eq!(whole(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn numbers_have_one_form() {
        let small = |bytes: &[u8]| DerReader::new(bytes).integer().and_then(Integer::small);
        assert_eq!(
            (small(&[2, 1, 0xff]), small(&[2, 1, 3])),
            (Some(-1), Some(3))
        );
        for bytes in [&[2, 0][..], &[2, 2, 0, 1], &[2, 2, 0xff, 0x80], &[3, 1, 1]] {
            assert_eq!(small(bytes), None, "{bytes:x?}");
        }
        let object = |bytes: &[u8]| DerReader::new(bytes).object().is_some();
        assert!(object(&[6, 3, 0x2a, 0x86, 0x48]));
        assert!(!object(&[6, 2, 0x2a, 0x86]) && !object(&[6, 2, 0x80, 1]) && !object(&[6, 0]));
        assert!(!object(&[6, 6, 0x2a, 0x90, 0x80, 0x80, 0x80, 0]));
    }
}
