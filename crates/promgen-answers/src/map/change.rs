//! The differences between the maps of two sides: the boxes that a change touches, and their neighbors.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::WorkloadChanges;
use crate::map::build::subject_of_job;
use crate::map::draft::FlowDraft;
use crate::map::{FlowBox, FlowColumn, FlowLine, FlowMap, FlowMark, FlowSubject};
use promgen_resources::api::Kind;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;

/// The subjects at the ends of a line.
type Ends = (FlowSubject, FlowSubject);

impl FlowMap {
    /// The boxes and lines that differ in the head, and the direct neighbors of the boxes: at most `max` boxes. If there are more,
    /// neighbors are one box for each namespace; if even those that differ are too many, all are. `None` if nothing differs.
    #[must_use]
    pub fn changed(
        base: &Self,
        head: &Self,
        workloads: &[WorkloadChanges],
        max: usize,
    ) -> Option<Self> {
        let (base, head) = (&base.with_known_fate(), &head.with_known_fate());
        let whole = Self::compared(base, head, workloads).touched()?;
        if whole.boxes.len() <= max {
            return Some(whole);
        }
        let n_marked = whole
            .boxes
            .iter()
            .filter(|known| known.mark != FlowMark::Plain)
            .count();
        if n_marked * 2 <= max {
            return Some(whole.by_namespace().cut(max));
        }
        let folded = Self::compared(&base.by_namespace(), &head.by_namespace(), workloads);
        Some(folded.touched()?.cut(max))
    }

    /// The map without the resources that workloads elsewhere may select, as none in the input can.
    fn with_known_fate(&self) -> Self {
        let has = |column: FlowColumn| self.boxes.iter().any(|known| known.column() == column);
        let (has_server, has_alertmanager) =
            (has(FlowColumn::Servers), has(FlowColumn::Alertmanagers));
        let is_known = |of: &FlowBox| match &of.subject {
            FlowSubject::Resource(Kind::AlertmanagerConfig, ..) => {
                of.is_selected || has_alertmanager
            }
            FlowSubject::Resource(..) => of.is_selected || has_server,
            _ => true,
        };
        self.redrawn(|_, old| is_known(old).then(|| old.clone()), |line| line.n)
    }

    /// All boxes and lines of both sides, with what becomes of them.
    fn compared(base: &Self, head: &Self, workloads: &[WorkloadChanges]) -> Self {
        let mut draft = FlowDraft::default();
        let of_base: BTreeMap<&FlowSubject, &FlowBox> =
            base.boxes.iter().map(|of| (&of.subject, of)).collect_map();
        for new in &head.boxes {
            draft.add(of_both(of_base.get(&new.subject).copied(), new));
        }
        for old in &base.boxes {
            if draft.find(&old.subject).is_none() {
                draft.add(FlowBox {
                    mark: FlowMark::Lost,
                    remarks: vec!["removed".to_owned()],
                    ..old.clone()
                });
            }
        }
        for of_workload in workloads {
            draft.remark(of_workload);
        }
        let (old, new) = (base.ends(), head.ends());
        for (ends, line) in old
            .iter()
            .chain(new.iter().filter(|(ends, _)| !old.contains_key(*ends)))
        {
            let (Some(from), Some(to)) = (draft.find(&ends.0), draft.find(&ends.1)) else {
                continue;
            };
            let (shown, mark) = match (old.get(ends), new.get(ends)) {
                (Some(old), Some(new)) if old.n == new.n => (*new, FlowMark::Plain),
                (Some(_), Some(new)) => (*new, FlowMark::Moved),
                (Some(old), None) => (*old, FlowMark::Lost),
                (None, _) => (*line, FlowMark::Added),
            };
            if matches!(mark, FlowMark::Added | FlowMark::Lost) {
                draft.moved([from, to]);
            }
            draft.connect(FlowLine {
                from,
                to,
                mark,
                of_rules: BTreeMap::new(),
                ..shown.clone()
            });
        }
        draft.finished()
    }

