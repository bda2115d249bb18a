//! Prints the shards of workloads as a table, CSV, JSON and a diagram.

use std::io::{self, Write};

use crate::cli::ask::shards::answer::{ShardTargets, Shards, WorkloadShards};
use crate::cli::ask::simulate::words;
use crate::cli::{json, table};
use promgen_text::diag::escape;
use promgen_text::yaml::emit::to_report;

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
pub(super) fn table(answer: &Shards, look: table::Look<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(answer.workloads.iter().flat_map(lines));
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
pub(super) fn csv(answer: &Shards, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", HEAD.map(str::to_lowercase).join(","))?;
    for line in answer.workloads.iter().flat_map(lines) {
        let cells: Vec<_> = line.iter().map(|cell| escape::csv(cell)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// Prints the shards as YAML.
pub(super) fn yaml(answer: &Shards, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", to_report(&json::value(&answer.workloads)))
}

/// A flowchart: each workload with its shards, zone by zone.
pub(super) fn mermaid(answer: &Shards, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    for (number, of_workload) in answer.workloads.iter().enumerate() {
        writeln!(
            out,
            "  w{number}[\"{}\"]",
            escape::mermaid(&of_workload.workload)
        )?;
        let mut zones: Vec<Option<&str>> = Vec::new();
        for shard in &of_workload.shards {
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
            let of_zone = |shard: &&ShardTargets| shard.zone.as_deref() == zone;
            for shard in of_workload.shards.iter().filter(of_zone) {
                writeln!(
                    out,
                    "    w{number} --> s{number}_{0}[\"shard {0}: {1} targets, {2}\"]",
                    shard.shard,
                    shard.targets,
                    share(of_workload, shard)
                )?;
            }
            if zone.is_some() {
                writeln!(out, "  end")?;
            }
        }
    }
    Ok(())
}

fn lines(of_workload: &WorkloadShards) -> Vec<[String; 10]> {
    let id = &of_workload.id;
    let resource = format!("{}/{}", id.kind.kind(), id.name);
    let line = |shard: &ShardTargets| {
        [
            id.namespace.clone(),
            resource.clone(),
            shard.shard.to_string(),
            shard.pods.to_string(),
            shard.zone.clone().unwrap_or_default(),
            shard.in_zone.to_string(),
            of_workload.modulus.to_string(),
            shard.targets.to_string(),
            share(of_workload, shard),
            shard.weight.map(words::weight).unwrap_or_default(),
        ]
    };
    of_workload.shards.iter().map(line).collect()
}

fn share(of_workload: &WorkloadShards, shard: &ShardTargets) -> String {
    match of_workload.targets {
        0 => String::new(),
        _ => words::percent(shard.share),
    }
}
