//! Checks of TLS settings and of the certificates that they name.

use base64::Engine;

use crate::api::auth::SecretOrConfigMap;
use crate::api::core::SecretKeySelector;
use crate::assets::{Asset, tls_file, tls_file_of_secret};
use crate::client::{Tls, filled};
use crate::route::Path;
use crate::select::admit::{Admission, Check, Refusal, Within};

/// What can be told without looking at any Secret. Operator: `TLSConfig.Validate`, `SafeTLSConfig.Validate`.
pub(crate) fn valid(path: &Path<'_>, tls: &Tls<'_>) -> Check {
    for (key, selector) in [("ca", tls.ca), ("cert", tls.cert)] {
        if let Some(selector) = selector.filter(|s| s.secret.is_some() && s.config_map.is_some()) {
            let message = format!("{key} {}: cannot specify both Secret and ConfigMap", describe(selector));
            return Err(Refusal::new(&path.key(key), message));
        }
    }
    if tls.min_version.zip(tls.max_version).is_some_and(|(min, max)| max < min) {
        return Err(Refusal::new(&path.key("maxVersion"), "maxVersion must more than or equal to minVersion"));
    }
    files_valid(path, tls)?;
    let has_cert = tls.cert.is_some() || filled(tls.cert_file).is_some();
    let has_key = tls.key.is_some() || filled(tls.key_file).is_some();
    let (no_key, no_cert) = match tls.with_files {
        true => ("cannot specify client cert without client key", "cannot specify client key without client cert"),
        false => ("client cert specified without client key", "client key specified without client cert"),
    };
    match (has_cert, has_key) {
        (true, false) => Err(Refusal::new(&path.key("cert"), no_key)),
        (false, true) => Err(Refusal::new(&path.key("keySecret"), no_cert)),
        (true, true) | (false, false) => Ok(()),
    }
}

/// A thing comes from a file or from an object, not from both.
fn files_valid(path: &Path<'_>, tls: &Tls<'_>) -> Check {
    let both = [
        ("caFile", filled(tls.ca_file).is_some() && tls.ca.is_some(), "ca"),
        ("certFile", filled(tls.cert_file).is_some() && tls.cert.is_some(), "cert"),
        ("keyFile", filled(tls.key_file).is_some() && tls.key.is_some(), "keySecret"),
    ];
    match both.iter().find(|(_, both, _)| *both) {
        Some((file, _, object)) => {
            Err(Refusal::new(&path.key(file), format!("cannot specify both '{file}' and '{object}'")))
        }
        None => Ok(()),
    }
}

/// How the operator's messages name a selector.
fn describe(selector: &SecretOrConfigMap) -> String {
    match (&selector.secret, &selector.config_map) {
        (Some(s), _) => format!("<secret={},key={}>", s.name, s.key),
        (None, Some(s)) => format!("<configmap={},key={}>", s.name, s.key),
        (None, None) => "<empty>".to_owned(),
    }
}

/// `tlsConfig` of a block: whether it makes sense, whether its certificates are there, and whether they are any.
/// Operator: `AddTLSConfig`, `AddSafeTLSConfig`.
pub(in crate::select) fn tls(cx: &mut Admission<'_>, path: &Path<'_>, tls: Option<Tls<'_>>) -> Check {
    let Some(tls) = tls else { return Ok(()) };
    let path = path.key("tlsConfig");
    valid(&path, &tls).within("failed to validate TLS configuration")?;
    let ca = tls.ca.map(|ca| read(cx, &path.key("ca"), ca, "ca")).transpose()?;
    let cert = tls.cert.map(|cert| read(cx, &path.key("cert"), cert, "cert")).transpose()?;
    let key = tls.key.map(|key| read_key(cx, &path.key("keySecret"), key)).transpose()?;
    if let Some((selector, asset)) = tls.ca.zip(ca.filter(is_filled)) {
        authority(&path.key("ca"), selector, &asset)?;
        keep(cx, selector, &asset);
    }
    let (cert, key) = (tls.cert.zip(cert.filter(is_filled)), tls.key.zip(key.filter(is_filled)));
    if let Some(((cert, certificate), (key, private))) = cert.zip(key) {
        pair(&path.key("cert"), (cert, &certificate), (key, &private))?;
        keep(cx, cert, &certificate);
        cx.cx.assets.add_tls(tls_file_of_secret(cx.namespace, key), &private);
    }
    Ok(())
}

fn is_filled(asset: &Asset) -> bool {
    match asset {
        Asset::Content(bytes) => !bytes.is_empty(),
        Asset::Assumed => true,
    }
}

/// Has a certificate put into the pods.
fn keep(cx: &Admission<'_>, selector: &SecretOrConfigMap, asset: &Asset) {
    if let Some(file) = tls_file(cx.namespace, selector) {
        cx.cx.assets.add_tls(file, asset);
    }
}

fn read(cx: &mut Admission<'_>, path: &Path<'_>, selector: &SecretOrConfigMap, what: &str) -> Result<Asset, Refusal> {
    let (place, kind, name, asset) = match (&selector.secret, &selector.config_map) {
        (Some(s), _) => ("secret", "Secret", &s.name, cx.cx.assets.secret(cx.namespace, s)),
        (None, Some(s)) => ("configMap", "ConfigMap", &s.name, cx.cx.assets.config_map(cx.namespace, s)),
        (None, None) => return Ok(Asset::Content(Vec::new())),
    };
    let asset = cx.asset(&path.key(place), (kind, name), asset);
    asset.map_err(|refusal| refusal.within(&format!("failed to get {what} \"{}\"", describe(selector))))
}

