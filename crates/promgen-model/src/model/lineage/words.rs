//! The finding on a selector that finds nothing.

use std::collections::BTreeSet;

use crate::lineage::exporters::{ExporterLack, KnownExporter, SwitchedOff};
use crate::lineage::job::{ScrapedJob, is_synthetic};
use crate::lineage::matcher::{SeriesMatcher, SeriesSelector};
use crate::lineage::server::{Absence, Lack};
use crate::lineage::values::is_known;
use crate::model::World;
use crate::model::lineage::{RuleServer, drop_place};
use promgen_prometheus::promql::LabelMatcher;
use promgen_prometheus::relabel::Action;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Place};
use promgen_text::suggest;

/// The maximum number of values, or of rules, that a message lists.
const MAX_LISTED: usize = 4;

/// A sentence, the places that belong to it, and the advice.
#[derive(Clone, Debug, Default)]
pub struct AbsenceWords {
    /// The sentence.
    pub message: String,
    /// The places, each with a label.
    pub related: Vec<(Place, String)>,
    /// The advice.
    pub help: Vec<String>,
}

impl AbsenceWords {
    /// Adds the places and the advice to a finding.
    pub fn add_to(self, finding: Diagnostic) -> Diagnostic {
        let finding = self
            .related
            .into_iter()
            .fold(finding, |finding, (place, text)| {
                finding.related(place, text)
            });
        finding.helps(self.help)
    }
}

/// Why a selector finds nothing on a server.
pub fn absence(world: &World<'_>, server: &RuleServer, lack: &Lack) -> AbsenceWords {
    match &lack.absence {
        Absence::Unmet { matcher, within } => {
            let own = own_label(world, server, &lack.selector, matcher);
            unmet(server, matcher, within.as_ref(), own)
        }
        Absence::Dropped { name, by } => dropped(world, server, &lack.selector, name, by),
        Absence::NotRecorded { name } => said(format!(
            "the rules of {} that record `{name}` find nothing",
            server.server.what
        )),
        Absence::RecordedOtherwise { name, matcher } => said(format!(
            "no rule of {} records `{name}` with `{}`",
            server.server.what,
            matcher.text()
        )),
        Absence::Unexposed { name } => {
            let words = said(format!("nothing exposes `{name}`, as the metrics show"));
            let of_targets = server
                .server
                .jobs
                .iter()
                .flat_map(|job| &job.targets)
                .filter_map(|targets| targets.metrics.as_ref());
            let known = server
                .server
                .known_metrics
                .iter()
                .chain(of_targets)
                .flat_map(BTreeSet::iter);
            match suggest::closest(name, known.map(String::as_str)) {
                Some(near) => AbsenceWords {
                    help: vec![format!("did you mean `{near}`?")],
                    ..words
                },
                None => words,
            }
        }
        Absence::NotMade { name, by, why } => not_made(name, by, *why),
    }
}

/// What an exporter does not expose: the flag that switches it off, or the nearest name.
pub fn not_made(name: &str, by: &KnownExporter, why: ExporterLack) -> AbsenceWords {
    let exporter = format!("{} {}", by.program.name(), by.version);
    let (message, help) = match why {
        ExporterLack::NoSuch(having) => {
            let since = having.map(|(first, last)| match first == last {
                true => format!("release {first} has it"),
                false => format!("releases from {first} to {last} have it"),
            });
            let near =
                suggest::closest(name, by.metrics()).map(|near| format!("did you mean `{near}`?"));
            (format!("{exporter} has no metric `{name}`"), since.or(near))
        }
        ExporterLack::Off(off) => (
            format!("{exporter} does not expose `{name}`"),
            Some(switched_off(name, off)),
        ),
    };
    AbsenceWords {
        help: help.into_iter().collect(),
        ..said(message)
    }
}

