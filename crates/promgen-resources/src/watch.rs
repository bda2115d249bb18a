//! The scope that the operator watches: the namespaces and the labels of its flags.

use crate::api::Kind;

/// Declares flags of the operator, each with its name.
macro_rules! flags {
    ($(#[$meta:meta])* pub enum $of:ident { $($(#[$doc:meta])* $flag:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $of { $($(#[$doc])* $flag,)+ }

        impl $of {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$flag),+];

            /// Its name, without dashes in front.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$flag => $name,)+ }
            }
        }
    };
}
pub(crate) use flags;

flags! {
    /// A flag of the operator that lists namespaces.
    pub enum WatchFlag {
        /// Everything, unless another flag says otherwise.
        Namespaces = "namespaces",
        /// The namespaces that are left out.
        Denied = "deny-namespaces",
        /// Servers and agents.
        Prometheuses = "prometheus-instance-namespaces",
        /// Alertmanagers.
        Alertmanagers = "alertmanager-instance-namespaces",
        /// Thanos Rulers.
        ThanosRulers = "thanos-ruler-instance-namespaces",
        /// AlertmanagerConfigs.
        AlertmanagerConfigs = "alertmanager-config-namespaces",
    }
}

impl WatchFlag {
    /// The flag that is for a kind alone, if there is one.
    const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Prometheus | Kind::PrometheusAgent => Some(Self::Prometheuses),
            Kind::Alertmanager => Some(Self::Alertmanagers),
            Kind::ThanosRuler => Some(Self::ThanosRulers),
            Kind::AlertmanagerConfig => Some(Self::AlertmanagerConfigs),
            _ => None,
        }
    }
}

/// The namespaces that the operator watches: all, unless flags say otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    flags: Vec<(WatchFlag, Vec<String>)>,
    selectors: Vec<(InstanceFlag, String)>,
}

flags! {
    /// A flag of the operator that selects the workloads which it watches by their labels.
    pub enum InstanceFlag {
        /// Servers and agents.
        Prometheuses = "prometheus-instance-selector",
        /// Alertmanagers.
        Alertmanagers = "alertmanager-instance-selector",
        /// Thanos Rulers.
        ThanosRulers = "thanos-ruler-instance-selector",
    }
}

impl InstanceFlag {
    /// The flag for a kind, if there is one.
    const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Prometheus | Kind::PrometheusAgent => Some(Self::Prometheuses),
            Kind::Alertmanager => Some(Self::Alertmanagers),
            Kind::ThanosRuler => Some(Self::ThanosRulers),
            _ => None,
        }
    }
}

impl Watch {
    /// Sets a flag: names between commas. Without any name it is as if it was not set.
    pub fn set(&mut self, flag: WatchFlag, names: &str) {
        let names: Vec<String> = names
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(str::to_owned)
            .collect();
        self.flags.retain(|(other, _)| *other != flag);
        if !names.is_empty() {
            self.flags.push((flag, names));
        }
    }

    /// Sets a selector of labels. Without any text it is as if it was not set.
    pub fn select(&mut self, flag: InstanceFlag, selector: &str) {
        self.selectors.retain(|(other, _)| *other != flag);
        if !selector.trim().is_empty() {
            self.selectors.push((flag, selector.to_owned()));
        }
    }

    /// The flag that selects workloads of a kind by their labels, and its selector.
    #[must_use]
    pub fn selector(&self, kind: Kind) -> Option<(InstanceFlag, &str)> {
        let flag = InstanceFlag::of(kind)?;
        self.selectors
            .iter()
            .find(|(set, _)| *set == flag)
            .map(|(flag, selector)| (*flag, selector.as_str()))
    }

    /// Takes the flags of another over its own.
    #[must_use]
    pub fn over(&self, mut below: Self) -> Self {
        for (flag, selector) in &self.selectors {
            below.select(*flag, selector);
        }
        for (flag, names) in &self.flags {
            below.set(*flag, &names.join(","));
        }
        below
    }

    /// The namespaces that the operator watches for objects of a kind. `None`: all of them.
    #[must_use]
    pub fn watched(&self, kind: Kind) -> Option<&[String]> {
        self.allowed(kind).map(|(_, names)| names)
    }

    /// The flag because of which objects of a kind in a namespace are not watched, if they are not.
    #[must_use]
    pub fn ignored_by(&self, kind: Kind, namespace: &str) -> Option<WatchFlag> {
        let has = |names: &[String]| names.iter().any(|name| name == namespace);
        let (flag, _) = match self.allowed(kind) {
            Some(allowed) => Some(allowed).filter(|(_, names)| !has(names))?,
            None => self
                .list(WatchFlag::Denied)
                .filter(|(_, names)| has(names))?,
        };
        Some(flag)
    }

    fn allowed(&self, kind: Kind) -> Option<(WatchFlag, &[String])> {
        let own = WatchFlag::of(kind).and_then(|flag| self.list(flag));
        own.or_else(|| self.list(WatchFlag::Namespaces))
    }

    fn list(&self, flag: WatchFlag) -> Option<(WatchFlag, &[String])> {
        let set = self.flags.iter().find(|(set, _)| *set == flag)?;
        Some((flag, &set.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_of_a_kind_goes_before_that_of_all() {
        let mut watch = Watch::default();
        assert_eq!(watch.ignored_by(Kind::Probe, "a"), None);
        watch.set(WatchFlag::Denied, "c");
        assert_eq!(watch.ignored_by(Kind::Probe, "c"), Some(WatchFlag::Denied));
        watch.set(WatchFlag::Namespaces, "a, b");
        assert_eq!(watch.ignored_by(Kind::Probe, "a"), None);
        assert_eq!(
            watch.ignored_by(Kind::Probe, "c"),
            Some(WatchFlag::Namespaces)
        );
        watch.set(WatchFlag::Prometheuses, "m");
        assert_eq!(
            watch.ignored_by(Kind::Prometheus, "a"),
            Some(WatchFlag::Prometheuses)
        );
        assert_eq!(watch.ignored_by(Kind::PrometheusAgent, "m"), None);
        watch.set(WatchFlag::Namespaces, "");
        assert_eq!(watch.ignored_by(Kind::Probe, "a"), None);
    }
}
