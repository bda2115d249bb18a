//! Tests of readers that lose their series.

use crate::compare::pair;
use crate::diff::Changes;
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::source::Input;

const SERVER: &str = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: shop}, spec: {ruleSelector: {}, scrapeConfigSelector: {}}}
---
{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: till, namespace: shop}, spec: {jobName: till, staticConfigs: [{targets: ['till.example:80']}]}}
---
{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r, namespace: shop}, spec: {groups: [{name: r, rules: [{record: 'job:up:count', expr: count(up)}]}]}}
";

const RULES: &str = "
---
{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: sales, namespace: shop}, spec: {groups: [{name: r, rules: [{record: 'job:sales:rate5m', expr: 'sum by (job) (rate(sales_total[5m]))'}]}]}}
";

/// What differs without [`RULES`], with a file beside it.
fn without_rules(others: &str, board: &str) -> Changes {
    let side = |rules: &str| {
        let inputs = [
            Input::new("a.yaml", [SERVER, others, rules].concat()),
            Input::new("boards/board.json", board),
        ];
        Project::read_side(&inputs, &Options::default()).model()
    };
    pair(&side(RULES), &side(""))
}

fn in_config_map(board: &str) -> String {
    format!(
        "\n---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: b, namespace: shop, labels: {{grafana_dashboard: '1'}}}}, data: {{b.json: '{board}'}}}}\n"
    )
}

/// The readers that may lose their series, with the reason why that is open.
fn possible(changes: &Changes) -> Vec<String> {
    let all = changes.possible_losses.items.iter();
    all.flat_map(|loss| {
        let readers = loss.readers.items.iter();
        readers.map(|reader| format!("{reader}: {}, and {}", loss.cause, loss.unknown))
    })
    .collect()
}

const DEFAULT: &str = "they name no data source, and Grafana's default one may be another";

#[test]
fn panels_and_variables_without_a_data_source_may_ask_the_one_prometheus() {
    for (what, board) in [
        (
            "panel Sales",
            r#""panels": [{"title": "Sales", "targets": [{"expr": "job:sales:rate5m"}]}]"#,
        ),
        (
            "panel Sales",
            r#""panels": [{"title": "Sales", "datasource": null, "targets": [{"datasource": null, "expr": "max(job:sales:rate5m{job=~\"$job\"})"}]}]"#,
        ),
        (
            "panel Old",
            r#""rows": [{"panels": [{"title": "Old", "targets": [{"expr": "job:sales:rate5m"}]}]}]"#,
        ),
        (
            "variable job",
            r#""templating": {"list": [{"name": "job", "query": "label_values(job:sales:rate5m, job)"}]}"#,
        ),
    ] {
        let board = format!(r#"{{"title": "Till", {board}}}"#);
        let found = without_rules(&in_config_map(&board), "");
        let want = format!(
            "{what} of dashboard Till (ConfigMap shop/b): no rule records `job:sales:rate5m` any more, and {DEFAULT}"
        );
        assert_eq!(possible(&found), [want], "{board}");
    }
    let second = SERVER.split("---").next().unwrap().replace("main", "other");
    let query = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: q}, spec: {template: {spec: {containers: [{name: q, image: quay.io/thanos/thanos:v0.39.2, args: [query]}]}}}}";
    let panel = in_config_map(
        r#"{"panels": [{"title": "Sales", "targets": [{"expr": "job:sales:rate5m"}]}]}"#,
    );
    for others in [
        format!("{panel}---\n{second}"),
        format!("{panel}---\n{query}\n"),
        panel.replace("job:sales:rate5m", "job:up:count"),
        panel.replace("\"expr\"", "\"datasource\": \"Loki\", \"expr\""),
    ] {
        let found = without_rules(&others, "");
        assert_eq!(possible(&found), [""; 0], "{others}");
        assert_eq!(found.n_lost_readers(), 0, "{others}");
    }
}

