//! The outcome for a release: the objects of its chart, and what is to be said of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use promgen_resources::release::{self, LATER};
use promgen_resources::rendered::{Rendered, Request};
use promgen_text::diag::{Diagnostic, LintRule};
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::origin::{DocumentOrigin, ReleaseOrigin, ReleasedDocument};
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Span};
use promgen_text::version::Version;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Node};

use super::release::{ChartRelease, MissingValues, is_stack};
use super::rendering::{self, RenderOutcome, Secrets};
use super::rules::{
    CHART_VERSION, LONG_DEFINITIONS, MISSING_VALUES, NOT_COMPILED, REFUSED_VALUES, UNKNOWN_VALUE,
    UNSUPPORTED_CHART,
};
use super::stack::versions::{self, FoundVersion, KnownVersion};
use super::stack::{self, CompiledStack, StackRequest};
use super::template::MAX_EXPANDED;
use super::{ChartOptions, definitions, faults, private, scrape_fields, unknown_keys};
use crate::id::Id;
use promgen_text::CollectOrdered;

/// The objects that a release makes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReleaseObjects {
    /// The objects of the operator, or all that Helm renders.
    pub(crate) objects: Vec<ReleaseObject>,
    /// The release, as its objects know it.
    origin: Arc<ReleaseOrigin>,
    /// The release as a whole.
    pub(crate) span: Span,
    /// The parts of it.
    pub(crate) sources: ReleaseSources,
    /// The findings about the release itself.
    pub(crate) found: Vec<Diagnostic>,
    /// The release of the CustomResourceDefinitions that the chart installs.
    pub(crate) definitions: Option<Version>,
    /// The arguments of the operator that the chart installs, if its Deployment is not there.
    pub(crate) operator: Option<Vec<String>>,
    /// Objects of it are not there.
    pub(crate) is_lacking: bool,
    /// All that Helm makes of it is there, with the definitions if they are asked for.
    pub(crate) is_whole: bool,
    /// Whether a post-renderer that is not applied may change its objects.
    is_open: bool,
}

/// An object of a release.
#[derive(Clone, Debug)]
pub(crate) struct ReleaseObject {
    /// The object.
    pub(crate) root: Node,
    /// The template that Helm makes it of.
    pub(crate) template: Option<Arc<str>>,
    /// Whether it holds what the chart made of it.
    is_unchanged: bool,
    /// Nothing of it comes from a Secret of the user.
    is_clear: bool,
}

impl ReleaseObject {
    /// An object as a chart makes it, of a template if Helm does. `is_clear`: nothing of it comes from a Secret of the user.
    pub(crate) const fn new(root: Node, template: Option<Arc<str>>, is_clear: bool) -> Self {
        Self {
            root,
            template,
            is_unchanged: true,
            is_clear,
        }
    }
}

/// An object of a release behind a post-renderer.
pub(crate) struct PostRendered {
    /// Its identity before.
    pub(crate) id: Id,
    /// The object.
    pub(crate) root: Node,
    /// Whether something that is not applied may change it.
    pub(crate) is_open: bool,
}

/// The parts of a release of a chart.
#[derive(Clone, Debug, Default)]
pub struct ReleaseSources {
    /// The files that its values come from.
    pub files: BTreeSet<FileId>,
    /// Those of them that hold values of kube-prometheus-stack and nothing else.
    pub of_stack: BTreeSet<FileId>,
    /// The places of texts of Secrets, which may stand in the open now.
    pub secret: BTreeSet<Span>,
    /// The places of values that hold secrets by their role, and of their copies.
    pub private: Vec<Span>,
    /// The places of values that are hidden otherwise: these are private one by one.
    pub shown: Vec<Span>,
    /// The folder of the chart in the repository that Helm is asked to render.
    pub chart: Option<String>,
    /// Helm renders it.
    pub is_rendered: bool,
    /// The question to Helm, as nobody has asked it yet.
    pub wanted: Option<Request>,
}

