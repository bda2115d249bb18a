//! The remote write of a Thanos Ruler: a file with one section of a Prometheus configuration.
//!
//! Thanos has Prometheus built in. The gates of Thanos decide here which fields its version supports; the rest is
//! [`lower::remote_write`](crate::lower::prometheus::remote_write), with every gate of Prometheus open.

use crate::lower::prometheus::remote_write;
use crate::lower::thanos_ruler::Ruler;
use crate::lower::{REFUSED_BY_PROMETHEUS, SettingsLowering, UNUSED_FIELD};
use crate::paths::SPEC;
use crate::select::admit::{InField, ReferenceReader, Refusal, Refuse};
use crate::select::self_refs;
use promgen_resources::api::servers::remote::RemoteWriteSpec;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::filled;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::route::{At, Path};
use promgen_text::yaml::Map;
use promgen_text::yaml::emit::{self, Dialect};

/// The text of the file, which exists even without remote write. Operator: `createOrUpdateRulerConfigSecret`.
///
/// # Errors
/// The fields contradict each other, or refer to what is not there; in the operator's words.
pub fn file(ruler: &Ruler<'_>, sink: &mut Sink) -> Result<String, Refusal> {
    section(ruler, sink).within("failed to synchronize ruler config secret")
}

fn section(ruler: &Ruler<'_>, sink: &mut Sink) -> Result<String, Refusal> {
    let specs = known(ruler, sink)?;
    let versions = &Versions {
        embedded: true,
        ..ruler.versions.clone()
    };
    let (assets, doc, namespace) = (ruler.assets, ruler.doc, ruler.parent.namespace);
    let list = SPEC.key("remoteWrite");
    self_refs::remote_writes(
        &mut ReferenceReader {
            assets,
            doc,
            namespace,
            versions,
            sink,
        },
        &list,
        Some(&specs),
        versions,
    )?;
    let section = remote_write::remote_write(
        &mut SettingsLowering {
            versions,
            assets,
            doc,
            namespace,
            sink,
        },
        &specs,
    );
    Ok(emit::to_string(
        &Map::new().with("remote_write", section).into(),
        Dialect::YamlV2,
    ))
}

/// The fields, less those that the version of Thanos does not know.
fn known(ruler: &Ruler<'_>, sink: &mut Sink) -> Result<Vec<RemoteWriteSpec>, Refusal> {
    let mut specs = ruler.spec.remote_write.clone().unwrap_or_default();
    let path = SPEC.key("remoteWrite");
    let gate = &gates::RULER_REMOTE_WRITE;
    if !specs.is_empty() && !ruler.has(gate) {
        let (since, version) = (&gate.since, &ruler.versions.thanos);
        let message = format!(
            "thanos remote-write configuration requires at least version \"{since}\": current version \"{version}\""
        );
        return path.refuse(message);
    }
    for (index, spec) in specs.iter_mut().enumerate() {
        let mut pruner = Pruner { ruler, sink };
        pruner.unsupported(&path.index(index), spec);
        identity(ruler, &path.index(index), index, spec)?;
        pruner.gated(&path.index(index), spec);
    }
    Ok(specs)
}

/// Returns whether the version does without the id of a managed identity.
fn identity(
    ruler: &Ruler<'_>,
    path: &Path<'_>,
    index: usize,
    spec: &RemoteWriteSpec,
) -> Result<(), Refusal> {
    let gate = &gates::RULER_AZURE_SYSTEM_IDENTITY;
    let identity = spec
        .azure_ad
        .as_ref()
        .and_then(|azure| azure.managed_identity.as_ref());
    if ruler.has(gate)
        || identity.is_none_or(|identity| filled(identity.client_id.as_deref()).is_some())
    {
        return Ok(());
    }
    let (since, version) = (&gate.since, &ruler.versions.thanos);
    let message = format!(
        "remoteWrite[{index}]: azureAD.managedIdentity.clientId is required with Thanos < {since}, current = {version}"
    );
    path.key("azureAd").key("managedIdentity").refuse(message)
}

/// Takes fields out that the version lacks, and reports them.
struct Pruner<'f, 'a> {
    ruler: &'f Ruler<'a>,
    sink: &'f mut Sink,
}

