//! The expressions that a thread compiled last: every job of a configuration has the same few.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::go::regex::{GoRegex, RegexResult};

/// The number of expressions that a thread keeps.
const MAX_KEPT: usize = 128;

/// The longest pattern that is kept, in bytes.
const MAX_PATTERN_BYTES: usize = 4 << 10;

thread_local! {
    static RECENT: RefCell<BTreeMap<Box<str>, GoRegex>> = const { RefCell::new(BTreeMap::new()) };
}

/// The compiled pattern; `compile` makes it if it is not among the kept ones.
pub(super) fn get(
    pattern: &str,
    compile: impl FnOnce() -> RegexResult<GoRegex>,
) -> RegexResult<GoRegex> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return compile();
    }
    if let Some(known) = RECENT.with_borrow(|recent| recent.get(pattern).cloned()) {
        return Ok(known);
    }
    let regex = compile()?;
    if !regex.is_big() {
        RECENT.with_borrow_mut(|recent| {
            if recent.len() >= MAX_KEPT {
                // Starting over costs a few compilations; tracking the use of each pattern would cost at every hit.
                recent.clear();
            }
            recent.insert(pattern.into(), regex.clone());
        });
    }
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_expression_matches_as_a_new_one() {
        for _ in 0..3 {
            for n in 0..MAX_KEPT + 10 {
                let regex = GoRegex::anchored(&format!("web-{n}|(.*);{n}")).unwrap();
                assert!(
                    regex.is_match(&format!("web-{n}")) && !regex.is_match("web"),
                    "{n}"
                );
                assert!(
                    regex.is_match(&format!("a;{n}")) && !regex.is_match(&format!("a;{n}1")),
                    "{n}"
                );
            }
        }
        RECENT.with_borrow(|recent| assert!(recent.len() <= MAX_KEPT));
        assert_eq!(
            GoRegex::anchored("(").unwrap_err(),
            GoRegex::anchored("(").unwrap_err()
        );
    }
}
