//! What Helm 3.19.2 makes of a chart and its dependency `kube-prometheus-stack`.

use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::embedded::root;
use promgen_text::yaml::emit::to_json;

use super::*;

fn node(written: &str) -> Node {
    root(FileId::new(0), written).expect("YAML")
}

#[track_caller]
fn check_off(dependency: &str, values: &str, expected: bool) {
    let whole = node(&format!(
        "{{name: kube-prometheus-stack, version: 82.14.0, {dependency}}}"
    ));
    assert_eq!(
        is_off(&whole, &node(values)),
        expected,
        "{dependency} {values}"
    );
}

#[test]
fn a_condition_is_the_first_boolean() {
    for (condition, values, is_off) in [
        ("x.k", "{a: 1}", false),
        ("x.k", "{x: {k: false}}", true),
        ("x.k", "{x: {k: 'false'}}", false),
        ("x.k", "{x: {k: 0}}", false),
        ("x.k", "{x: {k: null}}", false),
        ("x.k", "{x: {k: {}}}", false),
        ("x.k", "{x: false}", false),
        ("x", "{x: false}", true),
        (".x.k", "{x: {k: false}}", false),
        ("x.k,x.z", "{x: {k: 'no', z: false}}", true),
        ("x.k,x.z", "{x: {k: true, z: false}}", false),
        ("x.k,x.z", "{x: {k: false, z: true}}", true),
        ("x.k, x.z", "{x: {z: false}}", false),
        (" x.z", "{x: {z: false}}", true),
        ("x.z ,x.k", "{x: {z: false}}", false),
        ("tags.t", "{tags: {t: false}}", true),
    ] {
        check_off(&format!("condition: '{condition}'"), values, is_off);
    }
}

#[test]
fn a_condition_sees_the_defaults_of_the_dependency() {
    let ruler = "condition: kube-prometheus-stack.thanosRuler.enabled";
    check_off(ruler, "{}", true);
    check_off(
        ruler,
        "{kube-prometheus-stack: {thanosRuler: {enabled: true}}}",
        false,
    );
    check_off(
        ruler,
        "{kube-prometheus-stack: {thanosRuler: {enabled: null}}}",
        false,
    );
    check_off("alias: kps, condition: kps.thanosRuler.enabled", "{}", true);
    check_off(
        "alias: kps, condition: kube-prometheus-stack.thanosRuler.enabled",
        "{}",
        false,
    );
    check_off(
        "tags: [t], condition: kube-prometheus-stack.prometheus.enabled",
        "{tags: {t: false}}",
        false,
    );
}

#[test]
fn tags_decide_where_no_condition_does() {
    for (tags, values, is_off) in [
        ("tags: [t]", "{}", false),
        ("tags: [t]", "{tags: null}", false),
        ("tags: [t]", "{tags: {t: false}}", true),
        ("tags: [t]", "{tags: {t: 'false'}}", false),
        ("tags: [t]", "{tags: {t: 0}}", false),
        ("tags: [t, s]", "{tags: {t: false, s: true}}", false),
        ("tags: [t, s]", "{tags: {t: false, s: 'true'}}", true),
        (
            "tags: [t], condition: x.k",
            "{tags: {t: false}, x: {k: true}}",
            false,
        ),
        (
            "tags: [t], condition: x.k",
            "{tags: {t: false}, x: {k: 'true'}}",
            true,
        ),
        (
            "tags: [t], condition: x.k",
            "{tags: {t: true}, x: {k: false}}",
            true,
        ),
        ("tags: [t], condition: ''", "{tags: {t: false}}", true),
        ("enabled: false", "{}", false),
    ] {
        check_off(tags, values, is_off);
    }
}

#[test]
fn global_values_precede_those_of_the_dependency() {
    for (values, expected) in [
        ("{sub: {s: y}, al: {s: x}}", "{s: x}"),
        (
            "{global: {g: 1}, al: {global: {g: 2, h: 3}}}",
            "{global: {g: 1, h: 3}}",
        ),
        (
            "{global: {g: {x: 1}}, al: {global: {g: {x: 2, z: 3}}}}",
            "{global: {g: {x: 1, z: 3}}}",
        ),
        (
            "{global: {g: {x: 1}}, al: {global: {g: text}}}",
            "{global: {g: text}}",
        ),
        (
            "{global: {g: text}, al: {global: {g: {x: 2}}}}",
            "{global: {g: {x: 2}}}",
        ),
        (
            "{global: {l: [1]}, al: {global: {l: [2]}}}",
            "{global: {l: [1]}}",
        ),
        ("{global: {g: 1}}", "{global: {g: 1}}"),
        ("{global: text, al: {s: 1}}", "{s: 1}"),
        ("{al: null}", "{}"),
    ] {
        let found = values_of("al", &node(values));
        let json = |node: &Node| to_json(&node.to_value());
        assert_eq!(json(&found), json(&node(expected)), "{values}");
    }
}

