//! The table of exporters: which metrics their releases make, as `cargo xtask exporters` reads it from their code.
//!
//! `facts/exporters.txt` is the one place for these facts; docs/exporters.md says what its rows mean.

use std::borrow::Cow;
use std::sync::LazyLock;

use promgen_text::version::Version;

/// The table.
pub const TABLE: &str = include_str!("../../../facts/exporters.txt");

/// The first line of a table in the format that is read here.
pub const FORMAT: &str = "promgen exporters 1";

/// The text in the place of a prefix, where the metrics of a group have none.
pub const NO_PREFIX: &str = "_";

/// A row: a name, and a sign for each release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignRow<'t> {
    /// The name.
    pub name: Cow<'t, str>,
    /// The signs. Empty: each release has it.
    signs: &'t str,
}

/// A part of an exporter that makes metrics: a resource of kube-state-metrics, a collector of node_exporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricGroup<'t> {
    /// The part, with whether a release has it on.
    pub row: SignRow<'t>,
    /// The prefix of the names of its metrics.
    prefix: &'t str,
    /// The metrics that it makes.
    pub metrics: Vec<SignRow<'t>>,
}

/// The facts of an exporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExporterFacts<'t> {
    /// Its name, which is that of its image.
    pub name: &'t str,
    /// The module that was read.
    pub module: &'t str,
    /// The releases that were read, the oldest first: `v2.18.0`.
    pub releases: Vec<&'t str>,
    /// Its flags.
    pub flags: Vec<SignRow<'t>>,
    /// Its parts.
    pub groups: Vec<MetricGroup<'t>>,
}

/// Where a version stands among the releases of an exporter: it is one of them, or lies between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReleaseRange {
    from: usize,
    to: usize,
}

impl<'t> SignRow<'t> {
    fn of(prefix: &str, text: &'t str) -> Self {
        let (name, signs) = text.split_once(' ').unwrap_or((text, ""));
        let name = if prefix.is_empty() {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(format!("{prefix}{name}"))
        };
        Self { name, signs }
    }

    /// The sign of a release, by its number: `+`, `?`, `=`, or `-` where the release does not have it.
    #[must_use]
    pub fn sign(&self, release: usize) -> char {
        match self.signs.as_bytes().get(release) {
            Some(sign) => char::from(*sign),
            None if self.signs.is_empty() => '+',
            None => '-',
        }
    }

    /// Returns whether the releases around a version all have one of these signs.
    #[must_use]
    pub fn is(&self, at: ReleaseRange, signs: &[char]) -> bool {
        [at.from, at.to]
            .iter()
            .all(|release| signs.contains(&self.sign(*release)))
    }
}

impl<'t> ExporterFacts<'t> {
    /// The place of a version. `None`: it is older or newer than all that was read, or no release.
    #[must_use]
    pub fn range(&self, version: &str) -> Option<ReleaseRange> {
        let version = release(version)?;
        let known: Vec<Version> = self
            .releases
            .iter()
            .map(|tag| release(tag))
            .collect::<Option<_>>()?;
        let from = known.iter().rposition(|known| *known <= version)?;
        let to = known.iter().position(|known| *known >= version)?;
        Some(ReleaseRange { from, to })
    }
}

/// A version of three numbers, and nothing else.
fn release(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let is_plain =
        text.matches('.').count() == 2 && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    Version::parse(text).filter(|_| is_plain)
}

/// Reads a table. Rows that nobody knows are passed over.
#[must_use]
pub fn read(table: &str) -> Vec<ExporterFacts<'_>> {
    let mut all: Vec<ExporterFacts<'_>> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix("exporter ") {
            let mut words = rest.split(' ');
            let (name, module) = (
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
            );
            let (flags, groups) = (Vec::new(), Vec::new());
            all.push(ExporterFacts {
                name,
                module,
                releases: words.collect(),
                flags,
                groups,
            });
            continue;
        }
        let Some(facts) = all.last_mut() else {
            continue;
        };
        if let Some(flag) = line.strip_prefix("flag ") {
            facts.flags.push(SignRow::of("", flag));
        } else if let Some(group) = line.strip_prefix("group ") {
            let (row, prefix) = group.rsplit_once(' ').unwrap_or((group, ""));
            let prefix = if prefix == NO_PREFIX { "" } else { prefix };
            facts.groups.push(MetricGroup {
                row: SignRow::of("", row),
                prefix,
                metrics: Vec::new(),
            });
        } else if let Some((group, metric)) = facts.groups.last_mut().zip(line.strip_prefix(' ')) {
            group.metrics.push(SignRow::of(group.prefix, metric));
        }
    }
    all
}

/// The facts of an exporter, by the name of its image.
#[must_use]
pub fn of(name: &str) -> Option<&'static ExporterFacts<'static>> {
    static ALL: LazyLock<Vec<ExporterFacts<'static>>> = LazyLock::new(|| read(TABLE));
    ALL.iter().find(|facts| facts.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "promgen exporters 1\n# A comment.\n\nexporter x example.org/x v1.0.0 v1.2.0 v1.4.0\nflag only ==-\n\
                         group a ++? a_\n one\n two -?-\ngroup b -++ _\n b_one -++\nunknown x\n";

    #[test]
    fn a_table_is_read() {
        let all = read(SMALL);
        let [facts] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!((facts.name, facts.module), ("x", "example.org/x"));
        assert_eq!(facts.flags[0].sign(2), '-');
        let names: Vec<&str> = facts
            .groups
            .iter()
            .flat_map(|group| &group.metrics)
            .map(|row| &*row.name)
            .collect();
        assert_eq!(names, ["a_one", "a_two", "b_one"]);
        assert_eq!(
            facts.groups[0].row.sign(9),
            '-',
            "no release has that number"
        );
    }

    #[test]
    fn a_version_stands_at_a_release_or_between_two() {
        let all = read(SMALL);
        let range = |version| all[0].range(version).map(|range| (range.from, range.to));
        assert_eq!(range("v1.0.0"), Some((0, 0)));
        assert_eq!(range("1.1.7"), Some((0, 1)));
        assert_eq!(range("v1.4.0"), Some((2, 2)));
        for none in [
            "v0.9.0",
            "v1.4.1",
            "latest",
            "",
            "v1.2",
            "v1.2.0-rc.1",
            "v1.2.0+x",
            "1.2.0.4",
            "v99999999999999999999.0.0",
        ] {
            assert_eq!(range(none), None, "{none}");
        }
    }

    #[test]
    fn the_table_has_what_its_format_says() {
        assert_eq!(TABLE.lines().next(), Some(FORMAT));
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.is_ascii() && line.trim_end() == line, "{line}");
        }
        for facts in read(TABLE) {
            let tags: Vec<Version> = facts
                .releases
                .iter()
                .map(|tag| release(tag).unwrap())
                .collect();
            assert!(!tags.is_empty() && tags.is_sorted(), "{facts:?}");
            let rows = facts
                .groups
                .iter()
                .flat_map(|group| group.metrics.iter().chain([&group.row]));
            for row in rows.chain(&facts.flags) {
                assert!(
                    row.signs.is_empty() || row.signs.len() == facts.releases.len(),
                    "{row:?}"
                );
                assert!(
                    row.signs.chars().all(|sign| "+-?=".contains(sign)),
                    "{row:?}"
                );
            }
        }
    }
}
