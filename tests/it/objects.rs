//! The objects and the status of workloads, through the library: what no recorded answer shows.

use promgen::{Assume, Input, Layout, Options, Output};
use promgen_text::yaml::Value;

fn compile(text: &str, options: &Options) -> Output {
    crate::support::compile(&[Input::new("in.yaml", text)], options)
}

fn server(spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: shop, uid: u-1}}\n\
         spec: {{serviceMonitorSelector: {{}}, {spec}}}\n"
    )
}

fn operator_layout() -> Options {
    Options {
        layout: Layout::Operator,
        ..Options::default()
    }
}

/// The value at a path of keys and indexes, as JSON prints it.
fn at(value: &Value, path: &str) -> String {
    let step = |value: Option<Value>, key: &str| match (value?, key.parse::<usize>()) {
        (Value::Seq(items), Ok(index)) => items.get(index).cloned(),
        (value, _) => value.get(key).cloned(),
    };
    let found = path.split('/').fold(Some(value.clone()), step);
    found.map_or_else(String::new, |value| {
        promgen_text::yaml::emit::to_json(&value)
            .trim_end()
            .to_owned()
    })
}

fn files(output: &Output) -> Vec<&str> {
    output.workloads[0]
        .objects
        .iter()
        .map(|o| o.file.as_str())
        .collect()
}

fn object(output: &Output, file: &str) -> &'static Value {
    let object = output.workloads[0]
        .objects
        .iter()
        .find(|o| o.file == file)
        .unwrap();
    Box::leak(Box::new(object.value().into_owned()))
}

#[test]
fn each_shard_reads_its_own_secret_and_nothing_has_an_owner() {
    let output = compile(&server("shards: 2"), &Options::default());
    assert_eq!(
        files(&output),
        [
            "secret-prometheus-main",
            "secret-prometheus-main-shard-1",
            "secret-prometheus-main-tls-assets-0",
            "secret-prometheus-main-web-config",
            "secret-prometheus-main-thanos-prometheus-http-client-file",
            "service-prometheus-operated",
            "statefulset-0",
            "statefulset-1",
        ]
    );
    for object in &output.workloads[0].objects {
        assert_eq!(
            at(&object.value(), "metadata/namespace"),
            "\"shop\"",
            "{}",
            object.file
        );
        assert_eq!(
            at(&object.value(), "metadata/ownerReferences"),
            "",
            "{}",
            object.file
        );
    }
    let set = object(&output, "statefulset-1");
    assert_eq!(
        at(set, "spec/template/spec/volumes/0/secret/secretName"),
        "\"prometheus-main-shard-1\""
    );
    let reloader = at(set, "spec/template/spec/containers/1/args");
    assert!(
        reloader.contains("--config-file=/etc/prometheus/config/prometheus.yaml\""),
        "{reloader}"
    );
}

#[test]
fn the_operators_objects_belong_to_the_custom_resource() {
    let output = compile(&server("shards: 2, thanos: {}"), &operator_layout());
    let set = object(&output, "statefulset-1");
    assert_eq!(at(set, "metadata/ownerReferences/0/uid"), "\"u-1\"");
    assert_eq!(
        at(set, "spec/template/spec/volumes/0/secret/secretName"),
        "\"prometheus-main\""
    );
    let service = object(&output, "service-prometheus-operated");
    assert_eq!(at(service, "metadata/ownerReferences/0/controller"), "");
    assert_eq!(at(service, "spec/ports/1/port"), "10901");
}

#[test]
fn a_user_who_writes_the_configuration_keeps_it() {
    let text = server("").replace("serviceMonitorSelector: {}, ", "");
    // The operator creates an empty Secret only where there is none.
    assert!(files(&compile(&text, &Options::default())).contains(&"secret-prometheus-main"));
    let own = "apiVersion: v1\nkind: Secret\nmetadata: {name: prometheus-main, namespace: shop}\n";
    let text = format!("{text}---\n{own}");
    let output = compile(&text, &Options::default());
    assert!(
        !files(&output).contains(&"secret-prometheus-main"),
        "{:?}",
        files(&output)
    );
    let mounted = at(
        object(&output, "statefulset-0"),
        "spec/template/spec/volumes/0/secret/secretName",
    );
    assert_eq!(mounted, "\"prometheus-main\"");
}

