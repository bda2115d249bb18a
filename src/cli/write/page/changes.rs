//! The changes from the base of the page, and the marks of what it changes.

use clap::FromArgMatches as _;

use crate::cli::args::{self, Cli, Command, DiffArgs, ReportArgs};
use crate::cli::ask::diff;
use crate::cli::json::answers;
use crate::cli::write::page::names::Names;
use crate::cli::{Failure, Io};
use promgen_answers::compare::environments::Compared;
use promgen_answers::diff::WorkloadChanges;
use promgen_answers::diff::findings::ChangedFinding;
use promgen_answers::diff::outline::{DiffOutline, Line, OutlinePart, summary};
use promgen_answers::diff::value::Change;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::count::counted;
use promgen_text::diag::region::Region;

/// The most lines of a part.
const MAX_LINES: usize = 120;

answers! {
    /// The changes, for people.
    Changed as "ReportChanges" {
        /// The workloads that change.
        n_workloads: usize,
        /// Whether something is lost.
        is_loss: bool,
        /// The targets that are lost.
        n_lost: usize,
        /// The findings that the base lacks.
        n_new_findings: usize,
        /// The changes, counted.
        summary: Vec<String>,
        /// The targets that are lost, those of a job in a line.
        lost: Vec<String>,
        /// The changes of each workload, then those that belong to none.
        parts: Vec<ChangedPart>,
    }

    /// A workload, or what belongs to none.
    ChangedPart {
        /// The workload, or what the lines are about.
        title: String,
        /// The changes.
        lines: Vec<Line>,
        /// The lines that are left out.
        n_more: usize,
    }

    /// The mark of a workload.
    #[derive(Clone)]
    Mark as "ReportMark" {
        /// `new`, `changed` or `removed`.
        word: &'static str,
        /// The changes, counted.
        text: String,
        #[serde(skip)]
        changes: WorkloadChanges,
    }
}

/// What is marked.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    workloads: Vec<WorkloadChanges>,
    findings: Vec<ChangedFinding>,
}

/// Compares with the base.
pub(super) fn compared(
    args: &ReportArgs,
    base: &str,
    io: &mut Io<'_>,
) -> Result<(Changed, Marks), Failure> {
    let compared = diff::compared(&diff_args(args, base)?, io)?;
    if !compared.broken.is_empty() {
        return Err(Failure::Messages(compared.broken));
    }
    let marks = Marks {
        workloads: compared.changes.workloads.clone(),
        findings: compared.changes.findings.new.items.clone(),
    };
    Ok((changed(&compared), marks))
}

/// The arguments of the comparison: those of the page, with a base.
fn diff_args(args: &ReportArgs, base: &str) -> Result<DiffArgs, Failure> {
    let parsed = args::command()
        .try_get_matches_from(["promgen", "diff", "BASE"])
        .map_err(Failure::Usage)?;
    let Command::Diff(mut parsed) = Cli::from_arg_matches(&parsed)
        .map_err(Failure::Usage)?
        .command
    else {
        return Err(Failure::message("cannot compare"));
    };
    let mut compile = args.compile.clone();
    let is_path = std::path::Path::new(base).exists();
    let head = match (is_path, compile.paths.as_slice()) {
        (false, _) => None,
        (true, []) => Some(".".to_owned()),
        (true, [only]) => Some(only.display().to_string()),
        (true, _) => {
            return Err(Failure::message(
                "--compare with a path requires one PATH at most",
            ));
        }
    };
    if is_path {
        compile.paths.clear();
    }
    (parsed.base, parsed.head, parsed.compile) = (base.to_owned(), head, compile);
    parsed.settings = args.settings.clone();
    parsed.environments = args.environments.clone();
    Ok(*parsed)
}

fn changed(compared: &Compared) -> Changed {
    let DiffOutline {
        lost,
        summary,
        parts,
    } = DiffOutline::new(&compared.whole());
    let changes = &compared.changes;
    let part = |OutlinePart { title, mut lines }: OutlinePart| {
        let n_more = lines.len().saturating_sub(MAX_LINES);
        lines.truncate(MAX_LINES);
        ChangedPart {
            title,
            lines,
            n_more,
        }
    };
    Changed {
        n_workloads: changes
            .workloads
            .iter()
            .filter(|workload| !workload.is_stand_in)
            .count(),
        is_loss: !lost.is_empty(),
        n_lost: changes.n_lost(),
        n_new_findings: changes.findings.new.total,
        lost,
        summary,
        parts: parts.into_iter().map(part).collect(),
    }
}

impl Changed {
    /// The worst of it, in a line.
    pub(super) fn detail(&self) -> String {
        let findings = counted(self.n_new_findings, "new finding");
        if self.n_lost > 0 {
            format!("{} lost, {findings}", counted(self.n_lost, "target"))
        } else {
            findings
        }
    }
}

impl Marks {
    /// The mark of a workload, if it changes.
    pub(super) fn of_workload(&self, id: &str, names: &Names) -> Option<Mark> {
        let is_it =
            |of: &&WorkloadChanges| of.workload == id && names.is(of.environment.as_deref());
        let changes = self.workloads.iter().find(is_it)?;
        let word = match changes.change {
            Change::Added => "new",
            Change::Removed => "removed",
            Change::Changed | Change::Moved => "changed",
        };
        Some(Mark {
            word,
            text: summary::workload(changes),
            changes: changes.clone(),
        })
    }

    /// Returns whether a finding is new.
    pub(super) fn is_new(&self, found: &Diagnostic, region: Option<Region<'_>>) -> bool {
        self.findings.iter().any(|new| {
            let place = new
                .place
                .as_ref()
                .map(|place| (place.file.as_str(), place.line));
            new.code == found.rule.code
                && new.message == found.message
                && place == region.map(|region| (region.file, region.start.line))
        })
    }
}

impl Mark {
    /// The mark of a job.
    pub(super) fn of_job(&self, name: &str) -> Option<&'static str> {
        let jobs = &self.changes.jobs;
        if jobs.added.items.iter().any(|job| job.name == name) {
            return Some("new");
        }
        let is_changed = jobs
            .changed
            .items
            .iter()
            .any(|of| of.jobs.items.iter().any(|job| job.name == name));
        is_changed.then_some("changed")
    }

    /// The losses of the workload: jobs, then targets.
    pub(super) fn lost(&self) -> Vec<String> {
        let jobs = self
            .changes
            .jobs
            .dropped
            .items
            .iter()
            .map(|job| format!("job {}", job.name));
        let targets = self.changes.targets.lost.items.iter().map(|lost| {
            let why = if lost.why.is_empty() {
                String::new()
            } else {
                format!(": {}", lost.why)
            };
            format!("target {} of {}{why}", lost.address, lost.job)
        });
        let mut lines: Vec<String> = jobs.chain(targets).collect();
        let (n_jobs, n_targets) = (
            self.changes.jobs.dropped.total,
            self.changes.targets.lost.total,
        );
        let more = (n_jobs + n_targets).saturating_sub(lines.len());
        lines.extend((more > 0).then(|| format!("and {more} more: `promgen diff` lists them")));
        lines
    }
}
