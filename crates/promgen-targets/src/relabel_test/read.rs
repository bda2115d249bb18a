//! The text of a test file.
//!
//! In: the bytes of a file. Out: its tests, or all errors in it, with places. An unknown key is an error, because a
//! misspelled expectation would always pass.

use crate::relabel_test::strict::unknown;
use crate::relabel_test::{Expect, Test, TestFile, schema};
use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_prometheus::relabel::{self, NameScheme};
use promgen_resources::locate::{self, FindingTexts};
use promgen_resources::secrecy::Private;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::time::Timestamp;
use promgen_text::version::Version;
use promgen_text::yaml::de::start_of;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{self, Data, Node, Value};

rules! {
    /// ## What it does
    /// Finds errors in a test file: an unknown key, a value of the wrong type, a test with neither a job nor rules nor an alert,
    /// or a test without expectations.
    ///
    /// ## Why is this bad?
    /// An invalid test would always pass.
    ///
    /// ## Example
    /// ```yaml
    /// tests:
    /// - name: canaries are dropped
    ///   relabel_configs: [{action: drop, source_labels: [canary], regex: "true"}]
    ///   labels: {canary: "true"}
    ///   expects: {dropped: true}
    /// ```
    /// Use instead: `expect`.
    BAD_TEST = "PG006" "bad-test" Error: "an invalid test file";
}

/// Tests of a file.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The content of the file.
    pub file: TestFile,
    /// The rules and the first line of each test.
    pub tests: Vec<Details>,
}

/// Additional data of a test.
#[derive(Clone, Debug)]
pub struct Details {
    /// Its first line, from 1.
    pub line: usize,
    /// Its own rules.
    pub rules: Option<Vec<Value>>,
}

/// The result of reading a file.
#[derive(Clone, Debug)]
pub struct ReadTests {
    /// Its tests; none if it is wrong, or no file of tests.
    pub suite: Option<Suite>,
    /// It looks like a file of tests. Nothing is said of the content of others.
    pub is_test: bool,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that they point into.
    pub sources: Sources,
}

/// Reads a file of tests.
#[must_use]
pub fn read(input: &Input) -> ReadTests {
    let mut sink = Sink::default();
    let sources = Sources::load(std::slice::from_ref(input), &mut sink);
    let (id, file) = sources.files().next().expect("one was loaded");
    if !is_test(id, &file.text) {
        return ReadTests {
            suite: None,
            is_test: false,
            diagnostics: Vec::new(),
            sources,
        };
    }
    let documents = yaml::read::read(id, &file.text, &mut sink);
    let suite = match documents.as_slice() {
        [only] => suite(only, &sources, &mut sink),
        // Invalid YAML has already been reported.
        [] if !sink.diagnostics().is_empty() => None,
        [] => {
            fault(&mut sink, Span::new(id, 0, 0), "no tests found");
            None
        }
        [_, second, ..] => {
            fault(
                &mut sink,
                second.root.span,
                "a test file must be a single document",
            );
            None
        }
    };
    let (diagnostics, is_wrong) = placed(sink, &sources);
    ReadTests {
        suite: suite.filter(|_| !is_wrong),
        is_test: true,
        diagnostics,
        sources,
    }
}

/// The findings about a file of tests, and whether one of them is an error.
pub(crate) fn placed(sink: Sink, sources: &Sources) -> (Vec<Diagnostic>, bool) {
    let texts = FindingTexts {
        sources,
        n_manifests: 1,
        private: &Private::default(),
    };
    let diagnostics = locate::place(sink.into_diagnostics(), &[], texts);
    let is_error = |diagnostic: &Diagnostic| diagnostic.level == Level::Error;
    let is_wrong = diagnostics.iter().any(is_error);
    (diagnostics, is_wrong)
}

/// The finding of a key that nobody reads. `meant`: the key that it is almost.
pub(crate) fn unknown_key(span: Span, key: &str, meant: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(&BAD_TEST, span, format!("unknown key `{key}`"));
    match meant {
        Some(meant) => found.help(format!("did you mean `{meant}`?")),
        None => found,
    }
}

