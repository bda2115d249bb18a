//! Checks of TLS settings and of the certificates that they name.

use crate::cluster::assets::{Asset, ContentFault, SecretBytes, tls_file, tls_file_of_secret};
use crate::select::admit::{Check, InField, ReferenceReader, Refusal, Refuse};
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates::{self, Versions};
use promgen_resources::http_config::{Tls, filled};
use promgen_resources::secrecy::REDACTED;
use promgen_text::go::tls::{key_pair, pem, x509};
use promgen_text::route::Path;

/// The checks that need no Secret. Operator: `TLSConfig.Validate`, `SafeTLSConfig.Validate`.
pub fn valid(versions: &Versions, path: &Path<'_>, tls: &Tls<'_>) -> Check {
    let is_newer = versions.has(&gates::TLS_SOURCES_FIRST);
    if !tls.with_files || is_newer {
        sources_valid(versions, path, tls)?;
    }
    if !tls.with_files {
        return pair_valid(path, tls);
    }
    certificate_valid(versions, path, "ca", tls.ca, "caFile", tls.ca_file)?;
    certificate_valid(versions, path, "cert", tls.cert, "certFile", tls.cert_file)?;
    if filled(tls.key_file).is_some() && tls.key.is_some() {
        return path
            .key("keyFile")
            .refuse("cannot specify both 'keyFile' and 'keySecret'");
    }
    pair_valid(path, tls)?;
    if is_newer {
        Ok(())
    } else {
        in_order(
            path,
            tls,
            "'maxVersion' must greater than or equal to 'minVersion'",
        )
    }
}

/// The grammar is the operator's.
const MORE: &str = "maxVersion must more than or equal to minVersion";

/// The least version is not above the greatest one.
fn in_order(path: &Path<'_>, tls: &Tls<'_>, message: &str) -> Check {
    match tls
        .min_version
        .zip(tls.max_version)
        .is_some_and(|(min, max)| max < min)
    {
        true => path.key("maxVersion").refuse(message),
        false => Ok(()),
    }
}

/// The checks that come before those of files and of keys: each certificate has one selector, and the versions are in order.
pub fn sources_valid(versions: &Versions, path: &Path<'_>, tls: &Tls<'_>) -> Check {
    certificate_valid(versions, path, "ca", tls.ca, "caFile", None)?;
    certificate_valid(versions, path, "cert", tls.cert, "certFile", None)?;
    in_order(path, tls, MORE)
}

/// Checks that a certificate has one source: a file, a Secret or a ConfigMap.
fn certificate_valid(
    versions: &Versions,
    path: &Path<'_>,
    key: &'static str,
    selector: Option<&SecretOrConfigMap>,
    file_key: &'static str,
    file: Option<&str>,
) -> Check {
    let Some(selector) = selector else {
        return Ok(());
    };
    if filled(file).is_some() {
        let message = format!("cannot specify both '{file_key}' and '{key}'");
        return path.key(file_key).refuse(message);
    }
    if selector.secret.is_some() && selector.config_map.is_some() {
        let named = if versions.has(&gates::TLS_SOURCES_NAMED) {
            format!(" {}", describe(selector))
        } else {
            String::new()
        };
        let message = format!("{key}{named}: cannot specify both Secret and ConfigMap");
        return path.key(key).refuse(message);
    }
    Ok(())
}

/// Checks that a client certificate has a key.
fn pair_valid(path: &Path<'_>, tls: &Tls<'_>) -> Check {
    let has_cert = tls.cert.is_some() || filled(tls.cert_file).is_some();
    let has_key = tls.key.is_some() || filled(tls.key_file).is_some();
    let (no_key, no_cert) = match tls.with_files {
        true => (
            "cannot specify client cert without client key",
            "cannot specify client key without client cert",
        ),
        false => (
            "client cert specified without client key",
            "client key specified without client cert",
        ),
    };
    match (has_cert, has_key) {
        (true, false) => path.key("cert").refuse(no_key),
        (false, true) => path.key("keySecret").refuse(no_cert),
        (true, true) | (false, false) => Ok(()),
    }
}

/// A selector in the operator's messages.
fn describe(selector: &SecretOrConfigMap) -> String {
    match (&selector.secret, &selector.config_map) {
        (Some(s), _) => format!("<secret={},key={}>", s.name, s.key),
        (None, Some(s)) => format!("<configmap={},key={}>", s.name, s.key),
        (None, None) => "<empty>".to_owned(),
    }
}

/// `tlsConfig` of a block: whether it makes sense, whether its certificates are there, and whether they are any.
/// Operator: `AddTLSConfig`, `AddSafeTLSConfig`.
pub fn tls(cx: &mut ReferenceReader<'_>, path: &Path<'_>, tls: Option<Tls<'_>>) -> Check {
    let Some(tls) = tls else { return Ok(()) };
    let path = path.key("tlsConfig");
    valid(cx.versions, &path, &tls).within("failed to validate TLS configuration")?;
    let ca = tls
        .ca
        .map(|ca| read(cx, &path.key("ca"), ca, "ca"))
        .transpose()?;
    let cert = tls
        .cert
        .map(|cert| read(cx, &path.key("cert"), cert, "cert"))
        .transpose()?;
    let key = tls
        .key
        .map(|key| read_key(cx, &path.key("keySecret"), key))
        .transpose()?;
    if let Some((selector, asset)) = tls.ca.zip(ca.filter(is_filled)) {
        authority(&path.key("ca"), selector, &asset)?;
        // Only what was checked becomes a file of the pods.
        keep(cx, selector, &asset);
    }
    // An empty value counts as a certificate that is not set.
    let (cert, key) = (
        tls.cert.zip(cert.filter(is_filled)),
        tls.key.zip(key.filter(is_filled)),
    );
    if let Some(((cert, certificate), (key, private))) = cert.zip(key) {
        pair(&path.key("cert"), cert, &certificate, key, &private)?;
        keep(cx, cert, &certificate);
        cx.assets
            .add_tls(tls_file_of_secret(cx.namespace, key), &private);
    }
    Ok(())
}

