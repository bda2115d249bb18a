//! Tests of comparisons, through the compiler.

use crate::compare::pair;
use crate::diff::{Changes, WorkloadChanges};
use promgen_compile::options::Options;
use promgen_model::Model;
use promgen_model::Project;
use promgen_text::source::Input;

const SERVER: &str = "
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec: {podMonitorSelector: {}, SPEC}
";

const POD: &str = "
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, ports: [{name: metrics, containerPort: 80}]}]}
status: {podIP: 10.0.0.1, phase: Running}
";

fn monitor(name: &str, rest: &str) -> String {
    format!(
        "\n---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec: {{selector: {{matchLabels: {{app: web}}}}, podMetricsEndpoints: [{{port: metrics, {rest}}}]}}\n"
    )
}

fn side(inputs: &[Input], options: &Options) -> Model {
    Project::read_side(inputs, options).model()
}

fn changes(base: &str, head: &str) -> Changes {
    let [base, head] = [base, head].map(|text| [Input::new("a.yaml", [text, POD].concat())]);
    let options = Options::default();
    pair(&side(&base, &options), &side(&head, &options))
}

fn server(spec: &str) -> String {
    SERVER.replace("SPEC", spec)
}

fn only(changes: &Changes) -> &WorkloadChanges {
    let [workload] = changes.workloads.as_slice() else {
        panic!("{changes:?}")
    };
    workload
}

#[test]
fn a_target_that_another_job_scrapes_is_not_lost() {
    let found = changes(
        &(server("") + &monitor("a", "")),
        &(server("") + &monitor("b", "")),
    );
    let targets = &only(&found).targets;
    assert_eq!(
        (
            targets.lost.total,
            targets.gained.total,
            targets.rejobbed.total
        ),
        (0, 1, 1)
    );
    assert_eq!(
        targets.rejobbed.items[0].why,
        "podMonitor/shop/b/0 scrapes it"
    );
}

#[test]
fn a_target_is_lost_to_a_relabel_rule_a_job_or_a_pod() {
    let (spec, before) = (server(""), server("") + &monitor("a", ""));
    let dropped = monitor(
        "a",
        "relabelings: [{action: drop, sourceLabels: [__address__], regex: '10.*'}]",
    );
    for (head, why) in [
        (spec.clone() + &dropped, "a relabel rule drops it"),
        (spec, "the job is dropped"),
    ] {
        let found = changes(&before, &head);
        assert_eq!(
            (
                found.n_lost(),
                only(&found).targets.lost.items[0].why.as_str()
            ),
            (1, why)
        );
    }
    let options = Options::default();
    let [with, without] = [before.clone() + POD, before].map(|text| [Input::new("a.yaml", text)]);
    let found = pair(&side(&with, &options), &side(&without, &options));
    assert_eq!(
        only(&found).targets.lost.items[0].why,
        "it is no longer discovered"
    );
}

