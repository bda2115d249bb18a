//! What is discovered, against what Prometheus' own discovery answered.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::support::discover;
use promgen::assign::Assigner;
use promgen::{Input, Options};
use promgen_compile::cluster::{Cluster, Key, Object, Objects};
use promgen_prometheus::relabel::NameScheme;
use promgen_resources::api::{Kind, Resource};
use promgen_resources::document::{Document, Manifests};
use promgen_targets::discovery::job::{Globals, scrape_labels};
use promgen_targets::discovery::{
    AttachedMetadata, Discovery, DiscoveryRole, Query, TargetGroup, TargetLabels, label_set,
};
use promgen_testing::needs;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml;
use serde::Deserialize;

use crate::conformance;

#[derive(Deserialize)]
struct Set {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    role: String,
    attach_metadata: Switches,
    namespaces: Namespaces,
    own_namespace_value: Option<String>,
    groups: Vec<Source>,
    targets: Vec<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "as recorded")]
struct Switches {
    node: bool,
    namespace: bool,
    deployment: bool,
    job: bool,
    cronjob: bool,
}

#[derive(Deserialize)]
struct Namespaces {
    own_namespace: bool,
    names: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    source: String,
    target_count: usize,
}

impl Case {
    fn query(&self) -> Query {
        let mut query = Query::new(DiscoveryRole::parse(&self.role).unwrap());
        let own = self
            .own_namespace_value
            .clone()
            .filter(|_| self.namespaces.own_namespace);
        query.namespaces = self
            .namespaces
            .names
            .iter()
            .cloned()
            .chain(own)
            .collect::<BTreeSet<_>>();
        let Switches {
            node,
            namespace,
            deployment,
            job,
            cronjob,
        } = self.attach_metadata;
        query.attach = AttachedMetadata {
            node,
            namespace,
            deployment,
            job,
            cronjob,
        };
        query
    }

    /// What differs, if anything does.
    fn difference(&self, groups: &[TargetGroup]) -> Option<String> {
        let mut sources: Vec<_> = groups
            .iter()
            .map(|g| Source {
                source: g.source.clone(),
                target_count: g.targets.len(),
            })
            .collect();
        sources.sort_unstable();
        let mut expected: Vec<_> = self.groups.iter().collect();
        expected.sort_unstable();
        if !sources.iter().eq(expected.iter().copied()) {
            return Some(format!("groups\n  {sources:?}\n  {expected:?}"));
        }
        let plain = |labels: TargetLabels| -> BTreeMap<String, String> {
            labels
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect()
        };
        let mut targets: Vec<_> = groups
            .iter()
            .flat_map(TargetGroup::merged)
            .map(plain)
            .collect();
        targets.sort_unstable();
        let mut expected = self.targets.clone();
        expected.sort_unstable();
        let (ours, theirs) = targets
            .iter()
            .zip(&expected)
            .find(|(ours, theirs)| ours != theirs)?;
        let only = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>| {
            a.iter()
                .filter(|(k, v)| b.get(*k) != Some(v))
                .map(|(k, v)| format!("{k}={v}"))
                .collect::<Vec<_>>()
        };
        Some(format!(
            "targets\n  only ours: {:?}\n  only theirs: {:?}",
            only(ours, theirs),
            only(theirs, ours)
        ))
    }
}

/// The Pods and Services. What recorded them refuses no label.
fn cluster(manifests: &Manifests) -> Cluster {
    fn add<T: Resource>(objects: &mut Objects<T>, document: &Document) {
        let mut value: T = yaml::decode(&document.node).unwrap();
        value.metadata_mut().namespace = Some(document.namespace.clone());
        let object = Object {
            doc: document.id,
            observed: None,
            value: value.into(),
        };
        objects.insert(Key::new(&document.namespace, &document.name), object);
    }
    let mut cluster = Cluster::default();
    for document in &manifests.documents {
        match document.kind {
            Kind::Pod => add(&mut cluster.pods, document),
            Kind::Service => add(&mut cluster.services, document),
            _ => {}
        }
    }
    cluster
}

fn discovery(manifests: &str) -> Discovery {
    let mut sink = Sink::default();
    let documents = yaml::read::read(FileId::new(0), manifests, &mut sink);
    assert!(sink.diagnostics().is_empty(), "{:?}", sink.diagnostics());
    let manifests = Manifests::read(documents, "default", &mut sink);
    let discovery = Discovery::new(&manifests, &cluster(&manifests));
    assert!(discovery.refused().is_empty(), "{:?}", discovery.refused());
    discovery
}

