//! The `otlp` section, and what the operator refuses in it.

use crate::lower::Scope;
use crate::lower::prometheus::http::{text, texts};
use crate::select::admit::Refusal;
use promgen_resources::api::scraping::scrape::NameValidationScheme;
use promgen_resources::api::servers::settings::{OtlpConfig, TranslationStrategy};
use promgen_resources::gates::{self, Gate};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The section `otlp`, if any field is set that the target supports.
///
/// # Errors
/// Settings that contradict each other, or that the target is too old for. Operator: `appendOTLPConfig`.
pub fn otlp(scope: &mut Scope<'_>) -> Result<Option<Map>, Refusal> {
    let Some(otlp) = &scope.cx.common.otlp else { return Ok(None) };
    let root = Path::root();
    let spec = root.key("spec");
    let path = spec.key("otlp");
    check(scope, &path, otlp)?;
    let at = |key: &'static str| path.key(key).to_route();
    let mut out = Map::new();
    let promoted = otlp.promote_resource_attributes.as_ref().filter(|p| !p.is_empty());
    out.push_some("promote_resource_attributes", promoted.map(|p| texts(p)));
    let strategy = otlp.translation_strategy.map(|s| s.as_str());
    let strategy = scope.gated(&gates::OTLP_TRANSLATION_STRATEGY, strategy, || at("translationStrategy"));
    out.push_some("translation_strategy", strategy.map(text));
    let ignored = otlp.ignore_resource_attributes.as_ref().filter(|i| !i.is_empty());
    for (key, gate, value, field) in switches(otlp) {
        out.push_some(key, scope.gated(gate, value, || at(field)));
        // The list stands among the switches, right behind the one that it narrows.
        if key == "promote_all_resource_attributes" {
            let gate = &gates::OTLP_ALL_ATTRIBUTES;
            let ignored = scope.gated(gate, ignored, || at("ignoreResourceAttributes"));
            out.push_some("ignore_resource_attributes", ignored.map(|i| texts(i)));
        }
    }
    Ok((!out.is_empty()).then_some(out))
}

type Switch = (&'static str, &'static Gate, Option<bool>, &'static str);

/// The boolean fields, in the order of the section: key, gate, value, field.
const fn switches(otlp: &OtlpConfig) -> [Switch; 6] {
    [
        (
            "keep_identifying_resource_attributes",
            &gates::OTLP_KEEP_IDENTIFYING,
            otlp.keep_identifying_resource_attributes,
            "keepIdentifyingResourceAttributes",
        ),
        (
            "convert_histograms_to_nhcb",
            &gates::OTLP_CONVERT_HISTOGRAMS,
            otlp.convert_histograms_to_nhcb,
            "convertHistogramsToNHCB",
        ),
        (
            "promote_all_resource_attributes",
            &gates::OTLP_ALL_ATTRIBUTES,
            otlp.promote_all_resource_attributes,
            "promoteAllResourceAttributes",
        ),
        ("promote_scope_metadata", &gates::OTLP_SCOPE_METADATA, otlp.promote_scope_metadata, "promoteScopeMetadata"),
        (
            "label_name_underscore_sanitization",
            &gates::OTLP_LABEL_NAMES,
            otlp.label_name_underscore_sanitization,
            "labelNameUnderscoreSanitization",
        ),
        (
            "label_name_preserve_multiple_underscores",
            &gates::OTLP_LABEL_NAMES,
            otlp.label_name_preserve_multiple_underscores,
            "labelNamePreserveMultipleUnderscores",
        ),
    ]
}

fn check(scope: &Scope<'_>, path: &Path<'_>, otlp: &OtlpConfig) -> Result<(), Refusal> {
    if !scope.has(&gates::OTLP) {
        let since = &gates::OTLP.since;
        let message = format!("OTLP configuration is only supported from Prometheus version {since}");
        return Err(Refusal::new(path, message));
    }
    check_strategy(scope, path, otlp)?;
    // Older versions read neither of the fields below, and the operator does not compare them.
    if !scope.has(&gates::OTLP_ALL_ATTRIBUTES) {
        return Ok(());
    }
    let all = otlp.promote_all_resource_attributes.unwrap_or(false);
    let is_set = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|l| !l.is_empty());
    if all && is_set(&otlp.promote_resource_attributes) {
        let message =
            "'promoteAllResourceAttributes' cannot be set to 'true' simultaneously with 'promoteResourceAttributes'";
        return Err(Refusal::new(&path.key("promoteResourceAttributes"), message));
    }
    if !all && is_set(&otlp.ignore_resource_attributes) {
        let message = "'ignoreResourceAttributes' can only be set when 'promoteAllResourceAttributes' is true";
        return Err(Refusal::new(&path.key("ignoreResourceAttributes"), message));
    }
    Ok(())
}

/// Checks that the translation strategy is valid for the name validation scheme.
fn check_strategy(scope: &Scope<'_>, path: &Path<'_>, otlp: &OtlpConfig) -> Result<(), Refusal> {
    let Some(strategy) = otlp.translation_strategy else { return Ok(()) };
    let (path, name) = (path.key("translationStrategy"), strategy.as_str());
    let gate = match strategy {
        TranslationStrategy::NoUtf8EscapingWithSuffixes => {
            if scope.cx.common.name_validation_scheme == Some(NameValidationScheme::Legacy) {
                let message = format!(
                    "nameValidationScheme {:?} is not compatible with OTLP translation strategy {name:?}",
                    NameValidationScheme::Legacy.as_str(),
                );
                return Err(Refusal::new(&path, message));
            }
            return Ok(());
        }
        TranslationStrategy::UnderscoreEscapingWithSuffixes => return Ok(()),
        TranslationStrategy::NoTranslation if !scope.has(&gates::OTLP_NO_TRANSLATION_CHECK) => return Ok(()),
        TranslationStrategy::NoTranslation => &gates::OTLP_NO_TRANSLATION,
        TranslationStrategy::UnderscoreEscapingWithoutSuffixes => &gates::OTLP_WITHOUT_SUFFIXES,
    };
    if scope.has(gate) {
        return Ok(());
    }
    // Both the name of the field and the blank at the end are the operator's.
    let message = format!("nameValidationScheme {name:?} is only supported from Prometheus version {} ", gate.since);
    Err(Refusal::new(&path, message))
}