#[test]
fn the_pods_of_a_template_are_lost_if_its_labels_or_ports_no_longer_fit() {
    let deployment = |labels: &str, port: &str| {
        format!(
            "\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: cart, namespace: shop}}\nspec:\n  template:\n    \
             metadata: {{labels: {labels}}}\n    spec: {{containers: [{{name: c, ports: [{{name: {port}, containerPort: 90}}]}}]}}\n"
        )
    };
    let options = Options::default();
    let lost = |base: &str, head: &str| {
        let [base, head] = [base, head].map(|text| [Input::new("a.yaml", server("") + text)]);
        let found = pair(&side(&base, &options), &side(&head, &options));
        let workloads = found
            .workloads
            .iter()
            .flat_map(|workload| &workload.targets.lost.items);
        workloads
            .map(|target| format!("{}: {}", target.address, target.why))
            .collect::<Vec<_>>()
    };
    let fitting = deployment("{app: web}", "metrics");
    let base = monitor("a", "") + &fitting;
    let unled = [
        "Deployment/shop/cart:90: labels or ports of its pods and of the Service no longer lead to them",
    ];
    assert_eq!(
        lost(
            &base,
            &(monitor("a", "") + &deployment("{app: cart}", "metrics"))
        ),
        unled
    );
    let renamed = ["Deployment/shop/cart:90: port \"metrics\" is now \"web\""];
    assert_eq!(
        lost(
            &base,
            &(monitor("a", "") + &deployment("{app: web}", "web"))
        ),
        renamed
    );
    let elsewhere = |head: &str| {
        head.replace(
            "namespace: shop}\nspec:\n  template",
            "namespace: bank}\nspec:\n  template",
        )
    };
    let moved = [
        "Deployment/shop/cart:90: its pods are in namespace bank now, where no job looks for them",
    ];
    assert_eq!(lost(&base, &elsewhere(&base)), moved);
    let follows = monitor("a", "").replace("spec: {", "spec: {namespaceSelector: {any: true}, ");
    assert!(
        lost(&base, &(follows + &elsewhere(&fitting))).is_empty(),
        "the monitor looks everywhere"
    );
    let pod = |port: &str| {
        let made = deployment("{app: web}", port)
            .replace("apps/v1", "v1")
            .replace("Deployment", "Pod");
        made.replace("name: cart,", "name: cart-1, labels: {app: web},")
            .replace(
                "  template:\n    metadata: {labels: {app: web}}\n    spec: {",
                "  {",
            )
    };
    let with_pod = |port: &str| monitor("a", "") + &deployment("{app: web}", port) + &pod(port);
    assert_eq!(
        lost(&with_pod("metrics"), &with_pod("web")),
        renamed,
        "a Pod of the template is none of its own"
    );
    assert_eq!(
        lost(&base, &fitting),
        ["Deployment/shop/cart:90: the job is dropped"]
    );
    assert!(
        lost(&base, &(monitor("b", "") + &fitting)).is_empty(),
        "another job finds them"
    );
    assert!(
        lost(&base, &monitor("a", "")).is_empty(),
        "there is no Deployment any more"
    );
    let choosy = monitor(
        "a",
        "relabelings: [{action: keep, sourceLabels: [__address__], regex: x}]",
    );
    assert!(
        lost(&(choosy + &fitting), &fitting).is_empty(),
        "nobody knows what it kept"
    );
}

#[test]
fn moves_are_not_known_without_pods() {
    let options = Options::default();
    let unknown = |shards: [&str; 2], pods: &str| {
        let [base, head] = shards.map(|shards| {
            [Input::new(
                "a.yaml",
                server(shards) + &monitor("a", "") + pods,
            )]
        });
        let found = pair(&side(&base, &options), &side(&head, &options));
        found
            .workloads
            .iter()
            .map(|workload| workload.targets.unknown.total)
            .sum::<usize>()
    };
    assert_eq!(unknown(["shards: 1", "shards: 2"], ""), 1);
    assert_eq!(unknown(["shards: 1", "shards: 2"], POD), 0);
    assert_eq!(unknown(["shards: 2", "shards: 2, replicas: 2"], ""), 0);
}

#[test]
fn what_removed_shards_store_is_said() {
    let notes = |base: &str, head: &str| {
        let found = changes(&server(base), &server(head));
        only(&found)
            .shards
            .as_ref()
            .map(|shards| shards.stored.clone())
            .unwrap_or_default()
    };
    assert!(
        notes("shards: 3", "shards: 2")[0]
            .starts_with("shard 2 is removed, and the data that it stores is lost")
    );
    let with = |shards: &str, rest: &str| {
        format!("shards: {shards}, storage: {{volumeClaimTemplate: {{}}}}{rest}")
    };
    assert!(
        notes(&with("3", ""), &with("1", ""))[0]
            .starts_with("shards 1, 2 are removed, and their volume claims stay")
    );
    let deleting = with(
        "2",
        ", persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}",
    );
    assert!(
        notes(&deleting, &with("1", ""))[0]
            .starts_with("shard 1 is removed, and its volume claims are deleted")
    );
    assert!(notes(&with("1", ""), &with("2", "")).is_empty());
    let zones = |zones: &str| {
        with(
            "2",
            &format!(", shardingStrategy: {{mode: topology, topology: [{zones}]}}"),
        )
    };
    assert!(notes(&zones("a, b"), &zones("a, c"))[0].ends_with("(1 from b to c)"));
}

