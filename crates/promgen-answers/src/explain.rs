//! Explains a resource step by step: from the workloads that select it to the pods that they scrape.
//!
//! In: the compiled model, and the name of a resource. Out: a tree of [`ExplanationStep`]s, each with its place; a step that breaks
//! has a help. This module prints nothing and reports no findings, which `lint` does.

mod access;
pub mod answer;
pub mod brief;
pub mod lineage;
mod monitor;
mod rules;
mod scrape;
mod targets;
mod unapplied;
mod workload;

use promgen_resources::document::Document;
use std::borrow::Cow;
use std::fmt;

pub use unapplied::unapplied;

use promgen_compile::cluster::Candidate;
use promgen_compile::cluster::NAMESPACE_NAME_LABEL;
use promgen_compile::cluster::refused::RefusedObject;
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_compile::select::REJECTED;
use promgen_compile::select::selector::{NamespaceMiss, Picker, SelectionResult, WorkloadSelector};
use promgen_model::Model;
use promgen_model::model::World;
use promgen_model::model::unknowns::as_written;
use promgen_model::resource_name::ResourceName;
use promgen_model::values_fix;
use promgen_prometheus::labels::miss::Miss;
use promgen_repository::model::Environment;
use promgen_resources::api::Kind;
use promgen_resources::{document, locate};
use promgen_targets::resolve::Confinement;
use promgen_text::diag::{Diagnostic, Place};
use promgen_text::route::At;
use promgen_text::source::Span;
use promgen_text::suggest;
use promgen_text::yaml::Node;

/// The maximum number of resources, Services or targets that one step lists.
const MAX_LISTED: usize = 20;

/// What a user asks for: a resource by its kind and name, and perhaps its namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceQuery {
    kind: Option<Kind>,
    namespace: Option<String>,
    name: String,
}

impl fmt::Display for ResourceQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.kind.map(Kind::as_str),
            self.namespace.as_deref(),
            Some(&self.name),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
    }
}

impl ResourceQuery {
    /// The query with that namespace, if it names none.
    #[must_use]
    pub fn in_namespace(self, namespace: Option<&str>) -> Self {
        Self {
            namespace: self.namespace.or_else(|| namespace.map(str::to_owned)),
            ..self
        }
    }

    /// Reads `KIND/NAMESPACE/NAME` or `KIND/NAME`, the kind in any case.
    ///
    /// # Errors
    /// The expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_short = text.split('/').count() == 2;
        let whole = match is_short {
            true => ResourceName::parse(&text.replacen('/', "/-/", 1)),
            false => ResourceName::parse(text),
        }?;
        Ok(Self {
            kind: Some(whole.kind),
            namespace: (!is_short).then_some(whole.namespace),
            name: whole.name,
        })
    }

    /// Reads `NAME` or `NAMESPACE/NAME`: a resource of any kind. `None` for what no resource can be called.
    #[must_use]
    pub fn of_any_kind(text: &str) -> Option<Self> {
        let is_letter =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
        let is_name = |part: &str| {
            part.chars().all(is_letter) && part.starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let (namespace, name) = text
            .split_once('/')
            .map_or((None, text), |(namespace, name)| (Some(namespace), name));
        let is_whole = is_name(name) && namespace.is_none_or(is_name);
        is_whole.then(|| Self {
            kind: None,
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        })
    }

    /// Returns whether it may mean that resource.
    #[must_use]
    pub fn may_mean(&self, name: &ResourceName) -> bool {
        let namespace = self.namespace.as_ref();
        self.kind.is_none_or(|kind| kind == name.kind)
            && name.name == self.name
            && namespace.is_none_or(|namespace| *namespace == name.namespace)
    }

    /// The resources of environments that it may mean, each once.
    #[must_use]
    pub fn resolve<'e>(
        &self,
        environments: impl IntoIterator<Item = &'e Environment>,
        namespace: &str,
    ) -> Vec<ResourceName> {
        distinct(names(environments, namespace).filter(|name| self.may_mean(name)))
    }

    /// Returns whether it may mean an object that does not say its namespace.
    fn may_mean_object(&self, object: &Node) -> bool {
        let (own, asked) = (
            object.text_at(&["metadata", "namespace"]),
            self.namespace.as_deref(),
        );
        object.text_at(&["metadata", "name"]) == Some(&self.name)
            && own.is_none_or(|own| asked.is_none_or(|asked| own == asked))
            && kind_of(object).is_some_and(|kind| self.kind.is_none_or(|asked| asked == kind))
    }

    /// The names of resources that are like it; those of its kind, if none is.
    #[must_use]
    pub fn near<'e>(
        &self,
        environments: impl IntoIterator<Item = &'e Environment>,
        namespace: &str,
    ) -> Vec<ResourceName> {
        let is_like = |known: &ResourceName| suggest::is_like(&self.name, &known.name);
        let all = distinct(names(environments, namespace).filter(|name| {
            self.kind.is_none_or(|kind| kind == name.kind) || name.name == self.name
        }));
        let mut like: Vec<ResourceName> =
            all.iter().filter(|name| is_like(name)).cloned().collect();
        if like.is_empty() {
            like = all
                .into_iter()
                .filter(|name| self.kind == Some(name.kind))
                .collect();
        }
        like.sort_by_key(|known| {
            (
                self.kind.is_some_and(|kind| kind != known.kind),
                known.name != self.name,
                self.namespace.as_ref() != Some(&known.namespace),
            )
        });
        like.truncate(MOST_NAMES);
        like
    }
}

