//! X.509 certificates: checks whether Go can parse one.
//!
//! In: DER. Out: the certificate's public key, or Go's error. Mirrors `x509.ParseCertificate` of Go 1.25. Not checked:
//! whether a point is on its curve, and the content of extensions.

use std::collections::BTreeSet;

use crate::go::tls::der::{self, DerReader};

mod name;
mod time;

/// The public key of a certificate, as far as private keys are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicKey<'a> {
    /// RSA, with the modulus.
    Rsa(der::Integer<'a>),
    /// On an elliptic curve, with the point.
    Ecdsa(&'a [u8]),
    /// Ed25519.
    Ed25519,
    /// Of an algorithm that certificates can have and TLS does not.
    Other,
}

/// An algorithm with its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Algorithm<'a> {
    /// Its object identifier.
    pub object: &'a [u8],
    /// Its parameters, if there are any: all bytes of the element.
    pub parameters: &'a [u8],
}

/// `1.2.840.113549.1.1.1`.
pub const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
/// `1.2.840.10045.2.1`.
pub(crate) const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
/// `1.3.101.112`.
pub const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
/// `1.3.101.110`.
pub const X25519: &[u8] = &[0x2b, 0x65, 0x6e];

/// The curves of Go, by object identifier, with the size of a coordinate in bytes.
const CURVES: &[(&[u8], usize)] = &[
    (&[0x2b, 0x81, 0x04, 0, 0x21], 28),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], 32),
    (&[0x2b, 0x81, 0x04, 0, 0x22], 48),
    (&[0x2b, 0x81, 0x04, 0, 0x23], 66),
];

type ParseResult<T> = Result<T, &'static str>;

/// Reads a certificate.
///
/// # Errors
/// Go's words.
pub fn certificate(bytes: &[u8]) -> Result<PublicKey<'_>, String> {
    let mut input = DerReader::new(bytes);
    let mut outer = input
        .read(der::SEQUENCE)
        .ok_or("x509: malformed certificate")?;
    let mut inner = outer
        .read(der::SEQUENCE)
        .ok_or("x509: malformed tbs certificate")?;
    let version = version(&mut inner)?;
    let serial = inner.integer().ok_or("x509: malformed serial number")?;
    if serial.is_negative() {
        return Err("x509: negative serial number".to_owned());
    }
    let signature = inner
        .read(der::SEQUENCE)
        .ok_or("x509: malformed signature algorithm identifier")?;
    let signature_outside = outer
        .read(der::SEQUENCE)
        .ok_or("x509: malformed algorithm identifier")?;
    if signature.rest() != signature_outside.rest() {
        return Err("x509: inner and outer signature algorithm identifiers don't match".to_owned());
    }
    algorithm(signature)?;
    name::name(inner.read(der::SEQUENCE).ok_or("x509: malformed issuer")?)?;
    let mut validity = inner
        .read(der::SEQUENCE)
        .ok_or("x509: malformed validity")?;
    time::time(&mut validity)?;
    time::time(&mut validity)?;
    name::name(inner.read(der::SEQUENCE).ok_or("x509: malformed issuer")?)?;
    let mut key = inner.read(der::SEQUENCE).ok_or("x509: malformed spki")?;
    let key_algorithm = key
        .read(der::SEQUENCE)
        .ok_or("x509: malformed public key algorithm identifier")?;
    let key_algorithm = algorithm(key_algorithm)?;
    let key = key.bits().ok_or("x509: malformed subjectPublicKey")?;
    let key = public_key(key_algorithm, key)?;
    tail(inner, version)?;
    outer.bits().ok_or("x509: malformed signature")?;
    if input.is_empty() {
        Ok(key)
    } else {
        Err("x509: trailing data".to_owned())
    }
}

/// The version, as people count: 1 to 3.
fn version(inner: &mut DerReader<'_>) -> ParseResult<i8> {
    let malformed = "x509: malformed version";
    let Some(mut field) = inner.optional(der::field(0)).map_err(|()| malformed)? else {
        return Ok(1);
    };
    let number = field
        .integer()
        .filter(|n| !n.is_negative() && field.is_empty())
        .ok_or(malformed)?;
    match number.small() {
        Some(number @ 0..=2) => Ok(number + 1),
        Some(_) | None => Err("x509: invalid version"),
    }
}

