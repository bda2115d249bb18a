//! Runs a program within bounds: of the time that it takes, and of what it prints.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use promgen_text::limits::{Limit, Limits};

/// The number of bytes of messages that are read.
const MAX_MESSAGE: u64 = 64 << 10;

/// The time to wait for a program that has closed its output.
const POLL: Duration = Duration::from_millis(5);

/// The time and the bytes that the runs of a program may take.
pub(super) struct Clock {
    limits: Limits,
    start: Instant,
}

impl Clock {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, start: Instant::now() }
    }

    pub(super) fn max_bytes(&self) -> u64 {
        self.limits.get(Limit::HelmBytes)
    }

    /// The moment at which a run that begins now must have ended, and the limit that says so.
    fn deadline(&self) -> (Instant, Limit) {
        let seconds = |limit| Duration::from_secs(self.limits.get(limit).min(u64::from(u32::MAX)));
        let of_run = Instant::now() + seconds(Limit::HelmSeconds);
        let of_all = self.start + seconds(Limit::AllHelmSeconds);
        if of_all < of_run { (of_all, Limit::AllHelmSeconds) } else { (of_run, Limit::HelmSeconds) }
    }

    fn excess(&self, limit: Limit, what: &str) -> String {
        self.limits.excess(limit).message(what)
    }
}

/// The output of a program.
///
/// # Errors
/// It cannot be started, fails, takes too long, or prints too much.
pub(super) fn run(command: &mut Command, clock: &Clock) -> Result<Vec<u8>, String> {
    let (deadline, limit) = clock.deadline();
    if deadline <= Instant::now() {
        return Err(clock.excess(limit, "Helm"));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = ChildProcess::of(command.spawn().map_err(|error| error.to_string())?);
    let max = clock.max_bytes().saturating_add(1);
    let printed = read(child.0.stdout.take(), max);
    let said = read(child.0.stderr.take(), MAX_MESSAGE);
    let late = || clock.excess(limit, "Helm");
    let printed = received(&printed, deadline).ok_or_else(late)?;
    if printed.len() as u64 >= max {
        return Err(clock.excess(Limit::HelmBytes, "what Helm prints"));
    }
    let status = child.wait(deadline).ok_or_else(late)?;
    let said = received(&said, deadline).unwrap_or_default();
    if status.success() { Ok(printed) } else { Err(cause(&String::from_utf8_lossy(&said))) }
}

/// A program that ends with its owner, and with the process.
pub(in crate::cli::fs) struct ChildProcess(Child);

/// The numbers of those that run.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all that run.
pub(in crate::cli::fs) fn end_all() {
    running().iter().for_each(|number| end_group(*number));
}

/// Ends a program that has a group of its own, and what it has started.
fn end_group(number: u32) {
    if cfg!(unix) {
        let group = format!("-{number}");
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
}

impl ChildProcess {
    pub(in crate::cli::fs) fn of(child: Child) -> Self {
        running().insert(child.id());
        Self(child)
    }

    pub(in crate::cli::fs) fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        running().remove(&self.0.id());
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        end_group(self.0.id());
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads a stream in a thread of its own, up to a number of bytes. The rest is dropped, so that the writer goes on.
fn read(stream: Option<impl Read + Send + 'static>, max: u64) -> Receiver<Vec<u8>> {
    let (send, receive) = sync_channel(1);
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut bytes = Vec::new();
        let _ = (&mut stream).take(max).read_to_end(&mut bytes);
        let is_full = bytes.len() as u64 == max;
        let _ = send.send(bytes);
        if is_full {
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    receive
}

fn received(stream: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    match stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
        Err(RecvTimeoutError::Timeout) => None,
    }
}

/// The cause of a failure, in one line.
fn cause(said: &str) -> String {
    let errors = said.split("Error: ").nth(1).unwrap_or(said);
    let lines = errors.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Use --debug"));
    let cause = lines.collect::<Vec<_>>().join(" ");
    if cause.is_empty() { "Helm fails without a message".to_owned() } else { cause }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str, limits: &Limits) -> Result<Vec<u8>, String> {
        run(Command::new("sh").args(["-c", script]), &Clock::new(limits))
    }

    #[test]
    fn a_program_that_hangs_or_prints_without_end_is_stopped() {
        let limits = Limits::default().with(Limit::HelmSeconds, 1).with(Limit::HelmBytes, 1 << 20);
        let start = Instant::now();
        assert!(sh("sleep 60 & sleep 60", &limits).unwrap_err().contains("`helm-seconds` of 1 second"));
        assert!(sh("yes", &limits).unwrap_err().contains("`helm-bytes` of 1 MiB"));
        assert!(sh("exec >&-; sleep 60", &limits).unwrap_err().contains("`helm-seconds`"));
        assert!(start.elapsed() < Duration::from_secs(20));
        let none = limits.with(Limit::AllHelmSeconds, 0);
        assert!(sh("echo", &none).unwrap_err().contains("`all-helm-seconds`"));
    }

    #[test]
    fn a_failure_says_its_cause_in_one_line() {
        let limits = Limits::default();
        assert_eq!(sh("printf a; yes | head -c 200000 >&2", &limits), Ok(b"a".to_vec()));
        let failed = sh("printf 'W: x\\nError: a\\n\\n  b\\nUse --debug flag\\n' >&2; exit 1", &limits);
        assert_eq!(failed, Err("a b".to_owned()));
        assert_eq!(sh("exit 1", &limits), Err("Helm fails without a message".to_owned()));
    }
}
