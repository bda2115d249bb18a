//! Tests of the family.

use crate::checks::found::found;
use crate::lint::lint;
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::diag::format::text::{Style, render};
use promgen_text::diag::format::{github, json, junit, markdown, sarif};
use promgen_text::source::Input;

fn manifest(kind: &str, spec: &str) -> String {
    let version = if kind == "PrometheusAgent" {
        "v1alpha1"
    } else {
        "v1"
    };
    format!(
        "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: k}}\nspec: {{{spec}}}\n"
    )
}

/// The levels of a rule's findings.
fn levels(code: &str, kind: &str, spec: &str) -> Vec<String> {
    let told = found(&[code], &manifest(kind, spec));
    told.iter()
        .filter_map(|line| line.split(' ').nth(1).map(str::to_owned))
        .collect()
}

#[test]
fn data_without_storage_is_told_as_far_as_it_is_lost() {
    for (kind, spec, expected) in [
        ("Prometheus", "", Some("info")),
        ("Prometheus", "retention: 30d", Some("warning")),
        ("Prometheus", "retention: 1w", Some("warning")),
        ("Prometheus", "retention: 2d", Some("info")),
        ("Prometheus", "retentionSize: 1GB", Some("info")),
        (
            "Prometheus",
            "retention: 30d, remoteWrite: [{url: 'http://a'}]",
            Some("info"),
        ),
        (
            "Prometheus",
            "retention: 30d, thanos: {objectStorageConfig: {name: a, key: b}}",
            Some("info"),
        ),
        ("Prometheus", "retention: 30d, thanos: {}", Some("warning")),
        (
            "Prometheus",
            "retention: 30d, storage: {emptyDir: {}}",
            None,
        ),
        (
            "Prometheus",
            "volumes: [{name: prometheus-k-db, emptyDir: {}}]",
            None,
        ),
        ("PrometheusAgent", "", Some("info")),
        ("PrometheusAgent", "mode: DaemonSet", None),
        ("Alertmanager", "", Some("info")),
        ("Alertmanager", "replicas: 2", None),
        ("ThanosRuler", "queryEndpoints: [a]", Some("info")),
        (
            "ThanosRuler",
            "queryEndpoints: [a], remoteWrite: [{url: 'http://a'}]",
            None,
        ),
    ] {
        assert_eq!(
            levels("PG511", kind, spec),
            Vec::from_iter(expected),
            "{kind} {spec}"
        );
    }
}

