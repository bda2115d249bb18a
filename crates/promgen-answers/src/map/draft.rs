//! A map while its boxes and lines are added: what is the same is one box or line.

use std::collections::BTreeMap;

use crate::map::{FlowBox, FlowLine, FlowMap, FlowMark, FlowSubject};

/// A map that is being drawn.
#[derive(Debug, Default)]
pub(super) struct FlowDraft {
    boxes: Vec<FlowBox>,
    numbers: BTreeMap<FlowSubject, usize>,
    lines: BTreeMap<(usize, usize), FlowLine>,
}

impl FlowDraft {
    /// The number of the box of a subject.
    pub(super) fn find(&self, subject: &FlowSubject) -> Option<usize> {
        self.numbers.get(subject).copied()
    }

    /// Adds a box, or what it has to the box of the same subject. Returns its number.
    pub(super) fn add(&mut self, new: FlowBox) -> usize {
        let Some(at) = self.find(&new.subject) else {
            self.numbers.insert(new.subject.clone(), self.boxes.len());
            self.boxes.push(new);
            return self.boxes.len() - 1;
        };
        let known = &mut self.boxes[at];
        for (kind, n) in new.kinds {
            *known.kinds.entry(kind).or_insert(0) += n;
        }
        known.n_refused += new.n_refused;
        known.unreached.extend(new.unreached);
        known.n_readers += new.n_readers;
        known.n_without_series += new.n_without_series;
        known.n_unheard += new.n_unheard;
        if known.mark == FlowMark::Plain {
            known.mark = new.mark;
        }
        at
    }

    /// The boxes: the number and the subject of each.
    pub(super) fn boxes(&self) -> impl Iterator<Item = (usize, &FlowSubject)> {
        self.boxes.iter().map(|known| &known.subject).enumerate()
    }

    /// The box with that number.
    pub(super) fn get(&mut self, at: usize) -> &mut FlowBox {
        &mut self.boxes[at]
    }

    /// Adds a line, or what goes along it to the line between the same boxes.
    pub(super) fn connect(&mut self, new: FlowLine) {
        let empty = || FlowLine {
            n: 0,
            of_rules: BTreeMap::new(),
            ..new.clone()
        };
        let known = self.lines.entry((new.from, new.to)).or_insert_with(empty);
        known.n += new.n;
        for (rule, n) in new.of_rules {
            *known.of_rules.entry(rule).or_insert(0) += n;
        }
    }

    /// The map.
    pub(super) fn finished(self) -> FlowMap {
        FlowMap {
            boxes: self.boxes,
            lines: self.lines.into_values().collect(),
            n_hidden: 0,
        }
    }
}

impl FlowLine {
    /// A line along which resources go.
    pub(super) fn of_resource(from: usize, to: usize) -> Self {
        Self {
            from,
            to,
            mark: FlowMark::Plain,
            n: 1,
            what: "resource",
            of_rules: BTreeMap::new(),
        }
    }

    /// A line along which the samples for an expression of a dashboard go.
    pub(super) fn of_expression(from: usize, to: usize) -> Self {
        Self {
            what: "expression",
            ..Self::of_resource(from, to)
        }
    }

    /// A line along which an alert of a box of rules goes.
    pub(super) fn of_alert(from: usize, to: usize, rules: usize) -> Self {
        let of_rules = [(rules, 1)].into_iter().collect();
        Self {
            from,
            to,
            mark: FlowMark::Plain,
            n: 1,
            what: "alert",
            of_rules,
        }
    }
}

impl FlowMap {
    /// The map with other boxes: what `place` makes of each, if it stays. Lines stay if both of their boxes do, and `keep` leaves
    /// something on them.
    pub(super) fn redrawn(
        &self,
        mut place: impl FnMut(usize, &FlowBox) -> Option<FlowBox>,
        keep: impl Fn(&FlowLine) -> usize,
    ) -> Self {
        let mut draft = FlowDraft::default();
        let boxes = self.boxes.iter().enumerate();
        let numbers: Vec<Option<usize>> = boxes
            .map(|(at, old)| Some(draft.add(place(at, old)?)))
            .collect();
        let number = |at: usize| numbers.get(at).copied().flatten();
        for line in &self.lines {
            let n = keep(line);
            let (Some(from), Some(to), true) = (number(line.from), number(line.to), n > 0) else {
                continue;
            };
            let of_rules = line
                .of_rules
                .iter()
                .filter_map(|(rules, n)| Some((number(*rules)?, *n)));
            let mut kept = BTreeMap::new();
            of_rules.for_each(|(rules, n)| *kept.entry(rules).or_insert(0) += n);
            draft.connect(FlowLine {
                from,
                to,
                n,
                of_rules: kept,
                ..line.clone()
            });
        }
        Self {
            n_hidden: self.n_hidden,
            ..draft.finished()
        }
    }
}
