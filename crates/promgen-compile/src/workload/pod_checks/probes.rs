//! Probes and actions of the life cycle.

use super::containers::port_number;
use super::{PodFaults, integer, is_empty, items, known_text, text};
use promgen_text::route::Path;
use promgen_text::yaml::Value;

const HANDLERS: &[&str] = &["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const PERIODS: &[&str] = &[
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
];

/// Checks the probes of a container, and what it does at its start and end.
pub(super) fn of_container(container: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get(key).filter(|probe| **probe != Value::Null) else {
            continue;
        };
        let at = at.key(key);
        handler(probe, &at, out);
        for period in PERIODS {
            if let Some(number) = integer(probe.get(period)).filter(|number| *number < 0) {
                out.invalid_number(
                    &at.key(period),
                    number,
                    "must be greater than or equal to 0",
                );
            }
        }
        let grace = at.key("terminationGracePeriodSeconds");
        match integer(probe.get("terminationGracePeriodSeconds")) {
            Some(number) if key == "readinessProbe" => {
                out.invalid_number(&grace, number, "must not be set for readinessProbes");
            }
            Some(number) if number <= 0 => {
                out.invalid_number(&grace, number, "must be greater than 0")
            }
            _ => {}
        }
        // Nothing means one.
        let threshold =
            integer(probe.get("successThreshold")).filter(|number| *number != 0 && *number != 1);
        if let Some(number) = threshold.filter(|_| key != "readinessProbe") {
            out.invalid_number(&at.key("successThreshold"), number, "must be 1");
        }
    }
    for key in ["postStart", "preStop"] {
        let action = container
            .get("lifecycle")
            .and_then(|lifecycle| lifecycle.get(key));
        if let Some(action) = action.filter(|action| **action != Value::Null) {
            handler(action, &at.key("lifecycle").key(key), out);
        }
    }
}

fn handler(of: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let mut n = 0;
    for key in HANDLERS {
        let Some(action) = of.get(key).filter(|action| **action != Value::Null) else {
            continue;
        };
        let at = at.key(key);
        n += 1;
        if n > 1 {
            out.forbidden(&at, "may not specify more than 1 handler type");
            continue;
        }
        match *key {
            "exec" if items(action.get("command")).is_empty() => {
                out.required(&at.key("command"), "")
            }
            "httpGet" => http(action, &at, out),
            "tcpSocket" => port(action.get("port"), &at.key("port"), out),
            "grpc" => match integer(action.get("port")) {
                Some(number) => port_number(number, &at.key("port"), out),
                None => out.required(&at.key("port"), ""),
            },
            _ => {}
        }
    }
    if n == 0 {
        out.required(at, "must specify a handler type");
    }
}

fn http(action: &Value, at: &Path<'_>, out: &mut PodFaults) {
    port(action.get("port"), &at.key("port"), out);
    if !is_empty(action, "scheme") {
        out.one_of(&at.key("scheme"), action.get("scheme"), &["HTTP", "HTTPS"]);
    }
    for header in items(action.get("httpHeaders")) {
        let name = known_text(header, "name").unwrap_or_default();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            let why = "a valid HTTP header must consist of alphanumeric characters or '-'";
            out.invalid(&at.key("httpHeaders"), name, why);
        }
    }
}

fn port(value: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    match value {
        Some(Value::Int(number)) => port_number(*number, at, out),
        Some(Value::Str(name)) => out.complaints(at, name, &text::port_name(name)),
        Some(Value::StandIn(_)) => {}
        _ => out.required(at, ""),
    }
}
