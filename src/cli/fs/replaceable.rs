//! Which contents of a file an output may replace.
//!
//! In: the content of an existing file. Out: whether nothing is lost with it. That is what carries a mark of promgen, and what
//! only programs write: a page, a table, a report, a configuration as Prometheus and Alertmanager read it. All else may be
//! somebody's source: a manifest, a kustomization, values of a chart, settings, prose.

use serde::Deserialize;
use serde::de::IgnoredAny;

use promgen_compile::output::generated::{ENDS_COMMENT, is_written_file};

/// Returns whether an output may replace that.
pub(super) fn is_replaceable(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else {
        return false;
    };
    let begin = text.trim_start();
    match begin.chars().next() {
        None => true,
        Some('<') => is_page(begin) || is_test_report(begin),
        Some('{' | '[') => is_report(begin) || is_written_file(text),
        Some(_) => {
            is_written_file(text)
                || is_findings(begin)
                || is_table(begin)
                || is_config(text)
                || is_manual(begin)
        }
    }
}

/// A page: its template may be the user's, so that nothing else is known of it.
fn is_page(text: &str) -> bool {
    let begins = |with: &str| {
        text.get(..with.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(with))
    };
    begins("<!doctype html") || begins("<html")
}

/// A report of tests for CI systems.
fn is_test_report(text: &str) -> bool {
    let root = match text.strip_prefix("<?xml") {
        Some(rest) => rest
            .split_once("?>")
            .map_or("", |(_, root)| root.trim_start()),
        None => text,
    };
    root.starts_with("<testsuite")
}

/// What reports in JSON have in common: the answers of promgen, SARIF, and the code quality of GitLab.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReportShape {
    version: IgnoredAny,
    command: Option<String>,
    runs: Option<Vec<IgnoredAny>>,
    api_version: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct IssueShape {
    #[expect(dead_code, reason = "only that it is there counts")]
    check_name: String,
    #[expect(dead_code, reason = "only that it is there counts")]
    fingerprint: String,
}

fn is_report(text: &str) -> bool {
    if text.starts_with('[') {
        return serde_json::from_str::<Vec<IssueShape>>(text).is_ok();
    }
    serde_json::from_str::<ReportShape>(text).is_ok_and(|report| {
        let ReportShape {
            version: IgnoredAny,
            command,
            runs,
            api_version,
            kind,
        } = report;
        (command.is_some() || runs.is_some()) && api_version.is_none() && kind.is_none()
    })
}

/// Findings as text, as Markdown or as commands of GitHub, or the results of tests.
fn is_findings(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_finding = ["error[PG", "warning[PG", "info[PG"]
        .iter()
        .any(|level| first.starts_with(level));
    let is_command = ["::error ", "::warning ", "::notice "]
        .iter()
        .any(|level| first.starts_with(level));
    let is_result = |line: &str| line.starts_with("  ok      ") || line.starts_with("  FAILED  ");
    let are_results = text.lines().nth(1).is_some_and(is_result) || first == "0 tests passed";
    is_finding
        || is_command && first.contains("title=PG")
        || first.starts_with("## promgen ")
        || are_results
}

/// A table: of comma-separated values with a head, or the one of `simulate`.
fn is_table(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_name = |cell: &str| {
        !cell.is_empty()
            && cell
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    };
    first.contains(',') && first.split(',').all(is_name)
        || first.split_whitespace().any(|head| head == "SHARDS")
            && first.trim_end().ends_with(" VERDICT")
}

/// A page of the manual.
fn is_manual(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(".TH promgen"))
}

/// The keys of a configuration of Prometheus, and of Alertmanager.
const PROMETHEUS: [&str; 11] = [
    "global",
    "runtime",
    "scrape_config_files",
    "rule_files",
    "scrape_configs",
    "alerting",
    "remote_write",
    "remote_read",
    "storage",
    "tracing",
    "otlp",
];
const ALERTMANAGER: [&str; 8] = [
    "global",
    "route",
    "receivers",
    "templates",
    "inhibit_rules",
    "mute_time_intervals",
    "time_intervals",
    "tracing",
];

