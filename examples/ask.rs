//! Asks a folder of manifests: cargo run --example ask -- fixtures/quickstart/input
//!
//! Prints the findings, then each shard's jobs of each Prometheus, then how many targets fall to each shard.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program of its own, which reads and prints"
)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use promgen::{Input, Options, Project, distribution, lint};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: ask FOLDER")?;
    let mut inputs = Vec::new();
    read(Path::new(&folder), &mut inputs)?;
    let project = Project::read(&inputs, &Options::default());
    for finding in lint(&project).diagnostics {
        println!(
            "{} {}: {}",
            finding.level, finding.rule.code, finding.message
        );
    }
    let output = project.model().into_output();
    for workload in &output.workloads {
        println!("{} has {} shards", workload.id, workload.plan.shards.len());
        for job in workload.config.iter().flat_map(|config| &config.jobs) {
            println!("  job {}", job.name);
        }
    }
    let (output, discovery) = project.model_with_targets().into_discovery();
    for workload in &output.workloads {
        let found = distribution::discovered(workload, &discovery);
        for (shard, n) in &found.of_shards {
            println!("shard {shard} of {} scrapes {n} targets", workload.id);
        }
    }
    Ok(())
}

/// Reads the manifests of a folder, sorted.
fn read(folder: &Path, inputs: &mut Vec<Input>) -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            read(&path, inputs)?;
        } else if path
            .extension()
            .is_some_and(|end| end == "yaml" || end == "yml")
        {
            inputs.push(Input::new(path.display().to_string(), fs::read(&path)?));
        }
    }
    Ok(())
}
