//! Checks of discovery by the APIs of clouds. Google's is never checked.

use crate::select::admit::sd::{BASIC_FIRST, BASIC_LAST, each, field, parts, supported};
use crate::select::admit::{Admission, Check, Refusal, http};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::api::scraping::scrape_config::cloud::{AzureAuthenticationMethod, AzureSdConfig, OpenStackRole};
use promgen_resources::gates::{self, Gate};
use promgen_resources::http_config::{Client, Part, filled};
use promgen_text::route::Path;

/// Azure. Only the method OAuth, which is the default, has its credentials and its client looked at.
/// Operator: `validateAzureSDConfigs`.
pub(super) fn azure(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("azureSDConfigs"), spec.azure_sd_configs.as_ref(), |cx, path, config| {
        azure_version(cx, path, config)?;
        match config.authentication_method {
            None | Some(AzureAuthenticationMethod::OAuth) => azure_oauth(cx, path, config),
            Some(
                AzureAuthenticationMethod::ManagedIdentity
                | AzureAuthenticationMethod::Sdk
                | AzureAuthenticationMethod::WorkloadIdentity,
            ) => Ok(()),
        }
    })
}

fn azure_version(cx: &Admission<'_>, path: &Path<'_>, config: &AzureSdConfig) -> Check {
    match config.authentication_method {
        Some(AzureAuthenticationMethod::Sdk) => {
            from_version(cx, &path.key("authenticationMethod"), &gates::AZURE_SD_SDK, "SDK authentication")?;
        }
        Some(AzureAuthenticationMethod::WorkloadIdentity) => {
            let gate = &gates::AZURE_SD_WORKLOAD_IDENTITY;
            from_version(cx, &path.key("authenticationMethod"), gate, "WorkloadIdentity authentication")?;
        }
        Some(AzureAuthenticationMethod::OAuth | AzureAuthenticationMethod::ManagedIdentity) | None => {}
    }
    let gate = &gates::AZURE_SD_RESOURCE_GROUP;
    if config.resource_group.is_some() && !cx.cx.has(gate) {
        let message = format!("ResourceGroup is only supported from Prometheus version >= {}", gate.since);
        return Err(Refusal::new(&path.key("resourceGroup"), message));
    }
    Ok(())
}

fn azure_oauth(cx: &mut Admission<'_>, path: &Path<'_>, config: &AzureSdConfig) -> Check {
    let needs = |key: &'static str| Err(Refusal::new(&path.key(key), format!("configuration requires a {key}")));
    if filled(config.tenant_id.as_deref()).is_none() {
        return needs("tenantID");
    }
    if filled(config.client_id.as_deref()).is_none() {
        return needs("clientID");
    }
    let Some(secret) = &config.client_secret else { return needs("clientSecret") };
    http::secret(cx, &path.key("clientSecret"), secret)?;
    let order = [Part::BasicAuth, Part::OAuth2, Part::Proxy, Part::Tls, Part::Authorization];
    parts(cx, path, &Client::from(&config.client), &order)
}

/// Refuses what the version lacks, with other words than most discoveries have.
fn from_version(cx: &Admission<'_>, path: &Path<'_>, gate: &Gate, what: &str) -> Check {
    if cx.cx.has(gate) {
        return Ok(());
    }
    Err(Refusal::new(path, format!("{what} is only supported from Prometheus version {}", gate.since)))
}

