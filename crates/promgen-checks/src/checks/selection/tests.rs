//! What is found, where, and what is not.

mod meant;

use crate::checks::found::found;

/// A ServiceMonitor for `app: cart` in namespace `shop`.
const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: shop, labels: {team: shop}}
spec:
  selector: {matchLabels: {app: cart}}
  endpoints: [{port: metrics}]
---
";

fn prometheus(spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: monitoring}}\nspec: {spec}\n---\n"
    )
}

fn service(namespace: &str, labels: &str, spec: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: cart, namespace: {namespace}, labels: {labels}}}\nspec: {spec}\n---\n"
    )
}

#[test]
fn an_application_without_a_prometheus_is_left_alone() {
    assert!(found(&["PG12"], MONITOR).is_empty());
}

#[test]
fn what_is_filled_in_later_is_not_judged() {
    let ports = "{ports: [{name: metrics, port: 80}]}";
    let near = |namespace: &str, labels: &str, ports: &str| {
        let more = service(namespace, labels, ports);
        found(&["PG123", "PG124", "PG125"], &format!("{MONITOR}{more}"))
    };
    assert_eq!(near("shop", "{app: carts}", ports).len(), 1);
    assert_eq!(near("'${NS}'", "{app: cart}", ports), [""; 0]);
    assert!(!near("shop", "{app: '${APP}'}", ports)[0].contains("warning"));
    let named = "{ports: [{name: '${PORT}', port: 80}]}";
    assert_eq!(near("shop", "{app: cart}", named), [""; 0]);
    let labelled = MONITOR.replace("team: shop", "team: '${TEAM}'");
    let server = prometheus(
        "{serviceMonitorSelector: {matchLabels: {team: pay}}, serviceMonitorNamespaceSelector: {}}",
    );
    assert_eq!(found(&["PG120"], &format!("{MONITOR}{server}")).len(), 1);
    assert_eq!(found(&["PG120"], &format!("{labelled}{server}")), [""; 0]);
}

#[test]
fn what_names_a_value_that_is_filled_in_later_is_not_refused() {
    let server = |spec: &str| found(&["PG014", "PG520"], &prometheus(spec));
    let zones = "shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}";
    let of = |shards: &str| server(&format!("{{version: v3.5.0, shards: {shards}, {zones}}}"));
    assert_eq!(of("2").len(), 1);
    assert_eq!(of("'${SHARDS}'"), [""; 0]);
    assert!(!server("{portName: Web}").is_empty());
    assert_eq!(server("{portName: '${PORT}'}"), [""; 0]);
    let class = |name: &str| {
        server(&format!(
            "{{storage: {{volumeClaimTemplate: {{spec: {{storageClassName: {name}, resources: {{requests: {{storage: 1Gi}}}}}}}}}}}}"
        ))
    };
    assert_eq!(class("Fast").len(), 1);
    assert_eq!(class("'${CLASS}'"), [""; 0]);
}

#[test]
fn a_probe_that_selects_no_ingress_is_told() {
    let with = |namespace: &str, labels: &str, more: &str| {
        let probe = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {{name: cart, namespace: shop}}\nspec: {{targets: {{ingress: {{selector: {{matchLabels: {{app: cart}}}}{more}}}}}}}\n---\n"
        );
        let ingress = format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: web, namespace: {namespace}, labels: {labels}}}\nspec: {{}}\n"
        );
        found(&["PG124"], &(probe + &ingress))
    };
    assert_eq!(with("shop", "{app: cart}", ""), [""; 0]);
    let any = ", namespaceSelector: {any: true}";
    assert_eq!(with("till", "{app: cart}", any), [""; 0]);
    let elsewhere = with("till", "{app: cart}", "");
    assert!(
        elsewhere[0].contains("Ingress till/web matches, but its namespace is not selected")
            && elsewhere[0].contains("`spec.targets.ingress.namespaceSelector.matchNames`"),
        "{elsewhere:?}"
    );
    let near = with("shop", "{app: carts}", "");
    assert!(
        near[0].contains("Ingress shop/web almost matches"),
        "{near:?}"
    );
}

