//! The part of a map around a resource: a workload with what it selects and where its alerts go; a monitor or rules with the
//! workloads that take them, and what follows.

use std::collections::BTreeSet;

use crate::map::{FlowBox, FlowColumn, FlowLine, FlowMap, FlowMark, FlowSubject};
use promgen_compile::output::WorkloadId;
use promgen_model::resource_name::ResourceName;
use promgen_resources::api::Kind;
use promgen_text::CollectOrdered;

/// The numbers of boxes.
type Boxes = BTreeSet<usize>;

/// The part that is connected with the box that is asked about.
#[derive(Debug, Default)]
struct BoxesAround {
    kept: Boxes,
    /// The rules whose alerts are followed.
    rules: Boxes,
}

impl FlowMap {
    /// The part around a resource. `None` if the map does not have it.
    #[must_use]
    pub fn neighbourhood(&self, of: &ResourceName) -> Option<Self> {
        let asked = self.boxes.iter().position(|known| is_of(known, of))?;
        let around = self.surroundings(asked);
        let mark = |at: usize, old: &FlowBox| {
            let mark = if at == asked {
                FlowMark::Asked
            } else {
                old.mark
            };
            around.kept.contains(&at).then(|| FlowBox {
                mark,
                ..old.clone()
            })
        };
        let keep = |line: &FlowLine| match line.of_rules.is_empty() {
            true => line.n,
            false => line
                .of_rules
                .iter()
                .filter(|(rules, _)| around.rules.contains(*rules))
                .map(|(_, n)| n)
                .sum(),
        };
        Some(self.redrawn(mark, keep))
    }

    /// The map, if an explanation says that nothing comes of what is asked about, or not all: its box says so.
    #[must_use]
    pub fn broken(mut self) -> Self {
        let is_alive = |known: &&mut FlowBox| known.mark == FlowMark::Asked && !known.is_dead();
        for asked in self.boxes.iter_mut().filter(is_alive) {
            asked.is_broken |= matches!(asked.subject, FlowSubject::Resource(..));
        }
        self
    }

    fn surroundings(&self, asked: usize) -> BoxesAround {
        let column = self.boxes[asked].column();
        let is_alertmanager = |at: &usize| self.boxes[*at].column() == FlowColumn::Alertmanagers;
        let is_configuration = |at: &usize| is_configuration(&self.boxes[*at]);
        let mut around = BoxesAround {
            kept: [asked].into_iter().collect_set(),
            rules: Boxes::new(),
        };
        // The Alertmanagers that are followed, if not all.
        let mut through: Option<Boxes> = None;
        match column {
            FlowColumn::Monitors => {
                let servers: Boxes = self.after(asked).collect();
                around.rules = servers
                    .iter()
                    .flat_map(|server| self.after(*server))
                    .collect_set();
                around.kept.extend(servers);
            }
            FlowColumn::Servers => {
                around.kept.extend(self.before(asked));
                around.rules = self.after(asked).collect();
            }
            FlowColumn::Rules if is_configuration(&asked) => {
                let all: Boxes = self.after(asked).collect();
                let prefix = self.boxes[asked].title() + "/";
                around.rules = all
                    .iter()
                    .flat_map(|by| self.rules_to(*by, &prefix))
                    .collect_set();
                around.kept.extend(all.iter().copied());
                through = Some(all);
            }
            FlowColumn::Rules => drop(around.rules.insert(asked)),
            FlowColumn::Alertmanagers => {
                let (configurations, rules): (Boxes, Boxes) = (
                    self.before(asked).filter(is_configuration).collect(),
                    self.before(asked)
                        .filter(|at| !is_configuration(at))
                        .collect_set(),
                );
                around.kept.extend(configurations);
                around.rules = rules;
                through = Some([asked].into_iter().collect());
            }
            FlowColumn::Receivers => {}
        }
        let evaluates = matches!(column, FlowColumn::Rules | FlowColumn::Alertmanagers);
        for rules in around.rules.iter().filter(|_| evaluates) {
            around.kept.extend(self.before(*rules));
        }
        around.kept.extend(around.rules.iter().copied());
        let of_rules = around
            .rules
            .iter()
            .flat_map(|rules| self.after(*rules))
            .filter(is_alertmanager);
        let reached: Boxes = of_rules
            .filter(|by| through.as_ref().is_none_or(|all| all.contains(by)))
            .collect_set();
        around.kept.extend(reached.iter().copied());
        let prefix = if is_configuration(&asked) {
            self.boxes[asked].title() + "/"
        } else {
            String::new()
        };
        let told = self
            .lines
            .iter()
            .filter(|line| reached.contains(&line.from) && self.is_named(line.to, &prefix));
        let told = told.filter(|line| {
            line.of_rules
                .keys()
                .any(|rules| around.rules.contains(rules))
        });
        around.kept.extend(told.map(|line| line.to));
        around
    }

    /// The place where lines from a box lead.
    fn after(&self, at: usize) -> impl Iterator<Item = usize> {
        self.lines
            .iter()
            .filter(move |line| line.from == at)
            .map(|line| line.to)
    }

    /// The origin of lines to a box.
    fn before(&self, at: usize) -> impl Iterator<Item = usize> {
        self.lines
            .iter()
            .filter(move |line| line.to == at)
            .map(|line| line.from)
    }

    /// The rules whose alerts go through an Alertmanager to receivers whose names begin so.
    fn rules_to(&self, by: usize, prefix: &str) -> Vec<usize> {
        let told = self
            .lines
            .iter()
            .filter(|line| line.from == by && self.is_named(line.to, prefix));
        told.flat_map(|line| line.of_rules.keys().copied())
            .collect()
    }

    fn is_named(&self, receiver: usize, prefix: &str) -> bool {
        self.boxes[receiver].title().starts_with(prefix)
    }
}

fn is_configuration(of: &FlowBox) -> bool {
    matches!(
        of.subject,
        FlowSubject::Resource(Kind::AlertmanagerConfig, ..)
    )
}

/// Returns whether a box stands for that resource or workload.
fn is_of(known: &FlowBox, of: &ResourceName) -> bool {
    match &known.subject {
        FlowSubject::Resource(kind, namespace, name) => {
            (*kind, namespace, name) == (of.kind, &of.namespace, &of.name)
        }
        FlowSubject::Workload(WorkloadId {
            kind,
            namespace,
            name,
        }) => kind.resource() == Some(of.kind) && (namespace, name) == (&of.namespace, &of.name),
        FlowSubject::Namespace(..)
        | FlowSubject::Dashboard(..)
        | FlowSubject::Receiver(..)
        | FlowSubject::Nobody => false,
    }
}
