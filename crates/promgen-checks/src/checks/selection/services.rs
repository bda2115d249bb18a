//! Monitors that select no Service or pod.

use crate::checks::selection::confined::{ConfinedMonitors, Confiner};
use crate::checks::selection::listed::{self, CopiedLabels};
use crate::checks::selection::{endpoints, pods, ports, stopped};
use promgen_compile::cluster::Object;
use promgen_compile::select::selector::place;
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::selection::likely;
use promgen_model::selection::named::{Named, selected_noun};
use promgen_model::selection::unread::UnreadReleases;
use promgen_prometheus::labels::miss::{Miss, label};
use promgen_prometheus::labels::{Operator, Requirement, Selector};
use promgen_resources::api::{Kind, LabelSelector, PodMonitor, ServiceMonitor};
use promgen_resources::document::{self, Document};
use promgen_targets::resolve::built_in;
use promgen_targets::resolve::labelled::{LabelIndex, NamespaceScope, Selectable, is_settled};
use promgen_targets::resolve::others::PodSource;
use promgen_targets::resolve::{ResolvedService, Seeker};
use promgen_text::diag::count::counted;
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::origin::DocumentOrigin;
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds ServiceMonitors that select no Service in the input, PodMonitors that select no pod or pod template of it, and
    /// Probes that select no Ingress of it, although the namespace has some, or although an object in another namespace matches;
    /// and ScrapeConfigs that name no discovery and no targets at all. A monitor in a file that names no namespace, while all that
    /// it selects is in one, is information.
    ///
    /// The level is warning if an object where the monitor looks almost matches and has a port that it asks for, so that a typo is
    /// likely, and info otherwise: a release whose chart is not read, and which has the name that is asked for, or a template with the
    /// value, makes what is meant. Where all workloads that
    /// select the monitor have `ignoreNamespaceSelectors`, it looks into its own namespace alone.
    ///
    /// ## Why is this bad?
    /// Nothing is scraped. Ignore this if something else, such as a chart or an operator, creates the selected objects.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector:
    ///     matchLabels: {app: cart}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata:
    ///   name: cart
    ///   namespace: shop
    ///   labels: {app.kubernetes.io/name: cart}
    /// spec:
    ///   ports: [{name: metrics, port: 8080}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector:
    ///     matchLabels: {app.kubernetes.io/name: cart}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata:
    ///   name: cart
    ///   namespace: shop
    ///   labels: {app.kubernetes.io/name: cart}
    /// spec:
    ///   ports: [{name: metrics, port: 8080}]
    /// ```
    UNMATCHED_SELECTOR = "PG124" "unmatched-selector" Warning: "a monitor that selects nothing in the input";
}

/// What the checks of monitors ask besides.
struct KnownBesides<'m> {
    model: &'m World<'m>,
    confined: ConfinedMonitors,
    unread: UnreadReleases,
}

/// Checks every monitor.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let known = KnownBesides {
        model,
        confined: ConfinedMonitors::of(model),
        unread: UnreadReleases::default(),
    };
    let (reach, others) = (model.reach, model.reach.others);
    for monitor in Monitor::all(model.cluster()) {
        let (seeker, kind, doc) = (monitor.seeker(others), monitor.kind(), monitor.doc());
        match monitor {
            Monitor::OfServices(object) => {
                let services = known.selected(kind, doc, seeker, &reach.services, sink);
                of_services(model, &known.unread, object, &services, sink);
                stopped::of_services(model, monitor, &services, sink);
            }
            Monitor::OfPods(object) => {
                let pods = known.selected(kind, doc, seeker, &reach.pods, sink);
                of_pods(model, object, &pods, sink);
                stopped::of_pods(monitor, &pods, sink);
            }
        }
    }
    for probe in model.cluster().probes.values() {
        if let Some(seeker) = Seeker::of_ingresses(probe, others) {
            known.selected(Kind::Probe, probe.doc, seeker, &reach.ingresses, sink);
        }
    }
    sink.extend(model.documents().iter().filter_map(undiscovering));
    pods::of_workloads(model, &known.unread, sink);
}

impl KnownBesides<'_> {
    /// What a monitor selects, as far as it is all of it and says something of the monitor. Reports one that selects nothing.
    fn selected<'t, T: Selectable + Named>(
        &self,
        kind: Kind,
        doc: DocId,
        seeker: Seeker<'_>,
        things: &'t LabelIndex<T>,
        sink: &mut Sink,
    ) -> Vec<&'t T> {
        let (model, confiner) = (self.model, self.confined.by(doc));
        let scope = seeker.scope_under(self.confined.confinement(doc));
        let found = seeker.find(things, &scope);
        if found.items.is_empty() {
            let subject = EmptyMonitor {
                kind,
                doc,
                seeker,
                confiner,
            };
            sink.extend(unmatched(model, &self.unread, &subject, things, &scope));
        }
        if found.is_cut {
            return Vec::new();
        }
        let mut all = things.all(&found);
        all.retain(|one| likely::is_evidence(model, &seeker, doc, *one));
        let document = document::find(model.documents(), doc);
        sink.extend(document.and_then(|of| unplaced(of, &seeker, &all)));
        all
    }
}