#[test]
fn what_is_in_the_way_of_a_selection_is_told() {
    let with = |spec: &str, more: &str| {
        found(
            &["PG120", "PG121"],
            &format!("{MONITOR}{}{more}", prometheus(spec)),
        )
    };
    let namespace = |labels: &str| {
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {labels}}}\n")
    };
    let every = "serviceMonitorNamespaceSelector: {}";
    assert!(with(&format!("{{serviceMonitorSelector: {{}}, {every}}}"), "").is_empty());
    let told = with("{serviceMonitorSelector: {}}", "");
    assert!(told[0].starts_with("PG120 warning 3: no workload in the input selects ServiceMonitor shop/cart: `serviceMonitorNamespaceSelector` of Prometheus monitoring/k8s is not set"), "{told:?}");
    let told = with(
        &format!("{{serviceMonitorSelector: {{matchLabels: {{team: shops}}}}, {every}}}"),
        "",
    );
    assert_eq!(
        told[0],
        "PG120 warning 3: no workload in the input selects ServiceMonitor shop/cart: Prometheus monitoring/k8s requires `team: \
         shops` | it must have `team: shops`"
    );
    assert!(
        told[1].starts_with(
            "PG121 info 11: Prometheus monitoring/k8s does not select the only ServiceMonitor"
        ),
        "{told:?}"
    );
    let by_label = "{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {matchLabels: {team: shop}}}";
    assert!(
        with(by_label, "")[0].starts_with("PG120 info 3"),
        "the labels of the namespace are not known"
    );
    assert!(with(by_label, &namespace("{team: a}"))[0].starts_with("PG120 warning 3"));
    assert!(with(by_label, &namespace("{team: shop}")).is_empty());
    assert!(
        with("{podMonitorSelector: {}}", "")[0].starts_with("PG120 info 3"),
        "it may be on purpose"
    );
}

#[test]
fn a_configuration_that_is_named_is_selected() {
    let text = "\
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main}
spec: {alertmanagerConfiguration: {name: root}, alertmanagerConfigSelector: {matchLabels: {a: b}}}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: root}
spec: {route: {receiver: r}, receivers: [{name: r}]}
";
    assert!(found(&["PG12"], text).is_empty());
}

#[test]
fn only_what_comes_near_is_a_warning() {
    let with = |service: &str| found(&["PG124"], &format!("{MONITOR}{service}"));
    let ports = "{ports: [{name: metrics, port: 80}]}";
    assert!(with(&service("shop", "{app: cart}", ports)).is_empty());
    assert!(with(&service("shop", "{app: carts}", ports))[0].starts_with("PG124 warning 5"));
    assert!(
        with(&service("shop", "{k8s-app: cart}", ports))[0]
            .contains("has `k8s-app: cart`, not `app: cart`")
    );
    assert!(
        with(&service("shop", "{}", ports))[0].contains("it lacks `app: cart`"),
        "it has the name"
    );
    let other = service("shop", "{app: payment}", ports).replace("name: cart", "name: payment");
    assert!(
        with(&other)[0].starts_with("PG124 info 5"),
        "{:?}",
        with(&other)
    );
    let elsewhere = with(&service("prod", "{app: cart}", ports));
    assert!(
        elsewhere[0].contains(
            "input in namespace shop; Service prod/cart matches, but its namespace is not selected"
        ),
        "{elsewhere:?}"
    );
    assert!(
        with(&other.replace("namespace: shop", "namespace: prod")).is_empty(),
        "nothing is known of that namespace"
    );
}

#[test]
fn what_differs_in_a_number_is_another_thing() {
    let text = MONITOR.replace("app: cart", "app: web-1");
    let service = service(
        "shop",
        "{app: web-2}",
        "{ports: [{name: metrics, port: 80}]}",
    );
    assert!(found(&["PG124"], &format!("{text}{service}"))[0].starts_with("PG124 info"));
}

#[test]
fn ports_are_told_by_name_number_and_pattern() {
    let with = |port: &str, ports: &str| {
        let monitor = MONITOR.replace("port: metrics", port);
        found(
            &["PG123"],
            &format!(
                "{monitor}{}",
                service("shop", "{app: cart}", &format!("{{ports: {ports}}}"))
            ),
        )
    };
    assert!(with("port: http|metrics", "[{name: metrics, port: 80}]").is_empty());
    let told = with("port: '9090'", "[{name: metrics, port: 9090}]");
    assert!(
        told[0].ends_with(
            "| 9090 is the number of that port, but `port` requires its name: \"metrics\""
        ),
        "{told:?}"
    );
    let told = with("port: metrics", "[{port: 9090, targetPort: metrics}]");
    assert!(
        told[0].ends_with("add a name to port 9090 of the Service"),
        "{told:?}"
    );
    assert!(
        with("targetPort: 8080", "[{port: 80}]").is_empty(),
        "no pods are known"
    );
}

#[test]
fn pods_are_found_in_templates_of_any_kind() {
    let workload = |head: &str, template: &str| {
        let service = service(
            "shop",
            "{app: cart}",
            "{selector: {app: cart}, ports: [{name: metrics, port: 80, targetPort: metrics}]}",
        );
        let text = format!(
            "{MONITOR}{service}{head}\nmetadata: {{name: x, namespace: shop}}\nspec: {template}\n"
        );
        found(&["PG123", "PG124", "PG125", "PG126"], &text)
    };
    let template = |labels: &str, port: &str| {
        format!(
            "{{template: {{metadata: {{labels: {labels}}}, spec: {{containers: [{{name: a, ports: [{{name: {port}, containerPort: 80}}]}}]}}}}}}"
        )
    };
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout";
    assert!(workload(rollout, &template("{app: cart}", "metrics")).is_empty());
    assert!(workload(rollout, &template("{app: cart}", "metric"))[0].starts_with("PG126 warning"));
    assert!(
        workload(rollout, &template("{app: carts}", "metrics"))[0].starts_with("PG125 warning")
    );
    assert!(workload(rollout, &template("{app: other}", "metrics"))[0].starts_with("PG125 info"));
    let cron = "apiVersion: batch/v1\nkind: CronJob";
    let job = format!(
        "{{jobTemplate: {{spec: {}}}}}",
        template("{app: cart}", "metrics")
    );
    assert!(workload(cron, &job).is_empty());
}

