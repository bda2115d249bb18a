//! Checks selected Probes.

use crate::paths::SPEC;
use crate::select::admit::{
    Admission, Check, InField, Refusal, Refuse, http, label_names, relabelings, scrape_class,
    timeout,
};
use promgen_resources::api::scraping::probe::{Probe, ProbeTargets};
use promgen_resources::gates;
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::go::host;
use promgen_text::go::quote::quote;
use promgen_text::route::Path;

/// Checks a Probe. Operator: `checkProbe`.
///
/// # Errors
/// The first reason against it.
pub fn probe(cx: &mut Admission<'_>, probe: &Probe) -> Check {
    let spec = &probe.spec;
    // First here, and last for the other monitors.
    scrape_class(cx, &SPEC, spec.scrape_class.as_deref()).within("scrapeClassName")?;
    let targets = spec
        .targets
        .as_ref()
        .filter(|t| t.static_config.is_some() || t.ingress.is_some());
    let Some(targets) = targets else {
        let message =
            "at least one of .spec.targets.staticConfig and .spec.targets.ingress is required";
        return SPEC.key("targets").refuse(message);
    };
    let client = Client::from(spec);
    http::optional_secret(
        cx,
        &SPEC.key("bearerTokenSecret"),
        client.bearer_token_secret,
    )
    .within("bearerTokenSecret")?;
    http::named(
        cx,
        &SPEC,
        &client,
        &[
            ClientPart::BasicAuth,
            ClientPart::Tls,
            ClientPart::Authorization,
            ClientPart::OAuth2,
        ],
    )?;
    timeout(
        cx,
        &SPEC,
        spec.interval.as_ref(),
        spec.scrape_timeout.as_ref(),
    )?;
    let metric = spec.metric_relabelings.as_ref();
    relabelings(cx, &SPEC.key("metricRelabelings"), metric).within("metricRelabelConfigs")?;
    check_targets(cx, &SPEC.key("targets"), targets)?;
    let path = SPEC.key("prober");
    if let Some(prober) = &spec.prober {
        http::proxy(cx, &path, &prober.proxy).within("proxy configuration")?;
    }
    // The prober comes last of all: its URL is checked even if nothing is probed.
    let check = if cx.cx.has(&gates::PROBER_ADDRESSES) {
        check_host
    } else {
        check_parts
    };
    prober_url(
        &path.key("url"),
        check,
        spec.prober.as_ref().map_or("", |prober| &prober.url),
    )
}

fn check_targets(cx: &Admission<'_>, path: &Path<'_>, targets: &ProbeTargets) -> Check {
    if let Some(list) = &targets.static_config {
        let path = path.key("staticConfig");
        if cx.cx.has(&gates::PROBE_LABELS_CHECK) {
            label_names(cx, &path.key("labels"), list.labels.as_ref())
                .within("targets.staticConfig.labels")?;
        }
        let rules = list.relabeling_configs.as_ref();
        relabelings(cx, &path.key("relabelingConfigs"), rules)
            .within("targets.staticConfig.relabelConfigs")?;
    }
    // Both lists are checked, although only the static one is used if both are there.
    let Some(ingress) = &targets.ingress else {
        return Ok(());
    };
    let path = path.key("ingress");
    let rules = ingress.relabeling_configs.as_ref();
    relabelings(cx, &path.key("relabelingConfigs"), rules).within("targets.ingress.relabelConfigs")
}

fn prober_url(path: &Path<'_>, check: fn(&str) -> Result<(), String>, url: &str) -> Check {
    check(url).map_err(|fault| {
        let format = "it should be of the format `hostname` or `hostname:port`";
        let message = format!(
            "{} url specified in proberSpec is invalid, {format}: {fault}",
            quote(url)
        );
        Refusal::new(path, message)
    })
}

/// A host, or a host and a port, as older releases check it: by the first two of the parts between colons, so that no
/// IPv6 address passes.
fn check_parts(url: &str) -> Result<(), String> {
    let mut parts = url.split(':');
    check_both(parts.next().unwrap_or_default(), parts.next())
}

fn check_both(host: &str, port: Option<&str>) -> Result<(), String> {
    if !host::is_host(host) {
        return Err(format!("invalid host: {}", quote(host)));
    }
    match port {
        Some(port) if !host::is_port(port) => Err(format!("invalid port: {}", quote(port))),
        Some(_) | None => Ok(()),
    }
}

/// A host, or a host and a port. Operator: `validateProberURL`.
fn check_host(url: &str) -> Result<(), String> {
    // What does not split is a host without a port.
    let (host, port) = host::split(url).map_or((url, None), |(host, port)| (host, Some(port)));
    check_both(host, port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_may_have_a_port() {
        for url in [
            "blackbox",
            "blackbox:9115",
            "10.0.0.1:9115",
            "blackbox.monitoring.svc:80",
        ] {
            assert_eq!(
                (check_parts(url), check_host(url)),
                (Ok(()), Ok(())),
                "{url}"
            );
        }
        let both = |url: &str| {
            let (parts, host) = (check_parts(url).unwrap_err(), check_host(url).unwrap_err());
            assert_eq!(parts, host);
            host
        };
        assert_eq!(both("black box"), "invalid host: \"black box\"");
        assert_eq!(both("blackbox:http"), "invalid port: \"http\"");
        // Older releases see the parts of an IPv6 address.
        assert_eq!(check_host("[::1]:9115"), Ok(()));
        assert!(check_parts("[::1]:9115").is_err());
    }
}