    /// The lines by the subjects at their ends.
    fn ends(&self) -> BTreeMap<Ends, &FlowLine> {
        let subject = |at: usize| self.boxes[at].subject.clone();
        self.lines
            .iter()
            .map(|line| ((subject(line.from), subject(line.to)), line))
            .collect_map()
    }

    /// The boxes that differ or have a line that does, and their neighbors.
    fn touched(&self) -> Option<Self> {
        let marked = self
            .boxes
            .iter()
            .enumerate()
            .filter(|(_, of)| of.mark != FlowMark::Plain)
            .map(|(at, _)| at);
        let moved = self
            .lines
            .iter()
            .filter(|line| line.mark != FlowMark::Plain);
        let touched: BTreeSet<usize> = marked.collect_set();
        let mut kept: BTreeSet<usize> = moved.flat_map(|line| [line.from, line.to]).collect_set();
        kept.extend(touched.iter().copied());
        for line in self
            .lines
            .iter()
            .filter(|line| touched.contains(&line.from) || touched.contains(&line.to))
        {
            kept.extend([line.from, line.to]);
        }
        let place = |at: usize, old: &FlowBox| kept.contains(&at).then(|| old.clone());
        (!kept.is_empty()).then(|| self.redrawn(place, |line| line.n))
    }
}

/// A box of the head with what it was in the base.
fn of_both(old: Option<&FlowBox>, new: &FlowBox) -> FlowBox {
    let Some(old) = old else {
        return FlowBox {
            mark: FlowMark::Added,
            ..new.clone()
        };
    };
    let mark = match (old.state() == new.state(), new.is_dead() && !old.is_dead()) {
        (_, true) => FlowMark::Lost,
        (true, false) => new.mark,
        (false, false) => FlowMark::Moved,
    };
    FlowBox {
        mark,
        was: Some(old.state()),
        ..new.clone()
    }
}

impl FlowDraft {
    /// Says what becomes of the targets of a workload.
    fn remark(&mut self, of: &WorkloadChanges) {
        let targets = &of.targets;
        let own = self
            .boxes()
            .find(|(_, subject)| matches!(subject, FlowSubject::Workload(id) if id.to_string() == of.workload));
        if let Some(own) = own.map(|(at, _)| at) {
            let counts = [
                (targets.lost.total, "lost"),
                (targets.moved.total, "moved to other shards"),
            ];
            for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
                self.mark(own, FlowMark::Moved);
                self.get(own)
                    .remarks
                    .push(format!("{} {what}", counted(n, "target")));
            }
        }
        let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
        targets
            .lost
            .items
            .iter()
            .for_each(|target| *lost.entry(&target.job).or_insert(0) += 1);
        for (job, n) in lost {
            if let Some(at) = subject_of_job(job).and_then(|subject| self.find(&subject)) {
                self.mark(at, FlowMark::Lost);
                self.get(at)
                    .remarks
                    .push(format!("{} lost", counted(n, "target")));
            }
        }
    }

    /// Marks the box that a line belongs to, if both of its boxes are on both sides: monitors and rules belong to other servers,
    /// or alerts to other receivers.
    fn moved(&mut self, [from, to]: [usize; 2]) {
        let is_new_or_gone = |mark: FlowMark| matches!(mark, FlowMark::Added | FlowMark::Lost);
        if is_new_or_gone(self.get(from).mark) || is_new_or_gone(self.get(to).mark) {
            return;
        }
        let owner = if self.get(from).column() == FlowColumn::Servers {
            to
        } else {
            from
        };
        self.mark(owner, FlowMark::Moved);
    }

    fn mark(&mut self, at: usize, mark: FlowMark) {
        let known = self.get(at);
        if known.mark == FlowMark::Plain {
            known.mark = mark;
        }
    }
}
