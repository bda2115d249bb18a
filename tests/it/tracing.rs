//! `promgen which` and `promgen trace` on what nobody should feed them.

use std::io::Cursor;

use promgen::cli::Terminal;

use crate::support::{Ran, promgen_with};

fn manifests(shards: u32, relabelings: &str, targets: &str) -> String {
    // No list at all, where there is nothing to list.
    let relabelings = if relabelings.is_empty() {
        String::new()
    } else {
        format!("  relabelings: [{relabelings}]\n")
    };
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{shards: {shards}, \
         scrapeConfigSelector: {{}}}}\n---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: \
         {{name: s}}\nspec:\n  staticConfigs: [{{targets: [{targets}]}}]\n{relabelings}"
    )
}

fn run(args: &[&str], manifests: &str) -> Ran {
    promgen_with(
        args,
        &mut Cursor::new(manifests.as_bytes()),
        Terminal::default(),
    )
}

#[test]
fn every_shard_of_many_is_told_of_in_a_few_lines() {
    let ran = run(&["which", "a:80", "-"], &manifests(1000, "", "'a:80'"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.lines().count() < 10, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("scraped by shard ") && ran.stdout.contains("  shards 0-"),
        "{}",
        ran.stdout
    );
    let json: serde_json::Value = serde_json::from_str(
        &run(
            &["which", "a:80", "-", "--format", "json"],
            &manifests(1000, "", "'a:80'"),
        )
        .stdout,
    )
    .unwrap();
    assert_eq!(
        json["targets"][0]["dropped"][0]["shards"]
            .as_array()
            .unwrap()
            .len(),
        999
    );
}

#[test]
fn values_cannot_move_the_cursor_and_long_ones_are_cut() {
    let long = "x".repeat(1 << 20);
    let relabelings = format!(
        "{{targetLabel: evil, replacement: \"\\e[2J\\n\\u202e\"}}, {{targetLabel: long, replacement: {long}}}, \
         {{targetLabel: __tmp_name, replacement: \"\\a\"}}"
    );
    let manifests = manifests(2, &relabelings, "\"a\\e[31m:80\"");
    for args in [
        &["which", "__address__=a\u{1b}[31m:80", "-"][..],
        &["trace", "all", "-"],
    ] {
        let ran = run(args, &manifests);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let bad = |c: char| c.is_control() && c != '\n';
        assert!(
            !ran.stdout.contains(bad) && !ran.stdout.contains('\u{202e}'),
            "{args:?}"
        );
        assert!(
            ran.stdout.contains(r#"evil="\x1b[2J\n\u202e""#),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.len() < 20_000, "{}", ran.stdout.len());
    }
}

#[test]
fn several_shards_or_none_are_no_good_end() {
    let all = manifests(
        3,
        "{targetLabel: __tmp_disable_sharding, replacement: 'x'}",
        "'a:80'",
    );
    let ran = run(&["which", "a", "-"], &all);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("scraped by shards 0-2") && ran.stdout.contains("3 shards scrape it"),
        "{}",
        ran.stdout
    );
    let none = manifests(3, "{targetLabel: __address__, replacement: a/b}", "'a:80'");
    let ran = run(&["which", "a", "-"], &none);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("but not scraped: \"a/b\" is not a valid hostname"),
        "{}",
        ran.stdout
    );
    let refused = manifests(2, "{action: nonsense}", "'a:80'");
    assert_ne!(run(&["which", "a", "-"], &refused).code, 0);
    let empty = run(&["which", "a", "-"], "");
    assert_eq!((empty.code, empty.stdout.as_str()), (1, ""));
    assert!(
        empty
            .stderr
            .contains("no Prometheus or PrometheusAgent found"),
        "{}",
        empty.stderr
    );
}

#[test]
fn prometheus_2_scrapes_addresses_with_the_port_of_their_scheme() {
    let text = manifests(1, "", "a").replace("shards: 1", "version: v2.55.1, shards: 1");
    assert!(
        run(&["which", "a", "-"], &text)
            .stdout
            .contains("http://a:80/metrics")
    );
    assert!(
        run(&["which", "a", "-"], &manifests(1, "", "a"))
            .stdout
            .contains("http://a/metrics")
    );
}

#[test]
fn colours_show_where_they_are_wanted() {
    let text = manifests(2, "", "'a:80'");
    for (color, expected) in [("always", true), ("never", false), ("auto", false)] {
        let ran = run(&["trace", "all", "-", "--color", color], &text);
        assert_eq!(ran.stdout.contains("\u{1b}[32m"), expected, "{color}");
    }
}
