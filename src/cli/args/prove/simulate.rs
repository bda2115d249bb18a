//! Arguments of `simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::metrics::counting_series;
use crate::cli::args::{
    CompileArgs, EnvironmentArgs, ForceArgs, GivenTargetArgs, MetricsArgs, output_path,
};
use promgen_compile::sharding::MAX_SHARDS;

pub(in crate::cli::args) const SIMULATE_EXAMPLES: &str = "\
Examples:
  promgen simulate manifests/ --shards 4..8 --random 100000
  promgen simulate manifests/ --shards 3,6,9 --zones a,b,c --targets targets.json
  curl -s 'http://prometheus:9090/api/v1/query?query=scrape_samples_scraped' > weights.json
  kubectl get pods,services,endpointslices,nodes -A -o yaml |
    promgen simulate manifests/ - --shards 4..8 --weights weights.json \\
      --format html -o simulate.html";

/// The maximum number of steps in one run.
const MAX_NUMBERS: usize = 64;

/// Arguments of `simulate`.
#[derive(Debug, Args)]
#[command(mut_arg("metrics", |arg| counting_series(arg).conflicts_with("weights")))]
#[command(mut_arg("random", |arg| arg.help("Generate this number of targets instead, evenly over all zones, with weights drawn from --weights")))]
pub(crate) struct SimulateArgs {
    /// Numbers of shards to compare: 4..8 (both ends included), 4,6,8, or 6 [default: the current number]
    #[arg(long, value_name = "N..N|N,N", value_parser = parse_numbers)]
    pub(crate) shards: Option<Numbers>,
    /// Zones, separated by commas, instead of those of spec.shardingStrategy; an empty value removes all zones
    #[arg(long, value_name = "ZONES", value_parser = parse_zones)]
    pub(crate) zones: Option<Zones>,
    /// Weights of targets, such as their number of series; without it, all are equal. Either the response of Prometheus to an
    /// instant query such as scrape_samples_scraped (JSON of /api/v1/query), matched by `job` and `instance`; or a list in
    /// YAML or JSON: `- {labels: {job: api, instance: "10.0.0.1:80"}, weight: 1200}`, with any labels that targets have before
    /// or after relabeling. Targets without an entry have the mean weight, generated ones
    /// one of these
    #[arg(long, value_name = "FILE", help_heading = "Targets")]
    pub(crate) weights: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) of: GivenTargetArgs,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: SimulateFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = output_path())]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// `--format` of `simulate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimulateFormat {
    Table,
    Csv,
    Json,
    /// A report as one file, without scripts
    Html,
}

/// Numbers of shards, without duplicates, in the given order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) Vec<u32>);

/// Zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Zones(pub(crate) Vec<String>);

fn parse_numbers(text: &str) -> Result<Numbers, String> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (from, to) = match part.split_once("..") {
            Some((from, to)) => (
                parse_number(from)?,
                parse_number(to.strip_prefix('=').unwrap_or(to))?,
            ),
            None => parse_number(part).map(|number| (number, number))?,
        };
        if from > to {
            return Err(format!(
                "{from}..{to} is in reverse order: expected {to}..{from}"
            ));
        }
        if (to - from) as usize >= MAX_NUMBERS {
            return Err(too_many(to - from + 1));
        }
        numbers.extend(
            (from..=to)
                .filter(|number| !numbers.contains(number))
                .collect::<Vec<_>>(),
        );
    }
    match numbers.len() {
        n if n > MAX_NUMBERS => Err(too_many(n)),
        _ => Ok(Numbers(numbers)),
    }
}

fn too_many(n: impl std::fmt::Display) -> String {
    format!("{n} numbers exceed the maximum of {MAX_NUMBERS} in one run")
}

fn parse_number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let number: u32 = text
        .parse()
        .map_err(|_| format!("expected 4..8, 4,6,8 or 6: `{text}` is not a number"))?;
    match number {
        0 => Err("the minimum is one shard".to_owned()),
        1..=MAX_SHARDS => Ok(number),
        _ => Err(format!(
            "{number} shards exceed the maximum of {MAX_SHARDS}"
        )),
    }
}

fn parse_zones(text: &str) -> Result<Zones, String> {
    let zones: Vec<_> = text.split(',').map(|zone| zone.trim().to_owned()).collect();
    match zones.as_slice() {
        [only] if only.is_empty() => Ok(Zones(Vec::new())),
        zones if zones.iter().any(String::is_empty) => Err("a zone is empty".to_owned()),
        _ => Ok(Zones(zones)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ranges_and_lists() {
        for (text, expected) in [
            ("4..8", &[4, 5, 6, 7, 8][..]),
            ("4..=6", &[4, 5, 6]),
            ("8, 4,6..7,4", &[8, 4, 6, 7]),
            ("6", &[6]),
            ("1000", &[1000]),
        ] {
            assert_eq!(
                parse_numbers(text),
                Ok(Numbers(expected.to_vec())),
                "{text}"
            );
        }
        for (text, expected) in [
            ("", "expected 4..8, 4,6,8 or 6: `` is not a number"),
            ("4..", "expected 4..8, 4,6,8 or 6: `` is not a number"),
            ("-1", "expected 4..8, 4,6,8 or 6: `-1` is not a number"),
            ("0", "the minimum is one shard"),
            ("0..2", "the minimum is one shard"),
            ("8..4", "8..4 is in reverse order: expected 4..8"),
            ("1..5000", "5000 shards exceed the maximum of 1000"),
            (
                "1..1000",
                "1000 numbers exceed the maximum of 64 in one run",
            ),
            (
                "1..40,50..90",
                "81 numbers exceed the maximum of 64 in one run",
            ),
        ] {
            assert_eq!(parse_numbers(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn zones_are_a_list_that_may_be_empty() {
        let zones = |text| parse_zones(text).map(|zones| zones.0);
        assert_eq!(zones("a, b"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(zones(""), Ok(Vec::new()));
        assert!(zones("a,").is_err());
    }
}
