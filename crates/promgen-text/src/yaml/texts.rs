//! Texts that occur again and again, held once: keys, kinds, namespaces, ports, labels of rules.

use std::cell::RefCell;

use xxhash_rust::xxh64::xxh64;

use crate::yaml::NodeText;

/// The number of texts that a thread knows. One that comes to the place of another one replaces it.
const N_KNOWN: usize = 4096;

/// The longest text that is worth a look.
const MAX_LENGTH: usize = 64;

thread_local! {
    static KNOWN: RefCell<Vec<NodeText>> = RefCell::new(vec![NodeText::new(); N_KNOWN]);
}

/// A text, shared with those that this thread has met of late.
pub(super) fn shared(text: &str) -> NodeText {
    if text.len() > MAX_LENGTH {
        return text.into();
    }
    let place = xxh64(text.as_bytes(), 0) as usize % N_KNOWN;
    KNOWN.with_borrow_mut(|known| {
        if known[place] != text {
            known[place] = text.into();
        }
        known[place].clone()
    })
}
