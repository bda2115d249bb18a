//! Checks of TLS settings and of the certificates that they name.

use base64::Engine;

use crate::api::auth::SecretOrConfigMap;
use crate::api::core::SecretKeySelector;
use crate::assets::Asset;
use crate::client::{Tls, filled};
use crate::route::Path;
use crate::select::admit::{Admission, Check, Refusal, Within};

/// What can be told without looking at any Secret. Operator: `TLSConfig.Validate`.
pub(super) fn valid(path: &Path<'_>, tls: &Tls<'_>) -> Check {
    let refuse = |key: &'static str, message: &str| Err(Refusal::new(&path.key(key), message));
    let (ca, cert) = (tls.ca.filter(|s| is_set(s)), tls.cert.filter(|s| is_set(s)));
    if filled(tls.ca_file).is_some() && ca.is_some() {
        return refuse("caFile", "cannot specify both 'caFile' and 'ca'");
    }
    if filled(tls.cert_file).is_some() && cert.is_some() {
        return refuse("certFile", "cannot specify both 'certFile' and 'cert'");
    }
    if filled(tls.key_file).is_some() && tls.key.is_some() {
        return refuse("keyFile", "cannot specify both 'keyFile' and 'keySecret'");
    }
    for (key, selector) in [("ca", ca), ("cert", cert)] {
        if let Some(selector) = selector.filter(|s| s.secret.is_some() && s.config_map.is_some()) {
            let message = format!("{key} {}: cannot specify both Secret and ConfigMap", describe(selector));
            return refuse(key, &message);
        }
    }
    let has_cert = cert.is_some() || filled(tls.cert_file).is_some();
    let has_key = tls.key.is_some() || filled(tls.key_file).is_some();
    if has_cert && !has_key {
        return refuse("cert", "cannot specify client cert without client key");
    }
    if has_key && !has_cert {
        return refuse("keySecret", "cannot specify client key without client cert");
    }
    let versions = tls.min_version.zip(tls.max_version);
    if let Some((min, max)) = versions.filter(|(min, max)| min > max) {
        let message = format!("maxVersion must be greater than or equal to minVersion: {min:?} > {max:?}");
        return refuse("maxVersion", &message);
    }
    Ok(())
}

fn is_set(selector: &SecretOrConfigMap) -> bool {
    selector.secret.is_some() || selector.config_map.is_some()
}

/// How the operator's messages name a selector.
fn describe(selector: &SecretOrConfigMap) -> String {
    match (&selector.secret, &selector.config_map) {
        (Some(s), _) => format!("<secret={},key={}>", s.name, s.key),
        (None, Some(s)) => format!("<configmap={},key={}>", s.name, s.key),
        (None, None) => "<empty>".to_owned(),
    }
}

/// The certificates, and whether they are any.
pub(super) fn assets(cx: &mut Admission<'_>, path: &Path<'_>, tls: &Tls<'_>) -> Check {
    if let Some(ca) = tls.ca.filter(|s| is_set(s)) {
        let path = path.key("ca");
        let asset =
            content(cx, &path, ca).map_err(|r| prefixed(r, &format!("failed to get ca \"{}\"", describe(ca))))?;
        if let Asset::Content(bytes) = asset
            && pem(&bytes).is_none()
        {
            return Err(Refusal::new(&path, format!("ca {}: failed to decode PEM block", describe(ca))));
        }
    }
    let Some(cert) = tls.cert.filter(|s| is_set(s)) else { return Ok(()) };
    let failed = format!("failed to get cert \"{}\"", describe(cert));
    let certificate = content(cx, &path.key("cert"), cert).map_err(|r| prefixed(r, &failed))?;
    let Some(key) = tls.key else { return Ok(()) };
    let asset = cx.cx.assets.secret(cx.namespace, key);
    let private = cx
        .asset(&path.key("keySecret"), ("Secret", &key.name), asset)
        .map_err(|r| prefixed(r, &format!("failed to get key {}/{}", key.name, key.key)))?;
    pair(&path.key("cert"), (cert, &certificate), (key, &private))
}

fn prefixed(refusal: Refusal, prefix: &str) -> Refusal {
    Err::<(), _>(refusal).within(prefix).expect_err("an error stays one")
}

fn content(cx: &mut Admission<'_>, path: &Path<'_>, selector: &SecretOrConfigMap) -> Result<Asset, Refusal> {
    if let Some(secret) = &selector.secret {
        let asset = cx.cx.assets.secret(cx.namespace, secret);
        return cx.asset(&path.key("secret"), ("Secret", &secret.name), asset);
    }
    let Some(map) = &selector.config_map else { return Ok(Asset::Assumed) };
    let asset = cx.cx.assets.config_map(cx.namespace, map);
    cx.asset(&path.key("configMap"), ("ConfigMap", &map.name), asset)
}

/// A certificate and its key. Go: `tls.X509KeyPair`.
fn pair(
    path: &Path<'_>,
    (cert, certificate): (&SecretOrConfigMap, &Asset),
    (key, private): (&SecretKeySelector, &Asset),
) -> Check {
    let refuse = |message: &str| {
        let both = format!("cert {}, key <{}/{}>", describe(cert), key.name, key.key);
        Err(Refusal::new(path, format!("{both}: {message}")))
    };
    match certificate {
        Asset::Content(bytes) if pem(bytes).is_none() => {
            return refuse("tls: failed to find any PEM data in certificate input");
        }
        Asset::Content(_) | Asset::Assumed => {}
    }
    match private {
        Asset::Content(bytes) if pem(bytes).is_none() => refuse("tls: failed to find any PEM data in key input"),
        Asset::Content(_) | Asset::Assumed => Ok(()),
    }
}

/// The bytes of the first PEM block, if there is one.
fn pem(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let (kind, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once(&format!("-----END {kind}-----"))?;
    let body: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(body).ok()
}
