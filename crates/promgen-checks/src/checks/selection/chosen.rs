//! Resources that no workload or several workloads select.

use std::collections::BTreeMap;

use crate::checks::selection::default_label::{DefaultLabels, MissedByDefault};
use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{
    NamespaceMiss, SelectionResult, SelectorField, WorkloadSelector,
};
use promgen_compile::select::takers::Takers;
use promgen_model::model::World;
use promgen_model::operator::unwatched::Unwatched;
use promgen_model::values_fix;
use promgen_prometheus::labels::miss::{Miss, joined};
use promgen_resources::api::Kind;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::route::{At, DocId};
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds monitors, rules and similar resources that no workload in the input selects, and reports the reason: the label
    /// or the namespace.
    ///
    /// ## Why is this bad?
    /// The resource has no effect, and nothing in the cluster reports it. Ignore this if a workload that is not in the input
    /// selects it.
    ///
    /// If kube-prometheus-stack requires the label of its release by default, and several resources lack it while none has it,
    /// there is one finding, at the release: one of its values is the cause.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   serviceMonitorSelector:
    ///     matchLabels: {team: shop}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   serviceMonitorSelector:
    ///     matchLabels: {team: shop}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata:
    ///   name: cart
    ///   namespace: shop
    ///   labels: {team: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ```
    UNSELECTED = "PG120" "unselected-resource" Warning: "a resource that no workload in the input selects";

    /// ## What it does
    /// Finds selectors of workloads that match nothing, although the input has resources of that kind.
    ///
    /// ## Why is this bad?
    /// The workload does less than its manifest suggests. Ignore this if the resources that it selects are not in the input.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: all}
    /// spec:
    ///   podMonitorSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: shop}
    /// spec:
    ///   podMonitorSelector:
    ///     matchLabels: {team: shpo}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, labels: {team: shop}}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: all}
    /// spec:
    ///   podMonitorSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: shop}
    /// spec:
    ///   podMonitorSelector:
    ///     matchLabels: {team: shop}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, labels: {team: shop}}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    /// ```
    EMPTY_SELECTION = "PG121" "empty-selection" Info: "a selector of a workload that matches nothing in the input";

    /// ## What it does
    /// Finds resources that several workloads of one kind select.
    ///
    /// ## Why is this bad?
    /// Each workload scrapes its targets or evaluates its rules. This may be intended: for two redundant servers, or for a
    /// server that keeps fewer series for longer.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: a}
    /// spec: {probeSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: b}
    /// spec: {probeSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: page}
    /// spec:
    ///   prober: {url: "blackbox:9115"}
    ///   targets: {staticConfig: {static: ["https://example.com"]}}
    /// ```
    /// Use instead: selectors that do not overlap.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: a}
    /// spec: {probeSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: page}
    /// spec:
    ///   prober: {url: "blackbox:9115"}
    ///   targets: {staticConfig: {static: ["https://example.com"]}}
    /// ```
    SELECTED_TWICE = "PG122" "selected-twice" Info: "a resource that several workloads select";
}

/// The maximum number of workloads in one finding.
pub(super) const MAX_RELATED: usize = 5;

/// The maximum number of workloads of other namespaces that are asked how near they are to selecting a resource.
const MAX_ASKED: usize = 100;

/// Checks every resource and every selector.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let selectors = &model.reach.selectors;
    let is_watched: Vec<bool> = selectors
        .iter()
        .map(|selector| Unwatched::of_picker(model.cluster(), &selector.by).is_none())
        .collect();
    let mut takes_some: Vec<bool> = vec![false; selectors.len()];
    let mut open = OpenSelectors::of(model, &is_watched);
    let mut takers = Takers::new(selectors, model.cluster());
    let mut by_default = DefaultLabels::default();
    let mut n_candidates: BTreeMap<Kind, usize> = BTreeMap::new();
    for candidate in model.cluster().candidates() {
        *n_candidates.entry(candidate.kind).or_default() += 1;
        let takers: Vec<usize> = takers
            .of(&candidate)
            .into_iter()
            .filter(|number| is_watched[*number])
            .collect();
        takers.iter().for_each(|number| takes_some[*number] = true);
        by_default.taken(model, &candidate, &takers);
        open.note(model, &candidate, &mut takes_some);
        match takers.as_slice() {
            [] if may_be_selected(model, &candidate) => {}
            [] => match unselected(model, candidate) {
                Some(MissedResource::ByDefault(by, missed)) => by_default.missed(by, missed),
                Some(MissedResource::Plain(finding)) => sink.report(finding),
                None => {}
            },
            [first, others @ ..] => {
                if others
                    .iter()
                    .any(|other| selectors[*other].by.kind == selectors[*first].by.kind)
                {
                    let takers: Vec<_> = takers.iter().map(|number| &selectors[*number]).collect();
                    sink.report(selected_twice(&candidate, &takers));
                }
            }
        }
    }
    let told = by_default.report(selectors, sink);
    for (number, ((selector, takes_some), is_watched)) in
        selectors.iter().zip(takes_some).zip(is_watched).enumerate()
    {
        let n_others = n_candidates
            .get(&selector.takes)
            .copied()
            .unwrap_or_default();
        if is_watched
            && !takes_some
            && n_others > 0
            && selector.is_open()
            && !told.contains(&number)
        {
            sink.report(empty_selection(selector, n_others));
        }
    }
}

