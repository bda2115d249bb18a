//! Probes and actions of the life cycle.

use super::field::PodField;
use super::text;
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
pub(super) fn of_container(container: &PodField<'_, '_>) {
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = container.get(key);
        if !probe.is_set() {
            continue;
        }
        handler(&probe);
        for period in PERIODS {
            probe
                .get(period)
                .number(|number| number >= 0, "must be greater than or equal to 0");
        }
        let grace = probe.get("terminationGracePeriodSeconds");
        if key == "readinessProbe" {
            grace.number(|_| false, "must not be set for readinessProbes");
        } else {
            grace.number(|number| number > 0, "must be greater than 0");
            // Nothing means one.
            let threshold = probe.get("successThreshold");
            threshold.number(|number| matches!(number, 0 | 1), "must be 1");
        }
    }
    let lifecycle = container.get("lifecycle");
    for key in ["postStart", "preStop"] {
        let action = lifecycle.get(key);
        if action.is_set() {
            handler(&action);
        }
    }
}

fn handler(of: &PodField<'_, '_>) {
    let mut n = 0;
    for key in HANDLERS {
        let action = of.get(key);
        if !action.is_set() {
            continue;
        }
        n += 1;
        if n > 1 {
            action.forbidden("may not specify more than 1 handler type");
            continue;
        }
        let number = action.get("port");
        match *key {
            "exec" if action.get("command").items().is_empty() => action.get("command").required(),
            "httpGet" => http(&action),
            "tcpSocket" => port(&number),
            "grpc" if number.integer().is_none() => number.required(),
            "grpc" => number.port_number(),
            _ => {}
        }
    }
    if n == 0 {
        of.required_as("must specify a handler type");
    }
}

fn http(action: &PodField<'_, '_>) {
    port(&action.get("port"));
    action.get("scheme").empty_or_one_of(&["HTTP", "HTTPS"]);
    action.each("httpHeaders", |header| {
        let name = header.get("name").known_text().unwrap_or_default();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            let why = "a valid HTTP header must consist of alphanumeric characters or '-'";
            action.get("httpHeaders").invalid(name, why);
        }
    });
}

fn port(port: &PodField<'_, '_>) {
    match port.value {
        Some(Value::Int(_)) => port.port_number(),
        Some(Value::Str(name)) => port.complaints(name, text::port_name),
        Some(Value::StandIn(_)) => {}
        _ => port.required(),
    }
}
