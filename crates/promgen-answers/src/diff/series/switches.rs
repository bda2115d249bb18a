//! Switches under which a job makes something else of what its targets have.

use promgen_model::lineage::job::ScrapedJob;
use promgen_model::lineage::matcher::SeriesSelector;
use promgen_model::model::lineage::words::job_title;
use promgen_prometheus::promql::{Call, ExprKind, Tree, VectorSelector};

/// What Prometheus puts in front of the label of a series that its target has, too.
const EXPORTED: &str = "exported_";

/// A switch that takes series away.
pub(super) struct LossSwitch {
    /// What is otherwise now.
    pub(super) cause: String,
    /// Why they may be there nevertheless.
    pub(super) unless: Option<String>,
}

/// Returns whether an expression reads a native histogram by a selector: without its buckets, in a function of histograms.
pub(super) fn reads_native(tree: &Tree, written: &VectorSelector) -> bool {
    let is_classic = |name: &String| name.ends_with("_bucket");
    let of_histogram = |call: &Call| {
        let arguments = call.arguments.iter().map(|id| tree.node(*id));
        call.function.name.starts_with("histogram_")
            && arguments
                .flat_map(|node| tree.selectors(node))
                .any(|of| std::ptr::eq(of, written))
    };
    !written.name.as_ref().is_some_and(is_classic)
        && tree.nodes().iter().any(|node| match &node.kind {
            ExprKind::Call(call) => of_histogram(call),
            _ => false,
        })
}

/// The switch under which a job that is still there may make the series of a selector no longer.
pub(super) fn of_job(
    selector: &SeriesSelector,
    name: &str,
    is_native: bool,
    before: &ScrapedJob,
    now: &ScrapedJob,
) -> Option<LossSwitch> {
    let title = job_title(now);
    let told = |cause: String| {
        let unless = None;
        Some(LossSwitch { cause, unless })
    };
    if let Some(label) = lost_label(selector, before, now) {
        let stays = label.strip_prefix(EXPORTED).filter(|_| now.honors_labels);
        return told(match stays {
            Some(stays) => format!(
                "{title} keeps the `{stays}` that targets send now, and makes no `{label}` of it"
            ),
            None => format!("targets of {title} have no label `{label}` any more"),
        });
    }
    let (old, new) = (before.taken, now.taken);
    if old.keeps_name(name) && !new.keeps_name(name) {
        return told(format!("{title} takes `{name}` by another name now"));
    }
    if is_native && (old.native || old.converts) && !(new.native || new.converts) {
        return told(format!("{title} takes no native histograms any more"));
    }
    let ends = ["_bucket", "_count", "_sum"];
    if ends.iter().any(|end| name.ends_with(end)) && new.is_native_alone() && !old.is_native_alone()
    {
        let takes = match new.converts && !old.converts {
            true => "makes native histograms of classic ones",
            false => "takes native histograms",
        };
        // A summary has the same names, and no buckets.
        return Some(LossSwitch {
            cause: format!("{title} {takes} now, and no classic ones beside them"),
            unless: (!name.ends_with("_bucket"))
                .then(|| format!("`{name}` stays if it is not of a histogram")),
        });
    }
    None
}

/// The label that a selector asks for, and that the targets of a job have no longer, or that is made of none of their labels.
fn lost_label<'s>(
    selector: &'s SeriesSelector,
    before: &ScrapedJob,
    now: &ScrapedJob,
) -> Option<&'s str> {
    let is_of_targets = |job: &ScrapedJob, label: &str| {
        let mut values = job.targets.iter().map(|of| of.labels.get(label));
        values.any(|values| values.iter().any(|value| !value.is_empty()))
    };
    let has = |job: &ScrapedJob, label: &str| {
        let renamed = label.strip_prefix(EXPORTED).filter(|_| !job.honors_labels);
        is_of_targets(job, label) || renamed.is_some_and(|label| is_of_targets(job, label))
    };
    let asked = selector.matchers.iter().filter(|of| !of.meets_absent());
    let mut asked = asked.map(|matcher| matcher.label.as_str());
    asked.find(|label| !now.targets.is_empty() && has(before, label) && !has(now, label))
}
