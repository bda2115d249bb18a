//! The generators of an ApplicationSet: the parameters that fill in its template, and the inputs of a ResourceSet.
//!
//! Lists, folders and files of this repository are known, and clusters whose Secrets it has. What only a cluster or a host of repositories knows is one element
//! without parameters, which leaves gaps in the template.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Data, Node, edit, embedded};

use super::files::ChartSources;
use super::node::{empty, printed, text};
use super::release::MAX_RELEASES;
use super::template::{
    Executed, ExecutionScope, ExpansionBudget, NamedTemplates, NotKnown, Yielded, reread,
};
use crate::path::{ancestors, base_name, folder};

/// Parameters by their dotted names.
pub(super) type Parameters = BTreeMap<String, String>;

/// The parameter of an element that has others which are not known.
const OPEN: &str = "?";

/// The greatest depth of generators in generators.
const MAX_DEPTH: usize = 4;

/// The number of folders above the repository at which a run may begin.
const MAX_ABOVE: usize = 16;

/// The number of patterns of paths that a generator may have.
const MAX_PATTERNS: usize = 64;

/// The elements of generators, in their order. Empty if none of them is known.
pub(super) fn elements(generators: &[Node], files: &ChartSources<'_>) -> Vec<Parameters> {
    all(generators, files, 0)
}

fn all(generators: &[Node], files: &ChartSources<'_>, depth: usize) -> Vec<Parameters> {
    generators
        .iter()
        .flat_map(|generator| one(generator, files, depth))
        .take(MAX_RELEASES)
        .collect()
}

fn one(generator: &Node, files: &ChartSources<'_>, depth: usize) -> Vec<Parameters> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let part = |key: &str, list: &str| generator.items_at(&[key, list]);
    if generator.get("list").is_some() {
        return part("list", "elements")
            .iter()
            .map(parameters)
            .take(MAX_RELEASES)
            .collect();
    }
    if let Some(git) = generator.get("git") {
        let mut found = of_git(git, files);
        found.iter_mut().for_each(|own| add_values(git, own));
        return found;
    }
    if let Some(matrix) = generator.get("matrix") {
        let [first, second] = matrix.items_of("generators") else {
            return Vec::new();
        };
        return product(&one(first, files, depth + 1), second, files, depth);
    }
    if let Some(merge) = generator.get("merge") {
        return merged(merge, files, depth);
    }
    if let Some(clusters) = generator.get("clusters") {
        let mut found = files.clusters.elements(clusters);
        for own in &mut found {
            add_values(clusters, own);
            add_open(own);
        }
        if !found.is_empty() {
            return found;
        }
    }
    // One cluster, or one repository, of which nothing is known.
    let mut unknown = Parameters::new();
    add_open(&mut unknown);
    vec![unknown]
}

/// Takes note that an element has parameters which are not known.
fn add_open(own: &mut Parameters) {
    own.insert(OPEN.to_owned(), String::new());
}

/// Each element of one generator with each of another, which may name parameters of the first.
fn product(
    first: &[Parameters],
    second: &Node,
    files: &ChartSources<'_>,
    depth: usize,
) -> Vec<Parameters> {
    let with_second = |outer: &Parameters| {
        let mut filled = second.clone();
        fill(&mut filled, outer);
        let inner = one(&filled, files, depth + 1);
        inner
            .into_iter()
            .map(|inner| over(outer.clone(), inner))
            .collect::<Vec<_>>()
    };
    first
        .iter()
        .flat_map(with_second)
        .take(MAX_RELEASES)
        .collect()
}

/// The elements of the first generator, with those of the others that agree with them in the keys.
fn merged(merge: &Node, files: &ChartSources<'_>, depth: usize) -> Vec<Parameters> {
    let keys: Vec<&str> = merge
        .items_of("mergeKeys")
        .iter()
        .filter_map(Node::as_str)
        .collect();
    let Some((base, others)) = merge.items_of("generators").split_first() else {
        return Vec::new();
    };
    let mut found = one(base, files, depth + 1);
    for other in others
        .iter()
        .flat_map(|other| one(other, files, depth + 1))
        .take(MAX_RELEASES)
    {
        let agrees = |own: &&mut Parameters| {
            keys.iter()
                .all(|key| own.get(*key).is_some_and(|v| other.get(*key) == Some(v)))
        };
        for own in found.iter_mut().filter(agrees) {
            *own = over(std::mem::take(own), other.clone());
        }
    }
    found
}

