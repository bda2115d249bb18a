//! The kinds of service discovery: a row for each, and functions for the checks that a row cannot express.

use crate::cluster::Object;
use crate::context::WorkloadContext;
use crate::section::{
    Gated, SectionEntry, SectionField, ValueFate, WriteWhen, computed, filled, lower, part, parts,
    plain, secret, selector, to,
};
use crate::select::admit::Refuse;
use crate::select::admit::sd::{FOR, SdCheck, SdKind, entries, supported, url};
use crate::select::admit::{Admission, Check, Refusal, http};
use promgen_prometheus::labels::text;
use promgen_resources::api::scraping::scrape_config::ScrapeConfig;
use promgen_resources::api::scraping::scrape_config::cloud::AzureAuthenticationMethod;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::{Auth, Client, ClientPart, Tls};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// Parts of a client that is checked user name first.
const BASIC_FIRST: SdCheck = SdCheck::Client(&[
    ClientPart::BasicAuth,
    ClientPart::Authorization,
    ClientPart::OAuth2,
    ClientPart::Tls,
    ClientPart::Proxy,
]);
/// Parts of a client that is checked user name last.
const BASIC_LAST: SdCheck = SdCheck::Client(&[
    ClientPart::Authorization,
    ClientPart::OAuth2,
    ClientPart::Tls,
    ClientPart::BasicAuth,
    ClientPart::Proxy,
]);

/// The parts with which most kinds begin.
const CREDENTIALS: SectionField = parts(&[
    ClientPart::BasicAuth,
    ClientPart::Authorization,
    ClientPart::OAuth2,
    ClientPart::Proxy,
]);
const TLS: SectionField = part("tlsConfig", &[ClientPart::Tls]);
// Unlike those of a job these are not left out for old versions.
const FOLLOW: SectionField = plain("followRedirects", "follow_redirects");
const HTTP2: SectionField = plain("enableHTTP2", "enable_http2");
const PORT: SectionField = plain("port", "port");
const REFRESH: SectionField = plain("refreshInterval", "refresh_interval");

/// The defaults of a row: no checks, no fields.
const NONE: SdKind = SdKind {
    field: "",
    prefix: None,
    gate: None,
    replaced: None,
    entries: |_| Vec::new(),
    has_numbered_gates: true,
    tests: &[],
    output: &[],
};

