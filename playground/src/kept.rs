//! The project of the last question, from which the next one starts: what did not change is neither parsed nor checked again.

use std::cell::RefCell;
use std::sync::Arc;

use promgen::{Input, Options, Project};

thread_local! {
    static LAST: RefCell<Option<Arc<Project>>> = const { RefCell::new(None) };
}

/// The project of these files. The answers are those of [`Project::read`].
pub(crate) fn project(files: &[Input], options: &Options) -> Arc<Project> {
    LAST.with_borrow_mut(|last| {
        let read = match last {
            Some(last) => last.with(files, options),
            None => Project::read(files, options),
        };
        *last = Some(Arc::clone(&read));
        read
    })
}

/// The two sides of a comparison.
pub(crate) fn sides(base: &[Input], head: &[Input], options: &Options) -> [Arc<Project>; 2] {
    LAST.with_borrow_mut(|last| {
        // What both sides have is parsed once.
        let old = match last {
            Some(last) => last.other_side(base, options),
            None => Project::read_side(base, options),
        };
        let new = old.other_side(head, options);
        *last = Some(Arc::clone(&new));
        [old, new]
    })
}
