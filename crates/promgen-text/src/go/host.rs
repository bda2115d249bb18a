//! Hosts and ports, as Go's `net` and the package govalidator read them.

use std::sync::LazyLock;

use crate::go::regex::GoRegex;

/// The most bytes of a DNS name, without its dots.
const MAX_NAME: usize = 255;

/// A DNS name as govalidator matches it. It allows underscores, and one at the end.
static DNS_NAME: LazyLock<GoRegex> = LazyLock::new(|| {
    GoRegex::new(r"^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$")
        .expect("a constant pattern")
});

/// Host and port of `host:port` or `[host]:port`; `None` where there is no port or the text is of another form.
/// Go: `net.SplitHostPort`.
///
/// ```
/// use promgen_text::go::host::split;
///
/// assert_eq!(split("[::1]:80"), Some(("::1", "80")));
/// assert_eq!(split("::1"), None);
/// ```
#[must_use]
pub fn split(text: &str) -> Option<(&str, &str)> {
    parse(text).ok()
}

/// Splits a host and a port, or says why the text has none.
///
/// ```
/// use promgen_text::go::host::parse;
///
/// assert_eq!(parse("smtp"), Err("address smtp: missing port in address".to_owned()));
/// assert_eq!(parse("::1:25"), Err("address ::1:25: too many colons in address".to_owned()));
/// ```
///
/// # Errors
/// Go's own text.
pub fn parse(text: &str) -> Result<(&str, &str), String> {
    let refuse = |why: &str| Err(format!("address {text}: {why}"));
    // The last colon: Go looks at brackets only after it has found one.
    let Some((before, port)) = text.rsplit_once(':') else {
        return refuse(NO_PORT);
    };
    let (host, rest) = match text.strip_prefix('[') {
        Some(inner) => match inner.split_once(']') {
            None => return refuse("missing ']' in address"),
            Some((_, "")) => return refuse(NO_PORT),
            Some((host, after)) if after.len() == port.len() + 1 && after.starts_with(':') => {
                (host, port)
            }
            Some((_, after)) if after.starts_with(':') => {
                return refuse("too many colons in address");
            }
            Some(_) => return refuse(NO_PORT),
        },
        None if before.contains(':') => return refuse("too many colons in address"),
        None => (before, text),
    };
    if host.contains('[') || rest.contains('[') {
        return refuse("unexpected '[' in address");
    }
    if host.contains(']') || rest.contains(']') {
        return refuse("unexpected ']' in address");
    }
    Ok((host, port))
}

const NO_PORT: &str = "missing port in address";

/// Returns whether the text is an IP address or a DNS name. govalidator: `IsHost`.
#[must_use]
pub fn is_host(text: &str) -> bool {
    let is_ip = text.parse::<core::net::IpAddr>().is_ok();
    is_ip || (text.bytes().filter(|b| *b != b'.').count() <= MAX_NAME && DNS_NAME.is_match(text))
}

/// Returns whether the text is a port's number. govalidator: `IsPort`.
#[must_use]
pub fn is_port(text: &str) -> bool {
    text.parse::<i64>()
        .is_ok_and(|port| (1..=65535).contains(&port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_told_apart() {
        for (text, expected) in [
            ("a:80", Some(("a", "80"))),
            ("a:", Some(("a", ""))),
            (":80", Some(("", "80"))),
            ("http://a", Some(("http", "//a"))),
            ("[a]", None),
            ("a", None),
            ("", None),
            ("a:b:c", None),
            ("[::1]80", None),
            ("[[::1]]:80", None),
            ("a]:80", None),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_and_names_are_hosts() {
        let long = "a".repeat(64);
        let longest = format!("{0}.{0}.{0}.{0}", "a".repeat(63));
        for (text, expected) in [
            ("10.0.0.1", true),
            ("::ffff:10.0.0.1", true),
            ("a.b-c_d.", true),
            ("_a_", true),
            ("10.0.0.256", true),
            ("", false),
            ("-a", false),
            ("a..b", false),
            ("a b", false),
            ("fe80::1%eth0", false),
            (&long, false),
            (&longest, true),
            (&format!("{longest}.aaaa"), false),
        ] {
            assert_eq!(is_host(text), expected, "{text}");
        }
    }

    #[test]
    fn ports_are_whole_numbers_above_zero() {
        let ports = [
            "1",
            "65535",
            "+80",
            "0",
            "65536",
            "-1",
            "http",
            "",
            "8_0",
            "99999999999999999999",
        ];
        assert_eq!(
            ports.map(is_port),
            [
                true, true, true, false, false, false, false, false, false, false
            ]
        );
    }
}
