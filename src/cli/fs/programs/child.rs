//! A running program with all that it starts: they end with their owner, and with the process.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers of those that run.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all that run.
pub(in crate::cli::fs) fn end_all() {
    running().iter().for_each(|number| end_group(*number));
}

/// Ends the programs of a group.
#[cfg(unix)]
fn end_group(number: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(number).ok().and_then(Pid::from_raw);
    // There may be none left.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}

/// Other systems have no groups: the program ends alone.
#[cfg(not(unix))]
fn end_group(_: u32) {}

/// A program that ends with its owner.
pub(super) struct ChildProcess(pub(super) Child);

impl ChildProcess {
    /// Starts it, in a group of its own. What the parent holds of its streams is closed.
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // What a signal ends is on the list, or not started.
        let mut running = running();
        let child = command.spawn()?;
        running.insert(child.id());
        Ok(Self(child))
    }

    /// The streams of a session.
    pub(super) fn streams(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.0.stdin.take(), self.0.stdout.take())
    }

    /// Returns whether it has ended. Its number is not free before [`ChildProcess::end`].
    #[cfg(unix)]
    pub(super) fn has_ended(&self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) else {
            return true;
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Ends it, if it has not, and what it has left behind.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        // While it is not waited for, no other group has its number.
        if running().remove(&self.0.id()) {
            end_group(self.0.id());
            let _ = self.0.kill();
        }
        self.0.wait()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
