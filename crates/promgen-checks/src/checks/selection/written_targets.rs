//! Targets that are written down in ScrapeConfigs and Probes, and that one workload scrapes twice.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::Object;
use promgen_compile::output::Workload;
use promgen_model::model::World;
use promgen_model::scraping::overlaps::{is_choosy, request};
use promgen_resources::api::{Probe, Resource as _, ScrapeConfig};
use promgen_text::hashed_map::HashedMap;
use promgen_text::route::At;
use promgen_text::yaml::Value;
use promgen_text::yaml::encode::{fields_of, to_value};

/// The most targets of a workload that are compared.
const MAX_TARGETS: usize = 100_000;

/// The fields of a spec that make a request another one, beside what [`request`] has.
const REST: [&str; 10] = [
    "authorization",
    "basicAuth",
    "bearerTokenSecret",
    "module",
    "noProxy",
    "oauth2",
    "proxyConnectHeader",
    "proxyFromEnvironment",
    "proxyUrl",
    "scrapeClass",
];

/// A target that two resources name.
#[derive(Debug)]
pub(super) struct WrittenTwice<'m> {
    /// The target.
    pub(super) target: &'m str,
    /// The resources: `Probe shop/cart`.
    pub(super) resources: [String; 2],
    /// Where they name it.
    pub(super) places: [At; 2],
}

/// The targets that are written down.
#[derive(Default)]
struct WrittenTargets<'m> {
    /// The first resource of each target, by the rest of the request with the labels that the series get.
    first: HashedMap<Vec<Value>, BTreeMap<&'m str, (String, At)>>,
    n_first: usize,
    found: Vec<WrittenTwice<'m>>,
}

/// The targets that a workload scrapes for two resources in the same way: one for each pair of resources.
pub(super) fn written_twice<'m>(
    model: &'m World<'_>,
    workload: &Workload,
) -> Vec<WrittenTwice<'m>> {
    let mut written = WrittenTargets::default();
    for (kind, resource) in workload.selected.accepted() {
        let key = resource.key();
        let who = format!("{kind} {key}");
        if kind == Probe::KIND {
            let probe = model.cluster().probes.get(key.as_str());
            if let Some(probe) = probe {
                written.probe(probe, &who);
            }
        } else if kind == ScrapeConfig::KIND {
            let config = model.cluster().scrape_configs.get(key.as_str());
            if let Some(config) = config {
                written.scrape_config(config, &who);
            }
        }
    }
    let mut known: BTreeSet<[String; 2]> = BTreeSet::new();
    written
        .found
        .retain(|twice| known.insert(twice.resources.clone()));
    written.found
}

impl<'m> WrittenTargets<'m> {
    fn probe(&mut self, probe: &'m Object<Probe>, who: &str) {
        let spec = &probe.value.spec;
        let Some((prober, targets)) = spec.prober.as_ref().zip(
            spec.targets
                .as_ref()
                .and_then(|targets| targets.static_config.as_ref()),
        ) else {
            return;
        };
        if is_choosy(
            targets.relabeling_configs.as_deref(),
            spec.metric_relabelings.as_deref(),
        ) {
            return;
        }
        let scheme = prober.scheme.as_ref().map(|scheme| scheme.as_str());
        let request = request(Some(&prober.path), scheme, None);
        let rest = vec![
            request.into(),
            fields_of(spec, |field| field == "params" || REST.contains(&field)).into(),
            fields_of(prober, |field| !matches!(field, "path" | "scheme")).into(),
            to_value(&targets.labels),
        ];
        let at = At::spec(probe.doc)
            .key("targets")
            .key("staticConfig")
            .key("static");
        self.add(rest, who, &at, targets.targets.iter().flatten());
    }

    fn scrape_config(&mut self, config: &'m Object<ScrapeConfig>, who: &str) {
        let spec = &config.value.spec;
        if is_choosy(
            spec.relabelings.as_deref(),
            spec.metric_relabelings.as_deref(),
        ) {
            return;
        }
        let scheme = spec.scheme.as_ref().map(|scheme| scheme.as_str());
        let request = request(spec.metrics_path.as_deref(), scheme, spec.params.as_ref());
        let fields = fields_of(spec, |field| REST.contains(&field));
        let at = At::spec(config.doc).key("staticConfigs");
        for (number, targets) in spec.static_configs.iter().flatten().enumerate() {
            let rest = vec![
                request.clone().into(),
                fields.clone().into(),
                to_value(&targets.labels),
            ];
            let at = at.clone().index(number).key("targets");
            self.add(rest, who, &at, &targets.targets);
        }
    }

    /// Takes the targets of a list.
    fn add(
        &mut self,
        rest: Vec<Value>,
        who: &str,
        list: &At,
        targets: impl IntoIterator<Item = &'m String>,
    ) {
        let first = self.first.entry(rest);
        for (index, target) in targets.into_iter().enumerate() {
            if self.n_first + self.found.len() >= MAX_TARGETS {
                return;
            }
            let place = list.clone().index(index);
            match first.get(target.as_str()) {
                // Prometheus takes equal targets of one job for one.
                Some((first, _)) if first == who => {}
                Some((first, there)) => self.found.push(WrittenTwice {
                    target,
                    resources: [first.clone(), who.to_owned()],
                    places: [there.clone(), place],
                }),
                None => {
                    first.insert(target, (who.to_owned(), place));
                    self.n_first += 1;
                }
            }
        }
    }
}
