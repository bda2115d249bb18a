//! A project: the texts of a run, read once, and the environments that they make, before anything is typed.
//!
//! In: the inputs and the options. Out: a [`Project`], which every question starts from: it is compiled to a [`Model`], or
//! linted as a whole.
//!
//! [`Model`]: crate::model::Model

mod memory;
mod written;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::operator;
use crate::plain_secrets;
use crate::project::memory::CompiledBefore;
use crate::project::written::ParsedFiles;
use crate::scope;
use promgen_compile::access::Rbac;
use promgen_compile::cluster::Cluster;
use promgen_compile::lower::alertmanager::config::UNLOADABLE;
use promgen_compile::options::Options;
use promgen_compile::output::generated::{self, Generated};
use promgen_compile::sharding::template::Templates;
use promgen_compile::workload::NOT_RECONCILED;
use promgen_repository::charts::ChartOptions;
use promgen_repository::layout::FileRoles;
use promgen_repository::model::{BuildSettings, Environment, Needed, ReadFiles, Repository};
use promgen_repository::path;
use promgen_resources::document::{Document, Manifests};
use promgen_resources::locate::{self, FindingTexts};
use promgen_resources::rendered::{Rendered, Request};
use promgen_resources::secrecy::Private;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Place, Sink};
use promgen_text::limits::Limits;
use promgen_text::origin::{Applier, ReleaseOrigin};
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The texts of a run, and the environments that they make. Those who ask share it.
#[derive(Debug)]
pub struct Project {
    pub(crate) options: Arc<Options>,
    /// The texts.
    pub texts: ProjectTexts,
    pub(crate) templates: Templates,
    /// The limits of the run.
    pub limits: Limits,
    /// The results of the project before, and of this one.
    pub(crate) memory: CompiledBefore,
    /// The builds and environments that they make.
    pub repository: Repository,
    /// The permissions in all files, once somebody asks.
    permissions: OnceLock<Arc<Rbac>>,
    /// The findings of reading. Their places are spans.
    pub found: Sink,
}

/// The texts of a project, as they are written.
#[derive(Debug)]
pub struct ProjectTexts {
    /// All of them, those of templates last.
    pub(crate) sources: Sources,
    /// The number of inputs among them: they come first.
    pub n_inputs: usize,
    /// The length of all inputs.
    pub n_bytes: usize,
    /// The files of `written`.
    parsed: ParsedFiles,
    /// The documents as they are written, those that no environment has among them.
    pub(crate) written: Vec<ParsedDocument>,
    /// The output of an earlier run, which is left out.
    pub generated: Generated,
    /// The parts of texts that may hold secrets.
    private: Private,
    /// The files of policies, those of the options last.
    policies: Vec<FileId>,
}

impl Project {
    /// Reads the texts. Pure: the same inputs and options give the same project. What cannot be read is reported by those
    /// who compile or lint the project.
    #[must_use]
    pub fn read(inputs: &[Input], options: &Options) -> Arc<Self> {
        Self::read_after(
            &ParsedFiles::default(),
            &Sources::default(),
            CompiledBefore::default(),
            inputs,
            options,
        )
    }

    /// Reads other inputs, for other options. Files whose number, name and text are the same as in this project are shared,
    /// and those whose number and text are the same are not parsed again. A model of the project compiles only the workloads
    /// that read something else than before. The result is that of [`Project::read`].
    ///
    /// ```
    /// use promgen_compile::options::Options;
    /// use promgen_model::Project;
    /// use promgen_text::source::Input;
    ///
    /// let text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}}";
    /// let file = |text: &str| Input::new("prometheus.yaml", text);
    /// let options = Options::default();
    /// let project = Project::read(&[file(text)], &options);
    /// let changed = project.with(&[file(text), Input::new("other.yaml", "a: 1")], &options);
    /// assert_eq!(changed.model().output().diagnostics.len(), project.model().output().diagnostics.len() + 1);
    /// ```
    #[must_use]
    pub fn with(&self, inputs: &[Input], options: &Options) -> Arc<Self> {
        Self::read_after(
            &self.texts.parsed,
            &self.texts.sources,
            self.memory.followed(),
            inputs,
            options,
        )
    }