/// The releases of a chart in `c`, each with its alias, its values, and what is refused or not known of them. `over`: values of the user.
fn made(dependencies: &str, values: &str, over: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let chart = format!("name: c\ndependencies: [{dependencies}]\n");
    sources.add("c/Chart.yaml".to_owned(), chart);
    sources.add("c/values.yaml".to_owned(), values.to_owned());
    let files = ChartSources::new(&sources, false);
    let mut outer = of_folder("c", &ChartSources::new(&sources, false))
        .and_then(|all| all.into_iter().next())
        .expect("a dependency that is on");
    outer.values = GivenValues::new(Span::default());
    outer.values.add(&node(over));
    let shown = |release: ChartRelease| {
        let values = to_json(&release.values.root.to_value())
            .split_whitespace()
            .collect::<String>();
        let refused = release.values.refused.into_iter().map(|(_, what)| what);
        let missing = release
            .values
            .missing
            .into_iter()
            .map(|missing| missing.what);
        let alias = release.alias.unwrap_or_default();
        let all: Vec<String> = [alias, values]
            .into_iter()
            .chain(refused)
            .chain(missing)
            .collect();
        all.join(" ")
    };
    releases("c", &files, &[], outer)
        .into_iter()
        .map(shown)
        .collect()
}

const STACK: &str = "name: kube-prometheus-stack, version: 82.14.0";

