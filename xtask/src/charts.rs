//! What releases of kube-prometheus-stack read, install and set by default, read from the history of the charts' repository.
//!
//! In: a checkout with its whole history. Out: the table of the chart, in the form of the table of facts: default values, which
//! value becomes which field of an object (`forms`), and which values are read at all (`reads`).

mod forms;
mod reads;
mod symbols;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_resources::facts::FORMAT;
use promgen_text::go::template::tree::{self, TemplateNode};
use promgen_text::version::Version;
use serde_yaml::Value;

use crate::{Outcome, files};
use forms::FormRows;
use reads::{ReadTree, Reads};
use weave::Weave;

/// The place of the chart in the repository.
const CHART: &str = "charts/kube-prometheus-stack";

/// The first version that the table has.
const FIRST: &str = "45.0.0";

/// The templates whose objects promgen makes, below `templates/`.
const COMPILED: [&str; 21] = [
    "alertmanager/alertmanager",
    "alertmanager/extrasecret",
    "alertmanager/secret",
    "alertmanager/service",
    "extra-objects",
    "prometheus-operator/deployment",
    "prometheus/additionalAlertRelabelConfigs",
    "prometheus/additionalAlertmanagerConfigs",
    "prometheus/additionalPrometheusRules",
    "prometheus/additionalScrapeConfigs",
    "prometheus/extrasecret",
    "prometheus/podmonitors",
    "prometheus/prometheus",
    "prometheus/secret",
    "prometheus/service",
    "prometheus/serviceThanosSidecar",
    "prometheus/servicemonitors",
    "thanos-ruler/extrasecret",
    "thanos-ruler/ruler",
    "thanos-ruler/secret",
    "thanos-ruler/service",
];

/// The template of the operator's Deployment, of which only the arguments are made.
const OPERATOR: &str = "prometheus-operator/deployment";

/// A version of the chart.
struct ChartVersion {
    text: String,
    operator: String,
    /// The default values.
    values: Value,
    /// The values that charts within this one have and depend on, each with whether all below it is theirs.
    charts: Vec<(String, bool)>,
    /// The templates, each with the hash of its text.
    templates: Vec<(String, String)>,
}

/// What one template says.
#[derive(Default)]
struct ChartTemplate {
    /// The values that it reads.
    reads: Reads,
    /// The objects that it makes.
    objects: Vec<FormRows>,
    /// The templates with a name that it defines.
    definitions: Vec<(String, FormRows)>,
    /// What these read.
    of_definitions: Vec<(String, Reads)>,
}

/// The path of the table.
fn path() -> PathBuf {
    files::root().join("crates/promgen-repository/facts/chart.txt")
}

/// Writes the table anew, from a checkout.
pub(crate) fn command(checkout: &str) -> Outcome {
    let table = ChartHistory::read(Path::new(checkout))?.table()?;
    let count = |noun: &str| table.lines().filter(|line| line.starts_with(noun)).count();
    println!(
        "{} fields, {} values that are read, {} that are not known",
        count("field "),
        count("read "),
        count("unknown ")
    );
    files::write(&path(), &table)
}

/// Runs `git` in a checkout.
fn git(checkout: &Path, arguments: &[&str]) -> Result<String, String> {
    files::output(Command::new("git").arg("-C").arg(checkout).args(arguments))
}

/// All versions, and what their templates say by the hash of their texts.
struct ChartHistory {
    versions: Vec<ChartVersion>,
    templates: BTreeMap<String, ChartTemplate>,
}

impl ChartHistory {
    fn read(checkout: &Path) -> Result<Self, String> {
        let versions = versions(checkout)?;
        let mut templates = BTreeMap::new();
        for (name, hash) in versions.iter().flat_map(|version| &version.templates) {
            if !templates.contains_key(hash) {
                let text = git(checkout, &["cat-file", "blob", hash])?;
                let nodes = tree::parse(&text).map_err(|why| format!("{name} ({hash}): {why}"))?;
                let template = template(&nodes).map_err(|why| format!("{name} ({hash}): {why}"))?;
                templates.insert(hash.clone(), template);
            }
        }
        Ok(Self {
            versions,
            templates,
        })
    }

