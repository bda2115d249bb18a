//! The releases of the operator, and what each deploys where neither a resource nor a flag says otherwise.
//!
//! A release is added with a row of [`RELEASES`]. What it does differently is a row of the gates' axis
//! [`Operator`](crate::gates::Axis::Operator), the fields that it adds are rows of [`fields`], and the
//! constraints that it changes are rows of [`bounds`].

pub mod bounds;
pub mod fields;

use promgen_text::version::Version;

/// A release of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its version.
    pub version: Version,
    /// Its version, as its tag.
    pub operator: &'static str,
    /// The version of Prometheus where a resource names none.
    pub prometheus: &'static str,
    /// The version of Alertmanager where a resource names none.
    pub alertmanager: &'static str,
    /// The version of Thanos where a resource names none.
    pub thanos: &'static str,
    /// The image of the config reloader.
    pub reloader_image: &'static str,
    /// Whether its answers are recorded, and compared with.
    pub is_verified: bool,
}

/// The repository of Prometheus' images.
pub const PROMETHEUS_IMAGE: &str = "quay.io/prometheus/prometheus";
/// The repository of Alertmanager's images.
pub const ALERTMANAGER_IMAGE: &str = "quay.io/prometheus/alertmanager";
/// The repository of Thanos' images.
pub const THANOS_IMAGE: &str = "quay.io/thanos/thanos";
/// The repository of the config reloader's images.
pub const RELOADER_IMAGE: &str = "quay.io/prometheus-operator/prometheus-config-reloader";

/// What promgen is where nothing tells the release: the newest one whose answers are recorded.
pub static CURRENT: &Release = newest_verified();

/// The newest release that promgen knows.
pub static NEWEST: &Release = &RELEASES[RELEASES.len() - 1];

/// A release after the newest one whose version is unknown: that of a chart which promgen does not know.
pub static LATER: Version = {
    let newest = &RELEASES[RELEASES.len() - 1].version;
    Version::new(newest.major, newest.minor, u64::MAX)
};

const fn newest_verified() -> &'static Release {
    let mut row = RELEASES.len() - 1;
    while !RELEASES[row].is_verified {
        row -= 1;
    }
    &RELEASES[row]
}

/// Declares the releases.
macro_rules! releases {
    ($($operator:literal $version:tt: $prometheus:literal, $alertmanager:literal, $thanos:literal, $verified:ident;)+) => {
        /// Every release, the oldest first. A patch release that has no row is like the one before it.
        pub static RELEASES: &[Release] = &[$(Release {
            version: releases!(@version $version),
            operator: $operator,
            prometheus: $prometheus,
            alertmanager: $alertmanager,
            thanos: $thanos,
            reloader_image: concat!("quay.io/prometheus-operator/prometheus-config-reloader:", $operator),
            is_verified: releases!(@verified $verified),
        }),+];
    };
    (@version ($major:literal, $minor:literal, $patch:literal)) => { Version::new($major, $minor, $patch) };
    (@verified recorded) => { true };
    (@verified unrecorded) => { false };
}

