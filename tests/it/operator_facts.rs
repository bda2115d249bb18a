//! Behaviour of the operator that no recorded answer beside the project shows, through the library.

use promgen::{Assume, Input, Layout, Options, Output};
use promgen_compile::output::Workload;
use promgen_resources::gates::Target;
use promgen_text::version::Version;
use promgen_text::yaml::{Value, emit};

const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {k: v}\n";

/// A workload of that kind and spec, with further documents beside it.
fn compile(kind: &str, spec: &str, more: &str) -> Output {
    compile_as("v0.94.1", kind, spec, more)
}

/// The same, as a release of the operator compiles it.
fn compile_as(operator: &str, kind: &str, spec: &str, more: &str) -> Output {
    let version = if kind == "PrometheusAgent" {
        "v1alpha1"
    } else {
        "v1"
    };
    let text = format!(
        "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: main, namespace: shop}}\n\
         spec: {{{spec}}}\n---\n{SECRET}---\n{more}\n"
    );
    let target = Target {
        operator: Version::parse(operator),
        ..Target::default()
    };
    let options = Options {
        target,
        assume: Assume::Missing,
        layout: Layout::Operator,
        reveal_secrets: true,
        ..Options::default()
    };
    crate::support::compile(&[Input::new("in.yaml", &*text)], &options)
}

fn server(spec: &str) -> Output {
    compile(
        "Prometheus",
        &format!("serviceMonitorSelector: {{}}, {spec}"),
        "",
    )
}

fn agent(spec: &str) -> Output {
    compile(
        "PrometheusAgent",
        &format!("serviceMonitorSelector: {{}}, {spec}"),
        "",
    )
}

fn ruler(spec: &str) -> Output {
    compile(
        "ThanosRuler",
        &format!("queryEndpoints: [http://query], ruleSelector: {{}}, {spec}"),
        RULE,
    )
}

/// A rule: a ruler without any has no reloader.
const RULE: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: shop}\n\
                    spec: {groups: [{name: g, rules: [{record: a, expr: b}]}]}\n";

fn monitor(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: m, namespace: shop}}\nspec: {{{spec}}}\n"
    )
}

fn workload(output: &Output) -> &Workload {
    output
        .workloads
        .first()
        .unwrap_or_else(|| panic!("{:?}", output.diagnostics))
}

fn error(output: &Output) -> &str {
    workload(output).error.as_deref().unwrap_or_default()
}

fn config(output: &Output) -> &str {
    let config = workload(output).config.as_ref();
    config.map_or_else(|| panic!("{}", error(output)), |config| config.text())
}

/// The first workload object as JSON, in which texts are looked for.
fn set(output: &Output) -> String {
    let is_set = |file: &str| file.starts_with("statefulset") || file == "daemonset";
    let object = workload(output).objects.iter().find(|o| is_set(&o.file));
    emit::to_json(
        &object
            .unwrap_or_else(|| panic!("{}", error(output)))
            .value(),
    )
}

/// The findings with that code: the line that each points at, and its message.
fn findings(output: &Output, code: &str) -> Vec<(String, String)> {
    let of_code = output.diagnostics.iter().filter(|d| d.rule.code == code);
    let marked = |d: &promgen_text::diag::Diagnostic| {
        d.span
            .map_or_else(String::new, |span| output.sources.text(span).to_owned())
    };
    of_code.map(|d| (marked(d), d.message.clone())).collect()
}

fn rejection(output: &Output) -> &str {
    let mut resources = workload(output)
        .selected
        .kinds
        .iter()
        .flat_map(|kind| &kind.resources);
    let refusal = resources.find_map(|resource| resource.refusal.as_ref());
    refusal.map_or("", |refusal| refusal.message.as_str())
}

#[test]
fn an_empty_runtime_stays_empty() {
    assert!(config(&server("runtime: {}")).contains("\nruntime: {}\n"));
    assert!(config(&agent("runtime: {}")).contains("\nruntime: {}\n"));
    assert!(config(&server("runtime: {goGC: 50}")).contains("\nruntime:\n  gogc: 50\n"));
    let old = server("version: v2.52.0, runtime: {}");
    assert!(!config(&old).contains("runtime"));
    assert_eq!(findings(&old, "PG301").len(), 1);
}

