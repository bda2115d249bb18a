//! Prints proofs as text and as JSON.

use std::io::{self, Write};

use crate::cli::ask::prove::ProofResult;
use crate::cli::ask::traced::show::Paint;
use crate::cli::json;
use crate::cli::report::one_line;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::prove::{ClassKind, Counterexample, Method, OfJob, TargetClass};
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Map, Value};

/// The maximum number of labels of a counterexample in text.
const MAX_LABELS: usize = 8;

/// A block for each workload.
pub(super) fn text(
    all: &[ProofResult<'_>],
    sources: &Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = Vec::new();
    plain(all, sources, &mut lines)?;
    String::from_utf8_lossy(&lines)
        .split_inclusive('\n')
        .try_for_each(|line| painted(line, paint, out))
}

/// A line with its sign in colour.
fn painted(line: &str, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let text = line.trim_start_matches(' ');
    let indent = &line[..line.len() - text.len()];
    let signs = [
        ("holds", paint.green("holds")),
        ("FAILS", paint.red("FAILS")),
        ("open ", paint.yellow("open ")),
    ];
    match signs
        .into_iter()
        .find_map(|(sign, painted)| Some((painted, text.strip_prefix(sign)?)))
    {
        Some((sign, rest)) if rest.starts_with("  ") => write!(out, "{indent}{sign}{rest}"),
        _ if indent.is_empty() && text.len() > 1 => {
            writeln!(out, "{}", paint.bold(text.trim_end_matches('\n')))
        }
        _ => out.write_all(line.as_bytes()),
    }
}

fn plain(all: &[ProofResult<'_>], sources: &Sources, out: &mut dyn Write) -> io::Result<()> {
    for (number, shown) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        head(shown, out)?;
        classes(shown, out)?;
        for job in &shown.proof.jobs {
            of_job(
                job,
                shown.proof.classes.as_deref().unwrap_or_default(),
                sources,
                out,
            )?;
        }
        tried(shown, out)?;
        writeln!(out, "  {}", verdict(shown))?;
    }
    Ok(())
}

fn head(shown: &ProofResult<'_>, out: &mut dyn Write) -> io::Result<()> {
    let plan = &shown.workload.plan;
    let shards = count(plan.shards.len(), "shard");
    match plan.zones.len() {
        0 => writeln!(
            out,
            "{}: {shards}",
            one_line(&shown.workload.id.to_string())
        ),
        n => writeln!(
            out,
            "{}: {shards} on {}, modulus {}",
            one_line(&shown.workload.id.to_string()),
            count(n, "zone"),
            plan.modulus
        ),
    }
}

fn classes(shown: &ProofResult<'_>, out: &mut dyn Write) -> io::Result<()> {
    match &shown.proof.classes {
        Ok(classes) => {
            let n: u64 = classes.iter().map(|class| class.outcome.n_cases).sum();
            writeln!(out, "  symbolic proof, {n} cases")?;
            classes
                .iter()
                .try_for_each(|class| writeln!(out, "    {}", class_line(class)))?;
        }
        Err(why) => writeln!(out, "  no symbolic proof: {}", one_line(why))?,
    }
    if !shown.proof.idle.is_empty() {
        writeln!(
            out,
            "    FAILS  idle, no target can match: {}",
            shards(&shown.proof.idle)
        )?;
    }
    Ok(())
}

/// `holds  zone a: one shard each, of shards 0, 3`.
fn class_line(class: &TargetClass) -> String {
    let what = match &class.kind {
        ClassKind::Any => "all targets".to_owned(),
        ClassKind::Zone(zone) => format!("targets of zone {}", one_line(zone)),
        ClassKind::TwoZones => "targets with two labels that set different zones".to_owned(),
        ClassKind::OtherZone => "targets of other zones".to_owned(),
        ClassKind::NoZone => "targets without a zone".to_owned(),
        ClassKind::Exempt => "targets with __tmp_disable_sharding".to_owned(),
    };
    let outcome = &class.outcome;
    let keepers: Vec<u32> = outcome.shards.iter().copied().collect();
    let sign = match (class.kind.is_shared(), class.holds()) {
        (true, true) => "holds",
        (true, false) => "FAILS",
        (false, _) => "-    ",
    };
    let mut texts = Vec::new();
    match (outcome.uncovered.is_empty(), outcome.doubled.is_empty()) {
        _ if outcome.shards.is_empty() => texts.push("no shard".to_owned()),
        (true, true) => texts.push(format!("one of {} each", shards(&keepers))),
        (is_covered, _) if !class.kind.is_shared() => {
            let or_none = if is_covered { "" } else { ", or none" };
            texts.push(format!("all of {}{or_none}", shards(&keepers)));
        }
        (is_covered, _) => {
            if !is_covered {
                texts.push(format!(
                    "some have no shard, others have one of {}",
                    shards(&keepers)
                ));
            }
            texts.extend(
                outcome
                    .doubled
                    .iter()
                    .take(3)
                    .map(|group| format!("{} scrape the same targets", shards(group))),
            );
            if outcome.doubled.len() > 3 {
                texts.push(format!("and {} more groups", outcome.doubled.len() - 3));
            }
        }
    }
    format!("{sign}  {what}: {}", texts.join("; "))
}

/// A job. The text does not repeat what holds for all jobs.
fn of_job(
    job: &OfJob,
    of_all: &[TargetClass],
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sign = match (job.holds(), job.is_open()) {
        (false, _) => "FAILS",
        (true, true) => "open ",
        (true, false) => "holds",
    };
    let known = count(job.n_targets, "known target");
    let how = match &job.method {
        Method::Symbol if job.is_exempt => {
            "every shard scrapes all its targets: it disables sharding".to_owned()
        }
        Method::Symbol if job.n_targets == 0 => "symbolic proof".to_owned(),
        Method::Symbol => format!("symbolic proof, and checked for {known}"),
        Method::Enumeration(why) if job.refutation.is_some() => one_line(why),
        Method::Enumeration(why) if job.n_targets == 0 => {
            format!("no known targets to check: {}", one_line(why))
        }
        Method::Enumeration(why) => format!("by enumeration of {known}: {}", one_line(why)),
    };
    let origin = place(job.origin, sources).map_or_else(String::new, |(file, line)| {
        format!("  {}:{line}", one_line(file))
    });
    writeln!(out, "  {sign}  {}  {how}{origin}", one_line(&job.name))?;
    for class in job
        .classes
        .iter()
        .filter(|class| !class.holds() && !of_all.contains(class))
    {
        writeln!(out, "         {}", class_line(class))?;
    }
    if let Some(note) = &job.note {
        writeln!(out, "         {}", one_line(note))?;
    }
    for example in &job.counterexamples {
        writeln!(
            out,
            "         {}: {}",
            keepers(&example.shards),
            labels(&example.labels)
        )?;
    }
    let n_more = job.n_counterexamples - job.counterexamples.len();
    if n_more > 0 {
        writeln!(out, "         and {} more", count(n_more, "target"))?;
    }
    // A symbolic proof covers all targets, so a list of them is redundant.
    let unknown = job.unknown.iter().filter(|_| job.method != Method::Symbol);
    unknown
        .into_iter()
        .try_for_each(|what| writeln!(out, "         skipped: {}", one_line(what)))
}

fn tried(shown: &ProofResult<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(tried) = &shown.tried else {
        return Ok(());
    };
    let sign = if tried.n_uncovered == 0 && tried.n_doubled == 0 {
        "holds"
    } else {
        "FAILS"
    };
    let targets = count(tried.n_targets, "target");
    let (uncovered, doubled) = (tried.n_uncovered, tried.n_doubled);
    writeln!(
        out,
        "  {sign}  by enumeration of {targets}: {uncovered} have no shard, {doubled} have several"
    )?;
    let idle = shown.idle();
    if !idle.is_empty() {
        writeln!(
            out,
            "         without any of these targets: {}",
            shards(&idle)
        )?;
    }
    tried
        .unknown
        .iter()
        .try_for_each(|what| writeln!(out, "         skipped: {}", one_line(what)))
}

/// The result in a sentence: for which targets, if not for all.
fn verdict(shown: &ProofResult<'_>) -> String {
    let n_open = shown.proof.jobs.iter().filter(|job| job.is_open()).count();
    let text = match (shown.holds(), n_open) {
        (false, _) => return "counterexamples exist".to_owned(),
        (true, 0)
            if shown.proof.jobs.iter().all(|job| job.is_exempt) && !shown.proof.jobs.is_empty() =>
        {
            return "every shard scrapes all targets: every job disables sharding".to_owned();
        }
        (true, 0) => match shown.left_out().as_slice() {
            [] => "every target has exactly one shard, and every shard can have targets".to_owned(),
            left_out => format!(
                "every target of {} has exactly one shard, and every shard can have targets; {} have no shard",
                zones(&shown.workload.plan.zones),
                left_out.join(" and ")
            ),
        },
        (true, n) => format!(
            "no counterexamples, but {} could not be checked",
            count(n, "job")
        ),
    };
    match exempt(&shown.proof.jobs) {
        Some(exempt) => format!("{text}, except that every shard scrapes {exempt}"),
        None => text,
    }
}

/// The targets that disable sharding.
fn exempt(jobs: &[OfJob]) -> Option<String> {
    let n_jobs = jobs.iter().filter(|job| job.is_exempt).count();
    let n_targets: usize = jobs
        .iter()
        .filter(|job| !job.is_exempt)
        .map(|job| job.n_exempt)
        .sum();
    match (n_jobs, n_targets) {
        (0, 0) => None,
        (0, n) => Some(format!(
            "{} with sharding disabled",
            count(n, "known target")
        )),
        (n, 0) => Some(format!(
            "all targets of {} with sharding disabled",
            count(n, "job")
        )),
        (n, more) => Some(format!(
            "all targets of {} and {} with sharding disabled",
            count(n, "job"),
            count(more, "known target")
        )),
    }
}

/// `zone a`, `zones a, b`.
fn zones(zones: &[String]) -> String {
    let shown: Vec<String> = zones.iter().take(12).map(|zone| one_line(zone)).collect();
    let more = if zones.len() > 12 { ", …" } else { "" };
    format!(
        "{} {}{more}",
        if zones.len() == 1 { "zone" } else { "zones" },
        shown.join(", ")
    )
}

/// A list of workloads, each with its proof.
pub(super) fn json(
    all: &[ProofResult<'_>],
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values: Vec<Value> = all
        .iter()
        .map(|shown| Value::from(of_workload(shown, sources)))
        .collect();
    json::write_list("prove", "workloads", values, out)
}

fn of_workload(shown: &ProofResult<'_>, sources: &Sources) -> Map {
    let id = &shown.workload.id;
    let mut map = Map::new()
        .with("workload", id.to_string())
        .with("holds", shown.holds())
        .with("verdict", verdict(shown))
        .with("idle", numbers(&shown.proof.idle));
    match &shown.proof.classes {
        Ok(classes) => map.push(
            "classes",
            classes
                .iter()
                .map(|c| Value::from(of_class(c)))
                .collect::<Vec<_>>(),
        ),
        Err(why) => map.push("notBySymbol", why.clone()),
    }
    map.push(
        "jobs",
        shown
            .proof
            .jobs
            .iter()
            .map(|job| Value::from(job_map(job, sources)))
            .collect::<Vec<_>>(),
    );
    if let Some(tried) = &shown.tried {
        let tried = Map::new()
            .with("targets", tried.n_targets as u64)
            .with("uncovered", tried.n_uncovered as u64)
            .with("doubled", tried.n_doubled as u64)
            .with("withoutTargets", numbers(&shown.idle()));
        map.push("tried", tried);
    }
    map
}

fn of_class(class: &TargetClass) -> Map {
    let kind = match &class.kind {
        ClassKind::Any => "all",
        ClassKind::Zone(_) => "zone",
        ClassKind::TwoZones => "two-zones",
        ClassKind::OtherZone => "other-zone",
        ClassKind::NoZone => "no-zone",
        ClassKind::Exempt => "exempt",
    };
    let mut map = Map::new().with("class", kind);
    if let ClassKind::Zone(zone) = &class.kind {
        map.push("zone", zone.clone());
    }
    let outcome = &class.outcome;
    let shards: Vec<u32> = outcome.shards.iter().copied().collect();
    let doubled: Vec<Value> = outcome.doubled.iter().map(|group| numbers(group)).collect();
    map.with("holds", class.holds())
        .with("cases", outcome.n_cases)
        .with("uncovered", outcome.uncovered.len() as u64)
        .with("doubled", doubled)
        .with("shards", numbers(&shards))
}

fn job_map(job: &OfJob, sources: &Sources) -> Map {
    let mut map = Map::new().with("job", job.name.clone());
    if let Some((file, line)) = place(job.origin, sources) {
        map.push("file", file.to_owned());
        map.push("line", line as u64);
    }
    map.push("holds", job.holds());
    match &job.method {
        Method::Symbol => map.push("by", "symbol"),
        Method::Enumeration(why) => {
            map.push("by", "enumeration");
            map.push("because", why.clone());
        }
    }
    if let Some(note) = &job.note {
        map.push("note", note.clone());
    }
    let examples = job
        .counterexamples
        .iter()
        .map(|example| Value::from(example_map(example)));
    map.with("targets", job.n_targets as u64)
        .with("disablesSharding", job.is_exempt)
        .with("exemptTargets", job.n_exempt as u64)
        .with(
            "classes",
            job.classes
                .iter()
                .map(|class| Value::from(of_class(class)))
                .collect::<Vec<_>>(),
        )
        .with("counterexamples", examples.collect::<Vec<_>>())
        .with("nCounterexamples", job.n_counterexamples as u64)
        .with(
            "notLookedAt",
            job.unknown
                .iter()
                .map(|what| Value::from(what.clone()))
                .collect::<Vec<_>>(),
        )
}

fn example_map(example: &Counterexample) -> Map {
    let labels: Map = example
        .labels
        .iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value.to_owned())))
        .collect();
    Map::new()
        .with("labels", labels)
        .with("shards", numbers(&example.shards))
}