/// A configuration: it has all keys that each has, and no other. A ThanosRuler has only the one of its remote write.
fn is_config(text: &str) -> bool {
    let Some(keys) = keys(text) else { return false };
    let is = |known: &[&str], needed: &[&str]| {
        keys.iter().all(|key| known.contains(key)) && needed.iter().all(|key| keys.contains(key))
    };
    is(&PROMETHEUS, &["global", "scrape_configs"])
        || is(&ALERTMANAGER, &["route", "receivers"])
        || keys == ["remote_write"]
}

/// The keys of a text that is one mapping in block style. They may repeat: no parser is asked.
fn keys(text: &str) -> Option<Vec<&str>> {
    let mut keys = Vec::new();
    for line in text.lines() {
        match line.bytes().next() {
            // A value, which is indented unless it is a list.
            Some(b'#') if line.contains(ENDS_COMMENT) => return None,
            None | Some(b'#' | b' ') => {}
            Some(b'-') if line.starts_with("- ") && !keys.is_empty() => {}
            Some(b'a'..=b'z') => {
                let (key, value) = line.split_once(':')?;
                (value.is_empty() || value.starts_with(' ')).then(|| keys.push(key))?;
            }
            Some(_) => return None,
        }
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_somebody_may_have_written_is_replaced() {
        let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
        let config = "global: {}\nscrape_configs: []\n";
        for text in [
            manifest,
            &manifest.replace('\n', "\r\n"),
            &format!("\u{feff}{manifest}"),
            &format!("# promgen: generated\na: 1\n---\n{manifest}"),
            &format!("{config}---\n{manifest}"),
            &format!("{config}kind: Secret\n"),
            &format!("{config}# a\rkind: Secret\r"),
            "resources: [a.yaml]\n",
            "image: {tag: 1}\nglobal: {registry: a}\n",
            "global: {registry: a}\n",
            "route: {receiver: a}\n",
            "- job_name: a\n",
            "{{- if .Values.a }}\nkind: Secret\n{{- end }}\n",
            "{\"apiVersion\": \"v1\", \"kind\": \"Service\"}",
            "{\"version\": 1, \"command\": \"a\", \"kind\": \"Service\"}",
            "{\"version\": 1, \"findings\": []}",
            "{\"name\": \"a\", \"version\": \"1.0.0\"}",
            "{\"title\": \"a dashboard\", \"version\": 3}",
            "[{\"a\": 1}]",
            "<svg></svg>",
            "<?xml version=\"1.0\"?><project></project>",
            "# A page of prose\n\nIt has a comma, here.\n",
            "one, two\n",
            "FROM scratch\n",
            "a: 1\n# promgen: generated\n",
        ] {
            assert!(!is_replaceable(text.as_bytes()), "{text}");
        }
        assert!(!is_replaceable(b"\xff\xfek\0i\0n\0d\0"), "UTF-16");
    }

    #[test]
    fn what_only_programs_write_is_replaced() {
        for text in [
            "",
            " \n\r\n",
            "# promgen: generated\nkind: Secret\n---\n# promgen: generated\nkind: Service\n",
            "# built by promgen\nkind: Secret\n",
            "<!DOCTYPE html>\n<p>",
            "<html lang=en>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
            "{\"version\": 1, \"command\": \"report\", \"title\": \"a\"}",
            "{\"$schema\": \"a\", \"version\": \"2.1.0\", \"runs\": []}",
            "[]\n",
            "[{\"check_name\": \"a\", \"fingerprint\": \"b\", \"location\": {}}]",
            "namespace,resource,shards\nm,\"a: b\",1\n",
            "NAMESPACE  RESOURCE  SHARDS  VERDICT\n",
            "error[PG016]: a: b\n --> a.yaml:1:1\n",
            "::error file=a.yaml,line=1,title=PG016 invalid-value::a\n",
            "## promgen lint: no findings\n",
            "a_test.yaml\n  ok      a\n1 test passed\n",
            "global:\n  scrape_interval: 30s\nscrape_configs:\n- job_name: a\nremote_write:\n- url: b\nremote_write:\n- url: c\n",
            "# in d/a.yaml\nroute:\n  receiver: a\nreceivers:\n- name: a\ntemplates: []\n",
            "remote_write:\n- url: a\n",
            ".ie \\n(.g .ds Aq \\(aq\n.TH promgen-lint 1 \n",
        ] {
            assert!(is_replaceable(text.as_bytes()), "{text}");
        }
    }
}
