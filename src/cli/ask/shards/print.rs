//! Prints the shards of workloads as a table, CSV, JSON and a diagram.

use std::io::{self, Write};

use crate::cli::json;
use crate::cli::write::status::table;
use promgen_compile::output::Workload;
use promgen_compile::sharding::plan::Shard;
use promgen_targets::distribution::Distribution;
use promgen_text::diag::escape;
use promgen_text::yaml::emit::to_report;
use promgen_text::yaml::{Map, Value};

type All<'a> = [(&'a Workload, Distribution)];

const HEAD: [&str; 9] = ["NAMESPACE", "RESOURCE", "SHARD", "PODS", "ZONE", "IN-ZONE", "MODULUS", "TARGETS", "SHARE"];

/// One line for each shard.
pub(super) fn table(all: &All<'_>, look: table::Look<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(all.iter().flat_map(|(workload, shares)| lines(workload, shares)));
    let look = table::Look { keep: &["SHARD", "TARGETS"], tone, ..look };
    table::write(&rows, look, out)
}

/// A shard without targets stands out.
fn tone(row: &[String]) -> table::Tone {
    if row.get(7).is_some_and(|targets| targets == "0") { table::Tone::Bad } else { table::Tone::Plain }
}

/// Prints the shards as comma-separated values.
pub(super) fn csv(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", HEAD.map(str::to_lowercase).join(","))?;
    for line in all.iter().flat_map(|(workload, shares)| lines(workload, shares)) {
        let cells: Vec<_> = line.iter().map(|cell| escape::csv(cell)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// A list of workloads with their shards.
pub(super) fn json(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    let values: Vec<Value> = all.iter().map(|(workload, shares)| value(workload, shares).into()).collect();
    json::write_list("shards", "workloads", values, out)
}

/// Prints the shards as YAML.
pub(super) fn yaml(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    let values: Vec<Value> = all.iter().map(|(workload, shares)| value(workload, shares).into()).collect();
    write!(out, "{}", to_report(&Value::Seq(values)))
}

/// A flowchart: each workload with its shards, zone by zone.
pub(super) fn mermaid(all: &All<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    for (number, (workload, shares)) in all.iter().enumerate() {
        writeln!(out, "  w{number}[\"{}\"]", escape::mermaid(&workload.id.to_string()))?;
        let mut zones: Vec<Option<&str>> = Vec::new();
        for shard in &workload.plan.shards {
            if !zones.contains(&shard.zone.as_deref()) {
                zones.push(shard.zone.as_deref());
            }
        }
        for (zone_number, zone) in zones.into_iter().enumerate() {
            if let Some(zone) = zone {
                writeln!(out, "  subgraph z{number}_{zone_number}[\"{}\"]", escape::mermaid(zone))?;
            }
            for shard in workload.plan.shards.iter().filter(|shard| shard.zone.as_deref() == zone) {
                let (targets, share) = (count(shares, shard), share(shares, shard));
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

fn lines(workload: &Workload, shares: &Distribution) -> Vec<[String; 9]> {
    let resource = format!("{}/{}", workload.id.kind.kind(), workload.id.name);
    let line = |shard: &Shard| {
        [
            workload.id.namespace.clone(),
            resource.clone(),
            shard.index.to_string(),
            pods(workload).to_string(),
            shard.zone.clone().unwrap_or_default(),
            shard.in_zone.to_string(),
            workload.plan.modulus.to_string(),
            count(shares, shard).to_string(),
            share(shares, shard),
        ]
    };
    workload.plan.shards.iter().map(line).collect()
}

fn value(workload: &Workload, shares: &Distribution) -> Map {
    let shard = |shard: &Shard| {
        let mut map = Map::new().with("shard", shard.index).with("pods", pods(workload));
        map.push_some("zone", shard.zone.clone());
        let map = map.with("inZone", shard.in_zone).with("targets", number(count(shares, shard)));
        Value::from(map.with("share", ratio(shares, shard)))
    };
    Map::new()
        .with("workload", workload.id.to_string())
        .with("modulus", workload.plan.modulus)
        .with("targets", number(shares.n_targets))
        .with("uncovered", number(shares.n_uncovered))
        .with("doubled", number(shares.n_doubled))
        .with("shards", workload.plan.shards.iter().map(shard).collect::<Vec<_>>())
}

/// The pods of each shard. Operator: the default is one.
fn pods(workload: &Workload) -> i64 {
    let replicas = workload.resource.get("spec").and_then(|spec| spec.get("replicas"));
    match replicas {
        Some(Value::Int(replicas)) if *replicas >= 0 => *replicas,
        _ => 1,
    }
}

fn count(shares: &Distribution, shard: &Shard) -> usize {
    shares.of_shards.get(&shard.index).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a share of targets that fit into memory")]
fn ratio(shares: &Distribution, shard: &Shard) -> f64 {
    if shares.n_targets == 0 { 0.0 } else { count(shares, shard) as f64 / shares.n_targets as f64 }
}

fn share(shares: &Distribution, shard: &Shard) -> String {
    if shares.n_targets == 0 { String::new() } else { format!("{:.1}%", ratio(shares, shard) * 100.0) }
}

fn number(n: usize) -> Value {
    Value::from(n as u64)
}
