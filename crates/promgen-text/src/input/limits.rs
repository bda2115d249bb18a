//! The limits of a run, in one table.
//!
//! In: the limits that a user sets, as `NAME=VALUE`, and the size of the input. Out: [`Limits`], which every phase checks,
//! and the [`Excess`] that a finding reports.
//!
//! A small input can request any amount of output: a text that doubles, every Prometheus with every monitor. What an input
//! may make is thus proportional to its size.

use std::fmt;

use crate::diag::count::counted;
use crate::diag::{Diagnostic, Place, rules};
use crate::go::bytesize;
use crate::suggest::closest;

rules! {
    /// ## What it does
    /// Reports a limit of promgen that the input exceeds. The output omits what exceeds it.
    ///
    /// ## Why is this bad?
    /// A few lines of manifests can request any amount of time and memory, so promgen limits both. What is omitted is not
    /// checked.
    ///
    /// ## Example
    /// 700 Prometheuses, each of which selects the same 700 monitors.
    ///
    /// Use instead: fewer of them, or `--raise-limit NAME=VALUE` if the input is trusted. `docs/limits.md` lists all limits.
    LIMIT_EXCEEDED = "PG007" "limit-exceeded" Error: "an input that exceeds a limit of promgen";
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of memory or text.
    Bytes,
    /// Things, named in the plural.
    Count(&'static str),
}

impl Unit {
    /// A value of the unit, for a reader: `64 MiB`, `1000 shards`.
    #[must_use]
    pub fn show(self, value: u64) -> String {
        match self {
            Self::Bytes => bytes(value),
            Self::Count(things) => match things.strip_suffix('s') {
                Some(thing) => counted(usize::try_from(value).unwrap_or(usize::MAX), thing),
                None => format!("{value} {things}"),
            },
        }
    }
}

/// A number of bytes in the largest unit that divides it.
fn bytes(value: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units
        .into_iter()
        .find(|(power, _)| value > 0 && value.is_multiple_of(1 << power))
    {
        Some((power, unit)) => format!("{} {unit}", value >> power),
        None => counted(usize::try_from(value).unwrap_or(usize::MAX), "byte"),
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name, as `--raise-limit` takes it.
    pub name: &'static str,
    /// The value without `--raise-limit`, for an empty input.
    pub default: u64,
    /// The addition for each KiB of the input.
    pub per_kib: u64,
    /// The unit in which it counts.
    pub unit: Unit,
    /// The noun for the limited thing.
    pub of: &'static str,
    /// The code of the finding that reports it.
    pub code: &'static str,
}

/// Declares the limits and their table.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $limit:ident = $name:literal, $default:expr, $per_kib:expr, $unit:expr, $code:literal;)+) => {
        /// A limit of a run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Limit {
            $($(#[doc = $doc])+ $limit,)+
        }

        impl Limit {
            /// All limits, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$limit,)+];
        }

        static TABLE: &[Row] = &[$(Row {
            name: $name,
            default: $default,
            per_kib: $per_kib,
            unit: $unit,
            of: concat!($($doc),+),
            code: $code,
        },)+];

        const N_LIMITS: usize = TABLE.len();
    };
}

limits! {
    /// one build of a kustomization: what it copies, patches, generates and replaces
    BuildBytes = "build-bytes", 24 << 20, 32 << 10, Unit::Bytes, "PG007";
    /// all builds of a run, and what Flux substitutes in them: what is left of it, and a quarter of what is not
    AllBuildBytes = "all-build-bytes", 256 << 20, 32 << 10, Unit::Bytes, "PG007";
    /// how many values and objects the entries of kustomizations visit: each patch visits each object, each image each container
    BuildSteps = "build-steps", 16 << 20, 4 << 10, Unit::Count("steps"), "PG007";
    /// the objects of one build
    BuildObjects = "build-objects", 200_000, 0, Unit::Count("objects"), "PG007";
    /// the kustomizations of one build: a kustomization that several include counts for each
    Kustomizations = "kustomizations", 10_000, 0, Unit::Count("kustomizations"), "PG007";
    /// what all workloads of a run compile to: configurations, rule files, objects, statuses, and what the checks need of them
    CompiledBytes = "compiled-bytes", 64 << 20, 64 << 10, Unit::Bytes, "PG007";
    /// what the workloads of all environments compile to, which `lint` checks one after the other
    CheckedBytes = "checked-bytes", 2 << 30, 128 << 10, Unit::Bytes, "PG007";
    /// the objects that kustomizations and deployments make, and that `lint` checks, of all environments: an object that several environments share, or that is applied several times, counts for each, an environment counts as 32, and a finding as one
    EnvironmentObjects = "environment-objects", 20_000, 32, Unit::Count("objects"), "PG007";
    /// the alerts of PrometheusRules times the routes that each may take, of all Alertmanagers, and what their regular expressions take: 8 bytes count as a step
    RouteSteps = "route-steps", 4 << 20, 0, Unit::Count("steps"), "PG007";
    /// the targets of all jobs: each job tries each target that it discovers; beyond it, the targets in the input are ignored
    TargetSteps = "target-steps", 60_000, 100, Unit::Count("steps"), "PG007";
    /// the manifests that files of `test` compile: those that several name count for each combination, and for each set of options
    TestedBytes = "tested-bytes", 16 << 20, 4 << 10, Unit::Bytes, "PG007";
    /// the evaluation of the policies of one environment: all that they are about has the same share
    PolicySteps = "policy-steps", 256 << 20, 64 << 10, Unit::Count("steps"), "PG007";
    /// the globs of promgen.yaml, and those of policies
    GlobBytes = "glob-bytes", 16 << 10, 0, Unit::Bytes, "PG007";
    /// the files .gitignore and .ignore of a run; those that exceed it are an error of usage
    IgnoreBytes = "ignore-bytes", 256 << 10, 0, Unit::Bytes, "";
    /// what Helm prints, with `--helm`: for one release, and for all of a run
    HelmBytes = "helm-bytes", 32 << 20, 0, Unit::Bytes, "PG814";
    /// the time of one run of Helm
    HelmSeconds = "helm-seconds", 60, 0, Unit::Count("seconds"), "PG814";
    /// the time of all runs of Helm
    AllHelmSeconds = "all-helm-seconds", 600, 0, Unit::Count("seconds"), "PG814";
    /// what is read of a git revision: a file counts as 512 bytes more, and one with the content of another as 8 KiB more
    RevisionBytes = "revision-bytes", 128 << 20, 0, Unit::Bytes, "";
    /// what one run of `git` prints, such as the list of the files of a revision; the list of the files of one folder
    GitBytes = "git-bytes", 64 << 20, 0, Unit::Bytes, "";
    /// the time that promgen waits for `git`, for each revision that it reads
    GitSeconds = "git-seconds", 30, 0, Unit::Count("seconds"), "";
    /// what `promtool` prints
    PromtoolBytes = "promtool-bytes", 64 << 20, 0, Unit::Bytes, "";
    /// the time of one run of `promtool`
    PromtoolSeconds = "promtool-seconds", 60, 0, Unit::Count("seconds"), "";
    /// the shards of all workloads of a run
    AllShards = "all-shards", 5_000, 0, Unit::Count("shards"), "PG217";
}

impl Limit {
    /// Its row of the table.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The limits that the user sets.
    set: [Option<u64>; N_LIMITS],
    /// The number of bytes of the input.
    n_bytes: u64,
    /// The number of runs that share the memory of one, less one.
    n_others: u64,
}

impl Limits {
    /// Sets a limit, whatever the input is.
    #[must_use]
    pub const fn with(mut self, limit: Limit, value: u64) -> Self {
        self.set[limit as usize] = Some(value);
        self
    }

    /// The limits for an input of that size.
    #[must_use]
    pub const fn for_input(mut self, n_bytes: usize) -> Self {
        self.n_bytes = n_bytes as u64;
        self
    }

    /// The limits of one of `parts` runs that share the memory of one.
    #[must_use]
    pub const fn divided(mut self, parts: u64) -> Self {
        self.n_others = parts - 1;
        self
    }

    /// The value of a limit.
    #[must_use]
    pub fn get(&self, limit: Limit) -> u64 {
        let Row {
            default,
            per_kib,
            unit,
            ..
        } = *limit.row();
        let whole = || default.saturating_add(per_kib.saturating_mul(self.n_bytes) >> 10);
        let value = self.set[limit as usize].unwrap_or_else(whole);
        if unit == Unit::Bytes {
            value / (self.n_others + 1)
        } else {
            value
        }
    }

    /// The excess of a limit.
    #[must_use]
    pub fn excess(&self, limit: Limit) -> Excess {
        Excess {
            limit,
            max: self.get(limit),
        }
    }
}

/// A limit that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The limit.
    pub limit: Limit,
    /// Its value.
    pub max: u64,
}

