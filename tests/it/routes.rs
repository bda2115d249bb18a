//! Places of findings are places of their kinds: a route that is written by hand names no field that its kind lacks.
//!
//! Findings on all fixtures, and on the recorded cases beside the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use promgen::{Diagnostic, Input, Options};
use promgen_resources::api::Kind;
use promgen_testing::needs;
use promgen_text::describe::{ObjectType, Type};
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId, Segment};
use rayon::prelude::*;

use super::conformance::{self, cases};
use super::support::root;

/// The codes of rules that are about fields which do not exist.
const ABOUT_UNKNOWN_FIELDS: [&str; 1] = ["PG010"];

/// Families of recorded cases that add seconds, and almost no place that the others have not.
const LEFT_OUT: [&str; 2] = ["status", "wild"];

/// The types of a field: of the object, or of its dialect.
fn fields(object: &'static ObjectType, name: &str) -> Vec<&'static Type> {
    let of_dialect = object.dialect.map(|dialect| (dialect.of)());
    let field = |object: &ObjectType| object.field(name).map(|field| (field.of)());
    let other = of_dialect.and_then(|ty| {
        if let Type::Object(object) = ty {
            field(object)
        } else {
            None
        }
    });
    field(object).into_iter().chain(other).collect()
}

/// The first step that the type lacks, or if several types come into question, that the best of them lacks.
fn lacks(ty: &'static Type, steps: &[Segment], depth: usize) -> Option<usize> {
    let (step, rest) = steps.split_first()?;
    match (ty, step) {
        (Type::Object(object), Segment::Key(name)) => {
            let is_type_meta = depth == 0 && matches!(&**name, "apiVersion" | "kind");
            let known = fields(object, name);
            if known.is_empty() {
                return (!object.is_open && !is_type_meta).then_some(depth);
            }
            let further = |lacks: &Option<usize>| lacks.unwrap_or(usize::MAX);
            known
                .into_iter()
                .map(|ty| lacks(ty, rest, depth + 1))
                .max_by_key(further)
                .flatten()
        }
        (Type::Map(of), Segment::Key(_)) | (Type::List(of), Segment::Index(_)) => {
            lacks(of(), rest, depth + 1)
        }
        (Type::Any(_), _) => None,
        _ => Some(depth),
    }
}

/// What is wrong with a place in a document of that kind.
fn fault(kind: Kind, at: &At, is_about_unknown: bool) -> Option<String> {
    // A place may lead on into the text of a Secret.
    let data = ["data", "stringData"].map(Some);
    if kind == Kind::Secret && data.contains(&at.route.0.first().and_then(Segment::key)) {
        return None;
    }
    let depth = lacks(promgen_resources::schema::description(kind), &at.route.0, 0)?;
    let is_meant = is_about_unknown && depth + 1 == at.route.0.len();
    (!is_meant).then(|| format!("{} lacks step {} of {}", kind.as_str(), depth + 1, at.route))
}

/// All places that a finding names: its own, related ones, and those that a fix changes.
fn places(finding: &Diagnostic) -> impl Iterator<Item = &At> {
    let places = finding
        .place
        .iter()
        .chain(finding.related.iter().map(|(place, _)| place));
    let places = places.filter_map(Place::at);
    places.chain(finding.fix.iter().flat_map(|fix| {
        fix.changes
            .iter()
            .filter_map(promgen_text::diag::fix::EditAction::at)
    }))
}

/// The kind of each document that a finding is about.
fn kinds(findings: &[Diagnostic]) -> BTreeMap<DocId, Kind> {
    let kind = |finding: &Diagnostic| {
        let at = finding.place.as_ref()?.at()?;
        let name = finding.resource.as_ref()?.kind;
        Some((
            at.doc,
            *Kind::ALL.iter().find(|kind| kind.as_str() == name)?,
        ))
    };
    findings.iter().filter_map(kind).collect()
}

/// What is wrong with the places of the findings on manifests, and how many places there are.
fn faults(input: &Path) -> (BTreeSet<String>, usize) {
    let files = if input.is_dir() {
        cases::files(input)
    } else {
        BTreeMap::from([(String::new(), input.to_owned())])
    };
    let is_manifest = |path: &&PathBuf| {
        path.extension()
            .is_some_and(|e| e == "yaml" || e == "yml" || e == "json")
    };
    let read = |path: &PathBuf| Input::new(path.to_string_lossy(), fs::read(path).unwrap());
    let inputs: Vec<Input> = files.values().filter(is_manifest).map(read).collect();
    let output = crate::support::lint(&inputs, &Options::default());
    let findings = [output.diagnostics, output.suppressed].concat();
    let (kinds, mut faults, mut n_places) = (kinds(&findings), BTreeSet::new(), 0);
    for finding in &findings {
        let is_about_unknown = ABOUT_UNKNOWN_FIELDS.contains(&&*finding.rule.code);
        for at in places(finding) {
            n_places += 1;
            let fault = kinds
                .get(&at.doc)
                .and_then(|kind| fault(*kind, at, is_about_unknown));
            faults.extend(fault.map(|fault| format!("{} {fault}", finding.rule.code)));
        }
    }
    (faults, n_places)
}

/// The manifests of the cases in a folder.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    let input = |case: &String| ["input", "input.yaml"].map(|name| folder.join(case).join(name));
    cases::folders(folder)
        .iter()
        .filter_map(|case| input(case).into_iter().find(|path| path.exists()))
        .collect()
}

fn check(inputs: &[PathBuf], least: usize) {
    let of_each: Vec<_> = inputs.par_iter().map(|input| faults(input)).collect();
    let n_places: usize = of_each.iter().map(|(_, n_places)| n_places).sum();
    let faults: BTreeSet<_> = of_each.into_iter().flat_map(|(faults, _)| faults).collect();
    assert!(n_places > least, "{n_places}");
    assert!(
        faults.is_empty(),
        "{}",
        faults.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn places_of_findings_are_fields_of_their_kinds() {
    check(&inputs(&root().join("fixtures")), 300);
}

#[needs(recordings)]
#[test]
fn places_of_findings_in_recorded_cases_are_fields_of_their_kinds() {
    let recorded = conformance::root();
    let families = cases::folders(&recorded)
        .into_iter()
        .filter(|name| !LEFT_OUT.contains(&&**name));
    let inputs: Vec<PathBuf> = families
        .flat_map(|family| inputs(&recorded.join(family)))
        .collect();
    check(&inputs, 1_000);
}

#[test]
fn a_field_that_a_kind_lacks_is_noticed() {
    let at = |route: &[&'static str]| {
        route
            .iter()
            .fold(At::doc(DocId::default()), |at, key| at.key(*key))
    };
    let fault = |route: &[&'static str]| fault(Kind::ServiceMonitor, &at(route), false);
    assert_eq!(fault(&["spec", "selector", "matchLabels", "app"]), None);
    assert_eq!(fault(&["kind"]), None);
    assert_eq!(
        fault(&["spec", "shards"]).unwrap(),
        "ServiceMonitor lacks step 2 of spec.shards"
    );
    assert_eq!(
        fault(&["spec", "endpoints", "port"]).unwrap(),
        "ServiceMonitor lacks step 3 of spec.endpoints.port"
    );
}