    fn template(&self, hash: &str) -> &ChartTemplate {
        static NOTHING: ChartTemplate = ChartTemplate {
            reads: Reads::new(),
            objects: Vec::new(),
            definitions: Vec::new(),
            of_definitions: Vec::new(),
        };
        self.templates.get(hash).unwrap_or(&NOTHING)
    }

    /// The table.
    fn table(&self) -> Result<String, String> {
        if self
            .versions
            .first()
            .is_none_or(|first| first.text != FIRST)
        {
            return Err(format!(
                "the history does not begin before {FIRST}: it takes all of it"
            ));
        }
        let mut text = format!("{FORMAT}\n{HEAD}\n");
        let mut majors: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for version in &self.versions {
            let major = Version::parse(&version.text).map_or(0, |version| version.major);
            majors.entry(major).or_default().push(&version.text);
        }
        for (major, versions) in majors {
            text.push_str(&format!(
                "release {major} {} {}\n",
                versions[0],
                versions[1..].join(" ")
            ));
        }
        let shaping = self.shaping()?;
        for of_version in [
            Self::operator,
            Self::fields,
            Self::unknown,
            Self::unread_defaults,
        ] {
            text.push_str(&self.section(|version| of_version(self, version))?);
        }
        let reads = self.section(|version| self.read_values(version))?;
        // What is read below a value stands right behind it: what leads to it comes before all other characters.
        let mut reads: Vec<&str> = reads.lines().collect();
        reads.sort_by_cached_key(|row| {
            let path = row.split(' ').nth(1).unwrap_or_default();
            path.replace('.', "\u{1}").replace('[', "\u{2}")
        });
        text.extend(reads.iter().flat_map(|row| [row, "\n"]));
        text.push_str(&self.section(|version| Ok(defaults(&version.values, &shaping)))?);
        Ok(text)
    }

    /// The rows of a noun, as they differ from version to version.
    fn section(
        &self,
        of: impl Fn(&ChartVersion) -> Result<Vec<(String, String)>, String>,
    ) -> Result<String, String> {
        let mut weave = Weave::default();
        for version in &self.versions {
            weave.add(&version.text, of(version)?);
        }
        Ok(format!("\n{}", weave.text()?))
    }

    fn operator(&self, version: &ChartVersion) -> Result<Vec<(String, String)>, String> {
        Ok(vec![(
            "operator prometheus-operator".to_owned(),
            version.operator.clone(),
        )])
    }

