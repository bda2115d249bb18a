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
    let parts: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let longest = n
        .div_ceil(PARTS * rayon::current_num_threads())
        .max(at_least)
        .max(1);
    divide(0..n, longest, &|range| {
        let (start, part) = (range.start, make(range));
        parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((start, part));
    });
    let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    parts.sort_by_key(|(start, _)| *start);
    parts.into_iter().map(|(_, part)| part).collect()
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

fn divide(range: Range<usize>, longest: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if range.len() <= longest {
        work(range);
    } else {
        let middle = range.start + range.len() / 2;
        let (first, second) = (range.start..middle, middle..range.end);
        both(&mut || divide(first.clone(), longest, work), &mut || {
            divide(second.clone(), longest, work)
        });
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
