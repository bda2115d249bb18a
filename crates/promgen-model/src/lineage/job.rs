//! A scrape job: the labels that its targets can have, and what its metric relabelings do to their series.
//!
//! In: a job of a compiled configuration. Out: [`ScrapedJob`]. What cannot be known is left open.

use std::collections::{BTreeMap, BTreeSet};

use crate::lineage::discover::{DiscoverableObjects, Exporter, SoughtObjects, TargetSort};
use crate::lineage::labels::SeriesLabels;
use crate::lineage::matcher::{METRIC_NAME, SeriesMatcher, unmet};
use crate::lineage::relabel;
use crate::lineage::values::{LabelValues, is_known};
use promgen_compile::output::Job;
use promgen_compile::output::job::{DiscoverySection, DiscoverySource, KubernetesDiscovery};
use promgen_prometheus::labels::Selector;
use promgen_prometheus::relabel::{CompiledRule, NameScheme, Reach, rules};
use promgen_targets::discovery::Query;
use promgen_targets::network::truth::Truth;
use promgen_text::go::duration::PromDuration;
use promgen_text::source::Span;
use promgen_text::yaml::Value;

/// The maximum number of sorts of targets that are told apart.
const MAX_SORTS: usize = 400;

/// The series that Prometheus makes for each scrape.
const SYNTHETIC: &[&str] = &[
    "up",
    "scrape_body_size_bytes",
    "scrape_duration_seconds",
    "scrape_sample_limit",
    "scrape_samples_post_metric_relabeling",
    "scrape_samples_scraped",
    "scrape_series_added",
    "scrape_timeout_seconds",
];

/// Returns whether Prometheus makes a series for each scrape.
#[must_use]
pub fn is_synthetic(name: &str) -> bool {
    SYNTHETIC.contains(&name)
}

/// The names of the series that Prometheus makes for each scrape.
pub fn synthetic() -> impl Iterator<Item = &'static str> {
    SYNTHETIC.iter().copied()
}

/// Targets of one sort, behind relabeling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReachedTargets {
    /// Their labels.
    pub labels: SeriesLabels,
    /// The labels of the series that they expose: theirs, and any others of the exporter.
    exposed: SeriesLabels,
    /// Their kind, if it is known.
    pub exporter: Exporter,
    /// The metrics that they expose, if a file says so.
    pub metrics: Option<BTreeSet<String>>,
    /// The input does not tell whether there is any.
    pub is_guess: bool,
    /// There is none: the pods have `replicas: 0`.
    pub is_stopped: bool,
}

impl ReachedTargets {
    /// Returns whether they have that name as their job.
    pub fn has_job(&self, name: &str) -> Truth {
        let job = self.labels.get("job");
        match job.known() {
            Some(known) => (known == name).into(),
            None if SeriesMatcher::equal("job", name).may_meet(job) => Truth::Unknown,
            None => Truth::No,
        }
    }
}

/// A scrape job.
#[derive(Clone, Debug)]
pub struct ScrapedJob {
    /// Its name in the configuration: `serviceMonitor/shop/web/0`.
    pub name: String,
    /// Its source.
    pub origin: Option<Span>,
    /// The sorts of targets.
    pub targets: Vec<ReachedTargets>,
    /// The number of the last rule that drops a sort, if rules drop all.
    pub dropped_by: Option<usize>,
    /// Labels of exporters win over those of targets.
    pub honors_labels: bool,
    /// It reads the series of another Prometheus.
    pub federates: bool,
    /// What it takes of its targets.
    pub taken: TakenSeries,
    /// The rules for its samples. `None` if they are not known.
    pub metric_rules: Option<Vec<CompiledRule>>,
    /// The interval in which it scrapes, in milliseconds.
    pub interval: Option<PromDuration>,
    /// Its source is a Secret, whose values are never shown.
    pub is_secret: bool,
}

/// The outcome for the series of a sort of targets that a selector asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesFate {
    /// There may be some.
    Possible,
    /// A rule for samples drops them.
    DroppedBy(usize),
}

/// What a job is read with.
#[derive(Clone, Copy, Debug)]
pub struct JobSettings<'a> {
    /// The objects that it discovers.
    pub objects: &'a DiscoverableObjects<'a>,
    /// The namespace of its Prometheus.
    pub namespace: &'a str,
    /// Which label names its Prometheus takes for names.
    pub scheme: NameScheme,
    /// The interval in which Prometheus scrapes jobs without one of their own.
    pub interval: Option<PromDuration>,
    /// The rules that share targets among shards, which most jobs end with.
    pub sharding: &'a [Value],
    /// What jobs that do not say so themselves take of their targets.
    pub taken: TakenSeries,
}

