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
    let (before, port) = text.rsplit_once(':')?;
    let host = match before.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']')?,
        None if before.contains(':') => return None,
        None => before,
    };
    let brackets = |text: &str| text.contains(['[', ']']);
    (!brackets(host) && !brackets(port)).then_some((host, port))
}

/// Whether the text is an IP address or a DNS name. govalidator: `IsHost`.
#[must_use]
pub fn is_host(text: &str) -> bool {
    let is_ip = text.parse::<core::net::IpAddr>().is_ok();
    is_ip || (text.bytes().filter(|b| *b != b'.').count() <= MAX_NAME && DNS_NAME.is_match(text))
}

/// Whether the text is a port's number. govalidator: `IsPort`.
#[must_use]
pub fn is_port(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|port| (1..=65535).contains(&port))
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
        let ports = ["1", "65535", "+80", "0", "65536", "-1", "http", "", "8_0", "99999999999999999999"];
        assert_eq!(ports.map(is_port), [true, true, true, false, false, false, false, false, false, false]);
    }
}
