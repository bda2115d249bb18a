//! Whether the retained data fits into its volume.

use std::collections::BTreeMap;

use promgen_model::running::{RunningWorkload, Spec};
use promgen_resources::api::scalar;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::go::bytesize;
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Compares `retentionSize` with the size of the volume, in bytes. Units of `retentionSize` are powers of 1024, whatever
    /// their spelling: `50GB` is 50Gi, which is larger than a volume of `50G`.
    ///
    /// The level is warning if the volume is not larger than `retentionSize`, and info if less than 15% of the volume is left.
    ///
    /// ## Why is this bad?
    /// Prometheus deletes the oldest blocks when the data exceeds `retentionSize`. If the volume is full before, Prometheus
    /// stops: the write-ahead log and compaction also need space. False positives: a volume may be larger than requested.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   retentionSize: 50GB
    ///   storage:
    ///     volumeClaimTemplate:
    ///       spec: {resources: {requests: {storage: 50Gi}}}
    /// ```
    /// Use instead: at most 80 to 85 percent of the volume.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   retentionSize: 40GB
    ///   storage:
    ///     volumeClaimTemplate:
    ///       spec: {resources: {requests: {storage: 50Gi}}}
    /// ```
    ///
    /// ## Source
    /// Prometheus' documentation, "Storage", recommends 80-85% of the disk.
    OVERSIZED_RETENTION = "PG514" "oversized-retention" Warning: "a volume that is full before Prometheus deletes blocks";
}

/// The maximum share of a volume for retained data, in percent.
const MOST: i128 = 85;

const HELP: &str = "keep `retentionSize` at 80 to 85 percent of the volume, to leave space for the write-ahead log and \
                    compaction; ignore this if the volume is larger than requested";

/// The size of a volume, and its place.
type Size<'a> = (At, &'a scalar::Quantity);

/// Compares both sizes of a server.
pub(super) fn check(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Spec::Server(spec) = running.spec else {
        return;
    };
    let Some((kept, (place, volume))) = spec.retention_size.as_ref().zip(volume(running)) else {
        return;
    };
    let (Ok(bytes), Ok(size)) = (
        bytesize::parse(kept.as_str()),
        ParsedQuantity::parse(volume.as_str()),
    ) else {
        return;
    };
    // Whole bytes: nanos times a hundred would overflow. A size of zero is no limit.
    let (bytes, size) = (i128::from(bytes), size.value());
    if bytes <= 0 || bytes * 100 <= size.saturating_mul(MOST) {
        return;
    }
    let (level, room) = if bytes >= size {
        (Level::Warning, "no space")
    } else {
        (Level::Info, "little space")
    };
    let message = format!(
        "retentionSize {} leaves {room} in a volume of {}",
        kept.as_str(),
        volume.as_str()
    );
    let diagnostic = Diagnostic::new(
        &OVERSIZED_RETENTION,
        running.at().key("retentionSize"),
        message,
    );
    sink.report(
        diagnostic
            .level(level)
            .related(place, "the size of the volume")
            .help(HELP),
    );
}

/// The size of the data volume.
fn volume<'a>(running: &RunningWorkload<'a>) -> Option<Size<'a>> {
    let storage = running.storage()?;
    let at = running.at().key("storage");
    if let Some(folder) = &storage.empty_dir {
        return folder
            .size_limit
            .as_ref()
            .map(|limit| (at.key("emptyDir").key("sizeLimit"), limit));
    }
    let (at, spec) = match (&storage.ephemeral, &storage.volume_claim_template) {
        (Some(volume), _) => (
            at.key("ephemeral").key("volumeClaimTemplate"),
            volume.volume_claim_template.as_ref().map(|t| &t.spec),
        ),
        (None, Some(claim)) => (at.key("volumeClaimTemplate"), claim.spec.as_ref()),
        (None, None) => return None,
    };
    let requests: &BTreeMap<_, _> = spec?.resources.as_ref()?.requests.as_ref()?;
    let at = at
        .key("spec")
        .key("resources")
        .key("requests")
        .key("storage");
    requests.get("storage").map(|size| (at, size))
}