/// The key of the values that are whole objects.
const EXTRA_OBJECTS: &str = "extraManifests";

/// The name of a version of the chart that promgen does not know.
const ANY: &str = "of this version";

fn is_of_stack(release: &ChartRelease) -> bool {
    is_stack(&release.chart) && !release.repository.contains("bitnami")
}

impl ReleaseObjects {
    fn new(release: &ChartRelease) -> Self {
        let origin = Arc::new(ReleaseOrigin {
            place: release.place,
            applier: release.applier,
            ..ReleaseOrigin::default()
        });
        Self {
            origin,
            span: release.span,
            ..Self::default()
        }
    }

    /// Changes the objects as a post-renderer does. Those of one that is not applied may be anything.
    pub(crate) fn post_render(
        &mut self,
        render: impl FnOnce(Vec<Node>) -> Option<Vec<PostRendered>>,
    ) {
        let objects = self
            .objects
            .iter()
            .map(|object| object.root.clone())
            .collect();
        let Some(changed) = render(objects) else {
            self.is_open = true;
            return;
        };
        let ids = self.objects.iter().enumerate().rev();
        let ids: BTreeMap<Id, usize> = ids
            .map(|(at, before)| (Id::read(&before.root), at))
            .collect_map();
        let of = |object: PostRendered| {
            let before = ids.get(&object.id).map(|at| &self.objects[*at]);
            let is_unchanged =
                before.is_some_and(|before| before.root.to_value() == object.root.to_value());
            let template = before.and_then(|before| before.template.clone());
            let is_clear = before.is_some_and(|before| before.is_clear);
            self.is_open |= object.is_open;
            ReleaseObject {
                root: object.root,
                template,
                is_unchanged,
                is_clear,
            }
        };
        self.objects = changed.into_iter().map(of).collect();
    }

    /// Takes note of where its values come from, and which of them are not there.
    fn note(&mut self, release: &ChartRelease) {
        self.hide(release);
        if is_of_stack(release) {
            self.origin_mut()
                .overridden
                .clone_from(&release.values.overridden);
        }
        for (span, message, help) in &release.values.unread {
            let found = Diagnostic::new(&UNKNOWN_VALUE, *span, message.clone());
            self.found.push(found.help(help.clone()));
        }
        for (span, what) in &release.values.refused {
            let message = format!("{what}; release {} fails", release.name);
            self.found
                .push(Diagnostic::new(&REFUSED_VALUES, *span, message));
        }
        for MissingValues { what, span, target } in &release.values.missing {
            let message = format!(
                "{what}; what it may set of release {} is not judged",
                release.name
            );
            self.found
                .push(Diagnostic::new(&MISSING_VALUES, *span, message));
            // A path says what cannot be set, and a label has a gap.
            match target.as_deref().filter(|_| is_of_stack(release)) {
                Some(target) if !stack::reads(target) || release.values.has_gap(*span) => {}
                Some(target) if !unknown_keys::may_be_of_workloads(target) => {
                    self.origin_mut().has_unknown_beside = true
                }
                Some(_) | None => self.origin_mut().unknown.push(what.clone()),
            }
        }
    }

    /// Takes note of the secrets among its values.
    fn hide(&mut self, release: &ChartRelease) {
        let mut places = private::places(&release.values.root);
        places.extend(&release.values.private);
        // What repeats a secret, such as an alias of it, is one.
        let copies = private::copies(&release.values.root, &places, &release.values.secret);
        let sources = &mut self.sources;
        sources.secret = release
            .values
            .secret
            .iter()
            .chain(&copies)
            .copied()
            .collect();
        sources.private = [places, copies].concat();
        sources.shown.clone_from(&release.values.shown);
        sources.files.clone_from(&release.values.files);
        if is_of_stack(release) {
            sources.of_stack.clone_from(&release.values.whole);
        }
    }

    fn origin_mut(&mut self) -> &mut ReleaseOrigin {
        Arc::make_mut(&mut self.origin)
    }

