//! Maps with fewer boxes: one for each namespace, and the most important ones.

use std::collections::BTreeSet;

use crate::map::{FlowBox, FlowColumn, FlowGroup, FlowLine, FlowMap, FlowMark, FlowSubject};
use promgen_resources::api::Kind;
use promgen_text::CollectOrdered;

impl FlowMap {
    /// The map without the configurations of Alertmanagers.
    #[must_use]
    pub fn without_configurations(&self) -> Self {
        let is_one = |of: &FlowBox| {
            matches!(
                of.subject,
                FlowSubject::Resource(Kind::AlertmanagerConfig, ..)
            )
        };
        self.redrawn(|_, old| (!is_one(old)).then(|| old.clone()), |line| line.n)
    }

    /// The map with one box for the monitors of a namespace, one for its rules, and one for its configurations. What stands
    /// out keeps its own.
    #[must_use]
    pub fn by_namespace(&self) -> Self {
        let fold = |old: &FlowBox| match &old.subject {
            FlowSubject::Resource(kind, namespace, _) if old.mark == FlowMark::Plain => {
                let subject = FlowSubject::Namespace(
                    FlowGroup::of(*kind),
                    namespace.clone(),
                    old.is_selected,
                );
                FlowBox {
                    subject,
                    was: None,
                    ..old.clone()
                }
            }
            FlowSubject::Dashboard(namespace, _) if old.mark == FlowMark::Plain => {
                let subject =
                    FlowSubject::Namespace(FlowGroup::Dashboards, namespace.clone(), true);
                FlowBox {
                    subject,
                    was: None,
                    ..old.clone()
                }
            }
            _ => old.clone(),
        };
        self.redrawn(|_, old| Some(fold(old)), |line| line.n)
    }

    /// The map, by namespace if it has more boxes than that; if it still has, the first of them in the order of their ranks.
    #[must_use]
    pub fn within(&self, max: usize) -> Self {
        if self.boxes.len() <= max {
            self.clone()
        } else {
            self.by_namespace().cut(max)
        }
    }

    /// The first boxes in the order of their ranks; the others are counted.
    #[must_use]
    pub fn cut(&self, max: usize) -> Self {
        let mut order: Vec<usize> = (0..self.boxes.len()).collect();
        order.sort_by_key(|at| (rank(&self.boxes[*at]), *at));
        let kept: BTreeSet<usize> = order.into_iter().take(max).collect_set();
        let n_hidden = self.n_hidden + self.boxes.len() - kept.len();
        let map = self.redrawn(
            |at, old| kept.contains(&at).then(|| old.clone()),
            |line: &FlowLine| line.n,
        );
        Self { n_hidden, ..map }
    }
}

/// Returns whether a change touches it.
const fn is_marked(mark: FlowMark) -> bool {
    matches!(mark, FlowMark::Added | FlowMark::Lost | FlowMark::Moved)
}

/// The rank in which a box is left out: the greatest first.
fn rank(of: &FlowBox) -> u8 {
    match (of.mark, of.column()) {
        (FlowMark::Asked, _) => 0,
        (mark, _) if is_marked(mark) => 1,
        (_, FlowColumn::Servers | FlowColumn::Alertmanagers) => 2,
        _ if of.is_dead() => 3,
        (_, FlowColumn::Receivers) => 4,
        (_, FlowColumn::Rules) => 5,
        (_, FlowColumn::Monitors) => 6,
    }
}
