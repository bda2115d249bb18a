//! `openstack_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{parts, push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::OpenStackSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// Objects of OpenStack.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &OpenStackSdConfig) -> Map {
    let mut out = Map::new();
    out.push("role", config.role.as_str().to_lowercase());
    out.push("region", text(&config.region));
    push_text(&mut out, "identity_endpoint", config.identity_endpoint.as_ref());
    push_text(&mut out, "username", config.username.as_ref());
    push_text(&mut out, "userid", config.userid.as_ref());
    out.push_some("password", config.password.as_ref().map(|s| scope.secret(s)));
    push_text(&mut out, "domain_name", config.domain_name.as_ref());
    push_text(&mut out, "domain_id", config.domain_id.as_ref());
    push_text(&mut out, "project_name", config.project_name.as_ref());
    push_text(&mut out, "project_id", config.project_id.as_ref());
    push_text(&mut out, "application_credential_name", config.application_credential_name.as_ref());
    push_text(&mut out, "application_credential_id", config.application_credential_id.as_ref());
    let secret = config.application_credential_secret.as_ref();
    out.push_some("application_credential_secret", secret.map(|s| scope.secret(s)));
    out.push_some("all_tenants", config.all_tenants);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("port", config.port);
    out.push_some("availability", availability(scope, path, config));
    let client = Client { tls: config.tls_config.as_ref(), ..Client::default() };
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out
}

/// The operator writes the name as it is given; Prometheus knows it in lower case only.
fn availability(scope: &mut Scope<'_>, path: &Path<'_>, config: &OpenStackSdConfig) -> Option<Value> {
    let name = config.availability.as_ref()?.as_str();
    let lower = name.to_lowercase();
    if name != lower {
        let what = format!("`availability: {name}`");
        scope.refused(path.key("availability").to_route(), &what, &format!("write it in lower case: {lower}"));
    }
    Some(text(name))
}
