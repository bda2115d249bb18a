//! Templates that Go parses and some that it does not.

use crate::go::template::*;

const SCOPE: TemplateScope<'_> = TemplateScope {
    functions: &["humanize", "query", "first"],
    variables: &["$labels", "$value"],
};

#[track_caller]
fn good(text: &str) {
    assert_eq!(check(text, SCOPE), Ok(()), "{text}");
}

#[track_caller]
fn bad(text: &str, fault: &str) {
    let found = check(text, SCOPE).expect_err(text);
    assert!(found.contains(fault), "{text}: {found}");
}

#[test]
fn what_alerts_say() {
    good("plain }} text, { and }");
    good("{{ $labels.instance }} is at {{ $value | humanize }}%");
    good("{{ with query \"up{job='a'}\" }}{{ . | first | humanize }}{{ end }}");
    good("{{ printf \"%.2f\" (index $labels `a-b`) }}{{/* note */}}{{- /* note */ -}}");
    good("{{ if gt $value 1.0 }}a{{ else if eq 1 0x1F 'c' }}b{{ else }}c{{ end }}");
    good(
        "{{range $i, $x := query \"up\"}}{{if $i}}{{break}}{{end}}{{$x.Labels.a.b}}{{else}}none{{end}}",
    );
    good("{{define \"a\"}}{{.}}{{end}}{{template \"a\" $value}}{{block \"b\" .}}{{end}}");
    good("{{- $x := 1 -}}{{ $x = 2 }}{{ ($x).y }}{{ 1.5e3 | print nil true }}");
}

#[test]
fn blocks_are_balanced() {
    bad("{{ if true }}", "unexpected EOF");
    bad("{{ end }}", "unexpected {{end}}");
    bad(
        "{{ if true }}{{ else }}{{ else }}{{ end }}",
        "unexpected {{else}}",
    );
    bad("{{ range . }}{{ else if . }}{{ end }}", "in else");
    bad("{{ break }}", "outside");
    bad("{{ range . }}{{ else }}{{ continue }}{{ end }}", "outside");
    bad("{{ if . }}{{ define \"a\" }}{{ end }}{{ end }}", "<define>");
    bad(
        "{{ define \"a\" }}x{{ end }}{{ define \"a\" }}y{{ end }}",
        "multiple definition",
    );
    good("{{ define \"a\" }} {{ end }}{{ define \"a\" }}y{{ end }}");
}

#[test]
fn names_are_known() {
    bad("{{ nope }}", "function \"nope\" not defined");
    bad("{{ $lables.a }}", "undefined variable \"$lables\"");
    bad("{{ with $x := 1 }}{{ end }}{{ $x }}", "undefined variable");
    bad(
        "{{ define \"a\" }}{{ $value }}{{ end }}",
        "undefined variable",
    );
    bad("{{ template nope }}", "template clause");
}

#[test]
fn actions_are_well_formed() {
    bad("{{", "unclosed action");
    bad("{{ }}", "missing value for command");
    bad("{{ \"a }}", "unterminated quoted string");
    bad("{{ `a }}", "unterminated raw quoted string");
    bad("{{ 'ab' }}", "malformed character");
    bad("{{ (1 }}", "unclosed left paren");
    bad("{{ 1) }}", "unexpected right paren");
    bad("{{ 1 | 2 }}", "non executable command in pipeline stage 2");
    bad("{{ $value+1 }}", "bad character");
    bad("{{ $labels.a-b }}", "bad character");
    bad("{{ 1a }}", "bad number syntax");
    bad("{{ 99999999999999999999 }}", "integer overflow");
    bad("{{ 089 }}", "integer overflow");
    bad("{{ 1_ }}", "illegal number syntax");
    bad("{{ \"\\q\" }}", "invalid syntax");
    bad("{{ true.a }}", "unexpected . after term");
    bad("{{ a := 1 }}", "not defined");
    bad("{{ $x : 1 }}", "expected :=");
    bad("{{ /* a */ }}", "unexpected '/'");
    bad("{{/* a }}", "unclosed comment");
    bad("{{/* a */ b }}", "comment ends before");
    bad("{{ $a, $b := 1 }}", "too many declarations");
    bad("{{ é☺ }}", "bad character");
}

#[test]
fn depth_is_bounded() {
    let nested = |n: usize| format!("{{{{ {}1{} }}}}", "(".repeat(n), ")".repeat(n));
    good(&nested(MAX_DEPTH));
    bad(&nested(100_000), "max expression depth exceeded");
    good(&format!(
        "{}{}",
        "{{ if true }}".repeat(20_000),
        "{{ end }}".repeat(20_000)
    ));
}

#[test]
fn names_of_templates_are_found() {
    let text = r#"{{ define "a" }}{{ template "b" . }}{{ end }}{{- block `c` . }}{{ end }} "d" {{ if true }}"e"{{ end }}"#;
    let names = names(text);
    assert_eq!(names.defined.into_iter().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(names.called.into_iter().collect::<Vec<_>>(), ["b"]);
}