    /// The forms that objects are made of: those of templates, and the templates with a name that they need.
    fn forms<'h>(&'h self, version: &'h ChartVersion) -> Vec<(String, &'h FormRows)> {
        let mut forms: Vec<(String, &FormRows)> = Vec::new();
        for (name, hash) in &version.templates {
            for (at, object) in self.template(hash).objects.iter().enumerate() {
                if COMPILED.contains(&name.as_str()) {
                    let number = if at == 0 {
                        String::new()
                    } else {
                        format!("#{at}")
                    };
                    forms.push((format!("{name}{number}"), object));
                }
            }
        }
        let defined: BTreeMap<&str, &FormRows> = version
            .templates
            .iter()
            .flat_map(|(_, hash)| &self.template(hash).definitions)
            .map(|(name, rows)| (name.as_str(), rows))
            .collect();
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        let mut todo: Vec<&FormRows> = forms.iter().map(|(_, rows)| *rows).collect();
        // Values may call those that are short texts, too. Those with a list as argument are for the chart itself.
        for (name, rows) in &defined {
            let takes_list = |row: &forms::FormRow| {
                let mut texts = std::iter::once(&row.value).chain(&row.clauses);
                texts.any(|text| text.contains("(index . "))
            };
            let is_text = rows.unknown.is_empty()
                && (1..=MAX_CALLED).contains(&rows.rows.len())
                && rows
                    .rows
                    .iter()
                    .all(|row| row.path.is_empty() && !takes_list(row));
            if is_text && needed.insert(name) {
                todo.push(rows);
            }
        }
        while let Some(rows) = todo.pop() {
            let texts = rows
                .rows
                .iter()
                .flat_map(|row| std::iter::once(&row.value).chain(&row.clauses));
            let called = texts.flat_map(|text| text.split("include \"").skip(1));
            for name in called.filter_map(|rest| rest.split('"').next()) {
                if let Some((name, rows)) = defined.get_key_value(name)
                    && needed.insert(*name)
                {
                    todo.push(rows);
                }
            }
        }
        forms.extend(
            needed
                .into_iter()
                .map(|name| (name.to_owned(), defined[name])),
        );
        forms
    }

    fn fields(&self, version: &ChartVersion) -> Result<Vec<(String, String)>, String> {
        let mut found = Vec::new();
        for (form, rows) in self.forms(version) {
            let common = common_clauses(rows);
            found.push((
                format!("form {form}"),
                rows.rows[0].clauses[..common].join(SEPARATOR),
            ));
            let is_made = |path: &str| {
                form != OPERATOR || path.starts_with(ARGUMENTS) || CONTAINER.contains(&path)
            };
            for row in rows.rows.iter().filter(|row| is_made(&row.path)) {
                let path = if row.path.is_empty() {
                    "-"
                } else {
                    row.path.as_str()
                };
                let parts: Vec<&str> = std::iter::once(&row.value)
                    .chain(&row.clauses[common..])
                    .map(String::as_str)
                    .collect();
                let is_plain = |part: &&str| !part.contains(SEPARATOR) && !part.contains('\n');
                if path.contains(' ') || !parts.iter().all(is_plain) {
                    return Err(format!("{form}: {path}: {parts:?} is no row"));
                }
                found.push((format!("field {form}:{path}"), parts.join(SEPARATOR)));
            }
        }
        Ok(found)
    }

    fn unknown(&self, version: &ChartVersion) -> Result<Vec<(String, String)>, String> {
        let forms = self.forms(version);
        let of = |(form, rows): &(String, &FormRows)| {
            let row = |what: &String| (format!("unknown {form}"), what.replace('\n', " "));
            rows.unknown.iter().map(row).collect::<Vec<_>>()
        };
        Ok(forms.iter().flat_map(of).collect())
    }

    /// The values that templates read, whether promgen makes their objects or not.
    fn reads(&self, version: &ChartVersion) -> Reads {
        let mut reads: Reads = version.charts.iter().cloned().collect();
        let templates = || {
            version
                .templates
                .iter()
                .map(|(_, hash)| self.template(hash))
        };
        let definitions = || templates().flat_map(|template| &template.of_definitions);
        for own in templates()
            .map(|template| &template.reads)
            .chain(definitions().map(|(_, own)| own))
        {
            for (path, is_whole) in own {
                *reads.entry(path.clone()).or_default() |= is_whole;
            }
        }
        let by_name = definitions()
            .map(|(name, own)| (name.as_str(), own))
            .collect();
        reads::resolved(reads, &by_name)
    }

    fn read_values(&self, version: &ChartVersion) -> Result<Vec<(String, String)>, String> {
        let row = |(path, is_whole): (String, bool)| {
            (
                format!("read {path}"),
                if is_whole { "whole" } else { "part" }.to_owned(),
            )
        };
        Ok(self.reads(version).into_iter().map(row).collect())
    }

    fn unread_defaults(&self, version: &ChartVersion) -> Result<Vec<(String, String)>, String> {
        let mut rows = Vec::new();
        ReadTree::of(&self.reads(version)).unread(&version.values, "", &mut rows);
        Ok(rows)
    }

    /// The values that the objects which promgen makes depend on, in any version.
    fn shaping(&self) -> Result<BTreeSet<String>, String> {
        let mut reads = Reads::new();
        let mut seen = BTreeSet::new();
        for version in &self.versions {
            for (_, form) in self.forms(version) {
                if seen.insert(std::ptr::from_ref(form)) {
                    reads::add(form, &mut reads)?;
                }
            }
        }
        let paths = reads.into_keys().filter(|path| !path.starts_with('.'));
        let above_items =
            |path: String| path.split(['[', '>']).next().unwrap_or_default().to_owned();
        Ok(paths.map(above_items).collect())
    }
}

