//! Checks the Secrets and ConfigMaps that the workload itself refers to, in its own namespace.
//!
//! In: the workload. Out: nothing, or the operator's error. Only assets that are read here can become part of the
//! configuration. Errors that the operator finds while it generates a section are checked where that section is
//! lowered.

mod azure;
mod classes;
mod remote;

use crate::context::WorkloadContext;
use crate::paths::SPEC;
use crate::select::admit::{Admission, Check, InField, Refusal, Refuse, http, relabelings, sigv4};
pub(crate) use classes::scrape_classes;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_resources::api::servers::sharding::ShardingStrategy;
use promgen_resources::http_config::{Client, ClientPart, filled};
use promgen_text::diag::Sink;
use promgen_text::route::Path;
pub(crate) use remote::writes as remote_writes;

/// Reads what the workload refers to, in the operator's order.
///
/// # Errors
/// The first reference that leads nowhere, or settings that do not go together, in the operator's words.
pub(crate) fn references(cx: &WorkloadContext<'_>, sink: &mut Sink) -> Result<(), Refusal> {
    check(&mut Admission::new(cx, cx.doc, cx.namespace, sink))
}

/// Checks the relabel rules that the strategy of the zone-aware sharding proposal adds before its own.
///
/// # Errors
/// The first rule that Prometheus would refuse, in the words that the operator has for any relabeling.
pub(crate) fn sharding(cx: &WorkloadContext<'_>, sink: &mut Sink) -> Result<(), Refusal> {
    let Some(ShardingStrategy::Proposal(proposal)) = &cx.common.sharding_strategy else {
        return Ok(());
    };
    let admission = Admission::new(cx, cx.doc, cx.namespace, sink);
    let (root, field) = (Path::root(), "additionalRelabelConfig");
    let (spec, strategy) = (root.key("spec"), "shardingStrategy");
    let checked = relabelings(
        &admission,
        &spec.key(strategy).key(field),
        proposal.additional_relabel_config.as_ref(),
    );
    checked.within(&format!("{strategy}.{field}"))
}

fn check(cx: &mut Admission<'_>) -> Check {
    // Reads before writes, API server, Alertmanagers, classes: the first error in this order stops the operator.
    remote::reads(cx, &SPEC.key("remoteRead"))?;
    let (writes, versions) = (cx.cx.common.remote_write.as_deref(), cx.cx.versions);
    remote::writes(cx, &SPEC.key("remoteWrite"), writes, versions)?;
    api_server(cx, &SPEC)?;
    let list = SPEC.key("alerting");
    let list = list.key("alertmanagers");
    let alertmanagers = cx
        .cx
        .server
        .and_then(|s| s.alerting.as_ref())
        .map(|a| a.alertmanagers.as_slice());
    let alertmanagers = || alertmanagers.into_iter().flatten().enumerate();
    for (index, alertmanager) in alertmanagers() {
        alertmanager_valid(cx, &list.index(index), alertmanager)
            .within(&format!("alertmanager {index}"))?;
    }
    for (index, alertmanager) in alertmanagers() {
        self::alertmanager(cx, &list.index(index), alertmanager, index)?;
    }
    classes::references(cx, &SPEC).within("failed to process scrape classes")
}

/// Operator: `AddAPIServerConfigToStore`.
fn api_server(cx: &mut Admission<'_>, spec: &Path<'_>) -> Check {
    let Some(server) = &cx.cx.common.apiserver_config else {
        return Ok(());
    };
    let (path, prefix) = (spec.key("apiserverConfig"), "apiserver config");
    let parts = [
        ClientPart::BasicAuth,
        ClientPart::Authorization,
        ClientPart::Tls,
    ];
    http::client(cx, &path, &Client::from(server), &parts).within(prefix)?;
    http::proxy_headers(cx, &path, &server.proxy).within(prefix)
}

/// Fields of which only one may be set. The operator names them in the random order of a Go map; ours is always the same.
fn at_most_one(path: &Path<'_>, fields: &[(&'static str, bool)]) -> Check {
    let set: Vec<_> = fields
        .iter()
        .filter(|(_, set)| *set)
        .map(|(field, _)| *field)
        .collect();
    let [_, second, ..] = set.as_slice() else {
        return Ok(());
    };
    let names: Vec<_> = set.iter().map(|field| format!("\"{field}\"")).collect();
    let message = "can't be set at the same time, at most one of them must be defined";
    path.key(second)
        .refuse(format!("{} {message}", names.join(" and ")))
}

/// Operator: `validateAlertmanagerEndpoints`.
fn alertmanager_valid(cx: &Admission<'_>, path: &Path<'_>, am: &AlertmanagerEndpoints) -> Check {
    at_most_one(
        path,
        &[
            (
                "bearerTokenFile",
                filled(am.bearer_token_file.as_deref()).is_some(),
            ),
            ("authorization", am.authorization.is_some()),
            ("basicAuth", am.basic_auth.is_some()),
            ("sigv4", am.sigv4.is_some()),
        ],
    )?;
    relabelings(cx, &path.key("relabelings"), am.relabelings.as_ref())
        .within("invalid relabelings")?;
    relabelings(
        cx,
        &path.key("alertRelabelings"),
        am.alert_relabelings.as_ref(),
    )
    .within("invalid alertRelabelings")
}

/// Operator: `addAlertmanagerEndpointsToStore`.
fn alertmanager(
    cx: &mut Admission<'_>,
    path: &Path<'_>,
    am: &AlertmanagerEndpoints,
    index: usize,
) -> Check {
    let (client, prefix) = (Client::from(am), format!("alertmanager {index}"));
    http::client(
        cx,
        path,
        &client,
        &[ClientPart::BasicAuth, ClientPart::Authorization],
    )
    .within(&prefix)?;
    sigv4::read(cx, path, am.sigv4.as_ref()).within(&prefix)?;
    http::client(cx, path, &client, &[ClientPart::Tls]).within(&prefix)?;
    // The colon is the operator's.
    http::proxy_headers(cx, path, &am.proxy).within(&format!("alertmanager: {index}"))
}