#[test]
fn what_promgen_generates_counts_as_well() {
    let text = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: self, namespace: monitoring}
spec:
  selector: {matchLabels: {operated-prometheus: 'true'}}
  endpoints: [{port: web}, {targetPort: web}, {port: wed}]
---
apiVersion: v1
kind: Service
metadata: {name: other, namespace: monitoring, labels: {app: other}}
spec: {ports: [{name: http, port: 80}]}
---
";
    let told = found(
        &["PG123", "PG124"],
        &format!("{text}{}", prometheus("{serviceMonitorSelector: {}}")),
    );
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].ends_with("is named \"wed\" | did you mean \"web\"?"),
        "{told:?}"
    );
}

#[test]
fn a_secret_that_the_cluster_fills_is_assumed() {
    let text = format!(
        "{}{}apiVersion: v1\nkind: Secret\nmetadata: {{name: token, namespace: shop}}\ntype: kubernetes.io/service-account-token\n",
        MONITOR.replace(
            "{port: metrics}",
            "{port: metrics, bearerTokenSecret: {name: token, key: token}}"
        ),
        prometheus("{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}"),
    );
    let told = found(&["PG101", "PG103"], &text);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains(
            "Secret shop/token has no data in the input; promgen assumes that it has the key"
        ),
        "{told:?}"
    );
    let told = found(&["PG101"], &format!("{text}data: {{other: eA==}}\n"));
    assert!(told[0].starts_with("PG101 error"), "{told:?}");
}

#[test]
fn a_secret_of_kustomize_has_a_hash_that_references_lack() {
    let of = |name: &str, namespace: &str| {
        let text = format!(
            "{}{}apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: {namespace}}}\nstringData: {{token: x}}\n",
            MONITOR.replace(
                "{port: metrics}",
                "{port: metrics, bearerTokenSecret: {name: token, key: token}}"
            ),
            prometheus("{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}"),
        );
        found(&["PG101", "PG103", "PG104"], &text)
    };
    let told = of("token-85c6k689hc", "shop");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("PG104 warning"), "{told:?}");
    assert!(
        told[0].contains("Secret shop/token is not in the input, and token-85c6k689hc is"),
        "{told:?}"
    );
    assert!(of("token", "shop").is_empty());
    for (name, namespace) in [
        ("token-85c6k689hc", "a"),
        ("token-85c6k689h", "shop"),
        ("token-85c6k689ha", "shop"),
    ] {
        assert!(
            of(name, namespace)[0].starts_with("PG103 info"),
            "{name} in {namespace}"
        );
    }
}

#[test]
fn services_of_a_workload_require_labels_that_its_pods_have() {
    let of = |kind: &str, selector: &str, more: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: {kind}, metadata: {{name: main}}, spec: {{{more}}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: web}}, spec: {{selector: {{{selector}}}, ports: [{{port: 80}}]}}}}\n"
        );
        found(&["PG125"], &text)
    };
    let told = of("Prometheus", "app: prometheus, prometheus: main", "");
    assert!(
        told.len() == 1 && told[0].contains("StatefulSet default/prometheus-main almost matches"),
        "{told:?}"
    );
    assert_eq!(
        of("Alertmanager", "app: alertmanager, alertmanager: main", "").len(),
        1
    );
    for (selector, more) in [
        ("prometheus: main", ""),
        ("app.kubernetes.io/name: prometheus, prometheus: main", ""),
        ("app: prometheus, prometheus: other", ""),
        ("app: prometheus", ""),
        (
            "app: prometheus, prometheus: main",
            "podMetadata: {labels: {app: prometheus}}",
        ),
    ] {
        assert_eq!(
            of("Prometheus", selector, more),
            Vec::<String>::new(),
            "{selector}"
        );
    }
}