    fn read_after(
        earlier: &ParsedFiles,
        texts: &Sources,
        memory: CompiledBefore,
        inputs: &[Input],
        options: &Options,
    ) -> Arc<Self> {
        let sink = &mut Sink::default();
        let mut sources = texts.with(inputs, sink);
        let templates = Templates::new(&options.templates, &mut sources, sink);
        let policies = policies(options, inputs, &mut sources);
        let rendered = options.rendered.as_deref();
        let layout = FileRoles::new(&sources, inputs, rendered.is_some());
        let version = options.chart_version.as_deref();
        let charts = ChartOptions {
            rendered,
            version,
            is_unrestricted: options.is_unrestricted,
        };
        let n_bytes = inputs.iter().map(|input| input.bytes.len()).sum();
        let limits = options
            .limits
            .for_input(n_bytes + rendered.map_or(0, Rendered::n_bytes));
        let parsed = ParsedFiles::parse(&sources, inputs.len(), &layout, options, earlier, texts);
        let written = parsed.documents(&sources, options, sink);
        let needed = Needed::find(inputs, &sources, &layout, &written);
        let files = needed.parsed(&written, &sources, sink);
        let mut private = needed.private(&written);
        let (objects, generated) = match options.heeds_marks {
            true => generated::leave_out(written.clone(), &sources),
            false => (written.clone(), Generated::default()),
        };
        let read = ReadFiles {
            needed: &needed,
            sources: &sources,
            layout: &layout,
        };
        let settings = BuildSettings {
            limits,
            charts,
            reveals: options.reveal_secrets,
        };
        let repository = Repository::build(&read, &settings, files, objects, sink);
        let shown = repository.releases.iter().flat_map(|of| &of.shown);
        shown.for_each(|span| private.show(*span));
        let hidden = repository.releases.iter().flat_map(|of| &of.private);
        hidden.for_each(|span| private.add(*span));
        let n_inputs = inputs.len();
        Arc::new(Self {
            options: Arc::new(options.clone()),
            texts: ProjectTexts {
                sources,
                n_inputs,
                n_bytes,
                parsed,
                written,
                generated,
                private,
                policies,
            },
            templates,
            limits,
            memory,
            repository,
            permissions: OnceLock::new(),
            found: std::mem::take(sink),
        })
    }

    /// Reads one of two sides that are compared: without values of Secrets, and within half of the limits, as both are
    /// there at once.
    #[must_use]
    pub fn read_side(inputs: &[Input], options: &Options) -> Arc<Self> {
        Self::read(inputs, &of_side(options))
    }

    /// Reads the other side. What both sides have is parsed once.
    #[must_use]
    pub fn other_side(&self, inputs: &[Input], options: &Options) -> Arc<Self> {
        Self::read_after(
            &self.texts.parsed,
            &self.texts.sources,
            CompiledBefore::default(),
            inputs,
            &of_side(options),
        )
    }

    /// The groups that may share a cluster: builds of the repository that hold no object in two forms. Empty if there are no objects.
    #[must_use]
    pub fn environments(&self) -> &[Environment] {
        &self.repository.environments
    }

    /// What Helm is to be asked, so that the project has all objects: each release once. Empty if the options do not say that
    /// Helm is asked.
    #[must_use]
    pub fn wanted(&self) -> BTreeSet<&Request> {
        self.repository
            .releases
            .iter()
            .filter_map(|release| release.wanted.as_ref())
            .collect_set()
    }

    /// The objects that releases of charts make.
    #[must_use]
    pub fn released(&self) -> Vec<Shared<Node>> {
        let is_own = |document: &&ParsedDocument| {
            let applier = document.origin.release().map(|release| release.applier);
            applier.is_some_and(|applier| applier != Applier::Kustomize)
        };
        let documents = self
            .environments()
            .iter()
            .flat_map(|environment| environment.own_documents());
        documents
            .filter(is_own)
            .map(|document| document.root.clone())
            .collect()
    }

    /// The places of secret texts that builds copy to where they stand in the open.
    pub fn copies(&self) -> impl Iterator<Item = Span> {
        self.repository.copies.iter().copied()
    }

    /// The findings of reading, at their places.
    #[must_use]
    pub fn placed(&self) -> Vec<Diagnostic> {
        locate::place(self.found.diagnostics().to_vec(), &[], self.places())
    }