/// A monitor of a file that names no namespace, while all that it selects is in one.
fn unplaced<T: Selectable + Named>(
    document: &Document,
    seeker: &Seeker<'_>,
    things: &[&T],
) -> Option<Diagnostic> {
    let (first, home) = (things.first()?, things.first()?.namespace());
    let is_there = |thing: &&T| !thing.is_anywhere() && thing.namespace() == home;
    if !seeker.is_anywhere
        || seeker.namespaces.is_some()
        || document.origin != DocumentOrigin::File
        || !things.iter().all(is_there)
        || home.contains(|c: char| c.is_ascii_uppercase() || !c.is_ascii_alphanumeric() && c != '-')
    {
        return None;
    }
    let message = format!(
        "{} {} names no namespace: it selects {} only in {home}",
        document.kind.as_str(),
        seeker.name,
        first.what()
    );
    let finding = Diagnostic::new(&UNMATCHED_SELECTOR, At::name(document.id), message);
    Some(
        finding
            .level(Level::Info)
            .help(format!("add `namespace: {home}`")),
    )
}

/// A ScrapeConfig without discovery and targets.
fn undiscovering(document: &Document) -> Option<Diagnostic> {
    let fields = document.node.get("spec")?.entries();
    let discovers = |key: &str| key.ends_with("SDConfigs") || key == "staticConfigs";
    if document.kind != Kind::ScrapeConfig || fields.iter().any(|field| discovers(&field.key)) {
        return None;
    }
    let message = format!(
        "{} has no targets: it names no discovery",
        document.resource()
    );
    let finding = Diagnostic::new(&UNMATCHED_SELECTOR, At::spec(document.id), message);
    Some(finding.help("add `staticConfigs`, or a discovery such as `kubernetesSDConfigs`"))
}

fn of_services(
    model: &World<'_>,
    unread: &UnreadReleases,
    monitor: &Object<ServiceMonitor>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    // An empty selector also matches generated objects, but that is rarely intended.
    let are_generated = services.iter().all(|service| !service.is_given());
    if services.is_empty() || are_generated && is_all(&monitor.value.spec.selector) {
        return;
    }
    let is_meant = says_value(&monitor.value.spec.selector);
    ports::of_services(
        model,
        Monitor::OfServices(monitor),
        services,
        is_meant,
        sink,
    );
    endpoints::check(model, monitor, services, sink);
    copied_of_services(model, monitor, services, sink);
    pods::behind(model, unread, monitor, services, sink);
}

fn of_pods(model: &World<'_>, monitor: &Object<PodMonitor>, pods: &[&PodSource], sink: &mut Sink) {
    if pods.is_empty() {
        return;
    }
    if says_value(&monitor.value.spec.selector) {
        ports::of_pods(model, Monitor::OfPods(monitor), pods, sink);
    }
    let (spec, at) = (&monitor.value.spec, At::spec(monitor.doc));
    let labels = spec.pod_target_labels.as_ref();
    let mut copied = listed::list(&at, "podTargetLabels", labels, true);
    copied.extend(job_label(&at, spec.job_label.as_deref(), true));
    listed::check(&copied, pods, "pod", sink);
}

/// The labels that a ServiceMonitor copies from its Services, and from the pods behind them.
fn copied_of_services(
    model: &World<'_>,
    monitor: &Object<ServiceMonitor>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    let (spec, at) = (&monitor.value.spec, At::spec(monitor.doc));
    let mut copied = listed::list(&at, "targetLabels", spec.target_labels.as_ref(), false);
    copied.extend(job_label(&at, spec.job_label.as_deref(), false));
    listed::check(&copied, services, "Service", sink);
    let of_pods = listed::list(
        &at,
        "podTargetLabels",
        spec.pod_target_labels.as_ref(),
        true,
    );
    if of_pods.is_empty() {
        return;
    }
    let found: Vec<_> = services
        .iter()
        .map(|service| model.reach.pods_behind(service))
        .collect();
    if found
        .iter()
        .all(|pods| !pods.is_cut && !pods.items.is_empty())
    {
        let pods: Vec<_> = found
            .iter()
            .flat_map(|pods| model.reach.pods.all(pods))
            .collect();
        listed::check(&of_pods, &pods, "pod", sink);
    }
}