/// The maximum number of names that a message suggests.
const MOST_NAMES: usize = 5;

/// The names of the resources of environments that can be explained.
pub fn names<'e>(
    environments: impl IntoIterator<Item = &'e Environment>,
    namespace: &str,
) -> impl Iterator<Item = ResourceName> {
    let roots = environments.into_iter().flat_map(own_roots);
    roots.filter_map(move |root| {
        let text = |keys: &[&str]| root.text_at(keys).unwrap_or_default();
        let own = match text(&["metadata", "namespace"]) {
            "" => namespace,
            own => own,
        };
        Some(ResourceName {
            kind: kind_of(&root)?,
            namespace: own.to_owned(),
            name: text(&["metadata", "name"]).to_owned(),
        })
    })
}

/// The kind of an object, if it is one of the operator.
fn kind_of(object: &Node) -> Option<Kind> {
    let kind = Kind::named(object.text_of("kind")?)?;
    let group = object.text_of("apiVersion")?.split('/').next();
    (Kind::OF_OPERATOR.contains(&kind) && group == Some(kind.group())).then_some(kind)
}

/// Each of these names once, in their order.
fn distinct(names: impl Iterator<Item = ResourceName>) -> Vec<ResourceName> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Returns whether an environment has a resource of its own.
#[must_use]
pub fn has(environment: &Environment, of: &ResourceName, namespace: &str) -> bool {
    names([environment], namespace).any(|name| name == *of)
}

/// The objects of an environment that are its own, those of lists and Templates among them.
pub fn own_roots(environment: &Environment) -> impl Iterator<Item = Cow<'_, Node>> {
    let own = environment
        .documents
        .iter()
        .filter(|document| environment.files.contains(&document.span.file));
    own.flat_map(|document| document::with_applied(&document.root))
}

changes! {
    /// Whether a step of an explanation holds.
    #[derive(Copy)]
    enum StepState as "ExplainedState" {
        /// It holds.
        Holds,
        // Steps that depend on it do not hold either.
        /// It does not.
        Breaks,
        // Or not built.
        /// What decides it is not in the input.
        Unknown,
        /// There is nothing to check, or only a live server knows.
        Open,
    }
}

/// A step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationStep {
    /// Its state.
    pub state: StepState,
    /// Its text.
    pub text: String,
    /// Its place.
    pub span: Option<Span>,
    /// The remedy.
    pub help: Vec<String>,
    /// The steps that it depends on, or that follow from it.
    pub steps: Vec<Self>,
}

