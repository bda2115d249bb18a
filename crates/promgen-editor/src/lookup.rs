//! Answers about places of a project: what is there, where it leads, who refers to it, and what can be typed.
//!
//! In: a project. Out: answers by the name of a file and a position. A file may be part of several environments: each is
//! compiled when the first question needs it, and kept.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::about::Briefs;
use crate::complete::{Completions, Surroundings, complete};
use crate::cursor::{self, Spot};
use crate::links::Links;
use crate::outline::Outline;
use crate::symbols::{Symbol, symbols};
use crate::{EditorPosition, about, fields};
use promgen_model::Model;
use promgen_model::Project;
use promgen_model::environments;
use promgen_repository::model::Environment;
use promgen_resources::api::Kind;
use promgen_resources::document::{self, Document, Manifests};
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, Subject, escape};
use promgen_text::route::{At, ValueRoute};
use promgen_text::source::{FileId, SourceFile, Span};
use promgen_text::yaml;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The maximum number of environments that an answer looks at.
const MAX_ENVIRONMENTS: usize = 6;

/// The maximum number of environments that a finding names.
const MAX_NAMES: usize = 3;

/// The maximum number of compiled environments that are kept.
const MAX_COMPILED: usize = 2 * MAX_ENVIRONMENTS;

/// A page about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Markdown.
    pub text: String,
    /// The text that it is about.
    pub span: Span,
}

/// An environment, compiled.
#[derive(Debug)]
struct CompiledEnvironment {
    model: Model,
    links: Links,
}

/// A project that answers.
#[derive(Debug)]
pub struct Lookup {
    project: Arc<Project>,
    briefs: Briefs,
    compiled: Vec<OnceLock<CompiledEnvironment>>,
    /// The names of the environments.
    names: OnceLock<Vec<String>>,
    /// The names of files with values of kube-prometheus-stack, those among them that do not parse for now.
    values: BTreeSet<String>,
}

/// A place in a file.
struct CursorPlace<'l> {
    file: FileId,
    source: &'l SourceFile,
    byte: u32,
    /// The documents of the file as they are written.
    written: Vec<ParsedDocument>,
    /// The key or value there.
    spot: Option<Spot>,
}

impl CursorPlace<'_> {
    /// The document around it as it is written.
    fn document(&self) -> Option<&Node> {
        let holds =
            |document: &&ParsedDocument| cursor::holds(document.root.span, self.file, self.byte);
        self.written
            .iter()
            .find(holds)
            .map(|document| &*document.root)
    }

    /// The places in the objects that the place is part of.
    fn objects(&self, documents: &[Document]) -> Vec<(At, Spot)> {
        let found = cursor::places(documents, self.file, self.byte);
        match (self.document(), &self.spot) {
            (Some(written), Some(spot)) if found.is_empty() => {
                cursor::patched(documents, written, spot)
            }
            _ => found,
        }
    }
}

impl Lookup {
    /// Answers about a project. Compiles nothing yet.
    #[must_use]
    pub fn new(project: &Arc<Project>, briefs: Briefs) -> Self {
        Self::after(project, briefs, None)
    }

    /// The same, with what an earlier project knew of files that may not parse while they are typed.
    #[must_use]
    pub fn after(project: &Arc<Project>, briefs: Briefs, earlier: Option<&Self>) -> Self {
        let compiled = project
            .environments()
            .iter()
            .map(|_| OnceLock::new())
            .collect();
        let files = project
            .repository
            .releases
            .iter()
            .flat_map(|release| &release.of_stack)
            .map(|file| project.sources().file(*file).name.clone());
        let values = files
            .chain(
                earlier
                    .into_iter()
                    .flat_map(|earlier| earlier.values.iter().cloned()),
            )
            .collect_set();
        Self {
            project: Arc::clone(project),
            briefs,
            compiled,
            names: OnceLock::new(),
            values,
        }
    }

    /// The name of an environment.
    fn name(&self, number: usize) -> Option<&str> {
        let names = self
            .names
            .get_or_init(|| environments::names(self.project.environments()));
        let name = names.get(number)?;
        Some(if name.is_empty() { "." } else { name })
    }

