//! The part that each file of a repository plays, as far as its path and the files next to it show.
//!
//! In: the texts of a run. Out: a [`FileRole`] for each of them. Reads nothing but names and, for files with actions of a
//! template or tests of Chainsaw, their lines.

mod golden;
mod suite;

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::source::{FileId, GENERATED, Input, RECORD, SourceFile, Sources, Span};

use crate::path::{self, base_name};
use promgen_text::CollectOrdered;

rules! {
    /// ## What it does
    /// Reports Helm charts in the input, whose templates and values are not read. `--helm` reads what Helm renders of them. A template
    /// without an action is the object that Helm installs, and is read.
    ///
    /// ## Why is this bad?
    /// It is not. What a chart contains depends on values and releases, so promgen checks what Helm renders. Manifests
    /// below `crds/` of a chart are read.
    ///
    /// ## Example
    /// A folder with `Chart.yaml` and `templates/`.
    ///
    /// Use instead: the rendered manifests.
    /// ```sh
    /// helm template charts/shop | promgen lint -
    /// ```
    CHART = "PG050" "helm-chart" Info: "a Helm chart, which is not read";

    /// ## What it does
    /// Reports folders with files that a program fills in before they are YAML, such as templates of Go, Jinja or Terraform. These
    /// files are not read.
    ///
    /// ## Why is this bad?
    /// It is not. What such a file contains is known once it is filled in.
    ///
    /// ## Example
    /// ```yaml
    /// metadata:
    ///   name: shop
    ///   {{- if .labels }}
    ///   labels: {{ .labels }}
    ///   {{- end }}
    /// ```
    /// Use instead: the files that the program writes.
    TEMPLATE = "PG051" "template-file" Info: "files with actions of a template, which are not read";

    /// ## What it does
    /// Reports files of a test suite that are not read: what a test of Chainsaw or Kyverno names, and assertions of Chainsaw and
    /// kuttl, by their names `*-assert.yaml` and `01-errors.yaml`; and golden files, which a unit test compares with what a
    /// generator makes: `x.golden.yaml`, files below `testdata`, `testFiles`, `golden`, `__snapshots__`, and below `expected`,
    /// `fixtures` or `snapshots` of a folder `test`, `tests` or `spec`. What Flux, Argo CD or a kustomization names is read all the same, and so is an
    /// overlay.
    ///
    /// ## Why is this bad?
    /// It is not. An assertion is a part of an object, a test may apply what is wrong on purpose, and nobody applies golden files.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: chainsaw.kyverno.io/v1alpha1
    /// kind: Test
    /// metadata: {name: monitors}
    /// spec:
    ///   steps:
    ///   - try:
    ///     - assert: {file: monitor.yaml}
    /// ```
    /// Use instead: nothing, if the files belong to tests.
    TEST_FILE = "PG053" "test-file" Info: "files of a test suite, which are not read";
}

/// The part that a file plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRole {
    /// Objects of Kubernetes, or other YAML.
    #[default]
    Manifests,
    /// A kustomization.
    Kustomization,
    /// A file of a Helm chart that holds no manifests.
    Chart,
    /// A file that is read because a kustomization refers to it.
    Asset,
    /// A file that a test suite applies, or compares with what is there.
    Test,
}

/// The number of lines in which the mark of promgen's own output stands.
const MAX_HEAD: usize = 20;

/// The roles of all texts of a run.
#[derive(Clone, Debug, Default)]
pub struct FileRoles {
    /// Those of files that are no manifests.
    roles: BTreeMap<FileId, FileRole>,
    /// The folder of each chart that is part of no other, with the place of its `Chart.yaml`, and the number of its files
    /// that are not read.
    charts: BTreeMap<String, (FileId, usize)>,
    /// The templates of charts that have no action: each is the object that Helm installs, in the namespace of the release.
    plain: BTreeSet<FileId>,
    /// The first file of a test suite, and the number of such files in each folder.
    tests: Option<(FileId, BTreeMap<String, usize>)>,
}