impl ExplanationStep {
    fn new(state: StepState, text: impl Into<String>) -> Self {
        Self {
            state,
            text: text.into(),
            span: None,
            help: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn holds(text: impl Into<String>) -> Self {
        Self::new(StepState::Holds, text)
    }

    fn breaks(text: impl Into<String>) -> Self {
        Self::new(StepState::Breaks, text)
    }

    fn open(text: impl Into<String>) -> Self {
        Self::new(StepState::Open, text)
    }

    fn unknown(text: impl Into<String>) -> Self {
        Self::new(StepState::Unknown, text)
    }

    /// A step that breaks if any of the steps breaks, is unknown if any is, and holds otherwise.
    fn all(text: impl Into<String>, steps: Vec<Self>) -> Self {
        let any = |state| steps.iter().any(|step| step.state == state);
        let state = match (any(StepState::Breaks), any(StepState::Unknown)) {
            (true, _) => StepState::Breaks,
            (false, true) => StepState::Unknown,
            (false, false) => StepState::Holds,
        };
        Self::new(state, text).with(steps)
    }

    /// A step that breaks if all steps break, holds if any holds, and is unknown otherwise.
    fn any(text: impl Into<String>, steps: Vec<Self>) -> Self {
        let breaks = steps.iter().all(|step| step.state == StepState::Breaks);
        let is_known = steps
            .iter()
            .any(|step| matches!(step.state, StepState::Holds | StepState::Open));
        let state = match (breaks, is_known) {
            (true, _) => StepState::Breaks,
            (false, true) => StepState::Holds,
            (false, false) => StepState::Unknown,
        };
        Self::new(state, text).with(steps)
    }

    /// The step with another text if it breaks: above a step that breaks, that of one that holds would contradict it.
    fn or_broken(self, text: impl Into<String>) -> Self {
        if self.state == StepState::Breaks {
            Self {
                text: text.into(),
                ..self
            }
        } else {
            self
        }
    }

    /// The step as it is if something that is not known can change it: without advice, which may be wrong.
    fn doubted(self, why: &str) -> Self {
        match self.state {
            StepState::Breaks => Self {
                span: self.span,
                ..Self::unknown(format!("{}; {why}", self.text))
            },
            StepState::Holds | StepState::Unknown | StepState::Open => self,
        }
    }

    /// The explanation of a resource that no workload in the input selects, when these environments of the repository have some:
    /// whether one of them selects it is not answered here.
    #[must_use]
    pub fn elsewhere(mut self, environments: &[String]) -> Self {
        let names: Vec<String> = environments
            .iter()
            .take(MOST_NAMES)
            .map(|name| format!("`{name}`"))
            .collect();
        let why = format!(
            "no workload is in what is given; the repository has some in {}",
            names.join(", ")
        );
        let help = "name a folder that holds both, such as the whole repository";
        let step = Self::breaks(why).help(help);
        self.state = StepState::Breaks;
        match self.steps.first_mut() {
            Some(first) => *first = step,
            None => self.steps.push(step),
        }
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    fn helps(mut self, help: impl IntoIterator<Item = String>) -> Self {
        self.help.extend(help);
        self
    }

    fn with(self, steps: Vec<Self>) -> Self {
        Self { steps, ..self }
    }

    fn at(self, span: Option<Span>) -> Self {
        Self { span, ..self }
    }
}

/// Explains a resource. What no workload in the input selects is explained by workloads that stand in for those that are
/// elsewhere.
///
/// # Errors
/// The resource does not exist; contains similar names.
pub fn explain(model: &Model, of: &ResourceName) -> Result<ExplanationStep, Vec<String>> {
    model.view_with_stand_ins(|view| explain_in(view, of))
}

/// The resources that no workload in the input selects.
#[derive(Clone, Debug, Default)]
pub struct Unselected {
    /// The number of them.
    pub total: usize,
    /// The first of them, each with its explanation, by kind and place.
    pub first: Vec<(ResourceName, ExplanationStep)>,
}

/// Explains the resources that no workload in the input selects, at most `max` of them.
#[must_use]
pub fn unselected(model: &Model, max: usize) -> Unselected {
    model.view_with_stand_ins(|view| unselected_in(view, max))
}

fn unselected_in(view: &World<'_>, max: usize) -> Unselected {
    let cx = Explain { model: view };
    let is_taken = |candidate: &Candidate<'_>| {
        let mut selectors = view.selectors_of(candidate.kind);
        selectors
            .any(|selector| selector.choose(candidate, view.cluster()) == SelectionResult::Taken)
    };
    let mut all = Unselected::default();
    for candidate in view
        .cluster()
        .candidates()
        .filter(|candidate| !is_taken(candidate))
    {
        all.total += 1;
        if all.first.len() < max {
            all.first
                .push((ResourceName::of(&candidate), cx.resource(&candidate)));
        }
    }
    all
}

/// Explains a resource to those who have a view of the model.
pub(crate) fn explain_in(
    model: &World<'_>,
    of: &ResourceName,
) -> Result<ExplanationStep, Vec<String>> {
    let cx = Explain { model };
    if let Some(step) = workload::explain(cx, of) {
        return Ok(step);
    }
    let is_it = |candidate: &Candidate<'_>| of.is(candidate);
    if let Some(candidate) = model.cluster().candidates().find(is_it) {
        return Ok(cx.resource(&candidate));
    }
    match model
        .cluster()
        .refused
        .find(of.kind, &of.namespace, &of.name)
    {
        Some(refused) => Ok(cx.refused(refused)),
        None => Err(nearest(model, of)),
    }
}

/// Names similar to a name that does not exist: first of that kind, then the same name elsewhere.
fn nearest(model: &World<'_>, of: &ResourceName) -> Vec<String> {
    let resources = model.cluster().candidates();
    let resources = resources.map(|candidate| ResourceName::of(&candidate));
    let workloads = model.workloads.iter().filter_map(|workload| {
        Some(ResourceName {
            kind: workload.id.kind.resource()?,
            namespace: workload.id.namespace.clone(),
            name: workload.id.name.clone(),
        })
    });
    let mut names: Vec<ResourceName> = workloads.chain(resources).collect();
    names.retain(|known| {
        suggest::is_like(&of.name, &known.name) && (known.kind == of.kind || known.name == of.name)
    });
    names.sort_by_key(|known| {
        (
            known.kind != of.kind,
            known.name != of.name,
            known.namespace != of.namespace,
        )
    });
    names
        .iter()
        .take(MOST_NAMES)
        .map(ToString::to_string)
        .collect()
}

/// Returns whether a workload takes resources of a kind.
fn takes(workload: &Workload, kind: Kind) -> bool {
    (workload.id.kind == WorkloadKind::Alertmanager) == (kind == Kind::AlertmanagerConfig)
}

/// The model to explain.
#[derive(Clone, Copy)]
struct Explain<'a> {
    model: &'a World<'a>,
}

impl<'a> Explain<'a> {
    fn span(self, at: &At) -> Option<Span> {
        locate::locate_key(at, self.model.documents())
    }