    /// The names of the environments that have a finding. `None` if there is only one environment, and where several that share a
    /// file have the same finding in it.
    #[must_use]
    pub fn environments_of(&self, found: &Diagnostic) -> Option<String> {
        let file = found.span.filter(|_| !found.environments.is_empty())?.file;
        let n_holders = self
            .project
            .environments()
            .iter()
            .filter(|of| of.files.contains(&file))
            .count();
        let is_everywhere = n_holders > 1 && found.environments.len() >= n_holders;
        let (shown, others) = found
            .environments
            .split_at(found.environments.len().min(MAX_NAMES));
        let names: Vec<&str> = shown
            .iter()
            .filter_map(|number| self.name(*number))
            .collect();
        let names = Some(names.join(", ")).filter(|names| !names.is_empty() && !is_everywhere)?;
        Some(if others.is_empty() {
            names
        } else {
            format!("{names} and {} more", others.len())
        })
    }

    /// The project.
    #[must_use]
    pub const fn project(&self) -> &Arc<Project> {
        &self.project
    }

    fn file(&self, name: &str) -> Option<(FileId, &SourceFile)> {
        self.project
            .sources()
            .files()
            .take(self.project.texts.n_inputs)
            .find(|(_, file)| file.name == name)
    }

    fn place(&self, name: &str, at: EditorPosition) -> Option<CursorPlace<'_>> {
        let (file, source) = self.file(name)?;
        let offset = cursor::offset(source, at)?;
        let written = written(file, source);
        let spot = cursor::spot(&written, file, &source.text, offset);
        Some(CursorPlace {
            file,
            source,
            byte: u32::try_from(offset).ok()?,
            written,
            spot,
        })
    }

    /// Forgets compiled environments, if there are more than the next answer may need.
    pub fn forget_some(&mut self) {
        if self
            .compiled
            .iter()
            .filter(|cell| cell.get().is_some())
            .count()
            > MAX_COMPILED
        {
            self.forget();
        }
    }

    /// Forgets all compiled environments: they are compiled again when a question needs them.
    pub fn forget(&mut self) {
        self.compiled
            .iter_mut()
            .for_each(|cell| *cell = OnceLock::new());
    }

    /// The environments that a file is part of, with their numbers.
    fn parts(&self, file: FileId) -> impl Iterator<Item = (usize, &Environment)> {
        let is_part = move |environment: &Environment| {
            let of_file = |document: &ParsedDocument| {
                document.span.file == file || document.root.span.file == file
            };
            environment.files.contains(&file) || environment.documents.iter().any(of_file)
        };
        self.project
            .environments()
            .iter()
            .enumerate()
            .filter(move |(_, environment)| is_part(environment))
    }

    /// The first environments that a file is part of, compiled, with their names. None has a name if there is only one.
    fn environments(
        &self,
        file: FileId,
    ) -> impl Iterator<Item = (Option<String>, &CompiledEnvironment)> {
        let n_all = self.project.environments().len();
        self.parts(file)
            .take(MAX_ENVIRONMENTS)
            .filter_map(move |(number, _)| {
                let name = self
                    .name(number)
                    .filter(|_| n_all > 1)
                    .map(escape::markdown_code);
                Some((name, self.compiled(number)?))
            })
    }

    fn compiled(&self, number: usize) -> Option<&CompiledEnvironment> {
        let environment = self.project.environments().get(number)?;
        let compile = || {
            let model = self.project.compile_with_targets(environment, 0);
            let links = Links::of(&model);
            CompiledEnvironment { model, links }
        };
        self.compiled
            .get(number)
            .map(|cell| cell.get_or_init(compile))
    }

    /// The environment of a file, or of the files nearest to it: one that does not parse is part of none.
    fn beside(&self, file: FileId) -> Option<&CompiledEnvironment> {
        let name = &self.project.sources().file(file).name;
        let n_shared = |other: &FileId| {
            let other = &self.project.sources().file(*other).name;
            let folder = |name: &str| name.rfind('/').map_or(0, |at| at + 1);
            let end = folder(name).min(folder(other));
            let same = name
                .bytes()
                .zip(other.bytes())
                .take(end)
                .take_while(|(a, b)| a == b);
            same.filter(|(a, _)| *a == b'/').count()
        };
        let nearness = |environment: &Environment| environment.files.iter().map(n_shared).max();
        let all = self.project.environments().iter().enumerate();
        // Of several that are as near, the first one counts.
        let nearest = all
            .rev()
            .max_by_key(|(_, environment)| nearness(environment))?;
        self.compiled(nearest.0)
    }

    /// The text to show for the key or value at a place.
    #[must_use]
    pub fn hover(&self, name: &str, at: EditorPosition) -> Option<Hover> {
        let place = self.place(name, at)?;
        let spot = place.spot.as_ref()?;
        let mut sections = self.known(&place);
        sections.extend(expression(&place, spot));
        sections.extend(page(&place, spot).or_else(|| self.page_of_made(&place)));
        (!sections.is_empty()).then(|| Hover {
            text: sections.join("\n\n"),
            span: spot.span,
        })
    }

    /// The facts of each environment about a place: about each object that is made of it.
    fn known(&self, place: &CursorPlace<'_>) -> Vec<String> {
        let mut known = Vec::new();
        for (name, compiled) in self.environments(place.file) {
            let documents = &compiled.model.manifests().documents;
            for (at, spot) in place.objects(documents) {
                let Some(document) = document::find(documents, at.doc) else {
                    continue;
                };

                if let Some(list) =
                    bullets(&about_spot(&compiled.model, document, &spot, self.briefs))
                {
                    known.push(Known {
                        environment: name.clone(),
                        object: document.subject(),
                        list,
                    });
                }
            }
        }
        let mut sections = sections(known);
        let n_more = self
            .parts(place.file)
            .count()
            .saturating_sub(MAX_ENVIRONMENTS);
        if n_more > 0 && !sections.is_empty() {
            sections.push(format!(
                "The file is part of {}, which are left out here.",
                counted(n_more, "more environment")
            ));
        }
        sections
    }

    /// The page of the field that a value of a chart becomes.
    fn page_of_made(&self, place: &CursorPlace<'_>) -> Option<String> {
        let page = |compiled: &CompiledEnvironment| {
            let documents = &compiled.model.manifests().documents;
            let (at, spot) = cursor::places(documents, place.file, place.byte)
                .into_iter()
                .next()?;
            let document = document::find(documents, at.doc)?;
            let text =
                |route: &ValueRoute| cursor::value(&document.node, route).and_then(Node::as_str);
            let described = fields::described(document.kind, &spot.route, text)?;
            fields::page(document.kind, &spot.route, described)
        };
        self.environments(place.file)
            .find_map(|(_, compiled)| page(compiled))
    }

    /// The place where what stands at a place is defined.
    #[must_use]
    pub fn definitions(&self, name: &str, at: EditorPosition) -> BTreeSet<Span> {
        self.follow(name, at, Links::definitions)
    }

    /// The references to the object at a place. `with_itself`: with the place that they refer to.
    #[must_use]
    pub fn references(&self, name: &str, at: EditorPosition, with_itself: bool) -> BTreeSet<Span> {
        let mut found = self.follow(name, at, Links::references);
        if with_itself && !found.is_empty() {
            found.extend(self.follow(name, at, Links::targets));
        }
        found
    }

    fn follow(
        &self,
        name: &str,
        at: EditorPosition,
        follow: impl Fn(&Links, FileId, u32) -> BTreeSet<Span>,
    ) -> BTreeSet<Span> {
        let Some(place) = self.place(name, at) else {
            return BTreeSet::new();
        };
        let CursorPlace { file, byte, .. } = place;
        let mut found = BTreeSet::new();
        if let Some(document) = place.document() {
            found.extend(follow(&Links::within(document), file, byte));
        }
        if let Some(scalar) = place.spot.as_ref().filter(|spot| !spot.is_key) {
            found.extend(follow(
                &Links::within_block(&place.source.text, scalar.span),
                file,
                byte,
            ));
        }
        for (_, compiled) in self.environments(file) {
            let n_before = found.len();
            found.extend(follow(&compiled.links, file, byte));
            if found.len() == n_before {
                let patched = place
                    .objects(&compiled.model.manifests().documents)
                    .into_iter();
                let spans = patched
                    .map(|(_, spot)| spot.span)
                    .filter(|span| span.file != file);
                found.extend(spans.flat_map(|span| follow(&compiled.links, span.file, span.start)));
            }
        }
        found
    }

    /// The symbols of a file. `None` if the project has no such file.
    #[must_use]
    pub fn symbols(&self, name: &str) -> Option<Vec<Symbol>> {
        let (file, source) = self.file(name)?;
        Some(symbols(&written(file, source)))
    }

    /// The completions at a place of a text, which the file has by now. `None` if the project has no such file.
    #[must_use]
    pub fn completions(&self, name: &str, text: &str, offset: usize) -> Option<Completions> {
        let (file, _) = self.file(name)?;
        let first = self.environments(file).next().map(|(_, compiled)| compiled);
        let first = first.or_else(|| self.beside(file));
        let none = Manifests::read([], &self.project.options().namespace, &mut Sink::default());
        let manifests = first.map_or(&none, |compiled| compiled.model.manifests());
        let operator = first.map(|compiled| compiled.model.operator());
        let is_of_stack = self.values.contains(name);
        complete(
            text,
            offset,
            Surroundings {
                manifests,
                operator,
                is_of_stack,
            },
        )
    }
}

