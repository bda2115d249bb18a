//! Integration tests, in one binary so that it links once.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and read and write files of their own"
)]

/// As in the program: the tests spend a tenth of their time in the allocator of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod access;
mod advisories;
mod again;
mod amtool;
mod answers;
mod applied;
mod assigning;
mod builds;
mod cel;
mod charts;
mod cli;
mod commands;
mod completes;
mod confined;
mod conformance;
mod diff;
mod discovery;
mod docs;
mod drift;
mod examples;
mod explain;
mod fixtures;
mod flux;
mod helm_charts;
mod hostile;
mod injection;
mod installed;
mod integrations;
mod json;
mod kustomize;
mod kustomize_builds;
mod limits;
mod lineage_engine;
mod lint;
mod live_objects;
mod lsp;
mod maps;
mod misuse;
mod newer;
mod objects;
mod one_answer;
mod operator_facts;
mod overview;
mod owned;
mod pipes;
mod policies;
mod programs;
mod promtool;
mod prove;
mod recordings;
mod release;
mod render;
mod report;
mod repositories;
mod repository;
mod roundtrip;
mod routes;
mod rule_tests;
mod safe_fixes;
mod secret_lines;
mod secrets;
mod sends_nothing;
mod simulate;
mod status;
mod strangers;
mod support;
mod thanos_ruler;
mod tidy;
mod trace_steps;
mod tracing;
mod unit_tests;
mod untrusted;
mod upgrading;