#[test]
fn a_paused_workload_has_a_status_and_no_objects() {
    let output = compile(
        &server("paused: true, additionalArgs: [{name: config.file}]"),
        &Options::default(),
    );
    let workload = &output.workloads[0];
    assert!(workload.objects.is_empty() && workload.error.is_none() && workload.config.is_none());
    assert_eq!(at(&workload.status, "paused"), "true");
}

#[test]
fn objects_end_where_the_operator_stops() {
    let output = compile(
        &server("additionalArgs: [{name: config.file}]"),
        &operator_layout(),
    );
    let workload = &output.workloads[0];
    assert_eq!(
        workload.error.as_deref(),
        Some(
            "making statefulset failed: make StatefulSet spec: can't set arguments which are already managed by the \
             operator: config.file"
        )
    );
    assert!(
        files(&output).contains(&"service-prometheus-operated")
            && !files(&output).contains(&"statefulset-0")
    );
    assert_eq!(
        at(&workload.status, "conditions/1/reason"),
        "\"ReconciliationFailed\""
    );
}

#[test]
fn what_is_not_in_the_input_is_healthy_or_missing() {
    let text = server("shards: 2, replicas: 3");
    let ready = compile(&text, &Options::default());
    let status = &ready.workloads[0].status;
    assert_eq!(
        (
            at(status, "availableReplicas"),
            at(status, "shardStatuses/1/replicas")
        ),
        ("6".into(), "3".into())
    );
    assert_eq!(at(status, "conditions/0/status"), "\"True\"");
    let missing = compile(
        &text,
        &Options {
            assume: Assume::Missing,
            ..Options::default()
        },
    );
    let status = &missing.workloads[0].status;
    assert_eq!(at(status, "conditions/0/reason"), "\"StatefulSetNotFound\"");
    let message = "shard 0: statefulset shop/prometheus-main not found\\nshard 1: statefulset \
                   shop/prometheus-main-shard-1 not found";
    assert_eq!(at(status, "conditions/0/message"), format!("\"{message}\""));
}

#[test]
fn a_governing_service_of_the_user_has_to_select_the_pods() {
    let service = |selector: &str| {
        let service = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: own, namespace: shop}}\nspec: {{selector: {selector}}}\n"
        );
        compile(&(server("serviceName: own") + &service), &operator_layout())
    };
    let fits = service("{prometheus: main}");
    assert_eq!(fits.workloads[0].error, None);
    assert_eq!(
        at(object(&fits, "statefulset-0"), "spec/serviceName"),
        "\"own\""
    );
    assert!(!files(&fits).contains(&"service-prometheus-operated"));
    let other = service("{prometheus: other}");
    let error = other.workloads[0].error.clone().unwrap();
    assert!(
        error.starts_with("custom governing service shop/own with selector \"prometheus=other\""),
        "{error}"
    );
}

#[test]
fn the_users_containers_are_merged_and_amounts_canonical() {
    let spec = "resources: {requests: {cpu: 1000m, memory: 1024Mi}}, containers: [{name: config-reloader, image: mine}, \
                {name: extra, image: x}]";
    let output = compile(&server(spec), &operator_layout());
    let set = object(&output, "statefulset-0");
    let text = |text: &str| format!("\"{text}\"");
    let container = |path: &str| at(set, &format!("spec/template/spec/containers/{path}"));
    assert_eq!(
        (
            container("0/resources/requests/cpu"),
            container("0/resources/requests/memory")
        ),
        (text("1"), text("1Gi"))
    );
    assert_eq!(
        (container("1/image"), container("2/name")),
        (text("mine"), text("extra"))
    );
}

