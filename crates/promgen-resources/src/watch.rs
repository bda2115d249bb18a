//! The scope that the operator watches: the namespaces and the labels of its flags.

use crate::api::Kind;

/// A flag of the operator that lists namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WatchFlag {
    /// Everything, unless another flag says otherwise.
    Namespaces,
    /// The namespaces that are left out.
    Denied,
    /// Servers and agents.
    Prometheuses,
    /// Alertmanagers.
    Alertmanagers,
    /// Thanos Rulers.
    ThanosRulers,
    /// AlertmanagerConfigs.
    AlertmanagerConfigs,
}

impl WatchFlag {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Namespaces,
        Self::Denied,
        Self::Prometheuses,
        Self::Alertmanagers,
        Self::ThanosRulers,
        Self::AlertmanagerConfigs,
    ];

    /// The flag, as the operator calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Denied => "deny-namespaces",
            Self::Prometheuses => "prometheus-instance-namespaces",
            Self::Alertmanagers => "alertmanager-instance-namespaces",
            Self::ThanosRulers => "thanos-ruler-instance-namespaces",
            Self::AlertmanagerConfigs => "alertmanager-config-namespaces",
        }
    }

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

/// A flag of the operator that selects the workloads which it watches by their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceFlag {
    /// Servers and agents.
    Prometheuses,
    /// Alertmanagers.
    Alertmanagers,
    /// Thanos Rulers.
    ThanosRulers,
}

impl InstanceFlag {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Prometheuses, Self::Alertmanagers, Self::ThanosRulers];

    /// The flag, as the operator calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prometheuses => "prometheus-instance-selector",
            Self::Alertmanagers => "alertmanager-instance-selector",
            Self::ThanosRulers => "thanos-ruler-instance-selector",
        }
    }

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
        let lists = |flag| {
            self.flags
                .iter()
                .find(|(set, _)| *set == flag)
                .map(|(_, names)| &**names)
        };
        WatchFlag::of(kind)
            .and_then(lists)
            .or_else(|| lists(WatchFlag::Namespaces))
    }

    /// The flag because of which objects of a kind in a namespace are not watched, if they are not.
    #[must_use]
    pub fn ignored_by(&self, kind: Kind, namespace: &str) -> Option<WatchFlag> {
        let lists = |flag| {
            self.flags
                .iter()
                .find(|(set, _)| *set == flag)
                .map(|(_, names)| (flag, names))
        };
        let allowed = WatchFlag::of(kind)
            .and_then(lists)
            .or_else(|| lists(WatchFlag::Namespaces));
        let has = |names: &[String]| names.iter().any(|name| name == namespace);
        match allowed {
            Some((flag, names)) => (!has(names)).then_some(flag),
            None => lists(WatchFlag::Denied)
                .filter(|(_, names)| has(names))
                .map(|(flag, _)| flag),
        }
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
