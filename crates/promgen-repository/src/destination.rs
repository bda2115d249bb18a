//! The clusters that Flux and Argo CD apply to.

/// The cluster that something is applied to, as far as the input says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DestinationCluster {
    /// The server or the name that is the destination of an Argo CD Application, or what holds the configuration of the cluster
    /// for a Flux Kustomization.
    Named(String),
    /// That of the Flux Kustomization which applies all others: the file that has it.
    Flux(String),
}

impl DestinationCluster {
    /// The cluster if it is certain which one it is: it is named, and Flux' folders do, `clusters/NAME`.
    pub(crate) fn certain(&self) -> Option<Self> {
        let Self::Flux(file) = self else { return Some(self.clone()) };
        let (folders, _) = file.rsplit_once('/')?;
        let mut parts = folders.split('/');
        parts.find(|part| ["cluster", "clusters"].contains(part))?;
        parts.next().map(|name| Self::Flux(name.to_owned()))
    }

    /// The folder that holds what a cluster gets, `clusters/NAME`, if Flux' folders are laid out so.
    pub(crate) fn folder(&self) -> Option<&str> {
        const CLUSTERS: &str = "clusters/";
        let Self::Flux(file) = self else { return None };
        let at = file.match_indices(CLUSTERS).find(|(at, _)| *at == 0 || file[..*at].ends_with('/'))?.0;
        let end = file[at + CLUSTERS.len()..].find('/')?;
        Some(&file[..at + CLUSTERS.len() + end])
    }
}

/// Returns whether two clusters are not the same for certain.
pub(crate) fn are_apart(a: &Option<DestinationCluster>, b: &Option<DestinationCluster>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}
