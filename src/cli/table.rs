//! Tables of text.

use std::io::{self, Write};

use crate::cli::paint::Paint;
use crate::cli::{Terminal, report};

/// The lines of a table; the first contains the names of the columns.
pub(crate) type Rows<const N: usize> = Vec<[String; N]>;

/// The look of a table.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    /// The columns of the terminal.
    pub(crate) width: usize,
    /// Whether to use colors.
    pub(crate) paint: Paint,
    /// Columns that stay, whatever they hold.
    pub(crate) keep: &'a [&'a str],
    /// The color of a row, by its cells.
    pub(crate) tone: fn(&[String]) -> Tone,
}

/// The tone of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Bad,
}

impl Look<'_> {
    /// The look on a terminal, where every row is the same.
    pub(crate) const fn plain(terminal: Terminal) -> Self {
        Self {
            width: terminal.width,
            paint: Paint::of(terminal),
            keep: &[],
            tone: |_| Tone::Plain,
        }
    }
}

/// Writes a table like `kubectl`: columns as wide as their content. Columns without a figure go. If the table is wider than the
/// terminal, columns that are the same in every row stand above it.
pub(crate) fn write<const N: usize>(
    rows: &Rows<N>,
    look: Look<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown: Rows<N> = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| report::one_line(cell)))
        .collect();
    let Some((head, body)) = shown.split_first() else {
        return Ok(());
    };
    let width = |column: &usize| {
        shown
            .iter()
            .map(|row| row[*column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let is_kept = |column: &usize| look.keep.contains(&&*head[*column]);
    let is_blank = |column: &usize| body.iter().all(|row| is_nothing(&row[*column]));
    let mut columns: Vec<usize> = (0..N)
        .filter(|column| is_kept(column) || body.is_empty() || !is_blank(column))
        .collect();
    let total = |columns: &[usize]| {
        columns
            .iter()
            .map(|column| width(column) + 2)
            .sum::<usize>()
            .saturating_sub(2)
    };
    let mut same = Vec::new();
    if total(&columns) > look.width && body.len() > 1 {
        let is_same = |column: &usize| body.iter().all(|row| row[*column] == body[0][*column]);
        let (moved, rest): (Vec<usize>, _) = columns
            .iter()
            .partition(|column| is_same(column) && !is_kept(column));
        same = moved
            .iter()
            .map(|column| format!("{} {}", head[*column], body[0][*column]))
            .collect();
        columns = rest;
    }
    if !same.is_empty() {
        writeln!(out, "{}", look.paint.dim(&same.join("  ")))?;
    }
    for (index, row) in shown.iter().enumerate() {
        let cells = columns
            .iter()
            .map(|column| format!("{:1$}", row[*column], width(column)));
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        let painted = match (look.tone)(row) {
            _ if index == 0 => look.paint.bold(line),
            Tone::Plain => line.to_owned(),
            Tone::Good => look.paint.green(line),
            Tone::Bad => look.paint.red(line),
        };
        writeln!(out, "{painted}")?;
    }
    Ok(())
}

/// Returns whether a cell has no figure.
fn is_nothing(cell: &str) -> bool {
    matches!(cell, "" | "0" | "0.0%")
}

/// The lines of a table whose cells are shown as they are: columns as wide as their content, but for the last.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> impl Iterator<Item = String> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().filter(|_| column + 1 < N).unwrap_or_default()
    });
    rows.iter().map(move |row| {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ")
    })
}