/// Reads an algorithm and its parameters.
///
/// # Errors
/// Go's words.
pub(crate) fn algorithm(mut input: DerReader<'_>) -> ParseResult<Algorithm<'_>> {
    let object = input.object().ok_or("x509: malformed OID")?;
    if input.is_empty() {
        return Ok(Algorithm {
            object,
            parameters: &[],
        });
    }
    let parameters = input.any().ok_or("x509: malformed parameters")?.whole;
    Ok(Algorithm { object, parameters })
}

fn public_key<'a>(algorithm: Algorithm<'a>, key: &'a [u8]) -> ParseResult<PublicKey<'a>> {
    match algorithm.object {
        RSA => rsa(algorithm.parameters, key),
        ECDSA => {
            let curve = DerReader::new(algorithm.parameters)
                .object()
                .ok_or("x509: invalid ECDSA parameters")?;
            let size = curve_size(curve).ok_or("x509: unsupported elliptic curve")?;
            let is_point = key.first() == Some(&4) && key.len() == 1 + 2 * size;
            if is_point {
                Ok(PublicKey::Ecdsa(key))
            } else {
                Err("x509: failed to unmarshal elliptic curve point")
            }
        }
        ED25519 if !algorithm.parameters.is_empty() => {
            Err("x509: Ed25519 key encoded with illegal parameters")
        }
        ED25519 if key.len() != 32 => Err("x509: wrong Ed25519 public key size"),
        ED25519 => Ok(PublicKey::Ed25519),
        _ => Ok(PublicKey::Other),
    }
}

/// The size of a coordinate on that curve, in bytes.
pub(crate) fn curve_size(object: &[u8]) -> Option<usize> {
    CURVES
        .iter()
        .find(|(curve, _)| *curve == object)
        .map(|(_, size)| *size)
}

fn rsa<'a>(parameters: &[u8], key: &'a [u8]) -> ParseResult<PublicKey<'a>> {
    if parameters != [der::NULL, 0] {
        return Err("x509: RSA key missing NULL parameters");
    }
    let mut key = DerReader::new(key)
        .read(der::SEQUENCE)
        .ok_or("x509: invalid RSA public key")?;
    let modulus = key.integer().ok_or("x509: invalid RSA modulus")?;
    let exponent = key.integer().ok_or("x509: invalid RSA public exponent")?;
    if !modulus.is_positive() {
        return Err("x509: RSA modulus is not a positive number");
    }
    if !exponent.is_positive() {
        return Err("x509: RSA public exponent is not a positive number");
    }
    Ok(PublicKey::Rsa(modulus))
}

/// The fields after the key: unique identifiers, and extensions.
fn tail(mut inner: DerReader<'_>, version: i8) -> ParseResult<()> {
    const ISSUER_ID: u8 = 0x81;
    const SUBJECT_ID: u8 = 0x82;
    if version > 1 {
        inner
            .optional(ISSUER_ID)
            .map_err(|()| "x509: malformed issuerUniqueID")?;
        inner
            .optional(SUBJECT_ID)
            .map_err(|()| "x509: malformed subjectUniqueID")?;
    }
    let malformed = "x509: malformed extensions";
    if version < 3 {
        return Ok(());
    }
    let Some(mut field) = inner.optional(der::field(3)).map_err(|()| malformed)? else {
        return Ok(());
    };
    let mut list = field.read(der::SEQUENCE).ok_or(malformed)?;
    let mut seen = BTreeSet::new();
    while !list.is_empty() {
        let object = extension(
            list.read(der::SEQUENCE)
                .ok_or("x509: malformed extension")?,
        )?;
        if !seen.insert(object) {
            return Err("x509: certificate contains duplicate extensions");
        }
    }
    Ok(())
}

fn extension(mut extension: DerReader<'_>) -> ParseResult<&[u8]> {
    let object = extension
        .object()
        .ok_or("x509: malformed extension OID field")?;
    let malformed = "x509: malformed extension critical field";
    if let Some(critical) = extension.optional(der::BOOLEAN).map_err(|()| malformed)?
        && !matches!(critical.rest(), [0 | 0xff])
    {
        return Err(malformed);
    }
    extension
        .read(der::OCTET_STRING)
        .ok_or("x509: malformed extension value field")?;
    Ok(object)
}
