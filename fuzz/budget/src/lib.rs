//! The budget of memory: an allocator that counts, and ends the process when a run takes more than its input allows.
//!
//! It is the global allocator of every program that links this crate. The count is that of the whole process, so that the
//! threads of a run count as well: one run at a time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::abort;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes that a run may take for each byte of its input.
pub const PER_BYTE: usize = 64;

/// Bytes that a run may take besides.
pub const BASE: usize = 64 << 20;

/// Bytes that are allocated.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// The most that were, since the run began.
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Those of before the run.
static START: AtomicUsize = AtomicUsize::new(0);
/// The most that may be. Without a run, there is no limit.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The size of the input of the run.
static INPUT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it is. The counters are atomic, and take no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: what holds for this call holds for that one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: what holds for this call holds for that one.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: what holds for this call holds for that one.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            add(size - layout.size());
        } else {
            LIVE.fetch_sub(layout.size() - size, Relaxed);
        }
        // SAFETY: what holds for this call holds for that one.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Counts bytes before they are allocated, so that a limit holds even for what the system could not give.
fn add(size: usize) {
    let live = LIVE.fetch_add(size, Relaxed).saturating_add(size);
    if live > PEAK.load(Relaxed) {
        PEAK.fetch_max(live, Relaxed);
        if live > LIMIT.load(Relaxed) {
            exceeded(live);
        }
    }
}

#[cold]
fn exceeded(live: usize) {
    // The message allocates too, and so does that of a panic, with the debug information of the program.
    if LIMIT.swap(usize::MAX, Relaxed) == usize::MAX || std::thread::panicking() {
        return;
    }
    let (input, taken) = (INPUT.load(Relaxed), live - START.load(Relaxed));
    eprintln!(
        "an input of {input} bytes takes {taken} bytes of memory; it may take {}",
        allowed(input)
    );
    abort();
}

/// Bytes that a run may take.
#[must_use]
pub const fn allowed(input: usize) -> usize {
    input.saturating_mul(PER_BYTE).saturating_add(BASE)
}

/// Runs something on an input of that size, in bytes. Gives its result, and the most memory that was taken at a time. Ends
/// the process if that is more than [`allowed`].
pub fn within<T>(input: usize, run: impl FnOnce() -> T) -> (T, usize) {
    let start = LIVE.load(Relaxed);
    START.store(start, Relaxed);
    PEAK.store(start, Relaxed);
    INPUT.store(input, Relaxed);
    LIMIT.store(start.saturating_add(allowed(input)), Relaxed);
    let result = run();
    LIMIT.store(usize::MAX, Relaxed);
    (result, PEAK.load(Relaxed).saturating_sub(start))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set for the process that exceeds its budget.
    const CHILD: &str = "PROMGEN_FUZZ_EXCEED";

    #[test]
    fn what_is_taken_is_counted_and_may_be_given_back() {
        let (length, peak) = within(0, || {
            let big = vec![1_u8; BASE / 2];
            let length = big.len();
            drop(big);
            length + vec![1_u8; BASE / 2 + 1].len()
        });
        assert_eq!(length, BASE + 1);
        assert!((BASE / 2..BASE).contains(&peak), "{peak}");
    }

    #[test]
    fn more_than_the_input_allows_ends_the_process() {
        if std::env::var_os(CHILD).is_some() {
            within(10, || drop(vec![1_u8; allowed(10) + 1]));
            return;
        }
        let this = std::env::current_exe().unwrap();
        let ran = Command::new(this)
            .args(["more_than", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success());
        assert!(
            message.contains("an input of 10 bytes takes 671"),
            "{message}"
        );
    }
}