#[test]
fn empty_attach_metadata_gives_node_false() {
    let attaches = "    attach_metadata:\n      node: false\n";
    let config_of = |spec: &str, kind: &str, monitor_spec: &str| {
        let output = compile("Prometheus", spec, &monitor(kind, monitor_spec));
        config(&output).to_owned()
    };
    let (services, pods) = ("serviceMonitorSelector: {}", "podMonitorSelector: {}");
    let endpoints = "selector: {}, endpoints: [{port: web}]";
    let pod_endpoints = "selector: {}, podMetricsEndpoints: [{port: web}]";
    assert!(
        config_of(
            services,
            "ServiceMonitor",
            &format!("attachMetadata: {{}}, {endpoints}")
        )
        .contains(attaches)
    );
    assert!(
        config_of(
            pods,
            "PodMonitor",
            &format!("attachMetadata: {{}}, {pod_endpoints}")
        )
        .contains(attaches)
    );
    let class =
        format!("{services}, scrapeClasses: [{{name: a, default: true, attachMetadata: {{}}}}]");
    assert!(config_of(&class, "ServiceMonitor", endpoints).contains(attaches));
    // The monitor's wins, be it empty.
    let class = format!(
        "{services}, scrapeClasses: [{{name: a, default: true, attachMetadata: {{node: true}}}}]"
    );
    assert!(
        config_of(
            &class,
            "ServiceMonitor",
            &format!("attachMetadata: {{}}, {endpoints}")
        )
        .contains(attaches)
    );
    assert!(!config_of(services, "ServiceMonitor", endpoints).contains("attach_metadata"));
    let old = format!("version: v2.30.0, {services}");
    assert!(
        !config_of(
            &old,
            "ServiceMonitor",
            &format!("attachMetadata: {{}}, {endpoints}")
        )
        .contains("attach_metadata")
    );
}

#[test]
fn scrape_classes_are_checked_before_the_configuration_is_made() {
    for (class, message) in [
        (
            "relabelings: [{action: replace}]",
            "invalid relabelings for scrapeClass a: [0]: relabel configuration for replace action needs targetLabel value",
        ),
        (
            "metricRelabelings: [{action: keepequal, sourceLabels: [x], targetLabel: z}]",
            "invalid metric relabelings for scrapeClass a: [0]: keepequal relabel action is only supported from Prometheus version 2.41.0",
        ),
        (
            "tlsConfig: {certFile: /c}",
            "invalid TLS config for scrapeClass a: cannot specify client cert without client key",
        ),
        (
            "authorization: {type: Basic}",
            "invalid authorization for scrapeClass a: authorization type cannot be set to \"basic\", use \"basicAuth\" instead",
        ),
        (
            "authorization: {credentials: {name: s, key: k}, credentialsFile: /c}",
            "invalid authorization for scrapeClass a: authorization can not specify both \"credentials\" and \"credentialsFile\"",
        ),
        (
            "default: true}, {name: b, default: true",
            "multiple default scrape classes defined",
        ),
    ] {
        // What comes later in the operator is wrong as well.
        let spec = format!("version: v2.40.0, scrapeClasses: [{{name: a, {class}}}], otlp: {{}}");
        for output in [server(&spec), agent(&spec)] {
            assert_eq!(
                error(&output),
                format!("failed to parse scrape classes: {message}")
            );
            assert!(workload(&output).config.is_none());
            assert_eq!(findings(&output, "PG502").len(), 1);
        }
    }
    // Monitors are traced all the same.
    let spec = "serviceMonitorSelector: {}, scrapeClasses: [{name: a, relabelings: [{}]}]";
    let endpoints = "selector: {}, endpoints: [{interval: 1s, scrapeTimeout: 2s}]";
    let output = compile("Prometheus", spec, &monitor("ServiceMonitor", endpoints));
    assert!(error(&output).starts_with("failed to parse scrape classes: "));
    assert_eq!(
        rejection(&output),
        "endpoints[0]: scrapeTimeout \"2s\" greater than scrapeInterval \"1s\""
    );
}

#[test]
fn a_scrape_class_is_checked_after_the_version() {
    let output = server("version: v1.8.0, scrapeClasses: [{name: a, relabelings: [{}]}]");
    assert_eq!(error(&output), "unsupported Prometheus version \"v1.8.0\"");
}

