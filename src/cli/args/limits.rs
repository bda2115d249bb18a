//! `--raise-limit`.

use clap::Args;

use promgen_text::limits::{Limit, Limits, parse};

/// The limits that the user sets.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Set a limit of promgen for input that is trusted: build-bytes=1GiB; `promgen explain limits` lists all
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse)]
    raise_limit: Vec<(Limit, u64)>,
}

impl LimitArgs {
    /// The usual limits, with those that the user sets.
    pub(crate) fn limits(&self) -> Limits {
        self.over(Limits::default())
    }

    /// The limits, with those that the user sets.
    pub(crate) fn over(&self, limits: Limits) -> Limits {
        self.raise_limit
            .iter()
            .fold(limits, |limits, (limit, value)| limits.with(*limit, *value))
    }
}