/// The most rows of a template with a name that only values may call.
const MAX_CALLED: usize = 4;

/// The number of clauses that all rows of a form begin with.
fn common_clauses(form: &FormRows) -> usize {
    let Some((first, rest)) = form.rows.split_first() else {
        return 0;
    };
    let shared = |row: &forms::FormRow| {
        first
            .clauses
            .iter()
            .zip(&row.clauses)
            .take_while(|(a, b)| a == b)
            .count()
    };
    rest.iter().map(shared).min().unwrap_or(first.clauses.len())
}

/// What separates the parts of a row.
const SEPARATOR: &str = "\t";

/// The fields of the Deployment that are made.
const ARGUMENTS: &str = "spec.template.spec.containers[].args";
const CONTAINER: [&str; 1] = ["spec.template.spec.containers[+]"];

/// The comment at the top of the table.
const HEAD: &str = "# kube-prometheus-stack: what its releases read. `cargo xtask charts CHECKOUT` writes it; docs/charts.md says what a row means.\n";

fn template(nodes: &[TemplateNode]) -> Result<ChartTemplate, String> {
    let definition = |node: &TemplateNode| match node {
        TemplateNode::Define(name, body) => Some((name.clone(), forms::of_definition(body))),
        _ => None,
    };
    let mut template = ChartTemplate {
        objects: forms::of_template(nodes),
        definitions: nodes.iter().filter_map(definition).collect(),
        ..ChartTemplate::default()
    };
    for form in &template.objects {
        reads::add(form, &mut template.reads)?;
    }
    for (name, form) in &template.definitions {
        let mut own = Reads::new();
        reads::add(form, &mut own)?;
        template.of_definitions.push((name.clone(), own));
    }
    Ok(template)
}

/// The versions in a history, each as the first commit that has it.
fn versions(checkout: &Path) -> Result<Vec<ChartVersion>, String> {
    let chart = format!("{CHART}/Chart.yaml");
    let commits = git(
        checkout,
        &[
            "log",
            "--first-parent",
            "--reverse",
            "--format=%H",
            "--",
            &chart,
        ],
    )?;
    let mut found: BTreeMap<Version, ChartVersion> = BTreeMap::new();
    for commit in commits.lines() {
        let file = |path: &str| -> Result<Value, String> {
            let text = git(checkout, &["show", &format!("{commit}:{path}")])?;
            serde_yaml::from_str(&text).map_err(|why| format!("{path} of {commit}: {why}"))
        };
        let about = file(&chart)?;
        let text = |of: &Value, key: &str| of[key].as_str().map(str::to_owned);
        let needed = |key: &str| text(&about, key).ok_or_else(|| format!("{commit}: no {key}"));
        let (version, operator) = (needed("version")?, needed("appVersion")?);
        let parsed =
            Version::parse(&version).ok_or_else(|| format!("{commit}: {version} is no version"))?;
        if parsed < Version::parse(FIRST).unwrap_or(Version::new(0, 0, 0))
            || found.contains_key(&parsed)
        {
            continue;
        }
        found.insert(
            parsed,
            ChartVersion {
                text: version,
                // The operator's tag has a `v`; some versions of the chart left it out.
                operator: format!("v{}", operator.trim_start_matches('v')),
                values: file(&format!("{CHART}/values.yaml"))?,
                charts: charts(&about),
                templates: templates(checkout, commit)?,
            },
        );
    }
    Ok(found.into_values().collect())
}

