//! The facts and the verdicts, by files of policies with tests of their own.

use std::collections::BTreeSet;

use promgen_cel::{CelObjectType, CelType, CelValue};
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::diag::Sink;
use promgen_text::source::Input;

use crate::facts::VARIABLES;
use crate::matching::{SubjectKind, table};
use crate::subject;
use crate::tested::PolicyTests;
use crate::world::PolicyWorld;
use crate::{PolicyScope, UserPolicies};

fn options() -> Options {
    Options {
        is_repository: true,
        ..Options::default()
    }
}

/// What is not as it is expected in a file of policies.
fn failures(name: &str, text: &str) -> Vec<String> {
    let tests = PolicyTests::run(&Input::new(name, text), &options(), &|_| true);
    let faults = tests.diagnostics.iter().map(|fault| fault.message.clone());
    assert!(
        !tests.tests.is_empty() || !tests.diagnostics.is_empty(),
        "{name}"
    );
    let failed = tests.tests.iter().flat_map(|test| {
        let of = |failure: &String| format!("{} (line {}): {failure}", test.name, test.line);
        test.failures.iter().map(of)
    });
    faults.chain(failed).collect()
}

#[test]
fn facts_are_those_of_what_is_compiled() {
    for (name, text) in [
        ("rules", include_str!("tests/rules.policy.yaml")),
        ("endpoints", include_str!("tests/endpoints.policy.yaml")),
        ("workloads", include_str!("tests/workloads.policy.yaml")),
    ] {
        assert_eq!(failures(name, text), [""; 0], "{name}");
    }
}

/// The messages about a file of policies.
fn faults(text: &str) -> Vec<String> {
    let text = format!("policies:\n{text}");
    let options = Options {
        policies: vec![Input::new("a.policy.yaml", text)],
        ..options()
    };
    let policies = UserPolicies::of(&Project::read(&[], &options));
    let faults = policies.faults.diagnostics().iter();
    faults.map(|fault| fault.message.clone()).collect()
}

#[test]
fn what_is_wrong_with_a_policy_is_said_once() {
    for (policy, fault) in [
        (
            "{name: a, match: {kind: alert}, require: has(rule.lables.team)}",
            "no field `lables` in `rule`; did you mean `labels`?",
        ),
        (
            "{name: a, match: {kind: alrt}, require: 'true'}",
            "unknown kind `alrt`; did you mean `alert`?",
        ),
        (
            "{name: a, match: {}, require: 'true'}",
            "expected `kind`, which says what is looked at",
        ),
        (
            "{name: a, match: {kind: alert}}",
            "expected `require` or `forbid`, and not both",
        ),
        (
            "{name: a, match: {kind: alert}, require: 'true', forbid: 'true'}",
            "expected `require` or `forbid`, and not both",
        ),
        (
            "{name: A b, match: {kind: alert}, require: 'true'}",
            "expected a name of lower-case words with `-` between them, of at most 64 characters",
        ),
        (
            "{name: a, match: {kind: alert}, require: rule.name}",
            "expected a bool, found a string",
        ),
        (
            "{name: a, match: {kind: alert}, require: '1 +'}",
            "expected an expression, found the end",
        ),
        (
            "{name: a, match: {kind: alert}, require: endpoint.honorLabels}",
            "unknown name `endpoint`: what is looked at has `rule`, `object` and `environment`",
        ),
        (
            "{name: a, match: {kind: [alert, endpoint]}, require: rule.name == ''}",
            "unknown name `rule`: what is looked at has `object` and `environment`",
        ),
        (
            "{name: a, match: {kind: alert}, require: 'true', message: '{{ rule.name'}",
            "`{{` without `}}`",
        ),
        (
            "{name: a, match: {kind: alert}, require: 'true', at: spec.x}",
            "expected a field such as `object.spec.x` or `rule.x`",
        ),
        (
            "{name: a, match: {kind: alert}, require: variables.x, variables: [{name: z, expression: 'true'}]}",
            "no variable `x`",
        ),
        (
            "{name: a, match: {kind: alert, except: {kind: alert}}, require: 'true'}",
            "`except` has neither `kind` nor `except`",
        ),
        (
            "{name: a, match: {kind: alert, names: ['']}, require: 'true'}",
            "expected globs of 1 to 1024 characters",
        ),
        (
            "{name: a, match: {kind: alert}, requires: 'true'}",
            "unknown field `requires`",
        ),
        (
            "{name: a, match: {kind: alert}, require: 'true', level: fatal}",
            "unknown variant `fatal`",
        ),
        (
            "{name: a, match: {kind: alert}, require: \"rule.name.matches('^a|b$')\"}",
            "`^` and `$` bind to one alternative each: write `^(a|b)$`",
        ),
    ] {
        let found = faults(&format!("- {policy}\n"));
        assert!(
            found.len() == 1 && found[0].starts_with(fault),
            "{policy}: {found:?}"
        );
    }
    let variables = "{name: z, expression: '1'}, ".repeat(65);
    let many = format!(
        "- {{name: a, match: {{kind: alert}}, require: 'true', variables: [{variables}]}}\n"
    );
    assert_eq!(faults(&many), ["a policy with more than 64 variables"]);
    let twice = "- {name: a, match: {kind: alert}, require: 'true'}\n";
    assert_eq!(
        faults(&twice.repeat(2)),
        ["a policy with the name `a` is there already"]
    );
    for right in [
        "{name: a, match: {kind: rule}, require: \"rule.labels[?'team'].orValue('') != ''\"}",
        "{name: a-1, match: {kind: Deployment}, forbid: 'object.spec.x.filter(c, true)'}",
        "{name: a, match: {kind: workload}, forbid: workload.zones}",
    ] {
        assert_eq!(faults(&format!("- {right}\n")), [""; 0], "{right}");
    }
}