/// The flag that switches a metric off.
fn switched_off(name: &str, off: SwitchedOff) -> String {
    match off {
        SwitchedOff::ByResources(resource) => format!("its `--resources` leaves out `{resource}`"),
        SwitchedOff::WithoutResource(resource) => {
            format!(
                "`{resource}` is off by default: list it in `--resources`, with all others that you want"
            )
        }
        SwitchedOff::ByAllowlist => {
            format!("no pattern of its `--metric-allowlist` matches `{name}`")
        }
        SwitchedOff::ByDenylist => format!("a pattern of its `--metric-denylist` matches `{name}`"),
        SwitchedOff::WithoutOptIn => {
            format!("it is off by default: list it in `--metric-opt-in-list={name}`")
        }
        SwitchedOff::ByCollector(collector) => {
            format!(
                "its arguments switch the collector `{collector}` off: set `--collector.{collector}`"
            )
        }
        SwitchedOff::WithoutCollector(collector) => {
            format!("the collector `{collector}` is off by default: set `--collector.{collector}`")
        }
    }
}

fn said(message: String) -> AbsenceWords {
    AbsenceWords {
        message,
        ..AbsenceWords::default()
    }
}

/// What is said of a label that metrics may have themselves, and that loses against that of the target.
struct OwnLabel {
    /// The metric has it, and it is what the matcher asks for.
    is_meant: bool,
    help: String,
}

/// Labels of targets that exporters also give to metrics about other objects.
const OF_OBJECTS: &[&str] = &[
    "container",
    "instance",
    "namespace",
    "node",
    "pod",
    "service",
];

/// The beginnings of metrics that are about other objects than their target.
const ABOUT_OBJECTS: &[&str] = &["container_", "kube_", "kubelet_"];

/// A label of a metric itself. `None` if the metric has none, or if its job honors it.
fn own_label(
    world: &World<'_>,
    server: &RuleServer,
    selector: &SeriesSelector,
    matcher: &SeriesMatcher,
) -> Option<OwnLabel> {
    let names = selector.names.as_deref().unwrap_or_default();
    let label = matcher.label.as_str();
    if !OF_OBJECTS.contains(&label) || names.iter().any(|name| is_synthetic(name)) {
        return None;
    }
    let is_about_objects = names
        .iter()
        .any(|name| ABOUT_OBJECTS.iter().any(|begin| name.starts_with(begin)));
    let is_namespace = label == "namespace"
        && world.manifests().iter().any(|manifest| {
            let name = manifest.namespace.unwrap_or_default();
            name == matcher.value || manifest.kind == "Namespace" && manifest.name == matcher.value
        });
    let is_meant = matcher.operator == "=" && (is_about_objects || is_namespace);
    let server = world.cluster().prometheuses.get(server.id.key().as_str());
    let is_overridden =
        server.is_some_and(|server| server.value.spec.common.override_honor_labels == Some(true));
    let honor = match is_overridden {
        true => "",
        false => ", or set `honorLabels: true` at the endpoint so that it stays",
    };
    let help = format!(
        "the `{label}` of the target wins over one of the metric, which becomes `exported_{label}`: ask for that{honor}"
    );
    Some(OwnLabel { is_meant, help })
}

fn unmet(
    server: &RuleServer,
    matcher: &SeriesMatcher,
    within: Option<&SeriesMatcher>,
    own: Option<OwnLabel>,
) -> AbsenceWords {
    let what = &server.server.what;
    let LabelMatcher {
        label,
        operator,
        value,
    } = &matcher.written;
    let of = within
        .map(|within| format!(" with `{}`", within.text()))
        .unwrap_or_default();
    let message = match (label.as_str(), *operator, value.as_str()) {
        ("job", "=", "") => {
            format!("every series that {what} scrapes has a `job`: none meets `job=\"\"`")
        }
        ("job", "=", name) => format!("no job of {what} is called `{name}`"),
        ("job", ..) => format!("no job of {what} meets `{}`", matcher.text()),
        (_, "=", value) => format!("no target of {what}{of} has {label} `{value}`"),
        _ => format!("no target of {what}{of} meets `{}`", matcher.text()),
    };
    let mut words = said(message);
    let known = values(server, label, within);
    let listed: Vec<&str> = known.iter().map(|(value, _)| value.as_str()).collect();
    let near = suggest::closest(value, listed.iter().copied());
    match near {
        Some(near) => words.help.push(format!("nearest: `{near}`")),
        None if own.as_ref().is_some_and(|own| own.is_meant) => {}
        None if !listed.is_empty() && listed.len() <= MAX_LISTED => {
            words
                .help
                .push(format!("there is `{}`", listed.join("`, `")));
        }
        None => {}
    }
    words.help.extend(own.map(|own| own.help));
    let origin = near
        .and_then(|near| known.iter().find(|(value, _)| value == near))
        .and_then(|(_, job)| job.origin);
    words
        .related
        .extend(origin.map(|span| (Place::Span(span), "this job makes it".to_owned())));
    words
}

