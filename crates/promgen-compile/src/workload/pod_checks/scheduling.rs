//! Where pods may run, and what else a pod has as a whole.

use std::collections::BTreeSet;

use super::field::PodField;
use super::text;
use promgen_prometheus::labels::names::{
    dns1123_subdomain_errors, label_key_errors, label_value_errors,
};
use promgen_text::yaml::Value;

/// Checks what a pod has as a whole.
pub(super) fn check(pod: &PodField<'_, '_>) {
    text::labels(&pod.get("nodeSelector"));
    pod.each("tolerations", toleration);
    spreads(pod);
    affinities(&pod.get("affinity"));
    for key in [
        "serviceAccountName",
        "priorityClassName",
        "runtimeClassName",
    ] {
        pod.get(key).formed(dns1123_subdomain_errors);
    }
    let policies = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
    pod.get("dnsPolicy").empty_or_one_of(&policies);
    dns(pod);
    pod.each("hostAliases", |alias| {
        address(&alias.get("ip"));
        alias.each("hostnames", |name| {
            if let Some(Value::Str(text)) = name.value {
                name.complaints(text, dns1123_subdomain_errors);
            }
        });
    });
}

fn address(address: &PodField<'_, '_>) {
    let text = match address.value {
        None => "",
        Some(Value::Str(text)) => text,
        Some(_) => return,
    };
    if text.parse::<std::net::IpAddr>().is_err() {
        address.invalid(
            text,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        );
    }
}

fn dns(pod: &PodField<'_, '_>) {
    let config = pod.get("dnsConfig");
    let servers = config.get("nameservers");
    if pod.get("dnsPolicy").known_text() == Some("None") {
        if config.value.is_none() {
            config.required_as("must provide `dnsConfig` when `dnsPolicy` is None");
        } else if servers.items().is_empty() {
            servers
                .required_as("must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
    }
    if servers.items().len() > 3 {
        servers.fault("Invalid value: must not have more than 3 nameservers");
    }
    config.each("nameservers", address);
    config.each("options", |option| {
        if option.get("name").is_empty() {
            option.required_as("must not be empty");
        }
    });
}

fn toleration(toleration: &PodField<'_, '_>) {
    let (of_key, of_operator) = (toleration.get("key"), toleration.get("operator"));
    let operator = of_operator.known_text().unwrap_or("Equal");
    of_key.formed(label_key_errors);
    if of_key.is_empty() && operator != "Exists" {
        let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        of_operator.invalid(of_operator.known_text().unwrap_or_default(), why);
    }
    let of_effect = toleration.get("effect");
    let effect = of_effect.known_text();
    if toleration.get("tolerationSeconds").integer().is_some() && effect != Some("NoExecute") {
        let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        of_effect.invalid(effect.unwrap_or_default(), why);
    }
    match (operator, toleration.get("value").known_text()) {
        ("Exists", Some(value)) => {
            of_operator.invalid(value, "value must be empty when `operator` is 'Exists'");
        }
        ("Equal", Some(value)) => of_operator.complaints(value, label_value_errors),
        // These came with a later release of Kubernetes.
        ("Exists" | "Equal" | "Lt" | "Gt", _) => {}
        _ => of_operator.one_of(&["Equal", "Exists"]),
    }
    of_effect.empty_or_one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]);
}

fn spreads(pod: &PodField<'_, '_>) {
    let mut seen = BTreeSet::new();
    pod.each("topologySpreadConstraints", |spread| {
        let skew = spread.get("maxSkew");
        if skew.integer().is_none() {
            skew.fault("Invalid value: 0: must be greater than zero");
        }
        skew.number(|skew| skew > 0, "must be greater than zero");
        topology_key(&spread.get("topologyKey"));
        let of_action = spread.get("whenUnsatisfiable");
        let actions = ["DoNotSchedule", "ScheduleAnyway"];
        match of_action.value {
            None => of_action.supported("", &actions),
            Some(_) => of_action.one_of(&actions),
        }
        let action = of_action.known_text();
        if let (Some(key), Some(action)) = (spread.get("topologyKey").known_text(), action)
            && !seen.insert((key, action))
        {
            spread.duplicate(&format!("{{{key}, {action}}}"));
        }
        let domains = spread.get("minDomains");
        domains.number(|domains| domains > 0, "must be greater than zero");
        domains.number(
            |_| action.is_none_or(|action| action == "DoNotSchedule"),
            "can only use minDomains if whenUnsatisfiable=DoNotSchedule",
        );
        for key in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            spread.get(key).one_of(&["Honor", "Ignore"]);
        }
        selector(&spread.get("labelSelector"));
        label_keys(spread);
    });
}

