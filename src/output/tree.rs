//! The output as files: which ones, where, and which of those found there are ours to remove.
//!
//! In: an output. Out: relative paths with what stands in them. Every component of a path is made safe here, whatever
//! an object calls itself: a path never leaves the root.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use crate::output::document::documents;
use crate::output::{Document, Emission, Format, Layout, Output, Part, ResourceStatus, RuleFile, Workload, WorkloadId};

/// The folder of rule files in that of a workload.
pub const RULES_FOLDER: &str = "rules";

/// A file of the tree.
#[derive(Clone, Debug)]
pub struct File<'o> {
    /// Where it stands: a relative path with `/` between components.
    pub path: String,
    format: Format,
    document: Document<'o>,
}

impl File<'_> {
    /// Writes what stands in it.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.document.write(self.format, out)
    }
}

/// The folder of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it stands: a relative path with `/` between components.
    pub path: String,
}

impl Folder {
    /// The folder of that workload.
    #[must_use]
    pub fn of(id: &WorkloadId) -> Self {
        Self { path: format!("{}/{}/{}", id.kind.folder(), safe(&id.namespace), safe(&id.name)) }
    }
}

impl Folder {
    /// The folder of a resource that workloads select.
    #[must_use]
    pub fn of_resource(resource: &ResourceStatus) -> Self {
        let (kind, namespace, name) = (resource.kind.as_str(), &resource.namespace, &resource.name);
        Self { path: format!("{}/{}/{}", kind.to_ascii_lowercase(), safe(namespace), safe(name)) }
    }
}

/// All files, workload by workload, then those of the resources that they select.
pub(super) fn files<'o>(output: &'o Output, emission: &Emission) -> Vec<File<'o>> {
    let mut files: Vec<_> = output.workloads.iter().flat_map(|workload| workload_files(workload, emission)).collect();
    // The operator's own layout has them per workload, as `bindings`.
    if emission.layout == Layout::PerShard {
        let file = |resource: &'o ResourceStatus| File {
            path: format!("{}/status.{}", Folder::of_resource(resource).path, extension(emission.format)),
            format: emission.format,
            document: Document::SelectedStatus(resource),
        };
        let emitted = emission.parts.contains(&Part::Status);
        files.extend(output.resources.iter().filter(|_| emitted).map(file));
    }
    files
}

const fn extension(format: Format) -> &'static str {
    match format {
        Format::Yaml => "yaml",
        Format::Json => "json",
    }
}

fn workload_files<'o>(workload: &'o Workload, emission: &Emission) -> Vec<File<'o>> {
    let folder = Folder::of(&workload.id).path;
    let extension = extension(emission.format);
    let mut files = config_files(workload, emission.layout);
    files.extend(workload.web_config.iter().map(|text| ("web-config.yaml".to_owned(), Document::WebConfig(text))));
    files.retain(|_| emission.parts.contains(&Part::Config));
    for document in documents(std::slice::from_ref(workload), emission) {
        match document {
            Document::Object(_, object) => files.push((format!("{}.{extension}", object.file), document)),
            Document::Resource(workload) => files.push((format!("status.{extension}"), Document::Status(workload))),
            Document::Status(_)
            | Document::Selected(_)
            | Document::SelectedStatus(_)
            | Document::Config(..)
            | Document::WebConfig(_)
            | Document::Rules(_)
            | Document::Selection(_)
            | Document::Bindings(_)
            | Document::Error(_) => {}
        }
    }
    if emission.parts.contains(&Part::Status) {
        files.push(("selection.json".to_owned(), Document::Selection(workload)));
        let bound = workload.selected.has_bindings();
        files.extend(bound.then(|| (format!("bindings.{extension}"), Document::Bindings(workload))));
    }
    files.extend(workload.error.iter().map(|error| ("error.txt".to_owned(), Document::Error(error))));
    let file = |name: String, document| {
        let path = format!("{folder}/{}", safe(&name));
        File { path, format: emission.format, document }
    };
    let mut files: Vec<_> = files.into_iter().map(|(name, document)| file(name, document)).collect();
    if emission.parts.contains(&Part::Config) {
        files.extend(rule_files(workload));
    }
    files
}

