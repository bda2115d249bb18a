//! Checks of discovery by orchestrators and registries.

use crate::select::admit::sd::{BASIC_LAST, each, field, parts, server, supported, url};
use crate::select::admit::{Admission, Check, Refusal, Within, http};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::api::scraping::scrape_config::platform::{ConsulSdConfig, PuppetDbSdConfig};
use promgen_resources::gates;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;

/// Consul. Messages about versions do not say which item they are about. Operator: `validateConsulSDConfigs`.
pub(super) fn consul(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("consulSDConfigs");
    for (index, config) in spec.consul_sd_configs.iter().flatten().enumerate() {
        let path = list.index(index);
        consul_fields(cx, &path, config)?;
        consul_client(cx, &path, config).within(&format!("[{index}]"))?;
    }
    Ok(())
}

fn consul_fields(cx: &Admission<'_>, path: &Path<'_>, config: &ConsulSdConfig) -> Check {
    let fields = [
        ("pathPrefix", config.path_prefix.is_some(), &gates::CONSUL_PATH_PREFIX, "field `config.PathPrefix`"),
        ("namespace", config.namespace.is_some(), &gates::CONSUL_NAMESPACE, "field `config.Namespace`"),
        ("filter", config.filter.is_some(), &gates::CONSUL_FILTER, "field `config.Filter`"),
        ("healthFilter", config.health_filter.is_some(), &gates::CONSUL_HEALTH_FILTER, "field `config.HealthFilter`"),
    ];
    fields.iter().try_for_each(|(key, set, gate, what)| field(cx, &path.key(key), *set, gate, what))
}

fn consul_client(cx: &mut Admission<'_>, path: &Path<'_>, config: &ConsulSdConfig) -> Check {
    let client = Client::from(&config.client);
    parts(cx, path, &client, &[Part::BasicAuth, Part::Authorization, Part::OAuth2, Part::Tls])?;
    http::optional_secret(cx, &path.key("tokenRef"), config.token_ref.as_ref())?;
    parts(cx, path, &client, &[Part::Proxy])
}

/// Docker. Operator: `validateDockerSDConfigs`.
pub(super) fn docker(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("dockerSDConfigs"), spec.docker_sd_configs.as_ref(), |cx, path, config| {
        let (set, gate) = (config.match_first_network.is_some(), &gates::DOCKER_MATCH_FIRST_NETWORK);
        field(cx, &path.key("matchFirstNetwork"), set, gate, "field `matchFirstNetwork`")?;
        let client = Client::from(&config.client);
        parts(cx, path, &client, &[Part::BasicAuth, Part::Authorization, Part::OAuth2, Part::Tls])?;
        url(&path.key("host"), &config.host)?;
        parts(cx, path, &client, &[Part::Proxy])
    })
}

/// Docker swarms. Operator: `validateDockerSwarmSDConfigs`.
pub(super) fn dockerswarm(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("dockerSwarmSDConfigs");
    supported(cx, &list, &gates::DOCKERSWARM_SD, "dockerswarm SD configuration")?;
    each(cx, &list, spec.docker_swarm_sd_configs.as_ref(), |cx, path, config| {
        url(&path.key("host"), &config.host)?;
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// Eureka. Operator: `validateEurekaSDConfigs`.
pub(super) fn eureka(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("eurekaSDConfigs"), spec.eureka_sd_configs.as_ref(), |cx, path, config| {
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// Kuma. The message about the version does not say which item it is about. Operator: `validateKumaSDConfigs`.
pub(super) fn kuma(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("kumaSDConfigs");
    for (index, config) in spec.kuma_sd_configs.iter().flatten().enumerate() {
        let path = list.index(index);
        let (set, gate) = (config.client_id.is_some(), &gates::KUMA_CLIENT_ID);
        field(cx, &path.key("clientID"), set, gate, "field `clientID` in kuma SD configuration")?;
        let checked = server(&path.key("server"), &config.server)
            .and_then(|()| parts(cx, &path, &Client::from(&config.client), BASIC_LAST));
        checked.within(&format!("[{index}]"))?;
    }
    Ok(())
}

/// Nomad. Operator: `validateNomadSDConfigs`.
pub(super) fn nomad(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("nomadSDConfigs"), spec.nomad_sd_configs.as_ref(), |cx, path, config| {
        server(&path.key("server"), &config.server)?;
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// PuppetDB. Operator: `validatePuppetDBSDConfigs`.
pub(super) fn puppetdb(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("puppetDBSDConfigs");
    supported(cx, &list, &gates::PUPPETDB_SD, "puppetDB SD configuration")?;
    each(cx, &list, spec.puppet_db_sd_configs.as_ref(), |cx, path, config| {
        puppetdb_url(&path.key("url"), config)?;
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

fn puppetdb_url(path: &Path<'_>, config: &PuppetDbSdConfig) -> Check {
    let url = url(path, &config.url)?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return Err(Refusal::new(path, "URL scheme must be 'http' or 'https'"));
    }
    if url.host.is_empty() {
        return Err(Refusal::new(path, "host is missing in URL"));
    }
    Ok(())
}