#[test]
fn a_storage_class_is_missing_if_a_dump_says_so() {
    let class = |name: &str, more: &str| {
        format!(
            "---\n{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: {name}{more}}}}}\n"
        )
    };
    let told = |kind: &str, classes: &str| {
        let spec = "storage: {volumeClaimTemplate: {spec: {storageClassName: fast-sdd}}}, queryEndpoints: [a]";
        let told = found(
            &["PG502", "PG528"],
            &format!("{}{classes}", manifest(kind, spec)),
        );
        told.iter()
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let uid = ", uid: a";
    for kind in [
        "Prometheus",
        "PrometheusAgent",
        "Alertmanager",
        "ThanosRuler",
    ] {
        assert!(
            told(kind, "").is_empty() && told(kind, &class("archive", "")).is_empty(),
            "{kind}"
        );
        assert_eq!(
            told(kind, &class("archive", uid)),
            ["PG502 error"],
            "{kind}"
        );
        assert_eq!(
            told(kind, &class("fast-ssd", "")),
            ["PG528 warning"],
            "{kind}"
        );
    }
    let mixed = class("archive", uid) + &class("gold", "");
    assert!(
        told("Prometheus", &mixed).is_empty(),
        "a manifest among them: they are not all"
    );
    assert!(
        told(
            "Prometheus",
            &(class("fast-ssd", "") + &class("fast-sdd", ""))
        )
        .is_empty(),
        "both are there"
    );
}

#[test]
fn memory_may_be_asked_for_by_request_limit_or_patch() {
    for (kind, spec, n_found) in [
        ("Prometheus", "", 1),
        ("Prometheus", "resources: {requests: {cpu: 1}}", 1),
        ("PrometheusAgent", "", 1),
        ("Prometheus", "resources: {limits: {memory: 1Gi}}", 0),
        (
            "Prometheus",
            "containers: [{name: prometheus, resources: {requests: {memory: 1Gi}}}]",
            0,
        ),
        (
            "Prometheus",
            "containers: [{name: other, image: a, resources: {requests: {memory: 1Gi}}}]",
            1,
        ),
        ("Alertmanager", "", 0),
        ("ThanosRuler", "queryEndpoints: [a]", 0),
    ] {
        assert_eq!(levels("PG512", kind, spec).len(), n_found, "{kind} {spec}");
    }
}

#[test]
fn replicas_that_keep_apart_need_a_zone_each() {
    let apart = |label: &str, node: &str| {
        format!(
            "replicas: 3, {node}affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
             [{{topologyKey: topology.kubernetes.io/zone, labelSelector: {{matchLabels: {{{label}}}}}}}]}}NODES}}"
        )
    };
    let told = |kind: &str, spec: &str, nodes: &str| {
        found(&["PG224"], &manifest(kind, &spec.replace("NODES", nodes)))
    };
    let (one, label) = (
        "nodeSelector: {topology.kubernetes.io/zone: a}, ",
        "alertmanager: k",
    );
    let pinned = told("Alertmanager", &apart(label, one), "");
    assert!(
        pinned[0].contains("they may run in \"a\" alone: 2 stay pending"),
        "{pinned:?}"
    );
    let nodes = |zones: &str| {
        format!(
            ", nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: \
             [{{matchExpressions: [{{key: topology.kubernetes.io/zone, operator: In, values: [{zones}]}}]}}]}}}}"
        )
    };
    let two = told("Alertmanager", &apart(label, ""), &nodes("b, a"));
    assert!(
        two[0].contains("they may run in \"a\" or \"b\" alone: 1 stays pending"),
        "{two:?}"
    );
    assert!(told("Alertmanager", &apart(label, ""), &nodes("a, b, c")).is_empty());
    assert!(
        told("Alertmanager", &apart(label, ""), "").is_empty(),
        "any zone will do"
    );
    assert!(
        told("Alertmanager", &apart("alertmanager: other", one), "").is_empty(),
        "they keep from others"
    );
    assert_eq!(
        told("Prometheus", &apart("prometheus: k", one), "").len(),
        1
    );
}

