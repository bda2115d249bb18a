//! The clusters that Flux and Argo CD apply to.

use crate::path::{base_name, folder};

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
    /// The cluster if it is certain which one it is: it is named, and Flux' folders are, `clusters/NAME`.
    pub(crate) fn certain(&self) -> Option<Self> {
        match self {
            Self::Named(_) => Some(self.clone()),
            Self::Flux(_) => self.folder().map(|folder| Self::Flux(folder.to_owned())),
        }
    }

    /// What stands for all that is in the folder of its file.
    pub(crate) fn beside(&self) -> Self {
        match self {
            Self::Flux(file) => Self::Flux(folder(file).to_owned()),
            Self::Named(_) => self.clone(),
        }
    }

    /// Its name, or its server.
    pub(crate) fn into_name(self) -> Option<String> {
        match self {
            Self::Named(name) => Some(name),
            Self::Flux(_) => None,
        }
    }

    /// The folder that holds what a cluster gets, `clusters/NAME`, if Flux' folders are laid out so.
    pub(crate) fn folder(&self) -> Option<&str> {
        const CLUSTERS: &str = "clusters/";
        let Self::Flux(file) = self else { return None };
        let at = file
            .match_indices(CLUSTERS)
            .find(|(at, _)| *at == 0 || file[..*at].ends_with('/'))?
            .0;
        let end = file[at + CLUSTERS.len()..].find('/')?;
        Some(&file[..at + CLUSTERS.len() + end])
    }
}

/// Returns whether two clusters that are certain are not the same. Folders of one name below two parents may be of one cluster.
pub(crate) fn are_apart(a: &Option<DestinationCluster>, b: &Option<DestinationCluster>) -> bool {
    use DestinationCluster::Flux;
    match (a, b) {
        (Some(Flux(a)), Some(Flux(b))) => base_name(a) != base_name(b),
        (Some(a), Some(b)) => a != b,
        (None, _) | (_, None) => false,
    }
}