/// The facts of an environment about an object.
struct Known {
    environment: Option<String>,
    object: Subject,
    list: String,
}

/// Lists with their headlines. Environments that know the same of an object say it once.
fn sections(known: Vec<Known>) -> Vec<String> {
    let of_one = |known: &[Known]| {
        known
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.object == b.object))
    };
    let names_objects = !of_one(&known);
    let mut sections: Vec<(Known, Vec<String>)> = Vec::new();
    for one in known {
        let same = |(other, _): &&mut (Known, Vec<String>)| {
            other.object == one.object && other.list == one.list
        };
        match sections.iter_mut().find(same) {
            Some((_, environments)) => environments.extend(one.environment),
            None => {
                let environments = one.environment.clone().into_iter().collect();
                sections.push((one, environments));
            }
        }
    }
    let section = |(known, environments): (Known, Vec<String>)| {
        let Subject {
            kind,
            namespace,
            name,
        } = &known.object;
        let object = escape::markdown(&format!("{kind} {namespace}/{name}"));
        let environments = environments.join(", ");
        match (environments.is_empty(), names_objects) {
            (true, false) => known.list,
            (true, true) => format!("{object}:\n\n{}", known.list),
            (false, false) => format!("In {environments}:\n\n{}", known.list),
            (false, true) => format!("{object} in {environments}:\n\n{}", known.list),
        }
    };
    sections.into_iter().map(section).collect()
}