#[test]
fn a_line_break_behind_a_credential_is_told() {
    let text = |value: &str, field: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{t: {value}}}\n---\n{}",
            manifest(
                "Prometheus",
                &format!("remoteWrite: [{{url: 'http://a', {field}}}]")
            )
        )
    };
    let told = |value: &str, field: &str| found(&["PG527"], &text(value, field));
    let (token, password) = (
        "authorization: {credentials: {name: login, key: t}}",
        "basicAuth: {password: {name: login, key: t}}",
    );
    let line = told(r#""x\n""#, token);
    assert!(
        line[0].contains("the key `t` of Secret default/login ends with a line break: no request"),
        "{line:?}"
    );
    assert!(told(r#""x\n""#, password)[0].contains("it is sent with that"));
    for value in ["x", r#""x\ny\n""#, r#""\n""#] {
        assert!(told(value, token).is_empty(), "{value}");
    }
    assert!(
        told(
            r#""x\n""#,
            "authorization: {credentials: {name: login, key: u}}"
        )
        .is_empty()
    );
}

#[test]
fn only_a_single_alertmanager_is_told() {
    for (spec, n_found) in [
        ("", 1),
        ("replicas: 1", 1),
        ("replicas: 2", 0),
        ("replicas: 3", 0),
        ("replicas: 0", 0),
        ("additionalPeers: ['a:9094']", 0),
        ("forceEnableClusterMode: true", 0),
    ] {
        assert_eq!(
            levels("PG513", "Alertmanager", spec).len(),
            n_found,
            "{spec}"
        );
    }
}

#[test]
fn sizes_are_compared_to_the_byte() {
    let claim = |kept: &str, size: &str| {
        let claim = format!(
            "volumeClaimTemplate: {{spec: {{resources: {{requests: {{storage: {size}}}}}}}}}"
        );
        format!("retentionSize: {kept}, storage: {{{claim}}}")
    };
    for (kept, size, expected) in [
        ("50GB", "50Gi", Some("warning")),
        ("50GiB", "50G", Some("warning")),
        ("100B", "'100'", Some("warning")),
        ("86B", "'100'", Some("info")),
        ("85B", "'100'", None),
        ("1EB", "8Ei", None),
        ("'0'", "50Gi", None),
    ] {
        assert_eq!(
            levels("PG514", "Prometheus", &claim(kept, size)),
            Vec::from_iter(expected),
            "{kept} {size}"
        );
    }
    let ephemeral = "retentionSize: 1GB, storage: {ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1G}}}}}}";
    assert_eq!(levels("PG514", "Prometheus", ephemeral), ["warning"]);
    let folder = "retentionSize: 1GB, storage: {emptyDir: {sizeLimit: 1Gi}}";
    assert_eq!(levels("PG514", "Prometheus", folder), ["warning"]);
    assert_eq!(
        levels(
            "PG514",
            "Prometheus",
            "retentionSize: 1GB, storage: {emptyDir: {}}"
        ),
        Vec::<String>::new()
    );
}

#[test]
fn queues_are_told_where_there_are_shards() {
    let told = found(
        &["PG515"],
        &manifest(
            "PrometheusAgent",
            "shards: 3, replicas: 2, remoteWrite: [{url: 'http://a'}]",
        ),
    );
    assert!(
        told.len() == 1 && told[0].contains("6 pods of PrometheusAgent default/k send samples"),
        "{told:?}"
    );
    for spec in [
        "remoteWrite: [{url: 'http://a'}]",
        "shards: 3, remoteWrite: [{url: 'http://a', queueConfig: {maxShards: 5}}]",
    ] {
        assert_eq!(
            levels("PG515", "Prometheus", spec),
            Vec::<String>::new(),
            "{spec}"
        );
    }
}

/// Where a secret may stand, with the mark `PLANTED`.
const PLANTED: &[(&str, &str)] = &[
    (
        "Prometheus",
        "additionalArgs: [{name: db.password, value: PLANTED}]",
    ),
    (
        "Prometheus",
        "additionalArgs: [{name: some.url, value: 'http://me:PLANTED@host/'}]",
    ),
    (
        "Prometheus",
        "additionalArgs: [{name: some.url, value: 'http://host/?a=b&token=PLANTED'}]",
    ),
    (
        "Prometheus",
        "thanos: {additionalArgs: [{name: api-key, value: PLANTED}]}",
    ),
    ("Prometheus", "externalUrl: 'https://me:PLANTED@host/'"),
    (
        "Prometheus",
        "remoteWrite: [{url: 'https://me:PLANTED@host/'}]",
    ),
    (
        "Prometheus",
        "remoteWrite: [{url: 'https://host/', proxyUrl: 'https://me:PLANTED@host/'}]",
    ),
    (
        "Prometheus",
        "remoteWrite: [{url: 'https://host/', headers: {X-Api-Key: PLANTED}}]",
    ),
    (
        "Prometheus",
        "remoteRead: [{url: 'https://host/', headers: {X-Auth-Token: Bearer PLANTED}}]",
    ),
    (
        "Prometheus",
        "remoteRead: [{url: 'https://host/', bearerToken: PLANTED}]",
    ),
    (
        "Prometheus",
        "apiserverConfig: {host: 'https://host', bearerToken: PLANTED}",
    ),
    (
        "PrometheusAgent",
        "containers: [{name: a, image: b, env: [{name: AWS_SECRET_ACCESS_KEY, value: PLANTED}]}]",
    ),
    (
        "Alertmanager",
        "initContainers: [{name: a, image: b, args: [--client-secret=PLANTED]}]",
    ),
    (
        "Alertmanager",
        "additionalArgs: [{name: apiToken, value: PLANTED}]",
    ),
    (
        "ThanosRuler",
        "queryEndpoints: [a], alertmanagersUrl: ['http://me:PLANTED@host/']",
    ),
];

#[test]
fn secrets_in_clear_are_told_and_never_shown() {
    for (kind, spec) in PLANTED {
        // Both on a line with others, and on lines of their own.
        for text in [
            manifest(kind, spec),
            manifest(kind, spec).replace(", ", ",\n  "),
        ] {
            let options = Options {
                is_repository: true,
                ..Options::default()
            };
            let output = lint(&Project::read(
                &[Input::new("a.yaml", text.as_str())],
                &options,
            ));
            let (told, sources) = (&output.diagnostics, &output.sources);
            let n_found = told
                .iter()
                .filter(|found| found.rule.code == "PG516")
                .count();
            assert_eq!(n_found, 1, "{text}");
            let shown: String = told
                .iter()
                .map(|found| render(found, sources, Style::default()))
                .collect();
            let mut out = Vec::new();
            for write in [json::write, github::write, junit::write, markdown::write] {
                write(told, sources, &mut out).unwrap();
            }
            sarif::write(told, &[], sources, &mut out).unwrap();
            let all = shown + &String::from_utf8(out).unwrap();
            assert!(!all.contains("PLANTED"), "{all}");
        }
    }
}

#[test]
fn what_stands_for_a_secret_or_is_none_is_not_told() {
    for value in [
        "''",
        "$(PASSWORD)",
        "'<password>'",
        "/etc/secret",
        "'true'",
        "'30'",
        "'****'",
        "'${TOKEN}'",
    ] {
        for (kind, spec) in PLANTED
            .iter()
            .filter(|(_, spec)| !spec.contains("'http") && !spec.contains("=PLANTED"))
        {
            let spec = spec
                .replace("Bearer PLANTED", "PLANTED")
                .replace("PLANTED", value);
            assert_eq!(levels("PG516", kind, &spec), Vec::<String>::new(), "{spec}");
        }
    }
    for spec in [
        "additionalArgs: [{name: web.auth-token-file, value: a}, {name: key, value: b}]",
        "externalUrl: 'https://me@host/a:b@c'",
        "remoteWrite: [{url: 'https://host:80/?a=b', headers: {X-Scope-OrgID: team}}]",
        "containers: [{name: a, image: b, env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}, {name: TOKEN_URL, value: c}]}]",
    ] {
        assert_eq!(
            levels("PG516", "Prometheus", spec),
            Vec::<String>::new(),
            "{spec}"
        );
    }
}

#[test]
fn secrets_of_receivers_are_told_and_never_shown() {
    let config = |receiver: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c}}\n\
             spec: {{route: {{receiver: r}}, receivers: [{{name: r, {receiver}}}]}}\n"
        )
    };
    for receiver in [
        "webhookConfigs: [{url: 'https://ops:hunter2@chat.example.com/'}]",
        "webhookConfigs: [{url: 'https://chat.example.com/?token=hunter2'}]",
        "webhookConfigs: [{url: 'https://hooks.slack.com/services/T0/B0/hunter2'}]",
        "emailConfigs: [{to: a@example.com, headers: [{key: X-Api-Key, value: hunter2}]}]",
    ] {
        let told = found(&["PG516"], &config(receiver));
        assert_eq!(told.len(), 1, "{receiver}");
        assert!(!told[0].contains("hunter2"), "{told:?}");
    }
    for receiver in [
        "webhookConfigs: [{url: 'http://alertmanager-discord:9094'}]",
        "webhookConfigs: [{url: 'https://hooks.slack.com/services/${SLACK_PATH}'}]",
        "emailConfigs: [{to: a@example.com, headers: [{key: Subject, value: hello}]}]",
        "webhookConfigs: [{urlSecret: {name: a, key: token}}]",
    ] {
        assert_eq!(
            found(&["PG516"], &config(receiver)),
            Vec::<String>::new(),
            "{receiver}"
        );
    }
}