#[test]
fn rules_in_a_config_map_are_no_rules() {
    let of = |selector: &str, labels: &str, data: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main}}, spec: {{ruleSelector: {selector}}}}}\n---\n\
             apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cart, labels: {{{labels}}}}}\ndata:\n  a.yaml: |\n    {data}\n"
        );
        found(&["PG141"], &text)
    };
    let (selector, rules) = (
        "{matchLabels: {role: rules}}",
        "groups: [{name: a, rules: [{alert: A, expr: up == 0}]}]",
    );
    let told = of(selector, "role: rules", rules);
    let message = "Prometheus default/main selects PrometheusRules alone: nobody evaluates the rules of ConfigMap default/cart";
    assert!(told.len() == 1 && told[0].contains(message), "{told:?}");
    for (selector, labels, data) in [
        (selector, "role: other", rules),
        ("{}", "role: rules", rules),
        (
            "{matchExpressions: [{key: x, operator: DoesNotExist}]}",
            "role: rules",
            rules,
        ),
        (selector, "role: rules", "groups: [{name: a}]"),
        (selector, "role: rules", "groups: ["),
    ] {
        assert_eq!(
            of(selector, labels, data),
            Vec::<String>::new(),
            "{selector} {labels} {data}"
        );
    }
}

#[test]
fn modules_are_those_of_the_exporter() {
    let of = |module: &str, maps: &[&str]| {
        let mut text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Probe, metadata: {{name: p, namespace: a}}, spec: {{{module}prober: {{url: 'b.m.svc:9115'}}, targets: {{staticConfig: {{static: [x]}}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: b, namespace: m}}, spec: {{ports: [{{port: 9115}}]}}}}\n"
        );
        for (index, modules) in maps.iter().enumerate() {
            text.push_str(&format!(
                "---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{index}, namespace: m}}, data: {{a.yml: \"modules: {modules}\"}}}}\n"
            ));
        }
        found(&["PG142"], &text)
    };
    let (http, tcp) = ("{http_2xx: {prober: http}}", "{tcp: {prober: tcp}}");
    let told = of("module: http_2xxx, ", &[http]);
    assert!(
        told.len() == 1
            && told[0].ends_with("its configuration is ConfigMap m/c0 | did you mean http_2xx?"),
        "{told:?}"
    );
    for (module, maps) in [
        ("module: http_2xx, ", &[http][..]),
        ("", &[http]),
        ("module: http_2xxx, ", &[]),
        ("module: http_2xxx, ", &[http, tcp]),
        ("module: http_2xxx, ", &["{other: {x: y}}"]),
    ] {
        assert_eq!(of(module, maps), Vec::<String>::new(), "{module} {maps:?}");
    }
}

#[test]
fn alertmanagers_are_discovered_at_a_port_that_their_service_has() {
    let with = |port: &str| {
        let server = prometheus(&format!(
            "{{alerting: {{alertmanagers: [{{name: alertmanager-operated, port: {port}}}]}}}}"
        ));
        let alertmanager = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: a, namespace: monitoring}\nspec: {}\n";
        found(&["PG128"], &(server + alertmanager))
    };
    assert!(with("web").is_empty() && with("9093").is_empty());
    let told = with("http-web");
    assert!(
        told[0].starts_with(
            "PG128 warning 4: Service monitoring/alertmanager-operated has no port `http-web`: it has web"
        ),
        "{told:?}"
    );
}

#[test]
fn a_job_that_scrapes_what_asks_for_it_beside_a_monitor_scrapes_twice() {
    let job = |rules: &str| {
        format!(
            "{}apiVersion: v1\nkind: Secret\nmetadata: {{name: more, namespace: monitoring}}\nstringData:\n  jobs.yaml: |\n    - job_name: \
             hidden\n      kubernetes_sd_configs: [{{role: pod}}]\n      relabel_configs:\n      - {{action: keep, source_labels: \
             [__meta_kubernetes_pod_annotation_prometheus_io_scrape], regex: true}}\n      - {{target_label: __address__, source_labels: \
             [__address__, __meta_kubernetes_pod_annotation_prometheus_io_port]}}\n{rules}---\n{}apiVersion: v1\nkind: Pod\nmetadata: \
             {{name: cart-0, namespace: shop, labels: {{app: cart}}, annotations: {{prometheus.io/scrape: 'true', prometheus.io/port: \
             '8080'}}}}\nspec: {{containers: [{{name: a, image: x, ports: [{{name: metrics, containerPort: 8080}}]}}]}}\n",
            prometheus(
                "{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, additionalScrapeConfigs: {name: more, key: jobs.yaml}}"
            ),
            service(
                "shop",
                "{app: cart}",
                "{selector: {app: cart}, ports: [{name: metrics, port: 80, targetPort: 8080}]}"
            ),
        )
    };
    let told = found(&["PG130"], &format!("{MONITOR}{}", job("")));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("job 1 of Secret monitoring/more") && !told[0].contains("hidden"),
        "{told:?}"
    );
    let published = job("").replace("hidden", "kubernetes-pods");
    let told = found(&["PG130"], &format!("{MONITOR}{published}"));
    assert!(
        told[0].contains("job `kubernetes-pods` of Secret monitoring/more"),
        "{told:?}"
    );
    let choosy = job(
        "      - {action: drop, source_labels: [__meta_kubernetes_pod_label_app], regex: cart}\n",
    );
    assert!(found(&["PG130"], &format!("{MONITOR}{choosy}")).is_empty());
    let slow = job(
        "      - {action: drop, source_labels: [__meta_kubernetes_pod_annotation_prometheus_io_scrape_slow], regex: true}\n",
    );
    assert_eq!(
        found(&["PG130"], &format!("{MONITOR}{slow}")).len(),
        1,
        "the chart's job"
    );
    let slow = slow.replace(
        "prometheus.io/port",
        "prometheus.io/scrape-slow: 'true', prometheus.io/port",
    );
    assert!(
        found(&["PG130"], &format!("{MONITOR}{slow}")).is_empty(),
        "another job takes it"
    );
    let elsewhere = job("").replace("'8080'", "'9090'");
    assert!(
        found(&["PG130"], &format!("{MONITOR}{elsewhere}")).is_empty(),
        "another port"
    );
}

