//! Prints verdicts about targets as text and as JSON.

use std::io::{self, Write};

use crate::cli::ask::traced::TracedTarget;
use crate::cli::ask::traced::show::{
    Paint, label_list, labels_value, numbers_value, origin, origin_value, rule_line, shards, shown,
    title,
};
use crate::cli::json;
use crate::cli::report::one_line;
use promgen_compile::output::Output;
use promgen_compile::sharding::TOPOLOGY_LABEL;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_driver::reachable::UnreachableJobs;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::trace::scraped::scraped;
use promgen_targets::trace::zone::{ZoneFault, fault};
use promgen_targets::trace::{DroppingRule, Tracer, runs_on_every_node};
use promgen_text::diag::count::counted;
use promgen_text::yaml::{Map, Value};

/// What an answer says beside its verdicts.
#[derive(Clone, Copy)]
pub(super) struct AnswerSources<'a> {
    pub(super) output: &'a Output,
    pub(super) unreachable: &'a UnreachableJobs,
    pub(super) origins: &'a LazyRuleOrigins<'a>,
}

/// A paragraph for each target.
pub(super) fn text(
    checked: &[&TracedTarget<'_>],
    of: AnswerSources<'_>,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, checked) in checked.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", paint.bold(&title(checked)))?;
        for (shards, labels) in &checked.verdict.kept {
            kept(checked, shards, labels, paint, out)?;
        }
        for (shards, dropped) in &checked.verdict.dropped {
            writeln!(out, "  {}", drops(checked, shards, dropped, of))?;
            let line = rule_line(
                checked
                    .subject
                    .job
                    .rules()
                    .get(dropped.rule)
                    .unwrap_or(&Value::Null),
            );
            writeln!(
                out,
                "    {}",
                paint.dim(&format!("{line} sees {}", shown(&dropped.value)))
            )?;
        }
        if let Some(why) = why_unreached(checked, of.unreachable) {
            writeln!(
                out,
                "  {}",
                paint.red(&format!("not reached: {}", one_line(why)))
            )?;
        }
        if let Some(text) = complaint(checked) {
            writeln!(out, "  {}", paint.red(&text))?;
        }
    }
    Ok(())
}

/// Why the job that would scrape a target does not reach it.
pub(super) fn why_unreached<'u>(
    checked: &TracedTarget<'_>,
    unreachable: &'u UnreachableJobs,
) -> Option<&'u str> {
    let is_scraped = checked.verdict.n_keepers() > 0;
    unreachable
        .why(&checked.subject.workload.id, &checked.subject.job.name)
        .filter(|_| is_scraped)
}

fn kept(
    checked: &TracedTarget<'_>,
    keepers: &[u32],
    labels: &LabelSet,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let workload = checked.subject.workload;
    match scraped(labels, checked.subject.job, workload.prometheus.as_ref()) {
        Ok(scraped) => {
            let text = format!("scraped by {}", keeper(checked, keepers));
            writeln!(out, "  {}: {}", paint.green(&text), one_line(&scraped.url))?;
            writeln!(out, "    {}", label_list(&scraped.labels))
        }
        Err(why) => {
            let text = format!(
                "kept by {}, but not scraped: {}",
                keeper(checked, keepers),
                one_line(&why)
            );
            writeln!(out, "  {}", paint.red(&text))
        }
    }
}

/// `shard 3 (zone-a, 1 in its zone)`.
fn keeper(checked: &TracedTarget<'_>, keepers: &[u32]) -> String {
    let workload = checked.subject.workload;
    if runs_on_every_node(workload) {
        return match &checked.target.node {
            Some(node) => format!("the agent on node {}", one_line(node)),
            None => "the agent on its node, which is unknown".to_owned(),
        };
    }
    let zone = match keepers {
        [one] => workload
            .plan
            .shards
            .iter()
            .find(|shard| shard.index == *one)
            .and_then(|shard| shard.zone.as_ref()),
        _ => None,
    };
    let zone = zone
        .map(|zone| format!(" (zone {})", one_line(zone)))
        .unwrap_or_default();
    shards(keepers) + &zone
}

