//! The table of limits.

use std::io::{self, Write};

use promgen_text::limits::{Limit, Row};

/// The table, in columns.
pub(super) fn table(out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = Limit::ALL.iter().map(|limit| row(limit.row())).collect();
    let heads = ["NAME", "DEFAULT", "CODE", "OF"].map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&heads]).map(|row| row[column].len()).max().unwrap_or_default();
    let widths = [width(0), width(1), width(2)];
    [&heads].into_iter().chain(&rows).try_for_each(|row| {
        let [name, default, code, of] = row;
        let [a, b, c] = widths;
        writeln!(out, "{name:<a$}  {default:<b$}  {code:<c$}  {of}")
    })
}

/// The table as a page.
pub(super) fn page(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Limits\n\n\
         A few lines of manifests can request any amount of time and memory: texts that double, patches of patches, every\n\
         Prometheus with every monitor. promgen limits what an input makes, reports what exceeds a limit, and goes on with the\n\
         rest. `promgen explain limits` prints the same.\n\n\
         `--raise-limit NAME=VALUE` sets a limit of a run, for input that is trusted: `promgen lint --raise-limit build-bytes=1GiB .`. Sizes\n\
         take `KiB`, `MiB` and `GiB`. The option can be repeated. `promgen.yaml` cannot set limits: it is a part of the input.\n\n\
         Both sides of `promgen diff` are there at once, so each gets half of the limits of bytes.\n\n\
         | name | default | code | what it limits |\n|---|---|---|---|"
    )?;
    Limit::ALL.iter().try_for_each(|limit| {
        let [name, default, code, of] = row(limit.row());
        writeln!(out, "| `{name}` | {default} | {code} | {of} |")
    })
}

fn row(row: &Row) -> [String; 4] {
    let default = match row.per_kib {
        0 => row.unit.show(row.default),
        n => format!("{} + {} for each KiB of the input", row.unit.show(row.default), row.unit.show(n)),
    };
    [row.name.to_owned(), default, row.code.to_owned(), row.of.trim().to_owned()]
}
