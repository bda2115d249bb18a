//! HelmReleases of Flux.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use promgen_resources::rendered::ChartRef;
use promgen_text::source::Span;
use promgen_text::yaml::{Node, NodeText, embedded};

use super::files::ChartSources;
use super::node::{assign, merge, sha256};
use super::objects::concerns;
use super::release::{ChartRelease, GivenValues, MAX_SOURCES, ReferredObjects, base, subject};
use super::rendering::{named, request};
use super::set_flag::{FlagKind, SetFlag, SetStep};
use super::umbrella;
use super::unknown_keys::is_selector_label;
use promgen_resources::unknown::is_encrypted;

/// The key of values in a ConfigMap or Secret unless another is named.
const VALUES: &str = "values.yaml";

/// The releases of a HelmRelease: that of its chart, or those of the charts in it. `None` if nothing is known of what it makes.
pub(super) fn releases(
    root: &Node,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
) -> Option<Vec<ChartRelease>> {
    let spec = root.get("spec")?;
    let name = root.find(&["metadata", "name"])?.as_str()?;
    let own = root.find(&["metadata", "namespace"]).and_then(stated);
    let target = spec.get("targetNamespace").and_then(stated);
    let namespace = own.as_ref().map(|(name, _)| name.as_str());
    let chart = chart(spec, namespace, objects)?;
    if chart.folder.is_none() && !files.asks_helm && !concerns(&chart.name) {
        return None;
    }
    let release_name = spec.text_of("releaseName").filter(|name| !name.is_empty());
    let release_name = shortened(match (release_name, &target) {
        (Some(name), _) => name.to_owned(),
        (None, Some((target, _))) => format!("{target}-{name}"),
        (None, None) => name.to_owned(),
    });
    let values = given(spec, namespace, objects, files);
    let subject = subject("HelmRelease", namespace, name);
    let release = ChartRelease {
        name: release_name,
        namespace: target.or(own),
        subject,
        chart: chart.name,
        repository: chart.repository,
        version: chart.version,
        place: chart.place,
        span: root.span,
        values,
        ..ChartRelease::default()
    };
    let here = chart.folder.as_deref();
    Some(match here.and_then(|folder| files.chart_folder(folder)) {
        Some(folder) => umbrella::releases(&folder, files, &chart.value_files, release),
        None => vec![asked(release, chart.folder, files)],
    })
}

/// The name of a release as Flux gives it to Helm, which takes 53 characters.
fn shortened(name: String) -> String {
    match name.get(..40) {
        Some(start) if name.len() > 53 => format!("{start}-{}", &sha256(&name)[..12]),
        _ => name,
    }
}

/// The values of a HelmRelease.
fn given(
    spec: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
) -> GivenValues {
    let mut values = GivenValues::new(spec.span);
    let mut inline = spec.get("values").cloned();
    for source in spec.items_of("valuesFrom").iter().take(MAX_SOURCES) {
        values_from(source, namespace, objects, files, &mut values, &mut inline);
    }
    inline.iter().for_each(|inline| values.add(inline));
    values
}

/// A release that Helm is asked for, if it is to be asked. `rooted`: the path of its chart in the repository.
pub(super) fn asked(
    release: ChartRelease,
    rooted: Option<String>,
    files: &ChartSources<'_>,
) -> ChartRelease {
    if !files.asks_helm {
        return release;
    }
    let chart = match rooted {
        Some(path) => ChartRef {
            rooted: Some(path),
            ..ChartRef::default()
        },
        None => named(&release),
    };
    ChartRelease {
        request: Some(request(&release, chart)),
        ..release
    }
}

/// A chart as a HelmRelease names it.
#[derive(Default)]
struct HelmReleaseChart {
    name: String,
    repository: String,
    version: Option<String>,
    place: Span,
    /// The folder of a chart of the repository.
    folder: Option<String>,
    /// Files of the chart with values.
    value_files: Vec<(String, Span)>,
}

