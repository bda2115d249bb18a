//! Inhibit rules of an AlertmanagerConfig.

use crate::cluster::Object;
use crate::routes;
use crate::select::admit::alertmanager_config::{NAMELESS, is_nameless};
use crate::select::admit::{Check, Refuse};
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfig;
use promgen_resources::api::notifying::alertmanager_config::route::{InhibitRule, Matcher};
use promgen_resources::gates::{self, Versions};
use promgen_text::route::Path;

/// Checks the rules. Operator: `checkInhibitRules`.
///
/// # Errors
/// The first reason against one.
pub(super) fn admit(
    path: &Path<'_>,
    config: &Object<AlertmanagerConfig>,
    versions: &Versions,
) -> Check {
    let rules = config.value.spec.inhibit_rules.iter().flatten().enumerate();
    rules.into_iter().try_for_each(|(index, rule)| {
        let path = path.index(index);
        comparisons(&path, rule, versions)?;
        // The operator looks at the targets first.
        for (key, field, list) in [
            ("targetMatch", "targetMatchers", &rule.target_match),
            ("sourceMatch", "sourceMatchers", &rule.source_match),
        ] {
            if let Some(matcher) = list.iter().flatten().position(is_nameless) {
                let name = &config.value.metadata.name;
                let message =
                    format!("invalid {field}[{matcher}] in inhibitRule[{index}] in config {name}: {NAMELESS}");
                return path.key(key).index(matcher).refuse(message);
            }
        }
        Ok(())
    })
}

/// A version without matchers knows no comparison.
fn comparisons(path: &Path<'_>, rule: &InhibitRule, versions: &Versions) -> Check {
    let all = |list: &Option<Vec<Matcher>>| {
        list.iter()
            .flatten()
            .any(|matcher| matcher.match_type.is_some())
    };
    if versions.has(&gates::AM_MATCHERS) || !(all(&rule.source_match) || all(&rule.target_match)) {
        return Ok(());
    }
    let texts = |list: &Option<Vec<Matcher>>| {
        list.iter()
            .flatten()
            .map(routes::shown_matcher)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let message = format!(
        "'sourceMatch' and/or 'targetMatch' are using matching syntax which is supported in Alertmanager >= {} only \
         (sourceMatch=[{}], targetMatch=[{}])",
        gates::AM_MATCHERS.since,
        texts(&rule.source_match),
        texts(&rule.target_match)
    );
    path.refuse(message)
}
