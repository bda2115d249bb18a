//! The manifests among the texts of a project, as they are written.

use promgen_compile::options::Options;
use promgen_compile::output::generated;
use promgen_repository::layout::{self, Layout, Role};
use promgen_text::diag::Sink;
use promgen_text::source::{FileId, SourceFile, Sources};
use promgen_text::yaml;
use promgen_text::yaml::read::ParsedDocument;
use rayon::prelude::*;

/// Reads the manifests among the first `n_inputs` texts. Files of a rendered tree that hold no objects are skipped, and so
/// are those of charts and templates, which are reported. Findings keep the order of the files.
pub(super) fn read(
    sources: &Sources,
    n_inputs: usize,
    layout: &Layout,
    options: &Options,
    sink: &mut Sink,
) -> Vec<ParsedDocument> {
    let manifests = sources.files().take(n_inputs);
    let is_output = |file: &SourceFile| options.heeds_marks && generated::is_raw_output(file);
    let is_read = |(id, file): &(FileId, &SourceFile)| layout.role(*id) == Role::Manifests && !is_output(file);
    let files: Vec<_> = manifests.filter(is_read).collect();
    let is_repository = options.is_repository || options.operator_only;
    let read_file = |(id, file): (FileId, &SourceFile)| {
        let mut sink = Sink::default();
        let documents = yaml::read::read(id, &file.text, &mut sink);
        let is_invalid = sink.diagnostics().iter().any(|d| *d.rule == yaml::read::INVALID_YAML);
        let is_template = is_invalid && is_repository && layout::has_template_actions(file);
        if is_template { Err(id) } else { Ok((documents, sink)) }
    };
    let read: Vec<_> = files.into_par_iter().map(read_file).collect();
    let (mut documents, mut templates) = (Vec::new(), Vec::new());
    for file in read {
        match file {
            Ok((file, findings)) => {
                documents.extend(file);
                sink.append(findings);
            }
            Err(template) => templates.push(template),
        }
    }
    layout::report_templates(&templates, sources, sink);
    documents
}
