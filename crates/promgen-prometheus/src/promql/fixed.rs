//! Values that well-known metrics and their labels have, and no others.
//!
//! Rows as data: what the code of Prometheus, kube-state-metrics and node_exporter fixes.

/// A label of a metric of which all values are known.
#[derive(Debug, PartialEq, Eq)]
pub struct FixedLabel {
    /// The metric.
    pub metric: &'static str,
    /// The label.
    pub label: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

const fn row(
    metric: &'static str,
    label: &'static str,
    values: &'static [&'static str],
) -> FixedLabel {
    FixedLabel {
        metric,
        label,
        values,
    }
}

/// The labels. The modes are those of all systems that node_exporter knows.
static FIXED: &[FixedLabel] = &[
    row("ALERTS", "alertstate", &["firing", "pending"]),
    row(
        "kube_pod_status_phase",
        "phase",
        &["Pending", "Running", "Succeeded", "Failed", "Unknown"],
    ),
    row(
        "node_cpu_seconds_total",
        "mode",
        &[
            "idle",
            "iowait",
            "irq",
            "nice",
            "softirq",
            "steal",
            "system",
            "user",
            "interrupt",
            "intr",
            "kernel",
            "spin",
            "sys",
            "wait",
        ],
    ),
];

/// The metrics of which each series is 0 or 1, beside `up`.
pub(super) const FLAGS: &[&str] = &["kube_pod_status_phase", "probe_success"];

impl FixedLabel {
    /// A label of a metric, if all of its values are known.
    pub(super) fn of(metric: &str, label: &str) -> Option<&'static Self> {
        let mut rows = FIXED.iter();
        rows.find(|row| row.metric == metric && row.label == label)
    }
}
