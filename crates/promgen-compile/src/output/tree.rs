//! The output as files: their paths and content, and which existing files promgen may remove.
//!
//! In: an output. Out: relative paths with their content. Every component of a path is escaped here, whatever the name of
//! an object: a path never leaves the root.

use std::collections::BTreeSet;
use std::io;

use crate::output::normal::{SharedOutput, SharedServices};
use crate::output::{
    Emission, Format, Layout, Output, OutputDocument, Part, ResourceStatus, RuleFile, Workload,
    WorkloadId, WorkloadKind,
};
use promgen_text::go::url::percent_encoded;
use promgen_text::yaml::Value;

/// The folder of rule files in that of a workload.
pub const RULES_FOLDER: &str = "rules";

/// The file at the root of a folder that lists its objects.
pub const KUSTOMIZATION: &str = "kustomization.yaml";

/// A file of the tree.
#[derive(Clone, Debug)]
pub struct OutputFile<'o> {
    /// Its relative path with `/` between components.
    pub path: String,
    /// The custom resource of the file. Empty for a shared file.
    owner: String,
    format: Format,
    pub(super) content: FileContent<'o>,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub(super) enum FileContent<'o> {
    /// A document of the output.
    Document(OutputDocument<'o>),
    /// An object that several workloads share.
    Shared(Value),
    /// The list of the objects in the folder, by their paths.
    Kustomization(Vec<String>),
}

impl OutputFile<'_> {
    /// The file that lists the objects of a folder, for `kubectl apply -k` and `kustomize build`.
    #[must_use]
    pub fn kustomization(paths: Vec<String>) -> Self {
        let content = FileContent::Kustomization(paths);
        Self {
            path: KUSTOMIZATION.to_owned(),
            owner: String::new(),
            format: Format::Yaml,
            content,
        }
    }

    /// Its name in messages: its custom resource, or its path.
    #[must_use]
    pub fn subject(&self) -> &str {
        if self.owner.is_empty() {
            &self.path
        } else {
            &self.owner
        }
    }

    /// Returns whether it contains an object.
    #[must_use]
    pub const fn is_object(&self) -> bool {
        match &self.content {
            FileContent::Document(document) => document.is_object(),
            FileContent::Shared(_) => true,
            FileContent::Kustomization(_) => false,
        }
    }

    /// Returns whether its content carries the mark of generated documents. The bytes of the others are the product.
    #[must_use]
    pub const fn carries_mark(&self) -> bool {
        match &self.content {
            FileContent::Document(document) => document.carries_mark(),
            FileContent::Shared(_) | FileContent::Kustomization(_) => true,
        }
    }

    /// Writes its content.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let document = match &self.content {
            FileContent::Document(document) => *document,
            FileContent::Shared(value) => OutputDocument::Shared(value),
            FileContent::Kustomization(paths) => OutputDocument::Kustomization(paths),
        };
        document.write(self.format, out)
    }
}

/// The folder of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its relative path with `/` between components.
    pub path: String,
}

impl Folder {
    /// The folder of that workload.
    #[must_use]
    pub fn of(id: &WorkloadId) -> Self {
        Self {
            path: format!(
                "{}/{}/{}",
                id.kind.folder(),
                safe(&id.namespace),
                safe(&id.name)
            ),
        }
    }
}

impl Folder {
    /// The folder of a resource that workloads select.
    #[must_use]
    pub fn of_resource(resource: &ResourceStatus) -> Self {
        let (kind, namespace, name) = (resource.kind.as_str(), &resource.namespace, &resource.name);
        Self {
            path: format!(
                "{}/{}/{}",
                kind.to_ascii_lowercase(),
                safe(namespace),
                safe(name)
            ),
        }
    }
}