fn is_filled(asset: &Asset) -> bool {
    match asset {
        Asset::Content(bytes) => !bytes.is_empty(),
        Asset::Assumed => true,
    }
}

/// Adds a certificate to the files of the pods.
fn keep(cx: &ReferenceReader<'_>, selector: &SecretOrConfigMap, asset: &Asset) {
    if let Some(file) = tls_file(cx.namespace, selector) {
        cx.assets.add_tls(file, asset);
    }
}

fn read(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: &SecretOrConfigMap,
    what: &str,
) -> Result<Asset, Refusal> {
    let (place, kind, name, asset) = match (&selector.secret, &selector.config_map) {
        // That both are set was refused before.
        (Some(s), _) => (
            "secret",
            "Secret",
            &s.name,
            cx.assets.secret(cx.namespace, s),
        ),
        (None, Some(s)) => (
            "configMap",
            "ConfigMap",
            &s.name,
            cx.assets.config_map(cx.namespace, s),
        ),
        (None, None) => return Ok(Asset::Content(SecretBytes::public(Vec::new()))),
    };
    let asset = cx.asset(&path.key(place), kind, name, asset);
    asset.within(&format!("failed to get {what} \"{}\"", describe(selector)))
}

fn read_key(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: &SecretKeySelector,
) -> Result<Asset, Refusal> {
    let asset = cx.assets.secret(cx.namespace, selector);
    let asset = cx.asset(path, "Secret", &selector.name, asset);
    asset.within(&format!(
        "failed to get key {}/{}",
        selector.name, selector.key
    ))
}

fn authority(path: &Path<'_>, selector: &SecretOrConfigMap, asset: &Asset) -> Check {
    let Asset::Content(bytes) = asset else {
        return Ok(());
    };
    let checked = bytes.check(|bytes| match pem::blocks(bytes).next() {
        None => Err(ContentFault::plain("failed to decode PEM block")),
        // Only the first block: what follows it is not looked at.
        Some(block) => match x509::certificate(&block.bytes) {
            Err(error) => Err(ContentFault::plain(format!(
                "failed to parse certificate: {error}"
            ))),
            Ok(_) => Ok(()),
        },
    });
    checked.map_err(|error| Refusal::new(path, format!("ca {}: {error}", describe(selector))))
}

/// A certificate and its key.
fn pair(
    path: &Path<'_>,
    cert: &SecretOrConfigMap,
    certificate: &Asset,
    key: &SecretKeySelector,
    private: &Asset,
) -> Check {
    let (Asset::Content(certificate), Asset::Content(private)) = (certificate, private) else {
        return Ok(());
    };
    let checked = certificate.check_with(private, |certificate, private| {
        key_pair::check(certificate, private).map_err(|error| without_types(&error))
    });
    checked.map_err(|error| {
        Refusal::new(
            path,
            format!(
                "cert {}, key <{}/{}>: {error}",
                describe(cert),
                key.name,
                key.key
            ),
        )
    })
}

/// Go lists the types of the PEM blocks that it skips, which are free text.
fn without_types(error: &str) -> ContentFault {
    let types = error.find('[').unwrap_or(error.len());
    let redacted = if types < error.len() {
        format!("{}[{REDACTED}]", &error[..types])
    } else {
        error.to_owned()
    };
    ContentFault::new(error, redacted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_scrape_class_are_in_order() {
        let versions = Versions::of_target(&promgen_resources::gates::Target::default());
        let refused = |min, max| {
            let tls = Tls {
                min_version: min,
                max_version: max,
                ..Tls::default()
            };
            sources_valid(&versions, &Path::root(), &tls)
                .err()
                .map(|refusal| refusal.message)
        };
        for (min, max) in [
            (None, None),
            (Some("TLS13"), None),
            (None, Some("TLS10")),
            (Some("TLS12"), Some("TLS12")),
        ] {
            assert_eq!(refused(min, max), None, "{min:?} {max:?}");
        }
        assert_eq!(refused(Some("TLS11"), Some("TLS12")), None);
        let message = "maxVersion must more than or equal to minVersion";
        assert_eq!(
            refused(Some("TLS12"), Some("TLS11")).as_deref(),
            Some(message)
        );
    }

    #[test]
    fn versions_come_before_the_key_of_a_certificate() {
        let versions = Versions::of_target(&promgen_resources::gates::Target::default());
        let cert = SecretOrConfigMap::default();
        let tls = Tls {
            cert: Some(&cert),
            min_version: Some("TLS12"),
            max_version: Some("TLS10"),
            ..Tls::default()
        };
        let refused = |tls: &Tls<'_>| {
            valid(&versions, &Path::root(), tls)
                .err()
                .map(|refusal| refusal.message)
        };
        assert_eq!(
            refused(&tls).as_deref(),
            Some("maxVersion must more than or equal to minVersion")
        );
        let message = "client cert specified without client key";
        assert_eq!(
            refused(&Tls {
                min_version: None,
                ..tls
            })
            .as_deref(),
            Some(message)
        );
    }

    #[test]
    fn types_of_blocks_are_hidden() {
        let fault = without_types("skipped blocks of the types [s3cret]");
        assert_eq!(
            fault.clone().message(true),
            "skipped blocks of the types [s3cret]"
        );
        assert_eq!(
            fault.message(false),
            format!("skipped blocks of the types [{REDACTED}]")
        );
        assert_eq!(without_types("no blocks").message(false), "no blocks");
    }
}
