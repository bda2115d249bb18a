//! `buildMetadata`: annotations that say where an object comes from and what has changed it, and the label of Kustomize.
//!
//! In: what the kustomization at the top asks for, and what each level does. Out: annotations and a label on the built objects.

use promgen_text::yaml::{Node, edit};

use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::kustomization::Kustomization;

const ORIGIN: &str = "config.kubernetes.io/origin";
const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The release whose builds promgen makes.
const KUSTOMIZE: &str = "kustomize-v5.8.0";

/// The requests of the kustomization at the top.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildMetadata {
    origins: bool,
    transformations: bool,
    label: bool,
    /// The folder of the build, which paths are relative to.
    root: String,
}

impl BuildMetadata {
    /// Reads `buildMetadata`.
    pub(super) fn of(kustomization: &Kustomization) -> Self {
        let has = |name: &str| {
            kustomization
                .items("buildMetadata")
                .iter()
                .any(|item| item.as_str() == Some(name))
        };
        Self {
            origins: has("originAnnotations"),
            transformations: has("transformerAnnotations"),
            label: has("managedByLabel"),
            root: kustomization.folder.clone(),
        }
    }

    /// Takes note of the file of an object.
    pub(super) fn read(&self, object: &mut BuiltObject, path: &str) {
        if self.origins {
            object.origin = Some(format!("path: {}\n", relative(&self.root, path)));
        }
    }

    /// Takes note of the generators of objects that have no origin yet.
    pub(super) fn generated(&self, objects: &mut [BuiltObject], by: &Kustomization) {
        if !self.origins {
            return;
        }
        for object in objects.iter_mut().filter(|object| object.origin.is_none()) {
            let kind = match &*object.id().kind {
                "ConfigMap" => "ConfigMapGenerator",
                "Secret" => "SecretGenerator",
                _ => "HelmChartInflationGenerator",
            };
            object.origin = Some(configured(&self.root, &by.path, "builtin", kind, None, ""));
        }
    }

    /// Takes note of the transformers of a level.
    pub(super) fn transformed(&self, objects: &mut [BuiltObject], by: &Kustomization) {
        if self.transformations {
            let entries: String = transformers(by)
                .into_iter()
                .map(|kind| {
                    format!(
                        "- {}",
                        configured(&self.root, &by.path, "builtin", kind, None, "  ")
                    )
                })
                .collect();
            objects
                .iter_mut()
                .for_each(|object| object.transformations.push_str(&entries));
        }
    }

    /// Takes note of a transformer that a file configures.
    pub(super) fn transformed_by(&self, objects: &mut [BuiltObject], plugin: &Node, path: &str) {
        if self.transformations {
            let text = |keys: &[&str]| plugin.text_at(keys);
            let configured = configured(
                &self.root,
                path,
                text(&["apiVersion"]).unwrap_or_default(),
                text(&["kind"]).unwrap_or_default(),
                text(&["metadata", "name"]),
                "  ",
            );
            let entry = format!("- {configured}");
            objects
                .iter_mut()
                .for_each(|object| object.transformations.push_str(&entry));
        }
    }

    /// Writes what was noted.
    pub(super) fn write(&self, object: &mut BuiltObject) {
        let span = object.node.span;
        let origin = object.origin.take().map(|origin| (ORIGIN, origin));
        let transformations = std::mem::take(&mut object.transformations);
        let transformations =
            (!transformations.is_empty()).then_some((TRANSFORMATIONS, transformations));
        let label = self.label.then(|| (MANAGED_BY, KUSTOMIZE.to_owned()));
        // Others may hold the object: it is copied only if there is something to write.
        if origin.is_none() && transformations.is_none() && label.is_none() {
            return;
        }
        let written = [
            ("annotations", origin),
            ("annotations", transformations),
            ("labels", label),
        ];
        let Some(metadata) = edit::get_or_insert(&mut object.node, "metadata", || edit::map(span))
        else {
            return;
        };
        for (field, (key, value)) in written
            .into_iter()
            .filter_map(|(field, entry)| Some((field, entry?)))
        {
            if let Some(map) = edit::get_or_insert(metadata, field, || edit::map(span)) {
                edit::set(map, key, span, edit::text(value, span));
            }
        }
    }
}

/// The text about something that a file configures.
fn configured(
    root: &str,
    path: &str,
    api_version: &str,
    kind: &str,
    name: Option<&str>,
    indent: &str,
) -> String {
    let path = relative(root, path);
    let name = name
        .map(|name| format!("{indent}  name: {name}\n"))
        .unwrap_or_default();
    format!(
        "configuredIn: {path}\n{indent}configuredBy:\n{indent}  apiVersion: {api_version}\n{indent}  kind: {kind}\n{name}"
    )
}

/// The transformers of a kustomization, in their order.
fn transformers(of: &Kustomization) -> Vec<&'static str> {
    let n = |key: &str| of.items(key).len();
    let once = |key: &str| usize::from(n(key) > 0 || of.text(key).is_some());
    let maps = |key: &str| usize::from(of.get(key).is_some_and(|map| !map.entries().is_empty()));
    let n_labels = match n("labels") + maps("commonLabels") {
        0 => 0,
        // That of the common labels is there even if there are none.
        _ => n("labels") + 1,
    };
    let all = [
        (
            "PatchStrategicMergeTransformer",
            once("patchesStrategicMerge"),
        ),
        ("PatchTransformer", n("patches")),
        ("NamespaceTransformer", once("namespace")),
        ("PrefixTransformer", once("namePrefix")),
        ("SuffixTransformer", once("nameSuffix")),
        ("LabelTransformer", n_labels),
        ("AnnotationsTransformer", maps("commonAnnotations")),
        ("PatchJson6902Transformer", n("patchesJson6902")),
        ("ReplicaCountTransformer", n("replicas")),
        ("ImageTagTransformer", n("images")),
        ("ReplacementTransformer", once("replacements")),
    ];
    all.into_iter()
        .flat_map(|(kind, n)| std::iter::repeat_n(kind, n))
        .collect()
}

/// A path as it is seen from a folder.
fn relative(folder: &str, path: &str) -> String {
    let folders: Vec<&str> = folder.split('/').filter(|part| *part != ".").collect();
    let parts: Vec<&str> = path.split('/').collect();
    let n_common = folders
        .iter()
        .zip(&parts)
        .take_while(|(a, b)| a == b)
        .count();
    let up = std::iter::repeat_n("..", folders.len() - n_common);
    up.chain(parts[n_common..].iter().copied())
        .collect::<Vec<_>>()
        .join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_that_a_folder_sees() {
        for (folder, path, expected) in [
            (".", "a.yaml", "a.yaml"),
            ("a/b", "a/c/d.yaml", "../c/d.yaml"),
            ("a", "a/b.yaml", "b.yaml"),
        ] {
            assert_eq!(relative(folder, path), expected);
        }
    }
}
