//! The releases of the operator, and what each deploys where neither a resource nor a flag says otherwise.
//!
//! They stand in the table of [`facts`], with the fields that each adds and the constraints that it changes:
//! [`fields`] and [`bounds`] read them. What a release does otherwise is a row of the gates' axis
//! [`Operator`](crate::gates::Axis::Operator).

pub mod bounds;
pub mod config_fields;
pub mod fields;
pub mod job_fields;

use std::sync::LazyLock;

use crate::facts::{self, CodeRow};
use promgen_text::version::Version;

/// A release of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its version.
    pub version: Version,
    /// Its version, as its tag.
    pub operator: &'static str,
    /// The day that it came out: `2026-09-23`.
    pub date: &'static str,
    /// The version of Prometheus where a resource names none.
    pub prometheus: &'static str,
    /// The version of Alertmanager where a resource names none.
    pub alertmanager: &'static str,
    /// The version of Thanos where a resource names none.
    pub thanos: &'static str,
    /// Its answers are recorded, and compared with.
    pub is_verified: bool,
}

/// The repository of Prometheus' images.
pub static PROMETHEUS_IMAGE: LazyLock<&str> =
    LazyLock::new(|| facts::newest("flag", "prometheus-default-base-image"));
/// The repository of Alertmanager's images.
pub static ALERTMANAGER_IMAGE: LazyLock<&str> =
    LazyLock::new(|| facts::newest("flag", "alertmanager-default-base-image"));
/// The repository of Thanos' images.
pub static THANOS_IMAGE: LazyLock<&str> =
    LazyLock::new(|| facts::newest("flag", "thanos-default-base-image"));
/// The repository of the config reloader's images.
pub static RELOADER_IMAGE: LazyLock<&str> = LazyLock::new(|| {
    let image = facts::newest("flag", "prometheus-config-reloader");
    image.split_once(':').map_or(image, |(image, _)| image)
});

/// The release where nothing tells it: the newest one whose answers are recorded.
pub static CURRENT: LazyLock<&Release> = LazyLock::new(|| {
    let recorded = RELEASES.iter().rfind(|release| release.is_verified);
    recorded.expect("a test looks for one")
});

/// The newest release that promgen knows.
pub static NEWEST: LazyLock<&Release> =
    LazyLock::new(|| RELEASES.last().expect("a test looks for one"));

/// A release after the newest one whose version is unknown: that of a chart which promgen does not know.
pub static LATER: LazyLock<Version> = LazyLock::new(|| {
    let newest = &NEWEST.version;
    Version::new(newest.major, newest.minor, u64::MAX)
});

/// Every release, the oldest first. A patch release that has no row is like the one before it.
pub static RELEASES: LazyLock<Vec<Release>> =
    LazyLock::new(|| facts::code_rows("release").filter_map(release).collect());

/// The version and the day, what it deploys, and what is known of it.
fn release(row: CodeRow<'static>) -> Option<Release> {
    let mut words = row.value.split(' ');
    Some(Release {
        version: of_tag(row.name),
        operator: row.name,
        date: row.since,
        prometheus: words.next()?,
        alertmanager: words.next()?,
        thanos: words.next()?,
        is_verified: words.next()? == "recorded",
    })
}

impl Release {
    /// The image of its config reloader.
    #[must_use]
    pub fn reloader_image(&self) -> String {
        format!("{}:{}", *RELOADER_IMAGE, self.operator)
    }
}

/// The version that a tag of the table names: `v0.94.1`.
pub(crate) fn of_tag(tag: &str) -> Version {
    Version::parse(tag).expect("a test reads all tags")
}

/// Returns whether a release is newer than the newest one that promgen knows: what it has is not known in full.
#[must_use]
pub fn is_newer(version: &Version) -> bool {
    *version > NEWEST.version
}

/// The row of a release; of a patch release without one that of the patch before it; of a newer one that of the newest.
#[must_use]
pub fn row(version: &Version) -> Option<&'static Release> {
    if is_newer(version) {
        return Some(*NEWEST);
    }
    let is_minor =
        |row: &&Release| row.version.major == version.major && row.version.minor == version.minor;
    RELEASES
        .iter()
        .filter(is_minor)
        .rfind(|row| row.version <= *version)
}

/// Returns whether a release is older than all that promgen knows.
pub fn is_older(version: &Version) -> bool {
    *version < RELEASES[0].version
}

/// Reads the version of a release that promgen knows, or that is newer.
///
/// # Errors
/// Why it is none.
pub fn parse(text: &str) -> Result<Version, String> {
    let wanted = || {
        let (first, newest) = (RELEASES[0].operator, NEWEST.operator);
        format!(
            "expected a release of the operator from {first} on; the newest that promgen knows is {newest}"
        )
    };
    let version = Version::parse(text).ok_or_else(wanted)?;
    let is_known = version == version.release() && row(&version).is_some();
    if is_known { Ok(version) } else { Err(wanted()) }
}

/// Reads the version of a release that promgen knows.
///
/// # Errors
/// Why it is none.
pub fn parse_known(text: &str) -> Result<Version, String> {
    let range = || {
        format!(
            "expected a release of the operator from {} to {}",
            RELEASES[0].operator, NEWEST.operator
        )
    };
    parse(text)
        .ok()
        .filter(|version| !is_newer(version))
        .ok_or_else(range)
}

/// The tag of a release, or of the newest one for one of an unknown version.
#[must_use]
pub fn tag(version: &Version) -> String {
    if *version == *LATER {
        NEWEST.operator.to_owned()
    } else {
        format!("v{version}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_release_is_like_the_one_before() {
        let of = |text: &str| {
            parse(text)
                .ok()
                .and_then(|version| row(&version))
                .map(|row| row.operator)
        };
        assert_eq!(of("v0.80.0"), Some("v0.80.0"));
        assert_eq!(of("0.82.2"), Some("v0.82.0"));
        assert_eq!(of("v0.93.1"), Some("v0.93.1"));
        assert_eq!(
            [of("v0.95.3"), of("v0.96.0"), of("v1.80.0")],
            [Some(NEWEST.operator); 3]
        );
        assert!(parse_known("v0.95.2").is_ok() && parse_known("v0.95.3").is_err());
        for unknown in ["v0.79.2", "v0.92.0-rc.0", "v0.97.0-rc.0", "latest", ""] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn releases_are_in_order_and_have_versions() {
        assert!(RELEASES.is_sorted_by_key(|row| &row.version));
        for row in RELEASES.iter() {
            assert_eq!(
                (tag(&row.version), of_tag(row.operator)),
                (row.operator.to_owned(), row.version.clone())
            );
            let versions = [row.prometheus, row.alertmanager, row.thanos];
            assert!(
                versions.iter().all(|text| Version::parse(text).is_some()),
                "{row:?}"
            );
        }
    }
}