#[test]
fn settings_of_the_tsdb_are_checked_whatever_the_version() {
    let threshold = |value: &str, shown: &str| {
        let check = format!(
            "`staleSeriesCompactionThreshold` must be between 0 and 1. The current value is {shown}"
        );
        for version in ["v2.28.0", "v2.40.0", "v3.13.0"] {
            let spec = format!(
                "version: {version}, otlp: {{}}, tsdb: {{staleSeriesCompactionThreshold: {value}}}"
            );
            let server = server(&spec);
            let prefix = "creating config failed: generating config failed";
            assert_eq!(
                error(&server),
                format!("{prefix}: generating storage_settings configuration failed: {check}")
            );
            assert_eq!(findings(&server, "PG502")[0].0, value);
            assert_eq!(error(&agent(&spec)), format!("{prefix}: {check}"));
        }
    };
    threshold("2", "2");
    threshold("'1.5'", "1500m");
    threshold("-1", "-1");
    for value in ["0", "1", "'0.5'", "500m"] {
        assert_eq!(
            error(&server(&format!(
                "tsdb: {{staleSeriesCompactionThreshold: {value}}}"
            ))),
            ""
        );
    }
    for version in ["v2.28.0", "v3.12.0", "v3.13.0"] {
        let spec = |floats: &str| {
            format!(
                "version: {version}, enableFeatures: [a, st-storage], tsdb: {{chunkEncoding: {{floats: {floats}}}}}"
            )
        };
        let end = "chunk encoding \"Xor\" is incompatible with --enable-feature=st-storage (XOR chunks do not store start timestamps)";
        assert!(
            error(&server(&spec("Xor")))
                .ends_with(&format!("storage_settings configuration failed: {end}"))
        );
        assert!(error(&agent(&spec("Xor"))).ends_with(&format!("generating config failed: {end}")));
        assert_eq!(error(&server(&spec("Xor2"))), "");
    }
}

#[test]
fn prefixes_are_escaped_in_urls() {
    let escaped = server("routePrefix: x y");
    assert!(set(&escaped).contains("--reload-url=http://localhost:9090/x%20y/-/reload"));
    assert!(
        set(&escaped).contains("\"x y/-/ready\""),
        "an HTTP probe takes the path unescaped"
    );
    assert!(
        set(&agent("routePrefix: prom/"))
            .contains("--reload-url=http://localhost:9090/prom/-/reload")
    );
    let signal = server("routePrefix: 'prom?', reloadStrategy: ProcessSignal");
    assert!(
        set(&signal)
            .contains("--runtimeinfo-url=http://localhost:9090/prom%3F/api/v1/status/runtimeinfo")
    );
    let local = set(&server("routePrefix: prom, listenLocal: true"));
    assert!(
        local.contains("--fail http://localhost:9090/prom/-/ready;"),
        "{local}"
    );
    assert!(
        local.contains("-O /dev/null http://localhost:9090/prom/-/healthy;"),
        "{local}"
    );
    let alertmanager = compile("Alertmanager", "routePrefix: a b", "");
    assert!(set(&alertmanager).contains("--reload-url=http://localhost:9093/a%20b/-/reload"));
    assert!(
        set(&ruler("routePrefix: a b"))
            .contains("--reload-url=http://localhost:10902/a%20b/-/reload")
    );
    // The operator concatenates the argument of the sidecar.
    let sidecar = set(&server("routePrefix: x y, thanos: {}"));
    assert!(
        sidecar.contains("--prometheus.url=http://localhost:9090x y"),
        "{sidecar}"
    );
}

#[test]
fn the_least_tls_version_of_grpc_is_for_new_versions_of_thanos() {
    let tls = "grpcServerTlsConfig: {minVersion: TLS12}";
    let sidecar = |version: &str| server(&format!("thanos: {{version: {version}, {tls}}}"));
    let ruler = |version: &str| ruler(&format!("version: {version}, {tls}"));
    for (old, new) in [
        (sidecar("v0.36.1"), sidecar("v0.37.0")),
        (ruler("v0.36.1"), ruler("v0.37.0")),
    ] {
        assert!(!set(&old).contains("--grpc-server-tls-min-version"));
        let found = findings(&old, "PG301");
        assert!(
            found.len() == 1 && found[0].1.contains("grpcServerTlsConfig.minVersion"),
            "{found:?}"
        );
        assert!(set(&new).contains("--grpc-server-tls-min-version=1.2"));
        assert_eq!(findings(&new, "PG301"), []);
    }
}

