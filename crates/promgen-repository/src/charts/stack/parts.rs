//! Parts of workloads that several values make together.

use promgen_text::yaml::{Data, Node};

use crate::charts::node::{list, map, set, text};

/// The affinity of a workload: the user's, and that its pods avoid each other. `names`: the value of the label with the name
/// of the application, the label with the name of the workload, and that name.
pub(super) fn affinity(spec: &Node, (app, label, name): (&str, &str, &str)) -> Option<Node> {
    let own = spec.get_set("affinity");
    let kind = spec.get_set("podAntiAffinity");
    let mut affinity = own
        .cloned()
        .or_else(|| kind.map(|kind| map(kind.span, Vec::new())))?;
    let Some(kind) = kind else {
        return Some(affinity);
    };
    let span = kind.span;
    let expression = |key: &str, value: &str| {
        let values = list(vec![text(value, span)], span);
        map(
            span,
            vec![
                ("key", text(key, span)),
                ("operator", text("In", span)),
                ("values", values),
            ],
        )
    };
    let expressions = vec![
        expression("app.kubernetes.io/name", app),
        expression(label, name),
    ];
    let selector = map(span, vec![("matchExpressions", list(expressions, span))]);
    let key = spec
        .get("podAntiAffinityTopologyKey")
        .cloned()
        .unwrap_or_else(|| text("", span));
    let term = map(
        span,
        vec![("topologyKey", key), ("labelSelector", selector)],
    );
    let made = match kind.as_str() {
        Some("hard") => map(
            span,
            vec![(
                "requiredDuringSchedulingIgnoredDuringExecution",
                list(vec![term], span),
            )],
        ),
        Some("soft") => {
            let weight = Node {
                span,
                data: Data::Int(100),
            };
            let weighted = map(span, vec![("weight", weight), ("podAffinityTerm", term)]);
            map(
                span,
                vec![(
                    "preferredDuringSchedulingIgnoredDuringExecution",
                    list(vec![weighted], span),
                )],
            )
        }
        _ => return Some(affinity),
    };
    set(&mut affinity, "podAntiAffinity", span, made);
    Some(affinity)
}

/// The Secrets that images are pulled with: names, or maps with a name.
pub(super) fn pull_secrets(values: &Node) -> Option<Node> {
    let secrets = values.find_set(&["global", "imagePullSecrets"])?;
    let item = |item: &Node| match &item.data {
        Data::String(_) => map(item.span, vec![("name", item.clone())]),
        _ => item.clone(),
    };
    Some(list(
        secrets.items().iter().map(item).collect(),
        secrets.span,
    ))
}
