//! Two projects, compared: every environment with its counterpart.
//!
//! In: two projects, and which environments are asked about. Out: [`Compared`]: what differs, what was not compared and why,
//! and notes on what limits the answer. Environments are counterparts by their folders.

mod notes;
mod pairs;

use promgen_model::words;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::{SideLint, pair, written};
use crate::deliveries::Deliveries;
use crate::diff::files::FileChange;
use crate::diff::findings;
use crate::diff::outline::Whole;
use crate::diff::value::Change;
use crate::diff::{Changes, EnvironmentChange, WorkloadChanges, WrittenChange};
use crate::map::FlowMap;
use crate::reachable::UnreachableJobs;
use notes::Notes;
use pairs::{Pair, SideEnvironments};
use promgen_model::Model;
use promgen_model::Project;
use promgen_repository::model::Environment;
use promgen_text::CollectOrdered;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::{Excess, Limit};
use promgen_text::parallel;
use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::read::ParsedDocument;

/// The environments that are compared.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentFilter {
    /// The folders, or their last parts. All environments, if there is none.
    pub environments: Vec<String>,
    /// The folder that those of the base lie in, if the two sides are two folders.
    pub base_root: Option<String>,
    /// The folder that those of the head lie in.
    pub head_root: Option<String>,
    /// The most boxes of maps of what differs; none is drawn without it.
    pub max_boxes: Option<usize>,
}

/// The map of what differs in environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedMap {
    /// Their names, if there are several.
    pub environments: Vec<String>,
    /// The boxes that the change touches, and their neighbors.
    pub map: FlowMap,
}

/// The result of a comparison of projects.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The differences.
    pub changes: Changes,
    /// The parts that were not compared, and why.
    pub not_compared: Vec<String>,
    /// The parts that cannot be built on a side, although promgen knows how: a comparison without it says
    /// nothing.
    pub broken: Vec<String>,
    /// The limits of the answer.
    pub notes: Vec<String>,
    /// The limits that a side exceeds, as findings with their texts.
    pub exceeded: Vec<(Diagnostic, Sources)>,
    /// The maps of what differs, if they are asked for.
    pub maps: Vec<ChangedMap>,
    /// The number of maps that are left out, as those before have enough boxes.
    pub n_maps_left_out: usize,
}

impl Compared {
    /// All that it says.
    #[must_use]
    pub fn whole(&self) -> Whole<'_> {
        Whole {
            changes: &self.changes,
            not_compared: &self.not_compared,
            notes: &self.notes,
        }
    }
}

/// Keeps the findings that are asked for, with their levels.
pub type Select<'a> = &'a (dyn Fn(&mut Vec<Diagnostic>, &Sources) + Sync);

/// The findings that are compared: how both sides are checked, and what is asked for of that.
#[derive(Clone, Copy)]
pub struct ComparedFindings<'a> {
    /// The checks.
    pub lint: SideLint,
    /// Leaves what is asked for.
    pub select: Select<'a>,
}

/// What a comparison has made of its head, for the next one, whose base that is.
#[derive(Debug, Default)]
pub struct ComparedSide {
    /// The only environment.
    model: Option<Model>,
    lint: Option<Vec<Diagnostic>>,
}

/// Compares two projects of [`Project::read_side`]. Of the findings, those are compared that are asked for.
///
/// # Errors
/// No environment of either side is one of those that are asked about; lists what there is.
pub fn projects(
    base: &Arc<Project>,
    head: &Arc<Project>,
    asked: &EnvironmentFilter,
    findings: ComparedFindings<'_>,
) -> Result<Compared, String> {
    in_turn(base, ComparedSide::default(), head, asked, findings).map(|(compared, _)| compared)
}

