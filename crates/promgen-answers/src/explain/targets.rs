//! The Services and pods that monitors select.

use crate::explain::requirements;
use crate::explain::workload::listed;
use crate::explain::{Explain, ExplanationStep, StepState};
use promgen_compile::select::selector::place;
use promgen_model::monitors::Monitor;
use promgen_model::selection::likely;
use promgen_model::selection::named::{Named, selected_noun};
use promgen_model::selection::ports::{unresolved, unresolved_words};
use promgen_model::selection::unread::UnreadReleases;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::Kind;
use promgen_targets::resolve::built_in;
use promgen_targets::resolve::labelled::{LabelIndex, NamespaceScope, Selectable};
use promgen_targets::resolve::near::Near;
use promgen_targets::resolve::others::PodSource;
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_targets::resolve::{ResolvedService, Seeker};
use promgen_text::diag::count::counted;
use promgen_text::route::{At, DocId};

/// The Services that a ServiceMonitor selects.
pub(super) fn selected(
    cx: Explain<'_>,
    monitor: Monitor<'_>,
    seeker: &Seeker<'_>,
    scope: &NamespaceScope<'_>,
    wanted: Option<&MonitorPort>,
) -> ExplanationStep {
    let (reach, doc) = (cx.model.reach, monitor.doc());
    let found = monitor.matches(reach, seeker, scope);
    let place = scope.text();
    let (steps, text, broken) = match monitor {
        Monitor::OfServices(_) if found.items.is_empty() => {
            return nothing(cx, doc, seeker, scope, monitor.kind(), &reach.services);
        }
        Monitor::OfPods(_) if found.items.is_empty() => {
            return nothing(cx, doc, seeker, scope, monitor.kind(), &reach.pods);
        }
        Monitor::OfServices(_) => {
            let services = reach.services.all(&found).into_iter();
            let steps: Vec<_> = services.map(|one| service(cx, one, wanted)).collect();
            let broken = match steps.len() {
                1 => format!("the Service that its selector matches {place} has no targets"),
                n => format!(
                    "none of the {n} Services that its selector matches {place} has targets"
                ),
            };
            let text = format!(
                "its selector matches {} {place}",
                counted(steps.len(), "Service")
            );
            (steps, text, broken)
        }
        Monitor::OfPods(_) => {
            let pods = reach.pods.all(&found).into_iter();
            let steps: Vec<_> = pods.map(|pods| some_pods(pods, wanted)).collect();
            let text = format!(
                "its selector matches {} of pods {place}",
                counted(steps.len(), "group")
            );
            let broken = format!("the pods that its selector matches {place} lack the port");
            (steps, text, broken)
        }
    };
    let any = ExplanationStep::any(text, listed(steps))
        .or_broken(broken)
        .at(cx.span(&At::spec(doc).key("selector")));
    match monitor {
        Monitor::OfServices(_) if found.is_cut => {
            any.help("the list is incomplete: more Services match")
        }
        _ => any,
    }
}

/// A service, its port, and the pods behind it.
fn service(
    cx: Explain<'_>,
    service: &ResolvedService,
    wanted: Option<&MonitorPort>,
) -> ExplanationStep {
    let at = |route: fn(At) -> At| service.doc.and_then(|doc| cx.span(&route(At::doc(doc))));
    let mut steps = Vec::new();
    if let Some(wanted) = wanted.filter(|wanted| wanted.of == PortOwner::Service) {
        let ports = wanted.in_service(service);
        let span = at(|doc| doc.key("spec").key("ports"));
        steps.push(match ports.first() {
            Some(index) => {
                let port = &service.ports()[*index];
                let target = port
                    .target_port
                    .as_ref()
                    .map(|target| format!(", targetPort {target}"))
                    .unwrap_or_default();
                let name = port.name.as_deref().unwrap_or_default();
                ExplanationStep::holds(format!(
                    "it has the port \"{name}\" ({}{target})",
                    port.port
                ))
                .at(span)
            }
            None => no_port(wanted, &service.port_names()).at(span),
        });
        let found = cx.model.reach.pods_behind(service);
        let pods = cx.model.reach.pods.all(&found);
        let unresolved = |index: &usize| unresolved(&service.ports()[*index], &pods);
        if let (false, Some(unresolved)) = (found.is_cut, ports.iter().find_map(unresolved)) {
            let text = unresolved_words("it", &unresolved);
            steps.push(ExplanationStep::breaks(text).at(span));
        }
    }
    if !steps.iter().any(|step| step.state == StepState::Breaks) {
        steps.push(behind(
            cx,
            service,
            wanted.filter(|wanted| wanted.of == PortOwner::Pod),
        ));
    }
    let text = match service.doc {
        Some(_) => service.what(),
        None => format!("{}, which the operator creates", service.what()),
    };
    ExplanationStep::all(text, steps).at(at(|doc| doc.key("metadata").key("name")))
}

fn no_port(wanted: &MonitorPort, names: &[String]) -> ExplanationStep {
    let step = ExplanationStep::breaks(format!(
        "it has no port for {wanted}; existing ports: {}",
        names.join(", ")
    ));
    match wanted.closest_name(names.iter().map(String::as_str)) {
        Some(meant) => step.help(format!("did you mean \"{meant}\"?")),
        None => step,
    }
}

