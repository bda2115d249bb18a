//! Repositories at random: applications with their Services and pods, monitors over them, and what Prometheus discovers and
//! scrapes of them.

use serde_json::{Map, Value, json};

use crate::support::asked::Dice;

pub(super) const NAMESPACES: &[&str] = &["shop", "bank", "web"];
pub(super) const APPS: &[&str] = &["cart", "orders", "search", "stock", "mailer", "ledger"];
const TEAMS: &[&str] = &["amber", "birch"];
const CODES: &[&str] = &["200", "404", "500"];
pub(super) const SUFFIXES: &[&str] = &[
    "requests_total",
    "queue_length",
    "latency_seconds_bucket",
    "latency_seconds_count",
    "items",
    "renamed",
];

/// An application: a Deployment, and mostly a Service.
#[derive(Clone)]
pub(super) struct App {
    pub(super) name: &'static str,
    pub(super) namespace: &'static str,
    pub(super) service: Option<String>,
    team: Option<&'static str>,
    port: &'static str,
    container: String,
    n_pods: usize,
}

/// What is made.
pub(super) struct World {
    pub(super) objects: Vec<Value>,
    pub(super) targets: Vec<Value>,
    pub(super) apps: Vec<App>,
    /// The namespace is enforced in all that is scraped and evaluated.
    pub(super) is_enforced: bool,
    /// Values that `job` has, and some that it does not.
    pub(super) jobs: Vec<String>,
}