/// The selectors that may take more than they do, once all is known.
struct OpenSelectors {
    by_kind: BTreeMap<Kind, Vec<usize>>,
}

impl OpenSelectors {
    fn of(model: &World<'_>, is_watched: &[bool]) -> Self {
        let is_settled = model.unknowns().leave_selection();
        let mut by_kind: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for (number, selector) in model
            .reach
            .selectors
            .iter()
            .enumerate()
            .filter(|(number, _)| is_watched[*number])
        {
            if !is_settled || selector.excludes_namespaces() {
                by_kind.entry(selector.takes).or_default().push(number);
            }
        }
        Self { by_kind }
    }

    /// Takes note of those that may take a resource. Those that take some are not asked again.
    fn note(&mut self, model: &World<'_>, candidate: &Candidate<'_>, takes_some: &mut [bool]) {
        let Some(open) = self.by_kind.get_mut(&candidate.kind) else {
            return;
        };
        let is_open = model
            .cluster()
            .open_namespaces
            .contains(candidate.namespace());
        open.retain(|number| {
            let selector = &model.reach.selectors[*number];
            if !takes_some[*number] {
                let choice = selector.choose(candidate, model.cluster());
                let may_take = || {
                    model
                        .unknowns()
                        .of_selection(model.documents(), (selector, candidate), &choice)
                        .is_some()
                };
                takes_some[*number] = is_open && choice == SelectionResult::Taken || may_take();
            }
            !takes_some[*number]
        });
    }
}

/// Returns whether a workload may select the resource: one that is refused, whose finding is enough, or one of which it
/// is not known.
fn may_be_selected(model: &World<'_>, candidate: &Candidate<'_>) -> bool {
    let mut refused = model.refused_selectors_of(candidate.kind);
    let is_doubtful = |selector: &WorkloadSelector<'_>| {
        let choice = choose(model, selector, candidate);
        model
            .unknowns()
            .of_selection(model.documents(), (selector, candidate), &choice)
            .is_some()
    };
    model.cluster().refused.hides_selectors_of(candidate.kind)
        || refused.any(|selector| choose(model, selector, candidate) == SelectionResult::Taken)
        || !model.unknowns().leave_selection()
            && model.selectors_of(candidate.kind).any(is_doubtful)
}

/// The workload that is closest to selecting the resource, and why it does not.
fn nearest(model: &World<'_>, candidate: &Candidate<'_>) -> Option<(usize, SelectionResult)> {
    let asked = model
        .reach
        .selectors
        .iter()
        .enumerate()
        .filter(|(_, selector)| selector.takes == candidate.kind);
    // One that may take it once all is known says so, however many there are.
    let is_settled = |selector: &WorkloadSelector<'_>| {
        model.reach.others.adrift.is_empty() && !selector.excludes_namespaces()
    };
    let mut n_asked = 0;
    let asked = asked.filter(|(_, selector)| {
        let is_far = is_settled(selector) && selector.by.namespace != candidate.namespace();
        n_asked += usize::from(is_far);
        !is_far || n_asked <= MAX_ASKED
    });
    let choices = asked.map(|(number, selector)| (number, choose(model, selector, candidate)));
    choices.min_by_key(|(_, choice)| distance(choice))
}

