//! The flags of the operator that say which namespaces it watches.

use clap::Args;

use promgen_resources::watch::{Watch, WatchFlag};

/// The namespaces that the operator watches, by its own flags.
#[derive(Clone, Debug, Args)]
pub(super) struct WatchArgs {
    /// The operator's own: the namespaces that it watches, between commas
    #[arg(long, value_name = "NAMES")]
    namespaces: Option<String>,
    /// The operator's own: the namespaces that it does not watch
    #[arg(long, value_name = "NAMES")]
    deny_namespaces: Option<String>,
    /// The operator's own: the namespaces of Prometheus and PrometheusAgent
    #[arg(long, value_name = "NAMES")]
    prometheus_instance_namespaces: Option<String>,
    /// The operator's own: the namespaces of Alertmanager
    #[arg(long, value_name = "NAMES")]
    alertmanager_instance_namespaces: Option<String>,
    /// The operator's own: the namespaces of ThanosRuler
    #[arg(long, value_name = "NAMES")]
    thanos_ruler_instance_namespaces: Option<String>,
    /// The operator's own: the namespaces of AlertmanagerConfig
    #[arg(long, value_name = "NAMES")]
    alertmanager_config_namespaces: Option<String>,
}

impl WatchArgs {
    /// What they say.
    pub(super) fn watch(&self) -> Watch {
        let mut watch = Watch::default();
        let flags = [
            (WatchFlag::Namespaces, &self.namespaces),
            (WatchFlag::Denied, &self.deny_namespaces),
            (WatchFlag::Prometheuses, &self.prometheus_instance_namespaces),
            (WatchFlag::Alertmanagers, &self.alertmanager_instance_namespaces),
            (WatchFlag::ThanosRulers, &self.thanos_ruler_instance_namespaces),
            (WatchFlag::AlertmanagerConfigs, &self.alertmanager_config_namespaces),
        ];
        for (flag, names) in flags {
            names.iter().for_each(|names| watch.set(flag, names));
        }
        watch
    }
}
