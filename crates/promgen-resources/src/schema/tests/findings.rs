//! What is found in small documents, and where.

use crate::document::documents;
use crate::release::CURRENT;
use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::read::read as parse;

use crate::schema::tests::*;

/// Checks the only document of a text: each finding as `code place: message`, where the place is the marked text.
fn findings(text: &str) -> (bool, Vec<String>) {
    let mut sources = Sources::default();
    let file: FileId = sources.add("test.yaml".to_owned(), text.to_owned());
    let mut sink = Sink::default();
    let parsed = parse(file, text, &mut sink);
    let [document] = &documents(parsed, "default", &mut sink)[..] else {
        panic!("one document")
    };
    let fits = validate(
        &document.node,
        document.kind,
        &CURRENT.version,
        document.id,
        &mut sink,
    );
    let found = sink.diagnostics().iter().map(|d| {
        let (at, of_key) = match d.place.as_ref().unwrap() {
            promgen_text::diag::Place::At(at) | promgen_text::diag::Place::Within(at, _) => {
                (at, false)
            }
            promgen_text::diag::Place::Key(at) => (at, true),
            promgen_text::diag::Place::Span(_) => panic!("a place in a document"),
        };
        let located = document.node.locate(&at.route);
        let span = if of_key {
            located.key.unwrap()
        } else {
            located.value
        };
        let marked = sources.text(span).lines().next().unwrap_or_default();
        let help = d
            .help
            .first()
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        format!("{} `{marked}` {}{help}", d.rule.code, d.message)
    });
    (fits, found.collect())
}

/// The findings in a Prometheus with this spec.
fn in_spec(spec: &str) -> (bool, Vec<String>) {
    let indented: String = spec.lines().map(|line| format!("  {line}\n")).collect();
    findings(&format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata:\n  name: a\nspec:\n  version: v3.0.0\n{indented}"
    ))
}

fn refused(spec: &str, found: &str) {
    assert_eq!(in_spec(spec), (false, vec![found.to_owned()]), "{spec}");
}

fn accepted(spec: &str) {
    assert_eq!(in_spec(spec), (true, Vec::new()), "{spec}");
}

#[test]
fn an_unknown_field_is_no_reason_to_refuse() {
    let found = "PG010 `scrapeIntervall` unknown field \"spec.scrapeIntervall\" (did you mean \"scrapeInterval\"?)";
    assert_eq!(
        in_spec("scrapeIntervall: 30s"),
        (true, vec![found.to_owned()])
    );
    let found = "PG010 `foo` unknown field \"spec.containers[0].foo\"";
    assert_eq!(
        in_spec("containers:\n- name: a\n  foo: null"),
        (true, vec![found.to_owned()])
    );
}

#[test]
fn nothing_in_a_status_refuses_the_resource() {
    let text = |kind: &str, spec: &str, status: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\nstatus: {status}\n"
        )
    };
    let monitor = "{selector: {}, endpoints: []}";
    let bindings = "{bindings: [{group: monitoring.coreos.com, resource: prometheuses, name: a, namespace: b, conditions: [{type: Accepted, status: \"True\", lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}]}";
    for (kind, spec, status) in [
        (
            "Prometheus",
            "{}",
            "{conditions: [{type: Available, status: Maybe}], replicas: many}",
        ),
        ("Prometheus", "{}", "[1]"),
        ("ServiceMonitor", monitor, bindings),
        (
            "ServiceMonitor",
            monitor,
            "{bindings: [{resource: nothing}, {resource: nothing}]}",
        ),
    ] {
        assert_eq!(
            findings(&text(kind, spec, status)),
            (true, Vec::new()),
            "{status}"
        );
    }
    let found = "PG010 `colour` unknown field \"status.colour\"";
    assert_eq!(
        findings(&text("Prometheus", "{}", "{colour: red}")),
        (true, vec![found.to_owned()])
    );
}

