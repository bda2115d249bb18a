//! The texts about a simulation, for all formats.

use promgen_targets::simulate::{CountChange, Figures, Recommendation, SimulatedCount, Simulation};
use promgen_text::diag::count::counted;

/// `50.0%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A weight for people: an integer if it is large, with a thousands separator.
pub(crate) fn weight(weight: f64) -> String {
    if weight >= 1_000.0 || weight.fract() == 0.0 {
        thousands(&format!("{weight:.0}"))
    } else {
        format!("{weight:.1}")
    }
}

/// `12,345`.
pub(super) fn thousands(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The verdict about a step, in short: empty if the step is possible.
pub(super) fn verdict(simulation: &Simulation, index: usize) -> String {
    let step = &simulation.steps[index];
    if simulation.least_movement == Some(index) {
        // Of one number, there is none that moves more.
        return if has_choice(simulation) {
            "least movement".to_owned()
        } else {
            String::new()
        };
    }
    match &step.verdict {
        Recommendation::Same => "unchanged".to_owned(),
        Recommendation::Possible => String::new(),
        Recommendation::Refused(why) => format!("refused: {why}"),
        Recommendation::Uncovers(n) => format!("uncovers {}", counted(*n as usize, "target")),
        Recommendation::Doubles(groups) => {
            let groups: Vec<_> = groups.iter().map(|group| list(group, " and ")).collect();
            format!("doubled: {}", groups.join(", "))
        }
        Recommendation::Idles(shards) => format!("idle: {}", list(shards, ", ")),
    }
}

pub(super) fn list(numbers: &[u32], separator: &str) -> String {
    numbers
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(separator)
}

/// `+2`, `-4`, or nothing.
pub(super) fn change(change: CountChange) -> String {
    match (change.created, change.retired) {
        (0, 0) => String::new(),
        (created, 0) => format!("+{created}"),
        (_, retired) => format!("-{retired}"),
    }
}

/// Returns whether there are several numbers of shards to compare.
pub(super) fn has_choice(simulation: &Simulation) -> bool {
    simulation
        .steps
        .iter()
        .filter(|step| !matches!(step.verdict, Recommendation::Same))
        .count()
        > 1
}

/// The step that moves least, or that there is none.
pub(super) fn conclusion(simulation: &Simulation) -> String {
    let present = simulation.present.shards.len();
    let Some(step) = simulation
        .least_movement
        .and_then(|index| simulation.steps.get(index))
    else {
        return if simulation.all.targets == 0 {
            "without targets, all steps move the same".to_owned()
        } else {
            "no step to recommend".to_owned()
        };
    };
    let moved = step.figures.as_ref().map_or(0.0, |figures| {
        figures.from_present.moved.share(simulation.all)
    });
    let to = if step.n_shards as usize == present {
        "other zones".to_owned()
    } else {
        step.n_shards.to_string()
    };
    let from = counted(present, "shard");
    let text = match has_choice(simulation) {
        true => format!(
            "the least movement from {from} is to {to}: {} of the load moves",
            percent(moved)
        ),
        false => format!("from {from} to {to}: {} of the load moves", percent(moved)),
    };
    let volumes = step
        .figures
        .as_ref()
        .and_then(|figures| figures.from_present.volumes);
    match volumes.map(|change| change.created) {
        Some(n) if n > 0 => format!("{text}, and {} are created", counted(n as usize, "volume")),
        _ => text,
    }
}

/// Notes on the figures.
pub(super) fn notes(simulation: &Simulation) -> Vec<String> {
    let mut notes: Vec<_> = simulation
        .unknown
        .iter()
        .map(|what| format!("skipped: {what}"))
        .collect();
    notes.extend(without(simulation, "weight"));
    notes.extend(simulation.steps.iter().filter_map(rezoned));
    notes.extend(left_behind(simulation));
    notes
}

/// The targets that have no figure of their own.
pub(crate) fn without(simulation: &Simulation, figure: &str) -> Option<String> {
    let (n, all) = (simulation.n_unweighted, simulation.all.targets);
    (n > 0).then(|| {
        format!(
            "{n} of {} have no {figure}; the mean is used",
            counted(all as usize, "target")
        )
    })
}

/// A volume is bound to a zone. A pod that moves to another zone cannot use it.
fn rezoned(step: &SimulatedCount) -> Option<String> {
    let figures = step
        .figures
        .as_ref()
        .filter(|figures| figures.footprint.volumes.is_some_and(|n| n > 0))?;
    let shards = &figures.from_present.rezoned;
    let noun = if shards.len() == 1 { "shard" } else { "shards" };
    (!shards.is_empty()).then(|| {
        let shown = list(shards.get(..8).unwrap_or(shards), ", ");
        let more = if shards.len() > 8 { ", …" } else { "" };
        let with = counted(step.n_shards as usize, "shard");
        format!("with {with}, {noun} {shown}{more} must run in another zone, where their volumes may not be available")
    })
}

/// The fate of the volumes of removed shards.
fn left_behind(simulation: &Simulation) -> Option<String> {
    let retires = |figures: &&Figures| {
        figures
            .from_present
            .volumes
            .is_some_and(|change| change.retired > 0)
    };
    let figures = simulation
        .steps
        .iter()
        .filter_map(|step| step.figures.as_ref())
        .find(retires)?;
    let kept = "volumes of removed shards remain until you delete them \
                (persistentVolumeClaimRetentionPolicy.whenDeleted: Delete deletes them)";
    let gone =
        "volumes of removed shards are deleted with their StatefulSet, and their data is lost";
    Some(
        if figures.footprint.is_deleted {
            gone
        } else {
            kept
        }
        .to_owned(),
    )
}
