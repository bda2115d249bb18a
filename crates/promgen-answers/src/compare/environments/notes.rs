//! The limits of the answer of a comparison: what was not built, not read, refused, or is filled in later.

use promgen_model::words;
use std::collections::BTreeSet;
use std::sync::Arc;

use promgen_compile::output::{SelectedResource, WorkloadKind};
use promgen_model::Model;
use promgen_model::Project;
use promgen_repository::rules::{INVALID_KUSTOMIZATION, UNSUPPORTED_KUSTOMIZATION};
use promgen_resources::api::Kind;
use promgen_resources::unknown::Unknown;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, RuleRef};
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::read::{INVALID_YAML, ParsedDocument};

/// The maximum number of names in a note.
const MAX_NAMES: usize = 5;

const SIDES: [&str; 2] = ["base", "head"];

/// The notes, while environments are compared.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) not_compared: Vec<String>,
    pub(super) broken: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) exceeded: Vec<(Diagnostic, Sources)>,
    known: BTreeSet<(usize, RuleRef, Option<Span>, String)>,
    n_errors: [usize; 2],
    n_workloads: [usize; 2],
    refused: [BTreeSet<String>; 2],
}

impl Notes {
    /// The notes of two models.
    pub(super) fn models(&mut self, models: [&Model; 2], environment: Option<&str>) {
        for (side, model) in models.into_iter().enumerate() {
            let output = model.output();
            self.n_workloads[side] += output.workloads.len();
            self.refused[side].extend(output.refused.iter().map(|(id, _)| id.to_string()));
            for diagnostic in &output.diagnostics {
                let key = (
                    side,
                    diagnostic.rule.clone(),
                    diagnostic.span,
                    diagnostic.message.clone(),
                );
                if self.known.insert(key) {
                    self.diagnostic(side, diagnostic, &output.sources, environment);
                }
            }
        }
    }

    fn diagnostic(
        &mut self,
        side: usize,
        diagnostic: &Diagnostic,
        sources: &Sources,
        environment: Option<&str>,
    ) {
        let name = SIDES[side];
        let is_unbuilt = *diagnostic.rule == INVALID_KUSTOMIZATION
            || *diagnostic.rule == UNSUPPORTED_KUSTOMIZATION;
        self.n_errors[side] += usize::from(diagnostic.level == Level::Error);
        if is_unbuilt {
            let why = diagnostic.help.join("; ").replace('\n', ", ");
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            let message = format!(
                "{name}: {}{why} ({})",
                diagnostic.message, diagnostic.rule.code
            );
            self.broken
                .extend((diagnostic.level >= Level::Warning).then(|| message.clone()));
            self.not_compared.push(message);
        } else if *diagnostic.rule == INVALID_YAML && diagnostic.level == Level::Error {
            let place = diagnostic
                .span
                .map(|span| format!("{}: ", sources.file(span.file).name))
                .unwrap_or_default();
            self.not_compared.push(format!(
                "{name}: {place}{} ({})",
                diagnostic.message, diagnostic.rule.code
            ));
        } else if *diagnostic.rule == LIMIT_EXCEEDED {
            let is_known = self
                .exceeded
                .iter()
                .any(|(known, _)| known.message == diagnostic.message);
            if !is_known {
                self.exceeded.push((diagnostic.clone(), sources.clone()));
            }
        } else if diagnostic.span.is_none() && diagnostic.level < Level::Error {
            let place = environment.map(|of| format!(", {of}")).unwrap_or_default();
            self.notes
                .push(format!("{name}{place}: {}", diagnostic.message));
        }
    }

    /// Why nothing becomes of what differs: the workloads that select it, or have it, are paused on both sides.
    pub(super) fn paused(&mut self, models: [&Model; 2], differs: &dyn Fn(&str) -> bool) {
        let [old, new] = models.map(|model| {
            let all = model.output().each_workload();
            let paused = all.filter(|workload| workload.is_paused());
            paused.map(|of| (of.id.to_string(), of)).collect_map()
        });
        for (id, workload) in &new {
            let Some(before) = old.get(id) else { continue };
            let both = [before, workload].into_iter();
            let mut selected = both.flat_map(|of| of.selected.resources());
            let is_touched =
                |(kind, of): (&str, &SelectedResource)| differs(&format!("{kind}/{}", of.key()));
            if let Some(idle) = workload.idle()
                && (differs(id) || selected.any(is_touched))
            {
                self.notes.push(format!("{id} has {idle}"));
            }
        }
    }