impl FileRoles {
    /// Looks at the names of all texts, of which the inputs come first. `is_rendered`: Helm renders the charts, as far as it can.
    #[must_use]
    pub fn new(sources: &Sources, inputs: &[Input], is_rendered: bool) -> Self {
        let names: Vec<String> = sources
            .files()
            .map(|(_, file)| path::join(".", &file.name))
            .collect();
        let mut layout = Self {
            roles: BTreeMap::new(),
            charts: charts(sources, &names),
            plain: BTreeSet::new(),
            tests: None,
        };
        let asked: Vec<bool> = inputs.iter().map(|input| !input.is_asset).collect();
        let golden = golden::files(sources, &names, &asked);
        let tests: BTreeSet<String> = suite::files(sources, &names)
            .into_iter()
            .chain(golden.iter().cloned())
            .collect_set();
        for (index, ((id, file), name)) in sources.files().zip(&names).enumerate() {
            // One that promgen wrote is output.
            let is_written = || {
                file.text
                    .lines()
                    .take(MAX_HEAD)
                    .any(|line| line == GENERATED)
            };
            let is_of_tools = || {
                [RECORD, path::SOURCE_IGNORE].contains(&base_name(name))
                    || path::has_policies(name, &file.text)
            };
            let role = if inputs.get(index).is_some_and(|input| input.is_asset) || is_of_tools() {
                FileRole::Asset
            } else if path::is_kustomization(base_name(name))
                && !golden.contains(name)
                && !is_written()
            {
                FileRole::Kustomization
            } else if let Some((below, (_, n_files))) = chart_of(name, &mut layout.charts) {
                if !is_rendered && is_plain_template(below, &file.text) {
                    layout.plain.insert(id);
                    continue;
                }
                *n_files += 1;
                FileRole::Chart
            } else if tests.contains(name) {
                let (_, folders) = layout.tests.get_or_insert_with(|| (id, BTreeMap::new()));
                *folders.entry(path::folder(name).to_owned()).or_default() += 1;
                FileRole::Test
            } else {
                continue;
            };
            layout.roles.insert(id, role);
        }
        layout
    }

    /// The role of a file.
    #[must_use]
    pub fn role(&self, file: FileId) -> FileRole {
        self.roles.get(&file).copied().unwrap_or_default()
    }

    /// The templates of charts that have no action.
    pub(crate) fn plain_templates(&self) -> impl Iterator<Item = FileId> {
        self.plain.iter().copied()
    }

    /// The folders of the charts that Helm does not render.
    pub(crate) fn unread_charts(&self, rendered: &BTreeSet<String>) -> BTreeSet<String> {
        self.charts
            .keys()
            .filter(|folder| !rendered.contains(*folder))
            .cloned()
            .collect_set()
    }

    /// Reports the charts that Helm does not render, all in one, and the files of test suites.
    pub fn report(&self, rendered: &BTreeSet<String>, sink: &mut Sink) {
        if let Some((first, folders)) = &self.tests {
            let message = format!(
                "{} of a test suite not read",
                counted(folders.values().sum(), "file")
            );
            let diagnostic = Diagnostic::new(&TEST_FILE, Span::new(*first, 0, 0), message);
            sink.report(with_lines(diagnostic, folders.iter().map(in_folder)));
        }
        let unread = || {
            self.charts
                .iter()
                .filter(|(folder, _)| !rendered.contains(*folder))
        };
        let Some((_, (file, _))) = unread().next() else {
            return;
        };
        let line = |(folder, (_, n_files)): (&String, &(FileId, usize))| {
            format!(
                "{folder} ({}): `helm template {folder} | promgen lint -`",
                counted(*n_files, "file")
            )
        };
        let message = format!("{} not read", counted(unread().count(), "Helm chart"));
        let diagnostic = Diagnostic::new(&CHART, Span::new(*file, 0, 0), message);
        sink.report(with_lines(diagnostic, unread().map(line)));
    }
}

/// The number of lines of a summary.
const MAX_LINES: usize = 30;

/// A finding with a line for each of many things.
pub(crate) fn with_lines(
    mut diagnostic: Diagnostic,
    lines: impl Iterator<Item = String>,
) -> Diagnostic {
    let lines: Vec<String> = lines.collect();
    let n_more = lines.len().saturating_sub(MAX_LINES);
    for line in lines.into_iter().take(MAX_LINES) {
        diagnostic = diagnostic.help(line);
    }
    if n_more > 0 {
        diagnostic.help(format!("and {n_more} more"))
    } else {
        diagnostic
    }
}

/// The charts among the files that are part of no other chart.
fn charts(sources: &Sources, names: &[String]) -> BTreeMap<String, (FileId, usize)> {
    let mut charts = BTreeMap::new();
    for ((file, _), name) in sources.files().zip(names) {
        if base_name(name) == "Chart.yaml" {
            charts.insert(path::folder(name).to_owned(), (file, 0));
        }
    }
    let folders: Vec<String> = charts.keys().cloned().collect();
    charts.retain(|folder, _| {
        !folders
            .iter()
            .any(|outer| path::below(folder, outer).is_some_and(|rest| rest.starts_with("charts/")))
    });
    charts
}