#[test]
fn version_two_of_remote_write_stops_arguments_of_old_versions() {
    let spec = |url: &str| {
        format!(
            "version: v2.53.0, enableFeatures: [a], logFormat: json, remoteWrite: [{{url: 'http://x', {url}}}]"
        )
    };
    let args = |url: &str| {
        at(
            object(
                &compile(&server(&spec(url)), &operator_layout()),
                "statefulset-0",
            ),
            "spec/template/spec/containers/0/args",
        )
    };
    assert!(args("").contains("--enable-feature=a") && args("").contains("--log.format=json"));
    let stuck = args("messageVersion: V2.0");
    assert!(
        !stuck.contains("--enable-feature") && !stuck.contains("--log.format"),
        "{stuck}"
    );
}

#[test]
fn shards_that_are_scaled_away_are_kept_until_their_deadline() {
    let set = |shard: u32, annotation: &str| {
        format!(
            "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: prometheus-main-shard-{shard}\n  namespace: shop\n  \
             uid: u\n  annotations: {{{annotation}}}\n  labels: {{operator.prometheus.io/name: main, \
             operator.prometheus.io/mode: server, operator.prometheus.io/shard: '{shard}'}}\nspec: {{replicas: 1}}\n"
        )
    };
    let old = |time: &str| format!("operator.prometheus.io/deletion-deadline: '{time}'");
    let sets =
        set(1, "") + &set(2, &old("2026-11-22T00:00:00Z")) + &set(3, &old("2026-11-20T00:00:00Z"));
    let deadlines_at = |time: Option<&str>, spec: &str| {
        let at_time = time.and_then(promgen_text::time::Timestamp::parse);
        let options = Options {
            at: at_time,
            ..operator_layout()
        };
        let output = compile(&(server(spec) + &sets), &options);
        let kept = output.workloads[0]
            .objects
            .iter()
            .filter(|o| at(&o.value(), "metadata/annotations").contains("deadline"));
        let deadline = |o: &promgen_compile::output::OutputObject| {
            let annotations = at(&o.value(), "metadata/annotations");
            format!("{} {}", o.file, annotations.rsplit('"').nth(1).unwrap())
        };
        kept.map(deadline).collect::<Vec<_>>()
    };
    let deadlines = |spec: &str| deadlines_at(Some("2026-11-21T00:00:00Z"), spec);
    let two = |first: &str| {
        vec![
            format!("statefulset-1 {first}"),
            "statefulset-2 2026-11-22T00:00:00Z".to_owned(),
        ]
    };
    let retain = "shardRetentionPolicy: {whenScaled: Retain";
    assert_eq!(
        deadlines(&format!("{retain}}}")),
        two("2026-11-22T00:00:00Z")
    );
    assert_eq!(
        deadlines(&format!("{retain}}}, retention: 2d")),
        two("2026-11-23T00:00:00Z")
    );
    assert_eq!(
        deadlines(&format!("{retain}}}, retentionSize: 1GB")),
        two("0001-01-01T00:00:00Z")
    );
    assert_eq!(
        deadlines(&format!("{retain}, retain: {{retentionPeriod: 1h}}}}")),
        two("2026-11-21T01:00:00Z")
    );
    assert!(deadlines("shards: 1").is_empty());
    // Without a time those stay that have a deadline.
    let known = [
        "statefulset-2 2026-11-22T00:00:00Z",
        "statefulset-3 2026-11-20T00:00:00Z",
    ];
    assert_eq!(deadlines_at(None, &format!("{retain}}}")), known);
}

fn alertmanager(spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: main, namespace: shop, uid: u-1}}\n\
         spec: {{{spec}}}\n"
    )
}

#[test]
fn an_alertmanager_takes_its_configuration_along() {
    let secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: own, namespace: shop}\n\
                  stringData: {alertmanager.yaml: 'route: {receiver: a}', a.tmpl: b}\n";
    let input = format!("{}{secret}", alertmanager("configSecret: own"));
    let output = compile(
        &input,
        &Options {
            reveal_secrets: true,
            ..operator_layout()
        },
    );
    assert_eq!(
        output.workloads[0].config.as_ref().unwrap().text(),
        "route: {receiver: a}"
    );
    let files = files(&output);
    assert_eq!(files[0], "secret-alertmanager-main-generated");
    assert_eq!(at(object(&output, files[0]), "data/a.tmpl"), "\"Yg==\"");
    let hidden = compile(&input, &operator_layout());
    assert!(
        hidden.workloads[0]
            .config
            .as_ref()
            .unwrap()
            .text()
            .contains("<redacted:shop/own/alertmanager.yaml>")
    );
}

