//! The content of Secrets: base64, gzip, YAML, each of which may be broken.
//!
//! In: the value of a key. Out: its bytes or its text, or what is wrong with it in words that repeat nothing of it. The
//! size of what is decompressed is bounded.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use promgen_compile::cluster::assets::decode;
use promgen_text::yaml::{Map, Value, read};

/// The maximum size of a text. The largest configuration that fits a Secret compresses 1 MiB; a real one has at most some ten
/// times that.
const MAX_TEXT: u64 = 64 << 20;

/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a key of a Secret.
///
/// # Errors
/// What is wrong with them.
pub(super) fn bytes(secret: &Value, key: &str) -> Result<Option<Vec<u8>>, &'static str> {
    let text = |part: &str| secret.get(part)?.get(key)?.as_str();
    // Only manifests have this, and the API server lets it win.
    if let Some(plain) = text("stringData") {
        return Ok(Some(plain.as_bytes().to_vec()));
    }
    let Some(value) = secret.get("data").and_then(|data| data.get(key)) else {
        return Ok(None);
    };
    let Some(encoded) = value.as_str() else {
        return Err("not base64");
    };
    decode(encoded).map(Some).ok_or("not base64")
}

/// The keys of a Secret or ConfigMap, in order.
pub(super) fn keys(object: &Value) -> Vec<&str> {
    let parts = ["data", "binaryData", "stringData"]
        .into_iter()
        .filter_map(|part| object.get(part)?.as_map());
    let mut keys: Vec<&str> = parts
        .flat_map(Map::iter)
        .map(|(key, _)| key.as_ref())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The text of bytes, decompressed if they are gzip.
///
/// # Errors
/// What is wrong with them.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, &'static str> {
    let bytes = if bytes.starts_with(&GZIP) {
        unpacked(&bytes)?
    } else {
        bytes
    };
    String::from_utf8(bytes).map_err(|_| "not UTF-8")
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(MAX_TEXT + 1)
        .read_to_end(&mut out);
    match read {
        Err(_) => Err("broken gzip"),
        Ok(n) if n as u64 > MAX_TEXT => Err("more than 64 MiB when decompressed"),
        Ok(_) => Ok(out),
    }
}

/// A text as a value. `None` if it is no YAML.
pub(super) fn yaml(text: &str) -> Option<Value> {
    match read::read_slices(text) {
        Ok(Some(node)) => Some(node.to_value()),
        Ok(None) => Some(Value::Null),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_text_may_be_compressed_or_not() {
        assert_eq!(text(packed(b"a: 1\n")), Ok("a: 1\n".to_owned()));
        assert_eq!(text(b"a: 1\n".to_vec()), Ok("a: 1\n".to_owned()));
        assert_eq!(text(packed(b"\xff")), Err("not UTF-8"));
        assert_eq!(text(GZIP.to_vec()), Err("broken gzip"));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = packed(&vec![b'a'; (MAX_TEXT + 2) as usize]);
        assert!(bomb.len() < 1 << 17);
        assert_eq!(text(bomb), Err("more than 64 MiB when decompressed"));
    }

    #[test]
    fn a_key_may_be_broken() {
        let secret =
            yaml("data: {a: YQ==, b: '*', c: 1, d: \"Y\\nQ==\"}\nstringData: {e: x}").unwrap();
        assert_eq!(bytes(&secret, "a"), Ok(Some(b"a".to_vec())));
        assert_eq!(
            (bytes(&secret, "b"), bytes(&secret, "c")),
            (Err("not base64"), Err("not base64"))
        );
        assert_eq!(bytes(&secret, "d"), Ok(Some(b"a".to_vec())));
        assert_eq!(
            (bytes(&secret, "e"), bytes(&secret, "f")),
            (Ok(Some(b"x".to_vec())), Ok(None))
        );
        assert_eq!(keys(&secret), ["a", "b", "c", "d", "e"]);
    }
}