impl Excess {
    /// The option that raises the limit.
    #[must_use]
    pub fn help(&self) -> String {
        self.help_for(self.max.saturating_mul(2))
    }

    /// The same, where it is known what the whole needs.
    #[must_use]
    pub fn help_for(&self, needed: u64) -> String {
        let value = match self.limit.row().unit {
            Unit::Bytes => format!("{}MiB", needed.div_ceil(1 << 20).max(1)),
            Unit::Count(_) => needed.to_string(),
        };
        format!(
            "if the input is trusted, raise the limit: `--raise-limit {}={value}`",
            self.limit
        )
    }

    /// What the whole needs, as far as a part tells, with a fifth for parts that need more.
    #[must_use]
    pub fn extrapolated(&self, n_done: u64, n_all: u64) -> u64 {
        let all =
            u128::from(self.max) * u128::from(n_all.max(1)) * 6 / (u128::from(n_done.max(1)) * 5);
        u64::try_from(all)
            .unwrap_or(u64::MAX)
            .max(self.max.saturating_add(self.max / 4))
    }

    /// The finding about something that exceeds the limit.
    pub fn diagnostic(&self, place: impl Into<Place>, what: &str) -> Diagnostic {
        Diagnostic::new(&LIMIT_EXCEEDED, place, self.message(what)).help(self.help())
    }

