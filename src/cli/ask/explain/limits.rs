//! The table of limits.

use std::io::{self, Write};

use crate::cli::ask::explain::answer::{Explained, ExplainedLimit, FixedLimit};
use crate::cli::fs::ordinary::{MAX_KUSTOMIZATION_BYTES, MAX_LIST_BYTES, MAX_SETTINGS_BYTES};
use crate::cli::json;
use crate::cli::lsp::wire::MAX_MESSAGE;
use crate::cli::table::aligned;
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
struct FixedRow {
    value: u64,
    unit: Unit,
    of: &'static str,
    /// The code of the finding that reports it. Empty if it is an error of usage, or a part of another message.
    code: &'static str,
}

/// The limits that no option raises: real input stays far below.
#[rustfmt::skip]
const FIXED: &[FixedRow] = &[
    FixedRow { value: promgen_text::input::MAX_BYTES as u64, unit: Unit::Bytes, of: "a file", code: "PG004" },
    FixedRow { value: read::MAX_VALUES as u64, unit: Unit::Count("values"), of: "a document", code: "PG004" },
    FixedRow { value: read::MAX_DEPTH as u64, unit: Unit::Count("levels"), of: "the nesting of a document", code: "PG001" },
    FixedRow { value: read::MAX_ALIASED as u64, unit: Unit::Count("values"), of: "what the aliases of a file expand to", code: "PG003" },
    FixedRow { value: MAX_FINDINGS as u64, unit: Unit::Count("findings"), of: "a rule in one document: one more finding counts the rest", code: "" },
    FixedRow { value: gather::MAX_FILES as u64, unit: Unit::Count("files"), of: "what kustomizations name outside of the given paths", code: "PG802" },
    FixedRow { value: gather::MAX_BYTES as u64, unit: Unit::Bytes, of: "what kustomizations name outside of the given paths", code: "PG802" },
    FixedRow { value: MAX_EXPANDED as u64, unit: Unit::Bytes, of: "what the templates in the values of a release of a chart expand to", code: "PG007" },
    FixedRow { value: MAX_PAGE as u64, unit: Unit::Bytes, of: "a page of `report` or `simulate`", code: "PG007" },
    FixedRow { value: MAX_SHARDS as u64, unit: Unit::Count("shards"), of: "a workload", code: "PG203" },
    FixedRow { value: MAX_ENGINE_BYTES as u64, unit: Unit::Bytes, of: "a compiled regular expression", code: "" },
    FixedRow { value: MAX_WORK as u64, unit: Unit::Count("steps"), of: "a relabel rule on a target", code: "" },
    FixedRow { value: MAX_SETTINGS_BYTES, unit: Unit::Bytes, of: "promgen.yaml, a template, or a file of tests", code: "" },
    FixedRow { value: MAX_KUSTOMIZATION_BYTES, unit: Unit::Bytes, of: "the kustomization.yaml of a rendered tree", code: "" },
    FixedRow { value: MAX_MESSAGE as u64, unit: Unit::Bytes, of: "a message to the language server", code: "" },
    FixedRow { value: MAX_LIST_BYTES, unit: Unit::Bytes, of: "a baseline, a list of alerts, targets or weights", code: "" },
];

/// The table, in columns.
pub(super) fn table(out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![["NAME", "DEFAULT", "CODE", "OF"].map(str::to_owned)];
    rows.extend(limits().map(
        |ExplainedLimit {
             name,
             default,
             code,
             of,
         }| { [name.to_owned(), default, code.to_owned(), of.to_owned()] },
    ));
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "\nNo option raises these:")?;
    fixed().try_for_each(|FixedLimit { maximum, code, of }| {
        writeln!(out, "{maximum:<16}  {code:<5}  {of}")
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
    limits().try_for_each(
        |ExplainedLimit {
             name,
             default,
             code,
             of,
         }| { writeln!(out, "| `{name}` | {default} | {code} | {of} |") },
    )?;
    writeln!(
        out,
        "\nNo option raises the following limits; real input stays far below.\n\n| maximum | code | of |\n|---|---|---|"
    )?;
    fixed().try_for_each(|FixedLimit { maximum, code, of }| {
        writeln!(out, "| {maximum} | {code} | {of} |")
    })
}

/// The table as JSON.
pub(super) fn json(out: &mut dyn Write) -> io::Result<()> {
    let explained = Explained {
        limits: Some(limits().collect()),
        fixed: Some(fixed().collect()),
        ..Explained::default()
    };
    json::write("explain", explained, out)
}

/// The limits that an option raises.
fn limits() -> impl Iterator<Item = ExplainedLimit> {
    let explained = |row: &Row| {
        let default = row.unit.show(row.default);
        ExplainedLimit {
            name: row.name,
            default: match row.per_kib {
                0 => default,
                n => format!("{default} + {} for each KiB of the input", row.unit.show(n)),
            },
            code: row.code,
            of: row.of.trim(),
        }
    };
    Limit::ALL.iter().map(move |limit| explained(limit.row()))
}

/// Those that none raises.
fn fixed() -> impl Iterator<Item = FixedLimit> {
    FIXED.iter().map(|row| FixedLimit {
        maximum: row.unit.show(row.value),
        code: row.code,
        of: row.of,
    })
}
