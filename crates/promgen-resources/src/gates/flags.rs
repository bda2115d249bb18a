//! The flags of the operator that shape the pods it writes, besides its feature gates and default versions.

use crate::facts;
use crate::watch::flags;

flags! {
    /// A flag of the operator that takes one value.
    pub enum OperatorFlag {
        /// The processor time that a config reloader requests.
        ReloaderCpuRequest = "config-reloader-cpu-request",
        /// The processor time that a config reloader may take.
        ReloaderCpuLimit = "config-reloader-cpu-limit",
        /// The memory that a config reloader requests.
        ReloaderMemoryRequest = "config-reloader-memory-request",
        /// The memory that a config reloader may take.
        ReloaderMemoryLimit = "config-reloader-memory-limit",
        /// The host by which the containers of a pod reach each other.
        Localhost = "localhost",
        /// The domain of the cluster, for the full names of Alertmanager's peers.
        ClusterDomain = "cluster-domain",
    }
}

impl OperatorFlag {
    /// Its default.
    fn default(self) -> &'static str {
        match facts::newest("flag", self.name()) {
            "\"\"" => "",
            value => value,
        }
    }
}

/// The values of these flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorFlags {
    set: Vec<(OperatorFlag, String)>,
}

impl OperatorFlags {
    /// Sets a flag.
    pub fn set(&mut self, flag: OperatorFlag, value: &str) {
        self.set.retain(|(other, _)| *other != flag);
        self.set.push((flag, value.to_owned()));
    }

    /// Takes these values over others.
    #[must_use]
    pub fn over(&self, mut below: Self) -> Self {
        for (flag, value) in &self.set {
            below.set(*flag, value);
        }
        below
    }

    /// The value of a flag, or its default.
    #[must_use]
    pub fn get(&self, flag: OperatorFlag) -> &str {
        let set = self.set.iter().find(|(other, _)| *other == flag);
        set.map_or(flag.default(), |(_, value)| value)
    }
}
