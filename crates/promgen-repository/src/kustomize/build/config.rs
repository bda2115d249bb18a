//! Which fields the transformers touch: Kustomize's own, and those of `configurations`.

use std::borrow::Cow;
use std::sync::LazyLock;

use promgen_text::diag::Sink;
use promgen_text::source::Span;
use promgen_text::yaml::read::read;

use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::schema::CONFIGURATION;
use crate::kustomize::read::store::{Store, StoredFile};
use crate::kustomize::read::{fields, value};
use crate::kustomize::spec::{FieldSpec, Gvk};
use crate::kustomize::tables::{self, BackReference};

/// Fields by what is set there.
#[derive(Clone, Debug, Default)]
pub(super) struct TransformerFields {
    pub(super) common_labels: Vec<FieldSpec>,
    pub(super) template_labels: Vec<FieldSpec>,
    pub(super) common_annotations: Vec<FieldSpec>,
    pub(super) namespaces: Vec<FieldSpec>,
    /// Only what has no namespace gets one.
    pub(super) keeps_namespaces: bool,
    pub(super) references: Vec<BackReference>,
    pub(super) var_references: Vec<FieldSpec>,
    pub(super) images: Vec<FieldSpec>,
    pub(super) replicas: Vec<FieldSpec>,
}

/// Kustomize's own fields.
pub(super) static DEFAULT: LazyLock<TransformerFields> = LazyLock::new(TransformerFields::built_in);

impl TransformerFields {
    fn built_in() -> Self {
        Self {
            common_labels: tables::common_labels(),
            template_labels: tables::fields("templateLabels"),
            common_annotations: tables::fields("commonAnnotations"),
            namespaces: tables::fields("namespace"),
            keeps_namespaces: false,
            references: tables::name_references(),
            var_references: tables::fields("varReference"),
            images: tables::fields("images"),
            replicas: tables::fields("replicas"),
        }
    }

