//! Commands that answer a question about targets and alerts.

pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod jobless;
pub(crate) mod overview;
pub(crate) mod population;
pub(crate) mod prove;
pub(crate) mod route;
pub(crate) mod shards;
pub(crate) mod simulate;
pub(crate) mod trace;
pub(crate) mod traced;
pub(crate) mod which;