/// How far a workload is from selecting a resource: a slip of letters is nearer than a namespace that misses, that is
/// nearer than another word, and that is nearer than a label that is not there.
fn distance(choice: &SelectionResult) -> usize {
    let [slip, namespace_miss, word, absent] = [1, 2, 4, 8];
    let of_miss = |miss: &Miss| match &miss.seen {
        Some(seen)
            if miss
                .required
                .values
                .iter()
                .any(|wanted| suggest::is_slip(seen, wanted)) =>
        {
            slip
        }
        Some(_) => word,
        None if miss.other_key.is_some() => word,
        None => absent,
    };
    let of_labels = |labels: &[Miss]| labels.iter().map(of_miss).sum::<usize>();
    match choice {
        SelectionResult::Taken => 0,
        SelectionResult::Missed {
            namespace: None,
            labels,
        } => of_labels(labels),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Foreign),
            labels,
        } => namespace_miss + 1 + of_labels(labels),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Unwatched(_)),
            labels,
        } => namespace_miss + 2 + of_labels(labels),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Labels(misses)),
            labels,
        } => namespace_miss + misses.len().saturating_sub(1) + of_labels(labels),
        SelectionResult::NoSelector => usize::MAX - 1,
        SelectionResult::Broken => usize::MAX,
    }
}

/// Returns whether a workload selects the resource. A namespace that nobody states is no obstacle.
fn choose(
    model: &World<'_>,
    selector: &WorkloadSelector<'_>,
    candidate: &Candidate<'_>,
) -> SelectionResult {
    let adrift = &model.reach.others.adrift;
    let is_adrift = |miss: &NamespaceMiss| {
        let by_own = *miss == NamespaceMiss::Foreign && adrift.contains(&selector.by.doc);
        by_own || adrift.contains(&candidate.doc)
    };
    match selector.choose(candidate, model.cluster()) {
        SelectionResult::Missed {
            namespace: Some(miss),
            labels,
        } if is_adrift(&miss) => match labels.is_empty() {
            true => SelectionResult::Taken,
            false => SelectionResult::Missed {
                namespace: None,
                labels,
            },
        },
        result => result,
    }
}

/// A resource that no workload selects.
enum MissedResource<'m> {
    /// For a reason of its own.
    Plain(Diagnostic),
    /// Because a chart requires the label of its release by default, of the workload in that document.
    ByDefault(DocId, MissedByDefault<'m>),
}

fn unselected<'m>(model: &World<'m>, candidate: Candidate<'m>) -> Option<MissedResource<'m>> {
    let (number, choice) = nearest(model, &candidate)?;
    let selector = &model.reach.selectors[number];
    let diagnostic = missed(model, &candidate, (selector, &choice))?;
    let SelectionResult::Missed { labels, .. } = &choice else {
        return Some(MissedResource::Plain(diagnostic));
    };
    let mend = values_fix::of_release(selector, model.documents()).filter(|_| !labels.is_empty());
    let Some(mend) = mend else {
        return Some(MissedResource::Plain(diagnostic));
    };
    let required = requirements(labels);
    let missed = MissedByDefault {
        candidate,
        selector: number,
        mend,
        required,
        finding: diagnostic,
    };
    Some(MissedResource::ByDefault(selector.by.doc, missed))
}

/// The finding about a resource that the nearest selector misses.
fn missed(
    model: &World<'_>,
    candidate: &Candidate<'_>,
    (selector, choice): (&WorkloadSelector<'_>, &SelectionResult),
) -> Option<Diagnostic> {
    let name = candidate.place();
    let finding = |at: Place, why: &str| {
        Diagnostic::new(
            &UNSELECTED,
            at,
            format!("no workload in the input selects {candidate}: {why}"),
        )
    };
    let diagnostic = match choice {
        // A selector that does not parse is reported at its own place.
        SelectionResult::Taken | SelectionResult::Broken => return None,
        SelectionResult::NoSelector => {
            let (field, kind) = (selector.labels.field, candidate.kind.as_str());
            let why = format!("`{field}` of {selector} is not set, so it selects no {kind}");
            let help = format!("set `{field}: {{}}` to select every {kind}, or list labels");
            finding(name.into(), &why)
                .help(help)
                .related(selector.by.place(), "selects none")
                .level(Level::Info)
        }
        SelectionResult::Missed {
            namespace: None,
            labels,
        } => of_labels(finding, candidate, selector, labels),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Foreign),
            labels,
        } => {
            let (own, field) = (selector.by.namespace, selector.namespaces.field);
            let namespace = candidate.namespace();
            let why = format!(
                "`{field}` of {selector} is not set, so it selects from its own namespace {own} only, not from {namespace}{}",
                and_labels(labels)
            );
            let help = format!("set `{field}` of {selector}: `{{}}` selects every namespace");
            finding(name.into(), &why)
                .help(help)
                .related(selector.by.place(), format!("selects from {own} only"))
        }
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Unwatched(flag)),
            ..
        } => {
            let (namespace, flag) = (candidate.namespace(), flag.name());
            let why = format!("the operator does not watch namespace {namespace}: `--{flag}`");
            finding(name.into(), &why).help(format!("change `--{flag}` of the operator"))
        }
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Labels(misses)),
            labels,
        } => of_namespace(model, finding, candidate, selector, (misses, labels)),
    };
    let is_by_labels =
        matches!(choice, SelectionResult::Missed { labels, .. } if !labels.is_empty());
    let mend = values_fix::of_release(selector, model.documents()).filter(|_| is_by_labels);
    let diagnostic = diagnostic.helps(mend);
    Some(diagnostic.help("ignore this if a workload that is not in the input selects it"))
}

