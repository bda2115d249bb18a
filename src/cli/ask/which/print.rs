//! Prints verdicts about targets as text.

use std::io::{self, Write};

use crate::cli::ask::traced::FoundTarget;
use crate::cli::ask::traced::show::{label_list, origin, rule_line, shards, shown, title};
use crate::cli::ask::which::answer::{CheckedTarget, DroppedTarget, KeptTarget};
use crate::cli::paint::Paint;
use crate::cli::report::one_line;
use promgen_compile::sharding::TOPOLOGY_LABEL;
use promgen_targets::trace::zone::{ZoneFault, fault};
use promgen_targets::trace::{Tracer, runs_on_every_node};
use promgen_text::diag::count::counted;

/// A paragraph for each target.
pub(super) fn text(
    answers: &[(&FoundTarget<'_>, CheckedTarget)],
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, (checked, answer)) in answers.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", paint.bold(&title(checked)))?;
        for kept in &answer.scraped {
            self::kept(checked, kept, paint, out)?;
        }
        for dropped in &answer.dropped {
            writeln!(out, "  {}", drops(checked, dropped))?;
            let line = rule_line(&dropped.config);
            let line = format!("{line} sees {}", shown(&dropped.value));
            writeln!(out, "    {}", paint.dim(&line))?;
        }
        if let Some(why) = &answer.unreached {
            let line = format!("not reached: {}", one_line(why));
            writeln!(out, "  {}", paint.red(&line))?;
        }
        if let Some(text) = complaint(checked) {
            writeln!(out, "  {}", paint.red(&text))?;
        }
    }
    Ok(())
}

fn kept(
    checked: &FoundTarget<'_>,
    KeptTarget { shards, scrape }: &KeptTarget,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let keeper = keeper(checked, shards);
    if let Some(why) = &scrape.error {
        let text = format!("kept by {keeper}, but not scraped: {}", one_line(why));
        return writeln!(out, "  {}", paint.red(&text));
    }
    let text = paint.green(&format!("scraped by {keeper}"));
    let url = scrape.url.as_deref().unwrap_or_default();
    writeln!(out, "  {text}: {}", one_line(url))?;
    writeln!(out, "    {}", label_list(scrape.labels.iter().flatten()))
}

/// `shard 3 (zone-a, 1 in its zone)`.
fn keeper(checked: &FoundTarget<'_>, keepers: &[u32]) -> String {
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
fn drops(checked: &FoundTarget<'_>, dropped: &DroppedTarget) -> String {
    let (job, plan) = (checked.subject.job, &checked.subject.workload.plan);
    let n_shards = dropped.shards.len();
    let who = if !checked.verdict.is_target {
        "not a target of this job".to_owned()
    } else if runs_on_every_node(checked.subject.workload) {
        "no agent scrapes it".to_owned()
    } else if n_shards == plan.shards.len() && n_shards > 1 {
        format!("all {n_shards} shards")
    } else {
        shards(&dropped.shards)
    };
    format!(
        "{who}: dropped by rule {} of {}, {}",
        dropped.rule,
        job.rules().len(),
        origin(&dropped.origin)
    )
}

/// The problem with the shards that scrape it, and the fix.
fn complaint(checked: &FoundTarget<'_>) -> Option<String> {
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