#[test]
fn a_target_that_two_resources_name_is_scraped_twice() {
    let probe = |name: &str, more: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {{name: {name}, namespace: monitoring}}\nspec:\n  prober: {{url: \
             'blackbox:9115'}}\n  targets: {{staticConfig: {{static: ['https://a.example', 'https://{name}.example']}}}}\n{more}---\n"
        )
    };
    let config = |name: &str, more: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: {name}, namespace: monitoring}}\nspec:\n  \
             staticConfigs: [{{targets: ['node:9100'{more}]}}]\n---\n"
        )
    };
    let server = prometheus("{probeSelector: {}, scrapeConfigSelector: {}}");
    let told = |objects: &[String]| found(&["PG130"], &format!("{server}{}", objects.concat()));
    let twice = told(&[
        probe("one", ""),
        probe("two", ""),
        config("c", ""),
        config("d", ""),
        config("e", ", 'x:1'"),
    ]);
    assert_eq!(twice.len(), 3, "{twice:?}");
    assert!(
        twice[0]
            .contains("`https://a.example` twice: Probe monitoring/one and Probe monitoring/two"),
        "{twice:?}"
    );
    let modules = [
        probe("one", "  module: http_2xx\n"),
        probe("two", "  module: icmp\n"),
    ];
    assert!(told(&modules).is_empty(), "{:?}", told(&modules));
    let labels = [
        config("c", ""),
        config("d", "").replace("targets: [", "labels: {a: b}, targets: ["),
    ];
    assert!(told(&labels).is_empty(), "{:?}", told(&labels));
    let dropping = "  metricRelabelings: [{action: keep, sourceLabels: [__name__], regex: up}]\n";
    assert!(told(&[probe("one", ""), probe("two", dropping)]).is_empty());
}

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: cart-0, namespace: shop, labels: {app: cart}}
spec: {containers: [{name: a, image: x, ports: [{name: metrics, containerPort: 8080}]}]}
---
";

#[test]
fn a_job_for_annotated_services_beside_a_monitor_scrapes_twice() {
    let server = prometheus(
        "{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, scrapeConfigSelector: {}}",
    );
    let job = "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {name: asked, namespace: \
               monitoring}\nspec:\n  kubernetesSDConfigs: [{role: Endpoints}]\n  relabelings: [{action: keep, sourceLabels: \
               [__meta_kubernetes_service_annotation_prometheus_io_scrape], regex: 'true'}]\n---\n";
    let spec = "{selector: {app: cart}, ports: [{name: metrics, port: 80, targetPort: 8080}]}";
    let told = |annotation: &str| {
        let service = service(
            "shop",
            &format!("{{app: cart}}, annotations: {{prometheus.io/scrape: '{annotation}'}}"),
            spec,
        );
        found(&["PG130"], &format!("{MONITOR}{server}{job}{service}{POD}"))
    };
    let by = "ServiceMonitor shop/cart through Service shop/cart and ScrapeConfig monitoring/asked through Service shop/cart";
    assert!(told("true")[0].contains(by), "{:?}", told("true"));
    assert!(told("false").is_empty());
}

#[test]
fn a_dash_too_many_makes_an_endpoint_of_all_ports() {
    let server = prometheus("{podMonitorSelector: {}, podMonitorNamespaceSelector: {}}");
    let told = |endpoints: &str| {
        let monitor = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: cart, namespace: shop}}\nspec: {{selector: \
             {{matchLabels: {{app: cart}}}}, podMetricsEndpoints: [{endpoints}]}}\n---\n"
        );
        found(&["PG130", "PG143"], &format!("{server}{monitor}{POD}"))
    };
    let split = told("{port: metrics}, {interval: 30s}");
    assert!(
        split[0].contains("twice: endpoints 0 and 1 of PodMonitor shop/cart | endpoint 1 of"),
        "{split:?}"
    );
    assert!(split[1].starts_with("PG143 warning"), "{split:?}");
    assert!(
        told("{interval: 30s}, {port: metrics}")
            .iter()
            .any(|line| line.contains("endpoint 0 has no port"))
    );
    assert!(
        told("{port: metrics, path: /a}, {path: /b}").is_empty(),
        "two paths"
    );
    assert!(told("{interval: 30s}").is_empty(), "every port, on purpose");
}

