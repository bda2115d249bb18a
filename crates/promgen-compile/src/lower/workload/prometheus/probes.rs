//! The startup, readiness and liveness probes of Prometheus.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::container::{self, get_from_within, local_url};
use crate::lower::workload::pod::path;
use crate::lower::workload::prometheus::facts::{self, WEB_PORT, route_prefix};
use promgen_resources::api::core::Probe;

/// The probes of a container.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    /// Has it started? The WAL may take long to read.
    pub(crate) startup: Probe,
    /// Can it serve?
    pub(crate) readiness: Probe,
    /// Is it stuck?
    pub(crate) liveness: Probe,
}

/// The probes of Prometheus. Operator: `BuildProbes`.
pub(super) fn prometheus(cx: &WorkloadContext<'_>) -> Probes {
    let (period, failures) = startup(cx.common.maximum_startup_duration_seconds);
    Probes {
        startup: probe(cx, "/-/ready", period, failures),
        readiness: probe(cx, "/-/ready", 5, 3),
        liveness: probe(cx, "/-/healthy", 5, 6),
    }
}

/// The period in seconds and the number of tries of the startup probe; together they last as long as allowed.
fn startup(max_seconds: Option<i32>) -> (i32, i32) {
    match max_seconds {
        Some(max @ 60..) => {
            let failures = max / 60 + i32::from(max % 60 != 0);
            (max / failures + i32::from(max % failures != 0), failures)
        }
        _ => (15, 60),
    }
}

fn probe(cx: &WorkloadContext<'_>, at: &str, period: i32, failures: i32) -> Probe {
    let path = path::clean(&format!("{}{at}", route_prefix(cx)));
    let local = cx.common.listen_local == Some(true);
    Probe {
        // The kubelet cannot reach a server on localhost, so a command in the container asks it.
        exec: local.then(|| get_from_within(&local_url("http", "localhost", WEB_PORT, &path))),
        http_get: (!local).then(|| container::get(path, facts::port_name(cx), facts::has_tls(cx))),
        failure_threshold: Some(failures),
        period_seconds: Some(period),
        timeout_seconds: Some(3),
        ..Probe::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_startup_probe_lasts_as_long_as_is_allowed() {
        let cases = [
            (None, (15, 60)),
            (Some(60), (60, 1)),
            (Some(600), (60, 10)),
            (Some(61), (31, 2)),
        ];
        for (seconds, expected) in cases {
            assert_eq!(startup(seconds), expected);
        }
    }
}