impl Pruner<'_, '_> {
    /// Drops the fields that no version of Thanos knows.
    fn unsupported(&mut self, path: &Path<'_>, spec: &mut RemoteWriteSpec) {
        if let Some(azure) = &mut spec.azure_ad {
            let path = path.key("azureAd");
            self.drop_unsupported(&mut azure.workload_identity, &path.key("workloadIdentity"));
            self.drop_unsupported(&mut azure.scope, &path.key("scope"));
        }
        if let Some(sigv4) = &mut spec.sigv4 {
            self.drop_unsupported(&mut sigv4.external_id, &path.key("sigv4").key("externalId"));
        }
    }

    /// Removes fields that the version of Thanos does not support.
    fn gated(&mut self, path: &Path<'_>, spec: &mut RemoteWriteSpec) {
        self.keep_old(
            &gates::RULER_ROUND_ROBIN_DNS,
            spec.round_robin_dns.is_some(),
            &path.key("roundRobinDNS"),
        );
        self.keep_old(
            &gates::RULER_REMOTE_WRITE_MESSAGE,
            spec.message_version.is_some(),
            &path.key("messageVersion"),
        );
        if let Some(queue) = &mut spec.queue_config {
            let path = path.key("queueConfig");
            self.drop_old(
                &gates::RULER_SAMPLE_AGE_LIMIT,
                &mut queue.sample_age_limit,
                &path.key("sampleAgeLimit"),
            );
        }
        let (gate, proxy) = (&gates::RULER_PROXY_SETTINGS, &spec.proxy);
        self.keep_old(gate, proxy.no_proxy.is_some(), &path.key("noProxy"));
        self.keep_old(
            gate,
            proxy.proxy_from_environment.is_some(),
            &path.key("proxyFromEnvironment"),
        );
        self.keep_old(
            gate,
            proxy.proxy_connect_header.is_some(),
            &path.key("proxyConnectHeader"),
        );
        self.keep_old(
            &gates::RULER_AZURE_AD,
            spec.azure_ad.is_some(),
            &path.key("azureAd"),
        );
        if let Some(azure) = &mut spec.azure_ad {
            self.drop_old(
                &gates::RULER_AZURE_SDK,
                &mut azure.sdk,
                &path.key("azureAd").key("sdk"),
            );
        }
        let histograms = spec.send_native_histograms.is_some();
        self.keep_old(
            &gates::RULER_NATIVE_HISTOGRAMS,
            histograms,
            &path.key("sendNativeHistograms"),
        );
        if let Some(tls) = spec.tls_config.as_mut().map(|tls| &mut tls.safe) {
            let path = path.key("tlsConfig");
            self.drop_old(
                &gates::RULER_TLS_MAX_VERSION,
                &mut tls.max_version,
                &path.key("maxVersion"),
            );
            self.drop_old(
                &gates::RULER_TLS_MIN_VERSION,
                &mut tls.min_version,
                &path.key("minVersion"),
            );
        }
    }

    fn drop_old<T>(&mut self, gate: &Gate, field: &mut Option<T>, path: &Path<'_>) {
        *field = self
            .ruler
            .gated(gate, field.take(), path.to_route(), self.sink);
    }

    /// A field that the version lacks, and that the operator means to drop: it changes a copy, so that only what is behind
    /// a pointer is dropped.
    fn keep_old(&mut self, gate: &Gate, is_set: bool, path: &Path<'_>) {
        if !is_set || self.ruler.has(gate) {
            return;
        }
        let route = path.to_route();
        let message = format!(
            "the operator writes `{route}`, which requires Thanos ≥ {}, this is {}: Thanos refuses the file",
            gate.since, self.ruler.versions.thanos
        );
        self.sink.report(Diagnostic::new(
            &REFUSED_BY_PROMETHEUS,
            At {
                doc: self.ruler.doc,
                route,
            },
            message,
        ));
    }

    fn drop_unsupported<T>(&mut self, field: &mut Option<T>, path: &Path<'_>) {
        if field.take().is_some() {
            let route = path.to_route();
            let message = format!("`{route}` has no effect: no version of Thanos supports it");
            self.sink.report(Diagnostic::new(
                &UNUSED_FIELD,
                At {
                    doc: self.ruler.doc,
                    route,
                },
                message,
            ));
        }
    }
}
