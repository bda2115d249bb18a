//! Facts of a Thanos Ruler that several parts of its pods share: its files.

/// The place where it keeps its data.
pub(crate) const STORAGE_DIR: &str = "/thanos/data";
/// The place of rule files.
pub(crate) const RULES_DIR: &str = "/etc/thanos/rules";
