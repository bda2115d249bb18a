//! Which parts of a kustomization may hold secrets: what makes Secrets, and patches, unless they only change what is none.

use std::ops::Range;

use promgen_resources::secrecy;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Entry, Node};

use super::inline::is_inline;

/// The fields of a generator that hold no secret.
const PUBLIC: [&str; 5] = ["name", "namespace", "behavior", "type", "options"];

/// The parts of a kustomization that may hold secrets, as ranges of bytes. Nothing is taken for granted: the kustomization
/// may be wrong.
pub(super) fn ranges(root: &Node) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    for entry in root.entries() {
        // Kustomize ignores the case of keys, as Go's JSON decoder does.
        match entry.key.to_ascii_lowercase().as_str() {
            "secretgenerator" => each(&entry.value, &mut |item| generator(item, &mut found)),
            "patches" | "patchesjson6902" => {
                each(&entry.value, &mut |item| patch(item, &mut found))
            }
            "generators" | "transformers" => each(&entry.value, &mut |item| {
                let text = item.as_str().unwrap_or_default();
                if is_inline(text) && !is_public_plugin(text) {
                    found.push(range(item));
                }
            }),
            "patchesstrategicmerge" => each(&entry.value, &mut |item| found.push(range(item))),
            _ => {}
        }
    }
    found
}

/// The items of a list, or what is not a list by mistake.
fn each<'n>(node: &'n Node, see: &mut dyn FnMut(&'n Node)) {
    match &node.data {
        Data::Seq(items) => items.iter().for_each(see),
        _ => see(node),
    }
}

fn generator(item: &Node, found: &mut Vec<Range<u32>>) {
    if item.entries().is_empty() {
        found.push(range(item));
    }
    let is_public = |entry: &&Entry| {
        // A list under a public key is a mistake, and may hold anything.
        PUBLIC.iter().any(|key| entry.key.eq_ignore_ascii_case(key)) && !entry.value.is_list()
    };
    for entry in item.entries().iter().filter(|entry| !is_public(entry)) {
        let is_of_files = FILES.iter().any(|key| entry.key.eq_ignore_ascii_case(key));
        match &entry.value.data {
            Data::Seq(items) if is_of_files => found.extend(
                items
                    .iter()
                    .filter(|item| !item.as_str().is_some_and(is_path))
                    .map(range),
            ),
            _ => found.push(extent(entry)),
        }
    }
}

/// The fields of a generator that name files.
const FILES: [&str; 2] = ["files", "envs"];

/// Returns whether a text names a file, for certain: a value that stands there by mistake has no such form.
pub(super) fn is_path(path: &str) -> bool {
    let path = path.split_once('=').map_or(path, |(_, path)| path);
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'-' | b'_');
    let end = path.rsplit_once('.').map_or("", |(_, end)| end);
    EXTENSIONS.contains(&end) && path.bytes().all(is_plain)
}

/// The ends of the names of files that Secrets are made of.
const EXTENSIONS: [&str; 16] = [
    "cfg",
    "conf",
    "crt",
    "csv",
    "env",
    "ini",
    "json",
    "key",
    "pem",
    "properties",
    "secret",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];

fn patch(item: &Node, found: &mut Vec<Range<u32>>) {
    if item.entries().is_empty() {
        found.push(range(item));
    }
    let changes_no_secret = |entry: &Entry| {
        entry.key == "patch"
            && entry
                .value
                .as_str()
                .is_some_and(|text| is_public_patch(text, item.get("target")))
    };
    let is_public = |entry: &&Entry| {
        ["path", "target", "options"].contains(&&*entry.key) || changes_no_secret(entry)
    };
    found.extend(
        item.entries()
            .iter()
            .filter(|entry| !is_public(entry))
            .map(extent),
    );
}

/// Returns whether a patch changes no Secret and holds none, and nothing else that hides one: what it sets is as public
/// as in the object itself.
pub(crate) fn is_public_patch(text: &str, target: Option<&Node>) -> bool {
    are_all(text, |root| match &root.data {
        Data::Map(_) => is_of_public_kind(root) && !secrecy::may_hold_values(root),
        Data::Seq(_) => target.is_some_and(is_of_public_kind),
        _ => false,
    })
}

/// Returns whether a text parses, has documents, and something holds for each of them.
fn are_all(text: &str, holds: impl Fn(&Node) -> bool) -> bool {
    let mut sink = Sink::default();
    let documents = read(FileId::default(), text, &mut sink);
    sink.diagnostics().is_empty()
        && !documents.is_empty()
        && documents.iter().all(|document| holds(&document.root))
}

