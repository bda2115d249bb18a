//! Where that begins which applies a build, and the cluster that it is applied to.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::Sources;

use super::{ApplierHome, Appliers, is_of_flux};
use crate::destination::DestinationCluster;
use crate::model::{Build, BuildStart};
use crate::path;

/// The clusters of appliers, by their paths and ways.
type KnownClusters<'a> = BTreeMap<(&'a str, usize), Option<DestinationCluster>>;

impl Appliers {
    /// The cluster that a build is applied to: that of the Flux Kustomization which applies all others. `None` if there may be
    /// several. `known` are those of appliers that were asked for.
    pub(super) fn cluster<'a>(
        &'a self,
        build: &Build,
        known: &mut KnownClusters<'a>,
    ) -> Option<DestinationCluster> {
        let mut passed: BTreeSet<(&str, usize)> = BTreeSet::new();
        let mut way = build.way;
        let mut next = self.of(&build.folder, way);
        let cluster = loop {
            let (path, applied) = next?;
            if let Some(known) = known.get(&(path, way)) {
                break known.clone();
            }
            // Appliers may apply each other.
            let is_circle = !passed.insert((path, way));
            if applied.is_in_several {
                break None;
            }
            if let Some(cluster) = &applied.cluster {
                break Some(DestinationCluster::Named(cluster.clone()));
            }
            let ApplierHome { file, way: of_home } = &applied.home;
            let above = self
                .of(path::folder(file), *of_home)
                .filter(|(_, above)| above.home != applied.home);
            if above.is_none() || is_circle {
                break Some(DestinationCluster::Flux(file.clone()));
            }
            (next, way) = (above, *of_home);
        };
        passed
            .into_iter()
            .for_each(|of| drop(known.insert(of, cluster.clone())));
        cluster
    }

    /// Where that begins which applies a build.
    pub(super) fn start(&self, build: &Build) -> Option<BuildStart> {
        let mut passed: BTreeSet<(&str, usize)> = BTreeSet::new();
        let (mut way, mut last) = (build.way, self.of(&build.folder, build.way)?);
        loop {
            let (path, applied) = last;
            let ApplierHome { file, way: of_home } = &applied.home;
            // Of an applier in several files, nobody knows which one counts. And appliers may apply each other, or themselves.
            let goes_on = passed.insert((path, way)) && !applied.is_in_several;
            match self.of(path::folder(file), *of_home).filter(|_| goes_on) {
                Some(above) => (last, way) = (above, *of_home),
                None => {
                    let (home, applier) = (path::folder(file).to_owned(), applied.applier.clone());
                    return Some(BuildStart {
                        path: path.to_owned(),
                        home,
                        applier,
                        is_shared: applied.is_in_several,
                    });
                }
            }
        }
    }

    /// The cluster of a build that nothing applies, and that applies others: it is the first one of its cluster.
    pub(super) fn own_cluster(
        &self,
        build: &Build,
        sources: &Sources,
    ) -> Option<DestinationCluster> {
        if self.ways(&build.folder).is_some() {
            return None;
        }
        let applier = build
            .documents
            .iter()
            .find(|document| is_of_flux(&document.root))?;
        let cluster = DestinationCluster::Flux(ApplierHome::of(applier, Some(build), sources).file);
        cluster.folder().is_some().then_some(cluster)
    }
}
