//! Beside an operator or a chart that is newer than promgen knows, nothing that may be right is an error.

use crate::lint::folder;
use crate::support::{Ran, promgen, root};

const OPERATOR: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: prometheus-operator, namespace: d}
spec: {template: {spec: {containers: [{name: o, image: quay.io/prometheus-operator/prometheus-operator:v9.0.0, args: [--future=1]}]}}}
";

const RESOURCES: &str = "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: d}
spec: {serviceMonitorSelector: {}, ruleSelector: {}, alerting: {alertmanagers: [{name: am, port: web}]}, future: {a: 1}, logLevel: silent}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: d}
spec: {selector: {}, endpoints: [{port: web, scrapeFoo: 3}]}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r, namespace: d}
spec: {groups: [{name: g, rules: [{alert: A, expr: 'future_function(up) > 1'}]}]}
";

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com, annotations: {operator.prometheus.io/version: 9.0.0}}
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              selector: {x-kubernetes-preserve-unknown-fields: true}
              endpoints: {items: {properties: {port: {type: string}, scrapeFoo: {type: integer}}}}
";

fn lint(files: &[(&str, &str)], args: &[&str]) -> Ran {
    let root = folder(files);
    promgen(
        &[
            &["lint", "--ignore", "PG511,PG512"],
            args,
            &[root.path().to_str().unwrap()],
        ]
        .concat(),
    )
}

#[test]
fn what_a_newer_operator_may_know_is_one_note() {
    let counts = "compiled as v0.95.2; 2 fields, 1 function, 1 value are not checked";
    let by_image = lint(&[("o.yaml", OPERATOR), ("a.yaml", RESOURCES)], &[]);
    let by_option = lint(&[("a.yaml", RESOURCES)], &["--operator-version", "v0.97.0"]);
    for (ran, release) in [(&by_image, "v9.0.0"), (&by_option, "v0.97.0")] {
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.matches("[PG").count(), 1, "{}", ran.stdout);
        assert!(
            ran.stdout.contains("info[PG314]") && ran.stdout.contains(counts),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains(release), "{}", ran.stdout);
    }
    // A release that promgen knows says what is wrong.
    let known = lint(&[("a.yaml", RESOURCES)], &["--operator-version", "v0.94.1"]);
    assert!(
        known.code == 1 && known.stdout.matches("error[PG").count() == 4,
        "{}",
        known.stdout
    );
}