/// All files, workload by workload, then those of the resources that they select.
pub(super) fn files<'o>(output: &'o Output, emission: &Emission) -> Vec<OutputFile<'o>> {
    let shared = match emission.layout {
        Layout::Operator => SharedServices::default(),
        Layout::PerShard => SharedServices::of(&output.workloads),
    };
    let workloads = output.workloads.iter();
    let mut files: Vec<_> = workloads
        .flat_map(|workload| workload_files(workload, emission, &shared))
        .collect();
    // The operator's own layout has them per workload, as `bindings`.
    if emission.layout == Layout::PerShard && emission.parts.contains(&Part::Status) {
        files.extend(output.resources.iter().map(|resource| OutputFile {
            path: format!(
                "{}/status.{}",
                Folder::of_resource(resource).path,
                extension(emission.format)
            ),
            owner: format!(
                "{}/{}/{}",
                resource.kind.as_str(),
                resource.namespace,
                resource.name
            ),
            format: emission.format,
            content: FileContent::Document(OutputDocument::Selected(resource)),
        }));
    }
    files
}

fn workload_files<'o>(
    workload: &'o Workload,
    emission: &Emission,
    shared: &SharedServices<'_>,
) -> Vec<OutputFile<'o>> {
    let folder = Folder::of(&workload.id).path;
    let mut contents: Vec<(String, FileContent<'o>)> = Vec::new();
    if emission.has(Part::Raw) {
        contents.extend(documents(config_files(workload, emission.layout)));
        let web_config = workload.web_config.iter().map(|text| {
            (
                "web-config.yaml".to_owned(),
                OutputDocument::WebConfig(text),
            )
        });
        contents.extend(documents(web_config));
    }
    contents.extend(objects(workload, emission, shared));
    contents.extend(documents(reports(workload, emission)));
    let file = |(name, content): (String, FileContent<'o>)| {
        let path = format!("{folder}/{}", safe(&name));
        OutputFile {
            path,
            owner: workload.id.to_string(),
            format: emission.format,
            content,
        }
    };
    let mut files: Vec<_> = contents.into_iter().map(file).collect();
    if emission.has(Part::Raw) {
        files.extend(rule_files(workload));
    }
    files
}

fn documents<'o>(
    named: impl IntoIterator<Item = (String, OutputDocument<'o>)>,
) -> impl Iterator<Item = (String, FileContent<'o>)> {
    named
        .into_iter()
        .map(|(name, document)| (name, FileContent::Document(document)))
}

const fn extension(format: Format) -> &'static str {
    match format {
        Format::Yaml => "yaml",
        Format::Json | Format::Answer(_) => "json",
    }
}

/// The objects of a workload, its resource among them. The operator's layout has only the status of that.
fn objects<'o>(
    workload: &'o Workload,
    emission: &Emission,
    shared: &SharedServices<'_>,
) -> Vec<(String, FileContent<'o>)> {
    let extension = extension(emission.format);
    let mut files = Vec::new();
    for part in [Part::Config, Part::Workloads, Part::Rbac, Part::Status] {
        for object in workload
            .objects
            .iter()
            .filter(|o| o.part == part && emission.parts.contains(&part))
        {
            let content = match (
                emission.layout,
                shared.place(object, &workload.id.namespace),
            ) {
                (Layout::Operator, _) => {
                    FileContent::Document(OutputDocument::Object(workload, object))
                }
                (Layout::PerShard, SharedOutput::Own) => {
                    FileContent::Document(OutputDocument::Applied(workload, object))
                }
                (Layout::PerShard, SharedOutput::Merged(value)) => {
                    FileContent::Shared(value.clone())
                }
                (Layout::PerShard, SharedOutput::Elsewhere) => continue,
            };
            files.push((format!("{}.{extension}", object.file), content));
        }
    }
    if emission.parts.contains(&Part::Status) {
        let document = match emission.layout {
            Layout::Operator => OutputDocument::Status(workload),
            Layout::PerShard => OutputDocument::Resource(workload),
        };
        files.push((
            format!("status.{extension}"),
            FileContent::Document(document),
        ));
    }
    files
}