    /// An object that the API server refuses.
    fn refused(self, refused: &RefusedObject) -> ExplanationStep {
        let text = refused.to_string();
        let at = self.span(&At::name(refused.doc));
        ExplanationStep::all(text, vec![self.refusal(refused)]).at(at)
    }

    /// Why the API server refuses an object.
    fn refusal(self, refused: &RefusedObject) -> ExplanationStep {
        let place = span_of(&refused.place, self.model.documents());
        ExplanationStep::breaks(format!("the API server refuses it: {}", refused.why))
            .at(place)
            .help("run `promgen lint` for all reasons; the cluster keeps its old state until the manifest is fixed")
    }

    /// The effect of a workload that the API server refuses on a resource.
    fn refused_branch(
        self,
        candidate: &Candidate<'_>,
        selector: &WorkloadSelector<'_>,
    ) -> ExplanationStep {
        let Picker {
            kind,
            namespace,
            name,
            ..
        } = selector.by;
        let choice = selector.choose(candidate, self.model.cluster());
        let mut steps = self.selection(candidate, selector, &choice);
        let refused = self.model.cluster().refused.find(kind, namespace, name);
        steps.extend(refused.map(|refused| {
            let text = format!("the API server refuses {}: {}", selector.by, refused.why);
            let refusal = self.refusal(refused);
            ExplanationStep { text, ..refusal }
        }));
        ExplanationStep::all(selector.to_string(), steps).at(self.span(&selector.by.place()))
    }