    /// Kustomize's own fields, and those of the files of `configurations`.
    ///
    /// # Errors
    /// A file is absent or invalid, or sets what is not supported, or contradicts another.
    pub(super) fn of(
        kustomization: &Kustomization,
        store: &Store<'_>,
        budget: &Budget,
    ) -> BuildResult<Cow<'static, Self>> {
        let paths = kustomization.items("configurations");
        let mut added = Self::default();
        for path in paths {
            let file = kustomization.file_at(store, path);
            match file.and_then(Self::read) {
                Ok(read) => added.merge(read, path.span)?,
                Err(fault) => budget.leave_out(&kustomization.folder, fault)?,
            }
        }
        let Some(last) = paths.last() else {
            return Ok(Cow::Borrowed(&DEFAULT));
        };
        let mut config = DEFAULT.clone();
        config.merge(added, last.span)?;
        Ok(Cow::Owned(config))
    }

    /// The configuration so far, and what a base, a component or the kustomization itself configures.
    ///
    /// # Errors
    /// Two fields contradict each other.
    pub(super) fn joined(
        known: Option<Cow<'static, Self>>,
        more: Cow<'static, Self>,
        span: Span,
    ) -> BuildResult<Cow<'static, Self>> {
        match (known, more) {
            (None | Some(Cow::Borrowed(_)), Cow::Borrowed(own)) => Ok(Cow::Borrowed(own)),
            (known, more) => {
                let mut known = known.map_or_else(Self::default, Cow::into_owned);
                known.merge(more.into_owned(), span)?;
                Ok(Cow::Owned(known))
            }
        }
    }

    fn read(file: &StoredFile<'_>) -> BuildResult<Self> {
        let mut config = Self::default();
        let text = file
            .text
            .ok_or_else(|| BuildFault::new(file.span(), "the file is not UTF-8"))?;
        let mut sink = Sink::default();
        let documents = read(file.id, text, &mut sink);
        if let Some(fault) = value::worst(&sink) {
            return Err(fault);
        }
        // Kustomize reads the first document of the file only.
        let Some(document) = documents.first() else {
            return Ok(config);
        };
        let root = fields::checked(&document.root, &CONFIGURATION)?;
        for entry in root.entries() {
            if entry.key == "nameReference" {
                for item in entry.value.items() {
                    let fields = item
                        .items_of("fieldSpecs")
                        .iter()
                        .map(FieldSpec::read)
                        .collect();
                    let reference = BackReference {
                        target: Gvk::read(item),
                        fields,
                    };
                    config
                        .absorb(reference)
                        .map_err(|path| conflict("nameReference", &path, item.span))?;
                }
                continue;
            }
            let specs = entry.value.items().iter().map(FieldSpec::read);
            if let Some((_, known)) = config
                .lists_mut()
                .into_iter()
                .find(|(key, _)| entry.key == *key)
            {
                known.extend(specs);
            } else if !entry.value.items().is_empty() {
                // An empty list of what promgen does not support changes nothing.
                let message = format!(
                    "`{}` of a configuration cannot be built by promgen",
                    entry.key
                );
                return Err(BuildFault::unsupported(entry.key_span, message));
            }
        }
        config
            .lists_mut()
            .into_iter()
            .for_each(|(_, specs)| sort(specs));
        Ok(config)
    }

    /// The lists of fields, by their keys in a file.
    fn lists_mut(&mut self) -> [(&'static str, &mut Vec<FieldSpec>); 7] {
        [
            ("commonLabels", &mut self.common_labels),
            ("templateLabels", &mut self.template_labels),
            ("commonAnnotations", &mut self.common_annotations),
            ("namespace", &mut self.namespaces),
            ("varReference", &mut self.var_references),
            ("images", &mut self.images),
            ("replicas", &mut self.replicas),
        ]
    }

    fn absorb(&mut self, reference: BackReference) -> Result<(), String> {
        match self
            .references
            .iter_mut()
            .find(|known| known.target == reference.target)
        {
            Some(known) => add_new(&mut known.fields, reference.fields),
            None => {
                self.references.push(reference);
                Ok(())
            }
        }
    }

    /// The number of fields.
    pub(super) fn n_fields(&self) -> usize {
        let references = self.references.iter().map(|reference| &reference.fields);
        let lists = [
            &self.common_labels,
            &self.template_labels,
            &self.common_annotations,
            &self.namespaces,
            &self.var_references,
            &self.images,
            &self.replicas,
        ];
        lists.into_iter().chain(references).map(Vec::len).sum()
    }

    /// Adds what another one has.
    fn merge(&mut self, mut other: Self, span: Span) -> BuildResult {
        let lists = self.lists_mut().into_iter().zip(other.lists_mut());
        for ((key, known), (_, more)) in lists {
            add_new(known, std::mem::take(more)).map_err(|path| conflict(key, &path, span))?;
        }
        for reference in other.references {
            self.absorb(reference)
                .map_err(|path| conflict("nameReference", &path, span))?;
        }
        Ok(())
    }
}

pub(super) fn conflict(key: &str, path: &str, span: Span) -> BuildFault {
    BuildFault::new(
        span,
        format!("the configurations have `{path}` of `{key}` both with and without `create`"),
    )
}

/// Adds fields, but none where a field of the same path is known for some of the same kinds. What is named first has a say in
/// what is added later.
pub(super) fn add_new(specs: &mut Vec<FieldSpec>, more: Vec<FieldSpec>) -> Result<(), String> {
    for spec in more {
        match specs
            .iter()
            .find(|known| known.path == spec.path && spec.of.includes(&known.of))
        {
            Some(known) if known.create != spec.create => return Err(spec.path),
            Some(_) => {}
            None => specs.push(spec),
        }
    }
    sort(specs);
    Ok(())
}

fn sort(specs: &mut [FieldSpec]) {
    specs.sort_by(|a, b| a.of.rank().cmp(&b.of.rank()));
}
