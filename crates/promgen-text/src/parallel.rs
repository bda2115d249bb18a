//! Work on several threads, in the order of a list.
//!
//! One code divides the work of all who share some: the compiler writes a division out for each type of its items, which
//! takes more space than most of what is done to them.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The parts that the work is divided into, for each thread: who is done early takes over from the others.
const PARTS: usize = 16;

/// The results for all items, in their order. `at_least`: the number of items that are worth another thread.
pub fn map<'i, T: Sync, R: Send>(
    items: &'i [T],
    at_least: usize,
    make: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    if items.len() <= at_least {
        return items.iter().map(make).collect();
    }
    let parts = ranges(items.len(), at_least, |range| {
        items[range].iter().map(&make).collect::<Vec<R>>()
    });
    let mut all = Vec::with_capacity(items.len());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}

/// The results for all items, which may be changed, in their order.
pub fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    at_least: usize,
    make: impl Fn(&mut T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    map(&items, at_least, |item| {
        make(&mut item.lock().unwrap_or_else(PoisonError::into_inner))
    })
}

/// What is made of ranges that are all numbers below `n` together, in their order. `at_least`: the numbers that are worth
/// another thread.
pub fn ranges<R: Send>(
    n: usize,
    at_least: usize,
    make: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    let parts = parts(n, at_least);
    let made: Vec<Mutex<Option<R>>> = parts.iter().map(|_| Mutex::new(None)).collect();
    divide(0..parts.len(), &|part| {
        let of_part = make(parts[part].clone());
        *made[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(of_part);
    });
    let made = made.into_iter().map(Mutex::into_inner);
    made.filter_map(|part| part.unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The ranges that the numbers below `n` are divided into.
fn parts(n: usize, at_least: usize) -> Vec<Range<usize>> {
    let n_parts = PARTS * rayon::current_num_threads();
    let longest = n.div_ceil(n_parts).max(at_least).max(1);
    let starts = (0..n).step_by(longest);
    starts.map(|start| start..n.min(start + longest)).collect()
}

/// Two results at the same time.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = (Pending::Asked(a), Pending::Asked(b));
    both(&mut || a.make(), &mut || b.make());
    (a.into_made(), b.into_made())
}

/// A result before and after it is made.
enum Pending<F, R> {
    Asked(F),
    Made(R),
    Taken,
}

impl<R, F: FnOnce() -> R> Pending<F, R> {
    fn make(&mut self) {
        if let Self::Asked(make) = std::mem::replace(self, Self::Taken) {
            *self = Self::Made(make());
        }
    }

    fn into_made(self) -> R {
        match self {
            Self::Made(made) => made,
            Self::Asked(_) | Self::Taken => unreachable!("both are made"),
        }
    }
}

fn divide(parts: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    if parts.len() > 1 {
        let middle = parts.start + parts.len() / 2;
        both(&mut || divide(parts.start..middle, work), &mut || {
            divide(middle..parts.end, work)
        });
    } else {
        parts.for_each(work);
    }
}

fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for n in [0, 1, 2, 63, 64, 1000] {
            let items: Vec<usize> = (0..n).collect();
            for at_least in [0, 1, 7, 5000] {
                assert_eq!(
                    map(&items, at_least, |item| item * 2),
                    items.iter().map(|item| item * 2).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn ranges_are_all_numbers_once() {
        for n in [0, 1, 100, 4097] {
            let parts = ranges(n, 3, |range| range);
            assert_eq!(
                parts.into_iter().flatten().collect::<Vec<_>>(),
                (0..n).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn items_change_where_they_are() {
        let mut items: Vec<usize> = (0..100).collect();
        let before = map_mut(&mut items, 1, |item| std::mem::replace(item, *item + 1));
        assert_eq!((before, items), ((0..100).collect(), (1..101).collect()));
    }

    #[test]
    fn both_results_come_back_in_their_order() {
        assert_eq!(join(|| 1, || join(|| "two", || 3.0)), (1, ("two", 3.0)));
    }
}
