//! Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request.
//!
//! In: findings whose places are resolved. Out: a line each: `::error file=a.yaml,line=3,…::message`. Everything of the
//! input is escaped as the runner expects it, so that nothing in a manifest can give the runner a command.

use std::io;

use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, escape};
use crate::source::Sources;

/// Writes a command for each finding.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    diagnostics.iter().try_for_each(|diagnostic| {
        let command = match diagnostic.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "notice",
        };
        let place = Region::of(diagnostic, sources)
            .map(place)
            .unwrap_or_default();
        let title = property(&diagnostic.rule.title());
        writeln!(
            out,
            "::{command} {place}title={title}::{}",
            data(&message(diagnostic, sources))
        )
    })
}

/// The properties that say where, with a comma behind them. Columns mean something only within one line.
fn place(region: Region<'_>) -> String {
    let Region { file, start, end } = region;
    let columns = match start.line == end.line {
        true => format!("col={},endColumn={},", start.column, end.column),
        false => String::new(),
    };
    format!(
        "file={},line={},endLine={},{columns}",
        property(file),
        start.line,
        end.line
    )
}

fn message(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let related = Region::related_texts(diagnostic, sources);
    let resource = diagnostic
        .resource
        .iter()
        .map(|resource| format!("in {resource}"));
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    std::iter::once(diagnostic.message.clone())
        .chain(related)
        .chain(help)
        .chain(resource)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The part behind the second `::`. Line breaks are escaped as the runner expects it; what steers a terminal is replaced.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c => out.push(escape::harmless(c)),
        }
    }
    // Some runners match this anywhere in a line.
    escape::without_marks(out.into(), escape::BROKEN).into_owned()
}

/// The value of a property, of which a comma or a colon would be the end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    #[test]
    fn a_finding_is_a_command() {
        let (diagnostics, sources) = sample::findings();
        let mut out = Vec::new();
        write(&diagnostics, &sources, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        ::notice title=PG999 test-rule::nothing to see
        ::warning file=my folder/prometheus.yaml,line=2,endLine=2,col=11,endColumn=13,title=PG999 test-rule::shard 9 is idle%0Athe zones: my folder/prometheus.yaml:3:3%0Ahelp: use 9%0Ahelp: or 12%0Ain Prometheus/default/k8s
        ::error file=my folder/prometheus.yaml,line=3,endLine=3,col=14,endColumn=25,title=PG999 test-rule::100%25 of <ä>: "a|b",%0A␇::error::no & ]]>%0Ain Prometheus/default/k8s
        "#);
    }

    #[test]
    fn nothing_in_a_name_ends_its_property() {
        assert_eq!(property("C:\\a,b%\r\n"), "C%3A\\a%2Cb%25%0D%0A");
        assert_eq!(
            data("::set-output name=a,b::c\n::error::d"),
            "::set-output name=a,b::c%0A::error::d"
        );
    }
}