    /// The objects as documents of what states the release.
    pub(crate) fn documents(&self, span: Span) -> Vec<ParsedDocument> {
        let of = |object: &ReleaseObject| ParsedDocument {
            root: Shared::new(object.root.clone()),
            span,
            origin: DocumentOrigin::Release(Arc::new(ReleasedDocument {
                release: Arc::clone(&self.origin),
                template: object.template.clone(),
                is_clear: object.is_clear && (object.is_unchanged || !is_secret(&object.root)),
                is_open: self.is_open,
            })),
        };
        self.objects.iter().map(of).collect()
    }

    /// The facts of an object of a kustomization that the release has. `id`: its identity before the kustomization changed it.
    pub(crate) fn changed(&self, id: Option<&Id>, node: &Node, is_open: bool) -> ReleasedDocument {
        let own = self
            .objects
            .iter()
            .find(|object| Some(&Id::read(&object.root)) == id);
        // A Secret is clear as long as it holds what the chart made.
        let is_same = |object: &ReleaseObject| {
            ["data", "stringData"].iter().all(|key| {
                let content = |node: &Node| node.get(key).map(Node::to_value);
                content(&object.root) == content(node)
            })
        };
        let is_clear =
            own.is_none_or(|own| own.is_clear) && (!is_secret(node) || own.is_some_and(is_same));
        ReleasedDocument {
            release: Arc::clone(&self.origin),
            template: own.and_then(|object| object.template.clone()),
            is_clear,
            is_open,
        }
    }
}

fn is_secret(object: &Node) -> bool {
    object.text_of("kind") == Some("Secret")
}

/// Charts that install a Prometheus or an operator, and are not compiled: the chart, and a part of its repository's name.
const UNSUPPORTED: [(&str, &str); 2] =
    [("victoria-metrics-k8s-stack", ""), ("kube-prometheus", "")];

/// Returns whether anything is to be said of a release of a chart.
pub(super) fn concerns(chart: &str) -> bool {
    is_stack(chart)
        || chart == definitions::CHART
        || UNSUPPORTED
            .iter()
            .any(|(unsupported, _)| chart == *unsupported)
}

/// The objects of a release: those that Helm renders, if it is asked and renders any.
pub(crate) fn make(release: &ChartRelease, options: ChartOptions<'_>) -> ReleaseObjects {
    let overridden = options
        .version
        .filter(|_| is_of_stack(release))
        .map(|version| of_version(release, version));
    let (release, rendered) = (overridden.as_ref().unwrap_or(release), options.rendered);
    let mut made = objects_of(release, rendered);
    made.found.extend(long_definitions(release));
    made.found
        .iter_mut()
        .for_each(|found| found.resource = Some(release.subject.clone()));
    if let Some(request) = release.request.as_ref().filter(|_| rendered.is_some()) {
        made.sources.chart = request.chart.paths.first().cloned();
    }
    made
}

/// The finding where Argo CD cannot apply the definitions of the chart.
fn long_definitions(release: &ChartRelease) -> Option<Diagnostic> {
    let place = release
        .client_side
        .filter(|_| is_of_stack(release) || release.chart == definitions::CHART)?;
    let is_off = |path: &[&str]| {
        release
            .values
            .root
            .find(path)
            .is_some_and(|value| value.data == Data::Bool(false))
    };
    // Values of the chart may annotate the definitions, and values that are not here may, too.
    let is_open = !release.values.missing.is_empty()
        || release.values.root.find(&["crds", "annotations"]).is_some();
    if is_open || is_off(&["crds", "enabled"]) || is_off(&["installCRDs"]) {
        return None;
    }
    let message = "Argo CD keeps a copy of each object in an annotation: the CustomResourceDefinitions of the chart are longer than \
                   the 262144 bytes that it may have";
    let help = "add `ServerSideApply=true` to `syncPolicy.syncOptions`, or apply the CRDs on their own, with `skipCrds` here";
    Some(Diagnostic::new(&LONG_DEFINITIONS, place, message).help(help))
}

