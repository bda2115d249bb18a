//! Findings to test formats with: one without a place, one with everything, one with characters that need care.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "only tests use it"
)]

use std::sync::Arc;

use crate::diag::{Diagnostic, Level, LintRule, POLICY, RuleRef, Subject, rules};
use crate::source::{FileId, Sources, Span};

rules! {
    /// ## What it does
    /// For tests.
    ///
    /// ## Why is this bad?
    /// It is not.
    RULE = "PG999" "test-rule" Warning: "a test";
}

const TEXT: &str = "spec:\n  shards: 10\n  zones: [ä, \"a\\u0007,b\"]\n";

/// Findings with their places, and the texts that these are in.
pub fn findings() -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("my folder/prometheus.yaml".into(), TEXT.into());
    let subject = Subject {
        kind: "Prometheus",
        namespace: "default".into(),
        name: "k8s".into(),
    };
    let placeless = Diagnostic::placeless(&RULE, "nothing to see").level(Level::Info);
    let mut idle = Diagnostic::placeless(&RULE, "shard 9 is idle")
        .label("10 shards")
        .help("use 9")
        .help("or 12");
    idle.span = Some(span(file, "10"));
    idle.resource = Some(subject.clone());
    idle.related
        .push((span(file, "zones").into(), "the zones".into()));
    idle.related_spans.push(span(file, "zones"));
    let mut odd = Diagnostic::placeless(&RULE, "100% of <ä>: \"a|b\",\n\u{7}::error::no & ]]>")
        .level(Level::Error);
    odd.span = Some(span(file, "\"a\\u0007,b\""));
    odd.resource = Some(subject);
    (vec![placeless, idle, odd], sources)
}

/// A policy of that name.
pub fn policy(name: &str) -> RuleRef {
    RuleRef::from(Arc::new(LintRule {
        code: format!("{POLICY}{name}").into(),
        name: name.to_owned().into(),
        summary: "a policy".into(),
        explanation: "For tests.".into(),
        level: Level::Error,
        since: "",
    }))
}

fn span(file: FileId, marked: &str) -> Span {
    let start = TEXT.find(marked).unwrap();
    Span::new(
        file,
        u32::try_from(start).unwrap(),
        u32::try_from(start + marked.len()).unwrap(),
    )
}