/// The histograms and the names that Prometheus takes of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenSeries {
    /// Native histograms.
    pub native: bool,
    /// Classic ones are made native.
    pub converts: bool,
    /// Classic ones also where there is a native one of the name.
    pub classic: bool,
    /// Names of ASCII letters, digits, `_` and `:` alone.
    pub checks_names: bool,
    /// Other names are written with these signs.
    pub escapes_names: bool,
}

impl TakenSeries {
    /// What a section says, or else this.
    #[must_use]
    pub fn or<'v>(self, written: impl Fn(&str) -> Option<&'v Value>) -> Self {
        let says = |key: &str| Some(written(key)? == &Value::Bool(true));
        let scheme = |key: &str, own: &str| Some(written(key)?.as_str()? == own);
        let classic = [
            "always_scrape_classic_histograms",
            "scrape_classic_histograms",
        ];
        let allows = scheme("metric_name_escaping_scheme", "allow-utf-8");
        Self {
            native: says("scrape_native_histograms").unwrap_or(self.native),
            converts: says("convert_classic_histograms_to_nhcb").unwrap_or(self.converts),
            classic: classic.into_iter().find_map(&says).unwrap_or(self.classic),
            checks_names: scheme("metric_name_validation_scheme", "legacy")
                .unwrap_or(self.checks_names),
            escapes_names: allows.map_or(self.escapes_names, |allows| !allows),
        }
    }

    /// Returns whether no classic series are taken of a histogram that is there as a native one.
    #[must_use]
    pub const fn is_native_alone(self) -> bool {
        (self.native || self.converts) && !self.classic
    }

    /// Returns whether a metric keeps its name.
    #[must_use]
    pub fn keeps_name(self, name: &str) -> bool {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | ':');
        !self.checks_names && !self.escapes_names || name.chars().all(is_plain)
    }
}

impl ScrapedJob {
    /// Reads a job of a configuration.
    #[must_use]
    pub fn read(job: &Job, settings: &JobSettings<'_>) -> Self {
        let honors_labels = job.honors_labels();
        let federates = job.metrics_path() == "/federate";
        let (mut targets, dropped_by) = targets(job, settings);
        for sort in &mut targets {
            sort.exposed = if federates {
                SeriesLabels::open()
            } else {
                exposed(sort, honors_labels)
            };
        }
        Self {
            name: job.name.clone(),
            origin: job.origin,
            targets,
            dropped_by,
            honors_labels,
            federates,
            taken: settings.taken.or(|key| job.section.get(key)),
            metric_rules: rules(job.metric_rules(), settings.scheme).ok(),
            interval: job
                .interval_or(settings.interval)
                .filter(|_| !sets_interval(job)),
            is_secret: false,
        }
    }

    /// Returns whether it is one of those: by the label of its targets, or by the name of its resource where their label is
    /// not known.
    #[must_use]
    pub fn is_named(&self, names: &[String]) -> bool {
        let resource = self.name.split('/').nth(2);
        let has = |name: &String| {
            let mut targets = self.targets.iter();
            resource == Some(name) || targets.any(|of| of.has_job(name) == Truth::Yes)
        };
        names.iter().any(has)
    }