/// The plugins of Kustomize that set nothing in Secrets but their metadata.
const PUBLIC_PLUGINS: [&str; 8] = [
    "AnnotationsTransformer",
    "ConfigMapGenerator",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PrefixSuffixTransformer",
    "PrefixTransformer",
    "ReplicaCountTransformer",
];

/// Returns whether a text holds plugins of Kustomize that hold no secret.
pub(super) fn is_public_plugin(text: &str) -> bool {
    are_all(text, |root| {
        root.text_of("apiVersion") == Some("builtin")
            && PUBLIC_PLUGINS.contains(&root.text_of("kind").unwrap_or_default())
    })
}

/// Returns whether the kind of an object or target, which may be a pattern, is for certain that of objects which hold no Secret.
fn is_of_public_kind(node: &Node) -> bool {
    let kind = node.text_of("kind").unwrap_or_default();
    let lower = kind.to_ascii_lowercase();
    !kind.is_empty()
        && kind.bytes().all(|b| b.is_ascii_alphanumeric())
        && !lower.contains("secret")
        && !lower.ends_with("list")
}

const fn range(node: &Node) -> Range<u32> {
    node.span.start..node.span.end
}

/// The range behind a key. The key itself says what stands there.
fn extent(entry: &Entry) -> Range<u32> {
    entry.key_span.end..entry.value.span.end.max(entry.key_span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_secrets_and_patches_are_private() {
        let text = "secretGenerator:\n- name: a\n  literals: [k=b]\n  foo: c\nconfigMapGenerator: [{name: d, literals: [k=d]}]\n\
                    patches:\n- path: e\n- patch: f\n- g\npatchesStrategicMerge: [h]\nSecretGenerator: {name: i, envs: [j]}\n";
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let found = ranges(&documents[0].root);
        let texts: Vec<_> = found
            .iter()
            .map(|range| &text[range.start as usize..range.end as usize])
            .collect();
        assert_eq!(texts, [": [k=b]", ": c", ": f", "g", "h", "j"]);
    }

    #[test]
    fn plugins_are_private_unless_they_hold_no_secret() {
        let text = "generators:\n- '{apiVersion: builtin, kind: SecretGenerator, literals: [a=b]}'\n- '{apiVersion: builtin, kind: ConfigMapGenerator, literals: [a=b]}'\n- g.yaml\n";
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let found = ranges(&documents[0].root);
        assert_eq!(found.len(), 1);
        assert!(
            text[found[0].start as usize..].starts_with("'{apiVersion: builtin, kind: SecretG")
        );
    }

    #[test]
    fn names_of_files_are_public_and_what_may_be_a_value_is_not() {
        let text = "secretGenerator:\n- name: a\n  files: [tls.key, key=certs/tls.pem, k=hunter2, hunter2.x, 'a b.key']\n  envs: [.env]\n";
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let found = ranges(&documents[0].root);
        let texts: Vec<_> = found
            .iter()
            .map(|range| &text[range.start as usize..range.end as usize])
            .collect();
        assert_eq!(texts, ["k=hunter2", "hunter2.x", "'a b.key'"]);
    }

    #[test]
    fn a_patch_is_public_if_it_changes_no_secret() {
        let target = |kind: &str| {
            read(
                FileId::new(0),
                &format!("{{kind: {kind}}}"),
                &mut Sink::default(),
            )
        };
        let is_public = |text: &str, kind: &str| is_public_patch(text, Some(&target(kind)[0].root));
        assert!(is_public_patch(
            "kind: PodMonitor\nmetadata: {labels: {a: b}}\n",
            None
        ));
        assert!(is_public(
            "- {op: add, path: /metadata/labels/a, value: b}\n",
            "PodMonitor"
        ));
        for (text, kind) in [
            ("kind: Secret\nstringData: {a: b}\n", "PodMonitor"),
            ("metadata: {labels: {a: b}}\n", "PodMonitor"),
            ("kind: SealedSecret\nspec: {}\n", "x"),
            ("kind: X\nstringData: {a: b}\n", "x"),
            ("- {op: add, path: /data/a, value: b}\n", "Secret"),
            ("- {op: add, path: /data/a, value: b}\n", "'.*'"),
            ("- {op: add, path: /data/a, value: b}\n", ""),
            ("- [", "PodMonitor"),
        ] {
            assert!(!is_public(text, kind), "{text} {kind}");
        }
    }
}