#[test]
fn types_are_those_of_the_schema() {
    refused(
        "replicas: two",
        "PG011 `two` spec.replicas: Invalid value: \"string\": spec.replicas in body must be of type integer: \"string\" (write the number: 2)",
    );
    refused(
        "externalLabels: {a: 1}",
        "PG011 `1` spec.externalLabels.a: Invalid value: \"integer\": spec.externalLabels.a in body must be of type string: \"integer\" (quote the number to make it a string)",
    );
    refused(
        "secrets: [null]",
        "PG011 `null` spec.secrets[0]: Invalid value: \"null\": spec.secrets[0] in body must be of type string: \"null\"",
    );
    refused(
        "resources: {limits: {cpu: 0.5}}",
        "PG011 `0.5` spec.resources.limits.cpu: Invalid value: \"number\": spec.resources.limits.cpu in body must be of type integer,string: \"number\"",
    );
    accepted("resources: {limits: {cpu: 1, memory: 1Gi}}");
}

#[test]
fn null_is_absent() {
    accepted("replicas: null\nserviceMonitorSelector:\nexternalLabels: {a: null}");
    refused(
        "remoteWrite: [{url: null}]",
        "PG012 `null` spec.remoteWrite[0].url: Required value (add `url`)",
    );
}

#[test]
fn texts_and_numbers_keep_their_bounds() {
    refused(
        "logLevel: verbose",
        "PG013 `verbose` spec.logLevel: Unsupported value: \"verbose\": supported values: \"\", \"debug\", \"info\", \"warn\", \"error\"",
    );
    refused(
        "logLevel: Debug",
        "PG013 `Debug` spec.logLevel: Unsupported value: \"Debug\": supported values: \"\", \"debug\", \"info\", \"warn\", \"error\" (did you mean \"debug\"?)",
    );
    refused(
        "serviceName: ''",
        "PG016 `''` spec.serviceName: Invalid value: \"\": spec.serviceName in body should be at least 1 chars long",
    );
    refused(
        "replicas: 3000000000",
        "PG016 `3000000000` spec.replicas: Invalid value: 3000000000: spec.replicas in body must fit 32 bits",
    );
    refused(
        "enforcedSampleLimit: -1",
        "PG016 `-1` spec.enforcedSampleLimit: Invalid value: -1: spec.enforcedSampleLimit in body should be greater than or equal to 0",
    );
    refused(
        "remoteWriteReceiverMessageVersions: []",
        "PG016 `[]` spec.remoteWriteReceiverMessageVersions: Invalid value: 0: spec.remoteWriteReceiverMessageVersions in body should have at least 1 items",
    );
    accepted("scrapeInterval: 1m30s\nreplicas: 2147483647\nretentionSize: 1.5GiB");
}

#[test]
fn keyed_lists_hold_each_item_once() {
    refused(
        "secrets: [a, b, a]",
        "PG020 `a` spec.secrets[2]: Duplicate value: \"a\"",
    );
    refused(
        "containers:\n- name: a\n  ports:\n  - containerPort: 1\n  - {containerPort: 1, protocol: TCP}",
        "PG020 `{containerPort: 1, protocol: TCP}` spec.containers[0].ports[1]: Duplicate value: {\"containerPort\":1,\"protocol\":\"TCP\"}",
    );
    accepted(
        "containers:\n- name: a\n  ports:\n  - containerPort: 1\n  - {containerPort: 1, protocol: UDP}",
    );
}

#[test]
fn every_zone_needs_a_shard_but_only_the_operator_dialect_refuses() {
    let (accepted_by_api_server, found) = in_spec(
        "shards: 2\nshardingStrategy:\n  mode: Topology\n  topology:\n    values: [a, b, c]",
    );
    assert!(!accepted_by_api_server);
    assert_eq!(
        found,
        [
            "PG200 `2` 2 shards cannot cover 3 zones: no shard scrapes zone \"c\" (raise spec.shards to 3 or a multiple of it, or remove zones)",
            "PG014 `version: v3.0.0` spec: Invalid value: shards must be greater than or equal to the number of topology values when sharding strategy mode is Topology",
        ]
    );
    // The API server knows nothing of the proposal's dialect; the shards that there are compile.
    let (accepted_all_the_same, findings) =
        in_spec("shardingStrategy:\n  mode: topology\n  topology: [a, b, c]");
    assert!(accepted_all_the_same);
    assert_eq!(
        findings,
        [
            "PG200 `[a, b, c]` 1 shard cannot cover 3 zones: no shard scrapes zones \"b\", \"c\" (raise spec.shards to 3 or a multiple of it, or remove zones)"
        ]
    );
    accepted(
        "shards: 3\nshardingStrategy:\n  mode: topology\n  topology: [a, b, c]\n  label: zone",
    );
    accepted("shards: 2\nshardingStrategy:\n  mode: classic\n  topology: [a, b, c]");
    accepted("shardingStrategy:\n  mode: Topology\n  topology: {}");
}

