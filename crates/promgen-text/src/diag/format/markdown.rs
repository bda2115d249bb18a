//! Findings as Markdown, for a comment on a pull request.
//!
//! In: findings whose places are resolved. Out: a heading that counts them, and a table. Rows beyond the
//! maximum length of a GitHub comment are omitted and counted. Nothing in the input becomes markup.

use std::io;

use crate::diag::escape::{markdown, markdown_code};
use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, count};
use crate::source::Sources;

/// Bytes after which no row is added. A comment may have 65,536 characters.
const MAX_BYTES: usize = 60_000;

/// Writes a section.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(counted) = count::by_level(diagnostics) else {
        return writeln!(out, "## promgen lint: no findings");
    };
    writeln!(out, "## promgen lint: {counted}\n")?;
    writeln!(out, "| | rule | place | message |\n|---|---|---|---|")?;
    let mut n_bytes = 0;
    for (i, diagnostic) in diagnostics.iter().enumerate() {
        let row = row(diagnostic, sources);
        n_bytes += row.len();
        if n_bytes > MAX_BYTES {
            return writeln!(out, "\n… and {} more", diagnostics.len() - i);
        }
        writeln!(out, "{row}")?;
    }
    Ok(())
}

fn row(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let sign = match diagnostic.level {
        Level::Error => "❌ error",
        Level::Warning => "⚠️ warning",
        Level::Info => "ℹ️ info",
    };
    let place = Region::of(diagnostic, sources)
        .map(|Region { file, start, .. }| markdown_code(&format!("{file}:{start}")));
    let resource = diagnostic
        .resource
        .iter()
        .map(|resource| markdown(&resource.to_string()));
    let whereabouts = place
        .into_iter()
        .chain(resource)
        .collect::<Vec<_>>()
        .join("<br>");
    let help = diagnostic
        .help
        .iter()
        .map(|help| format!("*{}*", markdown(help)));
    let related = Region::related_texts(diagnostic, sources).map(|text| markdown(&text));
    let what = std::iter::once(markdown(&diagnostic.message))
        .chain(related)
        .chain(help)
        .collect::<Vec<_>>()
        .join("<br>");
    format!(
        "| {sign} | {} | {whereabouts} | {what} |",
        diagnostic.rule.title()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    fn written(diagnostics: &[Diagnostic], sources: &Sources) -> String {
        let mut out = Vec::new();
        write(diagnostics, sources, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_finding_is_a_row() {
        let (diagnostics, sources) = sample::findings();
        insta::assert_snapshot!(written(&diagnostics, &sources), @r#"
        ## promgen lint: 1 error, 1 warning, 1 info

        | | rule | place | message |
        |---|---|---|---|
        | ℹ️ info | PG999 test-rule |  | nothing to see |
        | ⚠️ warning | PG999 test-rule | `my folder/prometheus.yaml:2:11`<br>Prometheus/default/k8s | shard 9 is idle<br>the zones: my folder/prometheus.yaml:3:3<br>*use 9*<br>*or 12* |
        | ❌ error | PG999 test-rule | `my folder/prometheus.yaml:3:14`<br>Prometheus/default/k8s | 100% of &lt;ä>: "a\|b",<br>␇::error::no &amp; \]\]> |
        "#);
        assert_eq!(written(&[], &sources), "## promgen lint: no findings\n");
    }

    #[test]
    fn a_comment_is_never_too_long() {
        let (diagnostics, sources) = sample::findings();
        let many: Vec<_> = diagnostics.iter().cycle().take(3000).cloned().collect();
        let text = written(&many, &sources);
        assert!(
            text.len() < 65_536 && text.ends_with(" more\n"),
            "{}",
            text.len()
        );
    }
}