#[test]
fn every_alias_is_a_release() {
    let two = format!(
        "{{{STACK}, alias: one}}, {{{STACK}, alias: two, condition: two.enabled}}, {{name: other}}"
    );
    let values = "{one: {s: 1}, two: {s: 2}, other: {s: 3}}";
    assert_eq!(
        made(&two, values, "{}"),
        [r#"one {"s":1}"#, r#"two {"s":2}"#]
    );
    assert_eq!(
        made(&two, values, "{two: {enabled: false}}"),
        [r#"one {"s":1}"#]
    );
    let plain = format!("{{{STACK}}}");
    let values = "{kube-prometheus-stack: {s: 1, l: [1, 2]}}";
    let over = "{kube-prometheus-stack: {s: null, l: [3]}}";
    assert_eq!(made(&plain, values, over), [r#" {"s":null,"l":[3]}"#]);
}

#[test]
fn values_of_a_dependency_are_a_map() {
    let one = format!("{{{STACK}, alias: al}}");
    assert_eq!(made(&one, "{al: {s: 1}}", "{al: null}"), ["al {}"]);
    for (values, over) in [
        ("{al: null}", "{}"),
        ("{a: 1}", "{al: null}"),
        ("{al: {s: 1}}", "{al: text}"),
        ("{al: {}}", "{al: [1]}"),
    ] {
        let made = made(&one, values, over).join("");
        assert!(made.contains("Helm refuses"), "{values} {over} {made}");
    }
}

#[test]
fn imports_that_reach_the_dependency_are_not_known() {
    let with = |other: &str| {
        let made = made(
            &format!("{{{STACK}, alias: al}}, {{name: lib, import-values: {other}}}"),
            "{}",
            "{}",
        );
        made.join("").contains("imports")
    };
    assert!(with("[data]"));
    assert!(with("[{child: a, parent: al.prometheus}]"));
    assert!(with("[{child: a, parent: .}]"));
    assert!(with("[{child: a, parent: global}]"));
    assert!(!with("[{child: a, parent: lib}]"));
    assert!(!with("[{child: a, parent: alias.b}]"));
    assert!(!with("[]"));
}

#[test]
fn files_may_replace_the_values_of_a_chart() {
    let mut sources = Sources::default();
    for (name, text) in [
        ("c/values.yaml", "{al: {a: 1}}"),
        ("c/prod.yaml", "{al: {b: 1}}"),
    ] {
        sources.add(name.to_owned(), text.to_owned());
    }
    let files = ChartSources::new(&sources, false);
    let of = |replacing: &[(String, Span)]| {
        let values = defaults("c", &files, replacing, Span::default());
        (
            values.root.get("al").map(|al| al.get("a").is_some()),
            values.missing.len(),
        )
    };
    assert_eq!(of(&[]), (Some(true), 0));
    assert_eq!(
        of(&[("c/prod.yaml".to_owned(), Span::default())]),
        (Some(false), 0)
    );
    assert_eq!(
        of(&[("c/none.yaml".to_owned(), Span::default())]),
        (None, 1)
    );
}

#[test]
fn values_of_the_known_chart_beside_its_name_are_found() {
    let found = |dependencies: &str, template: Option<&str>, values: &str| {
        let mut sources = Sources::default();
        let chart = format!("name: m\ndependencies: [{dependencies}]\n");
        sources.add("m/Chart.yaml".to_owned(), chart);
        sources.add("m/values.yaml".to_owned(), values.to_owned());
        if let Some(template) = template {
            sources.add("m/templates/a.yaml".to_owned(), template.to_owned());
        }
        let files = ChartSources::new(&sources, false);
        let made = of_folder("m", &files).expect("the chart");
        let unread = made.into_iter().flat_map(|release| release.values.unread);
        unread.map(|(_, message, _)| message).collect::<Vec<_>>()
    };
    const STACK: &str = "{name: kube-prometheus-stack, version: 82.14.0}";
    let aliased = "{name: kube-prometheus-stack, version: 82.14.0, alias: kps}";
    let spec = "{prometheus: {prometheusSpec: {retention: 1d}}}";
    let beside = |key: &str, name: &str| {
        [format!(
            "nothing reads `{key}`: it stands beside `{name}`, the chart whose value it is"
        )]
    };
    let name = "kube-prometheus-stack";
    assert_eq!(found(STACK, Some(""), spec), beside("prometheus", name));
    let ruler = "{thanosRuler: {enabled: true}}";
    assert_eq!(
        found(aliased, Some(""), ruler),
        beside("thanosRuler", "kps")
    );
    // Without templates, nothing else reads it either.
    for key in [
        "alertmanager",
        "grafana",
        "defaultRules",
        "kubeEtcd",
        "fullnameOverride",
    ] {
        let values = format!("{{{key}: {{enabled: false}}}}");
        assert_eq!(found(STACK, None, &values), beside(key, name));
        assert_eq!(found(STACK, Some(""), &values), [""; 0], "{values}");
    }
    let below = |key: &str| format!("{{{key}: {{prometheus: {{prometheusSpec: {{}}}}}}}}");
    for (dependencies, key, meant) in [
        (STACK, "prometheus-stack", name),
        (STACK, "kubePrometheusStack", name),
        (STACK, "kube-prometheus-stak", name),
        (aliased, name, "kps"),
    ] {
        let expected = format!(
            "nothing reads `{key}`: the values of the chart are those below `{meant}`, the name of the dependency"
        );
        assert_eq!(found(dependencies, None, &below(key)), [expected]);
    }
    let own = below(name);
    let alias = "x: &a {prometheus: {prometheusSpec: {}}}\nkps: &b {prometheus: {}}\nprometheus: &p {prometheusSpec: {}}\n\
                 kube-prometheus-stack: {a: *a, b: *b, prometheus: *p}\n";
    for (dependencies, template, values) in [
        (STACK, None, own.as_str()),
        (
            STACK,
            None,
            "{foo: bar, retention: 1d, global: {}, tags: {}}",
        ),
        (STACK, None, alias),
        (
            STACK,
            Some(""),
            "{prometheus: {enabled: true}, retention: 1d}",
        ),
        (
            STACK,
            Some("a: {{ .Values.prometheus.prometheusSpec.retention }}"),
            spec,
        ),
        (STACK, Some("a: {{ index .Values \"prometheus\" }}"), spec),
        (STACK, Some("a: {{ toYaml .Values }}"), spec),
        (&format!("{STACK}, {{name: prometheus}}"), Some(""), spec),
        (
            "{name: kube-prometheus-stack, version: 82.14.0, condition: 'grafana.enabled'}",
            None,
            "{grafana: {enabled: true}}",
        ),
    ] {
        assert_eq!(
            found(dependencies, template, values),
            [""; 0],
            "{dependencies} {values}"
        );
    }
}
