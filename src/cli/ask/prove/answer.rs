//! The answer of `prove`.

use crate::cli::ask::prove::{ProofResult, print};
use crate::cli::ask::traced::answer::labels;
use crate::cli::json::{Labels, answers, place};
use promgen_targets::distribution::Distribution;
use promgen_targets::prove::{ClassKind, Counterexample, Method, OfJob, TargetClass};
use promgen_text::source::Sources;

answers! {
    /// Proofs.
    Prove {
        /// By workload.
        workloads: Vec<WorkloadProof>,
    }

    /// The proof of a workload.
    WorkloadProof {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// Whether there is no counterexample.
        holds: bool,
        /// The same in words.
        verdict: String,
        /// Shards that no target can match.
        idle: Vec<u32>,
        /// The proofs of each class of targets.
        classes?: Vec<ProvedClass>,
        /// Why nothing is proved of classes.
        not_by_symbol?: String,
        /// Its jobs.
        jobs: Vec<ProvedJob>,
        /// The results for the targets of --targets or --random.
        tried?: TriedTargets,
    }

    /// The proof of a class of targets.
    ProvedClass {
        /// The class.
        class: TargetClassName,
        /// Its zone.
        zone?: String,
        /// Whether every target of it has exactly one shard, if it should.
        holds: bool,
        /// The number of cases.
        cases: u64,
        /// The number of cases without a shard.
        uncovered: u64,
        /// Groups of shards that scrape the same targets.
        doubled: Vec<Vec<u32>>,
        /// The shards of the class.
        shards: Vec<u32>,
    }

    /// The proof of a job.
    ProvedJob {
        /// Its name.
        job: String,
        /// The file that it comes from.
        file?: String,
        /// The line, from 1.
        line?: usize,
        /// Whether there is no counterexample.
        holds: bool,
        /// The method of the check.
        by: ProofMethod,
        /// Why not by symbol.
        because?: String,
        /// What else is to be known.
        note?: String,
        /// The number of known targets.
        targets: u64,
        /// Whether every shard scrapes all its targets, because it disables sharding.
        disables_sharding: bool,
        /// The number of known targets with sharding disabled.
        exempt_targets: u64,
        /// The proofs of each class of targets.
        classes: Vec<ProvedClass>,
        /// The first counterexamples.
        counterexamples: Vec<ShardsOfLabels>,
        /// The number of all counterexamples.
        n_counterexamples: u64,
        /// The part that was not looked at.
        not_looked_at: Vec<String>,
    }

    /// A counterexample.
    ShardsOfLabels {
        /// The labels of the target.
        labels: Labels,
        /// The shards that scrape it.
        shards: Vec<u32>,
    }

    /// The targets that are shown.
    TriedTargets {
        /// The number of targets.
        targets: u64,
        /// Those that no shard scrapes.
        uncovered: u64,
        /// Those that several shards scrape.
        doubled: u64,
        /// The shards that scrape none of them.
        without_targets: Vec<u32>,
    }
}

answers! {
    /// A class of targets.
    #[derive(Clone, Copy)]
    enum TargetClassName {
        /// All targets.
        All,
        /// Targets of a zone.
        Zone,
        /// Targets with labels that set different zones.
        #[serde(rename = "two-zones")]
        TwoZones,
        /// Targets of other zones.
        #[serde(rename = "other-zone")]
        OtherZone,
        /// Targets without a zone.
        #[serde(rename = "no-zone")]
        NoZone,
        /// Targets that are not sharded.
        Exempt,
    }

    /// The check of a job.
    #[derive(Clone, Copy)]
    enum ProofMethod {
        /// By symbol: for all targets.
        Symbol,
        /// By enumeration: for the known targets.
        Enumeration,
    }
}

impl WorkloadProof {
    /// The answer about a workload.
    pub(super) fn of(result: &ProofResult<'_>, sources: &Sources) -> Self {
        let proof = &result.proof;
        let tried = |tried: &Distribution| TriedTargets {
            targets: tried.n_targets as u64,
            uncovered: tried.n_uncovered as u64,
            doubled: tried.n_doubled as u64,
            without_targets: result.idle(),
        };
        Self {
            workload: result.workload.id.to_string(),
            holds: result.holds(),
            verdict: print::verdict(result),
            idle: proof.idle.clone(),
            classes: proof.classes.as_deref().ok().map(ProvedClass::all),
            not_by_symbol: proof.classes.as_ref().err().cloned(),
            jobs: proof
                .jobs
                .iter()
                .map(|job| ProvedJob::of(job, sources))
                .collect(),
            tried: result.tried.as_ref().map(tried),
        }
    }
}

impl ProvedClass {
    fn all(classes: &[TargetClass]) -> Vec<Self> {
        classes.iter().map(Self::of).collect()
    }

    fn of(class: &TargetClass) -> Self {
        let (name, zone) = match &class.kind {
            ClassKind::Any => (TargetClassName::All, None),
            ClassKind::Zone(zone) => (TargetClassName::Zone, Some(zone.clone())),
            ClassKind::TwoZones => (TargetClassName::TwoZones, None),
            ClassKind::OtherZone => (TargetClassName::OtherZone, None),
            ClassKind::NoZone => (TargetClassName::NoZone, None),
            ClassKind::Exempt => (TargetClassName::Exempt, None),
        };
        let outcome = &class.outcome;
        Self {
            class: name,
            zone,
            holds: class.holds(),
            cases: outcome.n_cases,
            uncovered: outcome.uncovered.len() as u64,
            doubled: outcome.doubled.iter().cloned().collect(),
            shards: outcome.shards.iter().copied().collect(),
        }
    }
}

impl ProvedJob {
    fn of(job: &OfJob, sources: &Sources) -> Self {
        let (by, because) = match &job.method {
            Method::Symbol => (ProofMethod::Symbol, None),
            Method::Enumeration(why) => (ProofMethod::Enumeration, Some(why.clone())),
        };
        let example = |example: &Counterexample| ShardsOfLabels {
            labels: labels(&example.labels),
            shards: example.shards.clone(),
        };
        let (file, line) = place(job.origin, sources);
        Self {
            job: job.name.clone(),
            file,
            line,
            holds: job.holds(),
            by,
            because,
            note: job.note.clone(),
            targets: job.n_targets as u64,
            disables_sharding: job.is_exempt,
            exempt_targets: job.n_exempt as u64,
            classes: ProvedClass::all(&job.classes),
            counterexamples: job.counterexamples.iter().map(example).collect(),
            n_counterexamples: job.n_counterexamples as u64,
            not_looked_at: job.unknown.clone(),
        }
    }
}
