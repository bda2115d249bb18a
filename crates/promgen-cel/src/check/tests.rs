//! What the checker finds, where, and what looks like it and is right.

use super::*;

const fn field(name: &'static str, of: CelType) -> CelField {
    CelField {
        name,
        doc: "",
        of,
        is_optional: false,
    }
}

static RULE: CelObjectType = CelObjectType {
    name: "rule",
    doc: "",
    fields: &[
        field("name", CelType::Text),
        field("labels", CelType::map(&CelType::Text, &CelType::Text)),
        field("metrics", CelType::list(&CelType::Text)),
        field("limit", CelType::Int),
        field("ratio", CelType::Double),
        field("hold", CelType::Duration),
        field("next", CelType::optional(&CelType::Text)),
        field("jobs", CelType::list(&CelType::Object(&JOB))),
        field("raw", CelType::Dyn),
    ],
};

static JOB: CelObjectType = CelObjectType {
    name: "job",
    doc: "",
    fields: &[
        field("name", CelType::Text),
        field("rule", CelType::Object(&RULE)),
    ],
};

/// The type of the result, or what is wrong and where.
fn checked(text: &str) -> String {
    let expression = CelExpression::parse(text).expect("an expression");
    let variable = |name: &str| (name == "rule").then_some(CelType::Object(&RULE));
    match expression.check(&variable) {
        Ok(of) => of.to_string(),
        Err(faults) => {
            let told = faults
                .iter()
                .map(|fault| format!("{} at {}", fault.message, &text[fault.span.range()]));
            told.collect::<Vec<_>>().join("; ")
        }
    }
}

fn check_all(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(checked(text), *expected, "{text}");
    }
}

#[test]
fn names_and_fields_are_declared() {
    check_all(&[
        (
            "rule.lables.team == 'a'",
            "no field `lables` in `rule`; did you mean `labels`? at lables",
        ),
        (
            "rule.jobs.all(j, has(j.nmae) || j.?nam.hasValue())",
            "no field `nmae` in `job`; did you mean `name`? at nmae; no field `nam` in `job`; did you mean `name`? at nam",
        ),
        (
            "size((rule.jobs)[0].rule.colour) > 1",
            "no field `colour` in `rule` at colour",
        ),
        (
            "rules.name == nope",
            "undeclared name `rules` at rules; undeclared name `nope` at nope",
        ),
        (
            "rule.name.length > 1",
            "a string has no field `length` at length",
        ),
        // They look alike.
        ("rule.labels.tema == 'a'", "bool"),
        ("rule.jobs.map(nope, nope.rule.name)", "list(string)"),
        ("rule.raw.lables.x", "dyn"),
        ("dyn(rule).lables", "dyn"),
        ("has(rule.labels.lables)", "bool"),
    ]);
}

#[test]
fn conditions_are_bools() {
    check_all(&[
        (
            "rule.name && true",
            "`&&` needs bools, found a string at rule.name",
        ),
        (
            "rule.metrics.exists(m, m.size())",
            "`exists` needs bools, found an int at m.size()",
        ),
        (
            "rule.limit ? 1 : 2",
            "`? :` needs a bool, found an int at rule.limit",
        ),
        (
            "!rule.labels",
            "`!` needs a bool, found a map from strings to strings at rule.labels",
        ),
        (
            "rule.jobs.filter(j, j.rule)",
            "`filter` needs bools, found an object `rule` at j.rule",
        ),
        ("rule.raw && !rule.raw.x", "bool"),
        ("rule.metrics.exists(m, m.size() > 1)", "bool"),
        ("rule.jobs.filter(j, j.rule.raw)", "list(job)"),
        (
            "rule.jobs.map(j, j.name == 'a', j.rule.ratio)",
            "list(double)",
        ),
    ]);
}