/// The pods behind a service.
fn behind(
    cx: Explain<'_>,
    service: &ResolvedService,
    wanted: Option<&MonitorPort>,
) -> ExplanationStep {
    let reach = cx.model.reach;
    if service.has_no_selector() {
        return ExplanationStep::open("it has no selector: EndpointSlices list its addresses");
    }
    let span = service
        .doc
        .and_then(|doc| cx.span(&At::spec(doc).key("selector")));
    let found = reach.pods_behind(service);
    if !found.items.is_empty() {
        let steps: Vec<ExplanationStep> = reach
            .pods
            .all(&found)
            .into_iter()
            .map(|pods| some_pods(pods, wanted))
            .collect();
        return ExplanationStep::any("its selector matches pods", listed(steps))
            .or_broken("the pods that its selector matches lack the port")
            .at(span);
    }
    if let Some(pods) = reach.built_in_pods_behind(service) {
        return ExplanationStep::open(format!(
            "its selector matches the pods of {}: not in the input",
            pods.what
        ));
    }
    if let Some(near) = reach.near_pods_behind(service) {
        return of_near(
            "its selector matches no pod in the input",
            &near,
            &near.thing.what(),
        )
        .at(span);
    }
    let namespace = service.namespace();
    ExplanationStep::open(match reach.pods.count(&NamespaceScope::one(namespace)) {
        0 => format!("the input has no pods in namespace {namespace}"),
        n => {
            format!("its selector matches none of the {n} groups of pods in namespace {namespace}")
        }
    })
    .at(span)
}

/// A group of pods, and its port.
fn some_pods(pods: &PodSource, wanted: Option<&MonitorPort>) -> ExplanationStep {
    let what = pods.what();
    if pods.is_stopped {
        return ExplanationStep::open(format!("{what} has `replicas: 0`: no pod runs"))
            .at(pods.span);
    }
    let step = match wanted {
        None => ExplanationStep::holds(what),
        Some(wanted) if wanted.is_in_pods(pods) => {
            ExplanationStep::holds(format!("{what}: a container declares it"))
        }
        Some(wanted) => {
            let names = pods.port_names();
            let has = match names.is_empty() {
                true => ", or any port by name".to_owned(),
                false => format!("; existing ports: {}", names.join(", ")),
            };
            ExplanationStep {
                text: format!("{what}: no container declares {wanted}{has}"),
                ..no_port(wanted, &names)
            }
        }
    };
    step.at(pods.span)
}

/// The selector matches nothing: the closest match.
pub(super) fn nothing<T: Selectable + Named>(
    cx: Explain<'_>,
    doc: DocId,
    seeker: &Seeker<'_>,
    scope: &NamespaceScope<'_>,
    kind: Kind,
    things: &LabelIndex<T>,
) -> ExplanationStep {
    let (at, what) = (seeker.selector_at(doc), selected_noun(kind));
    let text = format!("its selector matches no {what} {}", scope.text());
    let Ok(selector) = Selector::new(seeker.selector) else {
        return ExplanationStep::breaks("its selector does not parse");
    };
    if let Some(thing) = built_in::of_kind(kind, scope, &selector) {
        return ExplanationStep::open(format!(
            "its selector matches {}: not in the input",
            thing.what
        ));
    }
    if let Ok(near) = likely::near(
        cx.model,
        &UnreadReleases::default(),
        doc,
        seeker,
        things,
        scope,
        &selector,
    ) {
        let wanted = near
            .misses
            .first()
            .map(|miss| place(at.clone(), Some(seeker.selector), &miss.required));
        let name = format!("{what} {}/{}", near.thing.namespace(), near.thing.name());
        return of_near(&text, &near, &name).at(cx.span(&wanted.unwrap_or(at)));
    }
    let span = cx.span(&at);
    let elsewhere = things.find(&NamespaceScope::Any, &selector);
    if let (false, Some(first)) = (selector.requirements().is_empty(), elsewhere.items.first()) {
        let thing = things.get(*first);
        let (namespace, name) = (thing.namespace(), thing.name());
        let step = ExplanationStep::breaks(format!(
            "{text}, but {namespace}/{name} in another namespace"
        ));
        // What the monitor selects from, it may not look into.
        return match seeker.scope().has(namespace) {
            true => step.help(IGNORED),
            false => step.help(format!(
                "add {namespace} to `{}.matchNames`",
                seeker.namespaces_at(doc).route
            )),
        }
        .at(span);
    }
    match things.count(scope) {
        0 => ExplanationStep::open(format!("the input has no {what} {}", scope.text())).at(span),
        // Something that is not in the input may create it.
        _ => ExplanationStep::open(format!("{text}: none in the input matches `{selector}`"))
            .at(span),
    }
}

/// The help where a workload ignores the namespace selector of a monitor.
const IGNORED: &str = "the workload has `ignoreNamespaceSelectors: true`, so a monitor looks into its own namespace alone: remove it, or \
                       move the monitor";

fn of_near<T>(text: &str, near: &Near<'_, T>, name: &str) -> ExplanationStep {
    let has: Vec<_> = near.misses.iter().map(ToString::to_string).collect();
    ExplanationStep::breaks(format!(
        "{text}, but {name} almost matches: it {}",
        has.join(", ")
    ))
    .help(format!(
        "it must have {}, or change the selector",
        requirements(&near.misses)
    ))
}