/// The same, where the base was the head of a comparison before.
///
/// # Errors
/// As [`projects`].
pub fn in_turn(
    base: &Arc<Project>,
    known: ComparedSide,
    head: &Arc<Project>,
    asked: &EnvironmentFilter,
    findings: ComparedFindings<'_>,
) -> Result<(Compared, ComparedSide), String> {
    let sides = [
        SideEnvironments::new(base, asked.base_root.as_deref()),
        SideEnvironments::new(head, asked.head_root.as_deref()),
    ];
    let pairs = pairs::pairs(&sides, &asked.environments)?;
    let is_alone = pairs.len() == 1 && sides.iter().all(|side| side.len() <= 1);
    let mut comparison = Comparison::new([base, head], is_alone, findings.lint);
    comparison.boxes_left = asked.max_boxes;
    comparison.texts();
    if is_alone {
        comparison.lint[0] = comparison.lint[0].take().or(known.lint);
        comparison.base = known.model;
    }
    for (n, pair) in pairs.iter().enumerate() {
        if let Some(excess) = comparison.excess(pair) {
            comparison.leave_out(&pairs[n..], excess);
            break;
        }
        comparison.pair(pair);
    }
    let side = ComparedSide {
        model: comparison.head.take(),
        lint: comparison.lint[1].clone().filter(|_| is_alone),
    };
    comparison.findings(&pairs, asked.environments.is_empty(), findings.select);
    Ok((comparison.conclude(), side))
}

/// The fewest boxes that a map is drawn with.
const MIN_BOXES: usize = 8;

struct Comparison<'a> {
    sides: [&'a Arc<Project>; 2],
    /// Each side has one environment at most.
    is_alone: bool,
    checks: SideLint,
    /// The memory that the models of each side have taken.
    spent: [u64; 2],
    n_objects: u64,
    /// The findings about each side, where its only environment was compiled anyway.
    lint: [Option<Vec<Diagnostic>>; 2],
    /// The base, if it is known from before, and the head, for the next comparison.
    base: Option<Model>,
    head: Option<Model>,
    /// The number of boxes that maps may still have, if there are any.
    boxes_left: Option<usize>,
    /// Anything was there to compare.
    is_seen: bool,
    only_written: Vec<WrittenChange>,
    /// Files differ that a chart has values from, and promgen does not make all objects of it.
    has_other_values: bool,
    notes: Notes,
    compared: Compared,
}