#[test]
fn definitions_in_the_input_decide() {
    let files = [
        ("o.yaml", OPERATOR),
        ("crd.yaml", DEFINITION),
        ("a.yaml", RESOURCES),
    ];
    let ran = lint(&files, &[]);
    assert!(
        ran.code == 0
            && ran
                .stdout
                .contains("1 field, 1 function, 1 value are not checked"),
        "{}",
        ran.stdout
    );
    let misspelt = RESOURCES.replace("scrapeFoo", "scrapeFo");
    let ran = lint(
        &[
            ("o.yaml", OPERATOR),
            ("crd.yaml", DEFINITION),
            ("a.yaml", &misspelt),
        ],
        &[],
    );
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("unknown field \"spec.endpoints[0].scrapeFo\""),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("did you mean \"scrapeFoo\"?"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_newer_chart_brings_a_newer_operator() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kps, namespace: d}\nspec:\n  \
                   interval: 1m\n  chart: {spec: {chart: kube-prometheus-stack, version: 199.0.0, sourceRef: {kind: \
                   HelmRepository, name: pc}}}\n  values: {prometheus: {prometheusSpec: {future: 1, serviceMonitorSelector: {}, \
                   serviceMonitorSelectorNilUsesHelmValues: false}}}\n---\n";
    let ran = lint(
        &[("a.yaml", &(release.to_owned() + RESOURCES))],
        &["--select", "PG010,PG013,PG101,PG314,PG810,PG813"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("the newest that promgen knows: compiled as")
            && ran.stdout.contains("1 value is not checked"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("the operator of the chart is newer than v0.95.2"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_upgrade_to_a_newer_release_says_so() {
    let root = folder(&[("a.yaml", RESOURCES)]);
    let ran = promgen(&[
        "upgrade",
        "--from",
        "v0.94.1",
        "--to",
        "v0.97.0",
        root.path().to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("v0.97.0, which is newer than v0.95.2"),
        "{}",
        ran.stdout
    );
}

#[test]
fn given_definitions_are_the_schema_of_their_kinds() {
    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com, annotations: {operator.prometheus.io/version: 0.92.0}}
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: '!has(self.jobLabel) || self.endpoints.all(e, has(e.port))', message: no port}]
            properties:
              jobLabel: {type: string, maxLength: 3}
              selector: {type: object, x-kubernetes-preserve-unknown-fields: true}
              endpoints: {type: array, items: {type: object, properties: {port: {type: string}, scrapeFoo: {type: integer}}}}
";
    const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: d}
spec: {selector: {}, endpoints: [{port: web, scrapeFoo: 3}]}
";
    let root = folder(&[
        ("a.yaml", MONITOR),
        (
            "b.yaml",
            &MONITOR.replace("selector: {}", "jobLabel: long, selector: {}"),
        ),
    ]);
    let beside = folder(&[
        ("crd.yaml", CRD),
        ("c.yaml", "apiVersion: v1\nkind: List\nitems: []\n"),
    ]);
    let given = ["--crds", beside.path().to_str().unwrap()];
    let lint = |file: &str, args: &[&str]| {
        promgen(
            &[
                &["lint", "--ignore", "PG511,PG512,PG017"],
                args,
                &[root.path().join(file).to_str().unwrap()],
            ]
            .concat(),
        )
    };
    assert!(
        lint("a.yaml", &[])
            .stdout
            .contains("unknown field \"spec.endpoints[0].scrapeFoo\"")
    );
    let ran = lint("a.yaml", &given);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let ran = lint("b.yaml", &given);
    assert!(
        ran.code == 1 && ran.stdout.contains("should be at most 3 chars long"),
        "{}",
        ran.stdout
    );
    let no_port = MONITOR
        .replace("selector: {}", "jobLabel: app, selector: {}")
        .replace("port: web, ", "");
    std::fs::write(root.path().join("b.yaml"), no_port).unwrap();
    let ran = lint("b.yaml", &given);
    assert!(
        ran.code == 1
            && ran
                .stdout
                .contains("error[PG014]: spec: Invalid value: no port"),
        "{}",
        ran.stdout
    );
    let none = lint("a.yaml", &["--crds", root.path().to_str().unwrap()]);
    assert!(
        none.code == 2 && none.stderr.contains("there is no CustomResourceDefinition"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_newer_table_of_facts_says_what_a_newer_release_has() {
    let table = std::fs::read_to_string(root().join("crates/promgen-resources/facts/operator.txt"))
        .unwrap();
    let newer = table
        .replacen(
            "\nfeature ",
            "\nrelease v0.97.0 2027-01-01 v3.17.0 v0.36.0 v0.43.0 read\nfeature ",
            1,
        )
        .replacen(
            "\ntype monitoring/v1.Endpoint\n",
            "\ntype monitoring/v1.Endpoint\n  scrapeFoo integer maximum=3\n",
            1,
        );
    let facts = folder(&[("facts.txt", &newer), ("old.txt", "promgen facts 0\n")]);
    let given = |file: &str| facts.path().join(file).to_str().unwrap().to_owned();
    let with_facts = [
        "--operator-version",
        "v0.97.0",
        "--facts",
        &given("facts.txt"),
    ];
    let monitor = "apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: d}
spec: {selector: {}, endpoints: [{port: web, scrapeFoo: 3}]}
";
    let of = |name: &str, field: &str| monitor.replace("cart", name).replace("scrapeFoo: 3", field);
    let monitors = [
        monitor.to_owned(),
        of("misspelt", "scrapeFo: 3"),
        of("high", "scrapeFoo: 4"),
    ]
    .join("---\n");
    let ran = lint(&[("a.yaml", &monitors)], &with_facts);
    assert!(
        ran.code == 1 && ran.stdout.matches("error[PG").count() == 2,
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("did you mean \"scrapeFoo\"?"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("should be less than or equal to 3"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("not checked"), "{}", ran.stdout);
    let server = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: d}, spec: {}}";
    let input = folder(&[("a.yaml", server)]);
    let ran = promgen(&[&["render", input.path().to_str().unwrap()], &with_facts[..]].concat());
    assert!(
        ran.stdout.contains("quay.io/prometheus/prometheus:v3.17.0"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = lint(&[("a.yaml", monitor)], &["--facts", &given("old.txt")]);
    assert!(
        ran.code == 2 && ran.stderr.contains("in the first line"),
        "{}",
        ran.stderr
    );
}
