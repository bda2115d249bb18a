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
