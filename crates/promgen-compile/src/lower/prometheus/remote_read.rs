//! The `remote_read` section.

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, Client, ClientPart, filled, sorted, text};
use promgen_resources::api::servers::remote::RemoteReadSpec;
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The section `remote_read`, if the server reads samples from anywhere.
pub fn remote_read(scope: &mut Scope<'_>) -> Option<Value> {
    let specs = scope.cx.server?.remote_read.as_ref().filter(|s| !s.is_empty())?;
    let root = Path::root();
    let spec = root.key("spec");
    let list = spec.key("remoteRead");
    let items: Vec<Map> = specs.iter().enumerate().map(|(i, spec)| item(scope, &list.index(i), spec)).collect();
    Some(items.into())
}

fn item(scope: &mut Scope<'_>, path: &Path<'_>, spec: &RemoteReadSpec) -> Map {
    let at = |key: &'static str| path.key(key).to_route();
    let mut out = Map::new().with("url", text(&spec.url));
    out.push_some("remote_timeout", spec.remote_timeout.as_ref().map(|t| text(t.as_str())));
    let headers = spec.headers.as_ref().filter(|h| !h.is_empty());
    out.push_some("headers", scope.gated(&gates::REMOTE_READ_HEADERS, headers, || at("headers")).map(sorted));
    let name = filled(spec.name.as_deref());
    out.push_some("name", scope.gated(&gates::REMOTE_NAME, name, || at("name")).map(text));
    let matchers = spec.required_matchers.as_ref().filter(|m| !m.is_empty());
    out.push_some("required_matchers", matchers.map(sorted));
    // The operator leaves out `false`, which is Prometheus' default.
    out.push_some("read_recent", spec.read_recent.filter(|recent| *recent));
    http::basic_auth(&mut out, scope, spec.basic_auth.as_ref());
    out.push_some("bearer_token", filled(spec.bearer_token.as_deref()).map(text));
    out.push_some("bearer_token_file", filled(spec.bearer_token_file.as_deref()).map(text));
    let parts = [ClientPart::OAuth2, ClientPart::Tls, ClientPart::Authorization, ClientPart::Proxy];
    http::client(&mut out, scope, path, &Client::from(spec), &parts);
    http::follow_redirects(&mut out, scope, path, spec.follow_redirects);
    let filter = spec.filter_external_labels;
    let filter = scope.gated(&gates::FILTER_EXTERNAL_LABELS, filter, || at("filterExternalLabels"));
    out.push_some("filter_external_labels", filter);
    out
}
