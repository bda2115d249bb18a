//! The map of an environment as a picture: boxes in columns and curves between them, for the report and as a file of its own.
//!
//! In: a [`FlowMap`]. Out: the same with places, as [`MapPart`], which a template draws as SVG; [`mermaid`] writes it as a flowchart.

pub(crate) mod mermaid;
pub(crate) mod svg;

use crate::cli::json::answers;
use std::collections::BTreeMap;

use promgen_answers::map::{FlowBox, FlowColumn, FlowLine, FlowMap, FlowMark, FlowSubject};

/// The most boxes of a column.
const MAX_BOXES: usize = 40;

/// Measures of the picture, in its own units.
const WIDTH: usize = 190;
const HEIGHT: usize = 44;
const GAP: usize = 12;
const BETWEEN: usize = 70;
const HEAD: usize = 30;

/// The most letters of a line in a box.
const MAX_LETTERS: usize = 26;

answers! {
    /// A map.
    MapPart as "ReportMap" {
        /// The width of the picture.
        width: usize,
        /// Its height.
        height: usize,
        /// The width of a box.
        box_width: usize,
        /// The height of a box.
        box_height: usize,
        /// The columns that have boxes, from left to right.
        columns: Vec<MapColumn>,
        /// The boxes.
        boxes: Vec<MapBox>,
        /// The lines between them.
        lines: Vec<MapLine>,
        /// The notes about what is left out of the map.
        notes: Vec<String>,
    }

    /// A column of the map.
    MapColumn as "ReportMapColumn" {
        /// The content.
        title: &'static str,
        /// Its left side.
        x: usize,
    }

    /// A box of the map.
    #[derive(Default)]
    MapBox as "ReportMapBox" {
        /// Its column, from 0.
        column: usize,
        /// The meaning.
        title: String,
        /// The title, as far as it fits.
        short: String,
        /// What else is to be said.
        detail: String,
        /// The detail, as far as it fits.
        short_detail: String,
        /// The link in the page; empty if it leads nowhere.
        to: String,
        /// `bad`, `changed`, `asked`, or nothing.
        tone: &'static str,
        /// Its left side.
        x: usize,
        /// Its upper side.
        y: usize,
    }

    /// A line between two boxes.
    MapLine as "ReportMapLine" {
        /// The number of the box where it begins.
        from: usize,
        /// The number of the box where it ends.
        to: usize,
        /// What goes along it.
        label: String,
        /// Its width.
        width: usize,
        /// `bad`, or nothing.
        tone: &'static str,
        /// The curve, as a path of SVG.
        path: String,
    }
}

/// The link of a box, and how it stands out.
pub(crate) type BoxLook = (String, &'static str);

/// The emphasis of a box by itself.
pub(crate) fn tone(of: &FlowBox) -> &'static str {
    match () {
        () if of.is_dead() => "bad",
        () if of.mark == FlowMark::Asked => "asked",
        () => "",
    }
}

impl MapPart {
    /// Gives the boxes their places. `look`: where a box leads to, and how it stands out.
    pub(crate) fn of(map: &FlowMap, look: &dyn Fn(&FlowBox) -> BoxLook) -> Self {
        let (order, notes) = ordered(map);
        let most = order.iter().map(Vec::len).max().unwrap_or_default();
        let mut boxes: Vec<MapBox> = Vec::new();
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for (column, own) in order.iter().enumerate() {
            let top = HEAD + (most - own.len()) * (HEIGHT + GAP) / 2;
            for (row, at) in own.iter().enumerate() {
                numbers.insert(*at, boxes.len());
                let placed = MapBox {
                    column,
                    x: left(column),
                    y: top + row * (HEIGHT + GAP),
                    ..MapBox::default()
                };
                boxes.push(placed.filled(&map.boxes[*at], look));
            }
        }
        let line = |line: &FlowLine| {
            let (from, to) = (*numbers.get(&line.from)?, *numbers.get(&line.to)?);
            let tone = if map.boxes[line.to].subject == FlowSubject::Nobody {
                "bad"
            } else {
                ""
            };
            let width = 1 + line.n().max(1).ilog2().min(4) as usize;
            Some(MapLine {
                from,
                to,
                label: line.label(),
                width,
                tone,
                path: curve(&boxes[from], &boxes[to]),
            })
        };
        let lines = map.lines.iter().filter_map(line).collect();
        let titles = order
            .iter()
            .filter_map(|own| Some(map.boxes[*own.first()?].column().title()))
            .enumerate();
        let columns: Vec<_> = titles
            .map(|(n, title)| MapColumn { title, x: left(n) })
            .collect();
        Self {
            width: left(columns.len()).saturating_sub(BETWEEN),
            height: HEAD + most * (HEIGHT + GAP),
            box_width: WIDTH - 1,
            box_height: HEIGHT - 1,
            columns,
            boxes,
            lines,
            notes,
        }
    }
}