impl World {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let is_enforced = dice.is(15);
        let mut world = Self {
            objects: Vec::new(),
            targets: Vec::new(),
            apps: Vec::new(),
            is_enforced,
            jobs: Vec::new(),
        };
        for namespace in NAMESPACES.iter().chain(&["mon"]) {
            world.objects.push(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } }));
        }
        world.objects.push(prometheus(dice, is_enforced));
        for name in dice.few(APPS, 70) {
            world.app(dice, name);
        }
        for number in 0..dice.below(3) {
            world.external(dice, number);
        }
        if dice.is(30) {
            world.probe(dice);
        }
        let others = ["payments", "cart-v2", "all", "kube-scheduler"];
        world.jobs.extend(others.map(str::to_owned));
        world
    }

    fn app(&mut self, dice: &mut Dice, name: &'static str) {
        let service = (!dice.is(15)).then(|| dice.one(&[name.to_owned(), format!("{name}-svc")]));
        let app = App {
            name,
            namespace: dice.one(NAMESPACES),
            service,
            team: dice.is(60).then(|| dice.one(TEAMS)),
            port: dice.one(&["web", "metrics"]),
            container: dice.one(&["app".to_owned(), name.to_owned()]),
            n_pods: 1 + dice.below(2),
        };
        self.objects.push(app.deployment());
        self.objects.extend(app.service_object());
        let exposes = exposed(dice, name);
        for pod in 0..app.n_pods {
            app.discovered(pod, &exposes, &mut self.targets);
        }
        for _ in 0..usize::from(!dice.is(8)) + usize::from(dice.is(10)) {
            self.monitor(dice, &app);
        }
        self.jobs.extend(app.service.iter().cloned());
        self.jobs.push(name.to_owned());
        self.apps.push(app);
    }

    /// A monitor of an application.
    fn monitor(&mut self, dice: &mut Dice, app: &App) {
        let is_pods = app.service.is_none() || dice.is(25);
        let mut endpoint = json!({ "port": if dice.is(92) { app.port } else { "other" } });
        if dice.is(50) {
            endpoint["interval"] = json!(dice.one(&["15s", "30s", "1m", "2m"]));
        }
        if dice.is(20) {
            endpoint["honorLabels"] = json!(true);
        }
        if dice.is(40) {
            endpoint["relabelings"] = (0..1 + dice.below(2))
                .map(|_| self.relabeling(dice, app))
                .collect();
        }
        if dice.is(55) {
            endpoint["metricRelabelings"] = (0..1 + dice.below(2))
                .map(|_| metric_relabeling(dice, app))
                .collect();
        }
        let key = dice.one(&["app", "app", "tier"]);
        let value = if key == "app" { app.name } else { "gold" };
        let mut spec = json!({ "selector": { "matchLabels": { key: value } } });
        if dice.is(30) {
            spec["jobLabel"] = json!(dice.one(&["app", "team", "tier"]));
            self.jobs.extend(app.team.map(str::to_owned));
        }
        if dice.is(25) {
            spec["podTargetLabels"] = json!(["tier"]);
        }
        if dice.is(20) {
            spec["namespaceSelector"] = dice.one(&[
                json!({ "any": true }),
                json!({ "matchNames": ["shop", "bank"] }),
            ]);
        }
        let (kind, list) = if is_pods {
            ("PodMonitor", "podMetricsEndpoints")
        } else {
            ("ServiceMonitor", "endpoints")
        };
        if !is_pods && dice.is(30) {
            spec["targetLabels"] = json!(["team"]);
        }
        spec[list] = json!([endpoint]);
        let name = format!("{}-{}", app.name, self.objects.len());
        self.jobs.push(format!("{}/{name}", app.namespace));
        self.objects
            .push(resource("v1", kind, app.namespace, &name, &spec));
    }

    /// A rule for targets.
    fn relabeling(&mut self, dice: &mut Dice, app: &App) -> Value {
        match dice.below(9) {
            0 => {
                let job = format!("{}-prod", app.name);
                self.jobs.push(job.clone());
                json!({ "targetLabel": "job", "replacement": job })
            }
            1 => {
                self.jobs.push(format!("{}/{}", app.namespace, app.name));
                json!({ "sourceLabels": ["__meta_kubernetes_namespace", "__meta_kubernetes_pod_label_app"], "separator": "/", "targetLabel": "job" })
            }
            2 => {
                json!({ "action": "labeldrop", "regex": dice.one(&["pod", "container|endpoint", "namespace"]) })
            }
            3 => json!({ "action": "labelmap", "regex": "__meta_kubernetes_pod_label_(.+)" }),
            4 => {
                json!({ "action": dice.one(&["keep", "drop"]), "sourceLabels": ["__meta_kubernetes_pod_label_tier"], "regex": dice.one(&["gold", "silver", "g.*"]) })
            }
            5 => {
                json!({ "sourceLabels": ["__meta_kubernetes_pod_name"], "regex": "(.+)-[^-]+-[^-]+", "targetLabel": "workload" })
            }
            6 => {
                json!({ "action": dice.one(&["uppercase", "lowercase"]), "sourceLabels": ["namespace"], "targetLabel": "space" })
            }
            7 => {
                self.jobs.push(format!("x-{}", app.name));
                json!({ "sourceLabels": ["job"], "regex": "(.*)", "replacement": "x-$1", "targetLabel": "job" })
            }
            _ => {
                json!({ "sourceLabels": ["__meta_kubernetes_pod_label_team"], "targetLabel": "team", "action": "replace" })
            }
        }
    }

    /// A probe of an address, with what its prober exposes.
    fn probe(&mut self, dice: &mut Dice) {
        let address = "http://front.example";
        let exposes = [("probe_success", 1.0), ("ext_items", 2.0)];
        let series =
            exposes.map(|(name, value)| json!({ "Labels": { "__name__": name }, "Value": value, "Grows": false }));
        let labels = json!({ "__address__": address });
        self.targets
            .push(json!({ "Role": "static", "Namespace": "", "Labels": labels, "Series": series }));
        let targets = json!({ "staticConfig": { "static": [address], "labels": { "zone": "b" } } });
        let mut spec =
            json!({ "prober": { "url": "prober.web:9115" }, "targets": targets, "module": "http" });
        if dice.is(50) {
            spec["jobName"] = json!("front");
        }
        self.jobs
            .extend(["front", "probe/web/front"].map(str::to_owned));
        self.objects
            .push(resource("v1", "Probe", "web", "front", &spec));
    }

    /// Targets that a configuration names.
    fn external(&mut self, dice: &mut Dice, number: usize) {
        let (name, address) = (
            format!("ext-{number}"),
            format!("ext-{number}.example:9100"),
        );
        let exposes = exposed(dice, "ext");
        let labels = json!({ "__address__": address });
        self.targets.push(
            json!({ "Role": "static", "Namespace": "", "Labels": labels, "Series": exposes }),
        );
        let mut spec = json!({ "staticConfigs": [{ "targets": [address], "labels": { "zone": dice.one(&["a", "b"]) } }] });
        if dice.is(60) {
            spec["jobName"] = json!(name);
        }
        if dice.is(30) {
            spec["metricRelabelings"] = json!([{ "action": "drop", "sourceLabels": ["__name__"], "regex": dice.one(&["ext_.+", "ext_items", ".*_total"]) }]);
        }
        self.jobs
            .extend([name.clone(), format!("scrapeConfig/mon/{name}")]);
        self.objects
            .push(resource("v1alpha1", "ScrapeConfig", "mon", &name, &spec));
    }
}

