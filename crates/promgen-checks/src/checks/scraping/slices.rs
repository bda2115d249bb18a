//! Discovery by Endpoints, which Kubernetes has deprecated.

use std::collections::BTreeSet;

use crate::checks::scraping::permission;
use promgen_compile::access::{AccessVerdict, DISCOVERY_GROUP, Need};
use promgen_model::model::World;
use promgen_model::scraping::endpoints::{is_due, of_monitor};
use promgen_model::scraping::needs::{Answers, JobOrigin, ScrapingServer};
use promgen_resources::document;
use promgen_resources::gates::Target;
use promgen_resources::release;
use promgen_text::diag::count::counted;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds workloads that discover the targets of ServiceMonitors from Endpoints, although Kubernetes 1.33 and later
    /// deprecate them, and tells the whole change: the role, and the permission for it. `--unsafe-fixes` adds the permission to the role
    /// of the account first, and changes the workload once it is granted.
    ///
    /// ## Why is this bad?
    /// An API server may stop writing Endpoints. And whoever changes the role and not the permission loses all targets.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, serviceAccountName: prometheus}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: Role
    /// metadata: {name: prometheus, namespace: shop}
    /// rules:
    /// - {apiGroups: [""], resources: [services, endpoints, pods], verbs: [get, list, watch]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, serviceAccountName: prometheus, serviceDiscoveryRole: EndpointSlice}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: Role
    /// metadata: {name: prometheus, namespace: shop}
    /// rules:
    /// - {apiGroups: [""], resources: [services, pods], verbs: [get, list, watch]}
    /// - {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    ENDPOINTS_ROLE = "PG133" "endpoints-role" Info: "a workload that discovers targets from Endpoints, which Kubernetes deprecates";
}

/// Checks all workloads. The version of the cluster is a guess unless somebody says it: then only an input that has permissions
/// can be moved, and not what a chart makes.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let is_guess = model.options().target.kubernetes == Target::default().kubernetes;
    if is_guess && model.access().has_no_permissions() {
        return;
    }
    let is_asked = |scraper: &ScrapingServer<'_>| {
        is_due(*scraper) && !(is_guess && scraper.is_made_elsewhere())
    };
    for scraper in ScrapingServer::all(model).filter(is_asked) {
        of_workload(scraper, sink);
    }
}

fn of_workload(scraper: ScrapingServer<'_>, sink: &mut Sink) {
    let mut monitors: BTreeSet<JobOrigin<'_>> = BTreeSet::new();
    let mut namespaces: BTreeSet<String> = BTreeSet::new();
    for job in scraper.jobs() {
        if let Some((origin, names)) = of_monitor(job) {
            monitors.insert(origin);
            namespaces.extend(if names.is_empty() {
                vec![String::new()]
            } else {
                names
            });
        }
    }
    let Some(first) = monitors.iter().next() else {
        return;
    };
    let (doc, is_own) = place(scraper, *first);
    let field = At::spec(doc).key("serviceDiscoveryRole");
    let of = match monitors.len() {
        1 => format!("ServiceMonitor {}", first.key),
        n => counted(n, "ServiceMonitor"),
    };
    let message = format!(
        "{} discovers the targets of {of} from Endpoints, which Kubernetes deprecates since 1.33",
        scraper.what()
    );
    let mut diagnostic = Diagnostic::new(
        &ENDPOINTS_ROLE,
        if is_own {
            Place::At(field.clone())
        } else {
            At::name(doc).into()
        },
        message,
    );
    let mut answers = Answers::new(scraper.authority());
    let needs: Vec<Need> = namespaces
        .iter()
        .map(|namespace| Need::reads(DISCOVERY_GROUP, "endpointslices", namespace))
        .collect();
    let lacks = answers.lacks(needs.iter().cloned());
    let is_granted = needs.iter().all(|need| {
        answers
            .of(need)
            .iter()
            .all(|(_, verdict)| matches!(verdict, AccessVerdict::Granted(_)))
    });
    let permission = "list and watch `endpointslices` of the group `discovery.k8s.io`";
    diagnostic = diagnostic.help("set `serviceDiscoveryRole: EndpointSlice`");
    diagnostic = match is_granted {
        true => diagnostic.help(format!("its service account may {permission} already")),
        false => diagnostic.help(format!(
            "before that, let service account {} {permission}",
            scraper.account()
        )),
    };
    let target = &scraper.model.options().target;
    let (operator, kubernetes) = (release::tag(target.operator_version()), &target.kubernetes);
    diagnostic = diagnostic.help(format!(
        "operator {operator} has the field, and Kubernetes {}.{} the EndpointSlices",
        kubernetes.major, kubernetes.minor
    ));
    let first = document::find(scraper.model.documents(), doc)
        .and_then(|document| document.node.get("spec"));
    let first = first
        .and_then(|spec| spec.entries().first())
        .map(|entry| entry.key.to_string());
    let change = match (is_own, first) {
        (true, _) => Some(EditAction::Value(field, NEW_ROLE.to_owned())),
        (false, Some(first)) => Some(EditAction::Before(
            At::spec(doc).key(first),
            ROLE_FIELD.into(),
            NEW_ROLE.into(),
        )),
        (false, None) => None,
    };
    // The permission comes first: the workload would lose its targets until it has it.
    let fix = match lacks.is_empty() {
        true => {
            change.map(|change| Fix::risky("discover targets from EndpointSlices").change(change))
        }
        false => permission::amendment(&answers, &lacks).map(permission::granting),
    };
    sink.report(fix.into_iter().fold(diagnostic, Diagnostic::fix));
}

/// The field of the role, and the value that it is to have.
const ROLE_FIELD: &str = "serviceDiscoveryRole";
const NEW_ROLE: &str = "EndpointSlice";

/// The document whose role is to be changed, and whether it names the role.
fn place(scraper: ScrapingServer<'_>, first: JobOrigin<'_>) -> (DocId, bool) {
    let monitor = scraper.model.cluster().service_monitors.get(first.key);
    let monitor = monitor.filter(|monitor| monitor.value.spec.service_discovery_role.is_some());
    let is_set = scraper.own.common.service_discovery_role.is_some();
    match monitor {
        Some(monitor) if is_set => (monitor.doc, true),
        Some(_) => (scraper.own.doc, false),
        None => (scraper.own.doc, is_set),
    }
}