fn and_labels(labels: &[Miss]) -> String {
    if labels.is_empty() {
        String::new()
    } else {
        format!("; it also requires {}", requirements(labels))
    }
}

fn requirements(misses: &[Miss]) -> String {
    let requirements: Vec<_> = misses.iter().map(Miss::requirement).collect();
    joined(&requirements, " and ")
}

/// Points at the places of a selector that ask for what is missed.
fn required_here(finding: Diagnostic, field: &SelectorField<'_>, misses: &[Miss]) -> Diagnostic {
    misses
        .iter()
        .take(MAX_RELATED)
        .fold(finding, |finding, miss| {
            finding.related(field.place_of(&miss.required), "required here")
        })
}

/// Labels that are missing or differ.
fn of_labels(
    finding: impl FnOnce(Place, &str) -> Diagnostic,
    candidate: &Candidate<'_>,
    selector: &WorkloadSelector<'_>,
    labels: &[Miss],
) -> Diagnostic {
    let requirements = requirements(labels);
    let why = format!("{selector} requires {requirements}");
    let metadata = At::doc(candidate.doc).key("metadata");
    let place: Place = match labels.iter().find(|miss| miss.seen.is_some()) {
        Some(miss) => metadata.key("labels").key(miss.required.key.clone()).into(),
        None if candidate.metadata.labels.is_some() => Place::Key(metadata.key("labels")),
        None => metadata.key("name").into(),
    };
    let diagnostic = required_here(finding(place, &why), &selector.labels, labels);
    let has: Vec<_> = labels.iter().map(ToString::to_string).collect();
    diagnostic
        .label(format!("it {}", joined(&has, ", ")))
        .help(format!("it must have {requirements}"))
}

/// A namespace whose labels do not match. The labels of a namespace without a manifest are unknown.
fn of_namespace(
    model: &World<'_>,
    finding: impl FnOnce(Place, &str) -> Diagnostic,
    candidate: &Candidate<'_>,
    selector: &WorkloadSelector<'_>,
    (misses, labels): (&[Miss], &[Miss]),
) -> Diagnostic {
    let namespace = candidate.namespace();
    let requirements = requirements(misses);
    let why = format!(
        "{selector} requires namespaces with {requirements}, and {namespace} does not match{}",
        and_labels(labels)
    );
    let metadata = At::doc(candidate.doc).key("metadata");
    let diagnostic = finding(metadata.key("namespace").into(), &why);
    let diagnostic = required_here(diagnostic, &selector.namespaces, misses);
    let is_known =
        model.reach.others.namespaces.contains(namespace) || !selector.reads_namespace_labels();
    if is_known {
        return diagnostic.help(format!("Namespace {namespace} must have {requirements}"));
    }
    let doubt = format!("Namespace {namespace} is not in the input, so its labels are unknown");
    diagnostic.help(doubt).level(Level::Info)
}

fn empty_selection(selector: &WorkloadSelector<'_>, n_others: usize) -> Diagnostic {
    let kind = selector.takes.as_str();
    let message = match n_others {
        1 => format!("{selector} does not select the only {kind} in the input"),
        n => format!("{selector} selects none of the {n} {kind}s in the input"),
    };
    let help = "ignore this if the resources that it selects are not in the input";
    Diagnostic::new(
        &EMPTY_SELECTION,
        Place::Key(selector.labels.place()),
        message,
    )
    .help(help)
}

fn selected_twice(candidate: &Candidate<'_>, takers: &[&WorkloadSelector<'_>]) -> Diagnostic {
    let names: Vec<_> = takers
        .iter()
        .take(MAX_RELATED)
        .map(ToString::to_string)
        .collect();
    let more = if takers.len() > MAX_RELATED {
        " and others"
    } else {
        ""
    };
    let message = format!(
        "{candidate} is selected by {} workloads: {}{more}",
        takers.len(),
        names.join(", ")
    );
    let mut diagnostic = Diagnostic::new(&SELECTED_TWICE, candidate.place(), message);
    for taker in takers.iter().take(MAX_RELATED) {
        diagnostic = diagnostic.related(Place::Key(taker.labels.place()), "selected here");
    }
    diagnostic.help("ignore this if the workloads are redundant on purpose")
}
