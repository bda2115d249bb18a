//! Probes to scrape jobs.

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, filled, go_map, sorted, text, texts};
use crate::lower::prometheus::scrape::class::{self, Class};
use crate::lower::prometheus::scrape::discovery::{self, MonitorDiscovery};
use crate::lower::prometheus::scrape::relabel::{self, RelabelBuilder};
use crate::lower::prometheus::scrape::{honor, limits};
use crate::lower::prometheus::sections::{NATIVE_HISTOGRAMS, PROBE_CLIENT, PROBE_TIMING};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use promgen_prometheus::config::RelabelRule;
use promgen_resources::api::Kind;
use promgen_resources::api::scalar::ByteSize;
use promgen_resources::api::scraping::probe::{
    Probe, ProbeSpec, ProbeTargetIngress, ProbeTargetStaticConfig,
};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The scrape job of a probe. Operator: `generateProbeConfig`, whose order of keys this is.
pub fn job(scope: &mut Scope<'_>, probe: &Probe) -> relabel::LoweredJob {
    let spec = &probe.spec;
    let class = class::of(scope.cx, spec.scrape_class.as_deref());
    let mut out = Map::new();
    out.push(
        "job_name",
        format!("probe/{}/{}", scope.namespace, probe.metadata.name),
    );
    // A probe cannot set it, and the operator always writes it.
    honor::timestamps(&mut out, scope, &SPEC, Some(true));
    request(&mut out, scope, &SPEC, spec);
    limits::limits(&mut out, scope, &SPEC, spec);
    write::rows(
        &mut out,
        scope,
        &SPEC,
        &spec.native_histogram,
        NATIVE_HISTOGRAMS,
    );
    write::passed(&mut out, scope, Kind::Probe, "spec", &SPEC, spec);
    limits::scrape_protocols(&mut out, scope, &SPEC, spec.scrape_protocols.as_deref());
    class.write_fallback_protocol(&mut out, scope, &SPEC, spec.fallback_scrape_protocol);
    body_size_limit(&mut out, scope);
    if scope.has(&gates::PROBE_PROXY_LAST) {
        proxy(&mut out, scope, &SPEC, spec);
    }
    write::rows(&mut out, scope, &SPEC, spec, PROBE_CLIENT);
    // Where TLS and proxy stand depends on the operator's release.
    let is_tls_first = scope.has(&gates::PROBE_TLS_FIRST);
    if is_tls_first {
        class.write_safe_tls(&mut out, scope, &SPEC, spec.tls_config.as_ref());
    }
    let origins = targets(&mut out, scope, probe, class).write(&mut out);
    if !is_tls_first {
        class.write_safe_tls(&mut out, scope, &SPEC, spec.tls_config.as_ref());
    }
    http::bearer_token(&mut out, scope, spec.bearer_token_secret.as_ref());
    http::basic_auth(&mut out, scope, spec.basic_auth.as_ref());
    http::oauth2(&mut out, scope, &SPEC, spec.oauth2.as_ref());
    class.write_authorization(&mut out, scope, &SPEC, spec.authorization.as_ref());
    class.metric_relabelings(
        &mut out,
        scope,
        "probes",
        &probe.metadata.name,
        spec.metric_relabelings.as_ref(),
    );
    relabel::LoweredJob {
        section: out,
        origins,
    }
}

/// `proxy_url` and its companions.
fn proxy(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, spec: &ProbeSpec) {
    if let Some(prober) = &spec.prober {
        http::proxy(out, scope, &path.key("prober"), &prober.proxy);
    }
}

/// `metrics_path`, `scrape_interval`, `scrape_timeout`, `scheme`, `params`.
fn request(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, spec: &ProbeSpec) {
    let prober = spec.prober.as_ref();
    // Written even if it is empty.
    out.push("metrics_path", text(prober.map_or("", |p| &p.path)));
    write::rows(out, scope, path, spec, PROBE_TIMING);
    http::scheme(
        out,
        scope,
        prober.and_then(|p| p.scheme.as_ref()).map(|s| s.as_str()),
    );
    if !scope.has(&gates::PROBE_PROXY_LAST) {
        proxy(out, scope, path, spec);
    }
    let module = filled(spec.module.as_deref());
    let mut params = Map::new();
    params.push_some("module", module.map(|module| texts(&[module])));
    // `spec.module` wins over a parameter of that name.
    for param in spec
        .params
        .iter()
        .flatten()
        .filter(|p| module.is_none() || p.name != "module")
    {
        params.push(
            param.name.clone(),
            texts(param.values.as_deref().unwrap_or_default()),
        );
    }
    if !params.is_empty() {
        out.push("params", params);
    }
}