/// The verdicts on the selected resources, and the error of the operator.
fn reports<'o>(workload: &'o Workload, emission: &Emission) -> Vec<(String, OutputDocument<'o>)> {
    let mut files = Vec::new();
    if emission.has(Part::Selection) {
        files.push((
            "selection.json".to_owned(),
            OutputDocument::Selection(workload),
        ));
        let bound = workload.selected.has_bindings();
        let name = format!("bindings.{}", extension(emission.format));
        files.extend(bound.then_some((name, OutputDocument::Bindings(workload))));
    }
    if emission.layout == Layout::Operator || emission.has(Part::Selection) {
        files.extend(
            workload
                .error
                .iter()
                .map(|error| ("error.txt".to_owned(), OutputDocument::Error(error))),
        );
    }
    files
}

/// The files of rules alone.
pub(super) fn rule_files(workload: &Workload) -> Vec<OutputFile<'_>> {
    let folder = Folder::of(&workload.id).path;
    let file = |rules: &'_ RuleFile| format!("{folder}/{RULES_FOLDER}/{}", safe(&rules.name));
    let files = workload.rule_files.iter().map(|rules| OutputFile {
        path: file(rules),
        owner: workload.id.to_string(),
        format: Format::Yaml,
        content: FileContent::Document(OutputDocument::Rules(&rules.text)),
    });
    files.collect()
}

fn config_files(workload: &Workload, layout: Layout) -> Vec<(String, OutputDocument<'_>)> {
    let Some(config) = &workload.config else {
        return Vec::new();
    };
    let stem = workload.id.kind.config_stem();
    match layout {
        Layout::Operator => vec![(format!("{stem}.yaml"), OutputDocument::Config(config, None))],
        Layout::PerShard if !workload.id.kind.has_shards() => {
            vec![(format!("{stem}.yaml"), OutputDocument::Config(config, None))]
        }
        Layout::PerShard => {
            let shards = workload.plan.shards.iter();
            shards
                .map(|s| {
                    (
                        format!("{stem}-{}.yaml", s.index),
                        OutputDocument::Config(config, Some(s)),
                    )
                })
                .collect()
        }
    }
}

/// Returns whether a file of that path in a workload's folder is one that an earlier run with these parts wrote, or
/// would have written for another input. Files that this run does not write again are outdated.
#[must_use]
pub fn is_generated(path: &str, parts: &BTreeSet<Part>) -> bool {
    parts_of_file(path).is_some_and(|needed| needed.iter().all(|part| parts.contains(part)))
}

/// The parts that a file of that path in a workload's folder belongs to. `None` if promgen writes no such file.
#[must_use]
pub fn parts_of_file(path: &str) -> Option<&'static [Part]> {
    if let Some((RULES_FOLDER, name)) = path.split_once('/') {
        // Namespace, name and uid.
        let is_rules = name
            .strip_suffix(".yaml")
            .is_some_and(|stem| stem.matches('-').count() >= 2);
        return is_rules.then_some(&[Part::Raw]);
    }
    let (stem, extension) = path.rsplit_once('.')?;
    match extension {
        "yaml" | "json" => parts_of(stem),
        "txt" if stem == "error" => Some(&[]),
        _ => None,
    }
}

/// The part of a path after `<kind>/<namespace>/<name>/`, if the path can be one of the tree.
#[must_use]
pub fn below_workload(path: &str) -> Option<&str> {
    let mut parts = path.splitn(4, '/');
    let folders = [parts.next()?, parts.next()?, parts.next()?];
    let name = parts.next()?;
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\\');
    (folders.into_iter().all(is_plain) && name.split('/').all(is_plain)).then_some(name)
}

