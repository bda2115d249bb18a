//! URLs as Go's `net/url` reads them.
//!
//! In: a text. Out: the parts of a URL that callers need, or Go's error text: `parse "http://a:b": invalid port ":b"
//! after host`. Mirrors `url.Parse` of Go 1.26, whose colons are strict for `http` and `https` only.
//!
//! One message is shortened: the reason why an address in brackets is no IPv6 address.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::go::quote::{quote, quote_bytes};

/// The parts of a URL that callers need.
///
/// ```
/// use promgen_text::go::url::Url;
///
/// let url = Url::parse("HTTP://user@example.com:80/path").expect("a URL");
/// assert_eq!((url.scheme.as_str(), url.host.as_str()), ("http", "example.com:80"));
/// assert_eq!(Url::parse("a:b/c").map(|url| url.host), Ok(String::new()), "what follows the scheme is opaque");
/// assert_eq!(Url::parse(":80").expect_err("refused"), "parse \":80\": missing protocol scheme");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// `http`, in lower case; empty in a relative URL.
    pub scheme: String,
    /// Host and port as written, but for escapes; empty if there is none.
    pub host: String,
}

/// The part of a URL that contains an escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    Host,
    /// The zone of an IPv6 address.
    Zone,
    /// Path, user or fragment, where any character may be escaped.
    Other,
}

impl Url {
    /// Reads a URL, absolute or relative.
    ///
    /// # Errors
    /// Go's own text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
        let parsed = parse(url).map_err(|error| format!("parse {}: {error}", quote(url)))?;
        unescape(fragment, UrlPart::Other)
            .map_err(|error| format!("parse {}: {error}", quote(text)))?;
        Ok(parsed)
    }
}

/// The characters that a path does not escape, besides letters and digits.
const PATH_MARKS: &str = "-_.~$&+,/:;=@";

/// Escapes a path for a URL. Go: `url.URL.EscapedPath` of a URL that was built, not parsed.
///
/// ```
/// use promgen_text::go::url::escaped_path;
///
/// assert_eq!(escaped_path("/a b/ü?"), "/a%20b/%C3%BC%3F");
/// ```
#[must_use]
pub fn escaped_path(path: &str) -> String {
    // Go does not escape a single asterisk, the target of `OPTIONS *`.
    if path == "*" {
        path.to_owned()
    } else {
        percent_encoded(path, PATH_MARKS)
    }
}

/// Writes `%` and two digits for each byte of the characters that are neither ASCII letters, digits nor `plain`.
///
/// ```
/// use promgen_text::go::url::percent_encoded;
///
/// assert_eq!(percent_encoded("a-b ü", "-"), "a-b%20%C3%BC");
/// ```
#[must_use]
pub fn percent_encoded(text: &str, plain: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || plain.contains(c) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            write!(out, "%{byte:02X}").expect("a string takes every character");
        }
    }
    out
}

/// The text that Go writes in place of a password, up to the host.
pub const MASK: &str = ":xxxxx@";

/// A URL as Go writes it again, with its password masked; `None` for a text that is none. Go: `url.URL.Redacted`.
///
/// ```
/// use promgen_text::go::url::redacted;
///
/// assert_eq!(redacted("HTTP://user:pw@host/{a}?{b}").as_deref(), Some("http://user:xxxxx@host/%7Ba%7D?{b}"));
/// assert_eq!(redacted("http://h/%7Efoo").as_deref(), Some("http://h/%7Efoo"));
/// ```
#[must_use]
pub fn redacted(text: &str) -> Option<String> {
    again(text, true)
}

/// A URL as Go writes it again, with its password; `None` for a text that is none. Go: `url.URL.String`.
///
/// ```
/// use promgen_text::go::url::rewritten;
///
/// assert_eq!(rewritten("HTTP://user:pw@host/{a}").as_deref(), Some("http://user:pw@host/%7Ba%7D"));
/// ```
#[must_use]
pub fn rewritten(text: &str) -> Option<String> {
    again(text, false)
}

