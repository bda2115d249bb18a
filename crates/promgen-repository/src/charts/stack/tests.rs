//! What the chart makes of values, as Helm 3.19 makes it.

use promgen_text::source::FileId;

use super::*;
use crate::charts::node;
use promgen_text::CollectOrdered;
use promgen_text::yaml::embedded;

/// The objects that the newest version makes of values.
fn compiled(values: &str) -> CompiledStack {
    let values = embedded::root(FileId::new(0), values).unwrap();
    compiled_of(&values, &BTreeSet::new())
}

fn compiled_of(values: &Node, integers: &BTreeSet<Span>) -> CompiledStack {
    compile(&StackRequest {
        release: "kps",
        namespace: Some(("metrics", Span::default())),
        version: versions::newest(),
        values,
        integers,
        place: Span::default(),
        span: Span::default(),
        chart: CHART,
    })
}

/// A value of the Prometheus that is made of values, as YAML.
fn of_server(prometheus_spec: &str, path: &[&str]) -> Option<String> {
    let values = format!("prometheus: {{prometheusSpec: {prometheus_spec}}}");
    let objects = compiled(&values).objects;
    let server = objects
        .iter()
        .find(|(object, _)| object.text_of("kind") == Some("Prometheus"))?;
    server.0.find(path).map(node::yaml)
}

#[test]
fn a_null_takes_away_a_default_and_nothing_else() {
    for (spec, path, expected) in [
        // Without a default, the map of the user is not empty.
        (
            "{serviceMonitorSelector: {matchLabels: null}}",
            &["spec", "serviceMonitorSelector"][..],
            Some("{}"),
        ),
        (
            "{externalLabels: {cluster: null}}",
            &["spec", "externalLabels"],
            Some("{}"),
        ),
        (
            "{nodeSelector: {disk: null}}",
            &["spec", "nodeSelector"],
            Some("{}"),
        ),
        // A default that is gone leaves nothing, or what is beside it.
        (
            "{securityContext: {runAsUser: null}}",
            &["spec", "securityContext", "runAsUser"],
            None,
        ),
        (
            "{securityContext: {runAsUser: null}}",
            &["spec", "securityContext", "runAsGroup"],
            Some("2000"),
        ),
        ("{retention: null}", &["spec", "retention"], None),
        ("{externalLabels: {}}", &["spec", "externalLabels"], None),
        ("{externalLabels: null}", &["spec", "externalLabels"], None),
        (
            "{serviceMonitorSelector: null}",
            &["spec", "serviceMonitorSelector", "matchLabels", "release"],
            Some("kps"),
        ),
    ] {
        assert_eq!(of_server(spec, path).as_deref(), expected, "{spec}");
    }
}

/// The ConfigMaps that are made of a text in `extraManifests`: the name of each, and its labels in one line.
fn of_text(text: &str) -> Vec<(String, String)> {
    let indented = text.replace('\n', "\n    ");
    let values = format!("commonLabels: {{team: a}}\nextraManifests:\n  a: |\n    {indented}\n");
    let objects = compiled(&values).objects;
    let maps = objects
        .iter()
        .filter(|(object, _)| object.text_of("kind") == Some("ConfigMap"));
    let labels = |object: &Node| {
        let labels = object.find(&["metadata", "labels"]);
        labels.map_or_else(String::new, |labels| node::yaml(labels).replace('\n', ", "))
    };
    maps.map(|(object, _)| {
        let name = object.text_at(&["metadata", "name"]).unwrap_or_default();
        (name.to_owned(), labels(object))
    })
    .collect()
}