fn read_key(cx: &mut Admission<'_>, path: &Path<'_>, selector: &SecretKeySelector) -> Result<Asset, Refusal> {
    let asset = cx.cx.assets.secret(cx.namespace, selector);
    let asset = cx.asset(path, ("Secret", &selector.name), asset);
    asset.map_err(|refusal| refusal.within(&format!("failed to get key {}/{}", selector.name, selector.key)))
}

fn authority(path: &Path<'_>, selector: &SecretOrConfigMap, asset: &Asset) -> Check {
    match asset {
        Asset::Content(bytes) if pem_blocks(bytes).is_empty() => {
            Err(Refusal::new(path, format!("ca {}: failed to decode PEM block", describe(selector))))
        }
        Asset::Content(_) | Asset::Assumed => Ok(()),
    }
}

/// A certificate and its key. Go: `tls.X509KeyPair`, as far as it looks at what blocks there are.
fn pair(
    path: &Path<'_>,
    (cert, certificate): (&SecretOrConfigMap, &Asset),
    (key, private): (&SecretKeySelector, &Asset),
) -> Check {
    let told = block_fault(certificate, CERTIFICATE).or_else(|| block_fault(private, PRIVATE_KEY));
    let Some(told) = told else { return Ok(()) };
    Err(Refusal::new(path, format!("cert {}, key <{}/{}>: tls: {told}", describe(cert), key.name, key.key)))
}

/// What Go says of an input without the block that it looks for.
struct Wanted {
    input: &'static str,
    is_it: fn(&str) -> bool,
    /// What the other input would hold, and the words for it.
    other: fn(&str) -> bool,
    switched: &'static str,
    missing: &'static str,
}

const CERTIFICATE: &Wanted = &Wanted {
    input: "certificate",
    is_it: |kind| kind == "CERTIFICATE",
    other: |kind| kind.ends_with("PRIVATE KEY"),
    switched: "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may \
               have been switched",
    missing: "failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following \
              types:",
};

const PRIVATE_KEY: &Wanted = &Wanted {
    input: "key",
    is_it: |kind| kind == "PRIVATE KEY" || kind.ends_with(" PRIVATE KEY"),
    other: |kind| kind == "CERTIFICATE",
    switched: "found a certificate rather than a key in the PEM for the private key",
    missing: "failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the \
              following types:",
};

fn block_fault(asset: &Asset, wanted: &Wanted) -> Option<String> {
    let Asset::Content(bytes) = asset else { return None };
    let blocks = pem_blocks(bytes);
    match blocks.as_slice() {
        [] => Some(format!("failed to find any PEM data in {} input", wanted.input)),
        blocks if blocks.iter().any(|kind| (wanted.is_it)(kind)) => None,
        [only] if (wanted.other)(only) => Some(wanted.switched.to_owned()),
        blocks => Some(format!("{} [{}]", wanted.missing, blocks.join(" "))),
    }
}

/// The kinds of the PEM blocks in a text: lines of base64 between a `BEGIN` and an `END` of the same kind, which may
/// come behind headers. What is none is passed over, as Go does.
fn pem_blocks(bytes: &[u8]) -> Vec<&str> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let (mut blocks, mut lines) = (Vec::new(), text.lines().map(str::trim_end));
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("-----BEGIN ").and_then(|l| l.strip_suffix("-----")) else { continue };
        let end = format!("-----END {kind}-----");
        let rest = lines.clone();
        let body: Vec<&str> = rest.take_while(|line| !line.starts_with("-----")).collect();
        let mut behind = lines.clone().skip(body.len());
        if behind.next() == Some(end.as_str()) && is_base64(&body) {
            blocks.push(kind);
            lines.nth(body.len());
        }
    }
    blocks
}

fn is_base64(lines: &[&str]) -> bool {
    let text: String = lines.iter().filter(|line| !line.contains(':')).flat_map(|l| l.split_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem_blocks_are_told_from_what_only_looks_like_them() {
        let block = |kind: &str, body: &str| format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n");
        let key = block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\n\nAAAA");
        let text = format!("words\n{}{key}{}", block("CERTIFICATE", "AAAA\r\nAAAA"), block("X", "!"));
        assert_eq!(pem_blocks(text.as_bytes()), ["CERTIFICATE", "RSA PRIVATE KEY"]);
        assert_eq!(pem_blocks(b"-----BEGIN A-----\nAAAA\n-----END B-----\n"), Vec::<&str>::new());
        assert_eq!(pem_blocks(b"\xff"), Vec::<&str>::new());
    }

    #[test]
    fn inputs_that_were_switched_are_named_in_go_s_words() {
        let asset =
            |kind: &str| Asset::Content(format!("-----BEGIN {kind}-----\nAAAA\n-----END {kind}-----\n").into_bytes());
        assert_eq!(block_fault(&asset("CERTIFICATE"), CERTIFICATE), None);
        assert_eq!(block_fault(&asset("EC PRIVATE KEY"), PRIVATE_KEY), None);
        assert_eq!(block_fault(&asset("EC PRIVATE KEY"), CERTIFICATE).as_deref(), Some(CERTIFICATE.switched));
        assert_eq!(block_fault(&asset("CERTIFICATE"), PRIVATE_KEY).as_deref(), Some(PRIVATE_KEY.switched));
        let told = block_fault(&asset("DH PARAMETERS"), CERTIFICATE).unwrap();
        assert!(told.ends_with("of the following types: [DH PARAMETERS]"), "{told}");
    }
}
