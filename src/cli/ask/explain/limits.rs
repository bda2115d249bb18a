//! The table of limits.

use std::io::{self, Write};

use serde_json::json;

use crate::cli::fs::ordinary::{MAX_KUSTOMIZATION_BYTES, MAX_LIST_BYTES, MAX_SETTINGS_BYTES};
use crate::cli::json;
use crate::cli::lsp::wire::MAX_MESSAGE;
use promgen_compile::sharding::MAX_SHARDS;
use promgen_compile::sharding::template::MAX_PAGE;
use promgen_prometheus::relabel::MAX_WORK;
use promgen_repository::charts::MAX_EXPANDED;
use promgen_repository::kustomize::read::gather;
use promgen_text::diag::MAX_FINDINGS;
use promgen_text::go::regex::MAX_ENGINE_BYTES;
use promgen_text::limits::{Limit, Row, Unit};
use promgen_text::yaml::read;

/// A limit that no option raises.
struct FixedLimit {
    value: u64,
    unit: Unit,
    of: &'static str,
    /// The code of the finding that reports it. Empty if it is an error of usage, or a part of another message.
    code: &'static str,
}

/// The limits that no option raises: real input stays far below.
#[rustfmt::skip]
const FIXED: &[FixedLimit] = &[
    FixedLimit { value: promgen_text::input::MAX_BYTES as u64, unit: Unit::Bytes, of: "a file", code: "PG004" },
    FixedLimit { value: read::MAX_VALUES as u64, unit: Unit::Count("values"), of: "a document", code: "PG004" },
    FixedLimit { value: read::MAX_DEPTH as u64, unit: Unit::Count("levels"), of: "the nesting of a document", code: "PG001" },
    FixedLimit { value: read::MAX_ALIASED as u64, unit: Unit::Count("values"), of: "what the aliases of a file expand to", code: "PG003" },
    FixedLimit { value: MAX_FINDINGS as u64, unit: Unit::Count("findings"), of: "a rule in one document: one more finding counts the rest", code: "" },
    FixedLimit { value: gather::MAX_FILES as u64, unit: Unit::Count("files"), of: "what kustomizations name outside of the given paths", code: "PG802" },
    FixedLimit { value: gather::MAX_BYTES as u64, unit: Unit::Bytes, of: "what kustomizations name outside of the given paths", code: "PG802" },
    FixedLimit { value: MAX_EXPANDED as u64, unit: Unit::Bytes, of: "what the templates in the values of a release of a chart expand to", code: "PG007" },
    FixedLimit { value: MAX_PAGE as u64, unit: Unit::Bytes, of: "a page of `report` or `simulate`", code: "PG007" },
    FixedLimit { value: MAX_SHARDS as u64, unit: Unit::Count("shards"), of: "a workload", code: "PG203" },
    FixedLimit { value: MAX_ENGINE_BYTES as u64, unit: Unit::Bytes, of: "a compiled regular expression", code: "" },
    FixedLimit { value: MAX_WORK as u64, unit: Unit::Count("steps"), of: "a relabel rule on a target", code: "" },
    FixedLimit { value: MAX_SETTINGS_BYTES, unit: Unit::Bytes, of: "promgen.yaml, a template, or a file of tests", code: "" },
    FixedLimit { value: MAX_KUSTOMIZATION_BYTES, unit: Unit::Bytes, of: "the kustomization.yaml of a rendered tree", code: "" },
    FixedLimit { value: MAX_MESSAGE as u64, unit: Unit::Bytes, of: "a message to the language server", code: "" },
    FixedLimit { value: MAX_LIST_BYTES, unit: Unit::Bytes, of: "a baseline, a list of alerts, targets or weights", code: "" },
];

/// The table, in columns.
pub(super) fn table(out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = Limit::ALL.iter().map(|limit| row(limit.row())).collect();
    let heads = ["NAME", "DEFAULT", "CODE", "OF"].map(str::to_owned);
    let width = |column: usize| {
        rows.iter()
            .chain([&heads])
            .map(|row| row[column].len())
            .max()
            .unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    [&heads].into_iter().chain(&rows).try_for_each(|row| {
        let [name, default, code, of] = row;
        let [a, b, c] = widths;
        writeln!(out, "{name:<a$}  {default:<b$}  {code:<c$}  {of}")
    })?;
    writeln!(out, "\nNo option raises these:")?;
    FIXED.iter().try_for_each(
        |FixedLimit {
             value,
             unit,
             of,
             code,
         }| { writeln!(out, "{:<16}  {code:<5}  {of}", unit.show(*value)) },
    )
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
    })?;
    writeln!(
        out,
        "\nNo option raises the following limits; real input stays far below.\n\n| maximum | code | of |\n|---|---|---|"
    )?;
    FIXED.iter().try_for_each(
        |FixedLimit {
             value,
             unit,
             of,
             code,
         }| writeln!(out, "| {} | {code} | {of} |", unit.show(*value)),
    )
}

/// The table as JSON.
pub(super) fn json(out: &mut dyn Write) -> io::Result<()> {
    let limits = Limit::ALL.iter().map(|limit| {
        let [name, default, code, of] = row(limit.row());
        json!({ "name": name, "default": default, "code": code, "of": of })
    });
    let fixed = FIXED.iter().map(
        |FixedLimit {
             value,
             unit,
             of,
             code,
         }| json!({ "maximum": unit.show(*value), "code": code, "of": of }),
    );
    let all = json!({ "limits": limits.collect::<Vec<_>>(), "fixed": fixed.collect::<Vec<_>>() });
    json::write("explain", all, out)
}

fn row(row: &Row) -> [String; 4] {
    let default = match row.per_kib {
        0 => row.unit.show(row.default),
        n => format!(
            "{} + {} for each KiB of the input",
            row.unit.show(row.default),
            row.unit.show(n)
        ),
    };
    [
        row.name.to_owned(),
        default,
        row.code.to_owned(),
        row.of.trim().to_owned(),
    ]
}