fn chart(
    spec: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
) -> Option<HelmReleaseChart> {
    if let Some(chart) = spec.find(&["chart", "spec"]) {
        return from_chart(chart, namespace, objects);
    }
    let reference = spec.get("chartRef")?;
    let part = |key: &str| reference.text_of(key);
    let (kind, name) = (part("kind").unwrap_or("OCIRepository"), part("name")?);
    let source = objects.find(kind, name, part("namespace").or(namespace));
    if kind == "HelmChart" {
        return from_chart(source?.get("spec")?, namespace, objects);
    }
    let place = reference
        .get("name")
        .map_or(reference.span, |name| name.span);
    // The repository may be elsewhere: then it is called as the chart, or nobody knows.
    let Some(source) = source.and_then(|source| source.get("spec")) else {
        return Some(HelmReleaseChart {
            name: name.to_owned(),
            place,
            ..HelmReleaseChart::default()
        });
    };
    let url = source.get("url")?.as_str()?;
    let version = ["tag", "semver"]
        .iter()
        .find_map(|key| source.find(&["ref", key]));
    Some(HelmReleaseChart {
        name: base(url).to_owned(),
        repository: url.to_owned(),
        version: version.and_then(Node::as_str).map(str::to_owned),
        place: version.map_or(place, |version| version.span),
        ..HelmReleaseChart::default()
    })
}