#[test]
fn a_text_is_all_documents_that_it_prints() {
    const HEAD: &str = "apiVersion: v1\nkind: ConfigMap\n";
    for (text, expected) in [
        (
            format!("{HEAD}metadata: {{name: a}}\n---\n{HEAD}metadata: {{name: b}}"),
            vec![("a", ""), ("b", "")],
        ),
        (
            format!(
                "{{{{- range list \"c\" \"d\" }}}}\n---\n{HEAD}metadata: {{name: {{{{ . }}}}}}\n{{{{- end }}}}"
            ),
            vec![("c", ""), ("d", "")],
        ),
        (
            format!("{{{{- if .Values.none }}}}\n{HEAD}metadata: {{name: e}}\n{{{{- end }}}}"),
            vec![],
        ),
        ("# nothing\n---\n# and nothing".to_owned(), vec![]),
        (
            format!(
                "{HEAD}metadata:\n  name: f\n  labels:\n    {{{{- toYaml .Values.commonLabels | nindent 4 }}}}"
            ),
            vec![("f", "team: a")],
        ),
        (
            format!(
                "{HEAD}metadata:\n  name: g\n  labels: {{{{ toYaml .Values.commonLabels | nindent 4 }}}}"
            ),
            vec![("g", "team: a")],
        ),
        (
            format!(
                "{HEAD}metadata:\n  name: h\n  labels:\n{{{{ pick (include \"kube-prometheus-stack.labels\" . | fromYaml) \"team\" \"release\" | toYaml | indent 4 }}}}"
            ),
            vec![("h", "release: kps, team: a")],
        ),
    ] {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(name, labels): (&str, &str)| (name.to_owned(), labels.to_owned()))
            .collect();
        assert_eq!(of_text(&text), expected, "{text}");
    }
}

#[test]
fn a_template_with_a_name_prints_its_lines_as_they_stand() {
    for (template, expected) in [
        (
            "{{ include \"kube-prometheus-stack.labels\" . | trunc 60 }}",
            "\napp.kubernetes.io/managed-by: Helm\napp.kubernetes.io/instan",
        ),
        (
            "{{ include \"kube-prometheus-stack.imagePullSecrets\" . }}",
            "\n- name: one\n- name: two",
        ),
        (
            "{{ include \"rules.names\" . | trunc 34 }}",
            "\nrules:\n  - \"alertmanager.rules\"\n ",
        ),
        (
            "{{ include \"servicemonitor.scrapeLimits\" (dict \"sampleLimit\" 5) }}",
            "\nsampleLimit: 5",
        ),
        (
            "{{ include \"servicemonitor.scrapeLimits\" (dict) | quote }}",
            "\"\"",
        ),
    ] {
        let values = format!(
            "global: {{imagePullSecrets: [one, {{name: two}}]}}\nextraManifests:\n  a: |\n    kind: ConfigMap\n    text: {{{{ tpl .Values.own . | toJson }}}}\nown: {}",
            promgen_text::go::json::to_json(template)
        );
        let objects = compiled(&values).objects;
        let made = objects
            .iter()
            .find_map(|(object, _)| object.text_of("text"));
        assert_eq!(made, Some(expected), "{template}");
    }
}

#[test]
fn values_whose_templates_are_not_evaluated_are_told() {
    let told = |values: &str| compiled(values).unknown.into_values().collect::<Vec<_>>();
    for (values, expected) in [
        (
            "extraManifests: {a: \"{{ lookup `v1` `Secret` `a` `b` }}\"}",
            vec![Some("lookup")],
        ),
        (
            "extraManifests: [{kind: ConfigMap, data: {a: '{{ now }}', b: '{{ uuidv4 }}'}}]",
            vec![Some("now"), Some("uuidv4")],
        ),
        // Helm refuses it, which is told elsewhere.
        (
            "prometheus: {prometheusSpec: {externalLabels: {a: '{{ $labels.x }}'}}}",
            vec![],
        ),
        // What it prints is no YAML.
        ("extraManifests: {a: '{{ `a: [` }}'}", vec![None]),
        (
            "extraManifests: {a: 'kind: {{ upper `x` }}', b: {kind: '{{ .Release.Name }}'}}",
            vec![],
        ),
        // Nobody executes it.
        (
            "additionalPrometheusRulesMap: {a: {groups: [{name: a, rules: [{alert: A, expr: '1', annotations: {s: '{{ $value }}'}}]}]}}",
            vec![],
        ),
    ] {
        assert_eq!(told(values), expected, "{values}");
    }
}