#[test]
fn a_renamed_workload_loses_no_targets() {
    let before = server("") + &monitor("a", "");
    let found = changes(&before, &before.replace("name: main", "name: other"));
    assert_eq!((found.workloads.len(), found.n_lost()), (2, 0));
    let moved = &found.workloads[0].targets.rejobbed.items[0].why;
    assert_eq!(
        moved,
        "podMonitor/shop/a/0 of Prometheus/shop/other scrapes it"
    );
}

#[test]
fn fields_that_restart_pods_name_what_causes_them() {
    let found = changes(
        &server("logLevel: info, replicas: 2"),
        &server("logLevel: debug, replicas: 3"),
    );
    let restart = &only(&found).restarts.items[0];
    // Prometheus and both reloaders.
    assert_eq!(
        (restart.pods, restart.is_recreated, restart.fields.total),
        (Some(2), false, 3)
    );
    assert!(
        restart
            .fields
            .items
            .iter()
            .all(|field| field.cause.as_deref() == Some("spec.logLevel"))
    );
    let found = changes(&server("nodeSelector: {a: b}"), &server(""));
    assert_eq!(
        only(&found).restarts.items[0].fields.items[0]
            .cause
            .as_deref(),
        Some("spec.nodeSelector")
    );
    assert!(
        only(&changes(&server("replicas: 2"), &server("replicas: 3")))
            .restarts
            .is_empty()
    );
}

#[test]
fn a_field_that_cannot_be_updated_recreates_the_statefulset() {
    let storage = |size: &str| {
        server(&format!(
            "storage: {{volumeClaimTemplate: {{spec: {{resources: {{requests: {{storage: {size}}}}}}}}}}}"
        ))
    };
    let found = changes(&storage("1Gi"), &storage("2Gi"));
    assert!(only(&found).restarts.items[0].is_recreated);
}

#[test]
fn the_order_of_keys_and_comments_are_no_difference() {
    let base = server("replicas: 2, shards: 2");
    let found = changes(&base, &server("replicas: 2, # two\n  shards: 2"));
    assert!(found.is_empty(), "{found:?}");
    let found = changes(&base, &server("shards: 2, replicas: 2"));
    assert!(
        found.workloads.is_empty() && found.n_other_files == 1,
        "{found:?}"
    );
}

#[test]
fn a_secret_that_differs_is_named_and_not_shown() {
    let secret = |value: &str| {
        format!(
            "\n---\n{{apiVersion: v1, kind: Secret, metadata: {{name: creds, namespace: shop}}, stringData: {{pw: {value}, user: u}}}}\n"
        )
    };
    let auth = "basicAuth: {username: {name: creds, key: user}, password: {name: creds, key: pw}}";
    let server = server(&format!("remoteWrite: [{{url: 'http://x/write', {auth}}}]"));
    let of = |interval: &str, value: &str| {
        server.clone() + &monitor("a", &format!("interval: {interval}, {auth}")) + &secret(value)
    };
    for (interval, n_fields) in [("30s", 1), ("15s", 2)] {
        let found = changes(&of("30s", "hush-1"), &of(interval, "hush-2"));
        let workload = only(&found);
        let fields = &workload.jobs.changed.items[0].fields.items;
        assert_eq!(fields.len(), n_fields);
        let password = fields.last().unwrap();
        assert_eq!(
            (password.path.as_str(), password.to.as_deref()),
            ("basic_auth.password", Some("<redacted>"))
        );
        assert_eq!(
            workload.settings.items[0].path,
            "remote_write[0].basic_auth.password"
        );
        assert!(
            !found.files.items.is_empty() && found.files.items.iter().all(|file| !file.is_other)
        );
        assert!(!format!("{found:?}").contains("hush"));
    }
}