    /// Returns whether it has targets, and all their pods have `replicas: 0`.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        !self.targets.is_empty() && self.targets.iter().all(|of| of.is_stopped)
    }

    /// Returns whether a metric begins with the first word of what it is called: `grafana_alerts` of `grafana`.
    #[must_use]
    pub fn is_prefix_of(&self, metric: &str) -> bool {
        let labels = self.targets.iter().map(|of| of.labels.get("job").known());
        let mut names = labels.map(|label| label.or_else(|| self.name.split('/').nth(2)));
        names.any(|name| {
            let word = name.and_then(|name| name.split(['-', '_', '.', '/']).next());
            let rest = word.and_then(|word| metric.strip_prefix(word));
            rest.is_some_and(|rest| rest.starts_with('_'))
        })
    }

    /// Returns whether a sort of targets may have a metric, before anything is dropped.
    #[must_use]
    pub fn may_expose(&self, targets: &ReachedTargets, name: &str) -> bool {
        let is_exposed = match &targets.metrics {
            Some(metrics) => metrics.contains(name),
            None => self.federates || targets.exporter.may_expose(name),
        };
        is_exposed || is_synthetic(name) || self.may_make(name)
    }

    /// Returns whether a rule for samples may make a metric of another.
    fn may_make(&self, name: &str) -> bool {
        self.metric_rules
            .as_ref()
            .is_none_or(|rules| rules.iter().any(|rule| may_rename(rule, name)))
    }

    /// The labels of series of targets: those that they expose, or those that Prometheus makes for each scrape.
    #[must_use]
    pub fn labels_of<'t>(
        &self,
        targets: &'t ReachedTargets,
        name: Option<&str>,
    ) -> &'t SeriesLabels {
        match name {
            Some(name) if is_synthetic(name) && self.federates => SeriesLabels::of_anything(),
            Some(name) if is_synthetic(name) => &targets.labels,
            Some(_) | None => &targets.exposed,
        }
    }

    /// Returns whether a rule for samples may set a label, rather than drop it.
    #[must_use]
    pub fn changes_labels(&self) -> bool {
        self.metric_rules.as_ref().is_none_or(|rules| {
            rules
                .iter()
                .any(|rule| !matches!(rule.reach(), Reach::Nothing | Reach::Deletes))
        })
    }

    /// Returns whether a rule for samples may set a label.
    #[must_use]
    pub fn may_set(&self, label: &str) -> bool {
        self.metric_rules
            .as_ref()
            .is_none_or(|rules| rules.iter().any(|rule| may_write(rule, label)))
    }

    /// The outcome for exposed series that a selector asks for by that name and these conditions.
    #[must_use]
    pub fn outcome(
        &self,
        exposed: &SeriesLabels,
        name: Option<&str>,
        matchers: &[SeriesMatcher],
    ) -> SeriesFate {
        let Some(rules) = self
            .metric_rules
            .as_deref()
            .filter(|rules| !rules.is_empty())
        else {
            return SeriesFate::Possible;
        };
        if name.is_none_or(|name| rules.iter().any(|rule| may_rename(rule, name))) {
            return SeriesFate::Possible;
        }
        let mut sample = exposed.clone();
        sample.set(
            METRIC_NAME,
            name.map_or_else(LabelValues::something, LabelValues::exact),
        );
        for rule in rules {
            for source in &rule.source_labels {
                sample.set(source.clone(), sample.get(source).clone());
            }
        }
        for matcher in matchers {
            sample.set(
                matcher.label.clone(),
                wanted(rules, matcher, sample.get(&matcher.label)),
            );
        }
        for (index, rule) in rules.iter().enumerate() {
            let removes = rule.reach() == Reach::Deletes;
            let is_dropped = relabel::run(std::slice::from_ref(rule), &mut sample).is_some();
            // Under another name, they are other series.
            let is_named = |value: &str| !is_known(value) || Some(value) == name;
            let is_renamed = !sample.get(METRIC_NAME).iter().any(is_named);
            if is_dropped || is_renamed || removes && gone(matchers, &sample, &rules[index..]) {
                return SeriesFate::DroppedBy(index);
            }
        }
        SeriesFate::Possible
    }

    /// The labels behind the rules for samples, for those who read what becomes of them.
    #[must_use]
    pub fn relabeled(&self, mut exposed: SeriesLabels, name: Option<&str>) -> SeriesLabels {
        match &self.metric_rules {
            None => exposed.forget(),
            Some(rules) => {
                exposed.set(
                    METRIC_NAME,
                    name.map_or_else(LabelValues::something, LabelValues::exact),
                );
                relabel::run(rules, &mut exposed);
            }
        }
        exposed
    }
}

/// The labels of series that targets expose.
fn exposed(targets: &ReachedTargets, honors_labels: bool) -> SeriesLabels {
    let mut labels = targets.labels.clone();
    labels.open_others();
    if honors_labels {
        for (name, values) in targets.labels.iter() {
            if targets.exporter.may_label(name) {
                labels.set(name, values.or(&LabelValues::something()));
            }
        }
    }
    labels
}

/// Returns whether rules for targets may say how often these are scraped.
fn sets_interval(job: &Job) -> bool {
    let target = |rule: &Value| rule.text_of("target_label") == Some("__scrape_interval__");
    job.rules().iter().any(target)
}

/// Returns whether the labels cannot meet the conditions any more, and no later rule mends that.
fn gone(matchers: &[SeriesMatcher], sample: &SeriesLabels, rest: &[CompiledRule]) -> bool {
    let later = rest.get(1..).unwrap_or_default();
    unmet(matchers, sample)
        .is_some_and(|matcher| !later.iter().any(|rule| may_write(rule, &matcher.label)))
}

/// Returns whether a rule may set a label.
fn may_write(rule: &CompiledRule, name: &str) -> bool {
    match rule.reach() {
        Reach::Label(label) => label == name,
        Reach::Anything => true,
        Reach::Nothing | Reach::Deletes => false,
    }
}