#[test]
fn disabled_compaction_disables_overlapping_compaction() {
    let flag = "--no-storage.tsdb.allow-overlapping-compaction";
    let has = |spec: &str| set(&server(spec)).contains(flag);
    assert!(has(
        "disableCompaction: true, tsdb: {outOfOrderTimeWindow: 1h}"
    ));
    assert!(has(
        "disableCompaction: true, thanos: {}, tsdb: {outOfOrderTimeWindow: 1h}"
    ));
    assert!(has(
        "thanos: {objectStorageConfigFile: /f}, tsdb: {outOfOrderTimeWindow: 1h}"
    ));
    assert!(!has("thanos: {}, tsdb: {outOfOrderTimeWindow: 1h}"));
    assert!(!has("disableCompaction: true"));
    assert!(!has(
        "version: v2.54.0, disableCompaction: true, tsdb: {outOfOrderTimeWindow: 1h}"
    ));
}

#[test]
fn long_names_of_secrets_and_config_maps_give_short_volumes() {
    let name = "x".repeat(80);
    let spec = format!("secrets: [{name}], configMaps: [{name}]");
    for output in [
        server(&spec),
        agent(&spec),
        compile("Alertmanager", &spec, ""),
    ] {
        let set = set(&output);
        assert!(
            set.contains(&format!("\"secret-{}\"", "x".repeat(56))),
            "{set}"
        );
        assert!(
            set.contains(&format!("\"configmap-{}\"", "x".repeat(53))),
            "{set}"
        );
        assert!(
            set.contains(&format!("/secrets/{name}\"")),
            "the folder keeps the name"
        );
    }
}

#[test]
fn tls_settings_are_checked_in_order() {
    let both = "ca: {secret: {name: s, key: k}, configMap: {name: s, key: k}}";
    let endpoint = |tls: &str| {
        let spec = format!("selector: {{}}, endpoints: [{{tlsConfig: {{{tls}}}}}]");
        let output = compile(
            "Prometheus",
            "serviceMonitorSelector: {}",
            &monitor("ServiceMonitor", &spec),
        );
        rejection(&output)
            .strip_prefix("endpoints[0]: tlsConfig: ")
            .unwrap_or_default()
            .to_owned()
    };
    let twice = "ca <secret=s,key=k>: cannot specify both Secret and ConfigMap";
    assert_eq!(
        endpoint(&format!("{both}, keySecret: {{name: s, key: k}}")),
        twice
    );
    assert_eq!(endpoint(&format!("{both}, caFile: /f")), twice);
    let file = "caFile: /f, ca: {secret: {name: s, key: k}}";
    assert_eq!(endpoint(file), "cannot specify both 'caFile' and 'ca'");
    assert_eq!(
        endpoint(&format!("{both}, minVersion: TLS13, maxVersion: TLS10")),
        twice
    );
    let versions = "minVersion: TLS13, maxVersion: TLS10";
    let refused = "maxVersion must more than or equal to minVersion";
    for before in [
        "certFile: /f",
        file,
        "keyFile: /f, keySecret: {name: s, key: k}",
    ] {
        assert_eq!(endpoint(&format!("{before}, {versions}")), refused);
    }
    assert_eq!(
        endpoint("certFile: /f"),
        "cannot specify client cert without client key"
    );
    assert_eq!(endpoint(versions), refused);
    let pod = |tls: &str| {
        let spec = format!("selector: {{}}, podMetricsEndpoints: [{{tlsConfig: {{{tls}}}}}]");
        let output = compile(
            "Prometheus",
            "podMonitorSelector: {}",
            &monitor("PodMonitor", &spec),
        );
        rejection(&output)
            .strip_prefix("endpoint[0]: tlsConfig: ")
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        pod(&format!("{both}, keySecret: {{name: s, key: k}}")),
        twice
    );
    assert_eq!(
        pod("keySecret: {name: s, key: k}"),
        "client key specified without client cert"
    );
    assert_eq!(
        pod(&format!("keySecret: {{name: s, key: k}}, {versions}")),
        refused
    );
    assert_eq!(pod(versions), refused);
}