    /// Adds the places of lines or fields inside of the texts that findings about configurations mark. What stands in a line
    /// that may not be shown is only named.
    pub(crate) fn point_into_texts(&self, found: &mut [Diagnostic]) {
        let is_about = |found: &Diagnostic| [&NOT_RECONCILED, &UNLOADABLE].contains(&&*found.rule);
        let place = |found: &Diagnostic| {
            if is_about(found) {
                self.place_in_text(found)
            } else {
                None
            }
        };
        let places: Vec<Option<Span>> = found.iter().map(place).collect();
        let line = |place: &Span| (place.file, self.texts.sources.start(*place).line);
        let wanted: BTreeSet<_> = places.iter().flatten().map(line).collect_set();
        let hidden = match self.options.reveal_secrets || wanted.is_empty() {
            true => BTreeSet::new(),
            false => self.hidden_among(&wanted),
        };
        for (diagnostic, place) in found.iter_mut().zip(places) {
            let Some(place) = place else { continue };
            let (file, line) = line(&place);
            let is_shown = !hidden.contains(&(file, line));
            // A finding about values of a chart stands at the one that is wrong.
            let is_of_values = |span: Span| {
                span.holds(place) && !self.texts.sources.text(span).starts_with(['|', '>'])
            };
            if is_shown && diagnostic.span.is_some_and(is_of_values) {
                diagnostic.span = Some(place);
                diagnostic.place = Some(Place::Span(place));
            } else if diagnostic.is_hidden || is_shown {
                diagnostic
                    .related
                    .push((Place::Span(place), "in this line".to_owned()));
                diagnostic.related_spans.push(place);
            } else {
                diagnostic.help.push(format!(
                    "the cause is in line {line} of `{}`",
                    self.texts.sources.file(file).name
                ));
            }
        }
    }

    /// The place of the line or field that a finding about a configuration names, inside of the text that it marks.
    fn place_in_text(&self, diagnostic: &Diagnostic) -> Option<Span> {
        let mut spans = diagnostic
            .related_spans
            .iter()
            .rev()
            .chain(&diagnostic.span);
        let number = |rest: &str| {
            rest.split(|c: char| !c.is_ascii_digit())
                .next()
                .and_then(|digits| digits.parse().ok())
        };
        let line: Option<usize> = diagnostic
            .message
            .rsplit_once("line ")
            .and_then(|(_, rest)| number(rest));
        let field = diagnostic
            .message
            .split_once(": field ")
            .and_then(|(_, rest)| rest.split(' ').next());
        spans.find_map(|span| {
            let text = self.texts.sources.text(*span);
            // A block scalar begins behind its indicator.
            if text.starts_with(['|', '>']) {
                return within_block(*span, text, line?);
            }
            let (at, length) = key_in(text, field?)?;
            let start = span.start + u32::try_from(at).ok()?;
            Some(Span {
                file: span.file,
                start,
                end: start + u32::try_from(length).ok()?,
            })
        })
    }

    /// The files of policies, those that the options bring last.
    pub fn policy_files(&self) -> impl Iterator<Item = FileId> {
        self.texts.policies.iter().copied()
    }

    /// The limits of the run, for its input.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// The options that the project was read with.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The texts, those of templates last.
    #[must_use]
    pub const fn sources(&self) -> &Sources {
        &self.texts.sources
    }

    /// The lines of each input, counted from 1, that may not be shown: those that hold a secret, or may hold one. Patches
    /// and values may hold secrets too: everything counts as it is written.
    #[must_use]
    pub fn hidden_lines(&self) -> Vec<BTreeSet<usize>> {
        let manifests = self.as_written();
        locate::hidden_lines(
            self.plain_secrets(&manifests.documents),
            &manifests.documents,
            self.places(),
        )
    }

    /// Returns whether a file is one of the inputs: others are templates, and what Helm renders.
    #[must_use]
    pub fn is_input(&self, file: FileId) -> bool {
        self.texts
            .sources
            .index_of(file)
            .is_some_and(|index| index < self.texts.n_inputs)
    }

    /// Those of some lines, each of a file and counted from 1, that may not be shown.
    #[must_use]
    pub fn hidden_among(&self, wanted: &BTreeSet<(FileId, usize)>) -> BTreeSet<(FileId, usize)> {
        let manifests = self.as_written();
        let secrets = self.plain_secrets(&manifests.documents);
        locate::hidden_among(wanted, secrets, &manifests.documents, self.places())
    }

    /// The findings about secrets that stand in the open.
    fn plain_secrets(&self, documents: &[Document]) -> Vec<Diagnostic> {
        let mut secrets = Sink::default();
        let cluster = Cluster::load(
            documents,
            self.options.target.operator_version(),
            &self.options.definitions,
            &mut Sink::default(),
        );
        plain_secrets::check(&cluster, &mut secrets);
        secrets.into_diagnostics()
    }

    /// The releases of the operator that the environments show, each once.
    #[must_use]
    pub fn operator_releases(&self) -> Vec<Version> {
        let mut found = Vec::new();
        for environment in self.environments() {
            let documents = environment.documents.iter().cloned();
            let manifests =
                Manifests::read(documents, &self.options.namespace, &mut Sink::default());
            let of_chart = || environment.operator().cloned();
            found.extend(
                operator::shown(&manifests)
                    .or_else(of_chart)
                    .filter(|release| !found.contains(release)),
            );
        }
        found
    }