/// Returns whether a text looks like tests: a list `tests`, in a document that is no object of Kubernetes. One that
/// does not parse is told by its lines.
fn is_test(id: FileId, text: &str) -> bool {
    let is_named = |line: &str| {
        TEST_KEYS.iter().any(|key| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    };
    let is_object = |line: &str| line.starts_with("kind:") || line.starts_with("apiVersion:");
    if text.lines().any(is_object) {
        return false;
    }
    let mut sink = Sink::default();
    let documents = yaml::read::read(id, text, &mut sink);
    // A map of that name is a value of some chart.
    let is_list = |document: &ParsedDocument| {
        let mut named = TEST_KEYS.iter().filter_map(|key| document.root.get(key));
        named.any(|tests| !matches!(tests.data, Data::Map(_)))
    };
    match sink.diagnostics().is_empty() {
        true => documents.iter().any(is_list),
        false => text.lines().any(is_named),
    }
}

/// The key of the tests, and what people write for it.
const TEST_KEYS: [&str; 4] = ["tests", "test", "Tests", "\"tests\""];

fn fault(sink: &mut Sink, span: Span, message: impl Into<String>) {
    sink.report(Diagnostic::new(&BAD_TEST, span, message));
}

fn suite(document: &ParsedDocument, sources: &Sources, sink: &mut Sink) -> Option<Suite> {
    let root = &document.root;
    let misspelt = unknown(root, &schema());
    for key in &misspelt {
        sink.report(unknown_key(key.span, &key.key, key.meant.as_deref()));
    }
    if !misspelt.is_empty() {
        return None;
    }
    let text = &sources.file(document.span.file).text;
    let (file, mismatches) = yaml::typed::<TestFile>(text, document);
    let is_whole = mismatches.is_empty();
    mismatches
        .into_iter()
        .for_each(|mismatch| sink.report(mismatch.diagnostic(&BAD_TEST, root)));
    let file = file.filter(|_| is_whole)?;
    check_file(root, &file, sink);
    let nodes = root.get("tests").map(Node::items).unwrap_or_default();
    let tests = nodes.iter().zip(&file.tests).map(|(node, test)| {
        check_test(node, test, &file, sink);
        Details {
            line: sources.start(node.span).line,
            rules: rules(node),
        }
    });
    let tests = tests.collect();
    Some(Suite { file, tests })
}

fn rules(test: &Node) -> Option<Vec<Value>> {
    let rules = test
        .get("relabel_configs")
        .filter(|rules| !rules.is_null())?;
    Some(rules.items().iter().map(Node::to_value).collect())
}

fn check_file(root: &Node, file: &TestFile, sink: &mut Sink) {
    let is_version = |text: &String| Version::parse(text).is_some();
    let version = "expected a version such as v3.13.2 or 1.35";
    let (prometheus, kube) = (&file.prometheus_version, &file.kube_version);
    for (is_good, key, message) in [
        (
            prometheus.as_ref().is_none_or(is_version),
            "prometheus_version",
            version,
        ),
        (
            kube.as_ref().is_none_or(is_version),
            "kube_version",
            version,
        ),
        (
            file.namespace.as_deref() != Some(""),
            "namespace",
            "expected a namespace",
        ),
        (names_workload(&file.workload), "workload", WORKLOAD),
        (!file.tests.is_empty(), "tests", "no tests found"),
    ] {
        if !is_good {
            fault(sink, root.get(key).unwrap_or(root).span, message);
        }
    }
}

const WORKLOAD: &str = "expected KIND/NAMESPACE/NAME, such as Prometheus/monitoring/k8s";

/// Returns whether a text is a workload, if there is one.
fn names_workload(text: &Option<String>) -> bool {
    text.as_deref().is_none_or(|text| workload(text).is_some())
}

/// The workload of that name, if it is one of a kind that scrapes or routes.
#[must_use]
pub fn workload(text: &str) -> Option<WorkloadId> {
    let mut parts = text.split('/');
    let (Some(kind), Some(namespace), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let kinds = [
        WorkloadKind::Prometheus,
        WorkloadKind::PrometheusAgent,
        WorkloadKind::Alertmanager,
    ];
    let kind = kinds
        .into_iter()
        .find(|known| known.kind().eq_ignore_ascii_case(kind))?;
    Some(WorkloadId {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

/// The place of a key, or the start of the node that lacks it.
fn place_of(node: &Node, key: &str) -> Span {
    node.entry(key)
        .map_or_else(|| start_of(node.span), |entry| entry.key_span)
}

fn check_test(node: &Node, test: &Test, file: &TestFile, sink: &mut Sink) {
    let span = |key: &str| place_of(node, key);
    let (has_job, has_rules, has_alert) = (
        test.job.is_some(),
        test.relabel_configs.is_some(),
        test.alert.is_some(),
    );
    let (has_target, has_labels) = (test.target.is_some(), test.labels.is_some());
    let lacks_manifests = file.manifests.is_empty();
    // Of each group, the first that holds is reported. An empty key is the test as a whole.
    let subject = [
        (
            !has_job && !has_rules && !has_alert,
            "",
            "a test requires a `job`, `relabel_configs` or an `alert`",
        ),
        (
            has_job && has_rules,
            "relabel_configs",
            "a test cannot have both `job` and `relabel_configs`",
        ),
        (
            has_job && has_alert,
            "alert",
            "a test cannot have both `job` and `alert`",
        ),
        (
            has_rules && has_alert,
            "alert",
            "a test cannot have both `relabel_configs` and `alert`",
        ),
        (
            has_job && lacks_manifests,
            "job",
            "a test with a `job` requires `manifests`",
        ),
        (
            has_alert && lacks_manifests,
            "alert",
            "a test with an `alert` requires `manifests`",
        ),
    ];
    let input = [
        (
            has_alert && has_target,
            "target",
            "a test with an `alert` has no `target`",
        ),
        (
            has_alert && has_labels,
            "labels",
            "the labels of an alert are in `alert`",
        ),
        (
            !has_alert && !has_target && !has_labels,
            "",
            "a test requires a `target` or `labels`",
        ),
        (
            has_target && has_labels,
            "target",
            "a test cannot have both `target` and `labels`",
        ),
        (
            has_target && has_rules,
            "target",
            "a `target` requires a `job`; use `labels` with `relabel_configs`",
        ),
    ];
    for group in [&subject[..], &input] {
        if let Some((_, key, message)) = group.iter().find(|(is_wrong, ..)| *is_wrong) {
            fault(sink, span(key), *message);
        }
    }
    check_time(node, test, sink);
    if !names_workload(&test.workload) {
        fault(sink, span("workload"), WORKLOAD);
    }
    if let Some(rules) = rules(node)
        && let Err(error) = relabel::rules(&rules, NameScheme::Utf8)
    {
        fault(sink, span("relabel_configs"), error.to_string());
    }
    if let Some(expect) = node.get("expect") {
        check_expect(expect, test, sink);
    }
}

fn check_expect(node: &Node, test: &Test, sink: &mut Sink) {
    let span = |key: &str| place_of(node, key);
    let Expect {
        labels,
        contains,
        shard,
        shards,
        dropped,
        receivers,
        muted,
        grouped_by,
    } = &test.expect;
    let has_shards = shard.is_some() || shards.is_some();
    if test.alert.is_some() || receivers.is_some() || muted.is_some() || grouped_by.is_some() {
        return check_routing(node, test, sink);
    }
    let has_labels = labels.is_some() || contains.is_some();
    let is_dropped = dropped.as_ref().is_some_and(super::Dropping::is_dropped);
    let of_shards = if shard.is_some() { "shard" } else { "shards" };
    for (is_wrong, key, message) in [
        (
            !has_labels && !has_shards && dropped.is_none(),
            "",
            "the test has no expectations",
        ),
        (
            shard.is_some() && shards.is_some(),
            "shards",
            "a test cannot have both `shard` and `shards`",
        ),
        (
            has_shards && test.job.is_none(),
            of_shards,
            "shards require a `job`",
        ),
        (
            is_dropped && (has_labels || has_shards),
            "dropped",
            "a dropped target has neither labels nor a shard",
        ),
    ] {
        if is_wrong {
            fault(sink, span(key), message);
        }
    }
}

/// The expectations of a test with an alert, and those of no other test.
fn check_routing(node: &Node, test: &Test, sink: &mut Sink) {
    const ROUTING: [&str; 3] = ["receivers", "muted", "grouped_by"];
    let is_routing = |key: &str| ROUTING.contains(&key);
    for entry in node
        .entries()
        .iter()
        .filter(|entry| is_routing(&entry.key) != test.alert.is_some())
    {
        let message = match test.alert.is_some() {
            true => format!(
                "`{}` is not about an alert; expected receivers, muted or grouped_by",
                entry.key
            ),
            false => format!("`{}` requires an `alert`", entry.key),
        };
        fault(sink, entry.key_span, message);
    }
    if node.entries().is_empty() {
        fault(sink, start_of(node.span), "the test has no expectations");
    }
    if let Some(entry) = node.entry("muted")
        && test.alert.as_ref().is_some_and(|alert| alert.at.is_none())
    {
        fault(
            sink,
            entry.key_span,
            "`muted` requires the time of the alert, `at`",
        );
    }
}

fn check_time(node: &Node, test: &Test, sink: &mut Sink) {
    let at = test.alert.as_ref().and_then(|alert| alert.at.as_deref());
    if at.is_some_and(|text| Timestamp::parse(text).is_none()) {
        let span = node
            .find(&["alert", "at"])
            .map_or_else(|| start_of(node.span), |at| at.span);
        fault(sink, span, "expected a time such as 2026-11-21T08:00:00Z");
    }
}