/// DigitalOcean. Operator: `validateDigitalOceanSDConfigs`.
pub(super) fn digitalocean(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("digitalOceanSDConfigs");
    supported(cx, &list, &gates::DIGITALOCEAN_SD, "service discovery for Digital Ocean")?;
    each(cx, &list, spec.digital_ocean_sd_configs.as_ref(), |cx, path, config| {
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// EC2. Operator: `validateEC2SDConfigs`.
pub(super) fn ec2(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("ec2SDConfigs"), spec.ec2_sd_configs.as_ref(), |cx, path, config| {
        aws_keys(cx, path, config.access_key.as_ref(), config.secret_key.as_ref())?;
        parts(cx, path, &Client::from(&config.client), &[Part::Tls, Part::Proxy])
    })
}

fn aws_keys(
    cx: &mut Admission<'_>,
    path: &Path<'_>,
    access: Option<&SecretKeySelector>,
    secret: Option<&SecretKeySelector>,
) -> Check {
    http::optional_secret(cx, &path.key("accessKey"), access)?;
    http::optional_secret(cx, &path.key("secretKey"), secret)
}

/// Hetzner. Operator: `validateHetznerSDConfigs`.
pub(super) fn hetzner(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("hetznerSDConfigs"), spec.hetzner_sd_configs.as_ref(), |cx, path, config| {
        let (set, gate) = (config.label_selector.is_some(), &gates::HETZNER_LABEL_SELECTOR);
        field(cx, &path.key("labelSelector"), set, gate, "field `labelSelector`")?;
        parts(cx, path, &Client::from(&config.client), BASIC_FIRST)
    })
}

/// IONOS. Operator: `validateIonosSDConfigs`.
pub(super) fn ionos(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("ionosSDConfigs");
    supported(cx, &list, &gates::IONOS_SD, "IONOS SD configuration")?;
    each(cx, &list, spec.ionos_sd_configs.as_ref(), |cx, path, config| {
        let (authorization, oauth2) = (Some(&config.authorization), config.oauth2.as_ref());
        let client = Client { authorization, oauth2, ..Client::from(&config.client) };
        parts(cx, path, &client, &[Part::Authorization, Part::Proxy, Part::Tls, Part::OAuth2])
    })
}

/// Lightsail. Operator: `validateLightSailSDConfigs`.
pub(super) fn lightsail(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("lightSailSDConfigs");
    supported(cx, &list, &gates::LIGHTSAIL_SD, "lightSail SD configuration")?;
    each(cx, &list, spec.light_sail_sd_configs.as_ref(), |cx, path, config| {
        aws_keys(cx, path, config.access_key.as_ref(), config.secret_key.as_ref())?;
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// Linode. Operator: `validateLinodeSDConfigs`.
pub(super) fn linode(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("linodeSDConfigs");
    supported(cx, &list, &gates::LINODE_SD, "linode SD configuration")?;
    each(cx, &list, spec.linode_sd_configs.as_ref(), |cx, path, config| {
        parts(cx, path, &Client::from(&config.client), BASIC_LAST)
    })
}

/// OpenStack. Operator: `validateOpenStackSDConfigs`.
pub(super) fn openstack(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("openstackSDConfigs"), spec.openstack_sd_configs.as_ref(), |cx, path, config| {
        if config.role == OpenStackRole::LoadBalancer {
            let gate = &gates::OPENSTACK_LOAD_BALANCER;
            from_version(cx, &path.key("role"), gate, "The LoadBalancer role")?;
        }
        http::optional_secret(cx, &path.key("password"), config.password.as_ref())?;
        let secret = config.application_credential_secret.as_ref();
        http::optional_secret(cx, &path.key("applicationCredentialSecret"), secret)?;
        let client = Client { tls: config.tls_config.as_ref(), ..Client::default() };
        parts(cx, path, &client, &[Part::Tls])
    })
}

/// OVHcloud. Operator: `validateOVHCloudSDConfigs`.
pub(super) fn ovhcloud(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("ovhcloudSDConfigs");
    supported(cx, &list, &gates::OVHCLOUD_SD, "OVHCloud SD configuration")?;
    each(cx, &list, spec.ovhcloud_sd_configs.as_ref(), |cx, path, config| {
        http::secret(cx, &path.key("applicationSecret"), &config.application_secret)?;
        http::secret(cx, &path.key("consumerKey"), &config.consumer_key)
    })
}

/// Scaleway. Operator: `validateScalewaySDConfigs`.
pub(super) fn scaleway(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("scalewaySDConfigs");
    supported(cx, &list, &gates::SCALEWAY_SD, "ScaleWay SD configuration")?;
    each(cx, &list, spec.scaleway_sd_configs.as_ref(), |cx, path, config| {
        http::secret(cx, &path.key("secretKey"), &config.secret_key)?;
        parts(cx, path, &Client::from(&config.client), &[Part::Proxy, Part::Tls])
    })
}
