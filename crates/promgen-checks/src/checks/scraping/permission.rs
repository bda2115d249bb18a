//! Permissions that service discovery lacks.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::access::{Need, RoleAmendment, RoleSlip};
use promgen_model::model::World;
use promgen_model::scraping::needs::{self, Answers, JobOrigin, Requests, ScrapingServer};
use promgen_text::CollectOrdered;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds monitors whose Prometheus may not read what service discovery reads: its service account lacks a permission to
    /// list or watch Endpoints, EndpointSlices, Services, pods, Ingresses or nodes in a namespace of the monitor, or to get the
    /// metrics of kubelets or of the API server with its token.
    ///
    /// A word of a role that is almost the one which is lacking (`endpointslice`, the group `v1`) is told at its place, once. So is a
    /// binding of the account whose role, name or namespace is almost the one in the input.
    ///
    /// The input counts as complete if it has one binding of the service account. What a binding refers to and the input does
    /// not have is unknown, and no finding.
    ///
    /// `--unsafe-fixes` adds the permission to the role of the account that is meant for discovery, where the input has one.
    ///
    /// ## Why is this bad?
    /// The job has no targets: Prometheus logs "forbidden", and nothing else tells it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: monitoring}
    /// spec: {serviceAccountName: prometheus, serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: Role
    /// metadata: {name: prometheus, namespace: shop}
    /// rules:
    /// - {apiGroups: [""], resources: [services, pods], verbs: [get, list, watch]}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: RoleBinding
    /// metadata: {name: prometheus, namespace: shop}
    /// roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: prometheus}
    /// subjects: [{kind: ServiceAccount, name: prometheus, namespace: monitoring}]
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
    /// metadata: {name: main, namespace: monitoring}
    /// spec: {serviceAccountName: prometheus, serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: Role
    /// metadata: {name: prometheus, namespace: shop}
    /// rules:
    /// - {apiGroups: [""], resources: [services, endpoints, pods], verbs: [get, list, watch]}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: RoleBinding
    /// metadata: {name: prometheus, namespace: shop}
    /// roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: prometheus}
    /// subjects: [{kind: ServiceAccount, name: prometheus, namespace: monitoring}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    MISSING_PERMISSION = "PG131" "missing-permission" Warning: "a monitor whose targets its Prometheus may not discover";
}

/// Checks the jobs of all workloads.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    if model.access().has_no_permissions() {
        return;
    }
    let mut offered = OfferedAmendments::default();
    for scraper in ScrapingServer::all(model) {
        let mut answers = Answers::new(scraper.authority());
        let mut of_resources: BTreeMap<JobOrigin<'_>, Vec<Need>> = BTreeMap::new();
        for job in scraper.jobs() {
            if let Some(origin) = JobOrigin::of(job) {
                of_resources
                    .entry(origin.resource())
                    .or_default()
                    .extend(scraper.needs(job));
            }
        }
        let mut slips = BTreeMap::new();
        for (origin, needs) in of_resources {
            let lacks = unslipped(answers.lacks(needs), &answers, &mut slips);
            if let Some(doc) = origin.doc(model.cluster()).filter(|_| !lacks.is_empty()) {
                let what = format!(
                    "{}: service account {} of {}",
                    origin.what(),
                    answers.authority.account,
                    scraper.what()
                );
                sink.report(offered.fix(finding(At::name(doc), &what, &lacks), &answers, &lacks));
            }
        }
        let lacks = unslipped(
            answers.lacks(scraper.alerting_needs()),
            &answers,
            &mut slips,
        );
        for (slip, lacks) in slips {
            let account = &answers.authority.account;
            let what = format!("service account {account} of {}", scraper.what());
            sink.report(offered.fix(misspelt(&slip, &what, &lacks), &answers, &lacks));
        }
        if !lacks.is_empty() {
            let account = &answers.authority.account;
            let what = format!(
                "{} cannot discover its Alertmanagers: service account {account}",
                scraper.what()
            );
            sink.report(offered.fix(
                finding(At::name(scraper.own.doc), &what, &lacks),
                &answers,
                &lacks,
            ));
        }
    }
}

/// What is lacking without a slip in a role. What a slip keeps from being granted is added to that of the slip.
fn unslipped(
    lacks: Requests,
    answers: &Answers<'_>,
    slips: &mut BTreeMap<RoleSlip, Requests>,
) -> Requests {
    let mut of_slip = |(need, verb): &(Need, &'static str)| {
        let slip = answers.authority.slip(verb, need)?;
        let lacks = slips.entry(slip).or_default();
        lacks.0.insert((need.clone(), *verb));
        Some(())
    };
    let others = lacks.0.into_iter();
    Requests(others.filter(|lack| of_slip(lack).is_none()).collect_set())
}

/// The finding about a word of a role that grants nothing.
fn misspelt(slip: &RoleSlip, what: &str, lacks: &Requests) -> Diagnostic {
    let RoleSlip {
        span,
        role,
        field,
        written,
        meant,
    } = slip;
    let message = format!(
        "`{written}` in `{field}` of {role} grants nothing, so that {what} may not {}",
        lacks.text()
    );
    let meant = match meant.as_str() {
        "" => "\"\"",
        meant => meant,
    };
    Diagnostic::new(&MISSING_PERMISSION, *span, message).help(format!("write `{meant}`"))
}

/// The changes of roles that findings offer. Many findings are about one lack: the first has the change.
#[derive(Default)]
struct OfferedAmendments(BTreeSet<RoleAmendment>);

impl OfferedAmendments {
    fn fix(&mut self, finding: Diagnostic, answers: &Answers<'_>, lacks: &Requests) -> Diagnostic {
        match amendment(answers, lacks) {
            Some(amendment) if self.0.insert(amendment.clone()) => finding.fix(granting(amendment)),
            _ => finding,
        }
    }
}

/// The change of a role that grants what is lacking.
pub(super) fn amendment(answers: &Answers<'_>, lacks: &Requests) -> Option<RoleAmendment> {
    answers
        .authority
        .amendment(&lacks.0)
        .filter(|_| !lacks.is_empty())
}

/// The fix that makes the change: it lets the account do more, so nobody but the user decides it.
pub(super) fn granting(RoleAmendment { role, items }: RoleAmendment) -> Fix {
    let append = |(list, items)| EditAction::Append(list, items);
    items
        .into_iter()
        .map(append)
        .fold(Fix::risky(format!("grant it in {role}")), Fix::change)
}

fn finding(place: At, what: &str, lacks: &Requests) -> Diagnostic {
    let message = format!("{what} may not {}", lacks.text());
    let help = format!(
        "{}; `promgen rbac --check` prints all that is missing",
        needs::remedy(lacks)
    );
    Diagnostic::new(&MISSING_PERMISSION, place, message).help(help)
}
