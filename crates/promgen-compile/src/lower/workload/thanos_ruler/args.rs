//! The command line of Thanos Ruler.
//!
//! In: the settings of a ruler. Out: arguments in the operator's order. Files that are keys of Secrets are mounted.
//! Arguments that the version does not support are omitted and reported.

use crate::lower::thanos_ruler::Ruler;
use crate::lower::workload::pod::args::{self, Args};
use crate::lower::workload::pod::volumes::{Volumes, read_only};
use crate::lower::workload::pod::{grpc, path};
use crate::lower::workload::thanos_ruler::facts::{RULES_DIR, STORAGE_DIR};
use crate::lower::workload::thanos_ruler::{REMOTE_WRITE_FILE, config_secret};
use crate::paths::SPEC;
use promgen_resources::api::core::{KeyToPath, SecretKeySelector, SecretVolumeSource, Volume};
use promgen_resources::api::scalar::Duration;
use promgen_resources::api::servers::settings::LogFormat;
use promgen_resources::gates::{self, Gate};
use promgen_resources::http_config::filled;
use promgen_text::diag::Sink;

/// The place of the files of Secrets, each in a folder of its own.
const CONFIG_DIR: &str = "/etc/thanos/config";
/// The label that distinguishes the pods of a ruler.
const REPLICA_LABEL: &str = "thanos_ruler_replica";

/// The arguments, less `http.config` and the user's own, with the volumes of the files that they name.
pub(super) fn arguments(ruler: &Ruler<'_>, sink: &mut Sink) -> (Args, Volumes) {
    let mut line = CommandLine {
        ruler,
        args: Args::default(),
        volumes: Volumes::default(),
    };
    line.evaluation(sink);
    line.labels();
    if ruler.spec.listen_local == Some(true) {
        line.args.value("http-address", "localhost:10902");
    }
    line.logging();
    line.args
        .value("rule-file", format!("{RULES_DIR}/*/*.yaml"));
    line.remote_write();
    line.queries();
    line.alertmanagers();
    line.files();
    line.grpc(sink);
    line.args
        .filled("web.external-prefix", ruler.spec.external_prefix.as_deref());
    line.args
        .filled("web.route-prefix", ruler.spec.route_prefix.as_deref());
    line.args
        .filled("alert.query-url", ruler.spec.alert_query_url.as_deref());
    (line.args, line.volumes)
}

/// A command line in the making.
struct CommandLine<'r, 'a> {
    ruler: &'r Ruler<'a>,
    args: Args,
    volumes: Volumes,
}

impl CommandLine<'_, '_> {
    /// The arguments about the evaluation of rules.
    fn evaluation(&mut self, sink: &mut Sink) {
        let spec = self.ruler.spec;
        self.args.value("data-dir", STORAGE_DIR);
        self.args
            .value("eval-interval", spec.evaluation_interval.as_str());
        self.args.value("tsdb.retention", spec.retention.as_str());
        let text = |duration: &Option<Duration>| duration.as_ref().map(|d| d.as_str().to_owned());
        let offset = text(&spec.rule_query_offset);
        self.gated(
            &gates::RULER_QUERY_OFFSET,
            "rule-query-offset",
            "ruleQueryOffset",
            offset,
            sink,
        );
        let concurrent = spec
            .rule_concurrent_eval
            .filter(|n| *n > 0)
            .map(|n| n.to_string());
        let gate = &gates::RULER_CONCURRENT_EVALUATION;
        self.gated(
            gate,
            "rule-concurrent-evaluation",
            "ruleConcurrentEval",
            concurrent,
            sink,
        );
        let (tolerance, grace) = (
            text(&spec.rule_outage_tolerance),
            text(&spec.rule_grace_period),
        );
        let gate = &gates::RULER_RESTORATION;
        self.gated(
            gate,
            "for-outage-tolerance",
            "ruleOutageTolerance",
            tolerance,
            sink,
        );
        self.gated(gate, "for-grace-period", "ruleGracePeriod", grace, sink);
        self.args.filled(
            "resend-delay",
            spec.resend_delay.as_ref().map(|d| d.as_str()),
        );
        let features = spec
            .enable_features
            .as_ref()
            .map(|features| features.join(","));
        self.gated(
            &gates::RULER_ENABLE_FEATURE,
            "enable-feature",
            "enableFeatures",
            features,
            sink,
        );
    }

    /// An argument for a field that only some versions support.
    fn gated(
        &mut self,
        gate: &Gate,
        name: &str,
        field: &'static str,
        value: Option<String>,
        sink: &mut Sink,
    ) {
        let route = SPEC.key(field).to_route();
        let value = self
            .ruler
            .gated(gate, value.filter(|v| !v.is_empty()), route, sink);
        self.args.filled(name, value.as_deref());
    }