#[test]
fn operators_have_overloads() {
    check_all(&[
        (
            "'1' == 1",
            "`==` needs values of one type, found a string and an int at '1' == 1",
        ),
        (
            "rule.limit != (rule.ratio)",
            "`!=` needs values of one type, found an int and a double at rule.limit != (rule.ratio)",
        ),
        (
            "rule.labels == null",
            "`==` needs values of one type, found a map from strings to strings and null at rule.labels == null",
        ),
        ("rule.name + 1", "`+` needs a string, found an int at 1"),
        (
            "rule.hold > 300",
            "`>` needs a duration, found an int at 300",
        ),
        (
            "rule.name in [1, 2]",
            "`in` needs a list of strings or a map from strings, found a list of ints at [1, 2]",
        ),
        ("rule.labels[1]", "`[…]` needs a string, found an int at 1"),
        (
            "[1] == [rule.name]",
            "`==` needs values of one type, found a list of ints and a list of strings at [1] == [rule.name]",
        ),
        (
            "true ? rule.name : rule.limit",
            "both values of `? :` need one type, found a string and an int at true ? rule.name : rule.limit",
        ),
        ("rule.limit < rule.ratio && 1u <= 2", "bool"),
        ("dyn(1) == 1.0 && rule.raw == '1'", "bool"),
        ("rule == null && rule.hold != null", "bool"),
        ("rule.name + string(1)", "string"),
        ("rule.name in [1, 'a'] || rule.name in rule.labels", "bool"),
        ("[1, 'a', null][0]", "dyn"),
        ("[] == [rule.name] && {} == rule.labels", "bool"),
        ("true ? [] : rule.metrics", "list(string)"),
        ("rule.jobs == rule.jobs[0].rule.jobs", "bool"),
    ]);
}

#[test]
fn functions_and_macros_have_overloads() {
    check_all(&[
        (
            "rule.name.startsWith(1)",
            "`startsWith` needs a string, found an int at 1",
        ),
        (
            "size(rule.limit)",
            "`size` needs bytes, a list, a map or a string, found an int at rule.limit",
        ),
        (
            "rule.metrics.sum() > 1",
            "`sum` needs a list of ints, a list of uints, a list of doubles or a list of durations, found a list of strings at rule.metrics",
        ),
        (
            "rule.metrics.indexOf(1)",
            "`indexOf` needs a string, found an int at 1",
        ),
        (
            "rule.name.all(c, true)",
            "`all` needs a list or a map, found a string at rule.name",
        ),
        (
            "rule.labels.transformMapEntry(k, v, v)",
            "`transformMapEntry` needs a map of each item, found a string at v",
        ),
        (
            "[].map(x, x + 1)[0] + 'a'",
            "`+` needs an int, found a string at 'a'",
        ),
        (
            "'%d'.format([rule.name])",
            "`%d` does not print a string at rule.name",
        ),
        (
            "'%s %s'.format([1])",
            "`format` has fewer values than its text asks for at '%s %s'",
        ),
        (
            "'%s'.format([1, {'a': rule}])",
            "`format` has more values than its text asks for at {'a': rule}",
        ),
        (
            "'%s'.format([{'a': [rule]}])",
            "`%s` does not print an object `rule` at rule",
        ),
        ("rule.name.startsWith(rule.raw)", "bool"),
        ("rule.name.matches('a') && matches('a', rule.name)", "bool"),
        ("rule.metrics.max() + 'a'", "string"),
        ("rule.labels.map(k, k.size()).sum()", "int"),
        (
            "rule.labels.transformMap(k, v, v.size())",
            "map(string, int)",
        ),
        (
            "rule.metrics.transformList(i, m, i > 0, {m: i})",
            "list(map(string, int))",
        ),
        (
            "'%s %.1f %%'.format([{'a': [rule.raw]}, rule.ratio])",
            "string",
        ),
        ("rule.name.format(rule.metrics)", "string"),
    ]);
}

