//! What actions yield, and that all of a release share a budget.

use promgen_text::source::{FileId, Span};

use super::*;

struct OneTemplate;

impl NamedTemplates for OneTemplate {
    fn include(&self, name: &str, _: &Yielded) -> Executed<Yielded> {
        (name == "chart.name")
            .then(|| text("stack", Span::default()).into())
            .ok_or(NotKnown)
    }
}

fn rendered(values: &str, template: &str, budget: &ExpansionBudget) -> Option<String> {
    let values = embedded::root(FileId::new(0), values).unwrap();
    let root = ChartRoot {
        release: "kps",
        namespace: ("metrics", Span::default()),
        chart: "c",
        version: "1.0.0",
        application: "v1",
        values: &values,
        place: Span::default(),
    };
    let scope = ExecutionScope::new(root.dot(), &OneTemplate, budget, Span::default());
    scope.render(template).ok()
}

#[test]
fn known_actions_are_filled_in_and_others_stay() {
    for (template, expected) in [
        ("{{ .Release.Name }}-z", Some("kps-z")),
        (
            "{{ $.Release.Namespace }}.{{ .Values.a.b | quote }}",
            Some("metrics.\"x\""),
        ),
        (
            "a {{- /* no */ -}} b{{ .Values.a.m }}{{ .Values.c }}",
            Some("ab3"),
        ),
        ("{{ `{{ $labels.x }}` }}", Some("{{ $labels.x }}")),
        ("{{ \"{{\" }} $x {{ \"}}\" }}", Some("{{ $x }}")),
        ("{{ include \"chart.name\" . }}", Some("stack")),
        ("{{ if .Values.a.b }}yes{{ else }}no{{ end }}", Some("yes")),
        (
            "{{ range $k, $v := .Values.a }}{{ $k }}={{ $v }};{{ end }}",
            Some("b=x;m=3;"),
        ),
        (
            "{{ range .Values.l }}{{ . }},{{ else }}none{{ end }}",
            Some("1,2,"),
        ),
        ("{{ with .Values.a }}{{ .b }}{{ end }}", Some("x")),
        ("{{ $x := .Values.n }}{{ $x | default 5 }}", Some("5")),
        (
            "{{ printf \"%s-%v\" .Release.Name 3 | trunc 4 }}",
            Some("kps-"),
        ),
        ("{{ .Values.big }}", Some("1.5e+06")),
        ("{{ kindIs \"map\" .Values.a }}", Some("true")),
        ("{{ eq .Values.a.b \"x\" \"y\" }}", Some("true")),
        ("{{ default \"d\" .Values.n }}", Some("d")),
        ("{{ ternary \"t\" \"f\" (empty .Values.n) }}", Some("t")),
        ("{{ join \",\" .Values.l }}", Some("1,2")),
        ("{{ $labels.pod }}", None),
        ("{{ lookup \"v1\" \"Pod\" \"\" \"\" }}", None),
        ("{{ range .x }}", None),
        ("{{", None),
    ] {
        let values = "{a: {b: x, m: 3}, l: [1, 2], big: 1500000}";
        let found = rendered(values, template, &ExpansionBudget::default());
        assert_eq!(found.as_deref(), expected, "{template}");
    }
}

#[test]
fn all_texts_of_a_release_share_a_budget() {
    let values = format!("{{a: {}}}", "x".repeat(MAX_EXPANDED / 4));
    let budget = ExpansionBudget::default();
    let fits: Vec<bool> = (0..3)
        .map(|_| rendered(&values, "{{ .Values.a }}{{ .Values.a }}", &budget).is_some())
        .collect();
    assert_eq!(
        (fits, budget.is_exceeded()),
        (vec![true, true, false], true)
    );
    assert_eq!(rendered(&values, "{{ .Release.Name }}", &budget), None);
}

#[test]
fn a_template_that_executes_itself_ends() {
    let budget = ExpansionBudget::default();
    assert_eq!(
        rendered(
            "{a: '{{ tpl .Values.a . }}'}",
            "{{ tpl .Values.a . }}",
            &budget
        )
        .as_deref(),
        Some("{{ tpl .Values.a . }}")
    );
}