fn over(mut under: Parameters, others: Parameters) -> Parameters {
    under.extend(others);
    under
}

/// The folders or files of this repository that a generator names.
fn of_git(git: &Node, files: &ChartSources<'_>) -> Vec<Parameters> {
    let patterns = |key: &str, excludes: bool| {
        let items = git.items_of(key).iter().take(MAX_PATTERNS);
        let is_excluding = |node: &Node| node.is_true("exclude");
        let of_kind = items.filter(move |item| is_excluding(item) == excludes);
        of_kind
            .filter_map(|item| Some(item.get("path")?.as_str()?.trim_matches('/').to_owned()))
            .collect::<Vec<_>>()
    };
    let prefix = git
        .text_of("pathParamPrefix")
        .map_or_else(String::new, |prefix| format!("{prefix}."));
    if git.get("directories").is_some() {
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        for (path, _) in files.paths() {
            ancestors(path)
                .take_while(|above| ![".", "/"].contains(above))
                .all(|above| folders.insert(above));
        }
        let found = matching(
            &folders.into_iter().collect::<Vec<_>>(),
            &patterns("directories", false),
            &patterns("directories", true),
            files,
        );
        return found
            .into_iter()
            .map(|(_, path)| of_path(&prefix, path))
            .collect();
    }
    let paths: Vec<&str> = files.paths().map(|(path, _)| path).collect();
    let found = matching(
        &paths,
        &patterns("files", false),
        &patterns("files", true),
        files,
    );
    let of_file = |(whole, path): (&str, &str)| {
        let mut own = files
            .read(whole)
            .map_or_else(Parameters::new, |root| parameters(&root));
        own.extend(of_path(&prefix, folder(path)));
        own.insert(format!("{prefix}path.filename"), base_name(path).to_owned());
        own.insert(
            format!("{prefix}path.filenameNormalized"),
            normalized(base_name(path)),
        );
        own
    };
    found.into_iter().map(of_file).collect()
}

