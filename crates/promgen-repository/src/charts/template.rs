//! Actions of Go's templates in values, as `tpl` fills them in: names of the release, other values, and texts.
//!
//! Only what values use in practice is known. A text with anything else stays as it is, and its `{{` says that nobody knows
//! what becomes of it.

use std::cell::Cell;

use promgen_text::yaml::{Data, Node, NodeText};

use super::node::{is_set, printed};

/// The values that actions refer to.
pub(super) struct ActionContext<'c> {
    /// The name of the release.
    pub(super) release: &'c str,
    /// Its namespace.
    pub(super) namespace: &'c str,
    /// The name of the chart, and its version.
    pub(super) chart: (&'c str, &'c str),
    /// All values.
    pub(super) values: &'c Node,
    /// The templates of the chart that have a name, by what they yield.
    pub(super) named: &'c dyn Fn(&str) -> Option<String>,
    /// The size that the actions of the release may still yield.
    pub(super) budget: &'c ExpansionBudget,
}

/// The most bytes that the actions in the values of one release yield, in all.
pub const MAX_EXPANDED: usize = 1 << 20;

/// The size that the actions of a release may still yield: a text that refers to a long one costs its length each time.
pub(super) struct ExpansionBudget(Cell<Option<usize>>);

impl Default for ExpansionBudget {
    fn default() -> Self {
        Self(Cell::new(Some(MAX_EXPANDED)))
    }
}

impl ExpansionBudget {
    /// Spends bytes. `None` from the first on that are too many.
    fn spend(&self, n_bytes: usize) -> Option<()> {
        let left = self.0.get().and_then(|left| left.checked_sub(n_bytes));
        self.0.set(left);
        left.map(|_| ())
    }

    /// Returns whether there were too many.
    pub(super) fn is_exceeded(&self) -> bool {
        self.0.get().is_none()
    }
}

/// Fills in the actions in all texts of a value.
pub(super) fn fill(node: &mut Node, context: &ActionContext<'_>) {
    match &mut node.data {
        Data::String(text) => {
            if let Some(filled) = filled(text, context) {
                *text = filled;
            }
        }
        Data::Seq(items) => items.iter_mut().for_each(|item| fill(item, context)),
        Data::Map(entries) => {
            for entry in entries {
                if let Some(key) = filled(&entry.key, context) {
                    entry.key = key;
                }
                fill(&mut entry.value, context);
            }
        }
        _ => {}
    }
}

fn filled(text: &NodeText, context: &ActionContext<'_>) -> Option<NodeText> {
    text.contains("{{")
        .then(|| render(text, context))
        .flatten()
        .map(NodeText::from)
}

/// A text with all its actions filled in; `None` if one is not known.
pub(super) fn render(text: &str, context: &ActionContext<'_>) -> Option<String> {
    context.budget.spend(0)?;
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("{{") {
        let inner = &rest[at + 2..];
        let length = end(inner)?;
        let action = &inner[..length];
        let (before, after) = (&rest[..at], &inner[length + 2..]);
        let is_trimmed = action.starts_with("- ");
        out.push_str(if is_trimmed {
            before.trim_end()
        } else {
            before
        });
        let is_trimming = action.ends_with(" -");
        let action = action.strip_prefix("- ").unwrap_or(action);
        let action = action.strip_suffix(" -").unwrap_or(action).trim();
        if !(action.starts_with("/*") && action.ends_with("*/")) {
            let yielded = pipeline(action, context)?;
            context.budget.spend(yielded.len())?;
            out.push_str(&yielded);
        }
        rest = if is_trimming {
            after.trim_start()
        } else {
            after
        };
    }
    out.push_str(rest);
    Some(out)
}

/// The end of an action. Quotes may hold braces.
fn end(text: &str) -> Option<usize> {
    let mut quote = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            (None, c @ (b'"' | b'`')) => quote = Some(c),
            (Some(b'"'), b'\\') => at += 1,
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The words of an action.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut rest) = (Vec::new(), text.trim());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => closing(&rest[1..])? + 2,
            '`' => rest[1..].find('`')? + 2,
            '|' => 1,
            _ => rest.find([' ', '|', '\t', '\n']).unwrap_or(rest.len()),
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Some(words)
}

fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn pipeline(action: &str, context: &ActionContext<'_>) -> Option<String> {
    let words = words(action)?;
    let mut stages = words.split(|word| word == "|");
    let mut value = operand(stages.next()?, context)?;
    for stage in stages {
        let stage: Vec<&str> = stage.iter().map(String::as_str).collect();
        value = match stage.as_slice() {
            ["quote"] => format!("{value:?}"),
            ["squote"] => format!("'{value}'"),
            ["lower"] => value.to_lowercase(),
            ["upper"] => value.to_uppercase(),
            ["trim"] => value.trim().to_owned(),
            ["toString"] => value,
            ["default", fallback] if value.is_empty() => literal(fallback)?,
            ["default", _] => value,
            _ => return None,
        };
    }
    Some(value)
}

fn operand(words: &[String], context: &ActionContext<'_>) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [word] if word.starts_with(['"', '`']) => literal(word),
        [word] => field(word.strip_prefix('$').unwrap_or(word), context),
        ["quote", word] => Some(format!("{:?}", field(word, context)?)),
        ["include" | "template", name, "." | "$"] => (context.named)(&literal(name)?),
        _ => None,
    }
}

fn literal(word: &str) -> Option<String> {
    if let Some(raw) = word.strip_prefix('`') {
        return raw.strip_suffix('`').map(str::to_owned);
    }
    let inner = word.strip_prefix('"')?.strip_suffix('"')?;
    Some(
        inner
            .replace("\\\"", "\"")
            .replace("\\n", "\n")
            .replace("\\\\", "\\"),
    )
}

fn field(path: &str, context: &ActionContext<'_>) -> Option<String> {
    Some(match path {
        ".Release.Name" => context.release.to_owned(),
        ".Release.Namespace" => context.namespace.to_owned(),
        ".Release.Service" => "Helm".to_owned(),
        ".Chart.Name" => context.chart.0.to_owned(),
        ".Chart.Version" => context.chart.1.to_owned(),
        _ => {
            let keys: Vec<&str> = path.strip_prefix(".Values.")?.split('.').collect();
            let value = context.values.find(&keys);
            // What is absent prints nothing.
            return if is_set(value) {
                printed(value?)
            } else {
                Some(value.and_then(printed).unwrap_or_default())
            };
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::embedded;
    use promgen_text::source::FileId;

    #[test]
    fn known_actions_are_filled_in_and_others_stay() {
        let values = embedded::root(FileId::new(0), "{a: {b: x, m: 3}}").unwrap();
        let named = |name: &str| (name == "chart.name").then(|| "stack".to_owned());
        let context = ActionContext {
            release: "kps",
            namespace: "metrics",
            chart: ("c", "1.0.0"),
            values: &values,
            named: &named,
            budget: &ExpansionBudget::default(),
        };
        for (text, expected) in [
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
            ("{{ $labels.pod }}", None),
            ("{{ range .x }}", None),
            ("{{", None),
        ] {
            let found = render(text, &context);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn all_texts_of_a_release_share_a_budget() {
        let values = embedded::root(
            FileId::new(0),
            &format!("{{a: {}}}", "x".repeat(MAX_EXPANDED / 4)),
        )
        .unwrap();
        let budget = ExpansionBudget::default();
        let context = ActionContext {
            release: "kps",
            namespace: "metrics",
            chart: ("c", "1.0.0"),
            values: &values,
            named: &|_| None,
            budget: &budget,
        };
        let fits: Vec<bool> = (0..3)
            .map(|_| render("{{ .Values.a }}{{ .Values.a }}", &context).is_some())
            .collect();
        assert_eq!(
            (fits, budget.is_exceeded()),
            (vec![true, true, false], true)
        );
        assert_eq!(render("{{ .Release.Name }}", &context), None);
        assert_eq!(filled(&"plain".into(), &context), None);
    }
}
