//! Whether a certificate and a private key belong together.
//!
//! In: the two files. Out: nothing, or Go's error. Mirrors `tls.X509KeyPair`. Public keys are not computed from private
//! ones: RSA keys are compared by their modulus, elliptic curve keys by the point in the file, if it has one.

use crate::go::tls::der::{self, DerReader};
use crate::go::tls::pem;
use crate::go::tls::x509::{self, PublicKey};

#[cfg(test)]
mod tests;

/// A private key, as far as it is compared with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrivateKey<'a> {
    /// RSA, with the modulus.
    Rsa(der::Integer<'a>),
    /// On an elliptic curve, with the public point if the file names it.
    Ecdsa(Option<&'a [u8]>),
    /// Ed25519.
    Ed25519,
}

/// Checks a certificate and its private key, both as PEM.
///
/// # Errors
/// Go's words.
pub fn check(certificate: &[u8], key: &[u8]) -> Result<(), String> {
    let first = wanted(certificate, &CERTIFICATE)?;
    let key = wanted(key, &PRIVATE_KEY)?;
    let public = x509::certificate(&first.bytes)?;
    let private = private_key(&key.bytes)?;
    let differs = Err("tls: private key does not match public key".to_owned());
    match (public, private) {
        (PublicKey::Rsa(public), PrivateKey::Rsa(private)) if public != private => differs,
        (PublicKey::Ecdsa(public), PrivateKey::Ecdsa(Some(private))) if public != private => {
            differs
        }
        (PublicKey::Rsa(_), PrivateKey::Rsa(_))
        | (PublicKey::Ecdsa(_), PrivateKey::Ecdsa(_))
        | (PublicKey::Ed25519, PrivateKey::Ed25519) => Ok(()),
        (PublicKey::Other, _) => Err("tls: unknown public key algorithm".to_owned()),
        (PublicKey::Rsa(_) | PublicKey::Ecdsa(_) | PublicKey::Ed25519, _) => {
            Err("tls: private key type does not match public key type".to_owned())
        }
    }
}

/// Go's errors for an input without the expected block.
struct ExpectedBlock {
    input: &'static str,
    is_it: fn(&str) -> bool,
    /// A block that belongs into the other input, and the error for it.
    other: fn(&str) -> bool,
    switched: &'static str,
    missing: &'static str,
}

const CERTIFICATE: ExpectedBlock = ExpectedBlock {
    input: "certificate",
    is_it: |kind| kind == "CERTIFICATE",
    other: |kind| kind.ends_with("PRIVATE KEY"),
    switched: "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs \
               may have been switched",
    missing: "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the \
              following types:",
};

const PRIVATE_KEY: ExpectedBlock = ExpectedBlock {
    input: "key",
    is_it: |kind| kind == "PRIVATE KEY" || kind.ends_with(" PRIVATE KEY"),
    other: |kind| kind == "CERTIFICATE",
    switched: "tls: found a certificate rather than a key in the PEM for the private key",
    missing: "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks \
              of the following types:",
};

fn wanted(input: &[u8], wanted: &ExpectedBlock) -> Result<pem::PemBlock, String> {
    let mut skipped = Vec::new();
    for block in pem::blocks(input) {
        if (wanted.is_it)(&block.kind) {
            return Ok(block);
        }
        skipped.push(block.kind);
    }
    Err(match skipped.as_slice() {
        [] => format!("tls: failed to find any PEM data in {} input", wanted.input),
        [only] if (wanted.other)(only) => wanted.switched.to_owned(),
        kinds => format!("{} [{}]", wanted.missing, kinds.join(" ")),
    })
}

/// Reads a private key in any of three forms: PKCS #1, PKCS #8, SEC 1.
fn private_key(bytes: &[u8]) -> Result<PrivateKey<'_>, String> {
    if let Some(modulus) = pkcs1(bytes) {
        return Ok(PrivateKey::Rsa(modulus));
    }
    match pkcs8(bytes) {
        Some(Ok(key)) => Ok(key),
        Some(Err(message)) => Err(message.to_owned()),
        None => sec1(bytes, NamedCurve::InKey)
            .map(PrivateKey::Ecdsa)
            .ok_or_else(|| "tls: failed to parse private key".to_owned()),
    }
}

/// An RSA key: version, modulus, two exponents, two primes and three numbers that follow from them.
fn pkcs1(bytes: &[u8]) -> Option<der::Integer<'_>> {
    let mut input = DerReader::new(bytes);
    let mut key = input.read(der::SEQUENCE).filter(|_| input.is_empty())?;
    let version = key.integer()?.small()?;
    let modulus = key.integer()?;
    for _ in 0..7 {
        key.integer().filter(|n| n.is_positive())?;
    }
    (matches!(version, 0 | 1) && modulus.is_positive()).then_some(modulus)
}

/// A key of any kind with its algorithm. The error is for a kind that TLS cannot use.
fn pkcs8(bytes: &[u8]) -> Option<Result<PrivateKey<'_>, &'static str>> {
    let mut key = DerReader::new(bytes).read(der::SEQUENCE)?;
    key.integer()?;
    let algorithm = x509::algorithm(key.read(der::SEQUENCE)?).ok()?;
    let inner = key.read(der::OCTET_STRING)?.rest();
    match algorithm.object {
        x509::RSA => pkcs1(inner).map(|modulus| Ok(PrivateKey::Rsa(modulus))),
        x509::ECDSA => {
            x509::curve_size(DerReader::new(algorithm.parameters).object()?)?;
            sec1(inner, NamedCurve::Outside).map(|point| Ok(PrivateKey::Ecdsa(point)))
        }
        x509::ED25519 => {
            let seed = DerReader::new(inner).read(der::OCTET_STRING)?;
            (algorithm.parameters.is_empty() && seed.rest().len() == 32)
                .then_some(Ok(PrivateKey::Ed25519))
        }
        x509::X25519 => {
            let key = DerReader::new(inner).read(der::OCTET_STRING)?;
            let unknown = "tls: found unknown private key type in PKCS#8 wrapping";
            (algorithm.parameters.is_empty() && key.rest().len() == 32).then_some(Err(unknown))
        }
        _ => None,
    }
}

/// The place where the curve of a key is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedCurve {
    /// In the key, which stands alone.
    InKey,
    /// In the PKCS #8 structure around the key, which may name it again.
    Outside,
}

/// A key on an elliptic curve: the public point if it is named.
fn sec1(bytes: &[u8], curve: NamedCurve) -> Option<Option<&[u8]>> {
    let mut key = DerReader::new(bytes).read(der::SEQUENCE)?;
    if key.integer()?.small() != Some(1) {
        return None;
    }
    key.read(der::OCTET_STRING)?;
    match key.optional(der::field(0)).ok()? {
        Some(mut named) => {
            x509::curve_size(named.object()?)?;
        }
        None if curve == NamedCurve::InKey => return None,
        None => {}
    }
    match key.optional(der::field(1)).ok()? {
        Some(mut point) => point.bits().map(Some),
        None => Some(None),
    }
}
