//! `helmCharts` of a kustomization.

use promgen_resources::rendered::ChartRef;
use promgen_text::origin::Applier;
use promgen_text::source::Unread;
use promgen_text::yaml::{Node, edit};

use super::ChartOptions;
use super::flux::stated;
use super::node::{drop_nulls, printed};
use super::objects::{ReleaseObjects, make};
use super::release::{ChartRelease, GivenValues, RELEASE, is_stack, subject};
use super::rendering::{named, request};
use crate::path::join;

/// The name of a release that Helm is to think of itself.
const GENERATED: &str = "release-name";

/// Returns whether promgen makes the objects of an entry.
pub(crate) fn is_inflated(entry: &Node) -> bool {
    entry.text_of("name").is_some_and(is_stack)
}

/// Makes the objects of an entry. `read` gives what a file of values holds, or why it is not read. `home`: the folder of the charts of the
/// repository.
pub(crate) fn inflate<'s>(
    entry: &Node,
    read: &dyn Fn(&str) -> Result<Node, Option<&'s Unread>>,
    options: ChartOptions<'_>,
    home: &str,
) -> ReleaseObjects {
    let text = |key: &str| entry.text_of(key).filter(|text| !text.is_empty());
    let values = given(entry, read);
    let version = entry.get("version");
    let mut release = ChartRelease {
        name: text("releaseName").unwrap_or(GENERATED).to_owned(),
        namespace: entry.get("namespace").and_then(stated),
        chart: text("name").unwrap_or_default().to_owned(),
        repository: text("repo").unwrap_or_default().to_owned(),
        version: Some(version.and_then(printed).unwrap_or_else(|| "*".to_owned())),
        place: version.or_else(|| entry.get("name")).unwrap_or(entry).span,
        span: entry.span,
        values,
        applier: Applier::Kustomize,
        subject: subject(
            RELEASE,
            text("namespace"),
            text("releaseName").unwrap_or(GENERATED),
        ),
        ..ChartRelease::default()
    };
    if options.rendered.is_some() {
        release.request = Some(request(&release, chart(&release, home)));
    }
    let mut made = make(&release, options);
    // Helm is not asked for the definitions of a chart.
    let has_definitions = entry.is_true("includeCRDs");
    made.is_whole = made.sources.is_rendered && !has_definitions;
    made
}

/// The values of an entry, as Kustomize 5 puts them together: those of its file with the inline ones, then those of more files.
fn given<'s>(entry: &Node, read: &dyn Fn(&str) -> Result<Node, Option<&'s Unread>>) -> GivenValues {
    let mut values = GivenValues::new(entry.span);
    let add_file = |file: &Node, values: &mut GivenValues| {
        let Some(name) = file.as_str().filter(|name| !name.is_empty()) else {
            return;
        };
        match read(name) {
            Ok(found) => values.add_file(&found),
            Err(unread) => values.miss_file(name, unread, file.span),
        }
    };
    let mode = entry.text_of("valuesMerge").unwrap_or_default();
    let inline = entry.get("valuesInline").cloned();
    let inline = inline.filter(|inline| !inline.entries().is_empty());
    if let Some(file) = entry.get("valuesFile")
        && (mode != "replace" || inline.is_none())
    {
        add_file(file, &mut values);
    }
    match (inline, mode) {
        (None, _) => {}
        (Some(inline), "replace") => values.add(&inline),
        (Some(inline), "merge") => {
            let file = std::mem::replace(&mut values.root, inline);
            put_over(file, &mut values);
        }
        (Some(inline), _) => put_over(inline, &mut values),
    }
    for file in entry.items_of("additionalValuesFiles") {
        add_file(file, &mut values);
    }
    values
}

/// Puts values over others as Kustomize does: a null takes away what is there, and itself.
fn put_over(mut over: Node, values: &mut GivenValues) {
    take_away(&mut values.root, &over);
    drop_nulls(&mut over);
    values.add(&over);
}

/// Takes away the values that others set to null.
fn take_away(node: &mut Node, nulls: &Node) {
    for entry in nulls.entries() {
        if entry.value.is_null() {
            edit::remove(node, &entry.key);
        } else if let Some(below) = node.get_mut(&entry.key) {
            take_away(below, &entry.value);
        }
    }
}

/// The chart of an entry: a folder in that of the charts of the repository, or one of another repository.
fn chart(release: &ChartRelease, home: &str) -> ChartRef {
    let mut chart = named(release);
    let below = |name: &str| join(home, name);
    chart.paths.push(below(&release.chart));
    if let Some(version) = &release.version {
        let whole = format!("{}-{version}", release.chart);
        chart.paths.extend([
            below(&format!("{whole}/{}", release.chart)),
            below(&format!("{whole}.tgz")),
        ]);
    }
    chart
}

#[cfg(test)]
mod tests {
    use promgen_text::source::FileId;
    use promgen_text::yaml::emit::to_json;

    use super::*;
    use promgen_text::yaml::embedded::root;

    #[track_caller]
    fn check(entry: &str, expected: &str) {
        let read = |name: &str| {
            let text = match name {
                "one.yaml" => "{m: {a: file, l: [3], n: null}, f: file, k: {j: 1}}",
                _ => "{m: {a: more}, g: more}",
            };
            root(FileId::new(0), text).ok_or(None)
        };
        let entry = root(FileId::new(0), &format!("{{{entry}}}")).expect("YAML");
        let json = |node: &Node| to_json(&node.to_value());
        let expected = root(FileId::new(0), expected).expect("YAML");
        assert_eq!(
            json(&given(&entry, &read).root),
            json(&expected),
            "{entry:?}"
        );
    }

    /// What Kustomize 5.7.1 gives Helm.
    #[test]
    fn values_are_put_together_as_kustomize_does() {
        let more = "additionalValuesFiles: [two.yaml]";
        check(
            &format!("valuesFile: one.yaml, {more}, valuesInline: {{m: {{a: x, b: x}}, g: x}}"),
            "{m: {a: more, l: [3], n: null, b: x}, f: file, k: {j: 1}, g: more}",
        );
        check(
            "valuesFile: one.yaml, valuesInline: {m: {a: null, l: [9]}, f: null, q: {z: null, l: [{a: null}]}}",
            "{m: {l: [9], n: null}, k: {j: 1}, q: {l: [{a: null}]}}",
        );
        check(
            "valuesFile: one.yaml, valuesMerge: merge, valuesInline: {m: {a: x, n: x, b: x}, z: null, k: {j: null}}",
            "{m: {a: file, b: x, l: [3]}, z: null, k: {j: 1}, f: file}",
        );
        check(
            &format!(
                "valuesFile: one.yaml, {more}, valuesMerge: replace, valuesInline: {{m: {{b: null}}}}"
            ),
            "{m: {b: null, a: more}, g: more}",
        );
        check("valuesInline: {m: {a: null}, g: x}", "{m: {}, g: x}");
        check(
            "valuesFile: one.yaml, valuesMerge: replace",
            "{m: {a: file, l: [3], n: null}, f: file, k: {j: 1}}",
        );
    }
}