impl<'a> Comparison<'a> {
    fn new(sides: [&'a Arc<Project>; 2], is_alone: bool, checks: SideLint) -> Self {
        Self {
            sides,
            is_alone,
            checks,
            spent: [0; 2],
            n_objects: 0,
            lint: [None, None],
            base: None,
            head: None,
            boxes_left: None,
            is_seen: false,
            only_written: Vec::new(),
            has_other_values: false,
            notes: Notes::default(),
            compared: Compared::default(),
        }
    }

    fn excess(&mut self, pair: &Pair<'_>) -> Option<Excess> {
        let environments = [&pair.base, &pair.head].into_iter().flatten();
        self.n_objects += environments.map(|of| of.cost()).sum::<u64>();
        let limits = [self.sides[0].limits, self.sides[1].limits];
        let over = |limit, spent: u64, at: usize| {
            (spent > limits[at].get(limit)).then(|| limits[at].excess(limit))
        };
        over(Limit::CompiledBytes, self.spent[0], 0)
            .or_else(|| over(Limit::CompiledBytes, self.spent[1], 1))
            .or_else(|| over(Limit::EnvironmentObjects, self.n_objects / 2, 0))
    }

    /// The findings from reading the two projects, whatever environments are there.
    fn texts(&mut self) {
        let none = Environment::default();
        let read = |at: usize| self.sides[at].compile(&none);
        let (base, head) = parallel::join(|| read(0), || read(1));
        self.notes.models([&base, &head], None);
        for (at, model) in [&base, &head].into_iter().enumerate() {
            if self.sides[at].environments().is_empty() {
                self.lint[at] = Some((self.checks.of_model)(model));
            }
        }
    }

    fn leave_out(&mut self, pairs: &[Pair<'_>], excess: Excess) {
        let names: Vec<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
        self.compared
            .not_compared
            .push(format!("{}: the limit is reached", listed(&names)));
        self.compared
            .changes
            .exceeded
            .push((excess, "what the environments hold"));
    }

    fn pair(&mut self, pair: &Pair<'_>) {
        let name = (!self.is_alone).then(|| pair.name.clone());
        if let (Some(name), true) = (&name, pair.base.is_none() || pair.head.is_none()) {
            let change = Change::of(pair.base.is_some(), pair.head.is_some());
            self.compared.changes.environments.push(EnvironmentChange {
                environment: name.clone(),
                change,
            });
        }
        let none = Environment::default();
        let environments = [
            pair.base.as_deref().unwrap_or(&none),
            pair.head.as_deref().unwrap_or(&none),
        ];
        self.is_seen |= environments
            .iter()
            .any(|of| written::has_operators(&of.documents));
        let [base_values, head_values] =
            [0, 1].map(|at| values_texts(self.sides[at], environments[at]));
        self.has_other_values |= base_values != head_values;
        if !self.is_alone && self.is_same(environments) {
            return;
        }
        let compile = |at: usize| self.sides[at].compile_after(environments[at], self.spent[at]);
        let known = self.base.take();
        let (base, head) = parallel::join(|| known.unwrap_or_else(|| compile(0)), || compile(1));
        self.spent = [base.spent(), head.spent()];
        let mut found = self::pair(&base, &head);
        self.map([&base, &head], &found.workloads, name.as_deref());
        self.notes.models([&base, &head], name.as_deref());
        // Nobody asks how resources are written if anything else differs.
        let written = match found.is_empty() && self.compared.changes.is_empty() {
            true => written::changes(environments.map(|of| &*of.documents)),
            false => Vec::new(),
        };
        let differs = |name: &str| {
            let mut workloads = found.workloads.iter();
            written.iter().any(|of| of.resource == name) || workloads.any(|of| of.workload == name)
        };
        self.notes.paused([&base, &head], &differs);
        self.only_written.extend(written);
        let [of_base, of_head] = std::mem::take(&mut self.lint);
        let of_model = self.checks.of_model;
        let linted = |known: Option<Vec<Diagnostic>>, model: &Model| {
            let is_alone = model.project().environments().len() <= 1;
            known.or_else(|| is_alone.then(|| of_model(model)))
        };
        let (of_base, of_head) =
            parallel::join(|| linted(of_base, &base), || linted(of_head, &head));
        self.lint = [of_base, of_head];
        if let Some(name) = name {
            let foreign = foreign([(&base, environments[0]), (&head, environments[1])]);
            self.name(&mut found, &name, &foreign);
        }
        self.compared.changes.append(found);
        self.head = self.is_alone.then_some(head);
    }

    /// Draws what differs: once, if it is the same in several environments.
    fn map(
        &mut self,
        [base, head]: [&Model; 2],
        workloads: &[WorkloadChanges],
        name: Option<&str>,
    ) {
        let Some(left) = self.boxes_left else { return };
        let whole = |of: &Model| FlowMap::of(of, &UnreachableJobs::of(of), &Deliveries::of(of));
        let (old, new) = parallel::join(|| whole(base), || whole(head));
        let Some(map) = FlowMap::changed(&old, &new, workloads, left.max(MIN_BOXES)) else {
            return;
        };
        let name = name.map(str::to_owned);
        match self.compared.maps.iter_mut().find(|known| known.map == map) {
            Some(known) => known.environments.extend(name),
            None if left < MIN_BOXES => self.compared.n_maps_left_out += 1,
            None => {
                self.boxes_left = Some(left.saturating_sub(map.boxes.len()));
                self.compared.maps.push(ChangedMap {
                    environments: name.into_iter().collect(),
                    map,
                });
            }
        }
    }

    /// Returns whether two environments hold the same, and are compiled for the same target.
    fn is_same(&self, [base, head]: [&Environment; 2]) -> bool {
        let has_same_target = self.sides[0].options().target == self.sides[1].options().target;
        has_same_target
            && base.documents.len() == head.documents.len()
            && base
                .documents
                .iter()
                .zip(&head.documents)
                .all(|(a, b)| a.root.to_value() == b.root.to_value())
    }

    /// Names the environment of what differs, and leaves out what another environment has said of its own workload.
    fn name(&self, found: &mut Changes, name: &str, foreign: &BTreeSet<String>) {
        let said = &self.compared.changes;
        found.workloads.retain(|workload| {
            let is_it = |other: &WorkloadChanges| {
                let other = WorkloadChanges {
                    environment: None,
                    ..other.clone()
                };
                other == *workload
            };
            !(foreign.contains(&workload.workload) && said.workloads.iter().any(is_it))
        });
        let is_said = |file: &FileChange| {
            let is_it = |other: &FileChange| other.path == file.path && other.change == file.change;
            foreign.contains(&file.owner) && said.files.items.iter().any(is_it)
        };
        let n_before = found.files.items.len();
        found.files.items.retain(|file| !is_said(file));
        found.files.total -= n_before - found.files.items.len();
        let operators = found.operators.iter_mut().map(|of| &mut of.environment);
        let workloads = found.workloads.iter_mut().map(|of| &mut of.environment);
        let readers = found.series.items.iter_mut().map(|of| &mut of.environment);
        let resources = found
            .resources
            .items
            .iter_mut()
            .map(|of| &mut of.environment);
        let files = found.files.items.iter_mut().map(|of| &mut of.environment);
        let possible = found.possible_losses.items.iter_mut();
        let readers = readers.chain(possible.map(|of| &mut of.environment));
        let all = operators.chain(workloads).chain(readers).chain(resources);
        for environment in all.chain(files) {
            *environment = Some(name.to_owned());
        }
    }

    /// Compares the findings: of all environments, or of those that are asked about.
    fn findings(&mut self, pairs: &[Pair<'_>], all: bool, select: Select<'_>) {
        let of_environments = self.checks.of_environments;
        let side = |at: usize, known: Option<Vec<Diagnostic>>| {
            let project = self.sides[at];
            let mut found = known.unwrap_or_else(|| match all {
                true => of_environments(project, project.environments()),
                false => {
                    let chosen = pairs.iter().filter_map(|pair| {
                        if at == 0 {
                            pair.base.as_deref()
                        } else {
                            pair.head.as_deref()
                        }
                    });
                    of_environments(project, &chosen.cloned().collect::<Vec<_>>())
                }
            });
            select(&mut found, project.sources());
            found
        };
        let [old, new] = std::mem::take(&mut self.lint);
        let (old, new) = parallel::join(|| side(0, old), || side(1, new));
        let sources = self.sides.map(|project| project.sources());
        self.compared.changes.findings = findings::changes((&old, sources[0]), (&new, sources[1]));
    }

    fn conclude(mut self) -> Compared {
        self.notes.projects(self.sides, self.is_seen);
        let mut compared = self.compared;
        if compared.changes.is_empty() {
            self.only_written.sort_unstable();
            self.only_written.dedup();
            compared.changes.only_written = self.only_written.into_iter().collect();
            if self.has_other_values && compared.changes.only_written.is_empty() {
                let what = "what charts make beside the objects of the operator, and whose values differ: `--helm` renders it";
                compared.not_compared.push(what.to_owned());
            }
        }
        compared
            .not_compared
            .extend(notes::joined(self.notes.not_compared));
        compared.broken = self.notes.broken;
        compared.notes = notes::joined(self.notes.notes);
        if compared
            .changes
            .workloads
            .iter()
            .any(|workload| workload.is_stand_in)
        {
            let as_if = "compared as workloads elsewhere would use it, with default settings";
            compared
                .notes
                .push(format!("what no workload in the input selects is {as_if}"));
        }
        compared.exceeded = self.notes.exceeded;
        let unknown: usize = compared
            .changes
            .workloads
            .iter()
            .map(|workload| workload.targets.unknown.total)
            .sum();
        if unknown > 0 {
            compared.notes.push(format!(
                "{unknown} jobs that differ have targets that only a live server knows"
            ));
        }
        compared
    }
}

/// The workloads of an environment that are those of another one, which has their files.
fn foreign(sides: [(&Model, &Environment); 2]) -> BTreeSet<String> {
    let mut foreign = BTreeSet::new();
    for (model, environment) in sides {
        for document in &model.manifests().documents {
            if !environment.files.contains(&document.node.span.file) {
                foreign.insert(format!(
                    "{}/{}/{}",
                    document.kind.as_str(),
                    document.namespace,
                    document.name
                ));
            }
        }
    }
    foreign
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    words::first(&quoted, 5)
}

/// The texts of the files that charts have their values from which are not rendered, in order.
fn values_texts<'p>(project: &'p Project, environment: &Environment) -> Vec<&'p str> {
    let is_released = |document: &&ParsedDocument| {
        let released = document.origin.released();
        released.is_some_and(|release| !release.release.is_rendered)
    };
    let (released, others): (Vec<_>, Vec<_>) = environment.documents.iter().partition(is_released);
    if released.is_empty() {
        return Vec::new();
    }
    let of_objects: BTreeSet<FileId> = others.iter().map(|of| of.span.file).collect_set();
    let files = environment.files.difference(&of_objects);
    let mut texts: Vec<&str> = files
        .map(|file| &*project.sources().file(*file).text)
        .collect();
    texts.sort_unstable();
    texts
}
