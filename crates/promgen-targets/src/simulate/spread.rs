//! The balance of a load.
//!
//! In: the load of each shard. Out: figures that are 1, 0 and 0 for equal loads.

/// The evenness of the load over shards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The greatest load over the mean: the size of the largest shard relative to the average. 1 is the optimum; 0 if
    /// there is no load.
    pub max_over_mean: f64,
    /// The Gini coefficient: 0 for equal loads, near 1 if one shard has the entire load.
    pub gini: f64,
    /// The standard deviation over the mean.
    pub variation: f64,
    /// The number of shards without load.
    pub n_empty: usize,
}

impl Spread {
    /// The spread of these loads.
    ///
    /// ```
    /// use promgen_targets::simulate::Spread;
    ///
    /// let spread = Spread::of(&[1, 2, 3]);
    /// assert_eq!((spread.max_over_mean, spread.n_empty), (1.5, 0));
    /// ```
    #[expect(
        clippy::cast_precision_loss,
        reason = "figures to be read, of loads far below 2^53"
    )]
    pub fn of(loads: &[u128]) -> Self {
        let (n, sum) = (loads.len() as f64, loads.iter().sum::<u128>() as f64);
        let n_empty = loads.iter().filter(|load| **load == 0).count();
        if sum == 0.0 {
            return Self {
                n_empty,
                ..Self::default()
            };
        }
        let mut sorted = loads.to_vec();
        sorted.sort_unstable();
        let mean = sum / n;
        let max = sorted.last().copied().unwrap_or_default() as f64;
        // The mean difference of all pairs, from the sorted loads: the rank of each is the number of smaller ones.
        let ranked: f64 = sorted
            .iter()
            .zip(1_u32..)
            .map(|(load, rank)| f64::from(rank) * *load as f64)
            .sum();
        let squares: f64 = loads
            .iter()
            .map(|load| (*load as f64 - mean) * (*load as f64 - mean))
            .sum();
        Self {
            max_over_mean: max / mean,
            gini: (2.0 * ranked / (n * sum) - (n + 1.0) / n).max(0.0),
            variation: (squares / n).sqrt() / mean,
            n_empty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn known_numbers() {
        for (loads, max_over_mean, gini, variation, n_empty) in [
            (&[5, 5, 5, 5][..], 1.0, 0.0, 0.0, 0),
            (&[0, 0, 0, 8], 4.0, 0.75, 3.0_f64.sqrt(), 3),
            (&[1, 2, 3, 4], 1.6, 0.25, 1.25_f64.sqrt() / 2.5, 0),
            (&[4, 1, 3, 2], 1.6, 0.25, 1.25_f64.sqrt() / 2.5, 0),
            (&[7], 1.0, 0.0, 0.0, 0),
            (&[0, 0], 0.0, 0.0, 0.0, 2),
            (&[], 0.0, 0.0, 0.0, 0),
        ] {
            let spread = Spread::of(loads);
            assert!(
                is_close(spread.max_over_mean, max_over_mean),
                "{loads:?}: {spread:?}"
            );
            assert!(is_close(spread.gini, gini), "{loads:?}: {spread:?}");
            assert!(
                is_close(spread.variation, variation),
                "{loads:?}: {spread:?}"
            );
            assert_eq!(spread.n_empty, n_empty, "{loads:?}");
        }
    }

    /// The definition: the mean of all differences, over twice the mean.
    #[test]
    fn gini_is_the_mean_difference_of_pairs() {
        let loads: [u128; 7] = [3, 0, 19, 7, 7, 1, 250];
        let pairs = loads
            .iter()
            .flat_map(|a| loads.iter().map(move |b| a.abs_diff(*b) as f64));
        let expected = pairs.sum::<f64>() / (2.0 * 7.0 * 287.0);
        assert!(is_close(Spread::of(&loads).gini, expected));
    }
}