    /// A resource that workloads select.
    fn resource(self, candidate: &Candidate<'_>) -> ExplanationStep {
        let selectors: Vec<_> = self.model.selectors_of(candidate.kind).collect();
        let span = self.span(&candidate.place());
        let text = candidate.to_string();
        let refused: Vec<_> = self.model.refused_selectors_of(candidate.kind).collect();
        let hidden: Vec<_> = self
            .model
            .cluster()
            .refused
            .hiding_selectors_of(candidate.kind)
            .collect();
        if selectors.is_empty() && refused.is_empty() && hidden.is_empty() {
            let why = format!(
                "no workload in the input selects {}s",
                candidate.kind.as_str()
            );
            let none = || {
                ExplanationStep::open(why).help("add the manifests of the workload to the input")
            };
            let uncompiled = self.model.unknowns().uncompiled.iter();
            let of_chart = |(span, why): &(Span, String)| {
                ExplanationStep::unknown(why.clone()).at(Some(*span))
            };
            let mut steps: Vec<_> = uncompiled.map(of_chart).collect();
            if candidate.kind == Kind::PrometheusRule {
                let agents = self.model.cluster().prometheus_agents.values();
                steps.extend(agents.map(|agent| {
                    let text = format!(
                        "PrometheusAgent {}/{} evaluates no rules: an agent has no `ruleSelector`",
                        agent.namespace(),
                        agent.value.metadata.name
                    );
                    let step = ExplanationStep::open(text).at(self.span(&At::name(agent.doc)));
                    step.help("a Prometheus or a ThanosRuler evaluates rules")
                }));
            }
            if steps.is_empty() {
                steps.push(none());
            }
            // What follows is the same whichever workload selects it.
            let stand_in = self
                .model
                .workloads
                .iter()
                .filter(|workload| workload.is_stand_in);
            for compiled in stand_in.filter(|workload| takes(workload, candidate.kind)) {
                steps.extend(self.after_selection(candidate, compiled, Confinement::None));
            }
            return ExplanationStep::all(text, steps).at(span);
        }
        let branches = selectors
            .into_iter()
            .map(|selector| self.branch(candidate, selector));
        let refused = refused
            .into_iter()
            .map(|selector| self.refused_branch(candidate, selector));
        let hidden = hidden.into_iter().map(|refused| {
            let workload = refused.to_string();
            let refusal = self.refusal(refused);
            let text = format!(
                "{workload} may select it, and the API server refuses {workload}: {}",
                refused.why
            );
            ExplanationStep { text, ..refusal }
        });
        let branches = branches.chain(refused).chain(hidden).collect();
        ExplanationStep::any(text, branches).at(span)
    }

    /// The effect of one workload on a resource.
    fn branch(self, candidate: &Candidate<'_>, selector: &WorkloadSelector<'_>) -> ExplanationStep {
        let choice = selector.choose(candidate, self.model.cluster());
        let doubt = self.model.unknowns().of_selection(
            self.model.documents(),
            selector,
            candidate,
            &choice,
        );
        let mut steps = match &doubt {
            None => self.selection(candidate, selector, &choice),
            Some(why) => self
                .selection(candidate, selector, &choice)
                .into_iter()
                .map(|step| step.doubted(why))
                .collect(),
        };
        if choice == SelectionResult::Taken {
            steps.extend(self.after(candidate, selector));
        }
        ExplanationStep::all(selector.to_string(), steps).at(self.span(&selector.by.place()))
    }

    /// The steps after selection.
    fn after(
        self,
        candidate: &Candidate<'_>,
        selector: &WorkloadSelector<'_>,
    ) -> Vec<ExplanationStep> {
        let Some(compiled) = workload::compiled(self.model, selector) else {
            return vec![workload::not_compiled(self.model, selector, "the workload")];
        };
        self.after_selection(
            candidate,
            compiled,
            workload::confinement(self.model, selector),
        )
    }

    /// The steps in a workload that selects the resource.
    fn after_selection(
        self,
        candidate: &Candidate<'_>,
        compiled: &'a Workload,
        confinement: Confinement,
    ) -> Vec<ExplanationStep> {
        let admission = self.admission(candidate, compiled);
        if admission.state == StepState::Breaks {
            return vec![admission];
        }
        let mut steps = vec![admission];
        steps.extend(compiled.idle().map(ExplanationStep::open));
        let scope = scrape::ScrapingWorkload {
            cx: self,
            compiled,
            confinement,
        };
        steps.extend(match candidate.kind {
            Kind::ServiceMonitor | Kind::PodMonitor => monitor::monitor(scope, candidate),
            Kind::Probe | Kind::ScrapeConfig => scope.plain(candidate),
            Kind::PrometheusRule => rules::files(scope, candidate),
            _ => Vec::new(),
        });
        steps
    }

