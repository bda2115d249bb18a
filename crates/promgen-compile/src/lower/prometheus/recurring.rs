//! [`RecurringMaps`]: the maps that occur in many jobs, such as most relabel rules, held once.

use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use promgen_text::yaml::{Map, Value};

/// The number of maps that are known. One that comes to the place of another one replaces it: more than this hardly recur.
const N_KNOWN: usize = 1024;

/// The maps that jobs had of late, by their hash.
#[derive(Debug)]
pub(super) struct RecurringMaps(Mutex<Vec<Map>>);

impl RecurringMaps {
    pub(super) fn new() -> Self {
        Self(Mutex::new(vec![Map::new(); N_KNOWN]))
    }

    /// Lets the lists of a job share the maps that jobs before it have.
    pub(super) fn share(&self, section: &mut Map) {
        let lists = section
            .entries_mut()
            .iter_mut()
            .filter_map(|(_, value)| match value {
                Value::Seq(items) => Some(items),
                _ => None,
            });
        let own = lists
            .flatten()
            .filter_map(Value::as_map_mut)
            .filter(|map| !map.is_shared());
        let own: Vec<(usize, &mut Map)> = own.map(|map| (place(map), map)).collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, map) in own {
            if known[place] == *map {
                *map = known[place].clone();
            } else {
                map.shrink_to_fit();
                known[place] = map.clone();
            }
        }
    }
}

fn place(map: &Map) -> usize {
    FixedState::default().hash_one(map) as usize % N_KNOWN
}
