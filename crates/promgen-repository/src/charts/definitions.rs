//! The chart prometheus-operator-crds: which CustomResourceDefinitions a cluster has.
//!
//! Since its version 18, each of its major versions has the definitions of one minor release of the operator.

use super::stack::versions::exact;

/// The chart.
pub(super) const CHART: &str = "prometheus-operator-crds";

/// The releases of the operator, from that of major version [`FIRST`] on.
const RELEASES: [&str; 14] = [
    "v0.80.0", "v0.81.0", "v0.82.0", "v0.83.0", "v0.84.0", "v0.85.0", "v0.86.0", "v0.87.0",
    "v0.88.0", "v0.89.0", "v0.90.0", "v0.91.0", "v0.92.0", "v0.93.0",
];

/// The major version of the first of them.
const FIRST: u64 = 18;

/// The release of the operator whose definitions a version of the chart has. `None` for ranges, and what is not known.
pub(super) fn release(version: &str) -> Option<&'static str> {
    let major = exact(version)?.major;
    let at = usize::try_from(major.checked_sub(FIRST)?).ok()?;
    RELEASES.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_definitions_of_a_release() {
        for (version, expected) in [
            ("24.0.2", Some("v0.86.0")),
            ("v31.0.1", Some("v0.93.0")),
            ("18.0.0", Some("v0.80.0")),
            ("17.0.0", None),
            ("99.0.0", None),
            (">=18.0.0", None),
            ("24.x", None),
        ] {
            assert_eq!(release(version), expected, "{version}");
        }
    }
}
