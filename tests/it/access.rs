//! Permissions and policies at random: what is granted and what is open agrees with the authorizer of Kubernetes and with the engine
//! of kube-network-policies. Runs where `ACCESS` names the program of `oracle/access`; `.ci/run` builds it.

use serde_json::{Value, json};

use promgen_compile::access::{AccessVerdict, CLUSTER, Need, NeededObject, Rbac, ServiceAccount};
use promgen_resources::api::{DeclaredPort, PodContainer, PodSpec};
use promgen_resources::document::Manifests;
use promgen_targets::network::{NetworkPods, NetworkWay, Policies, TargetPort};
use promgen_testing::{needs, recorded};
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::StringMap;

use crate::support::asked::{Dice, LineProgram};
use crate::support::{promgen, tool};

/// The number of batches that are asked, and how many questions each has.
const BATCHES: u64 = 500;
const QUESTIONS: usize = 200;

const NAMESPACES: &[&str] = &["a", "b", "c"];
const RESOURCES: &[(&str, &str)] = &[
    ("", "pods"),
    ("", "services"),
    ("", "nodes"),
    ("", "nodes/metrics"),
    ("discovery.k8s.io", "endpointslices"),
    ("networking.k8s.io", "ingresses"),
];
const VERBS: &[&str] = &["get", "list", "watch"];
const PATHS: &[&str] = &["/metrics", "/metrics/slis", "/healthz"];

fn rule(dice: &mut Dice, is_cluster: bool) -> Value {
    let verbs = if dice.is(10) {
        vec!["*"]
    } else {
        dice.few(VERBS, 60)
    };
    if is_cluster && dice.is(20) {
        let urls = ["/metrics", "/metrics/*", "*", "/healthz", "/metrics*"];
        return json!({ "nonResourceURLs": dice.few(&urls, 30), "verbs": verbs });
    }
    let groups = [
        "",
        "*",
        "discovery.k8s.io",
        "networking.k8s.io",
        "extensions",
    ];
    let resources = [
        "pods",
        "services",
        "nodes",
        "nodes/metrics",
        "*/metrics",
        "*",
        "endpointslices",
        "ingresses",
    ];
    let mut rule = json!({ "apiGroups": dice.few(&groups, 30), "resources": dice.few(&resources, 25), "verbs": verbs });
    if dice.is(15) {
        rule["resourceNames"] = json!(dice.few(&["x", "y"], 50));
    }
    rule
}

