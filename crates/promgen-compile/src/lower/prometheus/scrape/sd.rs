//! Service discoveries of ScrapeConfigs: each kind in a file of its own, with its own order of keys.

pub(super) mod cloud;

mod consul;
mod dns;
mod docker;
mod dockerswarm;
mod eureka;
mod file;
mod http;
mod kubernetes;
mod kuma;
mod nomad;
mod puppetdb;

use crate::lower::Scope;
use crate::lower::prometheus::http as blocks;
use crate::lower::prometheus::http::{Auth, Tls, text, texts};
use crate::lower::prometheus::scrape::sd::cloud::azure;
use crate::lower::prometheus::scrape::sd::cloud::digitalocean;
use crate::lower::prometheus::scrape::sd::cloud::ec2;
use crate::lower::prometheus::scrape::sd::cloud::gce;
use crate::lower::prometheus::scrape::sd::cloud::hetzner;
use crate::lower::prometheus::scrape::sd::cloud::ionos;
use crate::lower::prometheus::scrape::sd::cloud::lightsail;
use crate::lower::prometheus::scrape::sd::cloud::linode;
use crate::lower::prometheus::scrape::sd::cloud::openstack;
use crate::lower::prometheus::scrape::sd::cloud::ovhcloud;
use crate::lower::prometheus::scrape::sd::cloud::scaleway;
use promgen_resources::api::scalar::Duration;
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::api::scraping::scrape_config::client::Filter;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// Writes all discoveries, in the operator's order.
#[rustfmt::skip]
pub(super) fn discoveries(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, spec: &ScrapeConfigSpec) {
    list(out, scope, "file_sd_configs", &path.key("fileSDConfigs"), spec.file_sd_configs.as_ref(), file::item);
    list(out, scope, "http_sd_configs", &path.key("httpSDConfigs"), spec.http_sd_configs.as_ref(), http::item);
    list(out, scope, "kubernetes_sd_configs", &path.key("kubernetesSDConfigs"), spec.kubernetes_sd_configs.as_ref(), kubernetes::item);
    list(out, scope, "consul_sd_configs", &path.key("consulSDConfigs"), spec.consul_sd_configs.as_ref(), consul::item);
    list(out, scope, "dns_sd_configs", &path.key("dnsSDConfigs"), spec.dns_sd_configs.as_ref(), dns::item);
    list(out, scope, "ec2_sd_configs", &path.key("ec2SDConfigs"), spec.ec2_sd_configs.as_ref(), ec2::item);
    list(out, scope, "azure_sd_configs", &path.key("azureSDConfigs"), spec.azure_sd_configs.as_ref(), azure::item);
    list(out, scope, "gce_sd_configs", &path.key("gceSDConfigs"), spec.gce_sd_configs.as_ref(), gce::item);
    list(out, scope, "openstack_sd_configs", &path.key("openstackSDConfigs"), spec.openstack_sd_configs.as_ref(), openstack::item);
    list(out, scope, "digitalocean_sd_configs", &path.key("digitalOceanSDConfigs"), spec.digital_ocean_sd_configs.as_ref(), digitalocean::item);
    list(out, scope, "kuma_sd_configs", &path.key("kumaSDConfigs"), spec.kuma_sd_configs.as_ref(), kuma::item);
    list(out, scope, "eureka_sd_configs", &path.key("eurekaSDConfigs"), spec.eureka_sd_configs.as_ref(), eureka::item);
    list(out, scope, "docker_sd_configs", &path.key("dockerSDConfigs"), spec.docker_sd_configs.as_ref(), docker::item);
    list(out, scope, "linode_sd_configs", &path.key("linodeSDConfigs"), spec.linode_sd_configs.as_ref(), linode::item);
    list(out, scope, "hetzner_sd_configs", &path.key("hetznerSDConfigs"), spec.hetzner_sd_configs.as_ref(), hetzner::item);
    list(out, scope, "nomad_sd_configs", &path.key("nomadSDConfigs"), spec.nomad_sd_configs.as_ref(), nomad::item);
    list(out, scope, "dockerswarm_sd_configs", &path.key("dockerSwarmSDConfigs"), spec.docker_swarm_sd_configs.as_ref(), dockerswarm::item);
    list(out, scope, "puppetdb_sd_configs", &path.key("puppetDBSDConfigs"), spec.puppet_db_sd_configs.as_ref(), puppetdb::item);
    list(out, scope, "lightsail_sd_configs", &path.key("lightSailSDConfigs"), spec.light_sail_sd_configs.as_ref(), lightsail::item);
    list(out, scope, "ovhcloud_sd_configs", &path.key("ovhcloudSDConfigs"), spec.ovhcloud_sd_configs.as_ref(), ovhcloud::item);
    list(out, scope, "scaleway_sd_configs", &path.key("scalewaySDConfigs"), spec.scaleway_sd_configs.as_ref(), scaleway::item);
    list(out, scope, "ionos_sd_configs", &path.key("ionosSDConfigs"), spec.ionos_sd_configs.as_ref(), ionos::item);
}