/// The path of a file in the chart that it is a part of, and the chart, unless the file holds manifests all the same.
fn chart_of<'n, 'c>(
    name: &'n str,
    charts: &'c mut BTreeMap<String, (FileId, usize)>,
) -> Option<(&'n str, &'c mut (FileId, usize))> {
    let folder = path::ancestors(name).find(|folder| charts.contains_key(*folder))?;
    let below = path::below(name, folder).filter(|below| is_of_chart(below))?;
    Some((below, charts.get_mut(folder)?))
}

/// Returns whether a file at that path in a chart is an object that Helm installs as it is. A chart of the chart may be disabled.
fn is_plain_template(path: &str, text: &str) -> bool {
    let name = path.strip_prefix("templates/").unwrap_or_default();
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    is_yaml
        && !name.starts_with("tests/")
        && !base_name(name).starts_with('_')
        && !text.contains("{{")
}

/// Returns whether a file at that path below a chart's folder belongs to Helm: templates, values, what describes the
/// chart.
fn is_of_chart(path: &str) -> bool {
    let mut rest = path;
    // A chart of the chart has the same layout.
    while let Some((_, below)) = rest
        .strip_prefix("charts/")
        .and_then(|rest| rest.split_once('/'))
    {
        rest = below;
    }
    match rest.split_once('/') {
        Some((folder, _)) => matches!(folder, "templates" | "ci" | "tests" | "charts"),
        None => true,
    }
}

/// Reports files that are templates, all in one.
pub fn report_templates(files: &[FileId], sources: &Sources, sink: &mut Sink) {
    let Some(first) = files.first() else { return };
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *folders
            .entry(path::folder(&path::join(".", &sources.file(*file).name)).to_owned())
            .or_default() += 1;
    }
    let message = format!(
        "{} with actions of a template not read",
        counted(files.len(), "file")
    );
    let diagnostic = Diagnostic::new(&TEMPLATE, Span::new(*first, 0, 0), message);
    sink.report(with_lines(diagnostic, folders.iter().map(in_folder)));
}

fn in_folder((folder, n_files): (&String, &usize)) -> String {
    format!("{folder} ({})", counted(*n_files, "file"))
}

/// Returns whether a text has lines that only a template has: actions that start a line or a value. Alerting rules and
/// messages have actions too, but those stand in texts and read `$labels`, `$value` and the like.
#[must_use]
pub fn has_template_actions(file: &SourceFile) -> bool {
    file.text.contains("{{") && file.text.lines().any(is_template_line)
        || file.text.lines().any(is_directive)
}

fn is_template_line(line: &str) -> bool {
    let line = line.trim();
    let value = line
        .split_once(": ")
        .map_or(line, |(_, value)| value.trim_start())
        .trim_start_matches("- ");
    [line, value].into_iter().any(|text| {
        let Some(action) = text.strip_prefix("{{") else {
            return false;
        };
        let action = action.trim_start_matches('-').trim_start();
        let words = [
            "if ",
            "else",
            "end",
            "range ",
            "with ",
            "include ",
            "template ",
            "define ",
            "block ",
            "toYaml ",
            "/*",
        ];
        // `{{ .x }}` is a value of Helm or of another program; `.Labels` and `.Value` are those of an alert.
        let is_field = action.starts_with('.')
            && ![".Labels", ".Value", ".ExternalURL"]
                .iter()
                .any(|f| action.starts_with(f));
        let is_name =
            action.starts_with(|c: char| c.is_ascii_alphabetic()) && action.ends_with("}}");
        is_field || words.iter().any(|word| action.starts_with(word)) || is_name
    })
}

