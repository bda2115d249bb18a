//! Where pods may run, and what else a pod has as a whole.

use std::collections::BTreeSet;

use super::{PodFaults, integer, is_empty, items, known_text, text};
use promgen_prometheus::labels::names::{
    dns1123_subdomain_errors, label_key_errors, label_value_errors,
};
use promgen_text::route::Path;
use promgen_text::yaml::Value;

/// Checks what a pod has as a whole.
pub(super) fn check(pod: &Value, at: &Path<'_>, out: &mut PodFaults) {
    text::labels(pod.get("nodeSelector"), &at.key("nodeSelector"), out);
    tolerations(pod, at, out);
    spreads(pod, at, out);
    if let Some(affinity) = pod.get("affinity") {
        affinities(affinity, &at.key("affinity"), out);
    }
    for key in [
        "serviceAccountName",
        "priorityClassName",
        "runtimeClassName",
    ] {
        if let Some(name) = known_text(pod, key) {
            out.complaints(&at.key(key), name, &dns1123_subdomain_errors(name));
        }
    }
    let policies = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
    if !is_empty(pod, "dnsPolicy") {
        out.one_of(&at.key("dnsPolicy"), pod.get("dnsPolicy"), &policies);
    }
    dns(pod, at, out);
    for (index, alias) in items(pod.get("hostAliases")).iter().enumerate() {
        let at = at.key("hostAliases");
        let at = at.index(index);
        address(alias.get("ip"), &at.key("ip"), out);
        for (index, name) in items(alias.get("hostnames")).iter().enumerate() {
            if let Value::Str(name) = name {
                let at = at.key("hostnames");
                out.complaints(&at.index(index), name, &dns1123_subdomain_errors(name));
            }
        }
    }
}

fn address(value: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let text = match value {
        None => "",
        Some(Value::Str(text)) => text,
        Some(_) => return,
    };
    if text.parse::<std::net::IpAddr>().is_err() {
        out.invalid(
            at,
            text,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        );
    }
}

fn dns(pod: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let (config, at) = (pod.get("dnsConfig"), at.key("dnsConfig"));
    let servers = config.map_or(&[][..], |config| items(config.get("nameservers")));
    if known_text(pod, "dnsPolicy") == Some("None") {
        match config {
            None => out.required(&at, "must provide `dnsConfig` when `dnsPolicy` is None"),
            Some(_) if servers.is_empty() => {
                let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
                out.required(&at.key("nameservers"), why);
            }
            Some(_) => {}
        }
    }
    if servers.len() > 3 {
        out.push(
            &at.key("nameservers"),
            "Invalid value: must not have more than 3 nameservers".to_owned(),
        );
    }
    for (index, server) in servers.iter().enumerate() {
        let at = at.key("nameservers");
        address(Some(server), &at.index(index), out);
    }
    let options = config.map_or(&[][..], |config| items(config.get("options")));
    for (index, option) in options.iter().enumerate() {
        let at = at.key("options");
        if is_empty(option, "name") {
            out.required(&at.index(index), "must not be empty");
        }
    }
}

fn tolerations(pod: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for (index, toleration) in items(pod.get("tolerations")).iter().enumerate() {
        let at = at.key("tolerations");
        let at = at.index(index);
        let operator = known_text(toleration, "operator").unwrap_or("Equal");
        match known_text(toleration, "key") {
            Some(key) => out.complaints(&at.key("key"), key, &label_key_errors(key)),
            None if is_empty(toleration, "key") && operator != "Exists" => {
                let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
                let operator = known_text(toleration, "operator").unwrap_or_default();
                out.invalid(&at.key("operator"), operator, why);
            }
            None => {}
        }
        let effect = known_text(toleration, "effect");
        if integer(toleration.get("tolerationSeconds")).is_some() && effect != Some("NoExecute") {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            out.invalid(&at.key("effect"), effect.unwrap_or_default(), why);
        }
        let value = known_text(toleration, "value");
        match (operator, value) {
            ("Exists", Some(value)) => {
                out.invalid(
                    &at.key("operator"),
                    value,
                    "value must be empty when `operator` is 'Exists'",
                );
            }
            ("Equal", Some(value)) => {
                out.complaints(&at.key("operator"), value, &label_value_errors(value))
            }
            // These came with a later release of Kubernetes.
            ("Exists" | "Equal" | "Lt" | "Gt", _) => {}
            _ => out.one_of(
                &at.key("operator"),
                toleration.get("operator"),
                &["Equal", "Exists"],
            ),
        }
        if effect.is_some() {
            let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
            out.one_of(&at.key("effect"), toleration.get("effect"), &effects);
        }
    }
}

