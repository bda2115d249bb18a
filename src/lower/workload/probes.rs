//! How the cluster finds out that Prometheus has started, is ready, is alive.

use crate::api::core::{ExecAction, HttpGetAction, Probe};
use crate::api::scalar::IntOrString;
use crate::context::Ctx;
use crate::lower::workload::args::route_prefix;
use crate::lower::workload::path;

/// The probes of a container.
#[derive(Clone, Debug)]
pub(crate) struct Probes {
    /// Has it started? The WAL may take long to read.
    pub(crate) startup: Probe,
    /// Can it serve?
    pub(crate) readiness: Probe,
    /// Is it stuck?
    pub(crate) liveness: Probe,
}

/// The probes of Prometheus. Operator: `BuildProbes`.
pub(crate) fn prometheus(cx: &Ctx<'_>) -> Probes {
    let (period, failures) = startup(cx.common.maximum_startup_duration_seconds);
    Probes {
        startup: probe(cx, "/-/ready", period, failures),
        readiness: probe(cx, "/-/ready", 5, 3),
        liveness: probe(cx, "/-/healthy", 5, 6),
    }
}

/// Period in seconds and number of tries of the startup probe, so that together they last as long as is allowed.
fn startup(max_seconds: Option<i32>) -> (i32, i32) {
    match max_seconds {
        Some(max @ 60..) => {
            let failures = max / 60 + i32::from(max % 60 != 0);
            (max / failures + i32::from(max % failures != 0), failures)
        }
        _ => (15, 60),
    }
}

fn probe(cx: &Ctx<'_>, at: &str, period: i32, failures: i32) -> Probe {
    let path = path::clean(&format!("{}{at}", route_prefix(cx)));
    let local = cx.common.listen_local == Some(true);
    Probe {
        exec: local.then(|| get_from_within(&format!("http://localhost:9090{path}"))),
        http_get: (!local).then(|| get(cx, path)),
        failure_threshold: Some(failures),
        period_seconds: Some(period),
        timeout_seconds: Some(3),
        ..Probe::default()
    }
}

fn get(cx: &Ctx<'_>, path: String) -> HttpGetAction {
    let tls = cx.common.web.as_ref().is_some_and(|w| w.tls_config.is_some());
    HttpGetAction {
        path: Some(path),
        port: IntOrString::String(port_name(cx).to_owned()),
        scheme: tls.then(|| "HTTPS".to_owned()),
        ..HttpGetAction::default()
    }
}

/// The name of the port. Operator: `web` if it is set to nothing.
pub(crate) fn port_name<'a>(cx: &Ctx<'a>) -> &'a str {
    if cx.common.port_name.is_empty() { "web" } else { &cx.common.port_name }
}

/// A request by whatever the image has. Operator: `ExecAction`.
fn get_from_within(url: &str) -> ExecAction {
    let script = format!(
        "if [ -x \"$(command -v curl)\" ]; then exec curl --fail {url}; \
         elif [ -x \"$(command -v wget)\" ]; then exec wget -q -O /dev/null {url}; else exit 1; fi"
    );
    ExecAction { command: Some(vec!["sh".to_owned(), "-c".to_owned(), script]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_startup_probe_lasts_as_long_as_is_allowed() {
        let cases = [(None, (15, 60)), (Some(60), (60, 1)), (Some(600), (60, 10)), (Some(61), (31, 2))];
        for (seconds, expected) in cases {
            assert_eq!(startup(seconds), expected);
        }
    }
}
