//! Comparisons with others: what two programs say of one input is the same.

mod naive;
pub mod relabel;
pub mod yaml;