/// Objects that have all facts among them.
const WHOLE: &str = include_str!("tests/whole.yaml");

/// Notes the facts that are there, and compares their values with their types.
fn note(of: &CelType, value: &CelValue<'_>, path: &str, seen: &mut BTreeSet<String>) {
    let value = value.clone().resolved();
    let is_it = match (of, &value) {
        (_, CelValue::Unknown(_)) | (CelType::Dyn, _) => true,
        (CelType::Text, CelValue::Text(_))
        | (CelType::Bool, CelValue::Bool(_))
        | (CelType::Int, CelValue::Int(_))
        | (CelType::Duration, CelValue::Duration(_))
        | (CelType::Map(..), CelValue::Open(_)) => true,
        (CelType::List(item), _) => {
            let items = value.list().unwrap_or_else(|| panic!("{path}: {value:?}"));
            items.iter().for_each(|value| note(item, value, path, seen));
            true
        }
        (CelType::Map(_, item), _) => {
            let entries = value
                .entries()
                .unwrap_or_else(|| panic!("{path}: {value:?}"));
            entries
                .iter()
                .for_each(|(_, value)| note(item, value, path, seen));
            true
        }
        (CelType::Object(table), _) => {
            let entries = value
                .entries()
                .unwrap_or_else(|| panic!("{path}: {value:?}"));
            for (name, value) in entries {
                let CelValue::Text(name) = name else {
                    panic!("{path}: {name:?}")
                };
                let field = table.fields.iter().find(|field| field.name == &*name);
                let field = field.unwrap_or_else(|| panic!("{path}.{}", &*name));
                let path = format!("{}.{}", table.name, field.name);
                note(&field.of, &value, &path, seen);
                seen.insert(path);
            }
            true
        }
        _ => false,
    };
    assert!(is_it, "{path}: {value:?} is no {of}");
}

fn paths(table: &'static CelObjectType, all: &mut BTreeSet<String>) {
    for field in table.fields {
        all.insert(format!("{}.{}", table.name, field.name));
        let mut of = &field.of;
        while let CelType::List(part) | CelType::Map(_, part) = of {
            of = part;
        }
        if let CelType::Object(inner) = of {
            paths(inner, all);
        }
    }
}

#[test]
fn every_fact_is_there_and_has_its_type() {
    let project = Project::read(&[Input::new("a.yaml", WHOLE)], &options());
    let environment = project.environments().first().cloned().unwrap();
    let model = project.compile(&environment);
    let (stand_ins, _) = model.stand_ins_with_cost(&mut Sink::default());
    let mut seen = BTreeSet::new();
    model.view(&stand_ins, |world| {
        let cx = PolicyWorld::new(&model, *world);
        let kinds: BTreeSet<SubjectKind> = SubjectKind::words()
            .flat_map(|word| SubjectKind::all(word).unwrap())
            .collect();
        for subject in subject::all(&cx, &kinds, &|_| true) {
            let facts = subject.facts(&cx).unwrap();
            let table = table(&subject.kind).unwrap();
            let value = CelValue::Object(&*facts);
            note(&CelType::Object(table), &value, table.name, &mut seen);
        }
    });
    let mut declared = BTreeSet::new();
    VARIABLES
        .iter()
        .for_each(|table| paths(table, &mut declared));
    let missing: Vec<&String> = declared.difference(&seen).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn an_evaluation_that_takes_too_long_is_not_decided() {
    let policy = "- {name: a, match: {kind: Prometheus}, require: '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(a, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(b, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(c, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(d, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(e, a + b + c + d + e))))).size() == 10'}";
    let options = Options {
        policies: vec![Input::new(
            "a.policy.yaml",
            format!("policies:\n{policy}\n"),
        )],
        ..options()
    };
    let project = Project::read(&[Input::new("a.yaml", WHOLE)], &options);
    let policies = UserPolicies::of(&project);
    let environment = project.environments().first().cloned().unwrap();
    let (model, mut sink) = (project.compile(&environment), Sink::default());
    let scope = PolicyScope {
        environment: None,
        is_own: &|_| true,
        is_partial: &|_| false,
        lists_all: false,
    };
    let judged = model.view(&[], |world| policies.judge(&model, world, scope, &mut sink));
    assert_eq!(judged.counts.0["a"].not_decided, 1);
    let codes: Vec<&str> = sink.diagnostics().iter().map(|of| &*of.rule.code).collect();
    assert_eq!(codes, ["PG007"]);
}