/// The release with another version of its chart.
fn of_version(release: &ChartRelease, version: &str) -> ChartRelease {
    let mut release = ChartRelease {
        version: Some(version.to_owned()),
        ..release.clone()
    };
    if let Some(named) = release
        .request
        .as_mut()
        .and_then(|request| request.chart.named.as_mut())
    {
        version.clone_into(&mut named.version);
    }
    release
}

fn objects_of(release: &ChartRelease, rendered: Option<&Rendered>) -> ReleaseObjects {
    let mut made = ReleaseObjects::new(release);
    if release.chart == definitions::CHART {
        let definitions = release.version.as_deref().and_then(definitions::release);
        made.definitions = definitions.and_then(|operator| release::parse(operator).ok());
    }
    let outcome = rendered.map_or(RenderOutcome::Unasked, |rendered| {
        rendering::take(release, rendered, &mut made)
    });
    made.is_lacking = matches!(outcome, RenderOutcome::Refused);
    match (outcome, is_of_stack(release)) {
        (RenderOutcome::Rendered, of_stack) => made.judge_rendered(release, of_stack),
        (_, true) => made.compile(release),
        (_, false) => {
            let is_it = |(chart, part): &&(&str, &str)| {
                release.chart == *chart && release.repository.contains(part)
            };
            if let Some((chart, _)) = UNSUPPORTED.iter().find(is_it) {
                let message = format!(
                    "release {}: the chart `{chart}` is not supported, and nothing of it is seen",
                    release.name
                );
                made.report(&UNSUPPORTED_CHART, release, message);
            }
        }
    }
    made
}

impl ReleaseObjects {
    fn report(&mut self, rule: &'static LintRule, release: &ChartRelease, message: String) {
        self.found
            .push(Diagnostic::new(rule, release.place, message));
    }

    /// What is to be said of objects that Helm renders.
    fn judge_rendered(&mut self, release: &ChartRelease, is_of_stack: bool) {
        self.origin_mut().is_rendered = true;
        self.sources.is_rendered = true;
        self.note(release);
        if !is_of_stack {
            return;
        }
        let version = version(release, &mut Vec::new(), &mut Vec::new());
        let version = version.filter(|version| release.version.as_deref() == Some(version.version));
        self.note_operator(release, version.as_ref());
        if !is_newer(release) {
            let text = version.as_ref().map_or(ANY, |version| version.version);
            unknown_keys::report(
                &release.values.root,
                text,
                version.is_some(),
                &mut self.found,
            );
        }
        scrape_fields::report(&release.values.root, &mut self.found);
    }

    /// The operator that a version of the chart installs. One that is newer than all known ones installs an operator of which as
    /// little is known.
    fn note_operator(&mut self, release: &ChartRelease, version: Option<&KnownVersion>) {
        self.origin_mut().operator = match version {
            Some(version) => release::parse(version.operator).ok(),
            None => is_newer(release).then(|| LATER.clone()),
        };
    }