/// The files of rules alone.
pub(super) fn rule_files(workload: &Workload) -> Vec<File<'_>> {
    let folder = Folder::of(&workload.id).path;
    let file = |rules: &'_ RuleFile| format!("{folder}/{RULES_FOLDER}/{}", safe(&rules.name));
    let files = workload.rule_files.iter();
    files.map(|r| File { path: file(r), format: Format::Yaml, document: Document::Rules(&r.text) }).collect()
}

fn config_files(workload: &Workload, layout: Layout) -> Vec<(String, Document<'_>)> {
    let Some(config) = &workload.config else { return Vec::new() };
    let stem = workload.id.kind.config_stem();
    match layout {
        Layout::Operator => vec![(format!("{stem}.yaml"), Document::Config(config, None))],
        Layout::PerShard if !workload.id.kind.has_shards() => {
            vec![(format!("{stem}.yaml"), Document::Config(config, None))]
        }
        Layout::PerShard => {
            let shards = workload.plan.shards.iter();
            shards.map(|s| (format!("{stem}-{}.yaml", s.index), Document::Config(config, Some(s)))).collect()
        }
    }
}

/// Whether a file of that path in a workload's folder is one that an earlier run with these parts wrote, or would
/// have written for another input. Those that this run does not write again are out of date.
#[must_use]
pub fn is_generated(path: &str, parts: &BTreeSet<Part>) -> bool {
    if let Some((RULES_FOLDER, name)) = path.split_once('/') {
        // Namespace, name and uid.
        let is_rules = name.strip_suffix(".yaml").is_some_and(|stem| stem.matches('-').count() >= 2);
        return is_rules && parts.contains(&Part::Config);
    }
    let name = path;
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    match extension {
        "yaml" | "json" => parts_of(stem).is_some_and(|needed| needed.iter().all(|part| parts.contains(part))),
        "txt" => stem == "error",
        _ => false,
    }
}

/// The parts that a generated file of that stem may belong to.
fn parts_of(stem: &str) -> Option<&'static [Part]> {
    const OPERATOR_NAMES: [&str; 4] = ["prometheus-", "prom-agent-", "alertmanager-", "thanos-ruler-"];
    let (kind, rest) = stem.split_once('-').unwrap_or((stem, ""));
    let is_number = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    match kind {
        "prometheus" | "alertmanager" if is_number || rest.is_empty() => Some(&[Part::Config]),
        "web" if rest == "config" => Some(&[Part::Config]),
        "remote" if rest == "write" => Some(&[Part::Config]),
        "status" | "selection" | "bindings" if rest.is_empty() => Some(&[Part::Status]),
        "statefulset" if is_number || rest.is_empty() => Some(&[Part::Workloads]),
        "daemonset" if rest.is_empty() => Some(&[Part::Workloads]),
        "service" if OPERATOR_NAMES.iter().any(|name| rest.starts_with(name)) => Some(&[Part::Workloads]),
        "secret" | "configmap" if OPERATOR_NAMES.iter().any(|name| rest.starts_with(name)) => {
            Some(&[Part::Config, Part::Workloads])
        }
        _ => None,
    }
}

