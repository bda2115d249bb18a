//! Texts and numbers: allowed values, patterns, bounds.

use super::advice::advice;
use promgen_text::describe::{Bounds, LazyRegex, NamedText, Type};
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, rules};
use promgen_text::route::{At, DocId, Path};
use promgen_text::suggest;
use promgen_text::yaml::{Data, Node};

rules! {
    /// ## What it does
    /// Finds a string that is not one of the allowed values.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   logLevel: verbose
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   logLevel: debug
    /// ```
    UNSUPPORTED_VALUE = "PG013" "unsupported-value" Error: "a string that is not one of the allowed values";

    /// ## What it does
    /// Finds a value that violates the pattern, the bounds or the length of its field.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeInterval: half a minute
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeInterval: 30s
    /// ```
    INVALID_VALUE = "PG016" "invalid-value" Error: "a value outside of the pattern, bounds or length of its field";
}

/// The finding about a string.
pub(super) fn text(
    text: &str,
    form: &NamedText,
    doc: DocId,
    path: &Path<'_>,
) -> Option<Diagnostic> {
    if !form.values.is_empty() && !form.values.contains(&text) {
        return Some(unsupported(text, form.values, &At::path(doc, path)));
    }
    if let Some(least) = form.min_length
        && (text.chars().count() as u64) < least
    {
        return Some(invalid(
            &format!("{text:?}"),
            &format!("should be at least {least} chars long"),
            doc,
            path,
        ));
    }
    if form.is_time && !is_time(text) {
        return Some(invalid(
            &format!("{text:?}"),
            "must be of type date-time",
            doc,
            path,
        ));
    }
    form.pattern.and_then(|p| pattern(text, p, doc, path))
}

/// The finding about a string with a pattern.
pub(super) fn pattern(
    text: &str,
    pattern: &LazyRegex,
    doc: DocId,
    path: &Path<'_>,
) -> Option<Diagnostic> {
    if pattern.matches(text) {
        return None;
    }
    let fault = invalid(
        &format!("{text:?}"),
        &format!("should match '{}'", pattern.text),
        doc,
        path,
    );
    Some(
        match advice(text, pattern.text, |meant| pattern.matches(meant)) {
            Some((help, Some(meant))) => fault
                .help(help)
                .fix(Fix::value(At::path(doc, path), &meant)),
            Some((help, None)) => fault.help(help),
            None => fault,
        },
    )
}

/// The finding about an integer.
pub(super) fn integer(
    number: i128,
    is_32_bit: bool,
    bounds: &Bounds,
    doc: DocId,
    path: &Path<'_>,
) -> Option<Diagnostic> {
    let fault = |wanted: String| Some(invalid(&number.to_string(), &wanted, doc, path));
    if let Some(least) = bounds.min
        && number < i128::from(least)
    {
        return fault(format!("should be greater than or equal to {least}"));
    }
    if let Some(most) = bounds.max
        && number > i128::from(most)
    {
        return fault(format!("should be less than or equal to {most}"));
    }
    if is_32_bit && i32::try_from(number).is_err() {
        return fault("must fit 32 bits".to_owned());
    }
    if i64::try_from(number).is_err() {
        return fault("must fit 64 bits".to_owned());
    }
    None
}

/// A finding in the words of the API server: `spec.x: Invalid value: 0: spec.x in body should …`.
pub(super) fn invalid(value: &str, wanted: &str, doc: DocId, path: &Path<'_>) -> Diagnostic {
    let route = path.to_route();
    Diagnostic::new(
        &INVALID_VALUE,
        At::path(doc, path),
        format!("{route}: Invalid value: {value}: {route} in body {wanted}"),
    )
}

/// The finding about a string that is not one of the allowed values.
pub(super) fn unsupported(text: &str, values: &[&str], at: &At) -> Diagnostic {
    let quoted: Vec<String> = values.iter().map(|v| format!("\"{v}\"")).collect();
    let message = format!(
        "{}: Unsupported value: {text:?}: supported values: {}",
        at.route,
        quoted.join(", ")
    );
    let diagnostic = Diagnostic::new(&UNSUPPORTED_VALUE, at.clone(), message);
    let known = || values.iter().copied().filter(|v| !v.is_empty());
    // `warning` for `warn`, and the other way round.
    let begins = |value: &&str| {
        let (text, value) = (text.to_ascii_lowercase(), value.to_ascii_lowercase());
        text.len() > 2 && value.len() > 2 && (text.starts_with(&value) || value.starts_with(&text))
    };
    match suggest::closest(text, known()).or_else(|| known().find(begins)) {
        Some(value) => {
            let title = format!("write \"{value}\"");
            let fix = if text.eq_ignore_ascii_case(value) {
                Fix::safe(title)
            } else {
                Fix::risky(title)
            };
            let fix = fix.change(EditAction::Value(at.clone(), value.to_owned()));
            diagnostic
                .help(format!("did you mean \"{value}\"?"))
                .fix(fix)
        }
        None => diagnostic,
    }
}

/// Returns whether a text looks like RFC 3339: `2026-08-01T12:00:00Z`, with an optional fraction and offset.
pub(super) fn is_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else {
        return false;
    };
    let digits = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(c, s)| {
                if s == b'0' {
                    c.is_ascii_digit()
                } else {
                    c == s
                }
            })
    };
    let Some(clock) = time.get(..8) else {
        return false;
    };
    let rest = time[8..].strip_prefix('.').map_or(&time[8..], |f| {
        f.trim_start_matches(|c: char| c.is_ascii_digit())
    });
    let zone = rest
        .strip_prefix(['+', '-'])
        .map_or_else(|| matches!(rest, "Z" | "z"), |zone| digits(zone, "00:00"));
    digits(date, "0000-00-00") && digits(clock, "00:00:00") && zone
}

/// Returns whether a value has the form of a type, as far as it shows at the top.
pub(super) const fn has_form(of: &Type, value: &Node) -> bool {
    match of {
        Type::Object(_) | Type::Map(_) => matches!(value.data, Data::Map(_) | Data::Null),
        Type::List(_) => matches!(value.data, Data::Seq(_) | Data::Null),
        Type::Any(_) => true,
        _ => !value.is_collection(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_time;

    #[test]
    fn times_are_rfc_3339() {
        for good in [
            "2026-08-01T12:00:00Z",
            "2026-08-01T12:00:00.123456Z",
            "2026-08-01t12:00:00+02:00",
        ] {
            assert!(is_time(good), "{good}");
        }
        for bad in [
            "",
            "yesterday",
            "2026-08-01",
            "2026-08-01T12:00",
            "2026-08-01T12:00:00",
            "2026-08-01T12:00:0éZ",
        ] {
            assert!(!is_time(bad), "{bad}");
        }
    }
}