#[test]
fn the_sidecar_mounts_other_files_than_prometheus() {
    let of = |more: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec:\n  secrets: [bucket]\n  thanos: {{objectStorageConfigFile: /etc/prometheus/secrets/bucket/a.yaml{more}}}\n"
        );
        found(&["PG521"], &text)
    };
    let told = of("");
    assert!(
        told.len() == 1 && told[0].contains("in the Thanos sidecar of Prometheus default/k8s"),
        "{told:?}"
    );
    let mounted =
        ", volumeMounts: [{name: secret-bucket, mountPath: /etc/prometheus/secrets/bucket}]";
    assert_eq!(of(mounted), Vec::<String>::new());
}

#[test]
fn files_that_a_secret_names_are_told_without_their_path() {
    let alertmanager = |spec: &str, config: &str| {
        let text = format!(
            "{}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: alertmanager-k}}\nstringData:\n  alertmanager.yaml: |\n    \
             route: {{receiver: a}}\n    receivers: [{{name: a}}]\n    {config}\n",
            manifest("Alertmanager", spec)
        );
        found(&["PG521"], &text)
    };
    let told = alertmanager(
        "",
        "templates: [/etc/alertmanager/configmaps/hidden/*.tmpl]",
    );
    assert!(
        told.len() == 1
            && told[0].contains("`templates` names a file where")
            && !told[0].contains("hidden"),
        "{told:?}"
    );
    assert!(
        alertmanager(
            "configMaps: [hidden]",
            "templates: [/etc/alertmanager/configmaps/hidden/*.tmpl]"
        )
        .is_empty()
    );
    assert_eq!(
        alertmanager("", "global: {smtp_auth_password_file: /mnt/hidden}").len(),
        1
    );
    let prometheus = |spec: &str| {
        let text = format!(
            "{}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: more}}\nstringData:\n  jobs.yaml: |\n    - job_name: hidden\n      \
             authorization: {{credentials_file: /etc/prometheus/secrets/hidden/t}}\n      static_configs: [{{targets: ['a:1']}}]\n",
            manifest(
                "Prometheus",
                &format!("additionalScrapeConfigs: {{name: more, key: jobs.yaml}}{spec}")
            )
        );
        found(&["PG521"], &text)
    };
    let told = prometheus("");
    assert!(
        told.len() == 1
            && told[0].contains("job 1 of Secret default/more")
            && told[0].contains("`credentials_file`"),
        "{told:?}"
    );
    assert!(!told[0].contains("hidden"), "{told:?}");
    assert!(prometheus(", secrets: [hidden]").is_empty());
}

