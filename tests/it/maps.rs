//! Maps: the report's, `explain --format svg|mermaid`, and those of a comment on a pull request.

use crate::support::{Ran, promgen};

fn explained(args: &[&str]) -> Ran {
    promgen(&[&["explain"], args].concat())
}

const INPUT: &str = "fixtures/report/input";

/// The boxes of a flowchart, as they are read: `title: detail`.
fn boxes(flowchart: &str) -> Vec<String> {
    let labels = flowchart
        .lines()
        .filter_map(|line| line.split_once("[\"")?.1.strip_suffix("\"]"));
    labels.map(|label| label.replace("<br/>", ": ")).collect()
}

#[test]
fn a_workload_is_drawn_with_what_it_selects_and_whom_its_alerts_notify() {
    let ran = explained(&["prometheus/main", INPUT, "--format", "mermaid"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    insta::assert_snapshot!(ran.stdout, @r#"
    flowchart LR
      b0["monitoring/main<br/>4 shards in 2 zones, 1 job"]
      b1["shop/cart<br/>PrometheusRule"]
      b2["shop/cart<br/>ServiceMonitor"]
      b3["monitoring/main<br/>Alertmanager"]
      b4["monitoring/routes/pager<br/>pagerduty"]
      b5["monitoring/routes/chat<br/>webhook"]
      b0 --> b1
      b1 -->|2 alerts| b3
      b2 --> b0
      b3 -->|1 alert| b4
      b3 -->|1 alert| b5
      classDef asked fill:#e3edf9,stroke:#1f5fa8,color:#17202b,stroke-width:3px
      class b0 asked
    "#);
}

#[test]
fn a_resource_is_drawn_with_who_takes_it_and_what_follows() {
    for (of, expected) in [
        ("alertmanagerconfig/routes", "monitoring/main: Alertmanager"),
        (
            "alertmanagerconfig/routes",
            "monitoring/routes/pager: pagerduty",
        ),
        ("alertmanager/main", "monitoring/routes: AlertmanagerConfig"),
        ("alertmanager/main", "shop/cart: PrometheusRule"),
        (
            "prometheusrule/cart",
            "monitoring/main: 4 shards in 2 zones, 1 job",
        ),
        ("prometheusrule/cart", "monitoring/routes/chat: webhook"),
        ("servicemonitor/cart", "shop/cart: PrometheusRule"),
        ("servicemonitor/cart", "monitoring/routes/chat: webhook"),
    ] {
        let ran = explained(&[of, INPUT, "--format", "mermaid"]);
        assert!(
            boxes(&ran.stdout).iter().any(|known| known == expected),
            "{of}: {}",
            ran.stdout
        );
    }
    let of_rule = boxes(&explained(&["prometheusrule/cart", INPUT, "--format", "mermaid"]).stdout);
    assert!(
        !of_rule.iter().any(|known| known.contains("ServiceMonitor")),
        "monitors are no part of it: {of_rule:?}"
    );
}

#[test]
fn what_gets_nothing_is_red() {
    for (of, says) in [
        (
            "servicemonitor/shop/forgotten",
            "shop/forgotten: ServiceMonitor, selected by nobody",
        ),
        ("probe/shop/page", "shop/page: Probe, refused"),
        (
            "servicemonitor/shop/port",
            "shop/port: ServiceMonitor, not all of it arrives",
        ),
    ] {
        let ran = explained(&[of, "fixtures/shop/input", "--format", "mermaid"]);
        assert_eq!(ran.code, 1, "{of}: as without a format");
        let at = boxes(&ran.stdout).iter().position(|known| known == says);
        let at = at.unwrap_or_else(|| panic!("{says}: {}", ran.stdout));
        assert!(
            ran.stdout.contains(&format!("class b{at} dead")),
            "{of}: {}",
            ran.stdout
        );
        let drawn = explained(&[of, "fixtures/shop/input", "--format", "svg"]).stdout;
        assert!(drawn.contains("<g class=\"box bad\">"), "{of}: {drawn}");
    }
}

#[test]
fn a_picture_stands_alone() {
    let ran = explained(&["prometheus/main", INPUT, "--format", "svg"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in [
        "<svg xmlns=\"http://www.w3.org/2000/svg\"",
        "<title id=\"title\">Map of Prometheus/monitoring/main</title>",
        "Receivers: monitoring/routes/pager, pagerduty.",
        "monitoring/main to shop/cart: 1 resource.",
        "@media (prefers-color-scheme: dark)",
        "<g class=\"box asked\"><title>Servers: monitoring/main",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    for forbidden in ["href", "url(", "@import", "<!--"] {
        assert!(!ran.stdout.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn the_report_draws_the_same_picture_with_links() {
    let page = promgen(&["report", "--no-config", INPUT]).stdout;
    assert!(
        page.contains("href=\"#Prometheus/monitoring/main\"><title>Servers: monitoring/main"),
        "{page}"
    );
    assert!(
        page.contains("<title>Monitors: shop, 1 selected by nobody</title>"),
        "{page}"
    );
    assert!(!page.contains("<!--map") && !page.contains("drawing-->"));
}

/// A Prometheus that selects that many monitors and rules in two namespaces, and an Alertmanager whose receiver is a trap.
fn many(n: usize) -> String {
    let head = "apiVersion: monitoring.coreos.com/v1\n";
    let mut text = format!(
        "{head}kind: Prometheus\nmetadata: {{name: k8s, namespace: mon}}\nspec:\n  retention: {n}d\n  serviceMonitorSelector: {{}}\n  \
         serviceMonitorNamespaceSelector: {{}}\n  alerting: {{alertmanagers: [{{name: alertmanager-operated, port: web}}]}}\n  ruleSelector: {{}}\n  ruleNamespaceSelector: {{}}\n"
    );
    for at in 0..n {
        let namespace = format!("team{}", at % 2);
        text += &format!(
            "---\n{head}kind: ServiceMonitor\nmetadata: {{name: m{at}, namespace: {namespace}}}\nspec:\n  selector: {{}}\n  endpoints: [{{port: web}}]\n\
             ---\n{head}kind: PrometheusRule\nmetadata: {{name: r{at}, namespace: {namespace}}}\nspec:\n  groups:\n  - name: g\n    rules:\n    \
             - {{alert: A{at}, expr: up == 0}}\n"
        );
    }
    text += &format!(
        "---\n{head}kind: Alertmanager\nmetadata: {{name: main, namespace: mon}}\nspec: {{}}\n---\napiVersion: v1\nkind: Secret\n\
         metadata: {{name: alertmanager-main, namespace: mon}}\nstringData:\n  alertmanager.yaml: |\n    route: {{receiver: 'x\"] --> y[`#<b>'}}\n    \
         receivers: [{{name: 'x\"] --> y[`#<b>', webhook_configs: [{{url: http://a}}]}}]\n"
    );
    text
}

#[test]
fn no_name_breaks_out_of_a_flowchart_or_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.yaml");
    std::fs::write(&file, many(1)).unwrap();
    let (path, options) = (file.to_str().unwrap(), ["--reveal-secrets", "--format"]);
    let flowchart =
        explained(&[&["prometheus/k8s", path][..], &options, &["mermaid"]].concat()).stdout;
    let label = "x#quot;#93; --#62; y#91;#96;#35;#60;b#62;<br/>webhook";
    assert!(
        flowchart
            .lines()
            .any(|line| line.ends_with(&format!("[\"{label}\"]"))),
        "{flowchart}"
    );
    let picture = explained(&[&["prometheus/k8s", path][..], &options, &["svg"]].concat()).stdout;
    assert!(
        picture.contains("x&quot;] --&gt; y[`#&lt;b&gt;") && !picture.contains("<b>"),
        "{picture}"
    );
    let hidden = explained(&["prometheus/k8s", path, "--format", "mermaid"]).stdout;
    assert!(
        !hidden.contains("x#quot"),
        "what is in a Secret stays there: {hidden}"
    );
}

#[test]
fn many_boxes_become_one_for_each_namespace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.yaml");
    std::fs::write(&file, many(100)).unwrap();
    let path = file.to_str().unwrap();
    let known = boxes(&explained(&["prometheus/k8s", path, "--format", "mermaid"]).stdout);
    assert!(known.len() < 10, "{known:?}");
    for expected in ["team0: 50 ServiceMonitors", "team1: 50 PrometheusRules"] {
        assert!(
            known.iter().any(|label| label == expected),
            "{expected}: {known:?}"
        );
    }
    // What is asked about keeps its own.
    let known = boxes(&explained(&["servicemonitor/m7", path, "--format", "mermaid"]).stdout);
    assert!(
        known
            .iter()
            .any(|label| label == "team1/m7: ServiceMonitor"),
        "{known:?}"
    );
    let picture = explained(&["prometheus/k8s", path, "--format", "svg"]).stdout;
    assert!(
        picture.contains("<title>Monitors: team0, 50 ServiceMonitors</title>"),
        "{picture}"
    );
}

/// Two environments, whose Prometheus differ.
fn environments() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, n) in [("prod", 2), ("dev", 1)] {
        let own = folder.path().join(name);
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("all.yaml"), many(n)).unwrap();
        std::fs::write(own.join("kustomization.yaml"), "resources: [all.yaml]\n").unwrap();
    }
    folder
}

#[test]
fn each_environment_has_its_picture() {
    let folder = environments();
    let path = folder.path().to_str().unwrap();
    let ran = explained(&["prometheus/k8s", path, "--format", "svg"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--environment NAME") && ran.stderr.contains("prod"),
        "{}",
        ran.stderr
    );
    let ran = explained(&[
        "prometheus/k8s",
        path,
        "--format",
        "svg",
        "--environment",
        "prod",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("<svg "), "{}", ran.stdout);
    let ran = explained(&["prometheus/k8s", path, "--format", "mermaid"]);
    assert_eq!(
        ran.stdout.matches("flowchart LR\n").count(),
        2,
        "{}",
        ran.stdout
    );
    assert_eq!(
        ran.stdout
            .lines()
            .filter(|line| line.starts_with("%% in "))
            .count(),
        2,
        "{}",
        ran.stdout
    );
}

#[test]
fn a_picture_requires_a_resource() {
    for topic in ["PG201", "gates", "limits", "metric/up"] {
        for format in ["svg", "mermaid"] {
            let ran = explained(&[topic, "--format", format]);
            assert_eq!(ran.code, 2, "{topic}");
            assert!(!ran.stderr.is_empty() && ran.stdout.is_empty(), "{topic}");
        }
    }
}

/// The maps of a comment about two texts.
fn compared(base: &str, head: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let side = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("all.yaml"), text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (base, head) = (side("base", base), side("head", head));
    let ran = promgen(&["diff", "--no-config", &base, &head, "--format", "markdown"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let maps = ran
        .stdout
        .split("```mermaid\n")
        .skip(1)
        .filter_map(|rest| rest.split("```\n").next());
    maps.collect()
}

/// The class of the box with that label.
fn class(flowchart: &str, label: &str) -> Option<String> {
    let at = boxes(flowchart)
        .iter()
        .position(|known| known.starts_with(label))?;
    let id = format!("b{at}");
    let classes = flowchart
        .lines()
        .filter_map(|line| line.trim().strip_prefix("class "));
    classes
        .filter_map(|line| line.split_once(' '))
        .find(|(ids, _)| ids.split(',').any(|known| known == id))
        .map(|(_, class)| class.to_owned())
}

#[test]
fn a_comment_draws_what_a_change_touches() {
    let ran = promgen(&[
        "diff",
        "--no-config",
        "fixtures/diff/base",
        "fixtures/diff/input",
        "--format",
        "markdown",
    ]);
    let map = ran.stdout.split("```mermaid\n").nth(1).unwrap();
    for (label, expected) in [
        (
            "shop/main: 2 shards, 2 jobs #8594; 3 shards, 1 job, 1 target lost, 4 targets moved",
            Some("moved"),
        ),
        (
            "shop/cart: ServiceMonitor, selected by nobody, 1 target lost",
            Some("lost"),
        ),
        ("shop/shop/chat: slack, removed", Some("lost")),
        ("shop/shop/pager: pagerduty", Some("added")),
        ("shop/web: PodMonitor", None),
    ] {
        assert!(
            boxes(map).iter().any(|known| known.starts_with(label)),
            "{label}: {map}"
        );
        assert_eq!(class(map, label).as_deref(), expected, "{label}: {map}");
    }
    assert!(map.contains("-.->") && map.contains("linkStyle"), "{map}");
}

#[test]
fn a_comment_has_a_map_only_if_the_map_differs() {
    let text = many(2);
    assert_eq!(compared(&text, &text), "");
    assert_eq!(
        compared(&text, &text.replace("retention: 2d", "retention: 3d")),
        ""
    );
    // A rule of a resource that stays: more alerts go along its lines.
    let more = text.replace(
        "- {alert: A0, expr: up == 0}",
        "- {alert: A0, expr: up == 0}\n    - {alert: B, expr: up == 1}",
    );
    let map = compared(&text, &more);
    assert!(
        map.contains("-->|2 alerts|") && map.contains("linkStyle"),
        "{map}"
    );
    // What workloads elsewhere select is not known to get nothing.
    let monitor = &text[text.find("---").unwrap()..text.find("kind: PrometheusRule").unwrap()];
    let monitor = monitor.rsplit_once("---").unwrap().0;
    assert_eq!(compared(monitor, &monitor.replace("m0", "m1")), "");
}

#[test]
fn a_monitor_that_another_server_takes_has_moved() {
    let second = "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: second, namespace: mon}\nspec:\n  \
                  serviceMonitorSelector: {matchLabels: {at: second}}\n  serviceMonitorNamespaceSelector: {}\n";
    let base = many(2).replace(
        "serviceMonitorSelector: {}",
        "serviceMonitorSelector: {matchLabels: {at: first}}",
    ) + second;
    let at = |server: &str| {
        base.replace(
            "name: m0, namespace: team0}",
            &format!("name: m0, namespace: team0, labels: {{at: {server}}}}}"),
        )
    };
    let map = compared(&at("first"), &at("second"));
    assert_eq!(
        class(&map, "team0/m0: ServiceMonitor").as_deref(),
        Some("moved"),
        "{map}"
    );
    assert_eq!(map.matches("-.->").count(), 1, "{map}");
}

#[test]
fn a_comment_with_a_great_change_has_a_small_map() {
    let map = compared(&many(1), &many(200));
    assert!(boxes(&map).len() <= 40, "{map}");
    assert!(
        boxes(&map)
            .iter()
            .any(|known| known == "team0: 1 ServiceMonitor #8594; 100 ServiceMonitors"),
        "{map}"
    );
}

#[test]
fn a_comment_about_a_small_change_of_much_names_what_differs() {
    let base = many(200);
    let monitor = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: other, namespace: team1}\n\
                   spec: {selector: {}, endpoints: [{port: web}]}\n";
    let map = compared(&base, &(base.clone() + monitor));
    assert!(boxes(&map).len() <= 40, "{map}");
    for (label, expected) in [
        (
            "mon/k8s: 1 shard, 200 jobs #8594; 1 shard, 201 jobs",
            Some("moved"),
        ),
        ("team1/other: ServiceMonitor", Some("added")),
        ("team1: 100 ServiceMonitors", None),
    ] {
        assert_eq!(class(&map, label).as_deref(), expected, "{label}: {map}");
        assert!(
            boxes(&map).iter().any(|known| known == label),
            "{label}: {map}"
        );
    }
}

#[test]
fn a_flowchart_says_what_it_does_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.yaml");
    let apart = |text: String, at: usize| {
        let team = format!("namespace: team{}", at % 2);
        text.replace(
            &format!("name: m{at}, {team}"),
            &format!("name: m{at}, namespace: own{at}"),
        )
    };
    std::fs::write(&file, (0..100).fold(many(100), apart)).unwrap();
    let path = file.to_str().unwrap();
    let flowchart = explained(&["prometheus/k8s", path, "--format", "mermaid"]).stdout;
    let known = boxes(&flowchart);
    // A server, an Alertmanager, a receiver, and the rules of two namespaces; then monitors.
    assert_eq!(known.len(), 61, "{known:?}");
    assert_eq!(known.last().unwrap(), "not shown: 45 boxes");
    assert!(
        known.contains(&"mon/k8s: 1 shard, 100 jobs".to_owned()),
        "{known:?}"
    );
    let picture = explained(&["prometheus/k8s", path, "--format", "svg"]).stdout;
    assert!(
        picture.contains(">40 of 100 boxes of monitors are shown</text>"),
        "{picture}"
    );
}

#[test]
fn dashboards_and_rules_without_series_are_red() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    let input = r#"
{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {scrapeConfigSelector: {}, ruleSelector: {}}}
---
{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: shop}, spec: {jobName: shop, staticConfigs: [{targets: ['x:80']}]}}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r}
spec: {groups: [{name: g, rules: [{alert: A, expr: 'up{job="shop"} == 0'}, {alert: B, expr: 'up{job="other"} == 0'}]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: boards, labels: {grafana_dashboard: "1"}}
data:
  live.json: '{"title": "Live", "panels": [{"title": "a", "datasource": {"type": "prometheus"}, "targets": [{"expr": "up{job=\"shop\"}"}]}]}'
  dead.json: '{"title": "Dead", "panels": [{"title": "a", "datasource": {"type": "prometheus"}, "targets": [{"expr": "up{job=\"other\"}"}, {"expr": "up"}]}]}'
"#;
    std::fs::write(&path, input).unwrap();
    let drawn = explained(&[
        "prometheus/main",
        path.to_str().unwrap(),
        "--format",
        "mermaid",
    ])
    .stdout;
    let known = boxes(&drawn);
    let red = |says: &str| {
        let at = known
            .iter()
            .position(|known| known == says)
            .unwrap_or_else(|| panic!("{says}: {drawn}"));
        let dead = drawn
            .lines()
            .find_map(|line| line.trim().strip_prefix("class ")?.strip_suffix(" dead"));
        dead.is_some_and(|dead| dead.split(',').any(|of| of == format!("b{at}")))
    };
    assert!(
        red("default/r: 1 of 2 without series, PrometheusRule, 2 alerts to nobody"),
        "{drawn}"
    );
    assert!(red("Dead: 1 of 2 without series, dashboard"), "{drawn}");
    assert!(!red("Live: dashboard"), "{drawn}");
    assert_eq!(drawn.matches("1 expression|").count(), 2, "{drawn}");
}