releases! {
    "v0.80.0" (0, 80, 0): "v3.1.0", "v0.28.0", "v0.37.2", recorded;
    "v0.81.0" (0, 81, 0): "v3.2.1", "v0.28.0", "v0.37.2", unrecorded;
    "v0.82.0" (0, 82, 0): "v3.2.1", "v0.28.1", "v0.38.0", unrecorded;
    "v0.83.0" (0, 83, 0): "v3.4.0", "v0.28.1", "v0.38.0", unrecorded;
    "v0.84.0" (0, 84, 0): "v3.4.2", "v0.28.1", "v0.39.1", recorded;
    "v0.85.0" (0, 85, 0): "v3.5.0", "v0.28.1", "v0.39.2", unrecorded;
    "v0.86.0" (0, 86, 0): "v3.6.0", "v0.28.1", "v0.39.2", unrecorded;
    "v0.87.0" (0, 87, 0): "v3.7.3", "v0.29.0", "v0.39.2", unrecorded;
    "v0.88.0" (0, 88, 0): "v3.9.1", "v0.30.0", "v0.40.1", recorded;
    "v0.89.0" (0, 89, 0): "v3.9.1", "v0.31.0", "v0.40.1", unrecorded;
    "v0.90.0" (0, 90, 0): "v3.10.0", "v0.31.1", "v0.41.0", recorded;
    "v0.91.0" (0, 91, 0): "v3.11.3", "v0.32.1", "v0.41.0", recorded;
    "v0.92.0" (0, 92, 0): "v3.12.0", "v0.33.0", "v0.41.0", recorded;
    "v0.93.0" (0, 93, 0): "v3.13.1", "v0.33.1", "v0.42.2", recorded;
    "v0.93.1" (0, 93, 1): "v3.13.1", "v0.33.1", "v0.42.2", recorded;
    "v0.94.0" (0, 94, 0): "v3.14.0", "v0.34.0", "v0.42.4", unrecorded;
    "v0.94.1" (0, 94, 1): "v3.14.0", "v0.34.0", "v0.42.4", recorded;
    "v0.95.0" (0, 95, 0): "v3.14.0", "v0.34.0", "v0.42.4", unrecorded;
    "v0.95.1" (0, 95, 1): "v3.14.0", "v0.34.0", "v0.42.4", unrecorded;
    "v0.95.2" (0, 95, 2): "v3.14.0", "v0.34.0", "v0.42.4", unrecorded;
}

/// Whether a release is newer than the newest one that promgen knows: what it has is not known in full.
#[must_use]
pub fn is_newer(version: &Version) -> bool {
    *version > NEWEST.version
}

/// The row of a release; of a patch release without one that of the patch before it; of a newer one that of the newest.
#[must_use]
pub fn row(version: &Version) -> Option<&'static Release> {
    if is_newer(version) {
        return Some(NEWEST);
    }
    let is_minor = |row: &&Release| row.version.major == version.major && row.version.minor == version.minor;
    RELEASES.iter().filter(is_minor).rfind(|row| row.version <= *version)
}

/// Reads the version of a release that promgen knows, or that is newer.
///
/// # Errors
/// Why it is none.
pub fn parse(text: &str) -> Result<Version, String> {
    let wanted = || format!("expected a release of the operator from {} on", RELEASES[0].operator);
    let version = Version::parse(text).ok_or_else(wanted)?;
    let is_known = version == version.release() && row(&version).is_some();
    if is_known { Ok(version) } else { Err(wanted()) }
}

/// Reads the version of a release that promgen knows.
///
/// # Errors
/// Why it is none.
pub fn parse_known(text: &str) -> Result<Version, String> {
    let range = || format!("expected a release of the operator from {} to {}", RELEASES[0].operator, NEWEST.operator);
    parse(text).ok().filter(|version| !is_newer(version)).ok_or_else(range)
}

/// The tag of a release, or of the newest one for one of an unknown version.
#[must_use]
pub fn tag(version: &Version) -> String {
    if *version == LATER { NEWEST.operator.to_owned() } else { format!("v{version}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_release_is_like_the_one_before() {
        let of = |text: &str| parse(text).ok().and_then(|version| row(&version)).map(|row| row.operator);
        assert_eq!(of("v0.80.0"), Some("v0.80.0"));
        assert_eq!(of("0.82.2"), Some("v0.82.0"));
        assert_eq!(of("v0.93.1"), Some("v0.93.1"));
        assert_eq!([of("v0.95.3"), of("v0.96.0"), of("v1.80.0")], [Some(NEWEST.operator); 3]);
        assert!(parse_known("v0.95.2").is_ok() && parse_known("v0.95.3").is_err());
        for unknown in ["v0.79.2", "v0.92.0-rc.0", "v0.97.0-rc.0", "latest", ""] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn releases_are_in_order_and_have_versions() {
        assert!(RELEASES.is_sorted_by_key(|row| &row.version));
        for row in RELEASES {
            assert_eq!(tag(&row.version), row.operator);
            let versions = [row.prometheus, row.alertmanager, row.thanos];
            assert!(versions.iter().all(|text| Version::parse(text).is_some()), "{row:?}");
        }
    }
}
