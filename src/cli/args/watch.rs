//! The flags of the operator that say what it watches, and how its pods look.

use clap::Args;

use promgen_prometheus::labels::text::check_labels;
use promgen_resources::gates::flags::{OperatorFlag, OperatorFlags};
use promgen_resources::watch::{InstanceFlag, Watch, WatchFlag};

/// The operator's own flags.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Flags of the operator")]
pub(super) struct WatchArgs {
    /// The namespaces that it watches, between commas
    #[arg(long, value_name = "NAMES")]
    namespaces: Option<String>,
    /// The namespaces that it does not watch
    #[arg(long, value_name = "NAMES")]
    deny_namespaces: Option<String>,
    /// The namespaces of Prometheus and PrometheusAgent
    #[arg(long, value_name = "NAMES")]
    prometheus_instance_namespaces: Option<String>,
    /// The namespaces of Alertmanager
    #[arg(long, value_name = "NAMES")]
    alertmanager_instance_namespaces: Option<String>,
    /// The namespaces of ThanosRuler
    #[arg(long, value_name = "NAMES")]
    thanos_ruler_instance_namespaces: Option<String>,
    /// The namespaces of AlertmanagerConfig
    #[arg(long, value_name = "NAMES")]
    alertmanager_config_namespaces: Option<String>,
    /// The labels of the Prometheus and PrometheusAgent objects that it watches
    #[arg(long, value_name = "SELECTOR", value_parser = parse_selector)]
    prometheus_instance_selector: Option<String>,
    /// The labels of the Alertmanager objects that it watches
    #[arg(long, value_name = "SELECTOR", value_parser = parse_selector)]
    alertmanager_instance_selector: Option<String>,
    /// The labels of the ThanosRuler objects that it watches
    #[arg(long, value_name = "SELECTOR", value_parser = parse_selector)]
    thanos_ruler_instance_selector: Option<String>,
    /// The processor time that a config reloader requests; 0 for none [default: 10m]
    #[arg(long, value_name = "QUANTITY")]
    config_reloader_cpu_request: Option<String>,
    /// The processor time that a config reloader may take; 0 for no limit [default: 10m]
    #[arg(long, value_name = "QUANTITY")]
    config_reloader_cpu_limit: Option<String>,
    /// The memory that a config reloader requests; 0 for none [default: 50Mi]
    #[arg(long, value_name = "QUANTITY")]
    config_reloader_memory_request: Option<String>,
    /// The memory that a config reloader may take; 0 for no limit [default: 50Mi]
    #[arg(long, value_name = "QUANTITY")]
    config_reloader_memory_limit: Option<String>,
    /// The host by which the containers of a pod reach each other [default: localhost]
    #[arg(long, value_name = "HOST")]
    localhost: Option<String>,
    /// The domain of the cluster, for the full names of Alertmanager's peers
    #[arg(long, value_name = "DOMAIN")]
    cluster_domain: Option<String>,
}

fn parse_selector(text: &str) -> Result<String, String> {
    check_labels(text).map(|()| text.to_owned())
}

impl WatchArgs {
    /// What they say.
    pub(super) fn watch(&self) -> Watch {
        let mut watch = Watch::default();
        let flags = [
            (WatchFlag::Namespaces, &self.namespaces),
            (WatchFlag::Denied, &self.deny_namespaces),
            (
                WatchFlag::Prometheuses,
                &self.prometheus_instance_namespaces,
            ),
            (
                WatchFlag::Alertmanagers,
                &self.alertmanager_instance_namespaces,
            ),
            (
                WatchFlag::ThanosRulers,
                &self.thanos_ruler_instance_namespaces,
            ),
            (
                WatchFlag::AlertmanagerConfigs,
                &self.alertmanager_config_namespaces,
            ),
        ];
        for (flag, names) in flags {
            names.iter().for_each(|names| watch.set(flag, names));
        }
        let selectors = [
            (
                InstanceFlag::Prometheuses,
                &self.prometheus_instance_selector,
            ),
            (
                InstanceFlag::Alertmanagers,
                &self.alertmanager_instance_selector,
            ),
            (
                InstanceFlag::ThanosRulers,
                &self.thanos_ruler_instance_selector,
            ),
        ];
        for (flag, selector) in selectors {
            selector
                .iter()
                .for_each(|selector| watch.select(flag, selector));
        }
        watch
    }

    /// What they say about pods.
    pub(super) fn flags(&self) -> OperatorFlags {
        let mut flags = OperatorFlags::default();
        let given = [
            (
                OperatorFlag::ReloaderCpuRequest,
                &self.config_reloader_cpu_request,
            ),
            (
                OperatorFlag::ReloaderCpuLimit,
                &self.config_reloader_cpu_limit,
            ),
            (
                OperatorFlag::ReloaderMemoryRequest,
                &self.config_reloader_memory_request,
            ),
            (
                OperatorFlag::ReloaderMemoryLimit,
                &self.config_reloader_memory_limit,
            ),
            (OperatorFlag::Localhost, &self.localhost),
            (OperatorFlag::ClusterDomain, &self.cluster_domain),
        ];
        for (flag, value) in given {
            value.iter().for_each(|value| flags.set(flag, value));
        }
        flags
    }
}