#[test]
fn the_tls_settings_of_a_scrape_class_are_checked_without_its_files_first() {
    let both = "ca: {secret: {name: s, key: k}, configMap: {name: s, key: k}}";
    let class = |tls: &str| {
        let spec = format!("scrapeClasses: [{{name: c, tlsConfig: {{{tls}}}}}]");
        error(&server(&spec)).to_owned()
    };
    let versions = "maxVersion must more than or equal to minVersion";
    assert!(
        class("minVersion: TLS13, maxVersion: TLS10, caFile: /f, ca: {secret: {name: s, key: k}}")
            .ends_with(versions)
    );
    assert!(
        class(&format!("{both}, caFile: /f")).ends_with("cannot specify both Secret and ConfigMap")
    );
    let files = class("caFile: /f, ca: {secret: {name: s, key: k}}");
    assert!(
        files.ends_with("cannot specify both 'caFile' and 'ca'"),
        "{files}"
    );
}

#[test]
fn the_tls_settings_of_a_probe_are_checked_before_its_oauth2() {
    let probe = |tls: &str, oauth2: &str| {
        let spec = format!(
            "prober: {{url: x}}, targets: {{staticConfig: {{static: [a]}}}}, tlsConfig: {{{tls}}}, oauth2: {{clientId: \
             {{secret: {{name: s, key: k}}}}, clientSecret: {{name: s, key: k}}, tokenUrl: 'http://a', {oauth2}}}"
        );
        let output = compile("Prometheus", "probeSelector: {}", &monitor("Probe", &spec));
        rejection(&output).to_owned()
    };
    let both = "ca: {secret: {name: s, key: k}, configMap: {name: s, key: k}}, keySecret: {name: s, key: k}";
    let no_cert = "tlsConfig: {keySecret: {name: s, key: k}}";
    let invalid = "failed to validate TLS configuration";
    let twice = "ca <secret=s,key=k>: cannot specify both Secret and ConfigMap";
    assert_eq!(
        probe(both, no_cert),
        format!("tlsConfig: {invalid}: {twice}")
    );
    let missing = probe("ca: {secret: {name: none, key: k}}", no_cert);
    assert!(
        missing.starts_with("tlsConfig: failed to get ca"),
        "{missing}"
    );
    let later = probe("insecureSkipVerify: true", no_cert);
    assert_eq!(
        later,
        "oauth2: invalid OAuth2 'tlsConfig': client key specified without client cert"
    );
}

#[test]
fn the_reloader_of_a_ruler_has_no_pull_policy() {
    let policies = |output: &Output| {
        let object = workload(output)
            .objects
            .iter()
            .find(|o| o.file == "statefulset")
            .unwrap();
        let path = ["spec", "template", "spec", "containers"];
        let value = object.value();
        let containers = path.iter().try_fold(&*value, |value, key| value.get(key));
        let Some(Value::Seq(containers)) = containers else {
            panic!("{value:?}")
        };
        let policy = |container: &Value| {
            container
                .get("imagePullPolicy")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        containers.iter().map(policy).collect::<Vec<_>>()
    };
    assert_eq!(
        policies(&ruler("imagePullPolicy: Always")),
        [Some("Always".to_owned()), None]
    );
    assert_eq!(policies(&ruler("")), [None, None]);
}

#[test]
fn null_in_a_map_of_texts_is_dropped_by_the_api_server() {
    let rule = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: shop}\n\
                spec: {groups: [{name: g, rules: [{alert: a, expr: b, labels: {team: , of: x}, annotations: {text: ~}}]}]}\n";
    let output = compile("Prometheus", "ruleSelector: {}", rule);
    let text = &workload(&output).rule_files[0].text;
    assert!(text.contains("    labels:\n      of: x\n"), "{text}");
    assert!(
        !text.contains("team") && !text.contains("annotations"),
        "{text}"
    );
}

#[test]
fn remote_reads_are_named_by_their_place() {
    let output = server(
        "remoteRead: [{url: 'http://a'}, {url: 'http://b', basicAuth: {username: {name: s, key: none}}}]",
    );
    let missing = "key \"none\" in secret \"s\" not found";
    assert_eq!(
        error(&output),
        format!(
            "creating config failed: remoteRead[1]: failed to get basic auth username: {missing}"
        )
    );
}

