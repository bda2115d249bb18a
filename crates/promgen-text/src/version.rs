//! Versions, as the operator compares them.
//!
//! Mirrors `semver.ParseTolerant` of blang/semver, which the operator uses: a leading `v` is fine, minor and patch may
//! be missing, leading zeros are stripped, pre-releases order below the release, build metadata does not count.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A version `major.minor.patch` with an optional pre-release.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// Major number.
    pub major: u64,
    /// Minor number.
    pub minor: u64,
    /// Patch number.
    pub patch: u64,
    pre: Cow<'static, [Identifier]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identifier {
    Number(u64),
    Text(Cow<'static, str>),
}

impl Version {
    /// A release.
    #[must_use]
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self {
            major,
            minor,
            patch,
            pre: Cow::Borrowed(&[]),
        }
    }

    /// The first release candidate, `major.minor.patch-rc.0`.
    #[must_use]
    pub const fn first_candidate(major: u64, minor: u64, patch: u64) -> Self {
        const RC_0: &[Identifier] = &[Identifier::Text(Cow::Borrowed("rc")), Identifier::Number(0)];
        Self {
            major,
            minor,
            patch,
            pre: Cow::Borrowed(RC_0),
        }
    }

    /// Below every pre-release of that version: where only the major number counts.
    #[must_use]
    pub const fn any_candidate(major: u64, minor: u64, patch: u64) -> Self {
        const LEAST: &[Identifier] = &[Identifier::Number(0)];
        Self {
            major,
            minor,
            patch,
            pre: Cow::Borrowed(LEAST),
        }
    }

    /// The release that a pre-release leads up to.
    #[must_use]
    pub const fn release(&self) -> Self {
        Self::new(self.major, self.minor, self.patch)
    }

    /// Parses tolerantly; `None` for what is no version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_tolerant(text).ok()
    }

    /// Parses tolerantly.
    ///
    /// # Errors
    /// What is wrong with the text, in the words of the operator's library.
    pub fn parse_tolerant(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        if let Some(release) = Self::three_numbers(text) {
            return Ok(release);
        }
        let mut parts = text.splitn(3, '.').map(padded);
        let (major, minor, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let (major, minor, rest) = (&*major, minor.as_deref(), rest.as_deref());
        if rest.is_none() && minor.unwrap_or(major).contains(['+', '-']) {
            return Err("Short version cannot contain PreRelease/Build meta data".to_owned());
        }
        // Build metadata does not count.
        let rest = rest.unwrap_or("0").split('+').next().unwrap_or_default();
        let (patch, pre) = rest
            .split_once('-')
            .map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let pre = pre.map_or_else(
            || Ok(Vec::new()),
            |pre| pre.split('.').map(Identifier::parse).collect(),
        );
        Ok(Self {
            major: number("major", major)?,
            minor: number("minor", minor.unwrap_or("0"))?,
            patch: number("patch", patch)?,
            pre: Cow::Owned(pre?),
        })
    }
}

impl Version {
    /// What nearly all versions are: three numbers of a few digits, which take no allocation.
    fn three_numbers(text: &str) -> Option<Self> {
        const MAX_DIGITS: usize = 9;
        let (mut numbers, mut at, mut n_digits) = ([0; 3], 0, 0);
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' if n_digits < MAX_DIGITS => {
                    numbers[at] = numbers[at] * 10 + u64::from(byte - b'0');
                    n_digits += 1;
                }
                b'.' if at < 2 && n_digits > 0 => (at, n_digits) = (at + 1, 0),
                _ => return None,
            }
        }
        let [major, minor, patch] = numbers;
        (at == 2 && n_digits > 0).then(|| Self::new(major, minor, patch))
    }
}

/// A part without leading zeros, and with one where it begins with no digit.
fn padded(part: &str) -> Cow<'_, str> {
    if part.len() < 2 {
        return Cow::Borrowed(part);
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        Cow::Borrowed(rest)
    } else {
        Cow::Owned(format!("0{rest}"))
    }
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "Invalid character(s) found in {name} number {text:?}"
        ));
    }
    let why = if text.is_empty() {
        "invalid syntax"
    } else {
        "value out of range"
    };
    text.parse()
        .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: {why}"))
}

impl Identifier {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Prerelease is empty".to_owned());
        }
        if text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text:?}"
            ));
        }
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(format!("Invalid character(s) found in prerelease {text:?}"));
        }
        Ok(text
            .parse()
            .map_or_else(|_| Self::Text(Cow::Owned(text.to_owned())), Self::Number))
    }
}

impl Ord for Identifier {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Identifier {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |v: &Self| (v.major, v.minor, v.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => self.pre.cmp(&other.pre),
            }
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (i, identifier) in self.pre.iter().enumerate() {
            f.write_str(if i == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(n) => write!(f, "{n}")?,
                Identifier::Text(t) => f.write_str(t)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    #[test]
    fn parses_what_blang_semver_tolerates() {
        assert_eq!(v("v3.13.2"), Version::new(3, 13, 2));
        assert_eq!(v(" 2.45"), Version::new(2, 45, 0));
        assert_eq!(v("1.35"), Version::new(1, 35, 0));
        assert_eq!(v("v3.0.0-rc.1+build").to_string(), "3.0.0-rc.1");
        for bad in [
            "",
            "v",
            "a.b",
            "1.2.3.4",
            "1..2",
            "1.2.3-",
            "-1",
            "2.55-rc.0",
        ] {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn failures_are_told_in_the_words_of_the_library() {
        let error = |text| Version::parse_tolerant(text).unwrap_err();
        assert_eq!(
            error("latest"),
            "Invalid character(s) found in major number \"0latest\""
        );
        assert_eq!(
            error("v3.x"),
            "Invalid character(s) found in minor number \"x\""
        );
        assert_eq!(
            error("3-rc"),
            "Short version cannot contain PreRelease/Build meta data"
        );
        assert_eq!(error("3.0.0-"), "Prerelease is empty");
        assert_eq!(
            error("3.0.0-01"),
            "Numeric PreRelease version must not contain leading zeroes \"01\""
        );
    }

    #[test]
    fn pre_releases_are_below_the_release() {
        assert!(v("3.0.0-rc.0") < v("3.0.0"));
        assert!(v("3.0.0-beta.9") < v("3.0.0-rc.0"));
        assert!(v("3.0.0-rc.2") < v("3.0.0-rc.10"));
        assert!(v("3.0.0-1") < v("3.0.0-a"));
        assert!(Version::any_candidate(3, 0, 0) < v("3.0.0-alpha"));
    }
}