/// The values that belong to the charts within this one, and those that decide whether they are there.
fn charts(about: &Value) -> Vec<(String, bool)> {
    let text = |of: &Value, key: &str| of[key].as_str().map(str::to_owned);
    let mut found = vec![("global".to_owned(), true), ("tags".to_owned(), true)];
    for chart in about["dependencies"].as_sequence().into_iter().flatten() {
        found.extend(
            text(chart, "alias")
                .or_else(|| text(chart, "name"))
                .map(|name| (name, true)),
        );
        let conditions = text(chart, "condition").unwrap_or_default();
        found.extend(
            conditions
                .split(',')
                .filter(|path| !path.is_empty())
                .map(|path| (path.to_owned(), false)),
        );
    }
    found
}

/// The templates of a commit, each with the hash of its text.
fn templates(checkout: &Path, commit: &str) -> Result<Vec<(String, String)>, String> {
    let folder = format!("{CHART}/templates/");
    let listed = git(checkout, &["ls-tree", "-r", commit, &folder])?;
    let template = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let name = path.strip_prefix(&folder)?;
        let (name, _) = name.rsplit_once('.')?;
        Some((name.to_owned(), about.split(' ').nth(2)?.to_owned()))
    };
    Ok(listed.lines().filter_map(template).collect())
}

/// The default values, by path and as JSON: all that objects depend on, and of the rest those that are short, which templates in values
/// may ask for.
fn defaults(values: &Value, shaping: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    flatten(values, "", shaping, &mut found);
    found
}

/// The longest default value that no object depends on.
const MAX_OTHER: usize = 80;

/// The values below a value.
fn flatten(
    value: &Value,
    path: &str,
    shaping: &BTreeSet<String>,
    found: &mut Vec<(String, String)>,
) {
    match value {
        // A path cannot say which dots are part of a key.
        Value::Mapping(map)
            if !map.is_empty() && map.keys().all(|key| key.as_str().is_some_and(is_step)) =>
        {
            for (key, below) in map {
                let key = key.as_str().unwrap_or_default();
                let path = if path.is_empty() {
                    key.to_owned()
                } else {
                    format!("{path}.{key}")
                };
                flatten(below, &path, shaping, found);
            }
        }
        _ => {
            let steps = path
                .match_indices('.')
                .map(|(at, _)| at)
                .chain([path.len()]);
            let is_shaping = steps.into_iter().any(|end| shaping.contains(&path[..end]));
            let json = serde_json::to_string(value).unwrap_or_default();
            // What is empty counts as what is not there.
            let is_asked_for =
                json.len() <= MAX_OTHER && !matches!(json.as_str(), "null" | "{}" | "[]" | "\"\"");
            if is_shaping || is_asked_for {
                found.push((format!("value {path}"), json));
            }
        }
    }
}

