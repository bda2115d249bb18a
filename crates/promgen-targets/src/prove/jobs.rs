//! What becomes of the targets of each job.

use crate::assign::{Assigner, Assignment};
use crate::discovery::job::{Globals, scrape_labels};
use crate::discovery::{Discovery, Labels, label_set};
use crate::prove::classes::{self, Class, EXEMPT};
use promgen_compile::output::Job;
use promgen_compile::output::Workload;
use promgen_compile::prometheus::relabel::slice::constants;
use promgen_compile::prometheus::relabel::{LabelSet, Rule, RuleError, relabel, rules};
use promgen_text::source::Span;
use promgen_text::yaml::Value;

/// Most counterexamples that are kept of a job; the others are counted.
const MAX_SHOWN: usize = 5;

/// How something was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// For all targets that there can be: the job shares them by the rules of the workload, and does nothing else to the
    /// labels that these look at.
    Symbol,
    /// For the targets that are known, as the rules of the job go their own ways, for this reason.
    Enumeration(String),
}

/// What becomes of the targets of a job.
#[derive(Clone, Debug)]
pub struct OfJob {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub origin: Option<Span>,
    /// How it was shown.
    pub method: Method,
    /// The classes of its targets, where they were shown by symbol.
    pub classes: Vec<Class>,
    /// How many targets of it are known.
    pub n_targets: usize,
    /// How many of these are not scraped by one shard.
    pub n_counterexamples: usize,
    /// The first of them.
    pub counterexamples: Vec<Counterexample>,
    /// What could not be looked at, and why.
    pub unknown: Vec<String>,
}

/// A target that is not scraped by one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// Its labels before the rules of the job.
    pub labels: LabelSet,
    /// The shards that scrape it.
    pub shards: Vec<u32>,
}

impl OfJob {
    /// Whether nothing was found against it.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.classes.iter().all(Class::holds) && self.n_counterexamples == 0
    }

    /// Whether nothing is known of its targets: it has its own rules, and there is no target to run them on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.method, Method::Enumeration(_)) && self.n_targets == 0
    }
}

/// Looks at every job. `of_workload` are the classes of the rules that most jobs end with.
pub(super) fn jobs(workload: &Workload, discovery: &Discovery, of_workload: &Result<Vec<Class>, String>) -> Vec<OfJob> {
    let Some(config) = &workload.config else { return Vec::new() };
    let globals = Globals::of(config);
    let known = Tail { rules: workload.sharding_rules.clone(), classes: of_workload.clone(), labels: None };
    let mut known_tails = vec![known];
    config.jobs.iter().map(|job| Prover { workload, discovery, globals, job }.job(&mut known_tails)).collect()
}

/// Rules that end jobs.
struct Tail {
    rules: Vec<Value>,
    /// The classes that they make.
    classes: Result<Vec<Class>, String>,
    /// The labels that decide beside what is hashed, once they are asked for.
    labels: Option<Result<Vec<String>, String>>,
}

struct Prover<'p> {
    workload: &'p Workload,
    discovery: &'p Discovery,
    globals: Globals,
    job: &'p Job,
}