fn again(text: &str, is_masked: bool) -> Option<String> {
    let parsed = Url::parse(text).ok()?;
    let (rest, fragment) = text
        .split_once('#')
        .map_or((text, None), |(rest, fragment)| (rest, Some(fragment)));
    let (_, rest) = split_scheme(rest).ok()?;
    let (rest, query) = rest
        .split_once('?')
        .map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let mut out = if parsed.scheme.is_empty() {
        String::new()
    } else {
        format!("{}:", parsed.scheme)
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            out.push_str("//");
            if let Some((user, _)) = authority.rsplit_once('@') {
                match user.split_once(':') {
                    Some((name, _)) if is_masked => out.extend([name, MASK]),
                    _ => out.extend([user, "@"]),
                }
            }
            out.push_str(&parsed.host);
            path
        }
        None => rest,
    };
    out.push_str(&written_path(path));
    if let Some(query) = query {
        out.push('?');
        out.push_str(query);
    }
    if let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) {
        out.push('#');
        out.push_str(fragment);
    }
    Some(out)
}

/// A path as it is, if that is an escaped form of what it stands for, and escaped anew otherwise. Go: `EscapedPath`.
fn written_path(path: &str) -> String {
    let is_valid = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || PATH_MARKS.as_bytes().contains(&byte)
            || matches!(byte, b'!' | b'\'' | b'(' | b')' | b'*' | b'[' | b']' | b'%')
    };
    if path.bytes().all(is_valid) {
        return path.to_owned();
    }
    unescape(path, UrlPart::Other).map_or_else(|_| path.to_owned(), |path| escaped_path(&path))
}

/// A URL without its fragment.
fn parse(text: &str) -> Result<Url, String> {
    if text.bytes().any(|b| b.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let (scheme, rest) = split_scheme(text)?;
    let scheme = scheme.to_ascii_lowercase();
    let (rest, _) = rest.split_once('?').unwrap_or((rest, ""));
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(Url {
                scheme,
                host: String::new(),
            });
        }
        if rest
            .split('/')
            .next()
            .is_some_and(|segment| segment.contains(':'))
        {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let has_authority = rest.starts_with("//") && !(scheme.is_empty() && rest.starts_with("///"));
    let (authority, path) = if has_authority {
        let end = rest[2..].find('/').map_or(rest.len(), |at| at + 2);
        (&rest[2..end], &rest[end..])
    } else {
        ("", rest)
    };
    let host = read_authority(&scheme, authority)?;
    unescape(path, UrlPart::Other)?;
    Ok(Url { scheme, host })
}

/// The scheme without its colon, and the rest; no scheme if the text does not start with one.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    let end = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
        .count();
    let (scheme, rest) = text.split_at(end);
    match rest.strip_prefix(':') {
        Some(_) if scheme.is_empty() => Err("missing protocol scheme".to_owned()),
        Some(rest) if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok((scheme, rest)),
        _ => Ok(("", text)),
    }
}

/// The host of `user:password@host:port`.
fn read_authority(scheme: &str, authority: &str) -> Result<String, String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return read_host(scheme, authority);
    };
    let host = read_host(scheme, host)?;
    if !user
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b))
    {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    unescape(name, UrlPart::Other)?;
    unescape(password, UrlPart::Other)?;
    Ok(host)
}

