//! A workload as a cluster has it, and what differs of it.
//!
//! In: what is expected of a workload, and the pieces that differ. Out: for each evidence the changes from the cluster to what
//! is expected, in the terms of `diff`. Configurations of both sides are read from their texts, so that only what they say
//! differs.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::WorkloadChanges;
use crate::diff::causes::Causes;
use crate::diff::jobs::{self, JobChanges};
use crate::diff::listed::{Listed, ThingGroups};
use crate::diff::objects::{self, ObjectChange, ObjectPair};
use crate::diff::rules;
use crate::diff::targets::meter::Meter;
use crate::diff::targets::{self, Scraper, Scraping};
use crate::diff::value::{Change, FieldChange, HiddenSecrets, Shades};
use crate::drift::WorkloadDrift;
use crate::drift::evidence::Evidence;
use crate::drift::objects::{ComparedWorkload, What, adopt};
use crate::drift::payload;
use promgen_compile::output::{Config, Job, RuleFile, Workload};
use promgen_targets::discovery::Discovery;
use promgen_text::CollectOrdered;
use promgen_text::source::Sources;
use promgen_text::yaml::{Map, Value};

/// The expected state of a workload.
pub(super) struct Expected<'a> {
    /// With values of Secrets, which are compared.
    pub(super) revealed: &'a Workload,
    /// Without them, as it is shown.
    pub(super) shown: &'a Workload,
    pub(super) discovery: &'a Discovery,
    pub(super) sources: &'a Sources,
    pub(super) shades: &'a Shades,
}

/// The differences of a workload, by evidence.
pub(super) fn drifts(expected: &Expected<'_>, compared: ComparedWorkload) -> Vec<WorkloadDrift> {
    let ComparedWorkload {
        objects, pieces, ..
    } = compared;
    let mut groups = ThingGroups::new();
    for piece in pieces {
        groups.add(piece.evidence, piece.what);
    }
    let drift = |(evidence, pieces): (Evidence, Vec<What>)| {
        let changes = changes(expected, &objects, pieces);
        WorkloadDrift { evidence, changes }
    };
    groups.into_groups().map(drift).collect()
}

fn changes(expected: &Expected<'_>, objects: &[ObjectPair], pieces: Vec<What>) -> WorkloadChanges {
    let workload = expected.revealed;
    let mut changes = WorkloadChanges {
        workload: workload.id.to_string(),
        ..WorkloadChanges::default()
    };
    let mut fields: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let (mut missing, mut keys, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            What::Config(text) => configuration(expected, &text, &mut changes),
            What::RuleFile(name, text) => files.push((name, text)),
            What::Field(index, path) => drop(fields.entry(index).or_default().insert(path)),
            What::Missing(index) => missing.push(index),
            What::Key(index, field) => keys.push((index, field)),
        }
    }
    let of_fields = fields
        .into_iter()
        .filter_map(|(index, paths)| Some(objects.get(index)?.clone().only(paths)));
    let pairs: Vec<ObjectPair> = of_fields
        .chain(
            missing
                .into_iter()
                .filter_map(|index| objects.get(index).cloned()),
        )
        .collect();
    let found = objects::changes(&pairs, Causes::default, &expected.shades.with_live_object());
    (changes.objects, changes.restarts) = (found.objects, found.restarts);
    add_keys(keys, objects, &mut changes.objects);
    changes.rules = rule_files(workload, files, expected.shades);
    changes
}

/// Adds the keys of Secrets whose values differ.
fn add_keys(
    keys: Vec<(usize, FieldChange)>,
    objects: &[ObjectPair],
    found: &mut Listed<ObjectChange>,
) {
    let mut groups = ThingGroups::new();
    for (index, field) in keys {
        groups.add(index, field);
    }
    for (index, fields) in groups.into_groups() {
        let Some(pair) = objects.get(index) else {
            continue;
        };
        found.push(ObjectChange {
            kind: pair.kind().to_owned(),
            names: std::iter::once(pair.name()).collect(),
            change: Change::Changed,
            fields: fields.into_iter().collect(),
        });
    }
}