/// A name as one component of a path. Names that Kubernetes accepts stay as they are; of others, each byte that
/// could mean something to a file system becomes `%` and two digits, so that no two names become one.
fn safe(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || b >= 0x80;
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.char_indices() {
        if c.is_ascii() && !plain(c as u8) && (c != '.' || i == 0) {
            write!(out, "%{:02X}", c as u32).expect("a string takes every character");
        } else {
            out.push(c);
        }
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sample;

    fn paths(output: &Output, emission: &Emission) -> Vec<String> {
        output.files(emission).into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn the_tree_of_each_layout() {
        let folder =
            |names: &[&str]| names.iter().map(|n| format!("prometheus/monitoring/k8s/{n}")).collect::<Vec<_>>();
        let per_shard = [
            "prometheus-0.yaml",
            "prometheus-1.yaml",
            "secret-prometheus-k8s.yaml",
            "secret-prometheus-k8s-shard-1.yaml",
            "statefulset-0.yaml",
            "statefulset-1.yaml",
            "status.yaml",
            "selection.json",
        ];
        assert_eq!(paths(&sample::per_shard(), &Emission::default()), folder(&per_shard));
        let operator =
            ["prometheus.yaml", "secret-prometheus-k8s.yaml", "statefulset-0.yaml", "status.yaml", "selection.json"];
        let emission = Emission { layout: Layout::Operator, ..Emission::default() };
        assert_eq!(paths(&sample::operator(), &emission), folder(&operator));
    }

    #[test]
    fn json_objects_stand_beside_a_configuration_that_is_yaml() {
        let mut output = sample::operator();
        output.workloads[0].error = Some("no such thing".into());
        let emission = Emission { layout: Layout::Operator, format: Format::Json, ..Emission::default() };
        let paths = paths(&output, &emission);
        let names: Vec<_> = paths.iter().map(|p| p.rsplit('/').next().unwrap()).collect();
        let expected = [
            "prometheus.yaml",
            "secret-prometheus-k8s.json",
            "statefulset-0.json",
            "status.json",
            "selection.json",
            "error.txt",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_workload_with_a_hostile_name_gets_a_folder_of_its_own() {
        let mut output = sample::operator();
        output.workloads[0].id.name = "../../x".into();
        output.workloads[0].id.namespace = "..".into();
        assert_eq!(output.folders()[0].path, "prometheus/%2E./%2E.%2F..%2Fx");
    }

    #[test]
    fn hostile_names_stay_below_the_root() {
        assert_eq!(safe("prometheus-k8s.example"), "prometheus-k8s.example");
        assert_eq!(safe("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
        assert_eq!(safe(".."), "%2E.");
        assert_eq!(safe("."), "%2E");
        assert_eq!(safe(""), "%");
        assert_eq!(safe("a\0b\\c%2F\n"), "a%00b%5Cc%252F%0A");
    }

    #[test]
    fn only_generated_names_are_ours() {
        let all = Emission::default().parts;
        for name in [
            "prometheus.yaml",
            "prometheus-12.yaml",
            "alertmanager.yaml",
            "web-config.yaml",
            "remote-write.yaml",
            "statefulset-3.json",
            "statefulset.yaml",
            "daemonset.yaml",
            "status.yaml",
            "error.txt",
            "secret-prometheus-k8s-tls-assets-0.yaml",
            "configmap-thanos-ruler-x-rulefiles-0.yaml",
            "service-prometheus-operated.yaml",
            "selection.json",
            "bindings.yaml",
            "rules/team-alerts-.yaml",
        ] {
            assert!(is_generated(name, &all), "{name}");
        }
        for name in [
            "kustomization.yaml",
            "README.md",
            "secret-mine.yaml",
            "prometheus-old.yaml",
            "status-x.yaml",
            "rules/mine.yaml",
            "mine/a-b-c.yaml",
        ] {
            assert!(!is_generated(name, &all), "{name}");
        }
    }

    #[test]
    fn a_partial_run_leaves_the_other_parts_alone() {
        let config = BTreeSet::from([Part::Config]);
        assert!(is_generated("prometheus.yaml", &config));
        for name in ["statefulset-0.yaml", "status.yaml", "selection.json", "secret-prometheus-k8s.yaml"] {
            assert!(!is_generated(name, &config), "{name}");
        }
    }
}