fn about_spot(model: &Model, document: &Document, spot: &Spot, briefs: Briefs) -> Vec<String> {
    let mut lines = about::resource(model, document, &spot.route, briefs);
    lines.extend(about::selector(model, document, &spot.route, briefs));
    if !spot.is_key {
        lines.extend(about::alert(model, document, spot.span));
    }
    lines
}

/// The documents of a file as they are written.
fn written(file: FileId, source: &SourceFile) -> Vec<ParsedDocument> {
    yaml::read::read(file, &source.text, &mut Sink::default())
}

/// The series that the expression of a rule reads.
fn expression(place: &CursorPlace<'_>, spot: &Spot) -> Option<String> {
    let (last, rule) = spot.route.0.split_last()?;
    let rule = cursor::value(place.document()?, &ValueRoute(rule.to_vec()))?;
    let is_rule = rule.get("alert").is_some() || rule.get("record").is_some();
    let text = rule
        .get("expr")
        .filter(|_| is_rule && last.key() == Some("expr"))?;
    bullets(&about::expression(text.as_str()?))
}

/// Lines as a list, if there are any.
fn bullets(lines: &[String]) -> Option<String> {
    let items = lines.iter().map(|line| format!("- {line}"));
    (!lines.is_empty()).then(|| items.collect::<Vec<_>>().join("\n"))
}

/// The page of the field at a place of an object.
fn page(place: &CursorPlace<'_>, spot: &Spot) -> Option<String> {
    let outline = Outline::read(&place.source.text, place.byte as usize);
    let root = place.document();
    let text = |route: &ValueRoute| {
        let node = root.and_then(|root| cursor::value(root, route));
        node.map_or_else(|| outline.text(route), Node::as_str)
    };
    let root = ValueRoute::root();
    let kind = Kind::find(
        text(&root.clone().key("apiVersion"))?,
        text(&root.key("kind"))?,
    )?;
    let described = fields::described(kind, &spot.route, text)?;
    fields::page(kind, &spot.route, described)
}