/// Returns whether a rule may make a metric of that name of another.
fn may_rename(rule: &CompiledRule, name: &str) -> bool {
    match rule.reach() {
        Reach::Label(METRIC_NAME) => {
            let (text, is_text) = rule.written();
            let head = text.split('$').next().unwrap_or_default();
            if is_text {
                text == name
            } else {
                name.starts_with(head)
            }
        }
        Reach::Label(_) | Reach::Nothing | Reach::Deletes => false,
        Reach::Anything => rule.written().0.contains('$') || rule.written().0 == METRIC_NAME,
    }
}

/// The values of a label that a series must have to be asked for, as far as no rule changes it.
fn wanted(rules: &[CompiledRule], matcher: &SeriesMatcher, values: &LabelValues) -> LabelValues {
    if matcher.meets_absent() || rules.iter().any(|rule| may_write(rule, &matcher.label)) {
        return values.clone();
    }
    match matcher.texts() {
        Some(texts) if values.is_open() => LabelValues::of(texts),
        _ => values.only(|value| !value.is_empty()),
    }
}

/// The `instance` of targets that nothing gives one: their address. Prometheus 2 adds the port of the scheme, or drops it.
fn instances(addresses: &LabelValues) -> LabelValues {
    if !addresses
        .iter()
        .all(|address| is_known(address) && !address.is_empty())
    {
        return addresses.or(&LabelValues::something());
    }
    let of = |address: &str| {
        let ports = [":80", ":443"];
        let bare = ports.iter().find_map(|port| address.strip_suffix(port));
        let has_port = address.rsplit(']').next().unwrap_or_default().contains(':');
        let added = ports
            .iter()
            .filter(|_| !has_port)
            .map(|port| format!("{address}{port}"));
        let dropped = bare.map(str::to_owned).into_iter();
        added
            .chain(dropped)
            .chain([address.to_owned()])
            .collect::<Vec<_>>()
    };
    LabelValues::of(addresses.iter().flat_map(of))
}

/// The sorts of targets that the rules leave, and the last rule that drops one if they leave none.
fn targets(job: &Job, settings: &JobSettings<'_>) -> (Vec<ReachedTargets>, Option<usize>) {
    let own = job.rules().len()
        - job
            .n_sharing(settings.sharding)
            .unwrap_or_default()
            .min(job.rules().len());
    let rules = rules(&job.rules()[..own], settings.scheme).ok();
    let mut sorts: Vec<ReachedTargets> = Vec::new();
    let mut dropped_by = None;
    for sort in discovered(job, settings) {
        let TargetSort {
            mut labels,
            exporter,
            is_guess,
            is_stopped,
        } = sort;
        scrape_labels(&mut labels, job);
        match &rules {
            Some(rules) => {
                if let Some(rule) = relabel::run(rules, &mut labels) {
                    dropped_by = dropped_by.max(Some(rule));
                    continue;
                }
            }
            None => labels.forget(),
        }
        let address = labels.get("__address__").clone();
        if labels.get("instance").iter().any(str::is_empty) {
            let given = labels.get("instance").only(|value| !value.is_empty());
            labels.set("instance", given.or(&instances(&address)));
        }
        labels.drop_internal();
        sorts.push(ReachedTargets {
            labels,
            exposed: SeriesLabels::closed(),
            exporter,
            metrics: None,
            is_guess,
            is_stopped,
        });
    }
    sorts.sort_unstable();
    sorts.dedup();
    if sorts.len() > MAX_SORTS {
        let labels = SeriesLabels::open();
        let exposed = labels.clone();
        let exporter = Exporter::Unknown;
        sorts = vec![ReachedTargets {
            labels,
            exposed,
            exporter,
            metrics: None,
            is_guess: true,
            is_stopped: false,
        }];
    }
    let dropped_by = dropped_by.filter(|_| sorts.is_empty());
    (sorts, dropped_by)
}

/// Adds the labels that a scrape adds to a target that lacks them.
fn scrape_labels(labels: &mut SeriesLabels, job: &Job) {
    let defaults = [
        ("job", job.written_name().unwrap_or_default()),
        ("__scheme__", job.scheme()),
        ("__metrics_path__", job.metrics_path()),
    ];
    for open in ["__scrape_interval__", "__scrape_timeout__"] {
        labels.set(open, LabelValues::something());
    }
    for (name, value) in defaults {
        let known = labels.get(name);
        if known.iter().any(str::is_empty) {
            let given = known.only(|value| !value.is_empty());
            labels.set(name, given.or(&LabelValues::exact(value)));
        }
    }
    for (name, values) in job.params() {
        let first = values.first().and_then(Value::as_str).unwrap_or_default();
        labels.set_text(format!("__param_{name}"), first);
    }
}