#[test]
fn all_functions_have_overloads() {
    for (name, _, least, most, function) in functions::FUNCTIONS {
        let overloads = overloads::function(function);
        let mut sizes: Vec<_> = overloads.iter().map(|(takes, _)| takes.len()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if function != CelFunction::Timestamp {
            assert_eq!(sizes, (least..=most).collect::<Vec<_>>(), "{name}");
        }
    }
}

#[test]
fn optionals_are_not_their_values() {
    check_all(&[
        (
            "rule.next == 'a'",
            "`==` needs values of one type, found an optional string and a string at rule.next == 'a'",
        ),
        (
            "rule.?labels.team.orValue(1)",
            "`orValue` needs a string, found an int at 1",
        ),
        (
            "rule.name.orValue('a')",
            "`orValue` needs an optional, found a string at rule.name",
        ),
        (
            "rule.name.optMap(n, n)",
            "`optMap` needs an optional, found a string at rule.name",
        ),
        (
            "rule.next.optFlatMap(n, n)",
            "`optFlatMap` needs an optional of its value, found a string at n",
        ),
        (
            "[?rule.name]",
            "`?` needs an optional, found a string at rule.name",
        ),
        ("rule.next.orValue('a') == 'a'", "bool"),
        ("rule.?labels[?'team'].orValue('a')", "string"),
        ("rule.next.optMap(n, n.size())", "optional(int)"),
        ("[?rule.next, ?optional.none()]", "list(string)"),
        (
            "rule.jobs[?0].rule.labels.a.or(rule.next)",
            "optional(string)",
        ),
    ]);
}

#[test]
fn one_fault_has_no_followers() {
    check_all(&[
        (
            "rule.nope.a.size() + 'a' == 1",
            "no field `nope` in `rule` at nope; `+` needs an int, found a string at 'a'",
        ),
        (
            "rule.nope + 1 == 'a' || rule.nope[0].all(x, x)",
            "`==` needs values of one type, found an int and a string at rule.nope + 1 == 'a'; no field `nope` in `rule` at nope; no field `nope` in `rule` at nope",
        ),
        (
            "[rule.nope].map(x, x.y).exists(x, x == 1)",
            "no field `nope` in `rule` at nope",
        ),
        (
            "(rule.name - 1).size() > 1 && rule.name.nope.x",
            "`-` needs a double, a duration, an int or a uint, found a string at rule.name; a string has no field `nope` at nope",
        ),
    ]);
}

/// Types that grow with each part: the check ends, and what it cannot tell is right.
#[test]
fn the_work_is_bounded() {
    let doubling = |n: usize| {
        let maps: String = (0..n)
            .map(|at| format!("optional.of({{x{at}: x{at}}}).optMap(x{}, ", at + 1))
            .collect();
        format!(
            "optional.of(1).optMap(x0, {maps}x{n} == x{n}{})",
            ")".repeat(n)
        )
    };
    let lists = format!("{}1{} == []", "[".repeat(60), "]".repeat(60));
    let unknown = format!("[].map(x, {})", vec!["[x] == [[x]]"; 200].join(" && "));
    let chain = vec!["[]"; 100].join(" == [] || [] + ");
    let orders = format!("[].map(x, {})", vec!["x < x"; 400].join(" || "));
    for (text, starts) in [
        (doubling(20), "dyn"),
        (doubling(50), "dyn"),
        (lists, "bool"),
        (unknown, "`==` needs values of one type"),
        (chain, "`||` needs bools"),
        (orders, "list(bool)"),
    ] {
        assert!(checked(&text).starts_with(starts), "{}", checked(&text));
    }
}

#[test]
fn alternatives_without_brackets_are_told() {
    let hints = |pattern: &str| {
        let text = format!("rule.name.matches(r'{pattern}')");
        let expression = CelExpression::parse(&text).expect("an expression");
        let mut hints = expression.hints().into_iter();
        let hint = hints.next().map(|hint| {
            assert!(text[hint.span.range()].contains(pattern));
            hint.message
        });
        hint.unwrap_or_default()
    };
    for (pattern, meant) in [
        ("^a|b$", "^(a|b)$"),
        ("^critical|warning|info$", "^(critical|warning|info)$"),
        ("(?i)^[|]x|(b|c)$", "(?i)^([|]x|(b|c))$"),
        (r"^a\$|b\|c\\$", r"^(a\$|b\|c\\)$"),
    ] {
        let message = format!("`^` and `$` bind to one alternative each: write `{meant}`");
        assert_eq!(hints(pattern), message);
    }
    for pattern in [
        "^(a|b)$",
        "^a$|^b$",
        "^a|^b$",
        "^a$|b$",
        "a|b$",
        "^a|b",
        "^a|b\\$",
        "^[a|b]$",
        "^a\\|b$",
        "^$|b$",
        "^(?:a|b)$",
        "^a[^]|]$",
        "^",
        "$",
        "^$",
        "",
        "^a|b\\\\\\$",
        "^a(|b$",
        "^[[:alpha:]|]$",
    ] {
        assert_eq!(hints(pattern), "", "{pattern}");
    }
    let other = CelExpression::parse("rule.name.find('^a|b$') == rule.name.replace('^a|b$', '')");
    assert!(other.expect("an expression").hints().is_empty());
}