fn subject(dice: &mut Dice, in_namespace: bool) -> Value {
    let group = |name: &str| json!({ "kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": name });
    let (namespace, name) = (dice.one(NAMESPACES), dice.one(&["p", "q"]));
    match dice.below(8) {
        0 => group("system:serviceaccounts"),
        1 => group(&format!("system:serviceaccounts:{namespace}")),
        2 => group(dice.one(&[
            "system:authenticated",
            "system:masters",
            "system:serviceaccounts:",
        ])),
        3 => {
            let user = format!("system:serviceaccount:{namespace}:{name}");
            json!({ "kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user })
        }
        4 if in_namespace => json!({ "kind": "ServiceAccount", "name": name }),
        _ => json!({ "kind": "ServiceAccount", "name": name, "namespace": namespace }),
    }
}

fn rbac_object(kind: &str, namespace: Option<&str>, name: &str) -> Value {
    let mut object = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": { "name": name } });
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = json!(namespace);
    }
    object
}

/// Roles and bindings; each account has one.
fn permissions(dice: &mut Dice) -> Vec<Value> {
    let mut objects = Vec::new();
    let n_cluster = 1 + dice.below(5);
    for number in 0..n_cluster {
        let mut role = rbac_object("ClusterRole", None, &format!("c{number}"));
        let labels: Vec<_> = dice.some(&["l", "m"], 40);
        role["metadata"]["labels"] = labels
            .into_iter()
            .map(|key| (key.to_owned(), json!("yes")))
            .collect();
        role["rules"] = (0..dice.below(3)).map(|_| rule(dice, true)).collect();
        if dice.is(25) {
            let selectors: Vec<Value> = dice
                .few(&["l", "m"], 30)
                .iter()
                .map(|key| json!({ "matchLabels": { *key: "yes" } }))
                .collect();
            // The controller writes its rules.
            role["rules"] = json!([]);
            role["aggregationRule"] = json!({ "clusterRoleSelectors": selectors });
        }
        objects.push(role);
    }
    for namespace in NAMESPACES {
        let mut role = rbac_object("Role", Some(namespace), "r");
        role["rules"] = (0..1 + dice.below(2)).map(|_| rule(dice, false)).collect();
        objects.push(role);
    }
    for number in 0..4 + dice.below(6) {
        let namespace = if dice.is(30) {
            None
        } else {
            Some(dice.one(NAMESPACES))
        };
        let kind = if namespace.is_some() {
            "RoleBinding"
        } else {
            "ClusterRoleBinding"
        };
        let mut binding = rbac_object(kind, namespace, &format!("b{number}"));
        let role = match namespace {
            Some(_) if dice.is(60) => json!({ "kind": "Role", "name": "r" }),
            _ => json!({ "kind": "ClusterRole", "name": format!("c{}", dice.below(n_cluster)) }),
        };
        binding["roleRef"] = role;
        binding["roleRef"]["apiGroup"] = json!("rbac.authorization.k8s.io");
        binding["subjects"] = (0..1 + dice.below(2))
            .map(|_| subject(dice, namespace.is_some()))
            .collect();
        objects.push(binding);
    }
    // One that grants nothing: with it the input counts as complete.
    objects.push(rbac_object("ClusterRole", None, "nothing"));
    let mut all = rbac_object("ClusterRoleBinding", None, "all");
    all["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "nothing" });
    all["subjects"] = json!([{ "kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:serviceaccounts" }]);
    objects.push(all);
    objects
}

/// A request for Kubernetes, and for promgen.
fn request(dice: &mut Dice) -> (Value, ServiceAccount, &'static str, Need) {
    let account = ServiceAccount {
        namespace: dice.one(NAMESPACES).to_owned(),
        name: dice.one(&["p", "q"]).to_owned(),
    };
    let verb = dice.one(VERBS);
    let of = json!({ "Namespace": account.namespace, "Name": account.name });
    if dice.is(15) {
        let path = dice.one(PATHS);
        let asked = json!({ "Account": of, "Verb": verb, "Path": path });
        return (asked, account, verb, Need::Url(path.to_owned()));
    }
    let (group, resource) = dice.one(RESOURCES);
    let namespace = if dice.is(30) {
        CLUSTER
    } else {
        dice.one(NAMESPACES)
    }
    .to_owned();
    let name = if dice.is(20) {
        dice.one(&["x", "z"])
    } else {
        ""
    };
    let (plural, sub) = resource.split_once('/').unwrap_or((resource, ""));
    let asked = json!({
        "Account": of, "Verb": verb, "Group": group, "Resource": plural, "Subresource": sub,
        "Namespace": namespace, "Name": name,
    });
    let object = if name.is_empty() {
        NeededObject::All
    } else {
        NeededObject::Named(name.to_owned())
    };
    (
        asked,
        account,
        verb,
        Need::Resource {
            namespace,
            group,
            resource,
            object,
            verbs: VERBS,
        },
    )
}

fn selector(dice: &mut Dice) -> Value {
    let keys = ["app", "team", "kubernetes.io/metadata.name"];
    let values = ["a", "b", "c", "x"];
    match dice.below(4) {
        0 => json!({}),
        1 => json!({ "matchLabels": { dice.one(&keys): dice.one(&values) } }),
        _ => {
            let operator = dice.one(&["In", "NotIn", "Exists", "DoesNotExist"]);
            let mut expression = json!({ "key": dice.one(&keys), "operator": operator });
            if operator.ends_with("In") {
                expression["values"] = json!(dice.few(&values, 40));
            }
            json!({ "matchExpressions": [expression] })
        }
    }
}

fn peer(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({ "podSelector": selector(dice) }),
        1 => json!({ "namespaceSelector": selector(dice) }),
        _ => json!({ "namespaceSelector": selector(dice), "podSelector": selector(dice) }),
    }
}

fn policy_port(dice: &mut Dice) -> Value {
    let mut port = match dice.below(4) {
        0 => json!({}),
        1 => json!({ "port": dice.one(&["web", "metrics", "admin"]) }),
        2 => json!({ "port": dice.one(&[80, 8080, 9090]) }),
        _ => {
            let first = dice.one(&[79, 80, 8000, 8080]);
            json!({ "port": first, "endPort": first + dice.one(&[0, 1, 80, 1090]) })
        }
    };
    if dice.is(40) {
        port["protocol"] = json!(dice.one(&["TCP", "UDP"]));
    }
    port
}

fn policies(dice: &mut Dice) -> Vec<Value> {
    let rules = |dice: &mut Dice, peers: &str| -> Value {
        let rule = |dice: &mut Dice| {
            let mut rule = json!({});
            if dice.is(75) {
                rule[peers] = (0..1 + dice.below(2)).map(|_| peer(dice)).collect();
            }
            if dice.is(50) {
                rule["ports"] = (0..1 + dice.below(2)).map(|_| policy_port(dice)).collect();
            }
            rule
        };
        (0..dice.below(3)).map(|_| rule(dice)).collect()
    };
    let policy = |number: usize, dice: &mut Dice| {
        let mut spec = json!({ "podSelector": selector(dice) });
        if dice.is(50) {
            spec["ingress"] = rules(dice, "from");
        }
        if dice.is(40) {
            spec["egress"] = rules(dice, "to");
        }
        if dice.is(60) {
            spec["policyTypes"] = json!(dice.few(&["Ingress", "Egress"], 50));
        }
        let metadata = json!({ "name": format!("n{number}"), "namespace": dice.one(NAMESPACES) });
        json!({ "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec })
    };
    (0..dice.below(6))
        .map(|number| policy(number, dice))
        .collect()
}

/// A pod at one end.
struct End {
    namespace: &'static str,
    namespace_labels: StringMap,
    labels: StringMap,
    spec: PodSpec,
}

impl End {
    /// Namespaces have the same labels in one question.
    fn new(dice: &mut Dice, teams: &[&str]) -> Self {
        let number = dice.below(NAMESPACES.len());
        let namespace = NAMESPACES[number];
        let mut namespace_labels: StringMap =
            [("kubernetes.io/metadata.name".into(), namespace.into())]
                .into_iter()
                .collect();
        if teams[number] != "none" {
            namespace_labels.insert("team".into(), teams[number].into());
        }
        let keys = dice.some(&["app", "team"], 70);
        let labels = keys
            .iter()
            .map(|key| ((*key).into(), (*dice.one(&["a", "b"])).into()))
            .collect();
        let names = dice.some(&["web", "metrics"], 70);
        let port = |name: &&str| DeclaredPort {
            name: (*name).to_owned(),
            container_port: dice.one(&[80, 8080, 9090]),
            protocol: if dice.is(20) { "UDP" } else { "TCP" }.to_owned(),
        };
        let ports = names.iter().map(port).collect();
        let containers = vec![PodContainer {
            name: "app".to_owned(),
            ports,
            ..PodContainer::default()
        }];
        Self {
            namespace,
            namespace_labels,
            labels,
            spec: PodSpec {
                containers,
                ..PodSpec::default()
            },
        }
    }

    fn asked(&self) -> Value {
        let map = |labels: &StringMap| -> Value {
            labels
                .iter()
                .map(|(key, value)| (key.to_string(), json!(value.as_str())))
                .collect()
        };
        let port = |port: &DeclaredPort| json!({ "Name": port.name, "Number": port.container_port, "Protocol": port.protocol });
        json!({
            "Namespace": self.namespace, "NamespaceLabels": map(&self.namespace_labels), "Labels": map(&self.labels),
            "Ports": self.spec.containers[0].ports.iter().map(port).collect::<Vec<_>>(),
        })
    }

    fn pods(&self) -> NetworkPods<'_> {
        NetworkPods {
            namespace: self.namespace,
            namespace_labels: Some(&self.namespace_labels),
            labels: &self.labels,
            spec: &self.spec,
        }
    }
}

fn manifests(objects: &[Value]) -> Manifests {
    let text: String = objects
        .iter()
        .map(|object| format!("{object}\n---\n"))
        .collect();
    let parsed = promgen_text::yaml::read::read(FileId::new(0), &text, &mut Sink::default());
    Manifests::read(parsed, "default", &mut Sink::default())
}

/// What is asked of the program, and what promgen answers: `None` for what it does not know.
struct Batch {
    asked: Value,
    granted: Vec<Option<bool>>,
    open: Vec<Option<bool>>,
}

impl Batch {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let (roles, policies) = (permissions(&mut dice), policies(&mut dice));
        let rbac = Rbac::read(&manifests(&roles), &|_| false, true);
        let known = Policies::read(&manifests(&policies), &|_| false, true);
        let (mut requests, mut granted) = (Vec::new(), Vec::new());
        for _ in 0..QUESTIONS {
            let (asked, account, verb, need) = request(&mut dice);
            requests.push(asked);
            granted.push(match rbac.grants(account).may(verb, &need) {
                AccessVerdict::Granted(_) => Some(true),
                AccessVerdict::Denied => Some(false),
                AccessVerdict::Unknown(_) => None,
            });
        }
        let (mut ways, mut open) = (Vec::new(), Vec::new());
        for _ in 0..QUESTIONS {
            let teams: Vec<&str> = NAMESPACES
                .iter()
                .map(|_| dice.one(&["a", "b", "none"]))
                .collect();
            let (from, to) = (End::new(&mut dice, &teams), End::new(&mut dice, &teams));
            let port = dice.one(&[80, 8080, 9090]);
            ways.push(json!({ "From": from.asked(), "To": to.asked(), "Port": port }));
            let number = i64::from(port);
            open.push(
                match known.way(
                    &known.scraping(from.pods()),
                    &to.pods(),
                    TargetPort { number },
                ) {
                    NetworkWay::Open => Some(true),
                    NetworkWay::Blocked(..) => Some(false),
                    NetworkWay::Unknown(_) => None,
                },
            );
        }
        let objects: Vec<&Value> = roles.iter().chain(&policies).collect();
        Self {
            asked: json!({ "Objects": objects, "Requests": requests, "Ways": ways }),
            granted,
            open,
        }
    }
}

/// How often promgen answers as the program does, otherwise, and not at all.
#[derive(Debug, Default)]
struct Tally {
    yes: usize,
    no: usize,
    unknown: usize,
}

impl Tally {
    fn compare(&mut self, ours: &[Option<bool>], theirs: &Value, what: &str) {
        let theirs: Vec<bool> = theirs
            .as_array()
            .unwrap()
            .iter()
            .map(|answer| answer.as_bool().unwrap())
            .collect();
        assert_eq!(ours.len(), theirs.len());
        for (number, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            match ours {
                Some(ours) => assert_eq!(*ours, theirs, "{what}, question {number}"),
                None => self.unknown += 1,
            }
            *(if theirs { &mut self.yes } else { &mut self.no }) += 1;
        }
    }
}

#[test]
#[ignore = "needs ACCESS, the program of oracle/access"]
fn kubernetes_answers_the_same() {
    let mut program = LineProgram::start(&tool("ACCESS"));
    let (mut permissions, mut ways) = (Tally::default(), Tally::default());
    for seed in 1..=BATCHES {
        let batch = Batch::new(seed);
        let answers = program.ask(&batch.asked);
        permissions.compare(
            &batch.granted,
            &answers["granted"],
            &format!("permissions of batch {seed}"),
        );
        ways.compare(
            &batch.open,
            &answers["open"],
            &format!("ways of batch {seed}"),
        );
    }
    program.finish();
    println!("permissions: {permissions:?}; ways: {ways:?}");
    let least = usize::try_from(BATCHES).unwrap() * QUESTIONS / 10;
    assert!(
        permissions.yes > least && permissions.no > least && permissions.unknown < least,
        "{permissions:?}"
    );
    assert!(
        ways.yes > least && ways.no > least && ways.unknown == 0,
        "{ways:?}"
    );
}

#[needs(recordings)]
#[test]
fn kube_prometheus_grants_what_its_monitors_need() {
    let folder = recorded("conformance/repositories/kivra-kube-prometheus/files/manifests");
    let folder = folder.to_str().unwrap();
    let missing = promgen(&["rbac", "--check", folder]);
    assert!(
        missing.code == 0 && missing.stdout.is_empty(),
        "{}",
        missing.stdout
    );
    assert!(
        promgen(&["rbac", folder])
            .stdout
            .contains("kind: RoleBinding")
    );
    let linted = promgen(&["lint", "--select", "PG131,PG132,PG134", folder]);
    assert!(!linted.stdout.contains("[PG13"), "{}", linted.stdout);
}

#[test]
fn what_jobs_in_a_secret_need_is_unknown_until_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "apiVersion: v1
kind: Secret
metadata: {name: more, namespace: mon}
stringData:
  jobs.yaml: |
    - job_name: owners
      kubernetes_sd_configs:
      - {role: pod, namespaces: {names: [shop]}, attach_metadata: {deployment: true}}
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: mon}
spec: {scrapeConfigSelector: {}, additionalScrapeConfigs: {name: more, key: jobs.yaml}}
";
    std::fs::write(folder.path().join("all.yaml"), text).unwrap();
    let folder = folder.path().to_str().unwrap();
    let ran = promgen(&["rbac", folder]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let said = "note: not known: Prometheus mon/main: what the jobs of `additionalScrapeConfigs` need, which are in a Secret";
    assert!(
        ran.stderr.contains(said) && !ran.stderr.contains("nothing is needed"),
        "{}",
        ran.stderr
    );
    let ran = promgen(&["rbac", folder, "--reveal-secrets"]);
    assert!(
        ran.stdout.contains("- replicasets") && !ran.stderr.contains("not known"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}