fn spreads(pod: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let (mut seen, none) = (BTreeSet::new(), Value::from(""));
    for (index, spread) in items(pod.get("topologySpreadConstraints"))
        .iter()
        .enumerate()
    {
        let at = at.key("topologySpreadConstraints");
        let at = at.index(index);
        if let Some(skew) =
            Some(integer(spread.get("maxSkew")).unwrap_or_default()).filter(|skew| *skew <= 0)
        {
            out.invalid_number(&at.key("maxSkew"), skew, "must be greater than zero");
        }
        let key = known_text(spread, "topologyKey");
        match key {
            Some(key) => out.complaints(&at.key("topologyKey"), key, &label_key_errors(key)),
            None if is_empty(spread, "topologyKey") => {
                out.required(&at.key("topologyKey"), "can not be empty")
            }
            None => {}
        }
        let action = known_text(spread, "whenUnsatisfiable");
        let actions = ["DoNotSchedule", "ScheduleAnyway"];
        out.one_of(
            &at.key("whenUnsatisfiable"),
            spread.get("whenUnsatisfiable").or(Some(&none)),
            &actions,
        );
        if let (Some(key), Some(action)) = (key, action)
            && !seen.insert((key, action))
        {
            out.duplicate(&at, &format!("{{{key}, {action}}}"));
        }
        if let Some(domains) = integer(spread.get("minDomains")) {
            if domains <= 0 {
                out.invalid_number(&at.key("minDomains"), domains, "must be greater than zero");
            }
            if action.is_some_and(|action| action != "DoNotSchedule") {
                let why = "can only use minDomains if whenUnsatisfiable=DoNotSchedule";
                out.invalid_number(&at.key("minDomains"), domains, why);
            }
        }
        for key in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            out.one_of(&at.key(key), spread.get(key), &["Honor", "Ignore"]);
        }
        selector(spread.get("labelSelector"), &at.key("labelSelector"), out);
        label_keys(spread, &at, out);
    }
}

/// The keys of labels whose values are those of the pod.
fn label_keys(of: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let mut seen = BTreeSet::new();
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        for (index, key) in items(of.get(list)).iter().enumerate() {
            let (at, Value::Str(key)) = (at.key(list), key) else {
                continue;
            };
            let at = at.index(index);
            out.complaints(&at, key, &label_key_errors(key));
            if is_absent(of, "labelSelector") {
                out.forbidden(&at, "must not be specified when labelSelector is not set");
            }
            if !seen.insert(&**key) {
                out.invalid(&at, key, "exists in both or twice");
            }
        }
    }
}

fn is_absent(value: &Value, key: &str) -> bool {
    matches!(value.get(key), None | Some(Value::Null))
}

fn affinities(affinity: &Value, at: &Path<'_>, out: &mut PodFaults) {
    if let Some(node) = affinity.get("nodeAffinity") {
        let at = at.key("nodeAffinity");
        let required = at.key("requiredDuringSchedulingIgnoredDuringExecution");
        if let Some(terms) = node.get("requiredDuringSchedulingIgnoredDuringExecution") {
            let terms = items(terms.get("nodeSelectorTerms"));
            let at = required.key("nodeSelectorTerms");
            if terms.is_empty() {
                out.required(&at, "must have at least one node selector term");
            }
            terms
                .iter()
                .enumerate()
                .for_each(|(index, term)| node_term(term, &at.index(index), out));
        }
        let at = at.key("preferredDuringSchedulingIgnoredDuringExecution");
        for (index, term) in items(node.get("preferredDuringSchedulingIgnoredDuringExecution"))
            .iter()
            .enumerate()
        {
            let at = at.index(index);
            weight(term, &at, out);
            if let Some(preference) = term.get("preference") {
                node_term(preference, &at.key("preference"), out);
            }
        }
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = affinity.get(kind) else {
            continue;
        };
        let at = at.key(kind);
        let required = at.key("requiredDuringSchedulingIgnoredDuringExecution");
        for (index, term) in items(pods.get("requiredDuringSchedulingIgnoredDuringExecution"))
            .iter()
            .enumerate()
        {
            pod_term(term, &required.index(index), out);
        }
        let preferred = at.key("preferredDuringSchedulingIgnoredDuringExecution");
        for (index, term) in items(pods.get("preferredDuringSchedulingIgnoredDuringExecution"))
            .iter()
            .enumerate()
        {
            let at = preferred.index(index);
            weight(term, &at, out);
            pod_term(
                term.get("podAffinityTerm").unwrap_or(&Value::Null),
                &at.key("podAffinityTerm"),
                out,
            );
        }
    }
}

