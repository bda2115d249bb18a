//! The hash that deals targets onto shards.

use md5::{Digest as _, Md5};

/// The bucket of a value: the last eight bytes of its MD5, the first of them the highest, modulo `modulus`. Prometheus:
/// `relabel.HashMod`.
///
/// # Panics
/// If `modulus` is 0, which no rule has that was checked.
#[must_use]
pub fn hash_mod(value: &str, modulus: u64) -> u64 {
    hash(value) % modulus
}

/// The hash before it is divided.
#[must_use]
pub fn hash(value: &str) -> u64 {
    let digest = Md5::digest(value.as_bytes());
    let mut last = [0; 8];
    // MD5 has 16 bytes, of which Prometheus takes the last eight.
    last.copy_from_slice(&digest[8..]);
    u64::from_be_bytes(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_bucket_that_prometheus_gives_it() {
        assert_eq!(hash("10.0.0.1:9100"), 0x4cfe_ac40_8362_8b3d);
        assert_eq!(hash_mod("10.0.0.1:9100", 16), 13);
    }
}