fn discovered(job: &Job, settings: &JobSettings<'_>) -> Vec<TargetSort> {
    let mut sorts = Vec::new();
    for DiscoverySection {
        key,
        source,
        entries,
    } in job.discoveries()
    {
        match source {
            DiscoverySource::Static => sorts.extend(entries.iter().map(static_targets)),
            DiscoverySource::Kubernetes => {
                sorts.extend(
                    job.kubernetes()
                        .flat_map(|discovery| of_kubernetes(job, discovery, settings)),
                );
            }
            DiscoverySource::Other if entries.is_empty() => {}
            DiscoverySource::Other => sorts.push(elsewhere(key)),
        }
    }
    sorts
}

/// The targets of a discovery that only a live server can do.
fn elsewhere(key: &str) -> TargetSort {
    let mut labels = SeriesLabels::closed();
    labels.leave_open("__");
    if matches!(key, "file_sd_configs" | "http_sd_configs") {
        labels = SeriesLabels::open();
        labels.set("job", LabelValues::anything());
    }
    labels.set("__address__", LabelValues::something());
    TargetSort {
        labels,
        exporter: Exporter::Unknown,
        is_guess: true,
        is_stopped: false,
    }
}

fn static_targets(entry: &Value) -> TargetSort {
    let mut labels = SeriesLabels::closed();
    let addresses = entry.items_of("targets");
    labels.set(
        "__address__",
        LabelValues::of(
            addresses
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned),
        ),
    );
    for (name, value) in entry
        .get("labels")
        .and_then(Value::as_map)
        .into_iter()
        .flatten()
    {
        let value = value
            .as_str()
            .map_or_else(LabelValues::something, LabelValues::exact);
        labels.set(name.to_string(), value);
    }
    TargetSort {
        labels,
        exporter: Exporter::Unknown,
        is_guess: false,
        is_stopped: false,
    }
}

fn of_kubernetes(
    job: &Job,
    discovery: KubernetesDiscovery<'_>,
    settings: &JobSettings<'_>,
) -> Vec<TargetSort> {
    match Query::from_config(discovery, settings.namespace) {
        Ok(query) if !discovery.is_elsewhere() => settings
            .objects
            .sorts(&query, sought(job, settings).as_ref()),
        Ok(_) | Err(_) => vec![elsewhere("kubernetes_sd_configs")],
    }
}

/// The objects that the monitor of a job selects.
fn sought(job: &Job, settings: &JobSettings<'_>) -> Option<SoughtObjects> {
    let mut parts = job.name.split('/');
    let (kind, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
    let (key, cluster) = (format!("{namespace}/{name}"), settings.objects.cluster);
    let selector = match kind {
        "serviceMonitor" => &cluster.service_monitors.get(&*key)?.value.spec.selector,
        "podMonitor" => &cluster.pod_monitors.get(&*key)?.value.spec.selector,
        _ => return None,
    };
    Some(SoughtObjects {
        selector: Selector::new(selector).ok()?,
    })
}

/// The jobs by the exact names that their targets have, and those that may have any.
#[derive(Clone, Debug, Default)]
pub struct JobIndex {
    by_name: BTreeMap<String, Vec<(usize, usize)>>,
    others: Vec<(usize, usize)>,
}

impl JobIndex {
    /// Makes the index: each sort of targets by the number of its job and its own.
    #[must_use]
    pub fn new(jobs: &[ScrapedJob]) -> Self {
        let mut index = Self::default();
        for (at, job) in jobs.iter().enumerate() {
            for (number, targets) in job.targets.iter().enumerate() {
                let values = targets.labels.get("job");
                let may_differ = job.federates
                    || job.honors_labels && targets.exporter.may_label("job")
                    || job.may_set("job")
                    || targets.labels.has_others();
                if may_differ
                    || values
                        .iter()
                        .any(|value| !crate::lineage::values::is_known(value))
                {
                    index.others.push((at, number));
                    continue;
                }
                for value in values.iter() {
                    index
                        .by_name
                        .entry(value.to_owned())
                        .or_default()
                        .push((at, number));
                }
            }
        }
        index
    }

    /// The sorts of targets that may have one of these jobs.
    pub fn of<'i>(&'i self, names: &[String]) -> impl Iterator<Item = (usize, usize)> + use<'i> {
        let named: Vec<&Vec<(usize, usize)>> = names
            .iter()
            .filter_map(|name| self.by_name.get(name.as_str()))
            .collect();
        named.into_iter().flatten().chain(&self.others).copied()
    }
}
