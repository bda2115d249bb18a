//! The versions of kube-prometheus-stack: what each installs and sets by default, read from the history of the charts' repository.
//!
//! In: a checkout with its whole history. Out: the table of the chart's versions. What no file of values says (rows that begin
//! with `chart.`) stays as it is in the table before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_text::version::Version;
use serde_yaml::Value;

use crate::{Outcome, files};

/// The place of the chart in the repository.
const CHART: &str = "charts/kube-prometheus-stack";

/// The first version that the table has.
const FIRST: &str = "45.0.0";

/// The values that shape the objects which promgen makes, with all that is below them.
const SHAPING: [&str; 57] = [
    "additionalPrometheusRulesMap",
    "alertmanager.additionalLabels",
    "alertmanager.alertmanagerSpec",
    "alertmanager.annotations",
    "alertmanager.apiVersion",
    "alertmanager.config",
    "alertmanager.enableFeatures",
    "alertmanager.enabled",
    "alertmanager.ingress.enabled",
    "alertmanager.ingress.hosts",
    "alertmanager.namespaceOverride",
    "alertmanager.secret.annotations",
    "alertmanager.service.port",
    "alertmanager.serviceAccount.create",
    "alertmanager.serviceAccount.name",
    "alertmanager.stringConfig",
    "alertmanager.templateFiles",
    "alertmanager.tplConfig",
    "cleanPrometheusOperatorObjectNames",
    "commonLabels",
    "customRules",
    "fullnameOverride",
    "global.imagePullSecrets",
    "global.imageRegistry",
    "nameOverride",
    "namespaceOverride",
    "prometheus.additionalLabels",
    "prometheus.additionalPodMonitors",
    "prometheus.additionalServiceMonitors",
    "prometheus.agentMode",
    "prometheus.annotations",
    "prometheus.enabled",
    "prometheus.ingress.enabled",
    "prometheus.ingress.hosts",
    "prometheus.prometheusSpec",
    "prometheus.service.port",
    "prometheus.serviceAccount.create",
    "prometheus.serviceAccount.name",
    "prometheusOperator.alertmanagerConfigNamespaces",
    "prometheusOperator.alertmanagerInstanceNamespaces",
    "prometheusOperator.alertmanagerInstanceSelector",
    "prometheusOperator.denyNamespaces",
    "prometheusOperator.enabled",
    "prometheusOperator.extraArgs",
    "prometheusOperator.namespaces",
    "prometheusOperator.prometheusInstanceNamespaces",
    "prometheusOperator.prometheusInstanceSelector",
    "prometheusOperator.thanosRulerInstanceNamespaces",
    "prometheusOperator.thanosRulerInstanceSelector",
    "thanosRuler.annotations",
    "thanosRuler.enabled",
    "thanosRuler.ingress.enabled",
    "thanosRuler.ingress.hosts",
    "thanosRuler.service.port",
    "thanosRuler.serviceAccount.create",
    "thanosRuler.serviceAccount.name",
    "thanosRuler.thanosRulerSpec",
];

/// A version of the chart.
struct ChartVersion {
    text: String,
    operator: String,
    /// The default values, by path and as JSON, in the order of the file.
    values: Vec<(String, String)>,
}

/// The path of the table.
fn path() -> PathBuf {
    files::root().join("crates/promgen-repository/src/charts/stack/versions.txt")
}

/// Writes the table anew, from a checkout.
pub(crate) fn command(checkout: &str) -> Outcome {
    let table = table(&versions(Path::new(checkout))?, &files::read(&path())?)?;
    files::write(&path(), &table)
}

/// Runs `git` in a checkout.
fn git(checkout: &Path, arguments: &[&str]) -> Result<String, String> {
    files::output(Command::new("git").arg("-C").arg(checkout).args(arguments))
}

/// The versions in a history, each as the first commit that has it.
fn versions(checkout: &Path) -> Result<Vec<ChartVersion>, String> {
    let (chart, values) = (
        format!("{CHART}/Chart.yaml"),
        format!("{CHART}/values.yaml"),
    );
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
        let text = |key: &str| {
            about[key]
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("{commit}: no {key}"))
        };
        let (version, operator) = (text("version")?, text("appVersion")?);
        let parsed =
            Version::parse(&version).ok_or_else(|| format!("{commit}: {version} is no version"))?;
        if parsed < Version::parse(FIRST).unwrap_or(Version::new(0, 0, 0))
            || found.contains_key(&parsed)
        {
            continue;
        }
        let mut defaults = Vec::new();
        flatten(&file(&values)?, "", &mut defaults);
        // The operator's tag has a `v`; some versions of the chart left it out.
        let operator = format!("v{}", operator.trim_start_matches('v'));
        found.insert(
            parsed,
            ChartVersion {
                text: version,
                operator,
                values: defaults,
            },
        );
    }
    Ok(found.into_values().collect())
}

