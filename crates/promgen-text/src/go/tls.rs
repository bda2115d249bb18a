//! Certificates and keys, as Go reads them.

pub(crate) mod der;
pub mod key_pair;
pub mod pem;
pub mod x509;