impl MapBox {
    fn filled(self, of: &FlowBox, look: &dyn Fn(&FlowBox) -> BoxLook) -> Self {
        let (title, detail, (to, tone)) = (of.title(), of.detail(), look(of));
        Self {
            short: shortened(&title),
            title,
            short_detail: shortened(&detail),
            detail,
            to,
            tone,
            ..self
        }
    }
}

/// The boxes of each column from top to bottom: beside those that lead to them. Of many, the last are left out, which is said.
fn ordered(map: &FlowMap) -> (Vec<Vec<usize>>, Vec<String>) {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); map.boxes.len()];
    map.lines
        .iter()
        .for_each(|line| before[line.to].push(line.from));
    let (mut order, mut notes): (Vec<Vec<usize>>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    for column in FlowColumn::ALL {
        let mut own: Vec<usize> = (0..map.boxes.len())
            .filter(|at| map.boxes[*at].column() == column)
            .collect();
        let middle = |at: usize| {
            let before = before[at].iter().filter_map(|from| rows.get(from));
            let (n, sum) = before.fold((0, 0), |(n, sum), row| (n + 1, sum + row * 100));
            sum.checked_div(n).unwrap_or(usize::MAX)
        };
        own.sort_by_key(|at| {
            (
                map.boxes[*at].mark != FlowMark::Asked,
                middle(*at),
                map.boxes[*at].title(),
                *at,
            )
        });
        if own.len() > MAX_BOXES {
            let title = column.title().to_lowercase();
            notes.push(format!(
                "{MAX_BOXES} of {} boxes of {title} are shown",
                own.len()
            ));
            own.truncate(MAX_BOXES);
        }
        rows.extend(own.iter().enumerate().map(|(row, at)| (*at, row)));
        // A column without boxes is none.
        if !own.is_empty() {
            order.push(own);
        }
    }
    if map.n_hidden > 0 {
        notes.push(format!("not shown: {}", boxes(map.n_hidden)));
    }
    (order, notes)
}

/// So many boxes, in words.
fn boxes(n: usize) -> String {
    if n == 1 {
        "1 box".to_owned()
    } else {
        format!("{n} boxes")
    }
}

/// Returns whether each column of a map fits into a picture.
fn fits(map: &FlowMap) -> bool {
    let n_of = |column: &FlowColumn| {
        map.boxes
            .iter()
            .filter(|known| known.column() == *column)
            .count()
    };
    FlowColumn::ALL
        .iter()
        .all(|column| n_of(column) <= MAX_BOXES)
}

const fn left(column: usize) -> usize {
    column * (WIDTH + BETWEEN)
}

/// The curve from the right side of a box to the left side of another.
fn curve(from: &MapBox, to: &MapBox) -> String {
    let (x1, y1, x2, y2) = (from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2);
    let bend = BETWEEN / 2;
    format!(
        "M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}",
        x1 + bend,
        x2.saturating_sub(bend)
    )
}

/// A text, as far as it fits into a box.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_LETTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_LETTERS - 1).collect();
    format!("{start}…")
}