/// The advice for a sharding strategy that fits neither dialect.
const BOTH: &str = " (the operator's dialect has `mode: Address`, or `mode: Topology` with `topology: {values: [zone-a, zone-b]}`; \
                    the proposal's has `mode: classic`, or `mode: topology` with `topology: [zone-a, zone-b]`)";

#[test]
fn each_dialect_has_its_own_fields() {
    refused(
        "shards: 3\nshardingStrategy:\n  mode: Topology\n  topology: [a]",
        &format!(
            "PG011 `[a]` spec.shardingStrategy.topology: Invalid value: \"array\": spec.shardingStrategy.topology in body must be of type object: \"array\"{BOTH}"
        ),
    );
    let found = format!("PG010 `label` unknown field \"spec.shardingStrategy.label\"{BOTH}");
    assert_eq!(
        in_spec("shardingStrategy:\n  mode: Address\n  label: a"),
        (true, vec![found])
    );
    let found = format!(
        "PG010 `externalLabelName` unknown field \"spec.shardingStrategy.externalLabelName\"{BOTH}"
    );
    assert_eq!(
        in_spec("shardingStrategy:\n  mode: classic\n  externalLabelName: a"),
        (true, vec![found])
    );
}

#[test]
fn fields_of_the_proposal_are_known_without_its_mode() {
    accepted("shardingStrategy:\n  label: a");
    accepted("shardingStrategy:\n  mode: null\n  additionalRelabelConfig: []");
    accepted("shardingStrategy:\n  topology: [a]");
    accepted("shardingStrategy: {}");
    let (_, found) = in_spec("shardingStrategy:\n  label: a\n  topology: {values: [a]}");
    assert!(
        found[0].starts_with("PG011") && found.len() == 1,
        "{found:?}"
    );
}

#[test]
fn fields_have_to_go_together() {
    refused(
        "shardingStrategy:\n  topology:\n    values: [a]",
        &format!(
            "PG014 `topology:` spec.shardingStrategy: Invalid value: topology can only be defined when mode is set to 'Topology'{BOTH}"
        ),
    );
    refused(
        "updateStrategy:\n  type: OnDelete\n  rollingUpdate: {}",
        "PG014 `type: OnDelete` spec.updateStrategy: Invalid value: rollingUpdate requires type to be RollingUpdate",
    );
}

#[test]
fn a_duration_of_rules_may_be_empty_only_where_it_may() {
    let rule = |fields: &str| {
        findings(&format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: a}}\nspec:\n  groups:\n  - name: a\n    rules:\n    - {{expr: 1, {fields}}}\n"
        ))
    };
    assert!(rule("for: ''").0);
    assert!(!rule("keep_firing_for: ''").0);
}

#[test]
fn metadata_is_checked_for_every_kind() {
    let (fits, found) = findings(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a_b\n  namespace: FILLED BY THE OPERATOR\n  labels: {a: -x, 'b c': d}\n  lables: {}\ndata: {}\n",
    );
    assert!(!fits);
    let starts: Vec<_> = found
        .iter()
        .map(|f| f.split(" Invalid").next().unwrap())
        .collect();
    assert_eq!(
        starts,
        [
            "PG010 `lables` unknown field \"metadata.lables\" (did you mean \"labels\"?)",
            "PG015 `a_b` metadata.name:",
            "PG015 `FILLED BY THE OPERATOR` metadata.namespace:",
            "PG015 `-x` metadata.labels:",
            "PG015 `'b c'` metadata.labels:",
        ]
    );
    let (fits, found) = findings("apiVersion: v1\nkind: Secret\nmetadata: {}\n");
    assert_eq!(
        (fits, &*found[0]),
        (false, "PG015 `{}` metadata.name: Required value")
    );
}

#[test]
fn a_secret_is_never_quoted() {
    let (fits, found) =
        findings("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {pin: 4711}\n");
    assert!(
        !fits
            && !found
                .concat()
                .split('`')
                .next_back()
                .unwrap()
                .contains("4711"),
        "{found:?}"
    );
}