fn resource(version: &str, kind: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    let metadata = json!({ "name": name, "namespace": namespace });
    json!({ "apiVersion": format!("monitoring.coreos.com/{version}"), "kind": kind, "metadata": metadata, "spec": spec })
}

/// A Prometheus that selects everything.
fn prometheus(dice: &mut Dice, is_enforced: bool) -> Value {
    let mut spec = json!({ "externalLabels": { "region": "eu" } });
    for kind in [
        "serviceMonitor",
        "podMonitor",
        "scrapeConfig",
        "probe",
        "rule",
    ] {
        spec[format!("{kind}Selector")] = json!({});
        spec[format!("{kind}NamespaceSelector")] = json!({});
    }
    if dice.is(60) {
        spec["scrapeInterval"] = json!(dice.one(&["15s", "30s", "1m", "90s"]));
    }
    if dice.is(20) {
        let rule = json!({ "action": "drop", "sourceLabels": ["__name__"], "regex": dice.one(&["go_.+", ".+_items", ".+_bucket"]) });
        spec["scrapeClasses"] =
            json!([{ "name": "lean", "default": true, "metricRelabelings": [rule] }]);
    }
    if is_enforced {
        spec["enforcedNamespaceLabel"] = json!("namespace");
    }
    if dice.is(15) {
        spec["overrideHonorLabels"] = json!(true);
    }
    if dice.is(25) {
        spec["serviceDiscoveryRole"] = json!("EndpointSlice");
    }
    resource("v1", "Prometheus", "mon", "main", &spec)
}

/// A rule for samples.
fn metric_relabeling(dice: &mut Dice, app: &App) -> Value {
    let name = app.name;
    let by_name = |action: &str, regex: String| json!({ "action": action, "sourceLabels": ["__name__"], "regex": regex });
    match dice.below(12) {
        0 => by_name("drop", format!("{name}_requests_total")),
        1 => by_name("drop", format!("({name}|go)_queue.*")),
        2 => by_name("drop", ".+_bucket".to_owned()),
        3 => by_name("keep", format!("{name}_(requests|queue).+")),
        4 => {
            json!({ "action": "drop", "sourceLabels": ["code"], "regex": dice.one(&["500", "4..|5..", ".+"]) })
        }
        5 => json!({ "action": "labeldrop", "regex": dice.one(&["code", "pod|container", "le"]) }),
        6 => {
            json!({ "sourceLabels": ["__name__"], "regex": format!("{name}_items"), "targetLabel": "__name__", "replacement": format!("{name}_renamed") })
        }
        7 => json!({ "targetLabel": "job", "replacement": format!("{name}-samples") }),
        8 => {
            json!({ "sourceLabels": ["code"], "regex": "(.).*", "targetLabel": "class", "replacement": "${1}xx" })
        }
        9 => {
            json!({ "action": "drop", "sourceLabels": ["__name__", "code"], "separator": ";", "regex": format!("{name}_requests_total;500") })
        }
        10 => {
            json!({ "action": "keep", "sourceLabels": ["namespace"], "regex": dice.one(&["shop|bank", "web", ".+"]) })
        }
        _ => json!({ "action": "labelkeep", "regex": "__name__|job|namespace|pod|le|instance" }),
    }
}

/// The series that a target of an application exposes.
fn exposed(dice: &mut Dice, name: &str) -> Vec<Value> {
    let mut series = Vec::new();
    let mut add = |labels: Value, value: f64, grows: bool| {
        series.push(json!({ "Labels": labels, "Value": value, "Grows": grows }));
    };
    for code in dice.few(CODES, 60) {
        add(
            json!({ "__name__": format!("{name}_requests_total"), "code": code }),
            3.0,
            true,
        );
    }
    add(
        json!({ "__name__": format!("{name}_queue_length") }),
        7.0,
        false,
    );
    for (le, value) in [("0.1", 1.0), ("1", 2.0), ("+Inf", 4.0)] {
        add(
            json!({ "__name__": format!("{name}_latency_seconds_bucket"), "le": le }),
            value,
            true,
        );
    }
    add(
        json!({ "__name__": format!("{name}_latency_seconds_count") }),
        4.0,
        true,
    );
    let own = dice.one(&["job", "namespace", "pod", "kind"]);
    add(
        json!({ "__name__": format!("{name}_items"), own: dice.one(&["own", "cart", "shop"]) }),
        2.0,
        false,
    );
    add(json!({ "__name__": "go_goroutines" }), 9.0, false);
    series
}

