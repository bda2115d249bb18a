//! Runs Helm within the limits of a run: of the time that it takes, and of what it prints.

use std::process::Command;
use std::time::{Duration, Instant};

pub(in crate::cli::fs) use crate::cli::fs::programs::end_all;
use crate::cli::fs::programs::{RunBounds, Streams, Unfinished, run as run_program};
use promgen_text::limits::{Limit, Limits};

/// The longest cause that is shown.
const MAX_CAUSE: usize = 4 << 10;

/// The time and the bytes that the runs of Helm may take.
pub(super) struct Clock {
    limits: Limits,
    start: Instant,
}

impl Clock {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            start: Instant::now(),
        }
    }

    pub(super) fn max_bytes(&self) -> u64 {
        self.limits.get(Limit::HelmBytes)
    }

    /// The bounds of a run that begins now, and the limit of its time.
    fn bounds(&self) -> (RunBounds, Limit) {
        let of_run = RunBounds::of_seconds(self.limits.get(Limit::HelmSeconds), self.max_bytes());
        let all = Duration::from_secs(
            self.limits
                .get(Limit::AllHelmSeconds)
                .min(u64::from(u32::MAX)),
        );
        let of_all = RunBounds {
            deadline: self.start + all,
            ..of_run
        };
        if of_all.deadline < of_run.deadline {
            (of_all, Limit::AllHelmSeconds)
        } else {
            (of_run, Limit::HelmSeconds)
        }
    }

    fn excess(&self, limit: Limit, what: &str) -> String {
        self.limits.excess(limit).message(what)
    }
}

/// The output of a run.
///
/// # Errors
/// It cannot be started, fails, takes too long, or prints too much.
pub(super) fn run(command: Command, clock: &Clock) -> Result<Vec<u8>, String> {
    let (bounds, limit) = clock.bounds();
    if bounds.deadline <= Instant::now() {
        return Err(clock.excess(limit, "Helm"));
    }
    let printed = run_program(command, Streams::Apart, bounds).map_err(|why| match why {
        Unfinished::Unstarted(error) => error.to_string(),
        Unfinished::Late => clock.excess(limit, "Helm"),
        Unfinished::TooMuch => clock.excess(Limit::HelmBytes, "what Helm prints"),
        Unfinished::Held => "Helm ends, but leaves its output open".to_owned(),
    })?;
    match printed.status.success() {
        true => Ok(printed.stdout),
        false => Err(cause(&String::from_utf8_lossy(&printed.stderr))),
    }
}

/// The cause of a failure, in one line.
fn cause(said: &str) -> String {
    let errors = said.split("Error: ").nth(1).unwrap_or(said);
    let lines = errors
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("Use --debug"));
    let cause = lines.collect::<Vec<_>>().join(" ");
    match cause.char_indices().nth(MAX_CAUSE) {
        _ if cause.is_empty() => "Helm fails without a message".to_owned(),
        Some((at, _)) => format!("{}…", &cause[..at]),
        None => cause,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limits: &Limits) -> Result<Vec<u8>, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, &Clock::new(limits))
    }

    #[test]
    fn an_excess_names_its_limit() {
        let limits = Limits::default()
            .with(Limit::HelmSeconds, 1)
            .with(Limit::HelmBytes, 1 << 20);
        assert!(
            sh("sleep 60", &limits)
                .unwrap_err()
                .contains("`helm-seconds` of 1 second")
        );
        assert!(
            sh("yes", &limits)
                .unwrap_err()
                .contains("`helm-bytes` of 1 MiB")
        );
        let none = limits.with(Limit::AllHelmSeconds, 0);
        assert!(
            sh("echo", &none)
                .unwrap_err()
                .contains("`all-helm-seconds`")
        );
    }

    #[test]
    fn a_failure_says_its_cause_in_one_line() {
        let limits = Limits::default();
        assert_eq!(
            sh("printf a; yes | head -c 200000 >&2", &limits),
            Ok(b"a".to_vec())
        );
        let failed = sh(
            "printf 'W: x\\nError: a\\n\\n  b\\nUse --debug flag\\n' >&2; exit 1",
            &limits,
        );
        assert_eq!(failed, Err("a b".to_owned()));
        assert_eq!(
            sh("exit 1", &limits),
            Err("Helm fails without a message".to_owned())
        );
        assert!(
            sh("yes | head -c 200000 >&2; exit 1", &limits)
                .unwrap_err()
                .len()
                < 5_000
        );
    }
}
