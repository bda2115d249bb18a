//! Checks of service discoveries, in the operator's order and with its words.

mod cloud;
mod kubernetes;
mod plain;
mod platform;

use crate::select::admit::{Admission, Check, Refusal, Within, http, tls};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::gates::Gate;
use promgen_resources::http_config::{Client, Part, Tls};
use promgen_text::go::url::Url;
use promgen_text::route::Path;

/// A check of all discoveries of one kind. The path is that of the spec.
type Discovery = fn(&mut Admission<'_>, &Path<'_>, &ScrapeConfigSpec) -> Check;

/// The checks, in the operator's order, each with what stands in front of its messages.
static DISCOVERIES: &[(&str, Discovery)] = &[
    ("httpSDConfigs", plain::http),
    ("kubernetesSDConfigs", kubernetes::kubernetes),
    ("consulSDConfigs", platform::consul),
    ("dnsSDConfigs", plain::dns),
    ("ec2SDConfigs", cloud::ec2),
    ("azureSDConfigs", cloud::azure),
    ("openstackSDConfigs", cloud::openstack),
    ("digitalOceanSDConfigs", cloud::digitalocean),
    ("kumaSDConfigs", platform::kuma),
    ("eurekaSDConfigs", platform::eureka),
    ("dockerSDConfigs", platform::docker),
    ("linodeSDConfigs", cloud::linode),
    ("hetznerSDConfigs", cloud::hetzner),
    ("nomadSDConfigs", platform::nomad),
    ("dockerswarmSDConfigs", platform::dockerswarm),
    ("puppetDBSDConfigs", platform::puppetdb),
    ("lightSailSDConfigs", cloud::lightsail),
    ("OVHCloudSDConfigs", cloud::ovhcloud),
    ("ScalewaySDConfigs", cloud::scaleway),
    ("IonosSDConfigs", cloud::ionos),
];

/// Checks all discoveries of a ScrapeConfig.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn discoveries(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    DISCOVERIES.iter().try_for_each(|(prefix, check)| check(cx, spec_path, spec).within(prefix))
}

/// Checks each item of a list; messages name it by its number.
fn each<T>(
    cx: &mut Admission<'_>,
    path: &Path<'_>,
    items: Option<&Vec<T>>,
    check: impl Fn(&mut Admission<'_>, &Path<'_>, &T) -> Check,
) -> Check {
    for (index, item) in items.into_iter().flatten().enumerate() {
        check(cx, &path.index(index), item).within(&format!("[{index}]"))?;
    }
    Ok(())
}

/// Parts of a client that is read user name first.
const BASIC_FIRST: &[Part] = &[Part::BasicAuth, Part::Authorization, Part::OAuth2, Part::Tls, Part::Proxy];
/// Parts of a client that is read user name last.
const BASIC_LAST: &[Part] = &[Part::Authorization, Part::OAuth2, Part::Tls, Part::BasicAuth, Part::Proxy];

/// Checks parts of a client one after the other.
fn parts(cx: &mut Admission<'_>, path: &Path<'_>, client: &Client<'_>, parts: &[Part]) -> Check {
    parts.iter().try_for_each(|part| match part {
        Part::BasicAuth => http::basic_auth(cx, path, client.basic_auth),
        Part::Authorization => http::safe_authorization(cx, path, client.authorization),
        Part::OAuth2 => http::oauth2(cx, path, client.oauth2),
        Part::Tls => tls::tls(cx, path, client.tls.map(Tls::from)),
        Part::Proxy => client.proxy.map_or(Ok(()), |proxy| http::proxy(cx, path, proxy)),
    })
}

/// Refuses, on versions without it, a discovery or one of its fields: `what` is the operator's word for it. The operator
/// asks for some discoveries before it looks whether there are any, and so refuses every ScrapeConfig.
fn supported(cx: &Admission<'_>, path: &Path<'_>, gate: &Gate, what: &str) -> Check {
    if cx.cx.has(gate) {
        return Ok(());
    }
    Err(Refusal::new(path, format!("{what} is only supported for Prometheus version >= {}", gate.since.release())))
}

/// The same for a field, if it is set.
fn field(cx: &Admission<'_>, path: &Path<'_>, set: bool, gate: &Gate, what: &str) -> Check {
    if set { supported(cx, path, gate, what) } else { Ok(()) }
}

/// A URL that Go can read.
fn url(path: &Path<'_>, text: &str) -> Result<Url, Refusal> {
    Url::parse(text).map_err(|message| Refusal::new(path, message))
}

/// A URL with scheme and host. Operator: `validateServer`.
fn server(path: &Path<'_>, text: &str) -> Check {
    let url = Url::parse(text).map_err(|error| Refusal::new(path, format!("cannot parse server: {error}")))?;
    if url.scheme.is_empty() || url.host.is_empty() {
        return Err(Refusal::new(path, format!("must not be empty and have a scheme: {text}")));
    }
    Ok(())
}