    /// Labels of what leaves, and of which alerts lose some.
    fn labels(&mut self) {
        self.args
            .value("label", format!("{REPLICA_LABEL}=\"$(POD_NAME)\""));
        for (name, value) in self.ruler.spec.labels.iter().flatten() {
            self.args.value("label", format!("{name}=\"{value}\""));
        }
        // Without the label, Alertmanager recognizes the alerts of all replicas as the same.
        self.args.value("alert.label-drop", REPLICA_LABEL);
        for name in self.ruler.spec.alert_drop_labels.iter().flatten() {
            self.args.value("alert.label-drop", name.as_str());
        }
    }

    /// Operator: unlike elsewhere, the default format is an argument if it is named.
    fn logging(&mut self) {
        let spec = self.ruler.spec;
        self.args
            .filled("log.level", args::log_level(spec.log_level));
        self.args
            .filled("log.format", spec.log_format.map(LogFormat::as_str));
    }

    /// Operator: mounts the file even without remote write.
    fn remote_write(&mut self) {
        if !self.ruler.has(&gates::RULER_REMOTE_WRITE_SECRET) {
            return;
        }
        let name = config_secret(self.ruler);
        let secret = SecretKeySelector {
            key: REMOTE_WRITE_FILE.to_owned(),
            name,
            optional: None,
        };
        let file = self.mounted("remote-write-config", &secret);
        if self
            .ruler
            .spec
            .remote_write
            .as_ref()
            .is_some_and(|specs| !specs.is_empty())
        {
            self.args.value("remote-write.config-file", file);
        }
    }

    fn queries(&mut self) {
        let spec = self.ruler.spec;
        match (&spec.query_config, &spec.query_endpoints) {
            (Some(secret), _) => {
                let file = self.mounted("query-config", secret);
                self.args.value("query.config-file", file);
            }
            (None, endpoints) => {
                let endpoints = endpoints.iter().flatten();
                endpoints.for_each(|endpoint| self.args.value("query", endpoint.as_str()));
            }
        }
    }

    fn alertmanagers(&mut self) {
        let spec = self.ruler.spec;
        match (&spec.alertmanagers_config, &spec.alertmanagers_url) {
            (Some(secret), _) => {
                let file = self.mounted("alertmanager-config", secret);
                self.args.value("alertmanagers.config-file", file);
            }
            (None, urls) => urls
                .iter()
                .flatten()
                .for_each(|url| self.args.value("alertmanagers.url", url.as_str())),
        }
    }

    /// The files that are named or come from a Secret. Operator: an empty name counts, except for tracing.
    fn files(&mut self) {
        let spec = self.ruler.spec;
        let tracing = filled(spec.tracing_config_file.as_deref());
        self.file(
            "objstore.config-file",
            "objstorage-config",
            spec.object_storage_config_file.as_deref(),
            spec.object_storage_config.as_ref(),
        );
        self.file(
            "tracing.config-file",
            "tracing-config",
            tracing,
            spec.tracing_config.as_ref(),
        );
        self.file(
            "alert.relabel-config-file",
            "alertrelabel-config",
            spec.alert_relabel_config_file.as_deref(),
            spec.alert_relabel_configs.as_ref(),
        );
    }

    fn file(
        &mut self,
        name: &str,
        volume: &str,
        file: Option<&str>,
        secret: Option<&SecretKeySelector>,
    ) {
        match (file, secret) {
            (Some(file), _) => self.args.value(name, file),
            (None, Some(secret)) => {
                let file = self.mounted(volume, secret);
                self.args.value(name, file);
            }
            (None, None) => {}
        }
    }

    fn grpc(&mut self, sink: &mut Sink) {
        let Some(tls) = &self.ruler.spec.grpc_server_tls_config else {
            return;
        };
        grpc::tls(self.ruler.versions, tls, &mut self.args);
        let path = SPEC.key("grpcServerTlsConfig");
        let min_version = path.key("minVersion").to_route();
        self.ruler.gated(
            &gates::THANOS_TLS_MIN_VERSION,
            tls.min_version,
            min_version,
            sink,
        );
        for (field, set) in [
            ("cipherSuites", &tls.cipher_suites),
            ("curves", &tls.curves),
        ] {
            self.ruler.gated(
                &gates::THANOS_TLS_CIPHERS,
                set.as_ref(),
                path.key(field).to_route(),
                sink,
            );
        }
    }

    /// Mounts a key of a Secret, and returns the path of its file. Operator: `mountSecretKey`.
    fn mounted(&mut self, volume: &str, secret: &SecretKeySelector) -> String {
        let dir = format!("{CONFIG_DIR}/{volume}");
        let file = path::clean(&format!("{dir}/{}", secret.key));
        self.volumes
            .add(one_key(volume, secret), read_only(volume, &dir));
        file
    }
}

/// A volume with one key of a Secret.
fn one_key(name: &str, secret: &SecretKeySelector) -> Volume {
    let item = KeyToPath {
        key: secret.key.clone(),
        path: secret.key.clone(),
        ..KeyToPath::default()
    };
    let source = SecretVolumeSource {
        items: Some(vec![item]),
        secret_name: Some(secret.name.clone()),
        ..SecretVolumeSource::default()
    };
    Volume {
        name: name.to_owned(),
        secret: Some(source),
        ..Volume::default()
    }
}