    /// Returns whether the operator accepts the resource.
    fn admission(self, candidate: &Candidate<'_>, compiled: &Workload) -> ExplanationStep {
        let mut selected = compiled.selected.resources();
        let found = selected.find(|(kind, resource)| {
            *kind == candidate.kind.as_str()
                && resource.namespace == candidate.namespace()
                && resource.name == candidate.metadata.name
        });
        let documents = self.model.documents();
        match found.map(|(_, resource)| &resource.refusal) {
            Some(None) if self.model.unknowns().leave_open(documents, candidate.doc) => {
                ExplanationStep::unknown(
                    "whether the operator accepts it: values of it are filled in later",
                )
            }
            Some(None) => ExplanationStep::holds("the operator accepts it"),
            Some(Some(refused)) => self.rejection(candidate, &refused.message),
            None => match &compiled.selected.error {
                Some(error) => {
                    ExplanationStep::breaks(format!("the operator selects nothing: {error}"))
                }
                None => ExplanationStep::open("the workload does not process it"),
            },
        }
    }

    /// Why the operator refuses a resource: the finding of `lint`, with its place, or the message of the operator.
    fn rejection(self, candidate: &Candidate<'_>, message: &str) -> ExplanationStep {
        let is_it = |found: &&Diagnostic| {
            *found.rule == REJECTED
                && found
                    .place
                    .as_ref()
                    .and_then(Place::at)
                    .is_some_and(|at| at.doc == candidate.doc)
        };
        let Some(found) = self.model.found().iter().find(is_it) else {
            return ExplanationStep::breaks(format!("the operator refuses it: {message}"));
        };
        let why = found
            .message
            .split_once(" is rejected by ")
            .and_then(|(_, rest)| rest.split_once(": "));
        let why = why.map_or(message, |(_, why)| why);
        let step = ExplanationStep::breaks(format!("the operator refuses it: {why}"));
        let step = step.at(found
            .place
            .as_ref()
            .and_then(Place::at)
            .and_then(|at| self.span(at)));
        step.helps(found.help.iter().cloned())
    }

    /// Namespace and labels.
    fn selection(
        self,
        candidate: &Candidate<'_>,
        selector: &WorkloadSelector<'_>,
        choice: &SelectionResult,
    ) -> Vec<ExplanationStep> {
        let (namespace_misses, labels) = match choice {
            SelectionResult::NoSelector => {
                let (field, kind) = (selector.labels.field, candidate.kind.as_str());
                let step = ExplanationStep::breaks(format!(
                    "`{field}` is not set, so it selects no {kind}"
                ));
                return vec![
                    step.at(self.span(&selector.by.place()))
                        .help(format!("set `{field}: {{}}` to select all")),
                ];
            }
            SelectionResult::Broken => {
                return vec![
                    ExplanationStep::breaks("its selectors do not parse")
                        .help("run `promgen lint` for the reason"),
                ];
            }
            SelectionResult::Taken => (None, &[][..]),
            SelectionResult::Missed { namespace, labels } => {
                (namespace.as_ref(), labels.as_slice())
            }
        };
        vec![
            self.namespace(candidate, selector, namespace_misses),
            self.labels(candidate, selector, labels),
        ]
    }