#[test]
fn a_lonely_alertmanager_listens_to_nobody_and_has_no_probes_on_the_loopback() {
    let container = "spec/template/spec/containers/0";
    let output = compile(
        &alertmanager("listenLocal: true, replicas: -1, portName: ''"),
        &operator_layout(),
    );
    let set = object(&output, "statefulset");
    assert_eq!(at(set, "spec/replicas"), "0");
    assert_eq!(at(set, &format!("{container}/readinessProbe")), "");
    assert_eq!(
        at(set, &format!("{container}/ports/0/name")),
        "\"mesh-tcp\""
    );
    let lonely = compile(&alertmanager("replicas: 1"), &operator_layout());
    let args = at(object(&lonely, "statefulset"), &format!("{container}/args"));
    assert!(args.contains("\"--cluster.listen-address=\""), "{args}");
}

#[test]
fn an_alertmanager_ends_where_the_operator_stops() {
    let error = |spec: &str| {
        let output = compile(&alertmanager(spec), &operator_layout());
        (
            output.workloads[0].error.clone().unwrap(),
            output.workloads[0].objects.len(),
        )
    };
    let clash = "can't set arguments which are already managed by the operator: data.retention";
    let arguments = error("additionalArgs: [{name: data.retention, value: 1h}]");
    assert_eq!(
        arguments,
        (format!("failed to generate statefulset: {clash}"), 5)
    );
    let version =
        "provision alertmanager configuration: unsupported Alertmanager version \"v1.0.0\"";
    assert_eq!(error("version: v1.0.0"), (version.to_owned(), 0));
    let (message, n_objects) = error("clusterTLS: {client: {}, server: {certFile: a, keyFile: b}}");
    assert!(
        message.ends_with("invalid client TLS configuration: certificate is required"),
        "{message}"
    );
    assert_eq!(n_objects, 3);
}

#[test]
fn alertmanager_configs_are_checked() {
    let config = |name: &str, spec: &str| {
        format!(
            "---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\n\
             metadata: {{name: {name}, namespace: shop}}\nspec: {{{spec}}}\n"
        )
    };
    let input = [
        alertmanager("alertmanagerConfigSelector: {}"),
        config("a", "receivers: [{name: r}], route: {receiver: r, routes: [{receiver: x}]}"),
        config("b", "receivers: [{name: r, webhookConfigs: [{url: 'http://'}]}], route: {receiver: r}"),
        config("c", "receivers: [{name: r, slackConfigs: [{apiURL: {name: s, key: k}}]}], route: {receiver: r}"),
        config("d", "route: {}"),
        config("e", "inhibitRules: []"),
    ]
    .concat();
    let output = compile(
        &input,
        &Options {
            assume: Assume::Missing,
            ..operator_layout()
        },
    );
    let resources = &output.workloads[0].selected.kinds[0].resources;
    let verdicts: Vec<_> = resources
        .iter()
        .map(|r| r.refusal.as_ref().map_or("", |r| r.message.as_str()))
        .collect();
    let url = "invalid 'url': validate url from string failed with error: missing host for URL";
    let expected = [
        "route[0]: receiver \"x\" not found",
        &format!("failed to validate receiver \"r\": 'webhookConfigs'[0]: {url}"),
        "unable to get secret \"s\": secrets \"s\" not found",
        "root route must define a receiver",
        "",
    ];
    assert_eq!(verdicts, expected);
    assert!(
        output.workloads[0].config.is_some(),
        "nothing is added to it"
    );
}

#[test]
fn a_managed_identity_may_do_without_the_id_of_a_client() {
    let spec = "serviceMonitorSelector: {}, remoteWrite: [{url: 'http://a', azureAd: {managedIdentity: {}}}]";
    let output = compile(&server(spec), &operator_layout());
    let config = output.workloads[0]
        .config
        .as_ref()
        .expect("a configuration");
    assert!(
        config
            .text()
            .contains("  azuread:\n    managed_identity: {}\n"),
        "{}",
        config.text()
    );
}
