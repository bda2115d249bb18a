//! Whole builds.