/// Returns whether two paths of a tree are those of one Service: workloads of a namespace share it, and only one has
/// its file.
#[must_use]
pub fn is_same_service(a: &str, b: &str) -> bool {
    let service = |path: &'_ str| -> Option<(String, String)> {
        let (stem, _) = below_workload(path)?.rsplit_once('.')?;
        let namespace = path.split('/').nth(1)?;
        stem.starts_with("service-")
            .then(|| (namespace.to_owned(), stem.to_owned()))
    };
    service(a).is_some_and(|a| service(b) == Some(a))
}

/// Returns whether a path is that of a file of the tree without a Kubernetes object: `<kind>/<namespace>/<name>/` and a
/// configuration, a rule file or a report.
pub(super) fn is_raw(path: &str) -> bool {
    let components: Vec<&str> = path.rsplit(['/', '\\']).collect();
    let is_kind = |folder: &str| WorkloadKind::ALL.iter().any(|kind| kind.folder() == folder);
    match components.as_slice() {
        [file, RULES_FOLDER, _name, _namespace, kind, ..] if is_kind(kind) => {
            file.ends_with(".yaml")
        }
        [file, _name, _namespace, kind, ..] if is_kind(kind) => {
            let stem = file
                .strip_suffix(".yaml")
                .or_else(|| file.strip_suffix(".json"));
            stem.is_some_and(|stem| parts_of(stem).is_some() && !is_object_stem(stem))
        }
        _ => false,
    }
}

/// Returns whether a generated file of that stem contains an object.
fn is_object_stem(stem: &str) -> bool {
    let kind = stem.split('-').next().unwrap_or(stem);
    [
        "secret",
        "configmap",
        "service",
        "statefulset",
        "daemonset",
        "status",
    ]
    .contains(&kind)
        || RBAC.contains(&kind)
}

/// The prefix of the files of Roles and bindings.
const RBAC: [&str; 4] = ["clusterrole", "clusterrolebinding", "role", "rolebinding"];

/// The parts that a generated file of that stem may belong to.
fn parts_of(stem: &str) -> Option<&'static [Part]> {
    const OPERATOR_NAMES: [&str; 4] = [
        "prometheus-",
        "prom-agent-",
        "alertmanager-",
        "thanos-ruler-",
    ];
    let (kind, rest) = stem.split_once('-').unwrap_or((stem, ""));
    let is_number = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    match kind {
        "prometheus" | "alertmanager" if is_number || rest.is_empty() => Some(&[Part::Raw]),
        "web" if rest == "config" => Some(&[Part::Raw]),
        "remote" if rest == "write" => Some(&[Part::Raw]),
        "status" if rest.is_empty() => Some(&[Part::Status]),
        "selection" | "bindings" if rest.is_empty() => Some(&[Part::Selection]),
        "statefulset" if is_number || rest.is_empty() => Some(&[Part::Workloads]),
        "daemonset" if rest.is_empty() => Some(&[Part::Workloads]),
        "clusterrole" | "clusterrolebinding" if rest.is_empty() => Some(&[Part::Rbac]),
        "role" | "rolebinding" if !rest.is_empty() => Some(&[Part::Rbac]),
        "service" if OPERATOR_NAMES.iter().any(|name| rest.starts_with(name)) => {
            Some(&[Part::Workloads])
        }
        "secret" | "configmap" if OPERATOR_NAMES.iter().any(|name| rest.starts_with(name)) => {
            Some(&[Part::Config, Part::Workloads])
        }
        _ => None,
    }
}

