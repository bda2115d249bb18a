//! Coordinates of the charts.
//!
//! In: figures. Out: coordinates and texts for the template, which draws them. The unit of all charts is a pixel at their
//! natural size, which fits a phone; wider screens show several side by side.

use serde::Serialize;

use crate::cli::ask::simulate::words;
use promgen_targets::simulate::Figures;

/// Width of a small chart of shards.
const PANEL: f64 = 300.0;
/// The plot within it: left, right, top, bottom.
const PLOT: [f64; 4] = [38.0, 292.0, 12.0, 104.0];
/// The maximum number of labels below bars; more would overlap.
const MAX_TICKS: usize = 12;
/// The start and end of the bars of steps.
const ROW: [f64; 2] = [44.0, 272.0];
/// The height of a row.
const ROW_HEIGHT: f64 = 30.0;
/// The first row begins below the name of the axis.
const ROW_TOP: f64 = 22.0;

/// A small chart: the load of each shard.
#[derive(Debug, Serialize)]
pub(super) struct Bars {
    bars: Vec<Bar>,
    ticks: Vec<Tick>,
    /// The height of the mean, and its text.
    mean: Option<Tick>,
    /// Numbers beside the vertical axis.
    axis: Vec<Tick>,
}

/// A bar.
#[derive(Debug, Serialize)]
struct Bar {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    /// Its class, which is that of its zone.
    class: String,
    /// The tooltip.
    title: String,
}

/// A number on an axis.
#[derive(Debug, Serialize)]
struct Tick {
    at: f64,
    text: String,
}

/// A chart with a row for each number of shards.
#[derive(Debug, Serialize)]
pub(super) struct RowChart {
    height: f64,
    /// The position of the axis.
    axis_y: f64,
    ticks: Vec<Tick>,
    rows: Vec<ChartRow>,
}

/// A row of marks.
#[derive(Debug, Serialize)]
struct ChartRow {
    y: f64,
    label: String,
    is_best: bool,
    marks: Vec<AxisMark>,
    /// The text of a row without marks.
    note: &'static str,
}

/// A mark: from the left end of the axis to `x`.
#[derive(Debug, Serialize)]
struct AxisMark {
    x: f64,
    text: String,
    class: &'static str,
}