/// Templates, and what Helm 3.19 prints for them with the values below: a line of JSON each.
const RECORDED: &str = include_str!("recorded.txt");

const VALUES: &str = r#"{"a": {"b": "x", "m": 3}, "l": [1, 2], "big": 1500000, "s": "Hello World", "t": "a-b_c", "ml": "one\ntwo", "e": "", "f": 1.5, "d": {"z": 1, "x": [1, {"k": "v"}], "q": "a<b"}, "tr": true, "n": null, "words": ["b", "a", "c", "a"], "neg": -3}"#;

#[test]
fn functions_print_what_helm_prints() {
    for line in RECORDED.lines() {
        let (template, expected): (String, String) = serde_json::from_str(line).unwrap();
        let found = rendered(VALUES, &template, &ExpansionBudget::default());
        assert_eq!(found.as_deref(), Some(expected.as_str()), "{template}");
    }
}

#[test]
fn what_is_not_evaluated_is_not_known() {
    for (template, function) in [
        ("{{ lookup \"v1\" \"Secret\" \"a\" \"b\" }}", Some("lookup")),
        ("{{ now | date \"2006\" }}", Some("now")),
        ("{{ randAlphaNum 5 }}", Some("randAlphaNum")),
        ("{{ (genCA \"a\" 365).Cert }}", Some("genCA")),
        ("{{ .Values.s | hunter2 }}", None),
        ("{{ .Template.Name }}", None),
        ("{{ .Files.Get \"x\" }}", None),
        (
            "{{ .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" }}",
            None,
        ),
        (
            "{{ .Capabilities.APIVersions.Has \"policy/v1beta1\" }}",
            None,
        ),
        ("{{ snakecase \"HTTPServer2Go\" }}", None),
        ("{{ trunc 2 \"h\u{e9}\" }}", None),
        ("{{ printf \"%c\" 65 }}", None),
        ("{{ required \"a\" .Values.e }}", None),
        ("{{ index .Values.words 9 }}", None),
        ("{{ include \"nobody\" . }}", None),
        ("{{ set .Values.a \"b\" 1 }}", None),
        ("{{ until 100000000 | join \",\" }}", None),
        ("{{ range .Values.s }}{{ . }}{{ end }}", None),
        (
            "{{ $x := list }}{{ range until 1000 }}{{ $x = list $x }}{{ end }}{{ toJson $x }}",
            None,
        ),
        ("{{ regexMatch \"(\" \"a\" }}", None),
        ("{{ repeat 100000000 \"ab\" }}", None),
    ] {
        let budget = ExpansionBudget::default();
        assert_eq!(rendered(VALUES, template, &budget), None, "{template}");
        assert_eq!(budget.missing.get(), function, "{template}");
    }
}

#[test]
fn what_grows_in_a_loop_has_an_end() {
    for template in [
        "{{ $x := `ab` }}{{ range until 1000 }}{{ $x = print $x $x }}{{ end }}{{ len $x }}",
        "{{ $x := list 1 2 }}{{ range until 1000 }}{{ $x = concat $x $x }}{{ end }}{{ len $x }}",
        "{{ $x := dict }}{{ range until 1000 }}{{ $x = dict `a` $x `b` $x }}{{ end }}{{ toJson $x }}",
        "{{ $x := dict }}{{ range until 1000 }}{{ $_ := set $x `a` $x }}{{ $_ := set $x `b` $x }}{{ end }}{{ $x }}",
        "{{ $x := `a` }}{{ range until 1000 }}{{ $x = replace `a` $x (print $x `a`) }}{{ end }}{{ len $x }}",
        "{{ $x := `a` }}{{ range until 1000 }}{{ $x = nindent 100 (print $x `\n` $x) }}{{ end }}{{ len $x }}",
        "{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ $x := 1 }}{{ end }}{{ end }}{{ end }}",
    ] {
        let budget = ExpansionBudget::default();
        assert_eq!(rendered(VALUES, template, &budget), None, "{template}");
        assert!(budget.is_exceeded(), "{template}");
    }
}
