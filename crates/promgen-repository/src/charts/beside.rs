//! Values of a chart around the known chart that nothing reads: they belong below the name of the dependency.

use promgen_text::source::Span;
use promgen_text::suggest::is_slip;
use promgen_text::yaml::Node;

use super::files::ChartSources;
use super::stack::reads::ReadValue;
use super::stack::{CHART, MARKS};
use super::unknown_keys;
use crate::path::join;

/// A value that nothing reads: its place, what is said of it, and how to mend it.
pub(crate) type UnreadEntry = (Span, String, String);

/// The keys of every chart that mean something to Helm.
const OF_HELM: [&str; 3] = ["exports", "global", "tags"];

/// The values that stand beside the name of the only dependency of a chart that is the known one, and that no template of the chart around it
/// mentions. `alias`: the name that values of a dependency are below.
pub(super) fn beside(
    path: &str,
    chart: &Node,
    dependency: &Node,
    alias: &dyn Fn(&Node) -> String,
    files: &ChartSources<'_>,
    values: &Node,
) -> Vec<UnreadEntry> {
    let templates = format!("{}/", join(path, "templates"));
    let all = files.paths();
    let texts = all.filter(|(path, _)| path.starts_with(&templates));
    let texts: Vec<&str> = texts
        .map(|(_, file)| &*files.sources.file(file).text)
        .collect();
    let name = alias(dependency);
    let all = chart.items_of("dependencies").iter();
    let names: Vec<String> = all.clone().map(alias).collect();
    let conditions: Vec<&str> = all
        .flat_map(|other| other.text_of("condition").unwrap_or_default().split(','))
        .filter_map(|path| path.trim().split('.').next())
        .collect();
    let mut found = Vec::new();
    for entry in values.entries() {
        let (key, value) = (entry.key.as_str(), &entry.value);
        let is_read = OF_HELM.contains(&key)
            || names.iter().any(|name| name == key)
            || conditions.contains(&key)
            || texts.iter().any(|text| mentions(text, key))
            || is_repeated(value, values);
        if is_read {
            continue;
        }
        // Without templates, nothing reads what is no value of a dependency.
        let is_own = is_of_stack_alone(key, value) || texts.is_empty() && is_of_stack(key);
        if is_own {
            let message = format!(
                "nothing reads `{key}`: it stands beside `{name}`, the chart whose value it is"
            );
            let help = format!("write it below `{name}`");
            found.push((entry.key_span, message, help));
        } else if is_name(key, &name) && has_values_of_stack(value) {
            let message = format!(
                "nothing reads `{key}`: the values of the chart are those below `{name}`, the name of the dependency"
            );
            found.push((
                entry.key_span,
                message,
                format!("write `{name}` in its place"),
            ));
        }
    }
    found
}

/// Returns whether a value holds all values of the known chart, below a name of it, where the values of the chart itself are expected.
pub(super) fn is_wrapped(key: &str, value: &Node, values: &Node) -> bool {
    is_name(key, CHART) && has_values_of_stack(value) && !is_repeated(value, values)
}

/// Returns whether a key is a name of the known chart, as people write it, or almost the name of the dependency.
fn is_name(key: &str, name: &str) -> bool {
    const NAMES: [&str; 3] = ["kps", "kubeprometheusstack", "prometheusstack"];
    let letters = key.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    NAMES.contains(&plain.as_str()) || is_slip(key, name)
}

fn has_values_of_stack(value: &Node) -> bool {
    value.entries().iter().any(|entry| is_of_stack(&entry.key))
}

/// Returns whether some version of the known chart has a value of that name.
fn is_of_stack(key: &str) -> bool {
    ReadValue::in_any_version().get(key).is_some()
}

/// Returns whether a value is one that the known chart has, and hardly another.
fn is_of_stack_alone(key: &str, value: &Node) -> bool {
    let is_at = |path: &[&str]| {
        path.first() == Some(&key) && path.get(1).is_none_or(|below| value.get(below).is_some())
    };
    unknown_keys::MAPS
        .into_iter()
        .chain(MARKS.iter().copied())
        .any(is_at)
}

/// Returns whether a template reads a value, or all values at once.
fn mentions(template: &str, key: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    template.split(".Values").skip(1).any(|rest| {
        let named = match rest.trim_start().strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest
                .strip_prefix('.')
                .map(|rest| rest.split(|c: char| !is_word(c)).next().unwrap_or_default()),
        };
        named.is_none_or(|named| named.is_empty() || named == key)
    })
}

/// Returns whether a part of a value stands elsewhere among all values, too: an alias repeats it.
fn is_repeated(value: &Node, values: &Node) -> bool {
    let is_inside = |node: &Node| {
        node.span.start < node.span.end && value.span.holds(node.span) && !node.is_null()
    };
    let others = values.entries().iter().map(|entry| &entry.value);
    let mut others = others.filter(|other| !std::ptr::eq(*other, value));
    others.any(|other| other.descendants().any(is_inside))
}