/// The paths that a pattern names, each as it is and from the root of the repository: a run may have begun above it.
fn matching<'p>(
    paths: &[&'p str],
    patterns: &[String],
    excluded: &[String],
    files: &ChartSources<'_>,
) -> Vec<(&'p str, &'p str)> {
    let costs =
        |pattern: &String, path: &str| files.take_steps((pattern.len() + 1) * (path.len() + 1));
    let is_match = |pattern: &String, path: &str| costs(pattern, path) && is_match(pattern, path);
    let below = |path: &'p str, n: usize| path.splitn(n + 1, '/').nth(n);
    let deepest = paths
        .iter()
        .map(|path| path.matches('/').count())
        .max()
        .unwrap_or_default();
    for n_above in 0..=deepest.min(MAX_ABOVE) {
        let rooted = paths
            .iter()
            .filter_map(|path| Some((*path, below(path, n_above)?)));
        let is_named = |(_, path): &(&str, &str)| {
            patterns.iter().any(|pattern| is_match(pattern, path))
                && !excluded.iter().any(|pattern| is_match(pattern, path))
        };
        let found: Vec<_> = rooted.filter(is_named).take(MAX_RELEASES).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// The parameters of a path, as templates of both sorts name them.
fn of_path(prefix: &str, path: &str) -> Parameters {
    let name = base_name(path);
    let mut own = Parameters::new();
    let mut add =
        |key: &str, value: &str| drop(own.insert(format!("{prefix}{key}"), value.to_owned()));
    add("path", path);
    add("path.path", path);
    add("path.basename", name);
    add("path.basenameNormalized", &normalized(name));
    for (at, segment) in path.split('/').enumerate() {
        add(&format!("path[{at}]"), segment);
        add(&format!("index .path.segments {at}"), segment);
    }
    own
}

/// A name in small letters, with hyphens for what no name of Kubernetes has.
pub(super) fn normalized(name: &str) -> String {
    let name = name.to_lowercase().replace(
        |c: char| !matches!(c, 'a'..='z' | '0'..='9' | '-' | '.'),
        "-",
    );
    name.trim_matches(['-', '.']).to_owned()
}

/// Adds what a generator states beside what it finds.
fn add_values(generator: &Node, own: &mut Parameters) {
    let Some(values) = generator.get("values") else {
        return;
    };
    let mut filled = values.clone();
    fill(&mut filled, own);
    own.extend(under("values", &filled));
}

/// The parameters of an element.
fn parameters(element: &Node) -> Parameters {
    let mut found = Parameters::new();
    let mut todo = vec![(String::new(), element)];
    while let Some((prefix, node)) = todo.pop() {
        for entry in node.entries() {
            let name = if prefix.is_empty() {
                entry.key.to_string()
            } else {
                format!("{prefix}.{}", entry.key)
            };
            // Names of simple templates say neither what is in a list nor that a key has dots.
            if entry.key.contains('.') || !entry.value.items().is_empty() {
                add_open(&mut found);
            }
            match printed(&entry.value) {
                Some(value) => drop(found.insert(name, value)),
                None => todo.push((name, &entry.value)),
            }
        }
    }
    found
}

/// The objects that a ResourceSet of the operator of Flux makes, for each of its inputs; what is not known of one stays an action.
pub(crate) fn resources(root: &Node, files: &Sources) -> Vec<Node> {
    let Some(spec) = root.get("spec") else {
        return Vec::new();
    };
    let mut templates = spec.items_of("resources").to_vec();
    let given = spec.get("resourcesTemplate");
    for (node, text) in given.and_then(|node| Some((node, node.as_str()?))).iter() {
        let parts = text.split("\n---");
        templates.extend(
            parts.filter_map(|part| embedded::parse(&without_control(part), node.span, files)),
        );
    }
    let inputs: Vec<Parameters> = match spec.items_of("inputs") {
        [] => vec![Parameters::new()],
        inputs => inputs
            .iter()
            .take(MAX_RELEASES)
            .map(|own| under("inputs", own))
            .collect(),
    };
    let of_input = |own: &Parameters| {
        let mut made = templates.clone();
        let as_actions = |text: &str| text.replace("<<", "{{").replace(">>", "}}");
        made.iter_mut()
            .for_each(|node| fill_by(node, &|text| filled(&as_actions(text), own)));
        made
    };
    inputs
        .iter()
        .flat_map(of_input)
        .take(MAX_RELEASES)
        .collect()
}

/// A template without the lines that are nothing but an action.
fn without_control(text: &str) -> String {
    let is_control =
        |line: &&str| line.trim_start().starts_with("<<") && line.trim_end().ends_with(">>");
    let lines = text.lines().filter(|line| !is_control(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The parameters of an element, below a name.
fn under(name: &str, element: &Node) -> Parameters {
    let own = parameters(element).into_iter();
    own.map(|(key, value)| (format!("{name}.{key}"), value))
        .collect()
}

/// Fills in the parameters of an element: `{{name}}` and `{{ .name }}`.
pub(super) fn fill(node: &mut Node, parameters: &Parameters) {
    fill_by(node, &|text| filled(text, parameters));
}

/// Fills in the parameters of an element as templates of Go do. A text stays as it is if what they do is not known.
pub(super) fn fill_go(node: &mut Node, parameters: &Parameters, budget: &ExpansionBudget) {
    let dot = dot(parameters, node.span);
    let scope = ExecutionScope::new(dot.into(), &NoTemplates, budget, node.span);
    let is_known = !parameters.contains_key(OPEN);
    let has_blocks =
        |text: &str| text.contains("end }}") || text.contains("end}}") || text.contains("end -}}");
    fill_by(node, &|text| match scope.render(text) {
        Ok(rendered) if is_known => Some(rendered),
        _ => filled(text, parameters).filter(|_| !has_blocks(text)),
    });
}

/// No template of an ApplicationSet has a name.
struct NoTemplates;

impl NamedTemplates for NoTemplates {
    fn include(&self, _: &str, _: &Yielded) -> Executed<Yielded> {
        Err(NotKnown)
    }
}

/// The parameters as one value. What is behind a dot of a name is below what is before it.
fn dot(parameters: &Parameters, place: Span) -> Node {
    let mut dot = empty(place);
    // Simple templates have names for the parts of paths.
    for (name, written) in parameters
        .iter()
        .filter(|(name, _)| !name.contains(['[', ' ']))
    {
        let value = match written.as_str() {
            "true" | "false" => reread(written, place),
            other => text(other, place),
        };
        put(&mut dot, name, value);
        if let Some(prefix) = name.strip_suffix("path.path") {
            let parts = written.split('/').map(|part| text(part, place));
            let segments = edit::list_of(parts.collect(), place);
            put(&mut dot, &format!("{prefix}path.segments"), segments);
        }
    }
    dot
}

/// Puts a value where a name with dots says.
fn put(dot: &mut Node, name: &str, value: Node) -> Option<()> {
    let place = dot.span;
    let mut below = dot;
    for step in name.split('.') {
        if !below.is_map() {
            *below = empty(place);
        }
        below = edit::get_or_insert(below, step, || empty(place))?;
    }
    *below = value;
    Some(())
}

fn fill_by(node: &mut Node, filled: &dyn Fn(&str) -> Option<String>) {
    if let Data::String(text) = &mut node.data
        && ["{{", "<<"].iter().any(|mark| text.contains(mark))
        && let Some(filled) = filled(text)
    {
        *text = filled.into();
    }
    node.children_mut().for_each(|child| fill_by(child, filled));
}

fn filled(text: &str, parameters: &Parameters) -> Option<String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (inner, behind) = after.split_once("}}")?;
        let name = inner.trim_matches(['-', ' ']).trim_start_matches('.');
        match parameters.get(name) {
            Some(value) => filled.push_str(value),
            None => filled.push_str(&format!("{{{{{inner}}}}}")),
        }
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Returns whether a pattern names a path: `*` and `?` stay within a part of it, `**` stands for any number of parts.
pub(super) fn is_match(pattern: &str, path: &str) -> bool {
    let (patterns, parts): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), path.split('/').collect());
    // Which beginnings of the path the patterns so far may name.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for pattern in patterns {
        let mut next = vec![false; parts.len() + 1];
        for at in (0..=parts.len()).filter(|at| reached[*at]) {
            match pattern {
                "**" => next[at..].fill(true),
                _ if at < parts.len() && is_part(pattern, parts[at]) => next[at + 1] = true,
                _ => {}
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// Returns whether a pattern names one part of a path.
fn is_part(pattern: &str, part: &str) -> bool {
    let chars: Vec<char> = part.chars().collect();
    let mut reached = vec![false; chars.len() + 1];
    reached[0] = true;
    for wanted in pattern.chars() {
        let mut next = vec![false; chars.len() + 1];
        for at in (0..=chars.len()).filter(|at| reached[*at]) {
            match wanted {
                '*' => next[at..].fill(true),
                _ if chars.get(at).is_some_and(|c| wanted == '?' || *c == wanted) => {
                    next[at + 1] = true
                }
                _ => {}
            }
        }
        reached = next;
    }
    reached[chars.len()]
}

#[cfg(test)]
mod tests {
    use promgen_text::source::FileId;

    use super::*;

    /// The parameters that generators give, each element as `key=value` of the keys that are asked for.
    fn generated(generators: &str, keys: &[&str]) -> Vec<String> {
        let mut sources = Sources::default();
        for (name, text) in [
            (
                "repo/clusters/a/config.json",
                "{\"cluster\": {\"name\": \"one\"}}",
            ),
            (
                "repo/clusters/b/config.json",
                "{\"cluster\": {\"name\": \"two\"}}",
            ),
            ("repo/apps/shop_x/values.yaml", "a: 1"),
            ("repo/apps/off/values.yaml", "a: 1"),
        ] {
            sources.add(name.to_owned(), text.to_owned());
        }
        let root = embedded::root(FileId::new(0), generators).unwrap();
        let found = elements(root.items(), &ChartSources::new(&sources, false));
        let shown = |own: &Parameters| {
            let values = keys
                .iter()
                .filter_map(|key| own.get(*key).map(String::as_str));
            values.collect::<Vec<_>>().join(" ")
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn folders_and_files_of_the_repository_are_elements() {
        let folders = "[{git: {directories: [{path: apps/*}, {path: apps/off, exclude: true}], values: {x: 'v-{{path.basename}}'}}}]";
        let keys = ["path", "path.basenameNormalized", "path[1]", "values.x"];
        assert_eq!(
            generated(folders, &keys),
            ["apps/shop_x shop-x shop_x v-shop_x"]
        );
        let files = "[{git: {files: [{path: '**/config.json'}]}}]";
        let keys = ["cluster.name", "path", "path.filename"];
        // The run has begun above the repository, and this pattern fits from there.
        assert_eq!(
            generated(files, &keys),
            [
                "one repo/clusters/a config.json",
                "two repo/clusters/b config.json"
            ]
        );
    }

    #[test]
    fn generators_are_combined() {
        let files = "{git: {files: [{path: 'clusters/*/config.json'}]}}";
        let list = "{list: {elements: [{env: 'e-{{cluster.name}}'}, {env: x}]}}";
        let matrix = format!("[{{matrix: {{generators: [{files}, {list}]}}}}]");
        assert_eq!(
            generated(&matrix, &["cluster.name", "env"]),
            ["one e-one", "one x", "two e-two", "two x"]
        );
        let merge = format!(
            "[{{merge: {{mergeKeys: [cluster.name], generators: [{files}, {{list: {{elements: [{{cluster.name: two, size: l}}]}}}}]}}}}]"
        );
        assert_eq!(
            generated(&merge, &["cluster.name", "size"]),
            ["one", "two l"]
        );
        let clusters = format!("[{{matrix: {{generators: [{{clusters: {{}}}}, {files}]}}}}]");
        assert_eq!(
            generated(&clusters, &["cluster.name", "server"]),
            ["one", "two"]
        );
        assert_eq!(generated("[{clusters: {}}]", &["name"]), [""]);
        assert!(generated("[{git: {directories: [{path: none/*}]}}]", &[]).is_empty());
    }

    #[test]
    fn templates_of_go_are_evaluated_or_stay() {
        let filled = |generators: &str, template: &str| {
            let sources = Sources::default();
            let root = embedded::root(FileId::new(0), generators).unwrap();
            let found = elements(root.items(), &ChartSources::new(&sources, false));
            let fill = |own: &Parameters| {
                let mut node = text(template, Span::default());
                fill_go(&mut node, own, &ExpansionBudget::default());
                node.as_str().unwrap().to_owned()
            };
            found.iter().map(fill).collect::<Vec<_>>()
        };
        let list = "[{list: {elements: [{name: a, namespace: My_Ns, big: true, v: '1.10'}, {name: b, server: s}]}}]";
        for (template, expected) in [
            (
                "{{- if index . \"namespace\" -}}{{ .namespace | normalize }}{{- else }}{{ .name }}{{ end }}",
                ["my-ns", "b"],
            ),
            ("{{ .namespace | default \"x\" }}", ["My_Ns", "x"]),
            ("{{ dig \"server\" \"none\" . }}", ["none", "s"]),
            (
                "charts/{{ printf \"%s-%s\" .name \"c\" }}",
                ["charts/a-c", "charts/b-c"],
            ),
            (
                "{{ if .big }}{{ .v }}{{ else }}off{{ end }}",
                ["1.10", "off"],
            ),
            // What is not known stays as it is.
            (
                "{{ if .name }}{{ unheard .name }}{{ end }}",
                ["{{ if .name }}{{ unheard .name }}{{ end }}"; 2],
            ),
        ] {
            assert_eq!(filled(list, template), expected, "{template}");
        }
        // Of a cluster nothing is known.
        let open = "{{ if .name }}a{{ else }}b{{ end }}";
        assert_eq!(filled("[{clusters: {}}]", open), [open]);
        let lists = "[{list: {elements: [{name: a, l: [x]}]}}]";
        assert_eq!(filled(lists, "{{ index .l 0 }}"), ["{{ index .l 0 }}"]);
        assert_eq!(filled(lists, "n-{{ .name }}"), ["n-a"]);
    }

    #[test]
    fn patterns_stay_within_parts_unless_they_have_two_stars() {
        for (pattern, path, expected) in [
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("**/c", "c", true),
            ("a/b?-*x", "a/bc-dex", true),
            ("a/b", "a", false),
        ] {
            assert_eq!(is_match(pattern, path), expected, "{pattern} {path}");
        }
    }
}