/// `body_size_limit`, which a probe cannot set itself.
fn body_size_limit(out: &mut Map, scope: &Scope<'_>) {
    let enforced = scope
        .cx
        .common
        .enforced_body_size_limit
        .as_ref()
        .map(ByteSize::as_str);
    let enforced = filled(enforced).filter(|_| scope.has(&gates::BODY_SIZE_LIMIT));
    out.push_some("body_size_limit", enforced.map(text));
}

/// The source of the targets, with the rules that turn them into requests to the prober. A static list wins over
/// ingresses.
fn targets(
    out: &mut Map,
    scope: &mut Scope<'_>,
    probe: &Probe,
    class: Class<'_>,
) -> RelabelBuilder {
    let mut rules = RelabelBuilder::new(scope);
    rules.push(&SPEC, relabel::job_name());
    if let Some(name) = filled(probe.spec.job_name.as_deref()) {
        rules.push(
            &SPEC.key("jobName"),
            RelabelRule::new()
                .target_label("job")
                .replacement(name.to_owned()),
        );
    }
    let (path, targets) = (SPEC.key("targets"), probe.spec.targets.as_ref());
    let user = match (
        targets.and_then(|t| t.static_config.as_ref()),
        targets.and_then(|t| t.ingress.as_ref()),
    ) {
        (Some(list), _) => Some(("staticConfig", static_targets(out, scope, &mut rules, list))),
        (None, Some(ingress)) => Some((
            "ingress",
            ingress_targets(out, scope, &mut rules, &path.key("ingress"), ingress),
        )),
        (None, None) => None,
    };
    if let Some((key, user)) = user {
        let url = probe
            .spec
            .prober
            .as_ref()
            .map(|p| p.url.clone())
            .unwrap_or_default();
        rules.push(&path.key(key), relabel::copy("__param_target", "instance"));
        // The prober takes the place of the target, which has become a parameter of the request.
        let address = RelabelRule::new()
            .target_label("__address__")
            .replacement(url);
        rules.push(&SPEC.key("prober").key("url"), address);
        class.relabel(&mut rules, scope.cx);
        rules.extend_users(&path.key(key).key("relabelingConfigs"), user);
        relabel::enforce_namespace(&mut rules, scope, "probes", &probe.metadata.name);
    }
    // All targets have the address of the prober now: only the parameter tells them apart.
    rules.share(scope.cx, scope.cx.sharding.by_param_target());
    rules
}

/// `static_configs`. Gives the user's rules.
fn static_targets<'p>(
    out: &mut Map,
    scope: &Scope<'_>,
    rules: &mut RelabelBuilder,
    list: &'p ProbeTargetStaticConfig,
) -> Option<&'p Vec<RelabelConfig>> {
    let mut labels = list.labels.clone().unwrap_or_default();
    // A label of the user with this name wins.
    labels
        .entry("namespace".into())
        .or_insert_with(|| scope.namespace.into());
    let targets = texts(list.targets.as_deref().unwrap_or_default());
    out.push(
        "static_configs",
        vec![
            Map::new()
                .with("targets", targets)
                .with("labels", go_map(sorted(&labels))),
        ],
    );
    rules.push(
        &SPEC.key("targets").key("staticConfig"),
        relabel::copy("__address__", "__param_target"),
    );
    list.relabeling_configs.as_ref()
}

/// `kubernetes_sd_configs` of ingresses. Gives the user's rules.
fn ingress_targets<'p>(
    out: &mut Map,
    scope: &mut Scope<'_>,
    rules: &mut RelabelBuilder,
    path: &Path<'_>,
    ingress: &'p ProbeTargetIngress,
) -> Option<&'p Vec<RelabelConfig>> {
    if let Some(selector) = &ingress.selector {
        relabel::selector(rules, &path.key("selector"), "ingress", selector);
    }
    let discovery = MonitorDiscovery {
        role: "ingress",
        attach: None,
        attach_gate: None,
        namespaces: ingress.namespace_selector.as_ref(),
        selector: None,
    };
    discovery::kubernetes(out, scope, &discovery);
    rules.push(
        path,
        RelabelRule::new()
            .source_labels([
                "__meta_kubernetes_ingress_scheme",
                "__address__",
                "__meta_kubernetes_ingress_path",
            ])
            .separator(";")
            .regex("(.+);(.+);(.+)")
            .target_label("__param_target")
            .replacement("${1}://${2}${3}")
            .action("replace"),
    );
    rules.push(
        path,
        relabel::copy("__meta_kubernetes_namespace", "namespace"),
    );
    rules.push(
        path,
        relabel::copy("__meta_kubernetes_ingress_name", "ingress"),
    );
    rules.push(
        path,
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