#[test]
fn a_reference_without_a_name_is_refused() {
    let no_name = "resource name may not be empty";
    let output = server("additionalScrapeConfigs: {name: '', key: k}");
    assert!(
        error(&output).ends_with(&format!(" failed: {no_name}")),
        "{}",
        error(&output)
    );
    let output = server("remoteWrite: [{url: 'http://a', basicAuth: {}}]");
    assert!(
        error(&output).ends_with(&format!("unable to get secret \"\": {no_name}")),
        "{}",
        error(&output)
    );
    let output = compile("Alertmanager", "alertmanagerConfiguration: {}", "");
    assert!(error(&output).ends_with(&format!(
        "failed to get global AlertmanagerConfig: {no_name}"
    )));
}

#[test]
fn settings_that_monitors_share_are_reported_once_and_where_they_stand() {
    let monitors = ["a", "b"].map(|name| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: {name}, namespace: shop}}\n\
             spec: {{selector: {{}}, endpoints: [{{port: web}}, {{port: api}}]}}\n"
        )
    });
    let spec = "version: v2.30.0, serviceMonitorSelector: {}, apiserverConfig: {host: h, noProxy: none, proxyUrl: \
                'http://p', tlsConfig: {minVersion: TLS11, maxVersion: TLS12}}, scrapeClasses: [{name: c, default: true, \
                fallbackScrapeProtocol: PrometheusText1.0.0, attachMetadata: {node: true}, tlsConfig: {minVersion: TLS13}}]";
    let output = compile("Prometheus", spec, &monitors.join("---\n"));
    assert_eq!(error(&output), "");
    let found = findings(&output, "PG301");
    let marked: Vec<&str> = found.iter().map(|(marked, _)| marked.as_str()).collect();
    assert_eq!(
        marked,
        [
            "none",
            "TLS11",
            "TLS12",
            "PrometheusText1.0.0",
            "{node: true}",
            "TLS13"
        ],
        "{found:?}"
    );
    let class = "`spec.scrapeClasses[0].tlsConfig.minVersion` has no effect: requires Prometheus ≥ 2.35.0, this is 2.30.0";
    assert_eq!(found[5].1, class);
}

#[test]
fn settings_of_a_monitor_win_over_its_class_and_are_reported_there() {
    let endpoints = "selector: {}, endpoints: [{tlsConfig: {minVersion: TLS12}}]";
    let spec = "version: v2.30.0, serviceMonitorSelector: {}, scrapeClasses: [{name: c, default: true, tlsConfig: {minVersion: \
                TLS13, caFile: /f}}]";
    let output = compile("Prometheus", spec, &monitor("ServiceMonitor", endpoints));
    let found = findings(&output, "PG301");
    assert!(
        found.len() == 1
            && found[0]
                .1
                .starts_with("`spec.endpoints[0].tlsConfig.minVersion`"),
        "{found:?}"
    );
    assert!(config(&output).contains("    ca_file: /f\n"));
}

#[test]
fn an_authorization_that_crashes_the_operator_is_marked_in_its_class() {
    let spec = "version: v2.25.0, serviceMonitorSelector: {}, scrapeClasses: [{name: c, default: true, authorization: \
                {credentialsFile: /f}}]";
    let output = compile(
        "Prometheus",
        spec,
        &monitor("ServiceMonitor", "selector: {}, endpoints: [{}]"),
    );
    let found = findings(&output, "PG502");
    assert!(found[0].1.contains("PANIC: "), "{found:?}");
    assert_eq!(found[0].0, "{credentialsFile: /f}");
}

#[test]
fn an_agent_tells_no_events_where_it_stops_before_it_selects() {
    let monitors = monitor(
        "ServiceMonitor",
        "selector: {}, endpoints: [{interval: 1s, scrapeTimeout: 2s}]",
    );
    let silent = |kind: &str, spec: &str| {
        let output = compile(
            kind,
            &format!("serviceMonitorSelector: {{}}, {spec}"),
            &monitors,
        );
        assert_eq!(
            rejection(&output),
            "endpoints[0]: scrapeTimeout \"2s\" greater than scrapeInterval \"1s\"",
            "{spec}"
        );
        workload(&output).selected.is_silent
    };
    let class = "scrapeClasses: [{name: a, relabelings: [{}]}]";
    assert!(silent("PrometheusAgent", class) && silent("PrometheusAgent", "version: v1.8.2"));
    assert!(!silent("PrometheusAgent", "logLevel: info") && !silent("Prometheus", class));
}