fn job_label<'m>(spec: &At, label: Option<&'m str>, of_pods: bool) -> Option<CopiedLabels<'m>> {
    label.map(|label| CopiedLabels {
        at: spec.clone().key("jobLabel"),
        label,
        of_pods,
    })
}

/// Returns whether a selector has no requirements.
fn is_all(selector: &LabelSelector) -> bool {
    Selector::new(selector).is_ok_and(|selector| selector.requirements().is_empty())
}

/// Returns whether a selector says a value of a label. What only says that a label is there, or which values it has not, matches
/// what was never meant.
fn says_value(selector: &LabelSelector) -> bool {
    let is_value = |of: &Requirement| matches!(of.operator, Operator::Equals | Operator::In);
    Selector::new(selector).is_ok_and(|selector| selector.requirements().iter().any(is_value))
}

/// A monitor that selects nothing.
struct EmptyMonitor<'m> {
    kind: Kind,
    doc: DocId,
    seeker: Seeker<'m>,
    /// The workload that lets it look into its own namespace alone.
    confiner: Option<&'m Confiner>,
}

impl EmptyMonitor<'_> {
    fn finding(&self, at: Place, why: &str) -> Diagnostic {
        let (kind, target) = (self.kind.as_str(), selected_noun(self.kind));
        let Seeker {
            namespace, name, ..
        } = self.seeker;
        let message = format!("{kind} {namespace}/{name} selects no {target} in the input{why}");
        Diagnostic::new(&UNMATCHED_SELECTOR, at, message)
    }

    fn selector(&self) -> At {
        self.seeker.selector_at(self.doc)
    }
}

fn unmatched<T: Selectable + Named>(
    model: &World<'_>,
    unread: &UnreadReleases,
    subject: &EmptyMonitor<'_>,
    things: &LabelIndex<T>,
    scope: &NamespaceScope<'_>,
) -> Option<Diagnostic> {
    if !likely::is_seeker_settled(&subject.seeker) {
        return None;
    }
    let written: &LabelSelector = subject.seeker.selector;
    let selector = Selector::new(written).ok().filter(|_| !is_all(written))?;
    if built_in::of_kind(subject.kind, scope, &selector).is_some() {
        return None;
    }
    let unread = match likely::near(
        model,
        unread,
        subject.doc,
        &subject.seeker,
        things,
        scope,
        &selector,
    ) {
        Ok(near) if !is_by_default(&selector, &near.misses) => {
            return Some(of_near(subject, near.thing, &near.misses));
        }
        Ok(_) => None,
        Err(unread) => unread,
    };
    let elsewhere = match *scope == NamespaceScope::Any || !says_value(written) {
        true => Vec::new(),
        false => things.find(&NamespaceScope::Any, &selector).items,
    };
    if let Some(first) = elsewhere.first().map(|first| things.get(*first)) {
        return is_settled(first).then(|| of_elsewhere(subject, first, scope));
    }
    let n_there = things.count(scope);
    let (target, place) = (selected_noun(subject.kind), scope.text());
    (n_there > 0).then(|| {
        let there = if n_there == 1 {
            format!("the only {target}")
        } else {
            format!("none of the {}", counted(n_there, target))
        };
        let why = format!(
            ": {there} {place} {} `{selector}`",
            if n_there == 1 {
                "does not match"
            } else {
                "matches"
            }
        );
        let help = match unread {
            Some(unread) => format!("{unread} may make it"),
            None => "ignore this if something that is not in the input creates it".to_owned(),
        };
        subject
            .finding(Place::Key(subject.selector()), &why)
            .help(help)
            .level(Level::Info)
    })
}

/// Labels that scaffolds give to every program, with their values.
const SCAFFOLDED: [(&str, &str); 1] = [("control-plane", "controller-manager")];

/// Returns whether an object misses all that a selector requires, and has instead what a scaffold gives to every
/// program.
fn is_by_default(selector: &Selector, misses: &[Miss]) -> bool {
    let is_given = |miss: &Miss| {
        SCAFFOLDED
            .iter()
            .any(|(key, value)| miss.required.key == *key && miss.seen.as_deref() == Some(*value))
    };
    misses.len() == selector.requirements().len() && misses.iter().all(is_given)
}