#[test]
fn an_object_keeps_the_places_of_its_texts() {
    let values = "extraManifests: [{kind: ConfigMap, data: {a: plain, b: '{{ .Release.Name }}', c: '{{ toYaml (dict `x` 1) | nindent 2 }}'}}]";
    let objects = compiled(values).objects;
    let mut maps = objects
        .iter()
        .filter(|(object, _)| object.text_of("kind") == Some("ConfigMap"));
    let entries = maps.next().unwrap().0.get("data").unwrap().entries();
    let made: Vec<(&str, &str)> = entries
        .iter()
        .map(|entry| {
            let span = entry.value.span;
            let written = &values[span.start as usize..span.end as usize];
            (entry.value.as_str().unwrap(), written)
        })
        .collect();
    assert_eq!(
        made,
        [
            ("plain", "plain"),
            ("kps", "'{{ .Release.Name }}'"),
            (" x: 1", "'{{ toYaml (dict `x` 1) | nindent 2 }}'"),
        ]
    );
}

#[test]
fn integers_of_flags_are_no_floats() {
    for (value, is_of_flag, expected) in [
        ("12345678", false, "\"1.2345678e+07\""),
        ("12345678", true, "\"12345678\""),
        ("1000000", true, "\"1000000\""),
        ("7", true, "\"7\""),
        ("7", false, "\"7\""),
    ] {
        let text = format!("prometheus: {{prometheusSpec: {{retention: {value}}}}}");
        let values = embedded::root(FileId::new(0), &text).unwrap();
        let retention = values.find(&["prometheus", "prometheusSpec", "retention"]);
        let span = retention.unwrap().span;
        let integers: BTreeSet<Span> = is_of_flag.then_some(span).into_iter().collect_set();
        let made = compiled_of(&values, &integers);
        let server = made
            .objects
            .iter()
            .find(|(object, _)| object.text_of("kind") == Some("Prometheus"));
        let made = server.unwrap().0.find(&["spec", "retention"]);
        assert_eq!(made.map(node::yaml).as_deref(), Some(expected), "{value}");
    }
}

#[test]
fn templates_in_values_see_the_defaults_of_the_chart() {
    for (template, expected) in [
        ("{{ .Values.kubelet.namespace }}", Some("kube-system")),
        ("{{ .Values.grafana.enabled }}", Some("true")),
        ("{{ .Values.kubeEtcd.service.port }}", Some("2381")),
        ("{{ .Values.global.rbac.create }}", Some("true")),
        ("{{ .Values.kubelet.nobody }}", Some("")),
        (
            "{{ include `kube-prometheus-stack-grafana.namespace` . }}",
            Some("metrics"),
        ),
        (
            "{{ include `kube-prometheus-stack-kube-state-metrics.name` . }}",
            Some("kube-state-metrics"),
        ),
        (
            "{{ include `kube-prometheus-stack.kubeVersion` . }}",
            Some("v1.35.0"),
        ),
        // The defaults of other charts are not known, and Helm refuses fields of what is nothing.
        ("{{ .Values.grafana.replicas }}", None),
        ("{{ .Values.nobody.x }}", None),
    ] {
        let values = format!(
            "extraManifests: [{{kind: ConfigMap, text: {}}}]",
            promgen_text::go::json::to_json(&format!("a {template}"))
        );
        let objects = compiled(&values).objects;
        let made = objects
            .iter()
            .find_map(|(object, _)| object.text_of("text"));
        let expected = match expected {
            Some("") => "a".to_owned(),
            Some(expected) => format!("a {expected}"),
            None => format!("a {template}"),
        };
        assert_eq!(made, Some(expected.as_str()), "{template}");
    }
}