#[test]
fn dashboards_in_files_of_grafana_are_readers() {
    let board = r#"{"title": "Till", "schemaVersion": 39, "panels": [{"title": "Sales", "datasource": {"type": "prometheus", "uid": "p"}, "targets": [{"expr": "job:sales:rate5m"}]}]}"#;
    let lost = |board: &str| -> Vec<String> {
        let found = without_rules("", board);
        let changed = found.series.items.iter();
        changed.map(|change| change.reader.clone()).collect()
    };
    let want = ["panel Sales of dashboard Till (board.json)"];
    assert_eq!(lost(board), want);
    let by_variable = board
        .replace(r#""schemaVersion": 39"#, r#""templating": {"list": [{"name": "ds", "type": "datasource", "query": "prometheus"}]}"#)
        .replace(r#"{"type": "prometheus", "uid": "p"}"#, r#""${ds}""#);
    assert_eq!(lost(&by_variable), want);
    let without = board.replace(r#"{"type": "prometheus", "uid": "p"}"#, "null");
    assert_eq!(possible(&without_rules("", &without)).len(), 1);
    for other in [
        board.replace(r#""schemaVersion": 39, "#, ""),
        board.replace("panels", "panel"),
        board.replace("\"prometheus\"", "\"loki\""),
        board.replace("job:sales", "job:sale"),
    ] {
        assert_eq!(lost(&other), [""; 0], "{other}");
    }
}

#[test]
fn variables_of_dashboards_are_readers() {
    let told = |query: &str| {
        let board = format!(
            r#"{{"title": "Till", "schemaVersion": 39, "panels": [], "templating": {{"list": [{{"name": "ds", "type": "datasource", "query": "prometheus"}}, {{"name": "x", "type": "query", "datasource": {{"type": "prometheus", "uid": "${{ds}}"}}, "query": {query}}}]}}}}"#
        );
        let found = without_rules("", &board);
        let lost = found.series.items.iter().map(|of| of.reader.clone());
        lost.chain(possible(&found)).collect::<Vec<_>>().join("\n")
    };
    let name = "variable x of dashboard Till (board.json)";
    for query in [
        r#""label_values(job:sales:rate5m{job!=\"\"}, job)""#,
        r#""query_result(topk(3, job:sales:rate5m))""#,
        r#"{"query": "label_values(job:sales:rate5m, job)", "refId": "A"}"#,
    ] {
        assert_eq!(told(query), name, "{query}");
    }
    for query in [r#""metrics(job:sales:.*)""#, r#""metrics(sales:rate)""#] {
        let open =
            "no rule records `job:sales:rate5m` any more, and another metric may have such a name";
        assert_eq!(told(query), format!("{name}: {open}"), "{query}");
    }
    for query in [
        r#""label_values(job)""#,
        r#""label_values(job:up:count, job)""#,
        r#""metrics(job:.*)""#,
        r#""metrics($prefix:sales.*)""#,
        r#""job:sales:rate5m,other""#,
        "7",
    ] {
        assert_eq!(told(query), "", "{query}");
    }
}

/// What an alert loses, or may lose, between two sides with other fields of the server and of its job.
fn lost(expression: &str, base: (&str, &str), head: (&str, &str)) -> String {
    let side = |(spec, job): (&str, &str)| {
        let version = match spec.contains("version") {
            true => "",
            false => "version: v3.9.1, ",
        };
        let text = SERVER
            .replace(
                "ruleSelector: {}, scrape",
                &format!("{version}ruleSelector: {{}}, {spec}scrape"),
            )
            .replace("jobName: till, ", &format!("jobName: till, {job}"))
            .replace(
                "record: 'job:up:count', expr: count(up)",
                &format!("alert: A, expr: '{expression}'"),
            );
        let inputs = [Input::new("a.yaml", text)];
        Project::read_side(&inputs, &Options::default()).model()
    };
    let found = pair(&side(base), &side(head));
    let surely = found.series.items.iter().map(|of| of.why.clone());
    surely
        .chain(possible(&found))
        .collect::<Vec<_>>()
        .join("\n")
}

const NATIVE: &str = "scrapeNativeHistograms: true, ";

#[test]
fn native_histograms_leave_no_classic_series() {
    for expression in [
        r#"rate(page_seconds_sum{job="till"}[5m]) > 1"#,
        r#"sum(rate(page_seconds_count{job="till"}[5m])) == 0"#,
        r#"histogram_quantile(0.9, rate(page_seconds_bucket{job="till"}[5m])) > 1"#,
    ] {
        let converts = "convertClassicHistogramsToNHCB: true, ";
        let is_lost = |base, head| !lost(expression, base, head).is_empty();
        assert!(is_lost(("", ""), (NATIVE, "")), "{expression}");
        assert!(is_lost(("", ""), (converts, "")), "{expression}");
        assert!(is_lost(("", ""), ("", converts)), "{expression}");
        assert!(!is_lost((NATIVE, ""), (NATIVE, "")), "{expression}");
        let both = format!("{converts}scrapeClassicHistograms: true, ");
        assert!(!is_lost(("", ""), ("", &both)), "{expression}");
    }
    for expression in [
        r#"rate(pages_total{job="till"}[5m]) == 0"#,
        r#"page_seconds_count{job="tills"} == 0"#,
        r#"up{job="till"} == 0"#,
    ] {
        assert_eq!(lost(expression, ("", ""), (NATIVE, "")), "", "{expression}");
    }
}

/// The readers that lose their series between two sides, and those that may.
fn all_losses(base: &str, head: &str) -> Vec<String> {
    let side = |text: &str| {
        let inputs = [Input::new("a.yaml", [SERVER, text].concat())];
        Project::read_side(&inputs, &Options::default()).model()
    };
    let changes = pair(&side(base), &side(head));
    let lost = changes.series.items.iter();
    let lost = lost.map(|change| format!("{}: {}", change.reader, change.why));
    lost.chain(possible(&changes)).collect()
}

fn rules(name: &str, rules: &str) -> String {
    format!(
        "\n---\n{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: {name}, namespace: shop}}, spec: {{groups: [{{name: r, rules: [{rules}]}}]}}}}\n"
    )
}

#[test]
fn a_reader_is_known_again_in_another_object_or_by_its_expression() {
    const RECORD: &str = "{record: 'job:sales:sum', expr: sum by (job) (sales_total)}";
    const OTHER: &str = "{record: 'job:sales:total', expr: sum by (job) (sales_total)}";
    let alert = |name: &str| format!("{{alert: {name}, expr: 'job:sales:sum > 5'}}");
    let why = |name: &str, of: &str| {
        [format!(
            "alert {name} of PrometheusRule shop/{of}: no rule records `job:sales:sum` any more"
        )]
    };
    let base = rules("old", &format!("{RECORD}, {}", alert("E")));
    for (name, of) in [("E", "new"), ("F", "old"), ("G", "new")] {
        let head = rules(of, &format!("{OTHER}, {}", alert(name)));
        assert_eq!(all_losses(&base, &head), why(name, of), "{name} {of}");
    }
    // One that is new, too: the base is evidence of what it reads.
    let head = rules("old", &format!("{OTHER}, {}", alert("New")));
    assert_eq!(all_losses(&rules("old", RECORD), &head), why("New", "old"));
    for same in [
        rules("new", &format!("{RECORD}, {}", alert("E"))),
        rules("old", &format!("{RECORD}, {}", alert("F"))),
        rules("old", OTHER),
    ] {
        assert_eq!(all_losses(&base, &same), [""; 0], "{same}");
    }
    // A job that is gone is no reason for a new reader that asks for no job.
    let job = "\n---\n{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: b, namespace: shop}, spec: {jobName: b, staticConfigs: [{targets: ['b:80']}]}}\n";
    let alert = rules("x", "{alert: A, expr: sales_total > 5}");
    assert_eq!(all_losses(job, &alert), [""; 0]);
    assert_eq!(all_losses(&[job, &alert].concat(), &alert).len(), 1);
}

#[test]
fn a_panel_is_known_again_in_a_config_map_with_another_hash() {
    let board = |hash: &str, title: &str| {
        let text = r#"{"title": "Shop", "panels": [{"title": "T", "datasource": {"type": "prometheus"}, "targets": [{"expr": "job:sales:sum"}]}]}"#
            .replace("\"T\"", &format!("\"{title}\""));
        in_config_map(&text).replace("name: b,", &format!("name: b-{hash},"))
    };
    let record = rules(
        "old",
        "{record: 'job:sales:sum', expr: sum by (job) (sales_total)}",
    );
    let base = [&*record, &board("d8c78tm86k", "Sales")].concat();
    for title in ["Sales", "Renamed"] {
        let lost = all_losses(&base, &board("96ghtgb7m8", title));
        assert!(
            matches!(&lost[..], [lost] if lost.starts_with(&format!("panel {title} of dashboard Shop (ConfigMap shop/b-96ghtgb7m8): no rule records"))),
            "{lost:?}"
        );
    }
    assert_eq!(
        all_losses(&base, &[&*record, &board("96ghtgb7m8", "Sales")].concat()),
        [""; 0]
    );
}

fn ruler(spec: &str) -> String {
    format!(
        "\n---\n{{apiVersion: monitoring.coreos.com/v1, kind: ThanosRuler, metadata: {{name: ruler, namespace: shop}}, spec: {{{spec}}}}}\n"
    )
}

#[test]
fn what_a_thanos_ruler_or_a_server_that_is_fed_reads_may_be_lost_elsewhere() {
    let scraped = |more: &str| {
        format!(
            "\n---\n{{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {{name: cart, namespace: shop}}, spec: {{jobName: cart, staticConfigs: [{{targets: ['cart:80']}}]{more}}}}}\n"
        )
    };
    let alert = rules("a", "{alert: Down, expr: 'cart_total{job=\"cart\"} == 0'}")
        .replace("name: a,", "name: a, labels: {team: ruler},");
    let others = [
        ruler("ruleSelector: {matchLabels: {team: ruler}}, queryEndpoints: [thanos:10902]"),
        "\n---\n{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: all, namespace: shop}, spec: {ruleSelector: {matchLabels: {team: ruler}}, enableRemoteWriteReceiver: true}}\n".to_owned(),
    ];
    let server = SERVER.replacen(
        "ruleSelector: {}",
        "ruleSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}",
        1,
    );
    let of = |texts: &[&str]| {
        let text = [&*server, &texts.concat()].concat();
        let inputs = [Input::new("a.yaml", text)];
        Project::read_side(&inputs, &Options::default()).model()
    };
    for other in &others {
        let base = of(&[&scraped(""), &alert, other]);
        let drop =
            ", metricRelabelings: [{action: drop, sourceLabels: [__name__], regex: cart_.*}]";
        for (head, cause) in [
            (String::new(), "job scrapeConfig/shop/cart is gone, and "),
            (
                scraped(drop),
                "job scrapeConfig/shop/cart drops `cart_total` now, and ",
            ),
        ] {
            let changes = pair(&base, &of(&[&head, &alert, other]));
            let may = possible(&changes);
            assert!(
                matches!(&may[..], [may] if may.contains(cause) && may.ends_with("may have them from another server")),
                "{may:?} {:?}",
                changes.series.items
            );
        }
        let same = pair(
            &base,
            &of(&[&scraped(", scrapeInterval: 10s"), &alert, other]),
        );
        assert_eq!(possible(&same), [""; 0]);
    }
    // A server that others do not feed has nothing of them.
    let alone = others[1].replace(", enableRemoteWriteReceiver: true", "");
    let changes = pair(&of(&[&scraped(""), &alert, &alone]), &of(&[&alert, &alone]));
    assert_eq!(possible(&changes), [""; 0]);
}

#[test]
fn pods_without_replicas_make_nothing_any_more() {
    let app = |spec: &str, monitor: &str| {
        format!(
            "\n---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: cart, namespace: shop}}, spec: {{{spec}selector: {{matchLabels: {{app: cart}}}}, template: {{metadata: {{labels: {{app: cart}}}}, spec: {{containers: [{{name: c, image: c, ports: [{{name: web, containerPort: 80}}]}}]}}}}}}}}
---
{{apiVersion: v1, kind: Service, metadata: {{name: cart, namespace: shop, labels: {{app: cart}}}}, spec: {{selector: {{app: cart}}, ports: [{{name: web, port: 80, targetPort: web}}]}}}}
---
{monitor}
---
{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: a, namespace: shop}}, spec: {{groups: [{{name: a, rules: [{{alert: Down, expr: 'cart_total{{job=~\"cart|shop/m\"}} == 0'}}]}}]}}}}"
        )
    };
    let autoscaler = |kind: &str| {
        format!(
            "\n---\n{{apiVersion: {}, kind: {kind}, metadata: {{name: cart, namespace: shop}}, spec: {{scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: cart}}, minReplicas: 2, maxReplicas: 5}}}}\n",
            if kind == "ScaledObject" {
                "keda.sh/v1alpha1"
            } else {
                "autoscaling/v2"
            }
        )
    };
    let server = SERVER.replace(
        "scrapeConfigSelector: {}",
        "scrapeConfigSelector: {}, serviceMonitorSelector: {}, podMonitorSelector: {}",
    );
    let of = |text: &str| {
        let inputs = [Input::new("a.yaml", [&*server, text].concat())];
        Project::read_side(&inputs, &Options::default()).model()
    };
    let service_monitor = "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: m, namespace: shop}, spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: web}]}}";
    let pod_monitor = "{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: m, namespace: shop}, spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: web}]}}";
    for monitor in [service_monitor, pod_monitor] {
        let base = of(&app("replicas: 2, ", monitor));
        let stopped = app("replicas: 0, ", monitor);
        for head in [
            stopped.clone(),
            [&*stopped, &autoscaler("HorizontalPodAutoscaler")].concat(),
        ] {
            let may = possible(&pair(&base, &of(&head)));
            assert!(
                matches!(&may[..], [may] if may.contains("/shop/m/0 have `replicas: 0` now")),
                "{may:?}"
            );
        }
        for alike in [
            app("replicas: 1, ", monitor),
            app("", monitor),
            [&*stopped, &autoscaler("ScaledObject")].concat(),
        ] {
            assert_eq!(possible(&pair(&base, &of(&alike))), [""; 0], "{alike}");
        }
    }
}
#[test]
fn a_switch_of_a_job_takes_series_away() {
    let feature = |version| format!("version: {version}, enableFeatures: [native-histograms], ");
    let (old, new) = (feature("v3.5.0"), feature("v3.9.1"));
    let (old, new) = ((&*old, ""), (&*new, ""));
    let quantile = r#"histogram_quantile(0.9, sum(rate(page_seconds{job="till"}[5m]))) > 1"#;
    let count = r#"histogram_count(rate(page_seconds{job="till"}[5m])) > 1"#;
    let exported = r#"x{job="till", exported_job="a"} > 1"#;
    let dots = r#"rate({"http.server.duration", job="till"}[5m]) > 5"#;
    let honors = ("", "honorLabels: true, ");
    let legacy = ("nameValidationScheme: Legacy, ", "");
    let escapes = ("nameEscapingScheme: Underscores, ", "");
    let (none, no_native) = (("", ""), "takes no native histograms any more");
    for (expression, base, head, cause) in [
        (quantile, (NATIVE, ""), none, no_native),
        (count, ("", NATIVE), none, no_native),
        (count, old, new, no_native),
        (exported, none, honors, "makes no `exported_job` of it"),
        (
            r#"x{exported_instance=~"b.+"} > 1"#,
            none,
            honors,
            "keeps the `instance` that targets send now",
        ),
        (
            dots,
            none,
            legacy,
            "takes `http.server.duration` by another name",
        ),
        (
            dots,
            none,
            escapes,
            "takes `http.server.duration` by another name",
        ),
        (
            dots,
            none,
            ("", legacy.0),
            "takes `http.server.duration` by another name",
        ),
    ] {
        let told = lost(expression, base, head);
        assert!(told.contains(cause), "{expression} {head:?}: {told}");
    }
    for (expression, base, head) in [
        (quantile, none, (NATIVE, "")),
        (count, (NATIVE, ""), ("", NATIVE)),
        (r#"page_seconds{job="till"} > 1"#, (NATIVE, ""), none),
        (
            r#"histogram_quantile(0.9, rate(page_seconds_bucket{job="till"}[5m])) > 1"#,
            (
                "scrapeNativeHistograms: true, scrapeClassicHistograms: true, ",
                "",
            ),
            none,
        ),
        (exported, honors, honors),
        (r#"x{exported_team="a"} > 1"#, none, honors),
        (r#"x{job="till"} > 1"#, none, honors),
        (
            exported,
            none,
            ("overrideHonorLabels: true, ", "honorLabels: true, "),
        ),
        (r#"http_server_duration{job="till"} > 5"#, none, legacy),
        (dots, none, ("nameEscapingScheme: AllowUTF8, ", "")),
    ] {
        assert_eq!(lost(expression, base, head), "", "{expression} {head:?}");
    }
}

#[test]
fn whole_bounds_are_lost_on_the_way_to_floats() {
    let told = |bound: &str| {
        let expression = format!("rate(page_seconds_bucket{{job=\"till\", {bound}}}[5m]) < 1");
        lost(&expression, ("version: v2.55.1, ", ""), ("", ""))
    };
    for bound in [r#"le="1""#, r#"le=~"[15]""#, r#"le=~"5|10""#] {
        assert!(told(bound).contains("stores `le`"), "{bound}");
    }
    for bound in [r#"le=~"1|1.0""#, r#"le=~"1(.0)?""#, r#"le="1.0""#] {
        assert_eq!(told(bound), "", "{bound}");
    }
}

#[test]
fn an_exporter_that_makes_a_metric_no_longer_is_the_cause() {
    let told = |resources: &str, expression: &str| {
        let side = |resources: &str| {
            let exporter = format!(
                "---
{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: ksm, namespace: shop}}, spec: {{template: {{metadata: {{labels: {{app: ksm}}}}, spec: {{containers: [{{name: ksm, image: 'registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0', args: [{resources}], ports: [{{name: http, containerPort: 8080}}]}}]}}}}}}}}
---
{{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {{name: ksm, namespace: shop}}, spec: {{selector: {{matchLabels: {{app: ksm}}}}, podMetricsEndpoints: [{{port: http}}]}}}}
"
            );
            let text = SERVER
                .replace(
                    "ruleSelector: {}, ",
                    "ruleSelector: {}, podMonitorSelector: {}, ",
                )
                .replace(
                    "record: 'job:up:count', expr: count(up)",
                    &format!("alert: A, expr: '{expression}'"),
                );
            let inputs = [Input::new("a.yaml", text + &exporter)];
            Project::read_side(&inputs, &Options::default()).model()
        };
        possible(&pair(&side(""), &side(resources))).join("\n")
    };
    let pods = "'--resources=pods'";
    for (flags, expression) in [
        (pods, "kube_ingress_info == 0"),
        ("'--metric-denylist=kube_node_.*'", "kube_node_info == 0"),
    ] {
        let told = told(flags, expression);
        assert!(
            told.contains("kube-state-metrics v2.15.0 does not expose"),
            "{told}"
        );
        assert!(!told.contains("labels"), "{told}");
    }
    assert_eq!(told(pods, "kube_pod_info == 0"), "");
    assert_eq!(told(pods, "sales_total == 0"), "");
}