/// Returns whether a line is a statement of Jinja, `{% for x in y %}`, or a directive of Terraform, `%{ for x in y ~}`.
fn is_directive(line: &str) -> bool {
    let line = line.trim();
    let is_statement = line.starts_with("{%") && line.ends_with("%}");
    let words = ["if ", "else", "endif", "for ", "endfor"];
    is_statement
        || line.strip_prefix("%{").is_some_and(|rest| {
            let rest = rest.trim_start_matches('~').trim_start();
            line.ends_with('}') && words.iter().any(|word| rest.starts_with(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(names: &[&str]) -> (Vec<FileRole>, Vec<String>) {
        let mut sources = Sources::default();
        for name in names {
            sources.add((*name).to_owned(), "a: {{ .b }}".to_owned());
        }
        let layout = FileRoles::new(&sources, &[], false);
        let mut sink = Sink::default();
        layout.report(&BTreeSet::new(), &mut sink);
        let roles = sources.files().map(|(file, _)| layout.role(file)).collect();
        let text = |found: Diagnostic| format!("{}: {}", found.message, found.help.join("; "));
        (
            roles,
            sink.into_diagnostics().into_iter().map(text).collect(),
        )
    }

    #[test]
    fn charts_keep_their_templates_and_values_to_themselves() {
        let names = [
            "./charts/shop/Chart.yaml",
            "./charts/shop/values-prod.yaml",
            "./charts/shop/templates/a/b.yaml",
            "./charts/shop/crds/c.yaml",
            "./charts/shop/charts/db/Chart.yaml",
            "./charts/shop/charts/db/crds/d.yaml",
            "./charts/other.yaml",
            "./charts/shop/files/rules.yaml",
        ];
        let (roles, messages) = layout(&names);
        use FileRole::{Chart, Manifests};
        assert_eq!(
            roles,
            [
                Chart, Chart, Chart, Manifests, Chart, Manifests, Manifests, Manifests
            ]
        );
        assert_eq!(
            messages,
            [
                "1 Helm chart not read: charts/shop (4 files): `helm template charts/shop | promgen lint -`"
            ]
        );
    }

    #[test]
    fn a_chart_may_be_the_root() {
        let (roles, messages) = layout(&[
            "Chart.yaml",
            "templates/x.yaml",
            "deploy/kustomization.yaml",
        ]);
        assert_eq!(
            roles,
            [FileRole::Chart, FileRole::Chart, FileRole::Kustomization]
        );
        assert_eq!(
            messages,
            ["1 Helm chart not read: . (2 files): `helm template . | promgen lint -`"]
        );
    }

    #[test]
    fn what_a_test_names_and_what_it_asserts_is_no_manifest() {
        let mut sources = Sources::default();
        let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nspec: {try: [{assert: {file: ../b.yaml}}, {apply: {file: 'c.yaml'}}]}\n";
        let names = [
            "t/chainsaw-test.yaml",
            "b.yaml",
            "t/c.yaml",
            "t/d.yaml",
            "e/01-assert.yaml",
            "e/01-errors.yaml",
            "errors.yaml",
        ];
        for name in names {
            let text = if name == "t/chainsaw-test.yaml" {
                test
            } else {
                "a: 1\n"
            };
            sources.add(name.to_owned(), text.to_owned());
        }
        let layout = FileRoles::new(&sources, &[], false);
        let roles: Vec<FileRole> = sources.files().map(|(file, _)| layout.role(file)).collect();
        use FileRole::{Manifests, Test};
        assert_eq!(
            roles,
            [Manifests, Test, Test, Manifests, Test, Test, Manifests]
        );
        let mut sink = Sink::default();
        layout.report(&BTreeSet::new(), &mut sink);
        assert_eq!(
            sink.diagnostics()[0].message,
            "4 files of a test suite not read"
        );
        assert_eq!(
            sink.diagnostics()[0].help,
            [". (1 file)", "e (2 files)", "t (1 file)"]
        );
    }

    #[test]
    fn templates_are_known_by_their_lines() {
        let has = |text: &str| {
            let mut sources = Sources::default();
            let file = sources.add("a".to_owned(), text.to_owned());
            has_template_actions(sources.file(file))
        };
        for text in [
            "{{- if .Values.x }}\na: 1\n",
            "a: {{ .squid }}\n",
            "- {{ include \"x\" . }}",
            "{% for x in y %}",
            "x: {{ name }}",
            "a:\n%{ for k, v in labels ~}\n  ${k}: ${v}\n%{ endfor ~}\n",
            "  %{~ if x }",
        ] {
            assert!(has(text), "{text}");
        }
        for text in [
            "a: '{{ $labels.x }}'",
            "a: |\n  {{ $value }} of {{ $labels.pod }}\n",
            "a: \"{{ .x }}\"",
            "  {{ .Labels.x }}",
            "a: '%{x}'\n",
            "%{x}",
        ] {
            assert!(!has(text), "{text}");
        }
    }
}