impl Prover<'_> {
    fn job(&self, tails: &mut Vec<Tail>) -> OfJob {
        let (method, classes) = match self.by_symbol(tails) {
            Ok(classes) => (Method::Symbol, classes),
            Err(why) => (Method::Enumeration(why), Vec::new()),
        };
        let mut of_job = OfJob {
            name: self.job.name.clone(),
            origin: self.job.origin,
            method,
            classes,
            n_targets: 0,
            n_counterexamples: 0,
            counterexamples: Vec::new(),
            unknown: Vec::new(),
        };
        self.enumerate(&mut of_job);
        of_job
    }

    /// The number of rules before those that share targets; none if the job does that by itself.
    fn n_own(&self) -> Option<usize> {
        self.job.rules().len().checked_sub(self.job.n_sharing(&self.workload.sharding_rules)?)
    }

    /// The classes of the job's targets.
    ///
    /// # Errors
    /// Why they cannot be told.
    fn by_symbol(&self, tails: &mut Vec<Tail>) -> Result<Vec<Class>, String> {
        let n_own = self.n_own().ok_or("it has rules of its own to share targets")?;
        let (own, tail) = self.job.rules().split_at(n_own);
        let at = match tails.iter().position(|known| known.rules == tail) {
            Some(at) => at,
            None => {
                tails.push(Tail { rules: tail.to_vec(), classes: self.classes(tail, &[]), labels: None });
                tails.len() - 1
            }
        };
        // What is hashed stands for any text, and so for whatever the job makes of it.
        let labels = tails[at].labels.get_or_insert_with(|| self.deciding(tail)).clone()?;
        let own = self.rules(own)?;
        let own: Vec<&Rule> = own.iter().collect();
        let known = constants(&own, labels.iter().map(String::as_str))
            .ok_or("its relabelings change labels by which targets are shared")?;
        let tells_zone =
            |name: &&str| classes::is_teller(name) && known.get(*name).is_some_and(|zone| !zone.is_empty());
        if !self.workload.plan.zones.is_empty()
            && !self.is_zonal()
            && !labels.iter().map(String::as_str).any(|label| tells_zone(&label))
        {
            return Err("its discovery does not tell the zone of a target".to_owned());
        }
        if known.is_empty() {
            return tails[at].classes.clone();
        }
        let fixed: Vec<(&str, &str)> = known.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let classes = self.classes(tail, &fixed)?;
        // What the job sets for all, none of them tells otherwise. That they ask not to be shared is no fault.
        let is_exempt = known.get(EXEMPT).is_some_and(|value| !value.is_empty());
        Ok(if is_exempt { Vec::new() } else { classes })
    }

    /// Whether the job's targets are those of Kubernetes, whose labels may tell a zone.
    fn is_zonal(&self) -> bool {
        self.job.section.iter().any(|(key, _)| key == "kubernetes_sd_configs")
    }

    /// The labels by which rules share targets, beside what they hash.
    fn deciding(&self, tail: &[Value]) -> Result<Vec<String>, String> {
        let assigner = self.assigner(tail)?;
        let deciding = assigner.deciding().ok_or("its rules go by the names of labels")?;
        Ok(deciding.labels.iter().map(|label| (*label).to_owned()).collect())
    }

    fn classes(&self, tail: &[Value], fixed: &[(&str, &str)]) -> Result<Vec<Class>, String> {
        classes::classes(&self.assigner(tail)?, &self.workload.plan.zones, fixed)
    }

    fn assigner(&self, values: &[Value]) -> Result<Assigner, String> {
        let assigner = Assigner::new(values, &self.workload.plan.shards, self.workload.name_scheme());
        Ok(assigner.map_err(|error| error.to_string())?.with_sharding_rules(self.workload.sharding_rules.len()))
    }

    /// Rules that are the same for all shards.
    fn rules(&self, values: &[Value]) -> Result<Vec<Rule>, String> {
        rules(values, self.workload.name_scheme()).map_err(|error| error.to_string())
    }

    /// Runs all known targets through the rules of the job.
    fn enumerate(&self, of_job: &mut OfJob) {
        let found = self.discovery.job(&self.job.section, &self.workload.id.namespace);
        of_job.unknown.extend(found.unfollowed.iter().map(|u| format!("{}: {}", u.section, u.why)));
        let rules = self.job.rules();
        let n_own = self.n_own().unwrap_or(rules.len());
        let targets: Vec<Labels> = found.groups.iter().flat_map(|group| group.merged().collect::<Vec<_>>()).collect();
        // Without targets, one shard is enough to see whether Prometheus takes the rules.
        let shards = &self.workload.plan.shards;
        let shards = if targets.is_empty() { shards.get(..1).unwrap_or_default() } else { shards };
        let assigner = match Assigner::new(rules, shards, self.workload.name_scheme()) {
            Ok(assigner) => assigner.with_sharding_rules(rules.len() - n_own),
            Err(error) => return of_job.unknown.push(error.to_string()),
        };
        for mut labels in targets {
            scrape_labels(&self.job.section, self.globals, &mut labels);
            let labels = label_set(&labels);
            let shards = match assigner.assign(&labels) {
                Assignment::Dropped => continue,
                Assignment::Kept(shards) => shards,
                Assignment::TooMuch(rule) => return of_job.unknown.push(RuleError::too_much(rule).to_string()),
            };
            of_job.n_targets += 1;
            if shards.len() == 1 || (shards.len() > 1 && self.is_exempt(&labels, n_own)) {
                continue;
            }
            of_job.n_counterexamples += 1;
            if of_job.counterexamples.len() < MAX_SHOWN {
                of_job.counterexamples.push(Counterexample { labels, shards });
            }
        }
    }

    /// Whether the target asks not to be shared, when it comes to that.
    fn is_exempt(&self, labels: &LabelSet, n_own: usize) -> bool {
        let own = self.rules(&self.job.rules()[..n_own]).ok();
        let labels = own.and_then(|own| relabel(labels, &own).ok());
        labels.is_some_and(|labels| !labels.get(EXEMPT).is_empty())
    }
}