/// The data of a row.
pub(super) struct ChartEntry {
    pub(super) label: String,
    pub(super) is_best: bool,
    /// Values with the class of their mark.
    pub(super) values: Vec<(f64, &'static str)>,
}

/// The load of each shard, on an axis that ends at `max`.
pub(super) fn bars(figures: &Figures, max: f64, class: impl Fn(Option<&str>) -> String) -> Bars {
    let [left, right, top, bottom] = PLOT;
    let n_shards = figures.shards.len().max(1);
    let step = (right - left) / to_f64(n_shards);
    let gap = (step * 0.22).min(6.0);
    let height = |weight: f64| {
        if max > 0.0 {
            (bottom - top) * weight / max
        } else {
            0.0
        }
    };
    let bar = |(index, load): (usize, &promgen_targets::simulate::Load)| {
        let (weight, zone) = (load.amount.weight(), load.shard.zone.as_deref());
        let place = zone.map(|zone| format!(" in {zone}")).unwrap_or_default();
        let height = height(weight);
        Bar {
            x: round(left + step * to_f64(index) + gap / 2.0),
            y: round(bottom - height),
            width: round(step - gap),
            height: round(height),
            class: class(zone),
            title: format!(
                "shard {}{place}: {}",
                load.shard.index,
                words::weight(weight)
            ),
        }
    };
    let every = n_shards.div_ceil(MAX_TICKS);
    let tick = |index: usize| Tick {
        at: round(left + step * (to_f64(index) + 0.5)),
        text: index.to_string(),
    };
    let sum: f64 = figures.shards.iter().map(|load| load.amount.weight()).sum();
    let mean = sum / to_f64(n_shards);
    Bars {
        bars: figures.shards.iter().enumerate().map(bar).collect(),
        ticks: (0..figures.shards.len()).step_by(every).map(tick).collect(),
        mean: (sum > 0.0).then(|| Tick {
            at: round(bottom - height(mean)),
            text: words::weight(mean),
        }),
        axis: [0.0, 0.5, 1.0]
            .map(|part| Tick {
                at: round(bottom - (bottom - top) * part),
                text: short(max * part),
            })
            .into(),
    }
}

/// Rows of bars, from `origin` on; `text` formats a value.
pub(super) fn rows(
    entries: Vec<ChartEntry>,
    origin: f64,
    text: impl Fn(f64) -> String,
) -> RowChart {
    let values = || {
        entries
            .iter()
            .flat_map(|entry| entry.values.iter().map(|(value, _)| *value))
    };
    let end = origin + nice(values().map(|value| value - origin).fold(0.0, f64::max));
    let x = |value: f64| {
        round(ROW[0] + (ROW[1] - ROW[0]) * ((value - origin) / (end - origin)).clamp(0.0, 1.0))
    };
    let n_rows = to_f64(entries.len());
    let tick = |part: f64| {
        let value = origin + (end - origin) * part;
        Tick {
            at: x(value),
            text: text(value),
        }
    };
    let ticks = [0.0, 0.5, 1.0].map(tick).into();
    let row = |(index, entry): (usize, ChartEntry)| ChartRow {
        y: ROW_TOP + ROW_HEIGHT * to_f64(index),
        label: entry.label,
        is_best: entry.is_best,
        note: if entry.values.is_empty() {
            "refused"
        } else {
            ""
        },
        marks: entry
            .values
            .into_iter()
            .map(|(value, class)| AxisMark {
                x: x(value),
                text: text(value),
                class,
            })
            .collect(),
    };
    let rows = entries.into_iter().enumerate().map(row).collect();
    let axis_y = ROW_TOP + ROW_HEIGHT * n_rows;
    RowChart {
        height: axis_y + 22.0,
        axis_y,
        ticks,
        rows,
    }
}

/// The smallest round number above, for the end of an axis with a label in its middle.
pub(super) fn nice(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let scale = 10_f64.powi(exponent(value));
    let steps = [1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps
        .into_iter()
        .map(|step| step * scale)
        .find(|end| *end >= value * 0.999_999)
        .unwrap_or(10.0 * scale)
}

/// The power of ten below a number.
fn exponent(value: f64) -> i32 {
    let mut exponent = 0;
    let mut rest = value;
    while rest >= 10.0 {
        rest /= 10.0;
        exponent += 1;
    }
    while rest < 1.0 && exponent > -30 {
        rest *= 10.0;
        exponent -= 1;
    }
    exponent
}

/// A short form of a number: `12k`, `1.5M`.
fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (value, unit) = units
        .into_iter()
        .find(|(size, _)| value >= *size)
        .map_or((value, ""), |(size, unit)| (value / size, unit));
    let digits = format!("{value:.2}");
    format!(
        "{}{unit}",
        digits.trim_end_matches('0').trim_end_matches('.')
    )
}

/// Rounds to a tenth of a pixel.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[expect(clippy::cast_precision_loss, reason = "a number of shards or steps")]
const fn to_f64(n: usize) -> f64 {
    n as f64
}

/// The width of small charts.
pub(super) const fn panel_width() -> f64 {
    PANEL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_numbers_that_read_well() {
        for (value, expected) in [
            (0.0, 1.0),
            (0.013, 0.016),
            (0.5, 0.5),
            (0.81, 1.0),
            (7.0, 8.0),
            (1234.0, 1600.0),
        ] {
            assert!(
                (nice(value) - expected).abs() < 1e-9,
                "{value}: {}",
                nice(value)
            );
        }
        assert_eq!(
            [0.0, 12.5, 1600.0, 2.5e6, 3e9].map(short),
            ["0", "12.5", "1.6k", "2.5M", "3G"]
        );
        assert!(nice(f64::INFINITY) > 0.0 && nice(1e-40) > 0.0);
    }

    #[test]
    fn marks_stand_between_the_ends_of_the_axis() {
        let entry = |value: f64| ChartEntry {
            label: String::new(),
            is_best: false,
            values: vec![(value, "a")],
        };
        let chart = rows(vec![entry(1.0), entry(1.5), entry(0.2)], 1.0, |value| {
            format!("{value:.1}")
        });
        let at: Vec<f64> = chart.rows.iter().map(|row| row.marks[0].x).collect();
        assert_eq!(at, [ROW[0], ROW[1], ROW[0]]);
        assert_eq!(chart.ticks[1].text, "1.2");
    }
}
