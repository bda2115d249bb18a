//! Names of who issues a certificate and whom it is for.

use crate::go::tls::der::{self, DerReader};

const INVALID_VALUE: &str = "x509: invalid RDNSequence: invalid attribute value";

const UTF8_STRING: u8 = 12;
const NUMERIC_STRING: u8 = 18;
const PRINTABLE_STRING: u8 = 19;
const T61_STRING: u8 = 20;
const IA5_STRING: u8 = 22;
const BMP_STRING: u8 = 30;

/// Reads a name. Go: `parseName`.
///
/// # Errors
/// Go's words.
pub(super) fn name(mut input: DerReader<'_>) -> Result<(), String> {
    while !input.is_empty() {
        let mut set = input.read(der::SET).ok_or("x509: invalid RDNSequence")?;
        while !set.is_empty() {
            let invalid = "x509: invalid RDNSequence: invalid attribute";
            let mut attribute = set.read(der::SEQUENCE).ok_or(invalid)?;
            attribute
                .object()
                .ok_or("x509: invalid RDNSequence: invalid attribute type")?;
            let value = attribute.any().ok_or(INVALID_VALUE)?;
            text(value.tag, value.content)?;
        }
    }
    Ok(())
}

/// Returns whether a text is of its type. Go: `parseASN1String`.
fn text(tag: u8, bytes: &[u8]) -> Result<(), String> {
    let (fits, kind) = match tag {
        T61_STRING => return Ok(()),
        PRINTABLE_STRING => (
            bytes
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(b)),
            "PrintableString",
        ),
        UTF8_STRING => (std::str::from_utf8(bytes).is_ok(), "UTF-8 string"),
        BMP_STRING => (bytes.len().is_multiple_of(2), "BMPString"),
        IA5_STRING => (bytes.is_ascii(), "IA5String"),
        NUMERIC_STRING => (
            bytes.iter().all(|b| b.is_ascii_digit() || *b == b' '),
            "NumericString",
        ),
        _ => return Err(format!("{INVALID_VALUE}: unsupported string type: {tag}")),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{INVALID_VALUE}: invalid {kind}"))
    }
}