fn is_step(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', ' ', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version of a chart of our own: the version, the operator, its values, and a template.
    type Release<'r> = (&'r str, &'r str, &'r str, &'r str);

    fn repository(releases: &[Release<'_>]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().unwrap();
        let run = |arguments: &[&str]| git(folder.path(), arguments).unwrap();
        run(&["init", "--quiet"]);
        for (version, operator, values, template) in releases {
            let chart = format!(
                "name: kube-prometheus-stack\nversion: {version}\nappVersion: {operator}\n\
                 dependencies: [{{name: other, condition: 'theOther.enabled'}}]\n"
            );
            let write = |name: &str, text: &str| {
                files::write(&folder.path().join(CHART).join(name), text).unwrap();
            };
            write("Chart.yaml", &chart);
            write("values.yaml", values);
            write("templates/prometheus/prometheus.yaml", template);
            write(
                "templates/_names.tpl",
                "{{ define \"name\" }}{{ .Values.name | trunc 3 }}{{ end }}",
            );
            run(&["add", "--all"]);
            let author = [
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.com",
                "-c",
                "commit.gpgsign=false",
            ];
            run(&[&author[..], &["commit", "--quiet", "--message", version]].concat());
        }
        folder
    }

    const FIRST_TEMPLATE: &str = "\
{{- if .Values.prometheus.enabled }}
kind: Prometheus
metadata:
  name: {{ template \"name\" . }}-p
spec:
{{- with .Values.prometheus.spec }}
  replicas: {{ .replicas | default 1 }}
  env:
  {{- range $k, $v := .env }}
  - name: {{ $k }}
    value: {{ $v | quote }}
  {{- end }}
{{- else }}
  paused: true
{{- end }}
  labels: {{- toYaml .Values.labels | nindent 4 }}
{{- end }}
";

    #[test]
    fn a_history_becomes_a_table() {
        let second = FIRST_TEMPLATE.replace("| default 1", "| default 2");
        let folder = repository(&[
            ("44.0.0", "v0.62.0", "prometheus: {enabled: false}\n", ""),
            (
                "45.0.0",
                "v0.63.0",
                "name: n\nprometheus: {enabled: true, spec: {replicas: 1}}\ndead: 1\n",
                FIRST_TEMPLATE,
            ),
            (
                "45.0.1",
                "0.63.0",
                "name: n\nprometheus: {enabled: true, spec: {replicas: 1}}\n",
                FIRST_TEMPLATE,
            ),
            (
                "46.0.0",
                "v0.64.0",
                "name: n\nprometheus: {enabled: false}\n",
                &second,
            ),
        ]);
        let table = ChartHistory::read(folder.path()).unwrap().table().unwrap();
        for row in [
            "release 45 45.0.0 45.0.1",
            "release 46 46.0.0 ",
            "operator prometheus-operator 45.0.0 v0.63.0",
            "operator prometheus-operator 46.0.0 v0.64.0",
            "form prometheus/prometheus 45.0.0 if .Values.prometheus.enabled",
            "field prometheus/prometheus:metadata.name 45.0.0 {{ include \"name\" . }}-p",
            "field prometheus/prometheus:spec.replicas 45.0.0 {{ .Values.prometheus.spec.replicas | default 1 }}\tif .Values.prometheus.spec",
            "field prometheus/prometheus:spec.replicas 46.0.0 {{ .Values.prometheus.spec.replicas | default 2 }}\tif .Values.prometheus.spec",
            "field prometheus/prometheus:spec.paused 45.0.0 true\tunless .Values.prometheus.spec",
            "field prometheus/prometheus:spec.labels.* 45.0.0 {{ toYaml .Values.labels }}",
            "field name:- 45.0.0 {{ .Values.name | trunc 3 }}",
            "field prometheus/prometheus:spec.env[].name 45.0.0 {{ $k }}\tif .Values.prometheus.spec\trange $k, $v := .Values.prometheus.spec.env",
            "unread dead 45.0.0 1",
            "unread dead 45.0.1 gone",
            "read labels 45.0.0 whole",
            "read other 45.0.0 whole",
            "read prometheus.enabled 45.0.0 part",
            "read prometheus.spec.env[] 45.0.0 whole",
            "read theOther.enabled 45.0.0 part",
            "value dead 45.0.0 1",
            "value dead 45.0.1 gone",
            "value name 45.0.0 \"n\"",
            "value prometheus.spec.replicas 45.0.0 1",
            "value prometheus.spec.replicas 46.0.0 gone",
        ] {
            assert!(table.lines().any(|line| line == row), "{row}\n{table}");
        }
        assert!(!table.contains("44.0.0"), "{table}");
        let short = repository(&[("46.0.0", "v0.64.0", "a: 1\n", "")]);
        let refused = ChartHistory::read(short.path()).unwrap().table();
        assert!(refused.unwrap_err().contains("45.0.0"));
    }
}