    /// Returns whether releases of a chart install an operator that promgen knows.
    #[must_use]
    pub fn installs_operator(&self) -> bool {
        let documents = self
            .environments()
            .iter()
            .flat_map(|environment| &environment.documents);
        documents
            .filter_map(|document| document.origin.release())
            .any(|release| release.operator.is_some())
    }

    /// A sentence about the charts whose objects are not known, if there are some.
    #[must_use]
    pub fn unread_charts(&self) -> Option<String> {
        self.repository.unread_charts.sentence()
    }

    /// The objects as they are written, whatever kustomizations make of them.
    pub fn as_written(&self) -> Manifests {
        Manifests::read(
            self.texts.written.iter().cloned(),
            &self.options.namespace,
            &mut Sink::default(),
        )
    }

    /// The places of values of charts that something may override which is not known.
    /// `is_it`: of which releases.
    pub fn overridden(&self, is_it: impl Fn(&ReleaseOrigin) -> bool) -> BTreeSet<Span> {
        let documents = self
            .environments()
            .iter()
            .flat_map(|environment| &environment.documents);
        let releases = documents.filter_map(|document| document.origin.release());
        releases
            .filter(|release| is_it(release))
            .map(|release| release.place)
            .collect()
    }

    /// The permissions in all files.
    pub(crate) fn permissions(&self) -> Arc<Rbac> {
        let read = || {
            Arc::new(Rbac::read(
                &self.as_written(),
                &|_| false,
                self.options.namespace_is_known,
            ))
        };
        Arc::clone(self.permissions.get_or_init(read))
    }

    /// The texts, how many of them are manifests, and which parts of them may hold secrets.
    pub const fn places(&self) -> FindingTexts<'_> {
        FindingTexts {
            sources: &self.texts.sources,
            n_manifests: self.texts.n_inputs,
            private: &self.texts.private,
        }
    }

    /// Leaves out what does not concern the operator and is less than `level`, if the options say so; with the number of
    /// findings left out.
    pub fn scoped(
        &self,
        found: Vec<Diagnostic>,
        manifests: &Manifests,
        level: Level,
    ) -> (Vec<Diagnostic>, usize) {
        if !self.options.operator_only {
            return (found, 0);
        }
        let scope::ScopedFindings { kept, n_others } =
            scope::apply(found, &manifests.documents, &self.texts.sources, level);
        (kept, n_others)
    }
}

/// The files of policies: those among the inputs, then those of the options, which take the place of inputs of the same path.
fn policies(options: &Options, inputs: &[Input], sources: &mut Sources) -> Vec<FileId> {
    let given = &options.policies;
    let path = |name: &str| path::join(".", name);
    let is_given = |name: &str| given.iter().any(|file| path(&file.name) == path(name));
    let read = sources.files().take(inputs.len());
    let read = read.filter(|(_, file)| {
        !options.trusts_given_policies
            && path::has_policies(&file.name, &file.text)
            && !is_given(&file.name)
    });
    let mut files: Vec<FileId> = read.map(|(id, _)| id).collect();
    for file in given {
        let text = String::from_utf8_lossy(&file.bytes);
        files.push(sources.add(file.name.clone(), text.into_owned()));
    }
    files
}

/// The options of one of two sides.
fn of_side(options: &Options) -> Options {
    let limits = options.limits.divided(2);
    Options {
        is_repository: true,
        limits,
        ..options.clone()
    }
}

/// The text of a line of a block scalar, counted from 1.
fn within_block(span: Span, text: &str, line: usize) -> Option<Span> {
    let (mut start, mut lines) = (0, text.split_inclusive('\n'));
    for _ in 0..line {
        start += lines.next()?.len();
    }
    let found = lines.next()?;
    let indent = found.len() - found.trim_start().len();
    let start = span.start + u32::try_from(start + indent).ok()?;
    Some(Span {
        file: span.file,
        start,
        end: start + u32::try_from(found.trim().len()).ok()?,
    })
}

/// Where a text has a key of YAML, and its length.
fn key_in(text: &str, key: &str) -> Option<(usize, usize)> {
    let is_start = |at: usize| {
        text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '{' | ',' | '"' | '\''))
    };
    let is_end = |at: usize| {
        text[at + key.len()..]
            .trim_start_matches(['"', '\''])
            .starts_with(':')
    };
    text.match_indices(key)
        .map(|(at, _)| at)
        .find(|at| is_start(*at) && is_end(*at))
        .map(|at| (at, key.len()))
}