fn from_chart(
    chart: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
) -> Option<HelmReleaseChart> {
    let name = chart.get("chart")?;
    let version = chart.get("version");
    let part = |key: &str| chart.text_at(&["sourceRef", key]).unwrap_or_default();
    let kind = part("kind");
    let is_file = matches!(kind, "GitRepository" | "Bucket");
    let source = objects.find(
        kind,
        part("name"),
        chart.text_at(&["sourceRef", "namespace"]).or(namespace),
    );
    let url = source
        .and_then(|source| source.find(&["spec", "url"]))
        .and_then(Node::as_str)
        .unwrap_or_default();
    let files = chart.items_of("valuesFiles");
    let version_text = version.map(|version| super::node::printed(version).unwrap_or_default());
    Some(HelmReleaseChart {
        name: base(name.as_str()?).to_owned(),
        repository: url.to_owned(),
        version: Some(version_text.unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(name.span, |version| version.span),
        folder: is_file.then(|| name.as_str().unwrap_or_default().to_owned()),
        value_files: files
            .iter()
            .filter_map(|file| Some((file.as_str()?.to_owned(), file.span)))
            .collect(),
    })
}

/// Adds the values of a ConfigMap or Secret. `inline`: those that stand in the HelmRelease itself, which some of these change.
fn values_from(
    source: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
    values: &mut GivenValues,
    inline: &mut Option<Node>,
) {
    let part = |key: &str| source.text_of(key);
    let (Some(kind), Some(name)) = (part("kind"), part("name")) else {
        return;
    };
    let key = part("valuesKey").unwrap_or(VALUES);
    let target = part("targetPath").filter(|path| !path.is_empty());
    let object = objects.find(kind, name, namespace);
    let Some((value, written)) = object.and_then(|object| datum(object, kind, key)) else {
        let what = match object.is_some_and(is_encrypted) {
            true => format!("{kind} {name}, key {key} is encrypted"),
            false => format!("{kind} {name}, key {key} is not in the input"),
        };
        // One that is optional brings nothing as long as it is not there.
        let is_needed = !source.is_true("optional");
        return match target {
            Some(path) if is_needed && is_selector_label(path) => {
                values.leave_gap(path, what, source.span);
            }
            target => values.lack(what, source.span, target),
        };
    };
    let read = match target {
        Some(path) => {
            let literal = source.is_true("literal");
            set(&flag(path, &written, literal, value.span), values, inline);
            Some(value.clone())
        }
        None => {
            let read = embedded::parse(&written, value.span, files.sources);
            read.iter().for_each(|read| values.add(read));
            read
        }
    };
    match read {
        Some(read) if is_encrypted(&read) => {}
        Some(read) if kind == "Secret" => {
            values.note_secret(&read);
            values.withhold_names();
        }
        Some(_) => {}
        None => values.miss(&format!("{kind} {name}, key {key}"), source.span),
    }
}

/// The flag of Helm for a value with a `targetPath`. A value in quotes is a text, without any quotes around it.
fn flag(path: &str, written: &str, is_literal: bool, span: Span) -> SetFlag {
    let quotes = ['"', '\''];
    let is_quoted = |quote: &char| written.starts_with(*quote) && written.ends_with(*quote);
    let (kind, value) = match quotes.iter().any(is_quoted) {
        _ if is_literal => (FlagKind::Literal, written),
        true => (FlagKind::SetString, written.trim_matches(quotes)),
        false => (FlagKind::Set, written),
    };
    SetFlag {
        kind,
        at: path.to_owned(),
        value: value.to_owned(),
        span,
    }
}

/// Sets what a flag says as Flux does: over the inline values, which are put over the values before. What is set in a map or a list that
/// Flux has taken from the inline values as it is stays there when they are put over all others in the end.
fn set(flag: &SetFlag, values: &mut GivenValues, inline: &mut Option<Node>) {
    let before = values.root.clone();
    let inline = inline.as_mut();
    inline
        .iter()
        .for_each(|inline| merge(&mut values.root, inline));
    let set = values.set(flag);
    let Some(inline) = inline else { return };
    for set in &set {
        if is_shared(&before, inline, &set.path) {
            // What fits into the merged values fits into their part.
            let _ = assign(inline, set);
        }
    }
}

/// Returns whether what holds the value at a path is taken from the inline values as it is: a list that is long enough, or a map where the
/// values before have none.
fn is_shared(before: &Node, inline: &Node, path: &[SetStep]) -> bool {
    let (mut before, mut inline) = (Some(before), inline);
    let is_map = |node: &&Node| node.is_map();
    for (at, step) in path.iter().enumerate() {
        match (step, path.get(at + 1)) {
            (SetStep::Index(index), _) => return inline.items().len() > *index,
            (SetStep::Key(_), None) => return false,
            (SetStep::Key(key), Some(_)) => {
                let Some(below) = inline.get(key) else {
                    return false;
                };
                before = before.and_then(|before| before.get(key)).filter(is_map);
                if before.is_none() && is_map(&below) {
                    return true;
                }
                inline = below;
            }
        }
    }
    false
}

/// A value of a ConfigMap or Secret, and what it says.
pub(super) fn datum<'n>(object: &'n Node, kind: &str, key: &str) -> Option<(&'n Node, String)> {
    if let Some(plain) = object.find(&["stringData", key]) {
        return Some((plain, plain.as_str()?.to_owned()));
    }
    let value = object.find(&["data", key])?;
    let written = value.as_str()?;
    if kind != "Secret" {
        return Some((value, written.to_owned()));
    }
    let bytes = STANDARD
        .decode(written.split_whitespace().collect::<String>())
        .ok()?;
    Some((value, String::from_utf8(bytes).ok()?))
}

