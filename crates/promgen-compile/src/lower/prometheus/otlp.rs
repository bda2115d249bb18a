//! The `otlp` section, and what the operator refuses in it.

use crate::lower::Scope;
use crate::lower::prometheus::sections::OTLP;
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::select::admit::{Refusal, Refuse};
use promgen_resources::api::scraping::scrape::NameValidationScheme;
use promgen_resources::api::servers::settings::{OtlpConfig, TranslationStrategy};
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::Map;
use promgen_text::yaml::encode::object;

/// The section `otlp`, if any field is set that the target supports.
///
/// # Errors
/// Settings that contradict each other, or that the target is too old for. Operator: `appendOTLPConfig`.
pub fn otlp(scope: &mut Scope<'_>) -> Result<Option<Map>, Refusal> {
    let Some(otlp) = &scope.cx.common.otlp else {
        return Ok(None);
    };
    let path = SPEC.key("otlp");
    check(scope, &path, otlp)?;
    let out = write::section(scope, &path, &object(otlp).into(), OTLP);
    Ok((!out.is_empty()).then_some(out))
}

fn check(scope: &Scope<'_>, path: &Path<'_>, otlp: &OtlpConfig) -> Result<(), Refusal> {
    if !scope.has(&gates::OTLP) {
        let since = &gates::OTLP.since;
        let message =
            format!("OTLP configuration is only supported from Prometheus version {since}");
        return path.refuse(message);
    }
    check_strategy(scope, path, otlp)?;
    // Older versions read neither of the fields below, and the operator does not compare them.
    if !scope.has(&gates::OTLP_ALL_ATTRIBUTES) {
        return Ok(());
    }
    let all = otlp.promote_all_resource_attributes.unwrap_or(false);
    let is_set = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|l| !l.is_empty());
    if all && is_set(&otlp.promote_resource_attributes) {
        let message = "'promoteAllResourceAttributes' cannot be set to 'true' simultaneously with 'promoteResourceAttributes'";
        return path.key("promoteResourceAttributes").refuse(message);
    }
    if !all && is_set(&otlp.ignore_resource_attributes) {
        let message = "'ignoreResourceAttributes' can only be set when 'promoteAllResourceAttributes' is true";
        return path.key("ignoreResourceAttributes").refuse(message);
    }
    Ok(())
}

/// Checks that the translation strategy is valid for the name validation scheme.
fn check_strategy(scope: &Scope<'_>, path: &Path<'_>, otlp: &OtlpConfig) -> Result<(), Refusal> {
    let Some(strategy) = otlp.translation_strategy else {
        return Ok(());
    };
    let (path, name) = (path.key("translationStrategy"), strategy.as_str());
    let gate = match strategy {
        TranslationStrategy::NoUtf8EscapingWithSuffixes => {
            if scope.cx.common.name_validation_scheme == Some(NameValidationScheme::Legacy) {
                let message = format!(
                    "nameValidationScheme {:?} is not compatible with OTLP translation strategy {name:?}",
                    NameValidationScheme::Legacy.as_str(),
                );
                return path.refuse(message);
            }
            return Ok(());
        }
        TranslationStrategy::UnderscoreEscapingWithSuffixes => return Ok(()),
        TranslationStrategy::NoTranslation if !scope.has(&gates::OTLP_NO_TRANSLATION_CHECK) => {
            return Ok(());
        }
        TranslationStrategy::NoTranslation => &gates::OTLP_NO_TRANSLATION,
        TranslationStrategy::UnderscoreEscapingWithoutSuffixes => &gates::OTLP_WITHOUT_SUFFIXES,
    };
    if scope.has(gate) {
        return Ok(());
    }
    // Both the name of the field and the blank at the end are the operator's.
    let message = format!(
        "nameValidationScheme {name:?} is only supported from Prometheus version {} ",
        gate.since
    );
    path.refuse(message)
}