#[needs(recordings)]
#[test]
fn recorded_discoveries_agree_label_for_label() {
    let root = conformance::root();
    let folder = root.join("relabel/discovery");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort_unstable();
    assert!(
        !paths.is_empty(),
        "no recorded discovery in {}",
        folder.display()
    );
    let (mut n_cases, mut differences) = (0, Vec::new());
    for path in paths {
        let set: Set = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let discovery = discovery(&fs::read_to_string(path.with_extension("yaml")).unwrap());
        for (index, case) in set.cases.iter().enumerate() {
            n_cases += 1;
            if let Some(what) = case.difference(&discovery.targets(&case.query())) {
                differences.push(format!("{} {index} {}: {what}", path.display(), case.role));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {n_cases} differ\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// A Prometheus of two shards, a service of three pods, and the probe of a site.
const SHOP: &str = r#"
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: monitoring}
spec:
  shards: 2
  scrapeInterval: 15s
  serviceDiscoveryRole: EndpointSlice
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
  probeSelector: {}
  probeNamespaceSelector: {}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: api, namespace: shop}
spec:
  selector: {matchLabels: {app: api}}
  endpoints: [{port: metrics, path: /stats, params: {format: [text]}}]
---
apiVersion: monitoring.coreos.com/v1
kind: Probe
metadata: {name: site, namespace: shop}
spec:
  module: http_2xx
  prober: {url: "prober:9115"}
  targets: {staticConfig: {static: ["https://shop.example.com"], labels: {tier: edge}}}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop, labels: {app: api}}
spec: {ports: [{name: metrics, port: 9090}]}
---
apiVersion: v1
kind: Service
metadata: {name: other, namespace: shop, labels: {app: other}}
spec: {ports: [{name: metrics, port: 9090}]}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: api-0, namespace: shop}
  spec: {nodeName: node-a, containers: [{name: api, ports: [{name: metrics, containerPort: 9090}, {name: http, containerPort: 80}]}]}
  status: {podIP: 10.0.0.1, phase: Running}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: api-x, namespace: shop, labels: {kubernetes.io/service-name: api, app: api}}
  addressType: IPv4
  ports: [{name: metrics, port: 9090, protocol: TCP}]
  endpoints:
  - {addresses: [10.0.0.1], conditions: {ready: true}, targetRef: {kind: Pod, name: api-0, namespace: shop}}
  - {addresses: [10.0.0.2], conditions: {ready: true}}
  - {addresses: [10.0.0.3], conditions: {ready: true}}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: other-x, namespace: shop, labels: {kubernetes.io/service-name: other, app: other}}
  addressType: IPv4
  ports: [{name: metrics, port: 9090, protocol: TCP}]
  endpoints: [{addresses: [10.0.0.9], conditions: {ready: true}}]
"#;

/// What is compiled, discovered and assigned fits together: a target that a monitor asks for has exactly one shard.
#[test]
fn what_is_discovered_goes_through_the_compiled_rules() {
    let (output, discovery) = discover(&[Input::new("shop.yaml", SHOP)], &Options::default());
    assert_eq!(discovery.refused(), []);
    let [workload] = output.workloads.as_slice() else {
        panic!("one workload")
    };
    let config = workload.config.as_ref().unwrap();
    let globals = Globals::of(config);
    let mut assignment = BTreeMap::new();
    for job in &config.jobs {
        let found = discovery.job(job, &workload.id.namespace);
        assert!(found.unfollowed.is_empty(), "{:?}", found.unfollowed);
        let assigner = Assigner::new(job.rules(), &workload.plan.shards, NameScheme::Utf8).unwrap();
        for mut labels in found.groups.iter().flat_map(TargetGroup::merged) {
            scrape_labels(job, globals, &mut labels);
            let labels = label_set(&labels);
            assignment.insert(
                labels.get("__address__").to_owned(),
                (assigner.keepers(&labels).len(), labels),
            );
        }
    }
    let n_shards: Vec<_> = assignment
        .iter()
        .map(|(address, (n_shards, _))| (address.as_str(), *n_shards))
        .collect();
    assert_eq!(
        n_shards,
        [
            ("10.0.0.1:80", 0),
            ("10.0.0.1:9090", 1),
            ("10.0.0.2:9090", 1),
            ("10.0.0.3:9090", 1),
            ("10.0.0.9:9090", 0),
            ("https://shop.example.com", 1),
        ]
    );
    let api = &assignment["10.0.0.1:9090"].1;
    let names = [
        "job",
        "__metrics_path__",
        "__param_format",
        "__scrape_interval__",
        "__scrape_timeout__",
    ];
    assert_eq!(
        names.map(|name| api.get(name)),
        ["serviceMonitor/shop/api/0", "/stats", "text", "15s", "10s"]
    );
    let site = &assignment["https://shop.example.com"].1;
    let names = [
        "job",
        "__param_module",
        "namespace",
        "tier",
        "__metrics_path__",
    ];
    assert_eq!(
        names.map(|name| site.get(name)),
        ["probe/shop/site", "http_2xx", "shop", "edge", "/probe"]
    );
}