/// A name that is known.
pub(super) fn stated(node: &Node) -> Option<(NodeText, Span)> {
    let name = node.as_str().filter(|name| !name.is_empty())?;
    Some((name.into(), node.span))
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::{FileId, Sources};
    use promgen_text::yaml::emit::to_json;
    use promgen_text::yaml::read::read;

    use super::*;

    fn json(written: &str) -> String {
        let root = embedded::root(FileId::new(0), written).expect("JSON is YAML");
        to_json(&root.to_value())
    }

    #[test]
    fn a_name_that_helm_does_not_take_is_shortened() {
        let long = "a-very-long-name-of-a-helm-release-that-flux-shortens-by-its-hash";
        for (name, expected) in [
            (
                long,
                "a-very-long-name-of-a-helm-release-that--c14c46c0db7e",
            ),
            (&long[..53], &long[..53]),
            ("kps", "kps"),
        ] {
            assert_eq!(shortened(name.to_owned()), expected);
        }
    }

    /// What Flux makes of references, each with its `targetPath` and text, and of inline values; or why it refuses them.
    fn made(references: &[(&str, &str)], inline: &str) -> Result<String, String> {
        let mut sources = Sources::default();
        let (mut objects, mut spec) = (String::new(), "valuesFrom:\n".to_owned());
        for (at, (target, text)) in references.iter().enumerate() {
            let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
            objects += &format!(
                "---\nkind: ConfigMap\nmetadata: {{name: v{at}}}\ndata: {{values.yaml: {}}}\n",
                quoted(text)
            );
            let (target, literal) = match target.strip_prefix("literal ") {
                Some(target) => (target, true),
                None => (*target, false),
            };
            spec += &format!(
                "- {{kind: ConfigMap, name: v{at}, targetPath: {}, literal: {literal}}}\n",
                quoted(target)
            );
        }
        spec += &format!("values: {inline}\n");
        let id = sources.add("objects.yaml".to_owned(), objects.clone());
        let documents = read(id, &objects, &mut Sink::default());
        let objects = ReferredObjects {
            near: &documents,
            all: &[],
        };
        let spec = embedded::root(FileId::new(0), &spec).expect("YAML");
        let mut values = given(&spec, None, &objects, &ChartSources::new(&sources, false));
        match values.refused.pop() {
            Some((_, why)) => Err(why),
            None => Ok(to_json(&values.root.to_value())),
        }
    }

    #[track_caller]
    fn check(references: &[(&str, &str)], inline: &str, expected: &str) {
        let found = made(references, inline);
        assert_eq!(found, Ok(json(expected)), "{references:?} {inline}");
    }

    /// What `ChartValuesFromReferences` of github.com/fluxcd/pkg/chartutil v1.30.0 makes of them.
    #[test]
    fn a_value_with_a_target_is_read_as_flux_reads_it() {
        let recorded = [
            ("a.b", "x", r#"{"a": {"b": "x"}}"#),
            ("a", "'x'", r#"{"a": "x"}"#),
            ("a", r#""'x'""#, r#"{"a": "x"}"#),
            ("a", r#"""#, r#"{"a": ""}"#),
            ("a", r#"'x""#, r#"{"a": "'x\""}"#),
            ("a", r#""null""#, r#"{"a": "null"}"#),
            ("a", r#""{1,2}""#, r#"{"a": ["1","2"]}"#),
            ("a", r#""x" "#, r#"{"a": "\"x\" "}"#),
            ("a", r"x\,y", r#"{"a": "x,y"}"#),
            ("a", "x,b=1", r#"{"a": "x", "b": 1}"#),
            ("a", "null", r#"{"a": null}"#),
            ("a", "{x,y}", r#"{"a": ["x","y"]}"#),
            ("a[1].b", "7", r#"{"a": [null,{"b": 7}]}"#),
            ("literal a", r"x\,y={z}", r#"{"a": "x\\,y={z}"}"#),
            ("literal a", "'x'", r#"{"a": "'x'"}"#),
            (r"literal a\.b[0]", "null", r#"{"a.b": ["null"]}"#),
        ];
        for (target, text, expected) in recorded {
            check(&[(target, text)], "{}", expected);
        }
        for (target, text) in [("a", "x,b"), ("a", r#""1,2""#), ("literal a,b", "c")] {
            let why = made(&[(target, text)], "{}").expect_err(text);
            assert!(why.ends_with("a key is followed by no `=`"), "{why}");
        }
    }

    #[test]
    fn references_count_in_their_order_and_then_the_inline_values() {
        check(
            &[("", "a: {b: 1}"), ("", "a: null")],
            "{}",
            r#"{"a": null}"#,
        );
        check(
            &[("", "a: {b: 1}"), ("", "a: null"), ("", "a: {c: 1}")],
            "{}",
            r#"{"a": {"c": 1}}"#,
        );
        check(&[("", "a: [1,2]"), ("", "a: [3]")], "{}", r#"{"a": [3]}"#);
        check(
            &[("", "a: {b: 1}")],
            "{a: {b: null}}",
            r#"{"a": {"b": null}}"#,
        );
        let list = "a: {l: [1,{k: v}]}";
        check(
            &[("", list), ("a.l[1].k", "9")],
            "{}",
            r#"{"a": {"l": [1,{"k": 9}]}}"#,
        );
        check(
            &[("a.l[1].k", "9"), ("", list)],
            "{}",
            r#"{"a": {"l": [1,{"k": "v"}]}}"#,
        );
    }

    #[test]
    fn a_target_changes_inline_values_where_flux_shares_them() {
        let inline = "{a: {b: inline}}";
        let x = ("a.b", "x");
        check(
            &[x],
            "{a: {b: inline, c: z}}",
            r#"{"a": {"b": "x", "c": "z"}}"#,
        );
        check(&[x, ("", "a: {b: m}")], inline, r#"{"a": {"b": "x"}}"#);
        check(&[("", "a: {b: m}"), x], inline, r#"{"a": {"b": "inline"}}"#);
        check(&[x, ("a.b", "y")], inline, r#"{"a": {"b": "x"}}"#);
        check(&[("a.b", "null")], inline, r#"{"a": {"b": null}}"#);
        check(
            &[("a.l[0]", "x")],
            "{a: {l: [p, q]}}",
            r#"{"a": {"l": ["x","q"]}}"#,
        );
        check(
            &[("", "a: {l: [1, 2]}"), ("a.l[0]", "x")],
            "{a: {l: [p, q]}}",
            r#"{"a": {"l": ["x","q"]}}"#,
        );
        for inline in ["{a: null}", "{a: t}"] {
            assert!(made(&[x], inline).is_err(), "{inline}");
        }
    }

    /// The values of references to objects, as YAML of a `valuesFrom`, and how many of them are missing.
    fn given_of(objects: &str, references: &str) -> (String, usize) {
        let mut sources = Sources::default();
        let id = sources.add("objects.yaml".to_owned(), objects.to_owned());
        let documents = read(id, objects, &mut Sink::default());
        let objects = ReferredObjects {
            near: &documents,
            all: &[],
        };
        let spec = format!("valuesFrom: [{references}]\n");
        let spec = embedded::root(FileId::new(0), &spec).expect("YAML");
        let values = given(&spec, None, &objects, &ChartSources::new(&sources, false));
        (to_json(&values.root.to_value()), values.missing.len())
    }

    #[test]
    fn what_is_optional_and_not_there_brings_nothing() {
        const LABEL: &str = "prometheus.prometheusSpec.ruleSelector.matchLabels.role";
        let of = |rest: &str| {
            given_of(
                "",
                &format!("{{kind: ConfigMap, name: gone, targetPath: {LABEL}{rest}}}"),
            )
        };
        assert_eq!(of(", optional: true"), (json("{}"), 1));
        for needed in ["", ", optional: false"] {
            let (values, n_missing) = of(needed);
            assert!(values.contains("matchLabels") && n_missing == 1, "{values}");
        }
    }

    #[test]
    fn names_of_a_secret_that_are_no_words_are_withheld() {
        for (name, is_there) in [
            ("shop", true),
            ("12", true),
            ("true", true),
            ("'12'", true),
            ("1234567890", false),
            ("aG93ZHkgcGFydG5lcg", false),
        ] {
            let text = format!("remoteWrite: [{{url: x, name: {name}}}]").replace('\'', "\"");
            let objects = format!(
                "kind: Secret\nmetadata: {{name: s}}\nstringData: {{values.yaml: '{text}'}}\n"
            );
            let (values, _) = given_of(&objects, "{kind: Secret, name: s}");
            assert!(values.contains("remoteWrite"), "{values}");
            assert_eq!(values.contains("\"name\""), is_there, "{name}");
        }
    }
}