#[test]
fn a_target_of_a_secret_that_is_no_address_is_told_without_it() {
    let server =
        prometheus("{serviceMonitorSelector: {}, additionalScrapeConfigs: {name: more, key: j}}");
    let told = |target: &str| {
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: more, namespace: monitoring}}\nstringData:\n  j: |\n    - job_name: hidden\n      \
             static_configs: [{{targets: ['{target}']}}]\n"
        );
        found(&["PG137"], &format!("{server}{secret}"))
    };
    assert!(
        told("http://hidden:1/m")[0]
            .contains("1 target of job 1 of Secret monitoring/more is never scraped")
    );
    assert!(!told("http://hidden:1/m")[0].contains("hidden"));
    assert_eq!(told("a:99100").len(), 1);
    assert!(told("a:9100").is_empty() && told("[::1]:9100").is_empty());
}

#[test]
fn what_almost_matches_is_not_meant_beside_a_release_of_that_name() {
    let ports = "{ports: [{name: metrics, port: 80}]}";
    let near = service("shop", "{app: carts}", ports).replace("name: cart,", "name: carts,");
    let with = |more: &str| {
        let told = found(&["PG124"], &format!("{MONITOR}{near}{more}"));
        told.first()
            .map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned())
            .unwrap_or_default()
    };
    let object = |api: &str, kind: &str, name: &str, spec: &str| {
        format!(
            "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec: {spec}\n---\n"
        )
    };
    let flux =
        |name: &str, spec: &str| object("helm.toolkit.fluxcd.io/v2", "HelmRelease", name, spec);
    let argo = |name: &str, spec: &str| object("argoproj.io/v1alpha1", "Application", name, spec);
    let chart = "chart: {spec: {chart: app-template, version: 4.0.0, sourceRef: {kind: HelmRepository, name: a}}}";
    let of_chart = "repoURL: 'https://charts.example', chart: app-template, targetRevision: 4.0.0";
    for (more, level) in [
        (String::new(), "warning"),
        (flux("cart", &format!("{{{chart}}}")), "info"),
        (
            flux("a", &format!("{{releaseName: cart, {chart}}}")),
            "info",
        ),
        (
            flux(
                "a",
                &format!("{{{}}}", chart.replace("app-template", "cart")),
            ),
            "info",
        ),
        (argo("cart", &format!("{{source: {{{of_chart}}}}}")), "info"),
        (
            argo(
                "a",
                &format!("{{sources: [{{{of_chart}, helm: {{releaseName: cart}}}}]}}"),
            ),
            "info",
        ),
        (
            object("helm.cattle.io/v1", "HelmChart", "cart", "{chart: x}"),
            "info",
        ),
        // They make something else, or make it elsewhere.
        (flux("payment", &format!("{{{chart}}}")), "warning"),
        (
            flux("cart", &format!("{{targetNamespace: prod, {chart}}}")),
            "warning",
        ),
        (
            argo(
                "cart",
                "{source: {repoURL: a, path: charts/of-another-repository}}",
            ),
            "info",
        ),
        (argo("cart", "{source: {repoURL: a, path: .}}"), "warning"),
    ] {
        assert_eq!(with(&more), level, "{more}");
    }
}

#[test]
fn what_is_in_another_namespace_is_not_almost_meant() {
    let ports = "{ports: [{name: metrics, port: 80}]}";
    let any = MONITOR.replace("spec:\n", "spec:\n  namespaceSelector: {any: true}\n");
    let named = MONITOR.replace(
        "spec:\n",
        "spec:\n  namespaceSelector: {matchNames: [prod]}\n",
    );
    let near = |monitor: &str, namespace: &str| {
        let told = found(
            &["PG124"],
            &format!("{monitor}{}", service(namespace, "{app: carts}", ports)),
        );
        told.iter().any(|line| line.contains("almost matches"))
    };
    assert!(near(&any, "shop") && near(&named, "prod"));
    assert!(!near(&any, "prod") && !near(MONITOR, "prod") && !near(&named, "shop"));
}

#[test]
fn a_monitor_looks_where_the_workload_lets_it() {
    const POD_MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: cart, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, namespaceSelector: {matchNames: [prod]}, podMetricsEndpoints: [{port: metrics}]}
