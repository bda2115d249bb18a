//! Names inside expressions: where they lead, and who uses them.

use super::Client;
use super::places::Asked;

const JOBS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec: {scrapeConfigSelector: {}, ruleSelector: {}}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: ScrapeConfig
metadata: {name: till, namespace: shop}
spec:
  jobName: till
  staticConfigs: [{targets: ['till.example:80']}]
";

const RULES: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: till, namespace: shop}
spec:
  groups:
  - name: till
    rules:
    - record: till:open:sum
      expr: |
        sum(
          till_open{job=\"till\"}
        )
    - alert: TillOpen
      expr: 'till:open:sum > 3 and on() till_open'
    - alert: Night
      expr: ALERTS{alertname=\"TillOpen\", alertstate=\"firing\"} and on () {__name__=\"till_closed\"}
";

const BOARD: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: board, namespace: shop, labels: {grafana_dashboard: '1'}}
data:
  till.json: |
    {\"title\": \"Till\", \"panels\": [{\"title\": \"Open\", \"datasource\": {\"type\": \"prometheus\"}, \"targets\": [{\"expr\": \"sum(till:open:sum)\"}]}]}
";

#[test]
fn names_in_expressions_lead_to_what_makes_them() {
    let files = &[
        ("jobs.yaml", JOBS),
        ("rules.yaml", RULES),
        ("board.yaml", BOARD),
    ];
    let mut client = Client::start(files);
    let mut asked = Asked(&mut client, files);
    let record = "rules.yaml: till:open:sum";
    let mut leads = |name: &str, needle: &str| asked.places("definition", name, needle);
    assert_eq!(leads("rules.yaml", "till:open:sum > 3"), [record]);
    assert_eq!(leads("board.yaml", "till:open:sum"), [record]);
    assert_eq!(leads("rules.yaml", "TillOpen\""), ["rules.yaml: TillOpen"]);
    let job = leads("rules.yaml", "till\"}");
    assert!(
        job.len() == 1 && job[0].starts_with("jobs.yaml:"),
        "{job:?}"
    );
    assert_eq!(leads("rules.yaml", "till_open{"), job);
    assert_eq!(leads("rules.yaml", "till_open'"), [""; 0]);
    let mut users = |name: &str, needle: &str| asked.places("references", name, needle);
    let of_record = users("rules.yaml", "till:open:sum\n");
    assert_eq!(of_record.len(), 2, "{of_record:?}");
    assert!(
        of_record[1].starts_with("rules.yaml: till:open:sum > 3"),
        "{of_record:?}"
    );
    let of_metric = users("rules.yaml", "till_open{");
    assert_eq!(
        of_metric,
        [
            "rules.yaml: till_open{job=\"till\"}",
            "rules.yaml: till_open'"
        ]
    );
    assert_eq!(users("rules.yaml", "TillOpen\n").len(), 1);
    assert_eq!(users("rules.yaml", "till_closed").len(), 1);
    assert_eq!(client.stop(), Some(0));
}