/// The shaping values below a value.
fn flatten(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    let holds = |above: &str, below: &str| {
        above.is_empty()
            || below
                .strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if !SHAPING
        .iter()
        .any(|shaping| holds(path, shaping) || holds(shaping, path))
    {
        return;
    }
    match value {
        // A path cannot say which dots are part of a key.
        Value::Mapping(map)
            if !map.is_empty() && map.keys().all(|key| key.as_str().is_some_and(is_step)) =>
        {
            for (key, below) in map {
                let key = key.as_str().unwrap_or_default();
                flatten(
                    below,
                    &if path.is_empty() {
                        key.to_owned()
                    } else {
                        format!("{path}.{key}")
                    },
                    found,
                );
            }
        }
        _ if !SHAPING.iter().any(|shaping| holds(shaping, path)) => {}
        _ => found.extend(serde_json::to_string(value).map(|json| (path.to_owned(), json))),
    }
}

fn is_step(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', ' ', '['])
}

/// The table: the versions by operator, and what differs from the version before.
fn table(versions: &[ChartVersion], before: &str) -> Result<String, String> {
    if versions.first().is_none_or(|first| first.text != FIRST) {
        return Err(format!(
            "the history does not begin before {FIRST}: it takes all of it"
        ));
    }
    let head: Vec<&str> = before
        .lines()
        .take_while(|line| line.starts_with('#'))
        .collect();
    let mut text = head.join("\n") + "\n";
    let mut operator = "";
    for version in versions {
        if version.operator != operator {
            operator = &version.operator;
            let _ = write!(text, "\n{operator}");
        }
        let _ = write!(text, " {}", version.text);
    }
    text.push_str("\n\n");
    let mut kept = of_templates(before);
    let mut last: &[(String, String)] = &[];
    for version in versions {
        let mut rows = changes(last, &version.values);
        rows.extend(kept.remove(version.text.as_str()).unwrap_or_default());
        if !rows.is_empty() {
            let _ = writeln!(text, "[{}]\n{}", version.text, rows.join("\n"));
        }
        last = &version.values;
    }
    match kept.keys().next() {
        Some(version) => Err(format!(
            "the table has rows about {version}, which the history does not have"
        )),
        None => Ok(text),
    }
}

/// The rows that differ from the values before.
fn changes(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let of = |values: &[(String, String)]| -> BTreeMap<String, String> {
        values.iter().cloned().collect()
    };
    let (old, new) = (of(before), of(after));
    // A value in the place of a map takes all of it away.
    let is_covered = |path: &str| {
        path.match_indices('.')
            .any(|(at, _)| path.get(..at).is_some_and(|above| new.contains_key(above)))
    };
    let is_there = |path: &str| {
        new.keys().any(|other| {
            other == path
                || other
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let gone = before
        .iter()
        .filter(|(path, _)| !is_there(path) && !is_covered(path));
    let set = after
        .iter()
        .filter(|(path, value)| old.get(path) != Some(value));
    let set = set.map(|(path, value)| format!("{path} {value}"));
    gone.map(|(path, _)| format!("{path} -"))
        .chain(set)
        .collect()
}

/// The rows about the templates of versions, which a human reads.
fn of_templates(table: &str) -> BTreeMap<&str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut version = "";
    for line in table.lines() {
        if let Some(next) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            version = next;
        } else if line.starts_with("chart.") {
            found.entry(version).or_default().push(line.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version of a chart of our own: the version, the operator, and its values.
    type Release<'r> = (&'r str, &'r str, &'r str);

    fn repository(releases: &[Release<'_>]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().unwrap();
        let run = |arguments: &[&str]| git(folder.path(), arguments).unwrap();
        run(&["init", "--quiet"]);
        for (version, operator, values) in releases {
            let chart = format!(
                "name: kube-prometheus-stack\nversion: {version}\nappVersion: {operator}\n"
            );
            files::write(&folder.path().join(CHART).join("Chart.yaml"), &chart).unwrap();
            files::write(&folder.path().join(CHART).join("values.yaml"), values).unwrap();
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

    #[test]
    fn a_history_becomes_a_table() {
        let folder = repository(&[
            ("44.0.0", "v0.62.0", "prometheus: {enabled: false}\n"),
            (
                "45.0.0",
                "v0.63.0",
                "prometheus: {enabled: true, prometheusSpec: {a: {b: 1}, list: [{x: 1}], 'k': 'v'}}\ncrds: {}\n",
            ),
            (
                "45.0.1",
                "0.63.0",
                "prometheus: {enabled: true, prometheusSpec: {a: {b: 1}, list: [{x: 1}], 'k': 'v'}}\n",
            ),
            (
                "45.1.0",
                "v0.64.0",
                "prometheus: {enabled: true, prometheusSpec: {a: {}, list: [{x: 1}]}, other: 1}\n",
            ),
        ]);
        let before = "# Head.\n\nv0.63.0 45.0.0\n\n[45.0.0]\nprometheus.enabled false\nchart.rulerName \"own\"\n";
        let versions = versions(folder.path()).unwrap();
        let wanted = "# Head.\n\nv0.63.0 45.0.0 45.0.1\nv0.64.0 45.1.0\n\n[45.0.0]\nprometheus.enabled true\n\
                      prometheus.prometheusSpec.a.b 1\nprometheus.prometheusSpec.list [{\"x\":1}]\n\
                      prometheus.prometheusSpec.k \"v\"\nchart.rulerName \"own\"\n[45.1.0]\n\
                      prometheus.prometheusSpec.k -\nprometheus.prometheusSpec.a {}\n";
        assert_eq!(table(&versions, before).unwrap(), wanted);
        assert_eq!(
            table(&versions, wanted).unwrap(),
            wanted,
            "the same history gives the same bytes"
        );
        assert!(
            table(&versions[1..], before)
                .unwrap_err()
                .contains("45.0.0")
        );
    }
}