fn weight(term: &Value, at: &Path<'_>, out: &mut PodFaults) {
    if let Some(weight) = integer(term.get("weight")).filter(|weight| !(1..=100).contains(weight)) {
        out.invalid_number(&at.key("weight"), weight, "must be in the range 1-100");
    }
}

fn node_term(term: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for (index, expression) in items(term.get("matchExpressions")).iter().enumerate() {
        let at = at.key("matchExpressions");
        let at = at.index(index);
        requirement(
            expression,
            &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
            &at,
            out,
        );
    }
    for (index, field) in items(term.get("matchFields")).iter().enumerate() {
        let at = at.key("matchFields");
        let at = at.index(index);
        let operator = known_text(field, "operator").unwrap_or_default();
        match operator {
            "In" | "NotIn" if items(field.get("values")).len() != 1 => {
                let why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                out.required(&at.key("values"), why);
            }
            "In" | "NotIn" => {}
            operator => out.invalid(
                &at.key("operator"),
                operator,
                "not a valid selector operator",
            ),
        }
        let key = known_text(field, "key").unwrap_or_default();
        if key != "metadata.name" {
            out.invalid(&at.key("key"), key, "not a valid field selector key");
        }
    }
}

fn requirement(expression: &Value, operators: &[&str], at: &Path<'_>, out: &mut PodFaults) {
    let operator = known_text(expression, "operator").unwrap_or_default();
    let values = items(expression.get("values"));
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            out.required(
                &at.key("values"),
                "must be specified when `operator` is 'In' or 'NotIn'",
            );
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            out.forbidden(
                &at.key("values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            );
        }
        "Gt" | "Lt" if operators.contains(&"Gt") && values.len() != 1 => {
            out.required(
                &at.key("values"),
                "must be specified single value when `operator` is 'Lt' or 'Gt'",
            );
        }
        operator if !operators.contains(&operator) => {
            out.invalid(
                &at.key("operator"),
                operator,
                "not a valid selector operator",
            );
        }
        _ => {}
    }
    let key = expression
        .get("key")
        .and_then(Value::as_str)
        .unwrap_or_default();
    out.complaints(&at.key("key"), key, &label_key_errors(key));
    for (index, value) in values.iter().enumerate() {
        if let Value::Str(value) = value {
            let at = at.key("values");
            out.complaints(&at.index(index), value, &label_value_errors(value));
        }
    }
}

fn pod_term(term: &Value, at: &Path<'_>, out: &mut PodFaults) {
    selector(term.get("labelSelector"), &at.key("labelSelector"), out);
    selector(
        term.get("namespaceSelector"),
        &at.key("namespaceSelector"),
        out,
    );
    for (index, name) in items(term.get("namespaces")).iter().enumerate() {
        if let Value::Str(name) = name {
            let at = at.key("namespaces");
            out.complaints(&at.index(index), name, &text::dns_label(name));
        }
    }
    match term.get("topologyKey") {
        Some(Value::StandIn(_)) => {}
        key => match key.and_then(Value::as_str).unwrap_or_default() {
            "" => out.required(&at.key("topologyKey"), "can not be empty"),
            key => out.complaints(&at.key("topologyKey"), key, &label_key_errors(key)),
        },
    }
    label_keys(term, at, out);
}

/// Checks a selector of labels.
pub(super) fn selector(selector: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let Some(selector) = selector else { return };
    text::labels(selector.get("matchLabels"), &at.key("matchLabels"), out);
    for (index, expression) in items(selector.get("matchExpressions")).iter().enumerate() {
        let at = at.key("matchExpressions");
        requirement(
            expression,
            &["In", "NotIn", "Exists", "DoesNotExist"],
            &at.index(index),
            out,
        );
    }
}
