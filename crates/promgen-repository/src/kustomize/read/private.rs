//! Which parts of a kustomization may hold secrets: what makes Secrets, and patches, whatever they change.

use std::ops::Range;

use promgen_text::yaml::{Data, Entry, Node};

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
            "patches" | "patchesjson6902" => each(&entry.value, &mut |item| patch(item, &mut found)),
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
        PUBLIC.iter().any(|key| entry.key.eq_ignore_ascii_case(key)) && !matches!(entry.value.data, Data::Seq(_))
    };
    found.extend(item.entries().iter().filter(|entry| !is_public(entry)).map(extent));
}

fn patch(item: &Node, found: &mut Vec<Range<u32>>) {
    if item.entries().is_empty() {
        found.push(range(item));
    }
    let is_public = |entry: &&Entry| ["path", "target", "options"].contains(&&*entry.key);
    found.extend(item.entries().iter().filter(|entry| !is_public(entry)).map(extent));
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
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    #[test]
    fn inputs_of_secrets_and_patches_are_private() {
        let text = "secretGenerator:\n- name: a\n  literals: [k=b]\n  foo: c\nconfigMapGenerator: [{name: d, literals: [k=d]}]\n\
                    patches:\n- path: e\n- patch: f\n- g\npatchesStrategicMerge: [h]\nSecretGenerator: {name: i, envs: [j]}\n";
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let found = ranges(&documents[0].root);
        let texts: Vec<_> = found.iter().map(|range| &text[range.start as usize..range.end as usize]).collect();
        assert_eq!(texts, [": [k=b]", ": c", ": f", "g", "h", ": [j]"]);
    }
}