    /// Compiles the objects that kube-prometheus-stack makes.
    fn compile(&mut self, release: &ChartRelease) {
        let unknown = &mut Arc::make_mut(&mut self.origin).unknown;
        let Some(version) = version(release, &mut self.found, unknown) else {
            self.hide(release);
            return;
        };
        self.note(release);
        // What is compiled as another version installs another operator.
        let is_known = self.found.iter().all(|found| *found.rule != CHART_VERSION);
        self.note_operator(release, Some(&version).filter(|_| is_known));
        let values = &release.values.root;
        match is_newer(release) {
            true => unknown_keys::count(values, &mut self.found),
            false => unknown_keys::report(values, version.version, is_known, &mut self.found),
        }
        scrape_fields::report(values, &mut self.found);
        let (namespace, compiled) = (release.namespace.as_ref(), version.version);
        let CompiledStack {
            objects,
            advice,
            operator,
            is_cut,
            unknown,
            faults,
            nameless,
        } = stack::compile(&StackRequest {
            release: &release.name,
            chart: release.alias.as_deref().unwrap_or(&release.chart),
            namespace: namespace.map(|(name, span)| (name.as_str(), *span)),
            version,
            values,
            integers: &release.values.integers,
            place: release.place,
            span: release.span,
        });
        if is_known {
            self.found.extend(faults::report(
                values,
                &release.name,
                compiled,
                &faults,
                &nameless,
            ));
        }
        // A value that is not known may say which objects it watches.
        if let Some(mut flags) = operator.filter(|_| !self.origin.has_unknown()) {
            self.operator = Some(flags.iter().map(|(flag, _)| flag.clone()).collect());
            flags.retain(|(_, place)| *place != release.place);
            self.origin_mut().flags = flags;
        }
        if is_cut {
            let message = format!(
                "the templates in the values of release {} expand to more than {} KiB: the rest of them is not filled in",
                release.name,
                MAX_EXPANDED >> 10
            );
            self.report(&LIMIT_EXCEEDED, release, message);
        }
        self.note_templates(release, &unknown);
        let secrets = Secrets::of(release);
        let marked = |(mut root, values): (Node, Option<&str>)| {
            rendering::set_namespace(&mut root, release);
            secrets.mark(&mut root);
            let is_clear = values.map_or(release.values.secret.is_empty(), |key| {
                release.values.is_clear(key)
            });
            ReleaseObject::new(root, None, is_clear)
        };
        self.objects = objects.into_iter().map(marked).collect();
        self.origin_mut().advice = advice;
    }
}

impl ReleaseObjects {
    /// Takes note of the templates in values that are not evaluated. Those of whole objects say which objects there are.
    fn note_templates(
        &mut self,
        release: &ChartRelease,
        unknown: &BTreeMap<Span, Option<&'static str>>,
    ) {
        for (span, function) in unknown {
            let what = match function {
                Some(function) => {
                    format!("the template calls `{function}`, which promgen does not evaluate")
                }
                None => "promgen does not evaluate the template".to_owned(),
            };
            let message = format!(
                "{what}; what it makes of release {} is not judged",
                release.name
            );
            self.found
                .push(Diagnostic::new(&MISSING_VALUES, *span, message));
        }
        let extra = release.values.root.get(EXTRA_OBJECTS).into_iter();
        let mut extra = extra.flat_map(Node::descendants);
        if extra.any(|node| unknown.contains_key(&node.span)) {
            self.origin_mut().has_unknown_beside = true;
        }
    }
}

/// Returns whether a release is of a newer version of the chart than the newest that promgen knows.
fn is_newer(release: &ChartRelease) -> bool {
    release
        .version
        .as_deref()
        .is_some_and(|asked| matches!(versions::find(asked), FoundVersion::Newer(_)))
}

/// The version of the chart that is compiled, if there is one.
fn version(
    release: &ChartRelease,
    found: &mut Vec<Diagnostic>,
    unknown: &mut Vec<String>,
) -> Option<KnownVersion> {
    let found = RefCell::new(found);
    let say = |message: String| {
        let diagnostic = Diagnostic::new(&CHART_VERSION, release.place, message);
        found.borrow_mut().push(diagnostic);
    };
    let as_newest = |place: &str| {
        let known = versions::newest();
        say(format!(
            "the version of the chart is not {place}: compiled as {}",
            known.version
        ));
        Some(known)
    };
    let Some(asked) = &release.version else {
        return as_newest("in the input");
    };
    match versions::find(asked) {
        FoundVersion::Known(known) => Some(known),
        FoundVersion::Newer(known) => {
            say(format!(
                "kube-prometheus-stack {asked} is newer than {0}, the newest that promgen knows: compiled as {0}",
                known.version
            ));
            Some(known)
        }
        FoundVersion::Older => {
            say(format!(
                "kube-prometheus-stack {asked} is older than 45.0.0: {NOT_COMPILED}"
            ));
            None
        }
        FoundVersion::None => {
            unknown.push("the version of the chart is not known".to_owned());
            as_newest("known")
        }
    }
}

#[cfg(test)]
mod tests;
