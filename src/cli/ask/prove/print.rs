//! Prints proofs as text.

use std::io::{self, Write};

use crate::cli::ask::prove::ProofResult;
use crate::cli::paint::Paint;
use crate::cli::report::one_line;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::prove::{ClassKind, Method, OfJob, TargetClass};
use promgen_text::diag::count::counted;
use promgen_text::source::Sources;

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
    let shards = counted(plan.shards.len(), "shard");
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
            counted(n, "zone"),
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
    let known = counted(job.n_targets, "known target");
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
    let origin = job.origin.map_or_else(String::new, |span| {
        let (file, line) = (&sources.file(span.file).name, sources.start(span).line);
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
        writeln!(out, "         and {} more", counted(n_more, "target"))?;
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
    let targets = counted(tried.n_targets, "target");
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
pub(super) fn verdict(shown: &ProofResult<'_>) -> String {
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
            counted(n, "job")
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
            counted(n, "known target")
        )),
        (n, 0) => Some(format!(
            "all targets of {} with sharding disabled",
            counted(n, "job")
        )),
        (n, more) => Some(format!(
            "all targets of {} and {} with sharding disabled",
            counted(n, "job"),
            counted(more, "known target")
        )),
    }
}

/// `zone a`, `zones a, b`: a noun with the first of a list.
fn first_of(noun: &str, all: impl ExactSizeIterator<Item = String>) -> String {
    const MAX: usize = 12;
    let n = all.len();
    let (plural, more) = (
        if n == 1 { "" } else { "s" },
        if n > MAX { ", …" } else { "" },
    );
    let first: Vec<String> = all.take(MAX).collect();
    format!("{noun}{plural} {}{more}", first.join(", "))
}

fn zones(zones: &[String]) -> String {
    first_of("zone", zones.iter().map(|zone| one_line(zone)))
}

fn keepers(shards: &[u32]) -> String {
    if shards.is_empty() {
        "no shard".to_owned()
    } else {
        self::shards(shards)
    }
}

fn shards(numbers: &[u32]) -> String {
    first_of("shard", numbers.iter().map(u32::to_string))
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