#[test]
fn what_is_no_text_prints_as_go_prints_it() {
    for (spec, path, expected) in [
        (
            "{image: {registry: null, tag: v3.1.0}}",
            &["spec", "image"][..],
            "%!s(<nil>)/prometheus/prometheus:v3.1.0",
        ),
        (
            "{image: {tag: 3.1}}",
            &["spec", "image"],
            "quay.io/prometheus/prometheus:%!s(float64=3.1)",
        ),
        (
            "{image: {tag: true}}",
            &["spec", "image"],
            "quay.io/prometheus/prometheus:%!s(bool=true)",
        ),
        (
            "{image: {tag: '3.1'}}",
            &["spec", "image"],
            "quay.io/prometheus/prometheus:3.1",
        ),
        ("{retention: [a, b]}", &["spec", "retention"], "[a b]"),
        (
            "{retention: [true, null]}",
            &["spec", "retention"],
            "[true <nil>]",
        ),
        ("{retention: {a: 1}}", &["spec", "retention"], "map[a:1]"),
    ] {
        let values = format!("prometheus: {{prometheusSpec: {spec}}}");
        let objects = compiled(&values).objects;
        let server = objects
            .iter()
            .find(|(object, _)| object.text_of("kind") == Some("Prometheus"));
        let made = server.and_then(|(server, _)| server.text_at(path));
        assert_eq!(made, Some(expected), "{spec}");
    }
}

#[test]
fn a_large_number_of_a_file_has_an_exponent_where_it_is_printed_alone() {
    for (spec, path, expected) in [
        ("{sampleLimit: 1000000}", &["sampleLimit"][..], "1e+06\n"),
        ("{replicas: 1.5e6}", &["replicas"], "1.5e+06\n"),
        ("{shards: 12345678}", &["shards"], "1.2345678e+07\n"),
        ("{retention: 1000000}", &["retention"], "\"1e+06\"\n"),
        // A small one, and one of a map that is printed as a whole.
        ("{sampleLimit: 999999}", &["sampleLimit"], "999999\n"),
        (
            "{securityContext: {runAsUser: 1000000}}",
            &["securityContext", "runAsUser"],
            "1000000\n",
        ),
        (
            "{resources: {limits: {cpu: 2000000}}}",
            &["resources", "limits", "cpu"],
            "2000000\n",
        ),
    ] {
        let values = format!("prometheus: {{prometheusSpec: {spec}}}");
        let objects = compiled(&values).objects;
        let server = objects
            .iter()
            .find(|(object, _)| object.text_of("kind") == Some("Prometheus"));
        let made = server.and_then(|(server, _)| server.get("spec")?.find(path));
        assert_eq!(
            made.map(crate::print::yaml).as_deref(),
            Some(expected),
            "{spec}"
        );
    }
    let values = embedded::root(
        FileId::new(0),
        "prometheus: {prometheusSpec: {sampleLimit: 1000000}}",
    );
    let values = values.unwrap();
    let flag = values
        .find(&["prometheus", "prometheusSpec", "sampleLimit"])
        .unwrap()
        .span;
    let objects = compiled_of(&values, &BTreeSet::from([flag])).objects;
    let limits = objects
        .iter()
        .filter_map(|(object, _)| object.find(&["spec", "sampleLimit"]));
    assert_eq!(
        limits.map(crate::print::yaml).collect::<String>(),
        "1000000\n"
    );
}

#[test]
fn a_text_that_is_a_comment_where_it_is_printed_is_nothing() {
    for (written, expected) in [
        ("'#c'", None),
        ("'&a'", None),
        ("'a#c'", Some("a#c")),
        ("'a &b'", Some("a &b")),
    ] {
        let made = of_server(&format!("{{portName: {written}}}"), &["spec", "portName"]);
        assert_eq!(made.as_deref(), expected, "{written}");
    }
}