    /// The notes of two projects that no model has.
    pub(super) fn projects(&mut self, projects: [&Arc<Project>; 2], is_seen: bool) {
        if !is_seen && self.not_compared.is_empty() {
            self.not_compared
                .push("neither side has a resource of the operator".to_owned());
        }
        for (side, project) in projects.into_iter().enumerate() {
            let name = SIDES[side];
            if self.n_errors[side] > 0 {
                let errors = counted(self.n_errors[side], "error");
                self.notes.push(format!(
                    "{name} has {errors}: parts of it may be missing; see `promgen lint`"
                ));
            }
            if !project.repository.copies.is_empty() {
                let values = counted(project.repository.copies.len(), "value");
                self.notes.push(format!(
                    "{name}: {values} copied from Secrets into other objects not compared"
                ));
            }
            self.notes
                .extend(filled_in_later(project).map(|note| format!("{name}: {note}")));
            if !self.refused[side].is_empty() {
                let refused: Vec<&str> = self.refused[side].iter().map(String::as_str).collect();
                let first = words::first(&refused, MAX_NAMES);
                self.notes
                    .push(format!("{name}: the API server refuses {first}"));
            } else if self.n_workloads[side] == 0 && !has_workloads(project) {
                let none = "no Prometheus, PrometheusAgent, Alertmanager or ThanosRuler found";
                self.notes.push(format!("{name}: {none}"));
            }
        }
    }
}

/// The notes, each that holds of both sides once.
pub(super) fn joined(mut notes: Vec<String>) -> Vec<String> {
    let [base, head] = SIDES;
    let all: BTreeSet<String> = notes.iter().cloned().collect_set();
    let is_of_both = |note: &str, side: &str, other: &str| {
        let rest = note
            .strip_prefix(side)
            .filter(|rest| !rest.starts_with(' '));
        rest.is_some_and(|rest| all.contains(&format!("{other}{rest}")))
    };
    notes.retain(|note| !is_of_both(note, head, base));
    for note in &mut notes {
        if is_of_both(note, base, head) {
            note.insert_str(base.len(), &format!(" and {head}"));
        }
    }
    notes
}

/// Returns whether a project has workloads: one that is the same on both sides is not compiled.
fn has_workloads(project: &Project) -> bool {
    let kinds = WorkloadKind::ALL.iter().filter_map(|kind| kind.resource());
    let kinds: Vec<&str> = kinds.map(Kind::as_str).collect();
    let is_one = |document: &ParsedDocument| {
        let kind = document.root.text_of("kind").unwrap_or_default();
        kinds.contains(&kind) && super::written::is_operators(document)
    };
    project
        .environments()
        .iter()
        .flat_map(|environment| &environment.documents)
        .any(is_one)
}

/// Values that another program fills in, such as `${CLUSTER}`.
fn filled_in_later(project: &Project) -> Option<String> {
    let documents = project
        .environments()
        .iter()
        .flat_map(|environment| &environment.documents);
    let unknown = Unknown::of(documents.filter(|document| super::written::is_operators(document)));
    let spans: BTreeSet<Span> = unknown.iter().collect_set();
    let first = spans.iter().next()?;
    let sources = project.sources();
    let place = format!(
        "{}:{}",
        sources.file(first.file).name,
        sources.start(*first).line
    );
    let n = counted(spans.len(), "value");
    Some(format!(
        "{n} filled in later, the first at {place}: compared as written"
    ))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn what_holds_of_both_sides_is_said_once() {
        let notes = |all: &[&str]| joined(all.iter().map(|note| (*note).to_owned()).collect());
        assert_eq!(
            notes(&["base: a", "base, eu: b", "x: a", "head: a", "head, eu: b"]),
            ["base and head: a", "base and head, eu: b", "x: a"]
        );
        let other = [
            "base: a",
            "head: b",
            "base, eu: c",
            "head: c",
            "base has 1 error",
        ];
        assert_eq!(notes(&other), other);
    }
}