/// Writes the discoveries of one kind, if there are any.
fn list<T>(
    out: &mut Map,
    scope: &mut Scope<'_>,
    key: &'static str,
    path: &Path<'_>,
    configs: Option<&Vec<T>>,
    item: impl Fn(&mut Scope<'_>, &Path<'_>, &T) -> Map,
) {
    let Some(configs) = configs.filter(|configs| !configs.is_empty()) else { return };
    let items = configs.iter().enumerate().map(|(index, config)| item(scope, &path.index(index), config));
    out.push(key, items.collect::<Vec<_>>());
}

/// Writes parts of a client one after the other.
fn parts(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, client: &Client<'_>, parts: &[Part]) {
    for part in parts {
        match part {
            Part::BasicAuth => blocks::basic_auth(out, scope, client.basic_auth),
            Part::Authorization => blocks::authorization(out, scope, path, client.authorization.map(Auth::from)),
            Part::OAuth2 => blocks::oauth2(out, scope, path, client.oauth2),
            Part::Tls => blocks::tls(out, scope, path, client.tls.map(Tls::from)),
            Part::Proxy => {
                if let Some(proxy) = client.proxy {
                    blocks::proxy(out, scope, path, proxy);
                }
            }
        }
    }
}

/// The order in which most kinds begin.
const CREDENTIALS: &[Part] = &[Part::BasicAuth, Part::Authorization, Part::OAuth2, Part::Proxy];

/// `follow_redirects`. Unlike that of a job it is not left out for old versions.
fn follow_redirects(out: &mut Map, client: &Client<'_>) {
    out.push_some("follow_redirects", client.follow_redirects);
}

/// `enable_http2`. Unlike that of a job it is not left out for old versions.
fn enable_http2(out: &mut Map, client: &Client<'_>) {
    out.push_some("enable_http2", client.enable_http2);
}

/// A text, if it is set.
fn push_text(out: &mut Map, key: &'static str, value: Option<&String>) {
    out.push_some(key, value.map(|value| text(value)));
}

/// Texts, if there are any.
fn push_texts(out: &mut Map, key: &'static str, values: Option<&Vec<String>>) {
    out.push_some(key, values.filter(|v| !v.is_empty()).map(|v| texts(v)));
}

/// `refresh_interval`, as the user wrote it, even if it is empty.
fn refresh_interval(out: &mut Map, interval: Option<&Duration>) {
    out.push_some("refresh_interval", interval.map(|i| text(i.as_str())));
}

/// `filters`, by name.
fn filters(filters: Option<&Vec<Filter>>) -> Option<Value> {
    let mut filters: Vec<&Filter> = filters.filter(|f| !f.is_empty())?.iter().collect();
    filters.sort_by(|a, b| a.name.cmp(&b.name));
    let item = |filter: &Filter| Map::new().with("name", text(&filter.name)).with("values", texts(&filter.values));
    Some(filters.into_iter().map(item).collect::<Vec<_>>().into())
}
