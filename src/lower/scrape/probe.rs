//! Probes to scrape jobs.

use crate::api::probe::{Probe, ProbeSpec, ProbeTargetIngress, ProbeTargetStaticConfig};
use crate::api::scalar::ByteSize;
use crate::api::scrape::RelabelConfig;
use crate::gates;
use crate::lower::Scope;
use crate::lower::http::{self, filled, go_map, text, texts};
use crate::lower::scrape::class::{self, Class};
use crate::lower::scrape::discovery::{self, Discovery};
use crate::lower::scrape::limits::{self, Limits};
use crate::lower::scrape::{honor, relabel};
use crate::prom::{self, RelabelRule, RelabelRules};
use crate::route::Path;
use crate::yaml::{Map, Value};

/// The scrape job of a probe. Operator: `generateProbeConfig`, whose order of keys this is.
pub(crate) fn job(scope: &mut Scope<'_>, probe: &Probe) -> Map {
    let (root, spec) = (Path::root(), &probe.spec);
    let path = root.key("spec");
    let class = class::of(scope.cx, spec.scrape_class.as_deref());
    let mut out = Map::new();
    out.push("job_name", format!("probe/{}/{}", scope.namespace, probe.metadata.name));
    honor::timestamps(&mut out, scope, &path, Some(true));
    request(&mut out, spec);
    limits::limits(&mut out, scope, &path, &Limits::from(spec));
    limits::native_histograms(&mut out, scope, &path, &spec.native_histogram);
    limits::scrape_protocols(&mut out, scope, &path, spec.scrape_protocols.as_deref());
    limits::fallback_protocol(&mut out, scope, &path, class.fallback_protocol(spec.fallback_scrape_protocol));
    body_size_limit(&mut out, scope);
    if let Some(prober) = &spec.prober {
        http::proxy(&mut out, scope, &path.key("prober"), &prober.proxy);
    }
    http::follow_redirects(&mut out, scope, &path, spec.follow_redirects);
    http::enable_http2(&mut out, scope, &path, spec.enable_http2);
    http::tls(&mut out, scope, &path, class.safe_tls(spec.tls_config.as_ref()));
    let rules = targets(&mut out, scope, probe, class);
    out.push("relabel_configs", relabel::value(rules));
    http::bearer_token(&mut out, scope, spec.bearer_token_secret.as_ref());
    http::basic_auth(&mut out, scope, spec.basic_auth.as_ref());
    http::oauth2(&mut out, scope, &path, spec.oauth2.as_ref());
    http::authorization(&mut out, scope, &path, class.authorization(spec.authorization.as_ref()));
    class.metric_relabelings(&mut out, scope, "probes", &probe.metadata.name, spec.metric_relabelings.as_ref());
    out
}

/// `metrics_path`, `scrape_interval`, `scrape_timeout`, `scheme`, `params`.
fn request(out: &mut Map, spec: &ProbeSpec) {
    let prober = spec.prober.as_ref();
    out.push("metrics_path", text(prober.map_or("", |p| &p.path)));
    limits::duration(out, "scrape_interval", spec.interval.as_ref());
    limits::duration(out, "scrape_timeout", spec.scrape_timeout.as_ref());
    out.push_some("scheme", prober.and_then(|p| p.scheme.as_ref()).map(|s| s.as_str().to_lowercase()));
    let module = filled(spec.module.as_deref());
    let mut params = Map::new();
    params.push_some("module", module.map(|module| texts(&[module])));
    for param in spec.params.iter().flatten().filter(|p| module.is_none() || p.name != "module") {
        params.push(param.name.clone(), texts(param.values.as_deref().unwrap_or_default()));
    }
    if !params.is_empty() {
        out.push("params", params);
    }
}