/// `shards 1-8: dropped by rule 12 of 17, spec.shards of Prometheus/shop/main (prometheus.yaml:7:11)`.
fn drops(
    checked: &TracedTarget<'_>,
    numbers: &[u32],
    dropped: &DroppingRule,
    of: AnswerSources<'_>,
) -> String {
    let (job, plan) = (checked.subject.job, &checked.subject.workload.plan);
    let who = if !checked.verdict.is_target {
        "not a target of this job".to_owned()
    } else if runs_on_every_node(checked.subject.workload) {
        "no agent scrapes it".to_owned()
    } else if numbers.len() == plan.shards.len() && numbers.len() > 1 {
        format!("all {} shards", numbers.len())
    } else {
        shards(numbers)
    };
    let origins = of.origins.of(&checked.subject.workload.id);
    let origin = origin(origins.of(job).get(dropped.rule), job, &of.output.sources);
    format!(
        "{who}: dropped by rule {} of {}, {origin}",
        dropped.rule + 1,
        job.rules().len()
    )
}

/// The problem with the shards that scrape it, and the fix.
fn complaint(checked: &TracedTarget<'_>) -> Option<String> {
    let (workload, verdict) = (checked.subject.workload, &checked.verdict);
    if verdict.n_keepers() > 1 {
        return Some(format!("{} shards scrape it", verdict.n_keepers()));
    }
    let tracer = Tracer::new(workload, checked.subject.job).ok()?;
    let zones = || one_line(&workload.plan.zones.join(", "));
    Some(match fault(workload, &tracer, verdict)? {
        ZoneFault::Missing { labels, can_be_set } => {
            let or_set = if can_be_set {
                format!(", or set {TOPOLOGY_LABEL} with a relabel rule")
            } else {
                String::new()
            };
            let labels = one_line(&labels.join(" or "));
            format!(
                "it has no zone label ({labels}), so no shard of a topology-sharded Prometheus scrapes it:\n  \
                 add that label to its pod or node{or_set}"
            )
        }
        ZoneFault::Unlisted(zone) => {
            format!(
                "its zone {} is not one of the zones of the shards: {}",
                shown(&zone),
                zones()
            )
        }
        ZoneFault::Uncovered(zone) => {
            let n_shards = workload.plan.shards.len();
            format!(
                "its zone {} has no shard: {}, zones {}",
                shown(&zone),
                counted(n_shards, "shard"),
                zones()
            )
        }
    })
}

/// A list of targets.
pub(super) fn json(
    checked: &[&TracedTarget<'_>],
    of: AnswerSources<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let value = |checked: &&TracedTarget<'_>| {
        let mut value = value(checked, of);
        value.push_some(
            "unreached",
            why_unreached(checked, of.unreachable).map(str::to_owned),
        );
        value.into()
    };
    let values: Vec<Value> = checked.iter().map(value).collect();
    json::write_list("which", "targets", values, out)
}

fn value(checked: &TracedTarget<'_>, of: AnswerSources<'_>) -> Map {
    let TracedTarget {
        subject,
        target,
        verdict,
    } = checked;
    let version = subject.workload.prometheus.as_ref();
    let kept = |(shards, labels): &(Vec<u32>, LabelSet)| {
        let map = Map::new().with("shards", numbers_value(shards));
        Value::from(match scraped(labels, subject.job, version) {
            Ok(scraped) => map
                .with("url", scraped.url)
                .with("labels", labels_value(&scraped.labels)),
            Err(why) => map.with("error", why),
        })
    };
    let origins = of.origins.of(&subject.workload.id);
    let dropped = |(shards, dropped): &(Vec<u32>, DroppingRule)| {
        let job = &subject.job;
        let rule = job
            .rules()
            .get(dropped.rule)
            .cloned()
            .unwrap_or(Value::Null);
        let origin = origin_value(origins.of(job).get(dropped.rule), job, &of.output.sources);
        let map = Map::new()
            .with("shards", numbers_value(shards))
            .with("rule", dropped.rule as u64 + 1);
        Value::from(
            map.with("config", rule)
                .with("value", dropped.value.clone())
                .with("origin", origin),
        )
    };
    let mut map = Map::new()
        .with("workload", subject.workload.id.to_string())
        .with("job", subject.job.name.clone())
        .with("address", target.labels.get("__address__").to_owned());
    map.push_some(
        "source",
        Some(target.source.clone()).filter(|source| !source.is_empty()),
    );
    map.push_some("node", target.node.clone());
    map.push("isTarget", verdict.is_target);
    map.push("scraped", verdict.kept.iter().map(kept).collect::<Vec<_>>());
    map.push(
        "dropped",
        verdict.dropped.iter().map(dropped).collect::<Vec<_>>(),
    );
    map
}