fn topology_key(key: &PodField<'_, '_>) {
    key.formed(label_key_errors);
    if key.is_empty() {
        key.required_as("can not be empty");
    }
}

/// The keys of labels whose values are those of the pod.
fn label_keys(of: &PodField<'_, '_>) {
    let mut seen = BTreeSet::new();
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        of.each(list, |field| {
            let Some(Value::Str(key)) = field.value else {
                return;
            };
            field.complaints(key, label_key_errors);
            if !of.get("labelSelector").is_set() {
                field.forbidden("must not be specified when labelSelector is not set");
            }
            if !seen.insert(&**key) {
                field.invalid(key, "exists in both or twice");
            }
        });
    }
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

fn affinities(affinity: &PodField<'_, '_>) {
    let node = affinity.get("nodeAffinity");
    let required = node.get(REQUIRED);
    if required.value.is_some() {
        let terms = required.get("nodeSelectorTerms");
        if terms.items().is_empty() {
            terms.required_as("must have at least one node selector term");
        }
        required.each("nodeSelectorTerms", node_term);
    }
    node.each(PREFERRED, |term| {
        weight(term);
        node_term(&term.get("preference"));
    });
    for kind in ["podAffinity", "podAntiAffinity"] {
        let pods = affinity.get(kind);
        pods.each(REQUIRED, pod_term);
        pods.each(PREFERRED, |term| {
            weight(term);
            pod_term(&term.get("podAffinityTerm"));
        });
    }
}

fn weight(term: &PodField<'_, '_>) {
    term.get("weight").number(
        |weight| (1..=100).contains(&weight),
        "must be in the range 1-100",
    );
}

fn node_term(term: &PodField<'_, '_>) {
    term.each("matchExpressions", |expression| {
        requirement(
            expression,
            &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
        );
    });
    term.each("matchFields", |field| {
        let (values, of_operator) = (field.get("values"), field.get("operator"));
        match of_operator.known_text().unwrap_or_default() {
            "In" | "NotIn" if values.items().len() != 1 => values.required_as(
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
            "In" | "NotIn" => {}
            operator => of_operator.invalid(operator, "not a valid selector operator"),
        }
        let of_key = field.get("key");
        let key = of_key.known_text().unwrap_or_default();
        if key != "metadata.name" {
            of_key.invalid(key, "not a valid field selector key");
        }
    });
}

fn requirement(expression: &PodField<'_, '_>, operators: &[&str]) {
    let (values, of_operator) = (expression.get("values"), expression.get("operator"));
    let n_values = values.items().len();
    match of_operator.known_text().unwrap_or_default() {
        "In" | "NotIn" if n_values == 0 => {
            values.required_as("must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if n_values > 0 => {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "Gt" | "Lt" if operators.contains(&"Gt") && n_values != 1 => {
            values.required_as("must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        operator if !operators.contains(&operator) => {
            of_operator.invalid(operator, "not a valid selector operator");
        }
        _ => {}
    }
    let key = expression.get("key");
    key.complaints(key.text(), label_key_errors);
    expression.each("values", |value| {
        if let Some(Value::Str(text)) = value.value {
            value.complaints(text, label_value_errors);
        }
    });
}

fn pod_term(term: &PodField<'_, '_>) {
    selector(&term.get("labelSelector"));
    selector(&term.get("namespaceSelector"));
    term.each("namespaces", |name| {
        if let Some(Value::Str(text)) = name.value {
            name.complaints(text, text::dns_label);
        }
    });
    let key = term.get("topologyKey");
    match key.value {
        Some(Value::StandIn(_)) => {}
        _ if key.text().is_empty() => key.required_as("can not be empty"),
        _ => key.formed(label_key_errors),
    }
    label_keys(term);
}

/// Checks a selector of labels.
pub(super) fn selector(selector: &PodField<'_, '_>) {
    text::labels(&selector.get("matchLabels"));
    selector.each("matchExpressions", |expression| {
        requirement(expression, &["In", "NotIn", "Exists", "DoesNotExist"]);
    });
}