---
";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: cart, namespace: prod, labels: {app: cart}}\nspec: {containers: [{name: a, image: b, ports: [{name: metrics, containerPort: 80}]}]}\n---\n";
    let spec = "serviceMonitorSelector: {}, podMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, podMonitorNamespaceSelector: {}";
    let service = service(
        "prod",
        "{app: cart}",
        "{selector: {app: cart}, ports: [{name: metrics, port: 80}]}",
    );
    for selector in ["{matchNames: [prod]}", "{any: true}"] {
        let monitor = MONITOR.replace(
            "spec:\n",
            &format!("spec:\n  namespaceSelector: {selector}\n"),
        );
        let told = |servers: &str| {
            found(
                &["PG124", "PG130"],
                &format!("{monitor}{POD_MONITOR}{service}{pod}{servers}"),
            )
        };
        let free = prometheus(&format!("{{{spec}}}"));
        let confined = prometheus(&format!("{{{spec}, ignoreNamespaceSelectors: true}}"));
        assert!(
            told(&free).iter().all(|line| line.starts_with("PG130")),
            "{:?}",
            told(&free)
        );
        let ignored = told(&confined);
        assert_eq!(ignored.len(), 2, "{ignored:?}");
        let is_said = |line: &String| {
            line.starts_with("PG124 warning")
                && line.contains("`ignoreNamespaceSelectors` of Prometheus monitoring/k8s")
        };
        assert!(ignored.iter().all(is_said), "{ignored:?}");
        // One that does not ignore it finds the Service.
        let both = format!("{confined}{}", free.replace("k8s", "other"));
        assert!(
            told(&both).iter().all(|line| line.starts_with("PG130")),
            "{:?}",
            told(&both)
        );
    }
}

/// A release of kube-prometheus-stack, and a ServiceMonitor of each of these names with labels.
fn stack(values: &str, monitors: &[(&str, &str)]) -> String {
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: monitoring}}\nspec:\n  \
         chart: {{spec: {{chart: kube-prometheus-stack, version: 75.11.0, sourceRef: {{kind: HelmRepository, name: a}}}}}}\n  \
         values: {values}\n---\n"
    );
    let monitor = |(name, labels): &(&str, &str)| {
        MONITOR.replace(
            "name: cart, namespace: shop, labels: {team: shop}",
            &format!("name: {name}, namespace: shop, labels: {labels}"),
        )
    };
    release + &monitors.iter().map(monitor).collect::<String>()
}

#[test]
fn many_resources_that_a_chart_misses_by_default_are_one_finding() {
    let told = |values: &str, monitors: &[(&str, &str)]| {
        found(&["PG120", "PG121"], &stack(values, monitors))
    };
    let three = [("a", "{}"), ("b", "{}"), ("c", "{team: x}")];
    let one = told("{}", &three);
    assert_eq!(one.len(), 1, "{one:?}");
    assert!(
        one[0].contains("selects 3 resources")
            && one[0].contains("requires `release: kps` by default"),
        "{one:?}"
    );
    assert!(one[0].ends_with("| set `prometheus.prometheusSpec.serviceMonitorSelectorNilUsesHelmValues: false` in the values of release kps"), "{one:?}");
    let each = |told: &[String]| {
        told.iter()
            .filter(|line| line.contains("selects ServiceMonitor shop/"))
            .count()
    };
    assert_eq!(
        each(&told("{}", &three[..2])),
        2,
        "somebody forgot two labels"
    );
    let some = [&three[..], &[("d", "{release: kps}")]].concat();
    assert_eq!(
        each(&told("{}", &some)),
        3,
        "one has the label, and the others lack it"
    );
    let own =
        "{prometheus: {prometheusSpec: {serviceMonitorSelector: {matchLabels: {team: green}}}}}";
    assert_eq!(each(&told(own, &three)), 3, "somebody wrote the selector");
    assert!(
        told(
            "{prometheus: {prometheusSpec: {serviceMonitorSelectorNilUsesHelmValues: false}}}",
            &three
        )
        .is_empty()
    );
}

