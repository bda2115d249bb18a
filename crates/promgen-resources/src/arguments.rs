//! The table of arguments: which ones releases of Prometheus, Alertmanager and Thanos take, as `cargo xtask arguments` reads it from
//! their code.
//!
//! `facts/arguments.txt` is the one place for these facts; docs/facts.md says what its rows mean.

use std::sync::LazyLock;

use promgen_text::version::Version;

/// The first line of the table.
pub const FORMAT: &str = "promgen arguments 1";

/// The name under which the fields of Alertmanager's configuration stand.
pub const ALERTMANAGER_CONFIG: &str = "alertmanager-config";

/// The programs.
static PROGRAMS: LazyLock<Vec<ProgramArguments<'static>>> =
    LazyLock::new(|| read(include_str!("../facts/arguments.txt")));

/// The arguments of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramArguments<'t> {
    /// Its name.
    pub program: &'t str,
    /// The releases that were read, the oldest first.
    pub releases: Vec<Version>,
    /// The arguments, each with a sign for each release: `+` if it takes the argument, `s` if it does so as a server alone, `a` as an
    /// agent alone, `-` if it does not.
    pub rows: Vec<(&'t str, &'t str)>,
}

/// What is known of an argument in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentVerdict {
    /// The program takes it, or may do so.
    Taken,
    /// Only a server takes it, and an agent does not start.
    OfServers,
    /// Only an agent takes it, and a server does not start.
    OfAgents,
    /// The program of that version does not take it, but another release does.
    OfOthers,
    /// No release takes it.
    Unknown,
}

/// Reads a table.
#[must_use]
pub fn read(text: &str) -> Vec<ProgramArguments<'_>> {
    let mut programs: Vec<ProgramArguments<'_>> = Vec::new();
    for line in text.lines() {
        match (line.split_once(' '), programs.last_mut()) {
            (Some(("program", rest)), _) => {
                let mut words = rest.split(' ');
                programs.push(ProgramArguments {
                    program: words.next().unwrap_or_default(),
                    releases: words.filter_map(Version::parse).collect(),
                    rows: Vec::new(),
                });
            }
            (Some(("argument", rest)), Some(program)) => program.rows.extend(rest.split_once(' ')),
            _ => {}
        }
    }
    programs
}

/// The arguments of a program: `prometheus`, `alertmanager` or `thanos`.
#[must_use]
pub fn of(program: &str) -> Option<&'static ProgramArguments<'static>> {
    PROGRAMS.iter().find(|of| of.program == program)
}

impl<'t> ProgramArguments<'t> {
    /// The names of all arguments.
    pub fn names(&self) -> impl Iterator<Item = &'t str> + Clone {
        self.rows.iter().map(|(name, _)| *name)
    }

    /// What is known of an argument in a version. A version between two releases takes what one of them takes; of one before or
    /// after all of them, nothing is known.
    #[must_use]
    pub fn verdict(&self, name: &str, version: &Version) -> ArgumentVerdict {
        let bare = name.strip_prefix("no-").unwrap_or(name);
        let row = self
            .rows
            .iter()
            .find(|(known, _)| [name, bare].contains(known));
        // A patch release takes what the first one of its minor version takes.
        let is_covered = |release: &&Version| {
            *release >= version
                || self.releases.last() == Some(*release)
                    && (release.major, release.minor) == (version.major, version.minor)
        };
        let after = self
            .releases
            .iter()
            .position(|release| is_covered(&release));
        let Some((at, _)) = after
            .filter(|at| *at > 0 || self.releases[0] == *version)
            .zip(row)
        else {
            return match (row, after) {
                (None, Some(_)) => ArgumentVerdict::Unknown,
                _ => ArgumentVerdict::Taken,
            };
        };
        let from = if self.releases[at] <= *version {
            at
        } else {
            at - 1
        };
        let signs = row
            .and_then(|(_, signs)| signs.get(from..=at))
            .unwrap_or("+");
        match signs {
            _ if signs.bytes().all(|sign| sign == b's') => ArgumentVerdict::OfServers,
            _ if signs.bytes().all(|sign| sign == b'a') => ArgumentVerdict::OfAgents,
            _ if signs.bytes().all(|sign| sign == b'-') => ArgumentVerdict::OfOthers,
            _ => ArgumentVerdict::Taken,
        }
    }

    /// The first and the last release that take an argument.
    #[must_use]
    pub fn range(&self, name: &str) -> Option<(&Version, &Version)> {
        let (_, signs) = self.rows.iter().find(|(known, _)| *known == name)?;
        let first = signs.find(|sign| sign != '-')?;
        let last = signs.rfind(|sign| sign != '-')?;
        Some((self.releases.get(first)?, self.releases.get(last)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_a_sign_for_each_release() {
        let names: Vec<_> = PROGRAMS.iter().map(|of| of.program).collect();
        assert_eq!(
            names,
            ["alertmanager", ALERTMANAGER_CONFIG, "prometheus", "thanos"]
        );
        for program in &*PROGRAMS {
            assert!(program.releases.is_sorted() && !program.releases.is_empty());
            for (name, signs) in &program.rows {
                assert_eq!(signs.len(), program.releases.len(), "{name}");
                assert!(signs.chars().all(|sign| "+sa-".contains(sign)), "{name}");
            }
        }
    }

    #[test]
    fn an_argument_is_of_the_releases_around_a_version() {
        let programs = read(
            "program p v1.0.0 v1.2.0 v1.4.0\nargument all +++\nargument new -++\nargument old +--\nargument web sss\n",
        );
        let told = |name: &str, version: &str| {
            programs[0].verdict(name, &Version::parse(version).unwrap())
        };
        for version in ["v0.9.0", "v1.0.0", "v1.1.0", "v1.4.0", "v1.4.1"] {
            assert_eq!(told("all", version), ArgumentVerdict::Taken);
        }
        assert_eq!(told("new", "v1.0.0"), ArgumentVerdict::OfOthers);
        assert_eq!(told("no-new", "v1.0.0"), ArgumentVerdict::OfOthers);
        assert_eq!(told("new", "v1.1.0"), ArgumentVerdict::Taken);
        assert_eq!(told("old", "v1.1.0"), ArgumentVerdict::Taken);
        assert_eq!(told("old", "v1.3.0"), ArgumentVerdict::OfOthers);
        assert_eq!(told("old", "v1.5.0"), ArgumentVerdict::Taken);
        assert_eq!(told("web", "v1.3.0"), ArgumentVerdict::OfServers);
        assert_eq!(told("other", "v1.3.0"), ArgumentVerdict::Unknown);
        assert_eq!(told("other", "v1.5.0"), ArgumentVerdict::Taken);
        // A patch release.
        assert_eq!(told("other", "v1.4.1"), ArgumentVerdict::Unknown);
        assert_eq!(told("old", "v1.4.1"), ArgumentVerdict::OfOthers);
        assert_eq!(programs[0].range("new").unwrap().0, &Version::new(1, 2, 0));
    }
}
