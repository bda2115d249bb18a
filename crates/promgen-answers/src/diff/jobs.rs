//! Jobs and settings of a configuration that differ.

use std::collections::BTreeMap;
use std::fmt;

use crate::diff::listed::{Listed, ThingGroups};
use crate::diff::value::{self, Delta, FieldChange, Shades};
use promgen_compile::output::{Config, Job, Workload};
use promgen_text::CollectOrdered;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Map, Value};

changes! {
    /// The jobs that differ.
    #[derive(Default)]
    JobChanges {
        /// Jobs that are new.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        added: Listed<NamedJob>,
        /// Jobs that are gone.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        dropped: Listed<NamedJob>,
        /// Jobs that differ, those with the same differences together.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        changed: Listed<ChangedJobs>,
        /// The number of jobs that differ.
        n_changed: usize,
        /// Whether jobs of both are in another order.
        is_reordered: bool,
    }

    /// A job, and where it comes from.
    NamedJob {
        /// Its name.
        name: String,
        /// The file and line of its source.
        #[serde(flatten)]
        place: Option<FileLine>,
    }

    /// Jobs with the same differences.
    ChangedJobs {
        /// The jobs.
        jobs: Listed<NamedJob>,
        /// The differences.
        fields: Listed<FieldChange>,
    }
}

impl JobChanges {
    /// Returns whether no job differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.dropped.is_empty()
            && self.changed.is_empty()
            && !self.is_reordered
    }
}

/// A workload, and the texts that it comes from.
pub(crate) type Placed<'a> = (&'a Workload, &'a Sources);

/// Two versions of a workload, with values of Secrets.
pub(crate) type Revealed<'a> = Option<(&'a Workload, &'a Workload)>;

/// Compares the jobs of two workloads. Values of Secrets that differ are named, and not shown.
pub(crate) fn changes(
    base: Placed<'_>,
    head: Placed<'_>,
    revealed: Revealed<'_>,
    shades: &Shades,
) -> JobChanges {
    let (old, new) = (numbered(base.0.jobs()), numbered(head.0.jobs()));
    let revealed = revealed.map(|(old, new)| (numbered(old.jobs()), numbered(new.jobs())));
    let mut changes = JobChanges::default();
    for (key, job) in &old {
        if !new.contains_key(key) {
            changes.dropped.push(named(job, base.1));
        }
    }
    for (key, job) in &new {
        if !old.contains_key(key) {
            changes.added.push(named(job, head.1));
        }
    }
    let mut groups = ThingGroups::new();
    for (key, job) in &new {
        let Some(before) = old.get(key) else { continue };
        let revealed = revealed
            .as_ref()
            .and_then(|(old, new)| Some((&old.get(key)?.section, &new.get(key)?.section)));
        let fields = fields(&before.section, &job.section, revealed, shades);
        if !fields.is_empty() {
            changes.n_changed += 1;
            groups.add(fields, named(job, head.1));
        }
    }
    changes.changed = groups
        .into_groups()
        .map(|(fields, jobs)| ChangedJobs {
            jobs: jobs.into_iter().collect(),
            fields: fields.into_iter().collect(),
        })
        .collect();
    changes.is_reordered = order(base.0.jobs(), &new) != order(head.0.jobs(), &old);
    changes
}

/// The fields that differ, and those of which only secret values do.
fn fields(
    old: &Map,
    new: &Map,
    revealed: Option<(&Map, &Map)>,
    shades: &Shades,
) -> Vec<FieldChange> {
    let deltas = if old == new {
        Vec::new()
    } else {
        value::diff_maps(old, new)
    };
    let mut fields = shades.deltas(&deltas);
    let revealed = revealed
        .filter(|(old, new)| old != new)
        .map(|(old, new)| value::diff_maps(old, new));
    let is_named = |delta: &Delta<'_>| {
        deltas
            .iter()
            .any(|shown| delta.path.starts_with(&shown.path))
    };
    let hidden: Vec<Delta<'_>> = revealed
        .into_iter()
        .flatten()
        .filter(|delta| !is_named(delta))
        .collect();
    if hidden.is_empty() {
        return fields;
    }
    let head = Value::Map(new.clone());
    for delta in hidden {
        // A key or a name may be secret, too.
        let known = delta.path.iter().scan(&head, |value, step| {
            *value = step.of(value)?;
            Some(step.clone())
        });
        let path = known.collect();
        fields.push(shades.hidden(&Delta { path, ..delta }));
    }
    fields.dedup();
    fields
}

/// The other settings of the configuration that differ. Values of Secrets that differ are named, and not shown.
pub(crate) fn settings(
    base: &Workload,
    head: &Workload,
    revealed: Revealed<'_>,
    shades: &Shades,
) -> Listed<FieldChange> {
    let none = Config::of_text("", Vec::new());
    let (old, new) = (config(base, &none), config(head, &none));
    let all = revealed.map(|(base, head)| (config(base, &none), config(head, &none)));
    let sections = all.map(|(old, new)| (&old.sections, &new.sections));
    let mut found: Listed<FieldChange> = fields(&old.sections, &new.sections, sections, shades)
        .into_iter()
        .collect();
    // A text that is not made of sections: the user's own, or one that may not be shown.
    let is_whole = found.is_empty() && (old.sections.is_empty() || new.sections.is_empty());
    let differ = |(old, new): (&Config, &Config)| old.text() != new.text();
    if is_whole && (differ((old, new)) || all.is_some_and(differ)) {
        found.push(FieldChange {
            path: format!("{}.yaml", base.id.kind.config_stem()),
            ..FieldChange::default()
        });
    }
    if base.web_config != head.web_config
        || revealed.is_some_and(|(base, head)| base.web_config != head.web_config)
    {
        found.push(FieldChange {
            path: "web-config.yaml".to_owned(),
            ..FieldChange::default()
        });
    }
    found
}

fn config<'a>(workload: &'a Workload, none: &'a Config) -> &'a Config {
    workload.config.as_ref().unwrap_or(none)
}

/// The jobs by name; those of the same name by their order.
pub(crate) fn numbered(jobs: &[Job]) -> BTreeMap<(&str, usize), &Job> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let number = |job| {
        let job: &Job = job;
        let n = seen.entry(&job.name).or_default();
        *n += 1;
        ((job.name.as_str(), *n), job)
    };
    jobs.iter().map(number).collect_map()
}

/// The names of the jobs that both have, in their order.
fn order<'j>(jobs: &'j [Job], other: &BTreeMap<(&str, usize), &Job>) -> Vec<&'j str> {
    jobs.iter()
        .map(|job| job.name.as_str())
        .filter(|name| other.contains_key(&(*name, 1)))
        .collect()
}

fn named(job: &Job, sources: &Sources) -> NamedJob {
    NamedJob {
        name: job.name.clone(),
        place: job.origin.map(|span| place(span, sources)),
    }
}

changes! {
    /// A line of a file.
    FileLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    }
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// `monitors.yaml:12`.
pub(crate) fn place(span: Span, sources: &Sources) -> FileLine {
    FileLine {
        file: sources.file(span.file).name.clone(),
        line: sources.start(span).line,
    }
}