#[test]
fn a_chart_that_keeps_samples_by_default_asks_for_no_storage() {
    let level = |values: &str| {
        let told = found(&["PG511"], &stack(values, &[]));
        let of_server = told
            .into_iter()
            .find(|line| line.contains("Prometheus monitoring/"))
            .unwrap_or_default();
        of_server.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(level("{}"), "info");
    assert_eq!(
        level("{prometheus: {prometheusSpec: {retention: 2d}}}"),
        "info"
    );
    assert_eq!(
        level("{prometheus: {prometheusSpec: {retention: 10d}}}"),
        "warning"
    );
}

#[test]
fn a_key_of_an_operator_is_not_almost_another() {
    let near = |selector: &str, name: &str, labels: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: m, namespace: ns}}, spec: {{selector: {{matchLabels: {{{selector}}}}}, endpoints: [{{port: web}}]}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: {name}, namespace: ns, labels: {{{labels}}}}}, spec: {{selector: {{a: b}}, ports: [{{name: web, port: 80}}]}}}}\n"
        );
        found(&["PG124"], &text)
            .iter()
            .any(|line| line.contains("almost matches"))
    };
    for (selector, name, labels) in [
        ("app.kubernetes.io/name: gitea", "gitea", "app: gitea"),
        ("k8s-app: gitea", "other", "name: gitea"),
        ("acme.com/ap: gitea", "other", "acme.com/app: gitea"),
        ("cnpg.io/cluster: gitea", "other", "cnpg.io/cluster: gitae"),
        ("app: gitea", "gitea", "x: z"),
        ("app: gitea", "other", "app: gitea-web"),
        ("app: a-gitea-operator", "other", "app: gitea-operator"),
    ] {
        assert!(near(selector, name, labels), "{selector} {labels}");
    }
    for (selector, name, labels) in [
        ("cnpg.io/cluster: gitea", "gitea", "app: gitea"),
        (
            "strimzi.io/cluster: shop",
            "shop",
            "app.kubernetes.io/name: shop",
        ),
        ("cluster-name: gitea", "gitea", "app: gitea"),
        ("application: gitea, app: gitea", "gitea", "name: gitea"),
        (
            "app.kubernetes.io/component: rabbitmq",
            "other",
            "app.kubernetes.io/component: rabbitmq-operator",
        ),
        ("app: rabbitmq-operator", "other", "app: rabbitmq"),
        (
            "postgres-operator.crunchydata.com/cluster: db",
            "db",
            "x: z",
        ),
    ] {
        assert!(!near(selector, name, labels), "{selector} {labels}");
    }
}

#[test]
fn a_selector_of_everything_asks_no_service_for_its_port() {
    let told = |selector: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: m, namespace: ns}}, spec: {{selector: {selector}, endpoints: [{{port: grafana}}]}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: s, namespace: ns, labels: {{app: s}}}}, spec: {{selector: {{a: b}}, ports: [{{name: web, port: 80}}]}}}}\n"
        );
        found(&["PG123"], &text).len()
    };
    for selector in [
        "{matchLabels: {app: s}}",
        "{matchExpressions: [{key: app, operator: In, values: [s, t]}]}",
    ] {
        assert_eq!(told(selector), 1, "{selector}");
    }
    for selector in [
        "{}",
        "{matchExpressions: [{key: app, operator: Exists}]}",
        "{matchExpressions: [{key: app, operator: NotIn, values: [t]}]}",
    ] {
        assert_eq!(told(selector), 0, "{selector}");
    }
}

#[test]
fn namespaces_that_are_filled_in_later_limit_nothing() {
    let told = |flag: &str| {
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: po, namespace: m}}\nspec:\n  selector: {{matchLabels: {{app: po}}}}\n  template:\n    metadata: {{labels: {{app: po}}}}\n    spec:\n      containers:\n      - name: po\n        image: quay.io/prometheus-operator/prometheus-operator:v0.85.0\n        args: ['--{flag}']\n        env: [{{name: OWN, valueFrom: {{fieldRef: {{fieldPath: metadata.namespace}}}}}}, {{name: SET, value: other}}]\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: k8s, namespace: m}}, spec: {{serviceMonitorSelector: {{}}}}}}\n"
        );
        found(&["PG312"], &text).len()
    };
    for flag in [
        "namespaces=other",
        "namespaces=$(SET)",
        "namespaces=a,b",
        "deny-namespaces=m,${X}",
        "deny-namespaces=$(OWN)",
        "prometheus-instance-namespaces=other",
    ] {
        assert_eq!(told(flag), 1, "{flag}");
    }
    for flag in [
        "namespaces={{NAMESPACE}}",
        "namespaces=${NAMESPACE}",
        "namespaces=<namespace>",
        "namespaces=other,__NS__",
        "namespaces=$(ELSE)",
        "namespaces=$(OWN)",
        "namespaces=NAMESPACE",
        "deny-namespaces=${X}",
    ] {
        assert_eq!(told(flag), 0, "{flag}");
    }
}

#[test]
fn monitors_of_which_a_program_chooses_one_scrape_nothing_twice() {
    let server = prometheus("{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}");
    let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: cart, namespace: shop, labels: {app: cart}}\nspec: {containers: [{name: a, image: a, ports: [{name: metrics, containerPort: 80}]}]}\n---\n";
    let service = service(
        "shop",
        "{app: cart}",
        "{selector: {app: cart}, ports: [{name: metrics, port: 80}]}",
    );
    let told = |own: &str, other: &str| {
        let first = MONITOR.replace("team: shop", own);
        let second = MONITOR
            .replace("team: shop", other)
            .replace("name: cart,", "name: other,");
        found(
            &["PG130"],
            &format!("{server}{pods}{service}{first}{second}"),
        )
        .len()
    };
    let profile = |value: &str| format!("monitoring.openshift.io/collection-profile: {value}");
    assert_eq!(told(&profile("full"), &profile("minimal")), 0);
    assert_eq!(told(&profile("full"), &profile("full")), 1);
    assert_eq!(told(&profile("full"), "team: shop"), 1);
    assert_eq!(told("team: shop", "team: pay"), 1);
}
