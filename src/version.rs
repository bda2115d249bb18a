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
        Self { major, minor, patch, pre: Cow::Borrowed(&[]) }
    }

    /// The first release candidate, `major.minor.patch-rc.0`.
    #[must_use]
    pub const fn first_candidate(major: u64, minor: u64, patch: u64) -> Self {
        const RC_0: &[Identifier] = &[Identifier::Text(Cow::Borrowed("rc")), Identifier::Number(0)];
        Self { major, minor, patch, pre: Cow::Borrowed(RC_0) }
    }

    /// Parses tolerantly; `None` for what is no version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let cut = text.find(['-', '+']).unwrap_or(text.len());
        let (numbers, rest) = text.split_at(cut);
        let mut parts = numbers.split('.').map(number);
        let version = [parts.next()??, parts.next().unwrap_or(Some(0))?, parts.next().unwrap_or(Some(0))?];
        if parts.next().is_some() {
            return None;
        }
        let rest = rest.split('+').next().unwrap_or_default();
        let pre = match rest.strip_prefix('-') {
            Some(pre) => pre.split('.').map(Identifier::parse).collect::<Option<Vec<_>>>()?,
            None => Vec::new(),
        };
        Some(Self { pre: pre.into(), ..Self::new(version[0], version[1], version[2]) })
    }
}

fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

impl Identifier {
    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return None;
        }
        Some(number(text).map_or_else(|| Self::Text(Cow::Owned(text.to_owned())), Self::Number))
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
        numbers(self).cmp(&numbers(other)).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
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
        for bad in ["", "v", "a.b", "1.2.3.4", "1..2", "1.2.3-", "-1"] {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn pre_releases_are_below_the_release() {
        assert!(v("3.0.0-rc.0") < v("3.0.0"));
        assert!(v("3.0.0-beta.9") < v("3.0.0-rc.0"));
        assert!(v("3.0.0-rc.2") < v("3.0.0-rc.10"));
        assert!(v("3.0.0-1") < v("3.0.0-a"));
    }
}