#[test]
fn an_image_of_another_version_is_told_wherever_it_stands() {
    for (kind, spec, n_found) in [
        ("Prometheus", "image: 'prom/prometheus:v2.55.1'", 1),
        (
            "PrometheusAgent",
            "image: 'quay.io/prometheus/prometheus:v2.55.1'",
            1,
        ),
        ("Prometheus", "image: 'prom/prometheus:v3.5.0'", 0),
        ("Prometheus", "image: 'mine/prometheus-build:v2.55.1'", 0),
        (
            "Prometheus",
            "version: v3.5.0, containers: [{name: prometheus, image: 'q.io/prom/prometheus:v2.55.1'}]",
            1,
        ),
        (
            "Prometheus",
            "version: v3.5.0, image: 'prom/prometheus:v2.55.1'",
            1,
        ),
        (
            "Prometheus",
            "version: v3.5.0, image: 'mirror.example.com:5000/quay.io/prometheus/prometheus:v2.55.1@sha256:0'",
            1,
        ),
        (
            "PrometheusAgent",
            "version: v3.5.0, image: 'quay.io/prometheus/prometheus:v2.55.1'",
            1,
        ),
        (
            "Prometheus",
            "version: v3.5.0, containers: [{name: side, image: 'q/side:v2.55.1'}]",
            0,
        ),
        (
            "Prometheus",
            "version: v3.5.0, image: 'prom/prometheus:v2.55.1', containers: [{name: prometheus, image: 'prom/prometheus:v3.5.0'}]",
            0,
        ),
        (
            "Prometheus",
            "thanos: {version: v0.36.0, image: 'q.io/thanos/thanos:v0.39.2'}",
            1,
        ),
        (
            "Prometheus",
            "thanos: {version: v0.39.2, image: 'q.io/thanos/thanos:v0.39.2'}",
            0,
        ),
        (
            "Alertmanager",
            "version: v0.28.1, containers: [{name: alertmanager, image: 'prom/alertmanager:v0.27.0'}]",
            1,
        ),
        (
            "ThanosRuler",
            "version: v0.36.0, queryEndpoints: [a], image: 'thanosio/thanos:v0.39.2'",
            1,
        ),
        // Images that are not of the projects count their own releases.
        (
            "Prometheus",
            "version: v2.53.2, image: 'registry.example.com/forks/fastprom:0.6.4'",
            0,
        ),
        (
            "Prometheus",
            "version: v2.53.2, image: 'registry.example.com/prometheus:0.6.4'",
            0,
        ),
        (
            "Prometheus",
            "version: v2.53.2, image: 'example.com/myprometheus/prometheus:0.6.4'",
            0,
        ),
        (
            "Alertmanager",
            "version: v0.28.1, image: 'prom/prometheus:v0.27.0'",
            0,
        ),
        (
            "Prometheus",
            "thanos: {version: v0.36.0, image: 'example.com/thanos:v1.39.2'}",
            0,
        ),
    ] {
        assert_eq!(levels("PG522", kind, spec).len(), n_found, "{kind} {spec}");
    }
}

