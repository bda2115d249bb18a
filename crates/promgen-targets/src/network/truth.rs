//! Three values.

/// Yes, no, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    Yes,
    /// It does not hold.
    No,
    /// The input leaves it open.
    Unknown,
}

impl From<bool> for Truth {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

impl Truth {
    /// Returns whether all hold.
    pub fn all(values: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::Yes;
        for value in values {
            match value {
                Self::Yes => {}
                Self::No => return Self::No,
                Self::Unknown => all = Self::Unknown,
            }
        }
        all
    }

    /// Returns whether it does not hold.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    /// Returns whether any holds.
    pub fn any(values: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Self::No;
        for value in values {
            match value {
                Self::Yes => return Self::Yes,
                Self::No => {}
                Self::Unknown => any = Self::Unknown,
            }
        }
        any
    }

    /// Returns whether both hold; the second is asked only if the first may.
    pub fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes | Self::Unknown => Self::all([self, other()]),
        }
    }
}
