//! ScrapeConfigs to scrape jobs.

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, go_map, sorted, texts};
use crate::lower::prometheus::scrape::class::{self, Class};
use crate::lower::prometheus::scrape::relabel::{self, RelabelBuilder};
use crate::lower::prometheus::scrape::{honor, limits, sd};
use crate::lower::prometheus::sections::{NAMES, NATIVE_HISTOGRAMS, SCRAPE_CONFIG, STALENESS};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use promgen_prometheus::config::RelabelRule;
use promgen_resources::api::Kind;
use promgen_resources::api::scraping::scrape_config::{
    ScrapeConfig, ScrapeConfigSpec, StaticConfig,
};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The scrape job of a ScrapeConfig. Operator: `generateScrapeConfig`, whose order of keys this is.
pub fn job(scope: &mut Scope<'_>, config: &ScrapeConfig) -> relabel::LoweredJob {
    let spec = &config.spec;
    let class = class::of(scope.cx, spec.scrape_class.as_deref());
    let name = &config.metadata.name;
    let mut out = Map::new();
    out.push(
        "job_name",
        format!("scrapeConfig/{}/{name}", scope.namespace),
    );
    request(&mut out, scope, &SPEC, spec, class);
    http::proxy(&mut out, scope, &SPEC, &spec.proxy);
    http::basic_auth(&mut out, scope, spec.basic_auth.as_ref());
    class.write_authorization(&mut out, scope, &SPEC, spec.authorization.as_ref());
    http::oauth2(&mut out, scope, &SPEC, spec.oauth2.as_ref());
    class.write_safe_tls(&mut out, scope, &SPEC, spec.tls_config.as_ref());
    limits::limits(&mut out, scope, &SPEC, spec);
    write::rows(
        &mut out,
        scope,
        &SPEC,
        &spec.native_histogram,
        NATIVE_HISTOGRAMS,
    );
    write::passed(&mut out, scope, Kind::ScrapeConfig, "spec", &SPEC, spec);
    limits::body_size_limit(&mut out, scope, &SPEC, spec.body_size_limit.as_ref());
    if let Some(lists) = spec
        .static_configs
        .as_ref()
        .filter(|lists| !lists.is_empty())
    {
        out.push(
            "static_configs",
            lists.iter().map(static_config).collect::<Vec<_>>(),
        );
    }
    sd::discoveries(&mut out, scope, &SPEC, spec);
    let origins = relabelings(scope, config, class).write(&mut out);
    class.metric_relabelings(
        &mut out,
        scope,
        "scrapeconfigs",
        name,
        spec.metric_relabelings.as_ref(),
    );
    write::rows(&mut out, scope, &SPEC, spec, NAMES);
    relabel::LoweredJob {
        section: out,
        origins,
    }
}

/// The keys between the job's name and the client settings.
fn request(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    spec: &ScrapeConfigSpec,
    class: Class<'_>,
) {
    // Only if the user sets it: an override of the workload alone writes nothing, unlike for monitors.
    if spec.honor_timestamps.is_some() {
        honor::timestamps(out, scope, path, spec.honor_timestamps);
    }
    write::rows(out, scope, path, spec, STALENESS);
    if let Some(honor) = spec.honor_labels {
        honor::labels(out, scope, honor);
    }
    write::rows(out, scope, path, spec, SCRAPE_CONFIG);
    limits::scrape_protocols(out, scope, path, spec.scrape_protocols.as_deref());
    class.write_fallback_protocol(out, scope, path, spec.fallback_scrape_protocol);
    out.push_some(
        "scheme",
        spec.scheme.as_ref().map(|s| s.as_str().to_lowercase()),
    );
}

fn static_config(list: &StaticConfig) -> Map {
    let labels = list.labels.as_ref().map(sorted).unwrap_or_default();
    Map::new()
        .with("targets", texts(&list.targets))
        .with("labels", go_map(labels))
}

/// `relabel_configs`. The enforced namespace is added to the user's rules only, and sharding only where there is more
/// than one shard and no rule hashes already.
fn relabelings(scope: &Scope<'_>, config: &ScrapeConfig, class: Class<'_>) -> RelabelBuilder {
    let (cx, spec) = (scope.cx, &config.spec);
    let mut rules = RelabelBuilder::new(scope);
    rules.push(&SPEC, relabel::job_name());
    class.relabel(&mut rules, cx);
    if let Some(name) = &spec.job_name {
        let path = SPEC.key("jobName");
        rules.push(
            &path,
            RelabelRule::new()
                .target_label("job")
                .action("replace")
                .replacement(name.clone()),
        );
    }
    if spec.relabelings.as_ref().is_some_and(|r| !r.is_empty()) {
        rules.extend_users(&SPEC.key("relabelings"), spec.relabelings.as_ref());
        relabel::enforce_namespace(&mut rules, scope, "scrapeconfigs", &config.metadata.name);
    }
    // A hash of the scrape class counts, too.
    let hashed = rules
        .as_slice()
        .iter()
        .any(|rule| rule.text("action") == Some("hashmod"));
    if cx.sharding.plan.shards.len() > 1 && !hashed {
        rules.share(cx, cx.sharding.by_address());
    }
    rules
}