/// The values that targets have of a label, each with a job that makes it; those of Secrets are left out.
pub fn values<'s>(
    server: &'s RuleServer,
    label: &str,
    within: Option<&SeriesMatcher>,
) -> Vec<(String, &'s ScrapedJob)> {
    let mut values: Vec<(String, &ScrapedJob)> = Vec::new();
    for job in server.server.jobs.iter().filter(|job| !job.is_secret) {
        for targets in &job.targets {
            if within.is_some_and(|within| !within.may_meet(targets.labels.get(&within.label))) {
                continue;
            }
            let known = targets
                .labels
                .named(label)
                .into_iter()
                .flat_map(|values| values.iter());
            for value in known.filter(|value| is_known(value) && !value.is_empty()) {
                if !values.iter().any(|(known, _)| known == value) {
                    values.push((value.to_owned(), job));
                }
            }
        }
    }
    values
}

fn dropped(
    world: &World<'_>,
    server: &RuleServer,
    selector: &SeriesSelector,
    name: &str,
    by: &[(usize, usize)],
) -> AbsenceWords {
    let what = &server.server.what;
    let jobs: BTreeSet<usize> = by.iter().map(|(job, _)| *job).collect_set();
    let first = by
        .first()
        .map(|(job, rule)| (&server.server.jobs[*job], *rule));
    let label = first.and_then(|(job, rule)| label_gone(job, rule, selector));
    let (whose, verb) = match (jobs.len(), first) {
        (1, Some((job, _))) => (job_title(job), "drops"),
        (n, _) => (
            format!("all {} of {what} that it can be of", counted(n, "job")),
            "drop",
        ),
    };
    let message = match label {
        Some(label) => format!("{whose} {verb} the label `{label}` of `{name}`"),
        None => format!("{whose} {verb} `{name}`"),
    };
    let place = |(job, rule): &(usize, usize)| {
        let job = &server.server.jobs[*job];
        drop_place(world.cluster(), server.doc, job, *rule)
    };
    let places = by.iter().filter_map(place).take(MAX_LISTED);
    let related = places.map(|at| (Place::At(at), "this rule drops it".to_owned()));
    AbsenceWords {
        message,
        related: related.collect(),
        help: Vec::new(),
    }
}

/// The label that a selector asks for and that a rule for samples removes.
fn label_gone<'s>(job: &ScrapedJob, rule: usize, selector: &'s SeriesSelector) -> Option<&'s str> {
    let rule = job.metric_rules.as_ref()?.get(rule)?;
    if !matches!(rule.action, Action::LabelDrop | Action::LabelKeep) {
        return None;
    }
    let asked = selector.matchers.iter().filter(|of| !of.meets_absent());
    let mut labels = asked.map(|matcher| matcher.label.as_str());
    labels.find(|label| rule.deletes(label))
}

/// Why the labels of a job are not known.
pub const fn open_labels(job: &ScrapedJob) -> &'static str {
    match job.federates {
        true => "federates, so its labels are not known",
        false => "sets `honorLabels`, so its labels are not known",
    }
}

/// `job serviceMonitor/shop/web/0`
pub fn job_title(job: &ScrapedJob) -> String {
    if job.is_secret {
        "a job of a Secret".to_owned()
    } else {
        format!("job {}", job.name)
    }
}
