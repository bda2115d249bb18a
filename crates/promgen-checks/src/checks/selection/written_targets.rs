//! Targets that are written down in ScrapeConfigs and Probes, and that one workload scrapes twice.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::Object;
use promgen_compile::output::Workload;
use promgen_model::model::World;
use promgen_model::scraping::overlaps::{is_choosy, request};
use promgen_resources::api::{Probe, Resource as _, ScrapeConfig};
use promgen_text::route::At;

/// The most targets of a workload that are compared.
const MAX_TARGETS: usize = 100_000;

/// What tells one scrape from another: the target, and the number of the rest of the request with the labels that its series get.
type WrittenKey<'m> = (&'m str, usize);

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
    first: BTreeMap<WrittenKey<'m>, (String, At)>,
    /// The numbers of the rests: each is held once, however many targets it has.
    rests: BTreeMap<String, usize>,
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
        let auth = (
            &spec.authorization,
            &spec.basic_auth,
            &spec.bearer_token_secret,
            &spec.oauth2,
            &prober.proxy,
        );
        let asked = (
            &prober.url,
            request,
            &spec.module,
            &spec.params,
            &spec.scrape_class,
            &targets.labels,
        );
        let rest = self.number(format!("probe {asked:?} {auth:?}"));
        let at = At::spec(probe.doc)
            .key("targets")
            .key("staticConfig")
            .key("static");
        for (index, target) in targets.targets.iter().flatten().enumerate() {
            self.add((target, rest), who, at.clone().index(index));
        }
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
        let auth = (
            &spec.authorization,
            &spec.basic_auth,
            &spec.oauth2,
            &spec.proxy,
        );
        let rest = format!("{request} {:?} {auth:?}", spec.scrape_class);
        let at = At::spec(config.doc).key("staticConfigs");
        for (number, targets) in spec.static_configs.iter().flatten().enumerate() {
            let rest = self.number(format!("{rest} {:?}", targets.labels));
            for (index, target) in targets.targets.iter().enumerate() {
                self.add(
                    (target, rest),
                    who,
                    at.clone().index(number).key("targets").index(index),
                );
            }
        }
    }

    fn number(&mut self, rest: String) -> usize {
        let next = self.rests.len();
        *self.rests.entry(rest).or_insert(next)
    }

    fn add(&mut self, key: WrittenKey<'m>, who: &str, place: At) {
        if self.first.len() + self.found.len() >= MAX_TARGETS {
            return;
        }
        let target = key.0;
        match self.first.get(&key) {
            // Prometheus takes equal targets of one job for one.
            Some((first, _)) if first == who => {}
            Some((first, there)) => {
                let (resources, places) = ([first.clone(), who.to_owned()], [there.clone(), place]);
                self.found.push(WrittenTwice {
                    target,
                    resources,
                    places,
                });
            }
            None => {
                self.first.insert(key, (who.to_owned(), place));
            }
        }
    }
}
