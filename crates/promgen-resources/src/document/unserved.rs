//! Documents whose `apiVersion` and kind are no pair that the operator serves, but nearly are one.
//!
//! In: an `apiVersion` and a kind that no known kind has. Out: the kind that was meant, if the slip is beyond doubt.

use crate::api::{Kind, group};
use promgen_text::suggest;

/// The group of the operator's resources.
const GROUP: &str = "monitoring.coreos.com";

/// Groups that differ from [`GROUP`] by a few letters, and are others.
const OTHERS: &[&str] = &["azmonitoring.coreos.com"];

/// The number of letters in which a group may differ. Other groups that have kinds of these names differ by more.
const MAX_EDITS: usize = 4;

/// The fault of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// The group is the operator's, and the kind is not one of its kinds.
    Kind(Option<Kind>),
    /// The kind is the operator's, or nearly is, and the group nearly is the operator's.
    Group(Kind),
}

/// The slip in a pair that is no known kind. `None` if it may be a kind of somebody else.
pub(super) fn slip(api_version: &str, kind: &str) -> Option<Slip> {
    let group = group(api_version);
    if group == GROUP {
        return Some(Slip::Kind(near(kind)));
    }
    let is_slip = if group.is_empty() {
        // The core of Kubernetes has no such kinds. A group alone is one without its version.
        is_version(api_version) || is_near_group(api_version)
    } else {
        is_near_group(group)
    };
    is_slip.then(|| same(kind)).flatten().map(Slip::Group)
}

fn of_operator() -> impl Iterator<Item = Kind> {
    Kind::ALL
        .iter()
        .copied()
        .filter(|kind| kind.group() == GROUP)
}

/// The operator's kind most like a word.
fn near(word: &str) -> Option<Kind> {
    let name = suggest::closest(word, of_operator().map(Kind::as_str));
    same(word).or_else(|| of_operator().find(|kind| Some(kind.as_str()) == name))
}

/// The operator's kind of that name, whatever its case, or of that plural.
fn same(word: &str) -> Option<Kind> {
    let is_same = |kind: &Kind| {
        let name = kind.as_str();
        let plural = word
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
            && matches!(&word[name.len()..], "s" | "es");
        word.eq_ignore_ascii_case(name) || plural
    };
    of_operator().find(is_same)
}

fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or_default();
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_near_group(group: &str) -> bool {
    !OTHERS.contains(&group) && suggest::edits(group, GROUP).is_some_and(|edits| edits <= MAX_EDITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_kinds_and_groups_are_known() {
        let kind = |kind| Some(Slip::Kind(Some(kind)));
        assert_eq!(
            slip("monitoring.coreos.com/v1", "ServiceMonitors"),
            kind(Kind::ServiceMonitor)
        );
        assert_eq!(
            slip("monitoring.coreos.com/v1", "podmonitor"),
            kind(Kind::PodMonitor)
        );
        assert_eq!(
            slip("monitoring.coreos.com/v1", "PromtheusRule"),
            kind(Kind::PrometheusRule)
        );
        assert_eq!(
            slip("monitoring.coreos.com/v1", "Widget"),
            Some(Slip::Kind(None))
        );
        for version in [
            "monitoring.coreos.io/v1",
            "monitoring.coreos.com",
            "v1",
            "monitoring.coreo.com/v1",
            "v1beta1",
        ] {
            assert_eq!(
                slip(version, "ServiceMonitor"),
                Some(Slip::Group(Kind::ServiceMonitor)),
                "{version}"
            );
        }
        assert_eq!(
            slip("monitoring.coreos.io/v1", "probes"),
            Some(Slip::Group(Kind::Probe))
        );
    }

    #[test]
    fn kinds_of_others_are_no_slip() {
        for (version, kind) in [
            ("monitoring.rhobs/v1", "ServiceMonitor"),
            ("azmonitoring.coreos.com/v1", "ServiceMonitor"),
            ("monitoring.googleapis.com/v1", "PodMonitoring"),
            ("v1", "ServiceMonitorish"),
            ("v1", "Service"),
            ("networking.istio.io/v1", "Probe"),
        ] {
            assert_eq!(slip(version, kind), None, "{version} {kind}");
        }
    }
}