/// A name as one component of a path. Names that Kubernetes accepts stay as they are; in others, each byte with a
/// meaning for a file system becomes `%` and two digits, so that no two names become one.
fn safe(name: &str) -> String {
    let plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.char_indices() {
        if plain(c) || (c == '.' && i > 0) {
            out.push(c);
        } else {
            out.push_str(&percent_encoded(c.encode_utf8(&mut [0; 4]), ""));
        }
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sample;
    use std::sync::Arc;

    fn paths(output: &Output, emission: &Emission) -> Vec<String> {
        output
            .files(emission)
            .into_iter()
            .map(|file| file.path)
            .collect()
    }

    #[test]
    fn the_tree_of_each_layout() {
        let folder = |names: &[&str]| {
            names
                .iter()
                .map(|n| format!("prometheus/monitoring/k8s/{n}"))
                .collect::<Vec<_>>()
        };
        let objects = [
            "secret-prometheus-k8s.yaml",
            "secret-prometheus-k8s-shard-1.yaml",
            "statefulset-0.yaml",
            "statefulset-1.yaml",
            "status.yaml",
        ];
        assert_eq!(
            paths(&sample::per_shard(), &Emission::default()),
            folder(&objects)
        );
        let review = Emission {
            parts: BTreeSet::from([Part::Raw, Part::Selection]),
            ..Emission::default()
        };
        let files = ["prometheus-0.yaml", "prometheus-1.yaml", "selection.json"];
        assert_eq!(paths(&sample::per_shard(), &review), folder(&files));
        let operator = [
            "prometheus.yaml",
            "secret-prometheus-k8s.yaml",
            "statefulset-0.yaml",
            "status.yaml",
            "selection.json",
        ];
        let emission = Emission {
            layout: Layout::Operator,
            ..Emission::default()
        };
        assert_eq!(paths(&sample::operator(), &emission), folder(&operator));
    }

    #[test]
    fn json_objects_stand_beside_a_configuration_that_is_yaml() {
        let mut output = sample::operator();
        Arc::make_mut(&mut output.workloads[0]).error = Some("no such thing".into());
        let emission = Emission {
            layout: Layout::Operator,
            format: Format::Json,
            ..Emission::default()
        };
        let paths = paths(&output, &emission);
        let names: Vec<_> = paths
            .iter()
            .map(|p| p.rsplit('/').next().unwrap())
            .collect();
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
        Arc::make_mut(&mut output.workloads[0]).id.name = "../../x".into();
        Arc::make_mut(&mut output.workloads[0]).id.namespace = "..".into();
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
        let all = Emission::default().outdated();
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
    fn only_paths_of_the_tree_are_below_a_workload() {
        assert_eq!(
            below_workload("prometheus/ns/main/secret-a.yaml"),
            Some("secret-a.yaml")
        );
        assert_eq!(
            below_workload("prometheus/ns/main/rules/a-b-c.yaml"),
            Some("rules/a-b-c.yaml")
        );
        for path in [
            "../x/y/z.yaml",
            "prometheus/../../secret.yaml",
            "a/b/c",
            "a/b/c/../../../../etc/x",
            "/a/b/c/d",
        ] {
            assert_eq!(below_workload(path), None, "{path}");
        }
    }

    #[test]
    fn workloads_of_a_namespace_share_a_service() {
        let a = "prometheus/ns/a/service-prometheus-operated.yaml";
        assert!(is_same_service(
            a,
            "prometheus/ns/b/service-prometheus-operated.json"
        ));
        for other in [
            "prometheus/x/b/service-prometheus-operated.yaml",
            "prometheus/ns/b/service-other.yaml",
        ] {
            assert!(!is_same_service(a, other), "{other}");
        }
        let set = "prometheus/ns/a/statefulset-0.yaml";
        assert!(!is_same_service(set, "prometheus/ns/b/statefulset-0.yaml"));
    }

    #[test]
    fn a_partial_run_leaves_the_other_parts_alone() {
        let config = Emission {
            parts: BTreeSet::from([Part::Config]),
            ..Emission::default()
        }
        .outdated();
        assert!(is_generated("prometheus.yaml", &config));
        for name in [
            "statefulset-0.yaml",
            "status.yaml",
            "selection.json",
            "secret-prometheus-k8s.yaml",
        ] {
            assert!(!is_generated(name, &config), "{name}");
        }
    }
}