fn place(span: Option<Span>, sources: &Sources) -> Option<(&str, usize)> {
    span.map(|span| {
        (
            sources.file(span.file).name.as_str(),
            sources.start(span).line,
        )
    })
}

fn numbers(shards: &[u32]) -> Value {
    Value::Seq(shards.iter().map(|shard| Value::from(*shard)).collect())
}

fn keepers(shards: &[u32]) -> String {
    if shards.is_empty() {
        "no shard".to_owned()
    } else {
        self::shards(shards)
    }
}

/// `shard 3`, `shards 0, 3, 6`.
fn shards(numbers: &[u32]) -> String {
    let shown: Vec<String> = numbers.iter().take(12).map(u32::to_string).collect();
    let more = if numbers.len() > 12 { ", …" } else { "" };
    format!(
        "{} {}{more}",
        if numbers.len() == 1 {
            "shard"
        } else {
            "shards"
        },
        shown.join(", ")
    )
}

/// `{__address__="10.0.0.1:80", …}`: the address, then the other labels by name.
fn labels(labels: &LabelSet) -> String {
    let mut shown: Vec<String> = labels
        .iter()
        .take(MAX_LABELS)
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    if labels.len() > MAX_LABELS {
        shown.push("…".to_owned());
    }
    format!("{{{}}}", one_line(&shown.join(", ")))
}

/// `1 shard`, `2 shards`.
fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}
