//! The manifests among the texts of a project, as they are written. A text is parsed once, also for a later project.

use std::sync::Arc;

use promgen_compile::options::Options;
use promgen_compile::output::generated::RecordedFiles;
use promgen_repository::layout::{self, FileRole, FileRoles};
use promgen_text::diag::Sink;
use promgen_text::parallel;
use promgen_text::source::{FileId, SourceFile, Sources};
use promgen_text::yaml;
use promgen_text::yaml::read::ParsedDocument;

/// A file, parsed.
#[derive(Debug)]
pub(super) struct ParsedFile {
    documents: Vec<ParsedDocument>,
    findings: Sink,
    is_invalid: bool,
}

/// The files of a project that were parsed, by their numbers, and the texts that they were parsed from.
#[derive(Clone, Debug, Default)]
pub(super) struct ParsedFiles(Vec<Option<Arc<ParsedFile>>>);

impl ParsedFile {
    fn parse(id: FileId, file: &SourceFile) -> Self {
        let mut findings = Sink::default();
        let documents = yaml::read::read(id, &file.text, &mut findings);
        let is_invalid = findings
            .diagnostics()
            .iter()
            .any(|d| *d.rule == yaml::read::INVALID_YAML);
        Self {
            documents,
            findings,
            is_invalid,
        }
    }
}

impl ParsedFiles {
    /// Parses the manifests among the first `n_inputs` texts, but for those that an earlier project has parsed. Files of a
    /// rendered tree that hold no objects are skipped.
    pub(super) fn parse(
        sources: &Sources,
        n_inputs: usize,
        layout: &FileRoles,
        options: &Options,
        earlier: &Self,
        texts: &Sources,
    ) -> Self {
        let recorded = if options.heeds_marks {
            RecordedFiles::of(sources)
        } else {
            RecordedFiles::default()
        };
        let files: Vec<_> = sources.files().take(n_inputs).collect();
        let parsed = |&(id, file): &(FileId, &SourceFile)| {
            if layout.role(id) != FileRole::Manifests || recorded.is_output(file) {
                return None;
            }
            let known = texts
                .index_of(id)
                .and_then(|index| earlier.0.get(index))
                .and_then(Option::as_ref);
            let known = known.filter(|_| sources.has_text_of(texts, id));
            Some(known.map_or_else(|| Arc::new(ParsedFile::parse(id, file)), Arc::clone))
        };
        Self(parallel::map(&files, 1, parsed))
    }

    /// The documents, and what parsing found, in the order of the files. Charts and templates of a repository are reported
    /// instead.
    pub(super) fn documents(
        &self,
        sources: &Sources,
        options: &Options,
        sink: &mut Sink,
    ) -> Vec<ParsedDocument> {
        let is_repository = options.is_repository || options.operator_only;
        let (mut documents, mut templates) = (Vec::new(), Vec::new());
        for ((id, file), parsed) in sources.files().zip(&self.0) {
            let Some(parsed) = parsed else { continue };
            if parsed.is_invalid && is_repository && layout::has_template_actions(file) {
                templates.push(id);
            } else {
                documents.extend(parsed.documents.iter().cloned());
                sink.append(parsed.findings.clone());
            }
        }
        layout::report_templates(&templates, sources, sink);
        documents
    }
}