/// The jobs, settings and targets that differ.
fn configuration(expected: &Expected<'_>, text: &str, changes: &mut WorkloadChanges) {
    let (revealed, shown) = (expected.revealed, expected.shown);
    let live_value = payload::yaml(text).unwrap_or(Value::Null);
    let mut wanted_value = text_of(revealed)
        .and_then(payload::yaml)
        .unwrap_or(Value::Null);
    adopt(&mut wanted_value, &live_value);
    let shown_value = text_of(shown)
        .and_then(payload::yaml)
        .unwrap_or(Value::Null);
    let mut secrets = HiddenSecrets::default();
    let is_alike = hidden(&wanted_value, &shown_value, &mut secrets);
    let mut known = BTreeSet::new();
    texts(&shown_value, &mut known);
    let shades = expected.shades.with_live_base(secrets, known);
    let origins: Vec<_> = revealed
        .config
        .iter()
        .flat_map(|c| c.jobs.iter().map(|job| job.origin))
        .collect();
    let mut wanted = with_config(
        revealed,
        &wanted_value,
        text_of(revealed).unwrap_or_default(),
    );
    for (job, origin) in wanted
        .config
        .iter_mut()
        .flat_map(|config| &mut config.jobs)
        .zip(origins)
    {
        job.origin = origin;
    }
    let mut live = with_config(revealed, &live_value, text);
    // A text that is the user's own, and secret as a whole.
    let is_own = shown
        .config
        .as_ref()
        .is_some_and(|config| config.sections.is_empty());
    if is_own || !is_alike {
        for config in [&mut wanted, &mut live]
            .into_iter()
            .flat_map(|workload| &mut workload.config)
        {
            config.sections = Map::new();
            config.jobs = Vec::new();
        }
    }
    let none = Sources::default();
    changes.jobs = jobs::changes((&live, &none), (&wanted, expected.sources), None, &shades);
    changes.settings = jobs::settings(&live, &wanted, None, &shades);
    shade_names(&mut changes.jobs, &shades);
    for config in [&mut wanted, &mut live]
        .into_iter()
        .flat_map(|workload| &mut workload.config)
    {
        // What such a job scrapes may be a secret as a whole.
        config.jobs.retain(|job| shades.name(&job.name) == job.name);
    }
    let scraper = |workload| {
        Some(Scraper {
            workload,
            discovery: expected.discovery,
        })
    };
    let none = Scraping::new();
    changes.targets = targets::changes(
        scraper(&live),
        scraper(&wanted),
        &|| &none,
        &Meter::boundless(),
    );
    if changes.jobs.is_empty() && changes.settings.is_empty() {
        let path = format!("{}.yaml", revealed.id.kind.config_stem());
        changes.settings.push(FieldChange {
            path,
            ..FieldChange::default()
        });
    }
}

/// Hides the names of jobs that the operator did not make of resources.
fn shade_names(jobs: &mut JobChanges, shades: &Shades) {
    let of_changed = jobs
        .changed
        .items
        .iter_mut()
        .flat_map(|changed| &mut changed.jobs.items);
    for job in jobs
        .added
        .items
        .iter_mut()
        .chain(&mut jobs.dropped.items)
        .chain(of_changed)
    {
        job.name = shades.name(&job.name);
    }
}

fn text_of(workload: &Workload) -> Option<&str> {
    workload.config.as_ref().map(|config| config.text())
}

/// The workload with a configuration that was read from its text.
fn with_config(workload: &Workload, value: &Value, text: &str) -> Workload {
    let mut sections = value.as_map().cloned().unwrap_or_default();
    let jobs = match sections.get("scrape_configs").and_then(Value::as_seq) {
        Some(jobs) if workload.id.kind.has_shards() => jobs.iter().map(job).collect(),
        _ => Vec::new(),
    };
    if workload.id.kind.has_shards() {
        sections.remove("scrape_configs");
    }
    let config = Config::of_text(text, Vec::new()).with_sections(sections, jobs);
    Workload {
        config: Some(config),
        ..workload.clone()
    }
}

fn job(value: &Value) -> Job {
    Job::new(value.as_map().cloned().unwrap_or_default(), None)
}

/// Collects the texts in place of which a placeholder is shown. False if the two do not have the same form, so that these
/// are not known.
fn hidden(revealed: &Value, shown: &Value, secrets: &mut HiddenSecrets) -> bool {
    match (revealed, shown) {
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, a), (other, b))| {
                    if key != other {
                        secrets.keys.push(key.to_string());
                    }
                    hidden(a, b, secrets)
                })
        }
        (Value::Seq(a), Value::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| hidden(a, b, secrets))
        }
        (a, b) if a == b => true,
        (Value::Str(text), _) => {
            secrets.values.push(text.to_string());
            true
        }
        (Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Bool(_) | Value::Null, _) => {
            true
        }
        _ => false,
    }
}

/// Collects the texts of a value.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => {
            found.insert(text.to_string());
        }
        Value::Seq(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Map(map) => map.iter().for_each(|(_, value)| texts(value, found)),
        _ => {}
    }
}

/// The rules that differ, of files of that name and of that text in the cluster.
fn rule_files(
    workload: &Workload,
    files: Vec<(String, Option<String>)>,
    shades: &Shades,
) -> Listed<rules::RuleChange> {
    if files.is_empty() {
        return Listed::default();
    }
    let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect_set();
    let read = |(name, text): (String, Option<String>)| {
        Some(RuleFile {
            name,
            text: text?,
            groups: Vec::new(),
        })
    };
    let live = Workload {
        rule_files: files.into_iter().filter_map(read).collect(),
        ..workload.clone()
    };
    let wanted = workload
        .rule_files
        .iter()
        .filter(|file| names.contains(&file.name))
        .cloned()
        .collect();
    let wanted = Workload {
        rule_files: wanted,
        ..workload.clone()
    };
    rules::changes(&live, &wanted, shades)
}