/// An object with almost these labels.
fn of_near<T: Selectable + Named>(
    subject: &EmptyMonitor<'_>,
    thing: &T,
    misses: &[Miss],
) -> Diagnostic {
    let has: Vec<_> = misses.iter().map(ToString::to_string).collect();
    let why = format!(
        ", but {} almost matches: it {}",
        thing.what(),
        has.join(", ")
    );
    let at = misses.first().map(|miss| {
        place(
            subject.selector(),
            Some(subject.seeker.selector),
            &miss.required,
        )
    });
    let mut diagnostic = subject.finding(at.unwrap_or_else(|| subject.selector()).into(), &why);
    if let Some(place) = thing.place() {
        diagnostic = diagnostic.related(place, "almost matches");
    }
    for miss in misses {
        let value = miss
            .required
            .values
            .first()
            .map(String::as_str)
            .unwrap_or_default();
        if let (Some(seen), [_]) = (&miss.seen, misses) {
            let at = place(
                subject.selector(),
                Some(subject.seeker.selector),
                &miss.required,
            );
            diagnostic = diagnostic.fix(Fix::value(at, seen));
        }
        diagnostic = diagnostic.help(match (&miss.seen, &miss.other_key) {
            (None, Some(key)) => format!("select {} instead", label(key, value)),
            (Some(seen), _) => format!(
                "to select that one, use {} instead",
                label(&miss.required.key, seen)
            ),
            (None, None) => format!("{} must have {}", thing.what(), miss.requirement()),
        });
    }
    diagnostic
}

/// An object with these labels in a namespace that the monitor does not select from.
fn of_elsewhere<T: Selectable + Named>(
    subject: &EmptyMonitor<'_>,
    thing: &T,
    scope: &NamespaceScope<'_>,
) -> Diagnostic {
    let why = format!(
        " {}; {} matches, but its namespace is not selected",
        scope.text(),
        thing.what()
    );
    let place = Place::Key(match subject.seeker.namespaces {
        Some(_) => subject.seeker.namespaces_at(subject.doc),
        None => subject.selector(),
    });
    let mut diagnostic = subject.finding(place, &why);
    if let Some(place) = thing.place() {
        diagnostic = diagnostic.related(place, "matches");
    }
    let namespace = thing.namespace();
    match subject.confiner.filter(|_| subject.seeker.scope().has(namespace)) {
        Some(by) => diagnostic.related(by.place.clone(), "so it looks into its own namespace alone").help(format!(
            "remove `ignoreNamespaceSelectors` of {}, or move the monitor to namespace {namespace}",
            by.what
        )),
        None => diagnostic.help(format!("to select that one, add {namespace} to `{}.matchNames`", subject.seeker.namespaces_at(subject.doc).route)),
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn service(namespace: &str, labels: &str, spec: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: cart, namespace: {namespace}, labels: {labels}}}\nspec: {spec}\n---\n"
        )
    }

    #[test]
    fn what_names_no_namespace_beside_what_does_is_told() {
        let monitor = |kind: &str, namespace: &str, more: &str| {
            format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: m{namespace}}}\n\
                 spec: {{selector: {{matchLabels: {{app: cart}}}}{more}}}\n---\n"
            )
        };
        let of = |more: &str| format!(", endpoints: [{{port: a}}]{more}");
        let unplaced = service("shop", "{app: cart}", "{ports: [{name: a, port: 1}]}");
        let unplaced = unplaced.replace(", namespace: shop", "");
        let placed = service("shop", "{app: cart}", "{ports: [{name: a, port: 1}]}");
        let told = |text: String| found(&["PG124"], &text);
        let lost = told(monitor("ServiceMonitor", "", &of("")) + &placed);
        assert!(
            lost[0].contains("PG124 info 3: ServiceMonitor m names no namespace"),
            "{lost:?}"
        );
        let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop, labels: {app: cart}}\n\
                    spec: {containers: [{name: a, image: a, ports: [{name: a, containerPort: 1}]}]}\n";
        let lost = told(monitor("PodMonitor", "", ", podMetricsEndpoints: [{port: a}]") + pods);
        assert_eq!(lost.len(), 1, "{lost:?}");
        let two = placed.replace("shop", "other");
        for text in [
            monitor("ServiceMonitor", "", &of("")) + &unplaced,
            monitor("ServiceMonitor", ", namespace: shop", &of("")) + &placed,
            monitor("ServiceMonitor", ", namespace: shop", &of("")) + &unplaced,
            monitor(
                "ServiceMonitor",
                "",
                &of(", namespaceSelector: {matchNames: [shop]}"),
            ) + &placed,
            monitor("ServiceMonitor", "", &of("")) + &placed + &two,
            monitor("ServiceMonitor", "", &of("")) + &placed.replace("shop", "'${NS}'"),
        ] {
            assert_eq!(told(text), [""; 0]);
        }
    }

    #[test]
    fn a_scrape_config_without_discovery_is_told() {
        let told = |spec: &str| {
            let head = "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {name: a, namespace: b}\n";
            found(&["PG124"], &format!("{head}spec: {spec}\n"))
        };
        assert_eq!(told("{metricsPath: /m}").len(), 1);
        assert_eq!(told("{staticConfigs: []}"), [""; 0]);
        assert_eq!(told("{httpSDConfigs: [{url: 'http://a'}]}"), [""; 0]);
        assert_eq!(told("{kumaSDConfigs: [{server: 'http://a'}]}"), [""; 0]);
    }
}