impl App {
    fn labels(&self) -> Value {
        let mut labels = json!({ "app": self.name, "tier": "gold" });
        if let Some(team) = self.team {
            labels["team"] = json!(team);
        }
        labels
    }

    fn deployment(&self) -> Value {
        let metadata = json!({ "name": self.name, "namespace": self.namespace });
        let ports = json!([{ "name": self.port, "containerPort": 8080 }, { "name": "admin", "containerPort": 9999 }]);
        let container =
            json!({ "name": self.container, "image": "registry.example/app:1", "ports": ports });
        let template = json!({ "metadata": { "labels": self.labels() }, "spec": { "containers": [container] } });
        let spec = json!({ "replicas": self.n_pods, "selector": { "matchLabels": { "app": self.name } }, "template": template });
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec })
    }

    fn service_object(&self) -> Option<Value> {
        let metadata = json!({ "name": self.service.as_ref()?, "namespace": self.namespace, "labels": self.labels() });
        let spec = json!({ "selector": { "app": self.name }, "ports": [{ "name": self.port, "port": 80, "targetPort": self.port }] });
        Some(json!({ "apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec }))
    }

    /// What Prometheus discovers of a pod, in each of its roles.
    fn discovered(&self, pod: usize, exposes: &[Value], targets: &mut Vec<Value>) {
        for (port, number) in [(self.port, 8080), ("admin", 9999)] {
            let address = format!("10.0.{}.{pod}:{number}", self.name.len());
            let mut labels = self.of_pod(pod, port);
            labels.insert("__address__".to_owned(), json!(address));
            labels.insert(
                "__meta_kubernetes_pod_container_port_number".to_owned(),
                json!(number.to_string()),
            );
            let mut add = |role: &str, labels: &Map<String, Value>| {
                let target = json!({ "Role": role, "Namespace": self.namespace, "Labels": labels, "Series": exposes });
                targets.push(target);
            };
            add("pod", &labels);
            let Some(service) = &self.service else {
                continue;
            };
            labels.insert("__meta_kubernetes_service_name".to_owned(), json!(service));
            self.insert_labels(&mut labels, "service");
            // The port that the Service does not name is discovered as well, without these labels.
            let is_named = port == self.port;
            for (role, word) in [
                ("endpoints", "endpoint"),
                ("endpointslice", "endpointslice"),
            ] {
                let mut labels = labels.clone();
                let mut set = |name: &str, value: &str| {
                    labels.insert(format!("__meta_kubernetes_{name}"), json!(value))
                };
                set(&format!("{role}_name"), service);
                if is_named {
                    set(&format!("{word}_port_name"), port);
                    set(&format!("{word}_port_protocol"), "TCP");
                    set(&format!("{word}_address_target_kind"), "Pod");
                    set(&format!("{word}_address_target_name"), &self.pod_name(pod));
                }
                add(role, &labels);
            }
        }
    }

    fn pod_name(&self, pod: usize) -> String {
        format!("{}-6d4f9c7b8d-x{pod}2fk", self.name)
    }

    fn of_pod(&self, pod: usize, port: &str) -> Map<String, Value> {
        let mut labels = Map::new();
        let name = self.pod_name(pod);
        let controller = format!("{}-6d4f9c7b8d", self.name);
        for (key, value) in [
            ("namespace", self.namespace),
            ("pod_name", &name),
            ("pod_container_name", &self.container),
            ("pod_container_port_name", port),
            ("pod_container_port_protocol", "TCP"),
            ("pod_container_image", "registry.example/app:1"),
            ("pod_ip", "10.0.0.1"),
            ("pod_host_ip", "10.1.0.1"),
            ("pod_node_name", "node-1"),
            ("pod_phase", "Running"),
            ("pod_ready", "true"),
            ("pod_uid", "b1c5"),
            ("pod_controller_kind", "ReplicaSet"),
            ("pod_controller_name", &controller),
            ("pod_label_pod_template_hash", "6d4f9c7b8d"),
            ("pod_labelpresent_pod_template_hash", "true"),
        ] {
            labels.insert(format!("__meta_kubernetes_{key}"), json!(value));
        }
        self.insert_labels(&mut labels, "pod");
        labels
    }

    fn insert_labels(&self, labels: &mut Map<String, Value>, word: &str) {
        for (key, value) in self.labels().as_object().unwrap() {
            labels.insert(
                format!("__meta_kubernetes_{word}_label_{key}"),
                value.clone(),
            );
            labels.insert(
                format!("__meta_kubernetes_{word}_labelpresent_{key}"),
                json!("true"),
            );
        }
    }
}