fn read_host(scheme: &str, host: &str) -> Result<String, String> {
    match host.rfind('[') {
        Some(0) => return read_bracketed(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Lists of hosts with ports are fine where the scheme is not one of the web.
    let strict = matches!(scheme, "http" | "https");
    let colon = if strict {
        host.find(':')
    } else {
        host.rfind(':')
    };
    if let Some(at) = colon {
        check_port(&host[at..])?;
    }
    unescape(host, UrlPart::Host)
}

/// `[::1]:80`, `[fe80::1%25en0]`.
fn read_bracketed(host: &str) -> Result<String, String> {
    let Some((address, port)) = host[1..].rsplit_once(']') else {
        return Err("missing ']' in host".to_owned());
    };
    check_port(port)?;
    let zone = address.find("%25").unwrap_or(address.len());
    let plain =
        unescape(&address[..zone], UrlPart::Host)? + &unescape(&address[zone..], UrlPart::Zone)?;
    check_address(&plain)?;
    Ok(format!("[{plain}]{port}"))
}

fn check_port(port: &str) -> Result<(), String> {
    let valid = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    if valid {
        Ok(())
    } else {
        Err(format!("invalid port {} after host", quote(port)))
    }
}

fn check_address(text: &str) -> Result<(), String> {
    let invalid = |why: &str| Err(format!("invalid host: ParseAddr({}): {why}", quote(text)));
    match text.find(['.', ':', '%']).map(|at| &text[at..=at]) {
        Some(":") => {}
        Some(".") if text.parse::<Ipv4Addr>().is_ok() => {
            return Err("invalid IP-literal".to_owned());
        }
        Some("%") => return invalid("missing IPv6 address"),
        _ => return invalid("unable to parse IP"),
    }
    let (address, zone) = text
        .split_once('%')
        .map_or((text, None), |(address, zone)| (address, Some(zone)));
    if zone == Some("") {
        invalid("zone must be a non-empty string")
    } else if address.parse::<Ipv6Addr>().is_err() {
        invalid("unable to parse IP")
    } else {
        Ok(())
    }
}

/// The text with its escapes replaced. Bytes that are no UTF-8 are replaced too.
fn unescape(text: &str, place: UrlPart) -> Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let hex = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
            let value = hex(0)
                .zip(hex(1))
                .and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            let Some(value) = value.filter(|value| may_be_escaped(*value, place)) else {
                let shown = [b"%", &after[..after.len().min(2)]].concat();
                return Err(format!("invalid URL escape {}", quote_bytes(&shown)));
            };
            out.push(value);
            rest = &after[2..];
        } else if place != UrlPart::Other && first.is_ascii() && !is_host_byte(*first) {
            return Err(format!(
                "invalid character {} in host name",
                quote_bytes(&[*first])
            ));
        } else {
            out.push(*first);
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

const fn may_be_escaped(value: u8, place: UrlPart) -> bool {
    match place {
        UrlPart::Host => value >= 0x80 || value == b'%',
        UrlPart::Zone => value == b'%' || value == b' ' || is_host_byte(value),
        UrlPart::Other => true,
    }
}

const fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'"' | b'$' | b'&'..=b'.' | b':'..=b'=' | b'>' | b'[' | b']' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, why: &str) {
        assert_eq!(
            Url::parse(text),
            Err(format!("parse {}: {why}", quote(text)))
        );
    }

    #[track_caller]
    fn host(text: &str, expected: &str) {
        assert_eq!(
            Url::parse(text).map(|url| url.host).as_deref(),
            Ok(expected),
            "{text}"
        );
    }

    #[test]
    fn hosts_are_found() {
        host("http://a.b:80/c?d#e", "a.b:80");
        host("//a/b", "a");
        host("///a/b", "");
        host("a/b", "");
        host("mailto:a@b", "");
        host("http://user:p%20w@a", "a");
        host("http://%C3%A9", "é");
        host("http://[::1]:80", "[::1]:80");
        host("http://[fe80::1%25en0]", "[fe80::1%en0]");
        host("postgres://a:1,b:2/c", "a:1,b:2");
        host("*", "");
        host("", "");
    }

    #[test]
    fn paths_are_escaped() {
        for (path, escaped) in [
            ("/-/ready", "/-/ready"),
            ("x y/-/reload", "x%20y/-/reload"),
            ("/a%20b", "/a%2520b"),
            ("/~a_b.c$&+,:;=@", "/~a_b.c$&+,:;=@"),
            ("/é?#[]!'()*\"", "/%C3%A9%3F%23%5B%5D%21%27%28%29%2A%22"),
            ("*", "*"),
        ] {
            assert_eq!(escaped_path(path), escaped);
        }
    }

    #[test]
    fn errors_are_in_gos_words() {
        refused(
            "http://xxx-${dev}.svc:80",
            "invalid character \"{\" in host name",
        );
        refused(
            "http://::invalid-url",
            "invalid port \"::invalid-url\" after host",
        );
        refused("http://a:b", "invalid port \":b\" after host");
        refused("http://a:1:2", "invalid port \":1:2\" after host");
        refused("http://[::1", "missing ']' in host");
        refused("http://a[b]", "invalid IP-literal");
        refused("http://[1.2.3.4]", "invalid IP-literal");
        refused(
            "http://[a]",
            "invalid host: ParseAddr(\"a\"): unable to parse IP",
        );
        refused(
            "1http://a",
            "first path segment in URL cannot contain colon",
        );
        refused("a b:80", "first path segment in URL cannot contain colon");
        refused(":80", "missing protocol scheme");
        refused("http://a\n", "net/url: invalid control character in URL");
        refused("http://a/%zz", "invalid URL escape \"%zz\"");
        refused("http://a/%1中", r#"invalid URL escape "%1\xe4""#);
        refused("http://a%20b", "invalid URL escape \"%20\"");
        refused("http://a b", "invalid character \" \" in host name");
        refused("http://a|b@c", "net/url: invalid userinfo");
        refused("http://%e:80@a", "invalid URL escape \"%e\"");
        refused("a#%", "invalid URL escape \"%\"");
    }
}