#[test]
fn tags_of_the_projects_begin_with_a_v() {
    for (kind, spec, n_found) in [
        ("Alertmanager", "version: 0.28.1", 1),
        ("Alertmanager", "version: v0.28.1", 0),
        (
            "Alertmanager",
            "version: 0.28.1, image: 'quay.io/prometheus/alertmanager:v0.28.1'",
            0,
        ),
        ("Alertmanager", "version: '${VERSION}'", 0),
        ("Alertmanager", "version: 0.28.1, image: ''", 0),
        ("ThanosRuler", "version: 0.37.0, queryEndpoints: [a]", 1),
        ("Prometheus", "version: 3.5.0", 0),
        ("Prometheus", "thanos: {version: 0.37.0}", 1),
        (
            "Prometheus",
            "image: 'quay.io/prometheus/prometheus:3.5.0'",
            1,
        ),
        (
            "Prometheus",
            "image: 'mirror.example.com/prom/prometheus:3.5.0'",
            0,
        ),
        (
            "Prometheus",
            "image: 'quay.io/prometheus/prometheus:main'",
            0,
        ),
    ] {
        assert_eq!(levels("PG522", kind, spec).len(), n_found, "{kind} {spec}");
    }
}

#[test]
fn addresses_of_a_ruler_have_a_scheme() {
    let told = |spec: &str| {
        levels(
            "PG524",
            "ThanosRuler",
            &format!("queryEndpoints: [a], {spec}"),
        )
        .len()
    };
    assert_eq!(told("alertQueryUrl: thanos.example.com"), 1);
    assert_eq!(told("alertmanagersUrl: ['http://a:9093', 'am:9093']"), 1);
    assert_eq!(
        told(
            "alertQueryUrl: 'https://thanos.example.com', alertmanagersUrl: ['dns+http://am:9093']"
        ),
        0
    );
    assert_eq!(told("alertQueryUrl: '${HOST}.example.com'"), 0);
}

#[test]
fn encoded_values_of_secrets_and_config_maps_are_base64() {
    let told = |kind: &str, field: &str, value: &str| {
        found(
            &["PG024"],
            &format!(
                "apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n{field}: {{port: {value}}}\n"
            ),
        )
        .len()
    };
    // What fills in the name may fill in the rest.
    let named = |name: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: '{name}'}}\ndata: {{a: 'secret:2:x'}}\n"
        );
        found(&["PG024"], &text).len()
    };
    assert_eq!(["{{{APP}}}-config", "a-config"].map(named), [0, 1]);
    for (kind, field, value, n_found) in [
        ("Secret", "data", "'not base64!'", 1),
        ("Secret", "stringData", "'5432'", 0),
        // A wrong type is said by PG011.
        ("Secret", "data", "true", 0),
        ("ConfigMap", "data", "not base64!", 0),
        ("ConfigMap", "binaryData", "'not base64!'", 1),
        ("ConfigMap", "binaryData", "aGk=", 0),
        ("ConfigMap", "data", "", 0),
    ] {
        assert_eq!(told(kind, field, value), n_found, "{kind} {field} {value}");
    }
}
