//! Thanos Rulers, through the library: what no recorded answer shows.

use promgen::{Assume, Input, Layout, Options, Output};
use promgen_text::yaml::Value;

/// A ruler of that spec, with further documents beside it.
fn compile(spec: &str, more: &str) -> Output {
    let text = format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: ThanosRuler\nmetadata: {{name: main, namespace: shop}}\n\
         spec: {{{spec}}}\n---\n{more}\n"
    );
    let options = Options {
        assume: Assume::Missing,
        layout: Layout::Operator,
        reveal_secrets: true,
        ..Options::default()
    };
    crate::support::compile(&[Input::new("in.yaml", &*text)], &options)
}

/// A ruler that reads from somewhere.
fn ruler(spec: &str) -> Output {
    compile(&format!("queryEndpoints: [http://query], {spec}"), "")
}

fn error(output: &Output) -> &str {
    output.workloads[0].error.as_deref().unwrap_or_default()
}

fn object(output: &Output, file: &str) -> &'static Value {
    let objects = &output.workloads[0].objects;
    let object = objects
        .iter()
        .find(|o| o.file == file)
        .unwrap_or_else(|| panic!("{file}: {:?}", error(output)));
    Box::leak(Box::new(object.value().into_owned()))
}

/// What stands at a path of keys and indexes.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('/')
        .try_fold(value, |value, key| match (value, key.parse::<usize>()) {
            (Value::Seq(items), Ok(index)) => items.get(index),
            _ => value.get(key),
        })
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Seq(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The arguments of a container, less those that every ruler has.
fn args(output: &Output, container: usize) -> Vec<&str> {
    const ALWAYS: [&str; 6] = [
        "rule",
        "--data-dir",
        "--eval",
        "--tsdb",
        "--label=thanos",
        "--alert.label-drop=thanos",
    ];
    let path = format!("spec/template/spec/containers/{container}/args");
    let args = texts(at(object(output, "statefulset"), &path)).into_iter();
    args.filter(|arg| !ALWAYS.iter().any(|start| arg.starts_with(start)))
        .collect()
}

/// The remote write, as it is in its Secret.
fn remote_write(output: &Output) -> String {
    use base64::Engine as _;
    let value = at(
        object(output, "secret-thanos-ruler-main-config"),
        "data/remote-write.yaml",
    );
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(value.and_then(Value::as_str).unwrap())
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

fn found(output: &Output, code: &str) -> Vec<String> {
    output
        .diagnostics
        .iter()
        .filter(|d| d.rule.code == code)
        .map(|d| d.message.clone())
        .collect()
}

#[test]
fn every_field_has_its_argument() {
    let output = compile(
        "queryConfig: {name: q, key: a/../query.yaml}, queryEndpoints: [unused], ruleQueryOffset: 1m, \
         ruleConcurrentEval: 2, ruleOutageTolerance: 1h, ruleGracePeriod: 2m, resendDelay: 3m, enableFeatures: [a, b], \
         listenLocal: true, logLevel: info, logFormat: logfmt, alertmanagersConfig: {name: am, key: am.yaml}, \
         alertmanagersUrl: [unused], objectStorageConfig: {name: s3, key: s3.yaml}, tracingConfig: {name: t, key: t}, \
         alertRelabelConfigs: {name: r, key: r.yaml}, externalPrefix: /ext, routePrefix: /route/, \
         alertQueryUrl: http://global, grpcServerTlsConfig: {curves: [X25519, P256]}",
        "",
    );
    let expected = [
        "--rule-query-offset=1m",
        "--rule-concurrent-evaluation=2",
        "--for-outage-tolerance=1h",
        "--for-grace-period=2m",
        "--resend-delay=3m",
        "--enable-feature=a,b",
        "--http-address=localhost:10902",
        "--log.format=logfmt",
        "--rule-file=/etc/thanos/rules/*/*.yaml",
        "--query.config-file=/etc/thanos/config/query-config/query.yaml",
        "--alertmanagers.config-file=/etc/thanos/config/alertmanager-config/am.yaml",
        "--objstore.config-file=/etc/thanos/config/objstorage-config/s3.yaml",
        "--tracing.config-file=/etc/thanos/config/tracing-config/t",
        "--alert.relabel-config-file=/etc/thanos/config/alertrelabel-config/r.yaml",
        "--grpc-server-tls-curves=X25519",
        "--grpc-server-tls-curves=P256",
        "--web.external-prefix=/ext",
        "--web.route-prefix=/route/",
        "--alert.query-url=http://global",
        "--http.config=/etc/thanos/web_config/web-config.yaml",
    ];
    assert_eq!(args(&output, 0), expected);
    let reloader = args(&output, 1);
    assert!(
        reloader.contains(&"--listen-address=localhost:8080"),
        "{reloader:?}"
    );
    assert!(
        reloader.contains(&"--reload-url=http://localhost:10902/route/-/reload"),
        "{reloader:?}"
    );
    let ports = at(
        object(&output, "statefulset"),
        "spec/template/spec/containers/0/ports",
    );
    assert!(matches!(ports, Some(Value::Seq(ports)) if ports.len() == 1));
}

#[test]
fn files_win_over_secrets() {
    let output = ruler(
        "objectStorageConfigFile: /s3, objectStorageConfig: {name: s, key: k}, tracingConfigFile: /t, \
         tracingConfig: {name: s, key: k}, alertRelabelConfigFile: /r, alertRelabelConfigs: {name: s, key: k}",
    );
    let expected = [
        "--objstore.config-file=/s3",
        "--tracing.config-file=/t",
        "--alert.relabel-config-file=/r",
    ];
    assert_eq!(args(&output, 0)[2..5], expected);
}

#[test]
fn what_an_old_version_lacks_is_left_out_and_told() {
    let output = ruler(
        "version: v0.20.0, ruleQueryOffset: 1m, ruleOutageTolerance: 1h, grpcServerTlsConfig: {cipherSuites: [A]}, \
         web: {tlsConfig: {keyFile: /k, certFile: /c}}",
    );
    assert_eq!(
        args(&output, 0),
        [
            "--rule-file=/etc/thanos/rules/*/*.yaml",
            "--query=http://query"
        ]
    );
    assert!(args(&output, 1).contains(&"--reload-url=http://localhost:10902/-/reload"));
    let ignored = found(&output, "PG301");
    for (field, since) in [
        ("ruleQueryOffset", "0.38.0"),
        ("ruleOutageTolerance", "0.30.0"),
        ("grpcServerTlsConfig.cipherSuites", "0.42.0"),
        ("web.tlsConfig", "0.21.0"),
    ] {
        let message =
            format!("`spec.{field}` has no effect: requires Thanos ≥ {since}, this is 0.20.0");
        assert!(ignored.contains(&message), "{ignored:?}");
    }
    let output = ruler("version: v0.21.0, web: {tlsConfig: {keyFile: /k, certFile: /c}}");
    assert!(args(&output, 1).contains(&"--reload-url=https://localhost:10902/-/reload"));
}

#[test]
fn the_operator_stops_with_its_own_words() {
    let requirement =
        "thanos ruler requires query config or at least one query endpoint to be specified";
    assert_eq!(
        error(&compile("queryEndpoints: []", "")),
        format!("failed to generate statefulset: main: {requirement}")
    );
    let cases = [
        (
            "additionalArgs: [{name: query, value: x}]",
            "failed to generate statefulset: can't set arguments which are already managed by the operator: query",
        ),
        (
            "serviceName: mine",
            "failed to get custom governing service shop/mine: services \"mine\" not found",
        ),
        (
            "web: {tlsConfig: {keyFile: /k}}",
            "failed to synchronize web config secret: failed to initialize the web config: TLS certificate must be defined",
        ),
        (
            "version: latest",
            "initializing PrometheusRules failed: failed to parse version: Invalid character(s) found in major number \"0latest\"",
        ),
        (
            "ruleSelector: {matchExpressions: [{key: a, operator: Is}]}",
            "initializing PrometheusRules failed: convert rule label selector to selector: \"Is\" is not a valid label selector operator",
        ),
        (
            "version: 0.23.1, remoteWrite: [{url: http://a}]",
            "failed to synchronize ruler config secret: thanos remote-write configuration requires at least version \"0.24.0\": current version \"0.23.1\"",
        ),
        (
            "version: 0.39.0, remoteWrite: [{url: http://a, azureAd: {managedIdentity: {}}}]",
            "failed to synchronize ruler config secret: remoteWrite[0]: azureAD.managedIdentity.clientId is required with Thanos < 0.40.0, current = 0.39.0",
        ),
        (
            "remoteWrite: [{url: http://a, oauth2: null, basicAuth: {username: {name: s, key: k}}}]",
            "failed to synchronize ruler config secret: remoteWrite[0]: failed to get basic auth username: unable to get secret \"s\": secrets \"s\" not found",
        ),
        (
            "remoteWrite: [{url: http://a, azureAd: {workloadIdentity: {clientId: a, tenantId: b}}}]",
            "failed to synchronize ruler config secret: remoteWrite[0]: must provide Azure Managed Identity, Azure OAuth, Azure SDK, or Azure Workload Identity in the Azure AD config",
        ),
    ];
    for (spec, expected) in cases {
        assert_eq!(error(&ruler(spec)), expected, "{spec}");
    }
}

#[test]
fn what_was_written_before_an_error_is_there() {
    let output = ruler("remoteWrite: [{url: http://a, basicAuth: {}}]");
    let files: Vec<_> = output.workloads[0]
        .objects
        .iter()
        .map(|o| o.file.as_str())
        .collect();
    assert_eq!(files, ["configmap-thanos-ruler-main-rulefiles-0"]);
    assert_eq!(output.workloads[0].web_config, None);
}

#[test]
fn remote_write_is_what_thanos_knows_of_it_whatever_prometheus_knows() {
    assert_eq!(remote_write(&ruler("")), "remote_write: []\n");
    let spec = "remoteWrite: [{url: http://a, messageVersion: V2.0, roundRobinDNS: true, sendNativeHistograms: true, \
                noProxy: b, proxyUrl: http://c, tlsConfig: {minVersion: TLS12, maxVersion: TLS13}, \
                queueConfig: {maxRetries: 3, sampleAgeLimit: 1h}, \
                sigv4: {region: d, roleArn: e, externalId: f}}]";
    let output = ruler(spec);
    let text = "remote_write:\n- url: http://a\n  protobuf_message: io.prometheus.write.v2.Request\n\
                \x20 send_native_histograms: true\n  tls_config:\n    min_version: TLS12\n    max_version: TLS13\n\
                \x20 proxy_url: http://c\n  no_proxy: b\n  sigv4:\n    region: d\n    role_arn: e\n\
                \x20 queue_config:\n    max_retries: 3\n    sample_age_limit: 1h\n  round_robin_dns: true\n";
    assert_eq!(remote_write(&output), text);
    let unused = found(&output, "PG302");
    assert_eq!(
        unused,
        ["`spec.remoteWrite[0].sigv4.externalId` has no effect: no version of Thanos supports it"]
    );
    let old = ruler(&format!("version: v0.24.0, {spec}"));
    // The operator means to leave out the message, native histograms, `no_proxy` and round robin, and does not.
    let text = "remote_write:\n- url: http://a\n  protobuf_message: io.prometheus.write.v2.Request\n\
                \x20 send_native_histograms: true\n  tls_config: {}\n  proxy_url: http://c\n  no_proxy: b\n\
                \x20 sigv4:\n    region: d\n    role_arn: e\n  queue_config:\n    max_retries: 3\n\
                \x20 round_robin_dns: true\n";
    assert_eq!(remote_write(&old), text);
    assert_eq!(found(&old, "PG301").len(), 3);
}

#[test]
fn certificates_of_remote_write_are_put_into_a_secret() {
    let text = "apiVersion: monitoring.coreos.com/v1\nkind: ThanosRuler\nmetadata: {name: main, namespace: shop}\n\
                spec: {queryEndpoints: [a], remoteWrite: [{url: http://a, tlsConfig: {ca: {secret: {name: s, key: k}}}}]}";
    let output = crate::support::compile(&[Input::new("in.yaml", text)], &Options::default());
    assert!(
        at(
            object(&output, "secret-thanos-ruler-main-tls-assets-0"),
            "stringData/0_shop_s_k"
        )
        .is_some()
    );
}

#[test]
fn some_metadata_of_pods_is_reserved() {
    let output = ruler(
        "podMetadata: {labels: {thanos-ruler: x, a: b}, \
         annotations: {kubectl.kubernetes.io/default-container: x, c: d}}",
    );
    let set = object(&output, "statefulset");
    for place in ["metadata", "spec/template/metadata"] {
        let labels = at(set, &format!("{place}/labels")).unwrap();
        assert_eq!(
            (labels.get("thanos-ruler"), labels.get("a")),
            (Some(&"main".into()), Some(&"b".into())),
            "{place}"
        );
    }
    assert_eq!(at(set, "spec/selector/matchLabels/a"), Some(&"b".into()));
    let annotations = at(set, "spec/template/metadata/annotations").unwrap();
    assert_eq!(
        annotations.get("kubectl.kubernetes.io/default-container"),
        Some(&"thanos-ruler".into())
    );
}

#[test]
fn the_status_tells_of_old_fields_unless_nothing_is_selected() {
    let rules = "{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r, namespace: shop}, spec: {}}";
    let old = "queryEndpoints: [a], prometheusRulesExcludedFromEnforce: [{ruleName: a, ruleNamespace: b}]";
    let reconciled = |output: &Output| {
        let condition = at(&output.workloads[0].status, "conditions/1").unwrap();
        ["reason", "message"].map(|key| {
            condition
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        })
    };
    let [reason, message] = reconciled(&compile(&format!("{old}, ruleSelector: {{}}"), rules));
    assert_eq!(reason, "DeprecatedFieldsInUse");
    let instead = "field \"spec.excludedFromEnforcement\" should be used instead";
    assert_eq!(
        message,
        format!("field \"spec.prometheusRulesExcludedFromEnforce\" is deprecated, {instead}")
    );
    let [reason, message] = reconciled(&compile(old, rules));
    assert_eq!(
        (reason.as_str(), message.as_str()),
        (
            "NoSelectedResources",
            "No PrometheusRule have been selected."
        )
    );
    assert_eq!(
        reconciled(&compile(&format!("{old}, paused: true"), rules)),
        ["", ""]
    );
}
