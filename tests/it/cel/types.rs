//! The types of the variables, and whether the checker refuses what cel-go's refuses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use promgen_cel::{CelExpression, CelField, CelObjectType, CelType};

use super::{Asked, Given, class};

/// Where the types that promgen tells differ, and why. All other differences are faults.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "object.spec + duration('1h')",
        "there are no timestamps: what is added to a duration is one",
    ),
    (
        "(object.spec + duration('1h')).name",
        "there are no timestamps: what is added to a duration is one",
    ),
];

const fn field(name: &'static str, of: CelType) -> CelField {
    CelField {
        name,
        doc: "",
        of,
        is_optional: false,
    }
}

const TEXTS: CelType = CelType::list(&CelType::Text);
const LABELS: CelType = CelType::map(&CelType::Text, &CelType::Text);
const COUNTS: CelType = CelType::map(&CelType::Text, &CelType::Int);

static RULE: CelObjectType = CelObjectType {
    name: "rule",
    doc: "",
    fields: &[
        field("name", CelType::Text),
        field("kind", CelType::Text),
        field("alert", CelType::Text),
        field("metrics", TEXTS),
        field("labels", LABELS),
        field("annotations", LABELS),
        field("for", CelType::Text),
        field("expr", CelType::Text),
        field("jobs", CelType::list(&CelType::Object(&JOB))),
        field("receivers", TEXTS),
    ],
};

static JOB: CelObjectType = CelObjectType {
    name: "job",
    doc: "",
    fields: &[
        field("name", CelType::Text),
        field("makes", CelType::Text),
        field("rule", CelType::Object(&RULE)),
    ],
};

/// Some of its fields have no values, which only matters where it is evaluated.
static MONITOR: CelObjectType = CelObjectType {
    name: "monitor",
    doc: "",
    fields: &[
        field("interval", CelType::Int),
        field("limits", COUNTS),
        field("f", CelType::Double),
        field("nul", CelType::Null),
        field("targets", CelType::list(&CelType::Dyn)),
        field("timeout", CelType::Duration),
        field("hash", CelType::Bytes),
        field("count", CelType::Uint),
        field("next", CelType::optional(&CelType::Text)),
        field("of", CelType::Type),
    ],
};

static FACTS: CelObjectType = CelObjectType {
    name: "facts",
    doc: "",
    fields: &[
        field("makes", CelType::Bool),
        field("count", CelType::Int),
        field("known", CelType::Bool),
        field("no", CelType::Bool),
        field("number", CelType::Int),
        field("jobs", CelType::list(&CelType::Object(&MADE))),
        field("names", TEXTS),
    ],
};

static MADE: CelObjectType = CelObjectType {
    name: "made",
    doc: "",
    fields: &[field("name", CelType::Text), field("makes", CelType::Bool)],
};

/// The variables that expressions by hand are about: they have types that no fact has.
pub(super) static INVENTED: &[CelField] = &[
    field("rule", CelType::Object(&RULE)),
    field("object", CelType::map(&CelType::Text, &CelType::Dyn)),
    field("monitor", CelType::Object(&MONITOR)),
    field("n", CelType::Int),
    field("s", CelType::Text),
    field("e", CelType::list(&CelType::Dyn)),
    field("m", COUNTS),
    field("facts", CelType::Object(&FACTS)),
];

/// A type as the oracle has it.
fn told(of: &CelType) -> Value {
    match of {
        CelType::List(item) => json!(["list", told(item)]),
        CelType::Map(key, value) => json!(["map", told(key), told(value)]),
        CelType::Optional(value) => json!(["optional", told(value)]),
        CelType::Object(of) => json!(["object", of.name]),
        CelType::Null => json!("null_type"),
        CelType::Duration => json!("google.protobuf.Duration"),
        _ => json!(of.to_string()),
    }
}

fn all_told<'a>(all: impl Iterator<Item = (&'a str, &'a CelType)>) -> Value {
    let all = all.map(|(name, of)| (name.to_owned(), told(of)));
    Value::Object(all.collect::<Map<_, _>>())
}

/// The tables of the objects in a type, by their names.
pub(super) fn tables(of: &CelType, all: &mut BTreeMap<&'static str, &'static CelObjectType>) {
    match of {
        CelType::Object(table) if !all.contains_key(table.name) => {
            all.insert(table.name, table);
            let fields = table.fields.iter();
            fields.for_each(|field| tables(&field.of, all));
        }
        CelType::List(part) | CelType::Map(_, part) | CelType::Optional(part) => {
            tables(part, all);
        }
        _ => {}
    }
}

/// The question about an expression.
pub(super) fn question(expression: &str, given: &Given) -> Value {
    let types = &given.types;
    let mut objects = BTreeMap::new();
    types.values().for_each(|of| tables(of, &mut objects));
    let objects = objects.into_iter().map(|(name, table)| {
        let fields = table.fields.iter().map(|field| (field.name, &field.of));
        (name.to_owned(), all_told(fields))
    });
    let objects: Map<_, _> = objects.collect();
    let types = all_told(types.iter().map(|(name, of)| (*name, of)));
    json!({ "expr": expression, "vars": given.values, "types": types, "objects": objects })
}

/// A type of cel-go as promgen tells it: which type a type is matters to nobody.
fn shown(of: &str) -> String {
    let mut text = of
        .replace("null_type", "null")
        .replace("optional_type", "optional")
        .replace("google.protobuf.Duration", "duration");
    while let Some(start) = text.find("type(") {
        let mut depth = 0_usize;
        let end = text[start..].find(|c| {
            depth += usize::from(c == '(');
            depth -= usize::from(c == ')');
            c == ')' && depth == 0
        });
        text.replace_range(start + "type".len()..=start + end.unwrap(), "");
    }
    text
}

/// Compares what the checkers say. Returns how many expressions are taken, and how many are refused.
pub(super) fn compare(all: &[Asked], given: &Given) -> (usize, usize) {
    let declared = |name: &str| given.types.get(name).cloned();
    let dynamic = |name: &str| declared(name).map(|_| CelType::Dyn);
    let mut counts = (0, 0);
    let mut faults = Vec::new();
    for asked in all {
        // What is read as an expression at all, others compare.
        let Ok(expression) = CelExpression::parse(&asked.expression) else {
            continue;
        };
        let found = match expression.check(&declared) {
            Ok(of) => format!("type {of}"),
            Err(faults) => format!("refused {}", faults[0].message),
        };
        let is_same = match class(&found) {
            "type" => found == shown(&asked.declared),
            _ => class(&asked.declared) == "refused",
        };
        let is_listed = DIFFERENCES
            .iter()
            .any(|(expression, _)| *expression == asked.expression);
        if is_same == is_listed {
            let (text, theirs) = (&asked.expression, &asked.declared);
            faults.push(format!("{text}\n  promgen {found}\n  cel-go  {theirs}"));
        }
        match class(&found) {
            "type" => counts.0 += 1,
            _ => counts.1 += 1,
        }
        // An error without a place is one of the evaluation.
        let is_refused = asked.checked.starts_with("refused ERROR: ");
        let checked = expression.check(&dynamic);
        if checked.is_err() != is_refused && !is_listed {
            let (text, theirs) = (&asked.expression, &asked.checked);
            faults.push(format!("{text}\n  any {checked:?}\n  cel-go  {theirs}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} differ:\n{}",
        faults.len(),
        faults.join("\n")
    );
    counts
}
