//! Which fields the transformers touch: Kustomize's own, and those of `configurations`.

use std::sync::LazyLock;

use promgen_text::diag::Sink;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

use super::spec::{FieldSpec, Gvk};
use super::tables::{self, BackReference};
use crate::kustomize::fault::BuildFault;
use crate::kustomize::read::fields;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::schema::CONFIGURATION;
use crate::kustomize::read::store::{Store, StoredFile};
use crate::kustomize::read::value;

/// Fields by what is set there.
#[derive(Clone, Debug)]
pub(super) struct TransformerFields {
    pub(super) common_labels: Vec<FieldSpec>,
    pub(super) template_labels: Vec<FieldSpec>,
    pub(super) common_annotations: Vec<FieldSpec>,
    pub(super) namespaces: Vec<FieldSpec>,
    pub(super) references: Vec<BackReference>,
    pub(super) var_references: Vec<FieldSpec>,
}

/// Kustomize's own fields.
pub(super) static DEFAULT: LazyLock<TransformerFields> = LazyLock::new(TransformerFields::default);

impl Default for TransformerFields {
    fn default() -> Self {
        Self {
            common_labels: tables::common_labels(),
            template_labels: tables::template_labels(),
            common_annotations: tables::common_annotations(),
            namespaces: tables::namespaces(),
            references: tables::name_references(),
            var_references: tables::var_references(),
        }
    }
}

impl TransformerFields {
    /// Adds the files of `configurations`.
    ///
    /// # Errors
    /// A file is absent or invalid, or sets what is not supported.
    pub(super) fn extend(&mut self, kustomization: &Kustomization, store: &Store<'_>) -> Result<(), BuildFault> {
        for path in kustomization.items("configurations") {
            let file = kustomization.file(store, path.as_str().unwrap_or_default(), path.span)?;
            self.add(file)?;
        }
        Ok(())
    }

    fn add(&mut self, file: &StoredFile<'_>) -> Result<(), BuildFault> {
        let text = file.text.ok_or_else(|| BuildFault::new(file.span(), "the file is not UTF-8"))?;
        let mut sink = Sink::default();
        let documents = read(file.id, text, &mut sink);
        if let Some(fault) = value::worst(&sink) {
            return Err(fault);
        }
        // Kustomize reads the first document of the file only.
        let Some(document) = documents.first() else { return Ok(()) };
        let root = fields::checked(&document.root, &CONFIGURATION)?;
        for entry in root.entries() {
            let specs = || entry.value.items().iter().map(FieldSpec::read);
            match entry.key.as_ref() {
                "nameReference" => entry.value.items().iter().for_each(|item| self.refer(item)),
                "commonLabels" => self.common_labels.extend(specs()),
                "templateLabels" => self.template_labels.extend(specs()),
                "commonAnnotations" => self.common_annotations.extend(specs()),
                // `metadata.namespace` is set in any case.
                "namespace" => self.namespaces.extend(specs().filter(|spec| spec.path != "metadata/namespace")),
                "varReference" => self.var_references.extend(specs()),
                // An empty list of what promgen does not support changes nothing.
                key if entry.value.items().is_empty() => drop(key.len()),
                key => {
                    let message = format!("`{key}` of a configuration cannot be built by promgen");
                    return Err(BuildFault::unsupported(entry.key_span, message));
                }
            }
        }
        Ok(())
    }

    fn refer(&mut self, item: &Node) {
        let target = Gvk::read(item);
        let fields = item.get("fieldSpecs").map_or(&[][..], Node::items).iter().map(FieldSpec::read).collect();
        self.absorb(BackReference { target, fields });
    }

    fn absorb(&mut self, reference: BackReference) {
        match self.references.iter_mut().find(|known| known.target == reference.target) {
            Some(known) => add_new(&mut known.fields, reference.fields),
            None => self.references.push(reference),
        }
    }

    /// The number of fields.
    pub(super) fn n_fields(&self) -> usize {
        let lists = [
            &self.common_labels,
            &self.template_labels,
            &self.common_annotations,
            &self.namespaces,
            &self.var_references,
        ];
        let references = self.references.iter().map(|reference| reference.fields.len());
        lists.into_iter().map(Vec::len).chain(references).sum()
    }

    /// Takes what a base has configured.
    pub(super) fn merge(&mut self, other: Self) {
        add_new(&mut self.common_labels, other.common_labels);
        add_new(&mut self.template_labels, other.template_labels);
        add_new(&mut self.common_annotations, other.common_annotations);
        add_new(&mut self.namespaces, other.namespaces);
        add_new(&mut self.var_references, other.var_references);
        other.references.into_iter().for_each(|reference| self.absorb(reference));
    }
}

fn add_new(specs: &mut Vec<FieldSpec>, more: Vec<FieldSpec>) {
    for spec in more {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
}