    /// The sentence that says what exceeds the limit.
    #[must_use]
    pub fn message(&self, what: &str) -> String {
        format!(
            "{what} exceeds the limit `{}` of {}",
            self.limit,
            self.limit.row().unit.show(self.max)
        )
    }
}

/// Parses `NAME=VALUE`.
///
/// # Errors
/// What is wrong with it, with the name that is most like it.
pub fn parse(text: &str) -> Result<(Limit, u64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=VALUE, such as build-bytes=1GiB")?;
    let names = || Limit::ALL.iter().map(|limit| limit.row().name);
    let Some(limit) = Limit::ALL
        .iter()
        .find(|limit| limit.row().name == name.trim())
    else {
        return Err(match closest(name.trim(), names()) {
            Some(close) => format!("unknown limit; did you mean `{close}`?"),
            None => format!(
                "unknown limit; expected one of: {}",
                names().collect::<Vec<_>>().join(", ")
            ),
        });
    };
    let value = value.trim();
    let number = value.parse().ok().or_else(|| match limit.row().unit {
        Unit::Bytes => bytesize::parse(value)
            .ok()
            .and_then(|size| u64::try_from(size).ok()),
        Unit::Count(_) => None,
    });
    let expected = match limit.row().unit {
        Unit::Bytes => "expected a number of bytes, such as 512MiB or 1GiB",
        Unit::Count(_) => "expected a whole number",
    };
    number
        .map(|number| (*limit, number))
        .ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (index, limit) in Limit::ALL.iter().enumerate() {
            let row = limit.row();
            assert_eq!(*limit as usize, index);
            assert_eq!(parse(&format!("{}=7", row.name)), Ok((*limit, 7)));
            assert!(
                !TABLE[..index].iter().any(|other| other.name == row.name),
                "{limit}"
            );
            assert!(row.of.starts_with(' ') && row.default > 0, "{limit}");
        }
    }

    #[test]
    fn sizes_have_units_and_counts_have_none() {
        assert_eq!(
            parse("build-bytes=1.5GiB"),
            Ok((Limit::BuildBytes, 3 << 29))
        );
        assert_eq!(
            parse("build-bytes = 64MB"),
            Ok((Limit::BuildBytes, 64 << 20))
        );
        let error = |text| parse(text).unwrap_err();
        assert!(
            error("build-bytes=-1").contains("512MiB")
                && error("build-steps=1KiB").contains("whole number")
        );
        assert_eq!(
            error("build-byte=1"),
            "unknown limit; did you mean `build-bytes`?"
        );
        assert!(
            error("x=1").contains("build-bytes, ") && error("build-bytes").contains("NAME=VALUE")
        );
    }

    #[test]
    fn a_limit_grows_with_the_input_unless_it_is_set() {
        let limits = Limits::default().for_input(10 << 10);
        let Row {
            default, per_kib, ..
        } = Limit::BuildBytes.row();
        assert_eq!(limits.get(Limit::BuildBytes), default + 10 * per_kib);
        let set = limits.with(Limit::BuildBytes, 100);
        assert_eq!(
            (
                set.get(Limit::BuildBytes),
                set.divided(4).get(Limit::BuildBytes)
            ),
            (100, 25)
        );
        assert_eq!(
            set.divided(4).get(Limit::BuildSteps),
            set.get(Limit::BuildSteps)
        );
    }

    #[test]
    fn an_excess_names_the_limit_its_value_and_the_option() {
        let excess = Limits::default()
            .with(Limit::BuildBytes, 64 << 20)
            .excess(Limit::BuildBytes);
        assert_eq!(
            excess.message("the build"),
            "the build exceeds the limit `build-bytes` of 64 MiB"
        );
        assert!(
            excess
                .help()
                .ends_with("`--raise-limit build-bytes=128MiB`"),
            "{}",
            excess.help()
        );
        let steps = Limits::default()
            .with(Limit::BuildSteps, 1)
            .excess(Limit::BuildSteps);
        assert_eq!(
            steps.message("it"),
            "it exceeds the limit `build-steps` of 1 step"
        );
        assert_eq!(
            (bytes(1 << 30), bytes(3 << 10), bytes(5), bytes(0)),
            (
                "1 GiB".into(),
                "3 KiB".into(),
                "5 bytes".into(),
                "0 bytes".into()
            )
        );
    }
}
