//! The way from a Prometheus to its targets: what its service account may read, what policies let pass, and what is scraped twice.
//!
//! In: a compiled workload that scrapes, and the model around it. Out: answers about its jobs, with what is unknown.

pub mod annotated;
pub mod endpoints;
pub mod needs;
pub mod overlaps;
pub mod ways;
