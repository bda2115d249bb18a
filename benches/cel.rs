//! Expressions in CEL: as a policy asks them of each document, and how they are read.

use divan::Bencher;
use promgen_cel::{CelExpression, CelValue};
use promgen_text::yaml::read::read_slices;

const DOCUMENT: &str = "kind: ServiceMonitor
metadata: {name: a, labels: {team: x, severity: critical}}
spec:
  a: 1
  x: a
  endpoints: [{port: a, interval: 30s}, {port: b}]
";

const EXPRESSIONS: [&str; 5] = [
    "has(object.spec.x) && object.spec.x == 'a'",
    "object.metadata.labels.severity in ['critical', 'warning', 'info']",
    "object.kind != 'ServiceMonitor' || object.?metadata.?annotations.?runbook_url.orValue('') != ''",
    "object.spec.endpoints.all(e, has(e.port))",
    "object.metadata.labels.severity.matches('^c.*[a-z]l$')",
];

#[divan::bench(args = EXPRESSIONS)]
fn evaluate(bencher: Bencher<'_, '_>, text: &str) {
    let (Ok(expression), Ok(Some(node))) = (CelExpression::parse(text), read_slices(DOCUMENT))
    else {
        return;
    };
    let slots = [CelValue::Node(&node)];
    bencher.bench_local(|| divan::black_box(expression.evaluate(&slots, &mut 10_000)));
}

#[divan::bench(args = EXPRESSIONS)]
fn read(text: &str) {
    let _ = divan::black_box(CelExpression::parse(text));
}
