//! URLs of an AlertmanagerConfig and of the Secrets that it names.
//!
//! The operator reads a URL as a JSON text, by putting quotes around it, so that escapes count and line breaks do not
//! pass.

use crate::cluster::assets::{ContentCheck, ContentFault};
use promgen_resources::secrecy::REDACTED;
use promgen_text::go::json;
use promgen_text::go::quote::quote;
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::go::url::Url;

const FAILED: &str = "validate url from string failed";

/// The message about a URL that must not be printed.
const HIDDEN: &str = "the value is no URL";

/// Checks a URL. The refusal repeats it. Operator: `ValidateURL`.
///
/// # Errors
/// In the operator's words.
pub(crate) fn plain(text: &str) -> ContentCheck {
    parse(text).map_err(|error| {
        ContentFault::new(
            format!("{FAILED} for {text}: {error}"),
            format!("{FAILED}: {HIDDEN}"),
        )
    })
}

/// Checks a URL. The refusal does not repeat the whole of it. Operator: `ValidateSecretURL`.
///
/// # Errors
/// In the operator's words.
pub(crate) fn secret(text: &str) -> ContentCheck {
    parse(text).map_err(|error| {
        let full = error.replace(&quote(text), "[REDACTED]");
        ContentFault::new(
            format!("{FAILED} with error: {full}"),
            format!("{FAILED} with error: {HIDDEN}"),
        )
    })
}

/// Checks a URL or a template of one. Operator: `ValidateTemplateURL`.
///
/// # Errors
/// In the operator's words.
pub(crate) fn template(text: &str) -> ContentCheck {
    if text.contains("{{") {
        let scope = TemplateScope {
            functions: &[],
            variables: &[],
        };
        let invalid = |error| {
            ContentFault::new(error, format!("invalid template {REDACTED}")).within("template: :1")
        };
        return template::check(text, scope).map_err(invalid);
    }
    secret(text)
}

fn parse(text: &str) -> Result<(), String> {
    let url = Url::parse(&json::quoted(text)?)?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return Err(format!("unsupported scheme {} for URL", quote(&url.scheme)));
    }
    if url.host.is_empty() {
        Err("missing host for URL".to_owned())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_checked_in_the_operators_words() {
        let error =
            |check: fn(&str) -> ContentCheck, text: &str| check(text).unwrap_err().message(true);
        assert_eq!(
            error(template, "http://"),
            "validate url from string failed with error: missing host for URL"
        );
        assert_eq!(
            error(secret, "a"),
            "validate url from string failed with error: unsupported scheme \"\" for URL"
        );
        let of_nothing =
            "validate url from string failed with error: unsupported scheme [REDACTED] for URL";
        assert_eq!(error(secret, ""), of_nothing);
        let port = "validate url from string failed with error: parse [REDACTED]: invalid port \":b\" after host";
        assert_eq!(error(secret, "http://a:b"), port);
        let line =
            "validate url from string failed for a\nb: invalid character '\\n' in string literal";
        assert_eq!(error(plain, "a\nb"), line);
        assert_eq!(
            error(template, "{{ .labels.url"),
            "template: :1: unclosed action"
        );
        assert_eq!(template("https://{{ .a }}"), Ok(()));
        assert!(
            !plain("secret://x")
                .unwrap_err()
                .message(false)
                .contains("secret")
        );
    }
}