/// `body_size_limit`, which a probe cannot set itself.
fn body_size_limit(out: &mut Map, scope: &Scope<'_>) {
    let enforced = scope.cx.common.enforced_body_size_limit.as_ref().map(ByteSize::as_str);
    let enforced = filled(enforced).filter(|_| scope.has(&gates::BODY_SIZE_LIMIT));
    out.push_some("body_size_limit", enforced.map(text));
}

/// Where the targets come from, with the rules that make requests to the prober of them. A list wins over ingresses.
fn targets(out: &mut Map, scope: &mut Scope<'_>, probe: &Probe, class: Class<'_>) -> RelabelRules {
    let mut rules = vec![relabel::job_name()];
    if let Some(name) = filled(probe.spec.job_name.as_deref()) {
        rules.push(RelabelRule::new().target_label("job").replacement(name.to_owned()));
    }
    let targets = probe.spec.targets.as_ref();
    let user = match (targets.and_then(|t| t.static_config.as_ref()), targets.and_then(|t| t.ingress.as_ref())) {
        (Some(list), _) => Some(static_targets(out, scope, &mut rules, list)),
        (None, Some(ingress)) => Some(ingress_targets(out, scope, &mut rules, ingress)),
        (None, None) => None,
    };
    if let Some(user) = user {
        let url = probe.spec.prober.as_ref().map(|p| p.url.clone()).unwrap_or_default();
        rules.push(relabel::copy("__param_target", "instance"));
        rules.push(RelabelRule::new().target_label("__address__").replacement(url));
        rules.extend(class.relabelings());
        rules.extend(prom::users(user));
        rules.extend(relabel::enforced_namespace(scope.cx, "probes", scope.namespace, &probe.metadata.name));
    }
    rules.extend(scope.cx.sharding.by_param_target());
    rules
}

/// `static_configs`. Gives the user's rules.
fn static_targets<'p>(
    out: &mut Map,
    scope: &Scope<'_>,
    rules: &mut RelabelRules,
    list: &'p ProbeTargetStaticConfig,
) -> Option<&'p Vec<RelabelConfig>> {
    let mut labels = list.labels.clone().unwrap_or_default();
    labels.entry("namespace".to_owned()).or_insert_with(|| scope.namespace.to_owned());
    let labels = go_map(labels.into_iter().map(|(name, value)| (name, Value::from(value))));
    let targets = texts(list.targets.as_deref().unwrap_or_default());
    out.push("static_configs", vec![Map::new().with("targets", targets).with("labels", labels)]);
    rules.push(relabel::copy("__address__", "__param_target"));
    list.relabeling_configs.as_ref()
}

/// `kubernetes_sd_configs` of ingresses. Gives the user's rules.
fn ingress_targets<'p>(
    out: &mut Map,
    scope: &mut Scope<'_>,
    rules: &mut RelabelRules,
    ingress: &'p ProbeTargetIngress,
) -> Option<&'p Vec<RelabelConfig>> {
    if let Some(selector) = &ingress.selector {
        relabel::selector(rules, "ingress", selector);
    }
    let discovery = Discovery {
        role: "ingress",
        attach: None,
        attach_gate: None,
        namespaces: ingress.namespace_selector.as_ref(),
        selector: None,
    };
    discovery::kubernetes(out, scope, &discovery);
    rules.push(
        RelabelRule::new()
            .source_labels(["__meta_kubernetes_ingress_scheme", "__address__", "__meta_kubernetes_ingress_path"])
            .separator(";")
            .regex("(.+);(.+);(.+)")
            .target_label("__param_target")
            .replacement("${1}://${2}${3}")
            .action("replace"),
    );
    rules.push(relabel::copy("__meta_kubernetes_namespace", "namespace"));
    rules.push(relabel::copy("__meta_kubernetes_ingress_name", "ingress"));
    rules.push(
        RelabelRule::new()
            .source_labels(["__address__"])
            .separator(";")
            .regex("(.*)")
            .target_label("__tmp_ingress_address")
            .replacement("$1")
            .action("replace"),
    );
    ingress.relabeling_configs.as_ref()
}
