//! Fields of workloads that the version of the program ignores: rows of `facts/ignored.txt`.

use crate::context::WorkloadContext;
use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::pod::args::log_format;
use crate::section::nonzero;
use promgen_resources::gates::{self, Gate, Generation, Versions};
use promgen_text::diag::Sink;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::Value;
use promgen_text::yaml::encode::{EncodeFields, fields_of};

/// A field that versions without the gate ignore.
struct IgnoredField {
    gate: &'static Gate,
    path: &'static [&'static str],
    /// An empty value counts as none.
    is_filled: bool,
}

impl IgnoredField {
    fn is_set(&self, spec: &Value) -> bool {
        let mut keys = self.path.iter();
        match keys.try_fold(spec, |value, key| value.get(key)) {
            None | Some(Value::Null) => false,
            Some(Value::Int(number)) if self.is_filled => *number > 0,
            Some(value) => !self.is_filled || nonzero(value).is_some(),
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/ignored.rs"));

/// Reports the set fields of a Prometheus or its agent that the version does not support.
pub(crate) fn of_server(cx: &WorkloadContext<'_>, sink: &mut Sink) {
    let common = cx.common;
    // The agents of a DaemonSet get the file of the web server whatever the version, and Prometheus 3 has an argument for OTLP.
    let counts = |path: &[&str]| match path {
        ["logFormat"] => log_format(common.log_format).is_some(),
        ["web", "tlsConfig" | "httpConfig"] => !cx.daemon_set,
        ["remoteWriteReceiverMessageVersions"] => common.enable_remote_write_receiver == Some(true),
        ["enableOTLPReceiver"] => cx.versions.generation() == Some(Generation::V2),
        _ => true,
    };
    report(cx.doc, cx.versions, common, COMMON, counts, sink);
    if let Some(spec) = cx.server {
        report(cx.doc, cx.versions, spec, SERVER, |_| true, sink);
    }
}

/// Reports the set fields of an Alertmanager that the version does not support.
pub(crate) fn of_alertmanager(am: &AlertmanagerContext<'_>, sink: &mut Sink) {
    report(am.doc, am.versions, am.spec, ALERTMANAGER, |_| true, sink);
}

fn report(
    doc: DocId,
    versions: &Versions,
    spec: &dyn EncodeFields,
    fields: &[IgnoredField],
    counts: impl Fn(&[&str]) -> bool,
    sink: &mut Sink,
) {
    let is_wanted = |name: &str| fields.iter().any(|field| field.path[0] == name);
    let spec = Value::from(fields_of(spec, is_wanted));
    for field in fields {
        if !versions.has(field.gate) && field.is_set(&spec) && counts(field.path) {
            let at = field
                .path
                .iter()
                .fold(At::spec(doc), |at, key| at.key(*key));
            sink.report(gates::ignored(field.gate, versions, at));
        }
    }
}
