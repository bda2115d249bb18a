//! Facts of a Thanos Ruler that several parts of its pods share: its files.

/// Where it keeps its data.
pub(crate) const STORAGE_DIR: &str = "/thanos/data";
/// Where rule files are.
pub(crate) const RULES_DIR: &str = "/etc/thanos/rules";