    fn namespace(
        self,
        candidate: &Candidate<'_>,
        selector: &WorkloadSelector<'_>,
        miss: Option<&NamespaceMiss>,
    ) -> ExplanationStep {
        let (asked, namespace) = (&selector.namespaces, candidate.namespace());
        let field = asked.field;
        match miss {
            None if asked.written.is_none() => {
                ExplanationStep::holds(format!("namespace {namespace} is the workload's own"))
                    .at(self.span(&selector.by.place()))
            }
            None => {
                let text = format!("namespace {namespace} matches `{field}`: {asked}");
                let is_known = !self.model.unknowns().has_appliers || self.declares(namespace);
                match is_known || !asked.excludes_labels() {
                    true => ExplanationStep::holds(text),
                    false => ExplanationStep::unknown(format!("{text}, {}", undeclared(namespace))),
                }
                .at(self.span(&asked.place()))
            }
            Some(NamespaceMiss::Foreign) => {
                let own = selector.by.namespace;
                ExplanationStep::breaks(format!(
                    "`{field}` is not set, so it selects from namespace {own} only, not from {namespace}"
                ))
                .at(self.span(&selector.by.place()))
                .help(format!("set `{field}: {{}}` to select all namespaces, or list labels of {namespace}"))
            }
            Some(NamespaceMiss::Unwatched(flag)) => {
                let kind = candidate.kind.as_str();
                let text = format!(
                    "the operator watches no {kind} in namespace {namespace}: `--{}`",
                    flag.name()
                );
                ExplanationStep::breaks(text)
                    .help(format!("change `--{}` of the operator", flag.name()))
            }
            Some(NamespaceMiss::Labels(misses)) => {
                let requirements = requirements(misses);
                let at = misses
                    .first()
                    .map_or(asked.place(), |miss| asked.place_of(&miss.required));
                let text = format!(
                    "`{field}` requires {requirements}, and namespace {namespace} does not match"
                );
                let remedy = format!("Namespace {namespace} must have {requirements}");
                if !self.may_match(namespace, misses) {
                    return ExplanationStep::breaks(text)
                        .at(self.span(&at))
                        .help(remedy);
                }
                let unknown = format!("{text} {}", undeclared(namespace));
                ExplanationStep::unknown(unknown)
                    .at(self.span(&at))
                    .help(remedy)
                    .help(format!(
                        "add the manifest of Namespace {namespace} if it has the label"
                    ))
            }
        }
    }

    /// Returns whether a namespace may have the labels that it is not known to have: without a manifest, only the label with its name
    /// is known.
    fn may_match(self, namespace: &str, misses: &[Miss]) -> bool {
        let is_certain = |miss: &Miss| miss.required.key == NAMESPACE_NAME_LABEL;
        !self.declares(namespace) && !misses.iter().any(is_certain)
    }

    /// Why it is not known whether a resource is missed for its namespace alone. `None` if it is known.
    fn undeclared(self, candidate: &Candidate<'_>, choice: &SelectionResult) -> Option<String> {
        let namespace = candidate.namespace();
        match choice {
            SelectionResult::Missed {
                namespace: Some(NamespaceMiss::Labels(misses)),
                labels,
            } if labels.is_empty() && self.may_match(namespace, misses) => {
                Some(undeclared(namespace))
            }
            _ => None,
        }
    }

    /// Returns whether the input has the manifest of a namespace.
    fn declares(self, namespace: &str) -> bool {
        self.model.reach.others.namespaces.contains(namespace)
    }

    fn labels(
        self,
        candidate: &Candidate<'_>,
        selector: &WorkloadSelector<'_>,
        misses: &[Miss],
    ) -> ExplanationStep {
        let asked = &selector.labels;
        let field = asked.field;
        let Some(first) = misses.first() else {
            let text = format!("its labels match `{field}`: {asked}");
            return ExplanationStep::holds(text).at(self.span(&asked.place()));
        };
        let misses: Vec<Miss> = misses
            .iter()
            .map(|miss| as_written(self.model.documents(), asked, miss))
            .collect();
        let what: Vec<_> = misses.iter().map(ToString::to_string).collect();
        let text = format!(
            "`{field}` does not match: {} {}",
            candidate.metadata.name,
            what.join(", ")
        );
        let step = ExplanationStep::breaks(text)
            .at(self.span(&asked.place_of(&first.required)))
            .help(format!("{candidate} must have {}", requirements(&misses)));
        step.helps(values_fix::of_release(selector, self.model.documents()))
    }
}

/// The bytes of a place.
fn span_of(place: &Place, documents: &[Document]) -> Option<Span> {
    match place {
        Place::At(at) | Place::Key(at) | Place::Within(at, _) => locate::locate_key(at, documents),
        Place::Span(span) => Some(*span),
    }
}

/// Why the labels of a namespace are not known.
fn requirements(misses: &[Miss]) -> String {
    let requirements: Vec<_> = misses.iter().map(Miss::requirement).collect();
    requirements.join(" and ")
}

fn undeclared(namespace: &str) -> String {
    format!("as far as is known: Namespace {namespace} is not in the input")
}