#[test]
fn a_version_that_does_not_parse_is_padded_as_the_operator_pads_it() {
    let message = "Invalid character(s) found in major number \"0latest\"";
    for output in [
        server("version: latest"),
        agent("version: latest"),
        compile("Alertmanager", "version: latest", ""),
    ] {
        assert!(error(&output).ends_with(message), "{}", error(&output));
    }
}

/// The types of v0.95 say so; what the operator writes is not recorded.
#[test]
fn extra_scrape_metrics_are_a_key_since_3_10_and_a_feature_before() {
    let monitor = monitor(
        "ServiceMonitor",
        "selector: {}, extraScrapeMetrics: false, endpoints: [{port: web}]",
    );
    let of = |operator: &str, version: &str| {
        let spec =
            format!("version: {version}, serviceMonitorSelector: {{}}, extraScrapeMetrics: true");
        let output = compile_as(operator, "Prometheus", &spec, &monitor);
        let is_flag = set(&output).contains("--enable-feature=extra-scrape-metrics");
        let keys: Vec<_> = config(&output)
            .lines()
            .filter(|line| line.contains("extra_scrape_metrics"))
            .collect();
        (
            is_flag,
            keys.iter()
                .map(|line| line.trim().to_owned())
                .collect::<Vec<_>>(),
            findings(&output, "PG301").len(),
        )
    };
    let keys = ["extra_scrape_metrics: true", "extra_scrape_metrics: false"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(of("v0.95.0", "v3.10.0"), (false, keys, 0));
    assert_eq!(of("v0.95.0", "v3.9.0"), (true, Vec::new(), 1));
    assert_eq!(of("v0.95.0", "v2.31.0"), (false, Vec::new(), 2));
    assert_eq!(
        of("v0.94.1", "v3.10.0"),
        (false, Vec::new(), 0),
        "the API server drops the fields"
    );
}

/// An AlertmanagerConfig with a Telegram receiver whose token is a file.
const BOT: &str = "apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {name: bot, namespace: shop}\n\
                   spec: {route: {receiver: a, labels: [{key: team, value: '{{ .x }}'}]}, \
                   receivers: [{name: a, telegramConfigs: [{chatID: 1, botTokenFile: /f}]}]}\n";

#[test]
fn files_of_the_container_are_for_those_whom_the_alertmanager_trusts() {
    let refusal = |operator: &str, spec: &str| {
        let output = compile_as(
            operator,
            "Alertmanager",
            &format!("alertmanagerConfigSelector: {{}}, {spec}"),
            BOT,
        );
        rejection(&output).to_owned() + error(&output)
    };
    let strategy = |name: &str| format!("alertmanagerConfigMatcherStrategy: {{type: {name}}}");
    let mode = |name: &str| format!("alertmanagerConfigFileSystemMode: {name}");
    for allowing in [
        strategy("None"),
        strategy("OnNamespaceExceptForAlertmanagerNamespace"),
        mode("AllowAll"),
        "alertmanagerConfiguration: {name: bot}".to_owned(),
    ] {
        assert_eq!(refusal("v0.95.0", &allowing), "", "{allowing}");
    }
    let denying = format!("{}, {}", mode("DenyAll"), strategy("None"));
    for denying in [
        String::new(),
        strategy("OnNamespace"),
        mode("FromAlertmanagerConfigMatcherStrategy"),
        denying,
    ] {
        assert!(
            refusal("v0.95.0", &denying).contains("'botTokenFile' is a file of the container"),
            "{denying}"
        );
        assert_eq!(refusal("v0.94.1", &denying), "", "{denying}");
    }
    let root = format!(
        "{}, alertmanagerConfiguration: {{name: bot}}",
        mode("DenyAll")
    );
    assert!(
        refusal("v0.95.0", &root)
            .starts_with("provision alertmanager configuration: failed to initialize from global")
    );
}

#[test]
fn labels_of_routes_and_the_bot_of_all_receivers_came_with_v0_95() {
    let of = |operator: &str, version: &str| {
        let global = "global: {telegram: {botToken: {name: s, key: k}}}";
        let spec =
            format!("version: {version}, alertmanagerConfiguration: {{name: bot, {global}}}");
        let output = compile_as(operator, "Alertmanager", &spec, BOT);
        let text = config(&output);
        (
            text.contains("labels:\n    team: '{{ .x }}'\n"),
            text.contains("telegram_bot_token: v\n"),
        )
    };
    assert_eq!(of("v0.95.2", "v0.34.0"), (true, true));
    assert_eq!(of("v0.95.2", "v0.33.1"), (false, true));
    assert_eq!(of("v0.95.2", "v0.30.0"), (false, false));
    assert_eq!(of("v0.94.1", "v0.34.0"), (false, false));
}

#[test]
fn v0_95_refuses_webex_without_authorization_and_repairs_the_conversion() {
    let of = |operator: &str, version: &str, receiver: &str| {
        let config = format!(
            "apiVersion: monitoring.coreos.com/{version}\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: shop}}\n\
             spec: {{route: {{receiver: a}}, receivers: [{{name: a, {receiver}}}]}}\n"
        );
        let output = compile_as(
            operator,
            "Alertmanager",
            "alertmanagerConfigSelector: {}",
            &config,
        );
        let codes: Vec<&str> = output
            .diagnostics
            .iter()
            .map(|d| &*d.rule.code)
            .filter(|code| *code < "PG4")
            .collect();
        codes.join(" ")
    };
    let webex = |http: &str| {
        format!("webexConfigs: [{{roomID: r, apiURL: 'http://a', httpConfig: {http}}}]")
    };
    assert_eq!(of("v0.95.0", "v1alpha1", &webex("{}")), "PG014");
    assert_eq!(of("v0.94.1", "v1alpha1", &webex("{}")), "");
    assert_eq!(
        of(
            "v0.95.0",
            "v1beta1",
            &webex("{bearerTokenSecret: {name: s, key: k}}")
        ),
        ""
    );
    let mail = "emailConfigs: [{to: a@b.c, from: a@b.c, smarthost: 'h:25'}]";
    assert_eq!(
        (
            &*of("v0.94.1", "v1beta1", mail),
            &*of("v0.95.0", "v1beta1", mail)
        ),
        ("PG022", "")
    );
    let phone =
        "pushoverConfigs: [{userKey: {name: s, key: k}, token: {name: s, key: k}, ttl: 5m}]";
    assert_eq!(
        (
            &*of("v0.94.1", "v1beta1", phone),
            &*of("v0.95.0", "v1beta1", phone)
        ),
        ("PG307", "")
    );
    let bad = "web: {tlsConfig: {keySecret: {name: s, key: k}, cert: {secret: {name: s, key: k}}, clientAuthType: None}}";
    let codes = |operator: &str| {
        let found = compile_as(operator, "Alertmanager", bad, "").diagnostics;
        found.iter().any(|d| d.rule.code == "PG013")
    };
    assert_eq!([codes("v0.94.1"), codes("v0.95.0")], [false, true]);
}

#[test]
fn a_share_of_the_volume_limits_the_samples() {
    let of = |spec: &str| {
        let output = server(spec);
        let text = config(&output)
            .split_once("retention:")
            .map(|(_, rest)| rest.to_owned())
            .unwrap_or_default();
        text.lines()
            .skip(1)
            .take_while(|line| line.starts_with("      "))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("retentionPercentage: 85"), ["percentage: 85"]);
    assert_eq!(
        of("retentionPercentage: '82.5', retention: 2d"),
        ["time: 2d", "percentage: 82.5"]
    );
    assert_eq!(of("retentionPercentage: 0"), ["time: 24h", "percentage: 0"]);
    let old = server("version: v3.10.0, retentionPercentage: 85");
    assert_eq!(findings(&old, "PG301").len(), 1);
    assert!(set(&old).contains("--storage.tsdb.retention.time=24h"));
}

#[test]
fn an_alertmanager_has_another_name_among_its_peers() {
    let args = |version: &str| {
        let spec =
            format!("version: {version}, replicas: 2, clusterPeerName: $(POD_NAME).$(NAMESPACE)");
        set(&compile("Alertmanager", &spec, ""))
    };
    assert!(args("v0.30.0").contains("--cluster.peer-name=$(POD_NAME).$(NAMESPACE)"));
    assert!(!args("v0.29.0").contains("--cluster.peer-name"));
}
