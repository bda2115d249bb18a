//! Prints the shards of workloads as a table, CSV, JSON and a diagram.

use std::io::{self, Write};

use crate::cli::ask::shards::ScrapedShards;
use crate::cli::ask::simulate::words;
use crate::cli::json;
use crate::cli::write::status::table;
use promgen_compile::output::Workload;
use promgen_compile::sharding::plan::Shard;
use promgen_targets::simulate::{Amount, Simulation, UNIT};
use promgen_text::diag::escape;
use promgen_text::yaml::emit::to_report;
use promgen_text::yaml::{Map, Value};

type All<'a> = [ScrapedShards<'a>];

/// The columns. That of series is empty without `--metrics`.
const HEAD: [&str; 10] = [
    "NAMESPACE",
    "RESOURCE",
    "SHARD",
    "PODS",
    "ZONE",
    "IN-ZONE",
    "MODULUS",
    "TARGETS",
    "SHARE",
    "SERIES",
];

/// The column of the zone.
const ZONE: usize = 4;
/// The column of the number within the zone.
const IN_ZONE: usize = 5;

/// One line for each shard.
pub(super) fn table(all: &All<'_>, look: table::Look<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(all.iter().flat_map(lines));
    // A head alone says nothing.
    if rows.len() == 1 {
        return Ok(());
    }
    if rows[1..].iter().all(|row| row[ZONE].is_empty()) {
        rows[1..].iter_mut().for_each(|row| row[IN_ZONE].clear());
    }
    let look = table::Look {
        keep: &["SHARD", "TARGETS"],
        tone,
        ..look
    };
    table::write(&rows, look, out)
}

/// A shard without targets stands out.
fn tone(row: &[String]) -> table::Tone {
    if row.get(7).is_some_and(|targets| targets == "0") {
        table::Tone::Bad
    } else {
        table::Tone::Plain
    }
}

/// Prints the shards as comma-separated values.
pub(super) fn csv(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", HEAD.map(str::to_lowercase).join(","))?;
    for line in all.iter().flat_map(lines) {
        let cells: Vec<_> = line.iter().map(|cell| escape::csv(cell)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// A list of workloads with their shards.
pub(super) fn json(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    let values: Vec<Value> = all.iter().map(|scraped| value(scraped).into()).collect();
    json::write_list("shards", "workloads", values, out)
}

/// Prints the shards as YAML.
pub(super) fn yaml(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    let values: Vec<Value> = all.iter().map(|scraped| value(scraped).into()).collect();
    write!(out, "{}", to_report(&Value::Seq(values)))
}

/// A flowchart: each workload with its shards, zone by zone.
pub(super) fn mermaid(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    for (number, scraped) in all.iter().enumerate() {
        let workload = scraped.workload;
        writeln!(
            out,
            "  w{number}[\"{}\"]",
            escape::mermaid(&workload.id.to_string())
        )?;
        let mut zones: Vec<Option<&str>> = Vec::new();
        for shard in &workload.plan.shards {
            if !zones.contains(&shard.zone.as_deref()) {
                zones.push(shard.zone.as_deref());
            }
        }
        for (zone_number, zone) in zones.into_iter().enumerate() {
            if let Some(zone) = zone {
                writeln!(
                    out,
                    "  subgraph z{number}_{zone_number}[\"{}\"]",
                    escape::mermaid(zone)
                )?;
            }
            for shard in workload
                .plan
                .shards
                .iter()
                .filter(|shard| shard.zone.as_deref() == zone)
            {
                let (targets, share) = (count(scraped, shard), share(scraped, shard));
                writeln!(
                    out,
                    "    w{number} --> s{number}_{0}[\"shard {0}: {targets} targets, {share}\"]",
                    shard.index
                )?;
            }
            if zone.is_some() {
                writeln!(out, "  end")?;
            }
        }
    }
    Ok(())
}

fn lines(scraped: &ScrapedShards<'_>) -> Vec<[String; 10]> {
    let workload = scraped.workload;
    let resource = format!("{}/{}", workload.id.kind.kind(), workload.id.name);
    let line = |shard: &Shard| {
        let series = scraped
            .series
            .as_ref()
            .map(|series| words::weight(load(series, shard).weight()));
        [
            workload.id.namespace.clone(),
            resource.clone(),
            shard.index.to_string(),
            pods(workload).to_string(),
            shard.zone.clone().unwrap_or_default(),
            shard.in_zone.to_string(),
            workload.plan.modulus.to_string(),
            count(scraped, shard).to_string(),
            share(scraped, shard),
            series.unwrap_or_default(),
        ]
    };
    workload.plan.shards.iter().map(line).collect()
}

/// The targets that a shard scrapes.
fn load(series: &Simulation, shard: &Shard) -> Amount {
    let own = series
        .present
        .shards
        .iter()
        .find(|load| load.shard.index == shard.index);
    own.map(|load| load.amount).unwrap_or_default()
}

fn value(scraped: &ScrapedShards<'_>) -> Map {
    let ScrapedShards {
        workload,
        targets,
        series,
    } = scraped;
    let shard = |shard: &Shard| {
        let mut map = Map::new()
            .with("shard", shard.index)
            .with("pods", pods(workload));
        map.push_some("zone", shard.zone.clone());
        let mut map = map
            .with("inZone", shard.in_zone)
            .with("targets", number(count(scraped, shard)));
        map.push_some(
            "series",
            series.as_ref().map(|series| number_of(load(series, shard))),
        );
        Value::from(map.with("share", ratio(scraped, shard)))
    };
    let mut map = Map::new()
        .with("workload", workload.id.to_string())
        .with("modulus", workload.plan.modulus)
        .with("targets", number(targets.n_targets));
    if let Some(series) = series {
        map.push("series", number_of(series.all));
        map.push("withoutSeries", series.n_unweighted);
    }
    map.with("uncovered", number(targets.n_uncovered))
        .with("doubled", number(targets.n_doubled))
        .with(
            "shards",
            workload.plan.shards.iter().map(shard).collect::<Vec<_>>(),
        )
}

/// The pods of each shard. Operator: the default is one.
fn pods(workload: &Workload) -> i64 {
    let replicas = workload
        .resource
        .get("spec")
        .and_then(|spec| spec.get("replicas"));
    match replicas {
        Some(Value::Int(replicas)) if *replicas >= 0 => *replicas,
        _ => 1,
    }
}

fn count(scraped: &ScrapedShards<'_>, shard: &Shard) -> usize {
    scraped
        .targets
        .of_shards
        .get(&shard.index)
        .copied()
        .unwrap_or_default()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a share of targets that fit into memory"
)]
fn ratio(scraped: &ScrapedShards<'_>, shard: &Shard) -> f64 {
    let all = scraped.targets.n_targets;
    if all == 0 {
        0.0
    } else {
        count(scraped, shard) as f64 / all as f64
    }
}

fn share(scraped: &ScrapedShards<'_>, shard: &Shard) -> String {
    if scraped.targets.n_targets == 0 {
        String::new()
    } else {
        format!("{:.1}%", ratio(scraped, shard) * 100.0)
    }
}

fn number(n: usize) -> Value {
    Value::from(n as u64)
}

/// The weight of an amount, as a whole number.
fn number_of(amount: Amount) -> Value {
    Value::from(u64::try_from(amount.weight / u128::from(UNIT)).unwrap_or(u64::MAX))
}