/// The kinds, in the operator's order.
#[rustfmt::skip]
pub(crate) static KINDS: &[SdKind] = &[
    SdKind {
        field: "fileSDConfigs",
        entries: |spec| entries(&spec.file_sd_configs, |_| Client::default()),
        output: &[plain("files", "files"), REFRESH],
        ..NONE
    },
    SdKind {
        field: "httpSDConfigs",
        gate: Some((&gates::HTTP_SD, "HTTP SD configuration")),
        entries: |spec| entries(&spec.http_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Url("url"), BASIC_FIRST],
        output: &[
            parts(&[ClientPart::BasicAuth, ClientPart::Authorization, ClientPart::Tls, ClientPart::Proxy, ClientPart::OAuth2]),
            plain("url", "url"), REFRESH, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "kubernetesSDConfigs",
        entries: |spec| entries(&spec.kubernetes_sd_configs, |config| Client::from(&config.client)),
        tests: &[BASIC_FIRST, SdCheck::With(kubernetes), SdCheck::Spaced(selector_roles), SdCheck::With(selectors_parse)],
        output: &[
            plain("apiServer", "api_server"), to("role", "role", lower), CREDENTIALS, FOLLOW, HTTP2, TLS,
            to("namespaces", "namespaces", namespaces),
            to("selectors", "selectors", selectors).needs(&gates::SD_SELECTORS),
            computed("attachMetadata", "attach_metadata", attach_metadata),
        ],
        ..NONE
    },
    SdKind {
        field: "consulSDConfigs",
        entries: |spec| entries(&spec.consul_sd_configs, |config| Client::from(&config.client)),
        has_numbered_gates: false,
        tests: &[
            SdCheck::Client(&[ClientPart::BasicAuth, ClientPart::Authorization]),
            SdCheck::Since(&gates::CONSUL_OAUTH2, &SdCheck::Client(&[ClientPart::OAuth2])),
            SdCheck::Client(&[ClientPart::Tls]), SdCheck::Secret("tokenRef"),
            SdCheck::Client(&[ClientPart::Proxy]),
        ],
        output: &[
            parts(&[ClientPart::BasicAuth, ClientPart::Authorization]),
            part("oauth2", &[ClientPart::OAuth2]).needs(&gates::CONSUL_OAUTH2), parts(&[ClientPart::Proxy]), TLS, plain("server", "server"),
            plain("pathPrefix", "path_prefix")
                .gate(since(&gates::CONSUL_PATH_PREFIX, "field `config.PathPrefix`")),
            secret("tokenRef", "token"), plain("datacenter", "datacenter"),
            plain("namespace", "namespace").gate(since(&gates::CONSUL_NAMESPACE, "field `config.Namespace`")),
            plain("partition", "partition"), to("scheme", "scheme", lower), to("services", "services", filled),
            to("tags", "tags", filled), plain("tagSeparator", "tag_separator"), to("nodeMeta", "node_meta", filled),
            plain("filter", "filter").gate(since(&gates::CONSUL_FILTER, "field `config.Filter`")),
            plain("healthFilter", "health_filter")
                .gate(since(&gates::CONSUL_HEALTH_FILTER, "field `config.HealthFilter`")),
            plain("allowStale", "allow_stale"), REFRESH, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "dnsSDConfigs",
        entries: |spec| entries(&spec.dns_sd_configs, |_| Client::default()),
        tests: &[SdCheck::With(dns_port)],
        output: &[
            plain("names", "names"), REFRESH,
            plain("type", "type").gate(Gated::dropped(&gates::DNS_NS).of("NS"))
                .gate(Gated::dropped(&gates::DNS_MX).of("MX")),
            PORT,
        ],
        ..NONE
    },
    SdKind {
        field: "ec2SDConfigs",
        replaced: Some(([&gates::AWS_SD_REFUSED, &gates::AWS_SD], "EC2 SD configuration is only supported for Prometheus version < 3.8.0. For Prometheus 3.8.0 onwards, please use AWS SD")),
        entries: |spec| entries(&spec.ec2_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Secret("accessKey"), SdCheck::Secret("secretKey"), SdCheck::Client(&[ClientPart::Tls, ClientPart::Proxy])],
        output: &[
            parts(&[ClientPart::Proxy]), plain("region", "region"),
            secret("accessKey", "access_key").when(WriteWhen::With("secretKey")), secret("secretKey", "secret_key").when(WriteWhen::With("accessKey")),
            plain("roleARN", "role_arn"), REFRESH, PORT,
            to("filters", "filters", filters).needs(&gates::EC2_FILTERS),
            FOLLOW.needs(&gates::EC2_HTTP_CLIENT),
            HTTP2.needs(&gates::EC2_HTTP_CLIENT),
            TLS.needs(&gates::EC2_HTTP_CLIENT),
        ],
        ..NONE
    },
    SdKind {
        field: "azureSDConfigs",
        entries: |spec| entries(&spec.azure_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::With(azure_oauth)],
        output: &[
            TLS.when(AZURE_NEVER), FOLLOW.when(AZURE_NEVER), HTTP2.when(AZURE_NEVER),
            plain("environment", "environment"),
            part("basicAuth", &[ClientPart::BasicAuth]).needs(&gates::AZURE_SD_CLIENT).when(AZURE_FORGETS),
            part("authorization", &[ClientPart::Authorization]).needs(&gates::AZURE_SD_CLIENT).when(AZURE_FORGETS),
            part("oauth2", &[ClientPart::OAuth2]).needs(&gates::AZURE_SD_CLIENT).when(AZURE_FORGETS),
            part("proxyUrl", &[ClientPart::Proxy]).needs(&gates::AZURE_SD_CLIENT).when(AZURE_FORGETS),
            plain("authenticationMethod", "authentication_method")
                .gate(from(&gates::AZURE_SD_SDK, "SDK authentication").of("SDK"))
                .gate(from(&gates::AZURE_SD_WORKLOAD_IDENTITY, "WorkloadIdentity authentication").of("WorkloadIdentity")
                    .checked(&gates::AZURE_SD_WORKLOAD_IDENTITY_KNOWN)),
            to("subscriptionID", "subscription_id", filled), plain("tenantID", "tenant_id"),
            plain("clientID", "client_id"), secret("clientSecret", "client_secret"),
            plain("resourceGroup", "resource_group").gate(Gated::new(
                &gates::AZURE_SD_RESOURCE_GROUP, ("ResourceGroup", "from Prometheus version >= "),
            )),
            REFRESH, PORT,
        ],
        ..NONE
    },
    SdKind {
        field: "gceSDConfigs",
        entries: |spec| entries(&spec.gce_sd_configs, |_| Client::default()),
        output: &[
            plain("project", "project"), plain("zone", "zone"), plain("filter", "filter"), REFRESH, PORT,
            plain("tagSeparator", "tag_separator"),
        ],
        ..NONE
    },
    SdKind {
        field: "openstackSDConfigs",
        entries: |spec| entries(&spec.openstack_sd_configs, |config| {
            Client { tls_config: config.tls_config.as_ref().map(Tls::from), ..Client::default() }
        }),
        tests: &[
            SdCheck::Secret("password"), SdCheck::Secret("applicationCredentialSecret"),
            SdCheck::Since(&gates::OPENSTACK_TLS_SECRETS, &SdCheck::Client(&[ClientPart::Tls])),
        ],
        output: &[
            to("role", "role", lower)
                .gate(from(&gates::OPENSTACK_LOAD_BALANCER, "The LoadBalancer role").of("LoadBalancer")
                    .checked(&gates::OPENSTACK_LOAD_BALANCER_CHECK)),
            plain("region", "region"), plain("identityEndpoint", "identity_endpoint"), plain("username", "username"),
            plain("userid", "userid"), secret("password", "password"), plain("domainName", "domain_name"),
            plain("domainID", "domain_id"), plain("projectName", "project_name"), plain("projectID", "project_id"),
            plain("applicationCredentialName", "application_credential_name"),
            plain("applicationCredentialId", "application_credential_id"),
            secret("applicationCredentialSecret", "application_credential_secret"),
            plain("allTenants", "all_tenants"), REFRESH, PORT,
            computed("availability", "availability", availability), TLS,
        ],
        ..NONE
    },
    SdKind {
        field: "digitalOceanSDConfigs",
        gate: Some((&gates::DIGITALOCEAN_SD, "service discovery for Digital Ocean")),
        entries: |spec| entries(&spec.digital_ocean_sd_configs, |config| Client::from(&config.client)),
        tests: &[BASIC_LAST],
        output: &[CREDENTIALS, FOLLOW, HTTP2, TLS, PORT, REFRESH],
        ..NONE
    },
    SdKind {
        field: "kumaSDConfigs",
        entries: |spec| entries(&spec.kuma_sd_configs, |config| Client::from(&config.client)),
        has_numbered_gates: false,
        tests: &[SdCheck::Server("server"), BASIC_LAST],
        output: &[
            CREDENTIALS, plain("server", "server"), FOLLOW, HTTP2, TLS, REFRESH,
            plain("fetchTimeout", "fetch_timeout"),
            plain("clientID", "client_id")
                .gate(since(&gates::KUMA_CLIENT_ID, "field `clientID` in kuma SD configuration")),
        ],
        ..NONE
    },
    SdKind {
        field: "eurekaSDConfigs",
        entries: |spec| entries(&spec.eureka_sd_configs, |config| Client::from(&config.client)),
        tests: &[BASIC_LAST],
        output: &[CREDENTIALS, FOLLOW, HTTP2, TLS, REFRESH, plain("server", "server")],
        ..NONE
    },
    SdKind {
        field: "dockerSDConfigs",
        entries: |spec| entries(&spec.docker_sd_configs, |config| Client::from(&config.client)),
        tests: &[
            SdCheck::Client(&[ClientPart::BasicAuth, ClientPart::Authorization, ClientPart::OAuth2, ClientPart::Tls]), SdCheck::Url("host"),
            SdCheck::Client(&[ClientPart::Proxy]),
        ],
        output: &[
            parts(&[ClientPart::Authorization, ClientPart::OAuth2, ClientPart::Proxy, ClientPart::BasicAuth]),
            to("filters", "filters", filters), plain("host", "host"), TLS, PORT,
            plain("hostNetworkingHost", "host_networking_host"),
            plain("matchFirstNetwork", "match_first_network")
                .gate(since(&gates::DOCKER_MATCH_FIRST_NETWORK, "field `matchFirstNetwork`").checked(&gates::SD_FIELDS_CHECK)),
            REFRESH, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "linodeSDConfigs",
        gate: Some((&gates::LINODE_SD, "linode SD configuration")),
        entries: |spec| entries(&spec.linode_sd_configs, |config| Client::from(&config.client)),
        tests: &[BASIC_LAST],
        output: &[
            CREDENTIALS, TLS, PORT, plain("region", "region"), HTTP2, plain("tagSeparator", "tag_separator"), REFRESH,
            FOLLOW,
        ],
        ..NONE
    },
    SdKind {
        field: "hetznerSDConfigs",
        entries: |spec| entries(&spec.hetzner_sd_configs, |config| Client::from(&config.client)),
        tests: &[BASIC_FIRST],
        output: &[
            CREDENTIALS, to("role", "role", lower), FOLLOW, HTTP2, TLS, PORT, REFRESH,
            to("labelSelector", "label_selector", filled)
                .gate(since(&gates::HETZNER_LABEL_SELECTOR, "field `labelSelector`").checked(&gates::SD_FIELDS_CHECK)),
        ],
        ..NONE
    },
    SdKind {
        field: "nomadSDConfigs",
        entries: |spec| entries(&spec.nomad_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Server("server"), BASIC_LAST],
        output: &[
            CREDENTIALS, plain("server", "server"), plain("allowStale", "allow_stale"), plain("namespace", "namespace"),
            REFRESH, plain("region", "region"), plain("tagSeparator", "tag_separator"), FOLLOW, HTTP2, TLS,
        ],
        ..NONE
    },
    SdKind {
        field: "dockerSwarmSDConfigs", prefix: Some("dockerswarmSDConfigs"),
        gate: Some((&gates::DOCKERSWARM_SD, "dockerswarm SD configuration")),
        entries: |spec| entries(&spec.docker_swarm_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Url("host"), BASIC_LAST],
        output: &[
            CREDENTIALS, to("filters", "filters", filters), plain("host", "host"), TLS, to("role", "role", lower), PORT,
            REFRESH, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "puppetDBSDConfigs",
        gate: Some((&gates::PUPPETDB_SD, "puppetDB SD configuration")),
        entries: |spec| entries(&spec.puppet_db_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::With(puppetdb_url), BASIC_LAST],
        output: &[
            CREDENTIALS, plain("url", "url"), plain("query", "query"), plain("includeParameters", "include_parameters"),
            PORT, REFRESH, FOLLOW, TLS, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "lightSailSDConfigs",
        gate: Some((&gates::LIGHTSAIL_SD, "lightSail SD configuration")),
        replaced: Some(([&gates::AWS_SD_REFUSED, &gates::AWS_SD], "lightSail SD configuration is only supported for Prometheus version < 3.8.0. For Prometheus 3.8.0 onwards, please use AWS SD")),
        entries: |spec| entries(&spec.light_sail_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Secret("accessKey"), SdCheck::Secret("secretKey"), BASIC_LAST],
        output: &[
            parts(&[ClientPart::BasicAuth, ClientPart::Authorization, ClientPart::Proxy, ClientPart::OAuth2]), plain("region", "region"),
            plain("endpoint", "endpoint"), PORT, REFRESH,
            secret("accessKey", "access_key").when(WriteWhen::With("secretKey")), secret("secretKey", "secret_key").when(WriteWhen::With("accessKey")),
            plain("roleARN", "role_arn"), TLS, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "ovhcloudSDConfigs", prefix: Some("OVHCloudSDConfigs"),
        gate: Some((&gates::OVHCLOUD_SD, "OVHCloud SD configuration")),
        entries: |spec| entries(&spec.ovhcloud_sd_configs, |_| Client::default()),
        tests: &[SdCheck::Secret("applicationSecret"), SdCheck::Secret("consumerKey")],
        output: &[
            plain("applicationKey", "application_key"), secret("applicationSecret", "application_secret"),
            secret("consumerKey", "consumer_key"), to("service", "service", ovh_service),
            plain("endpoint", "endpoint"), REFRESH,
        ],
        ..NONE
    },
    SdKind {
        field: "scalewaySDConfigs", prefix: Some("ScalewaySDConfigs"),
        gate: Some((&gates::SCALEWAY_SD, "ScaleWay SD configuration")),
        entries: |spec| entries(&spec.scaleway_sd_configs, |config| Client::from(&config.client)),
        tests: &[SdCheck::Secret("secretKey"), SdCheck::Client(&[ClientPart::Proxy, ClientPart::Tls])],
        output: &[
            plain("accessKey", "access_key"), secret("secretKey", "secret_key"), plain("projectID", "project_id"),
            to("role", "role", lower), PORT, plain("apiURL", "api_url"), plain("zone", "zone"),
            plain("nameFilter", "name_filter"), to("tagsFilter", "tags_filter", filled), REFRESH,
            parts(&[ClientPart::Proxy]), TLS, FOLLOW, HTTP2,
        ],
        ..NONE
    },
    SdKind {
        field: "ionosSDConfigs", prefix: Some("IonosSDConfigs"),
        gate: Some((&gates::IONOS_SD, "IONOS SD configuration")),
        entries: |spec| entries(&spec.ionos_sd_configs, |config| {
            let (authorization, oauth2) = (Some(Auth::from(&config.authorization)), config.oauth2.as_ref());
            Client { authorization, oauth2, ..Client::from(&config.client) }
        }),
        tests: &[
            SdCheck::Client(&[ClientPart::Authorization, ClientPart::Proxy, ClientPart::Tls]),
            SdCheck::Since(&gates::IONOS_OAUTH2, &SdCheck::Client(&[ClientPart::OAuth2])),
        ],
        output: &[
            // It is required, unless OAuth2 is set.
            part("authorization", &[ClientPart::Authorization]).when(WriteWhen::Without("oauth2", None)),
            part("oauth2", &[ClientPart::OAuth2]).needs(&gates::IONOS_OAUTH2), parts(&[ClientPart::Proxy]), TLS, plain("datacenterID", "datacenter_id"), FOLLOW, HTTP2, PORT,
            REFRESH,
        ],
        ..NONE
    },
];

const fn since(gate: &'static Gate, what: &'static str) -> Gated {
    Gated::new(gate, (what, FOR))
}

const fn from(gate: &'static Gate, what: &'static str) -> Gated {
    Gated::new(gate, (what, "from Prometheus version "))
}

/// Filters, by name.
fn filters(value: &Value) -> Option<Value> {
    let mut filters = value
        .as_seq()
        .filter(|filters| !filters.is_empty())?
        .to_vec();
    let name = |filter: &Value| filter.text_or_empty("name").to_owned();
    filters.sort_by_cached_key(name);
    Some(filters.into())
}

/// Operator: `validateKubernetesSDConfigs`, after the client.
fn kubernetes(cx: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    if entry.text("role") == "EndpointSlice" {
        supported(
            cx,
            &path.key("role"),
            &gates::SD_ENDPOINT_SLICE,
            ("EndpointSlice role", FOR),
        )?;
    }
    let own = entry
        .get("namespaces")
        .and_then(|namespaces| namespaces.get("ownNamespace"));
    if entry.get("apiServer").is_some() && own == Some(&Value::Bool(true)) {
        let message = "cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously";
        return path.key("namespaces").refuse(message);
    }
    Ok(())
}

/// Checks that selectors have roles that the discovery supports.
fn selector_roles(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let role = entry.text("role");
    let all = ["Pod", "Service", role];
    let allowed = if matches!(role, "EndpointSlice" | "Endpoints") {
        &all[..]
    } else {
        &all[2..]
    };
    let selectors = entry.items("selectors");
    let is_allowed = |role: &Value| role.as_str().is_some_and(|role| allowed.contains(&role));
    let wrong = selectors
        .iter()
        .position(|selector| !selector.get("role").is_some_and(is_allowed));
    let Some(index) = wrong else { return Ok(()) };
    let message = format!(
        "{role} role supports only {} selectors",
        allowed.join(", ").to_lowercase()
    );
    let path = path.key("selectors");
    path.index(index).key("role").refuse(message)
}

fn selectors_parse(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let list = path.key("selectors");
    let selectors = entry.items("selectors");
    for (index, selector) in selectors.iter().enumerate() {
        let path = list.index(index);
        let check = |key: &'static str, parse: fn(&str) -> Result<(), String>| {
            let text = selector.get(key).and_then(Value::as_str);
            text.map_or(Ok(()), parse)
                .map_err(|message| Refusal::new(&path.key(key), message))
        };
        check("field", text::check_fields)?;
        check("label", text::check_labels)?;
    }
    Ok(())
}

fn namespaces(value: &Value) -> Option<Value> {
    let names = value
        .get("names")
        .cloned()
        .unwrap_or_else(|| Value::Seq(Vec::new()));
    let mut out = Map::new().with("names", names);
    out.push_some("own_namespace", value.get("ownNamespace").cloned());
    Some(out.into())
}

fn selectors(value: &Value) -> Option<Value> {
    let selector = |selector: &Value| {
        let mut out = Map::new();
        out.push_some("role", selector.get("role").and_then(lower));
        out.push_some("label", selector.get("label").cloned());
        out.push_some("field", selector.get("field").cloned());
        out
    };
    let selectors = value.as_seq().filter(|selectors| !selectors.is_empty())?;
    Some(selectors.iter().map(selector).collect::<Vec<_>>().into())
}

/// `attach_metadata`, for the roles that have any.
fn attach_metadata(entry: &SectionEntry<'_>, value: &Value, _: &Versions) -> ValueFate {
    let gate = match entry.text("role") {
        "Pod" => &gates::ATTACH_METADATA_POD,
        "Endpoints" | "EndpointSlice" => &gates::ATTACH_METADATA_ENDPOINTS,
        role => {
            return ValueFate::Unused(format!(
                "discovery of the role `{role}` attaches no metadata"
            ));
        }
    };
    let node = value.get("node").cloned().unwrap_or(Value::Null);
    ValueFate::Gated(gate, Map::new().with("node", node).into())
}

/// Only records of services name a port. Operator: `validateDNSSDConfigs`.
fn dns_port(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let kind = entry.text("type");
    if matches!(kind, "" | "SRV") || entry.get("port").is_some() {
        return Ok(());
    }
    path.key("port")
        .refuse(format!("port required for record type \"{kind}\""))
}

/// The reason for the fields of Azure that the operator never writes.
const AZURE_NEVER: WriteWhen = WriteWhen::Never("the operator does not write it for Azure");
/// An environment makes the operator forget how the API of Azure is talked to.
const AZURE_FORGETS: WriteWhen = WriteWhen::Without(
    "environment",
    Some("the operator leaves it out where `environment` is set"),
);

/// The credentials and the client are checked for the method OAuth only, which is the default. Operator:
/// `validateAzureSDConfigs`.
fn azure_oauth(cx: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let is_oauth = match entry.text("authenticationMethod") {
        "" | "OAuth" => true,
        "WorkloadIdentity" => !cx.cx.has(&gates::AZURE_SD_WORKLOAD_IDENTITY_KNOWN),
        _ => false,
    };
    if !is_oauth {
        return Ok(());
    }
    let needs = |key: &'static str| {
        path.key(key)
            .refuse(format!("configuration requires a {key}"))
    };
    if entry.text("tenantID").is_empty() {
        return needs("tenantID");
    }
    if entry.text("clientID").is_empty() {
        return needs("clientID");
    }
    let Some(secret) = entry.get("clientSecret") else {
        return needs("clientSecret");
    };
    http::secret(cx, &path.key("clientSecret"), &selector(secret))?;
    let order = [
        ClientPart::BasicAuth,
        ClientPart::OAuth2,
        ClientPart::Proxy,
        ClientPart::Tls,
        ClientPart::Authorization,
    ];
    http::client(cx, path, &entry.client, &order)
}

/// Returns whether every Secret that a job requires was read. Azure's client secret is the exception: it is checked for
/// the method OAuth only.
///
/// # Errors
/// The operator's words, with which the whole configuration fails.
pub(crate) fn check_secrets(
    cx: &WorkloadContext<'_>,
    config: &Object<ScrapeConfig>,
) -> Result<(), String> {
    let (namespace, name) = (config.namespace(), &config.value.metadata.name);
    let azure = config.value.spec.azure_sd_configs.iter().flatten();
    let unchecked = azure.filter(|a| {
        !matches!(
            a.authentication_method,
            None | Some(AzureAuthenticationMethod::OAuth)
        )
    });
    for secret in unchecked.filter_map(|azure| azure.client_secret.as_ref()) {
        cx.assets.find_secret(namespace, secret).map_err(|fault| {
            format!(
                "failed to get {} client secret scrapeConfig/{namespace}/{name}: {fault}",
                secret.name
            )
        })?;
    }
    Ok(())
}

/// Older releases of the operator write the name unchanged; Prometheus accepts it in lower case only.
fn availability(_: &SectionEntry<'_>, value: &Value, versions: &Versions) -> ValueFate {
    let name = value.as_str().unwrap_or_default();
    let lower = name.to_lowercase();
    if name == lower || versions.has(&gates::LOWER_CASE_AVAILABILITY) {
        return ValueFate::Written(lower.into());
    }
    let help = format!("write it in lower case: {lower}");
    ValueFate::Refused(value.clone(), format!("`availability: {name}`"), help)
}

fn puppetdb_url(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let path = path.key("url");
    let url = url(&path, entry.text("url"))?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return path.refuse("URL scheme must be 'http' or 'https'");
    }
    if url.host.is_empty() {
        return path.refuse("host is missing in URL");
    }
    Ok(())
}

/// Prometheus' name for a kind of server.
fn ovh_service(value: &Value) -> Option<Value> {
    Some(if value.as_str() == Some("DedicatedServer") {
        "dedicated_server".into()
    } else {
        lower(value)?
    })
}
