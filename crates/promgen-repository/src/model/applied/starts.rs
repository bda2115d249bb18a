//! Where that begins which applies a build, and the cluster that it is applied to.

use std::collections::BTreeSet;

use promgen_text::source::Sources;

use super::{Applied, ApplierHome, Appliers, is_of_flux};
use crate::destination::DestinationCluster;
use crate::model::{Build, BuildStart};
use crate::path::{self, is_within};

impl Appliers {
    /// The cluster that a build is applied to: that of the Flux Kustomization which applies all others. `None` if there may be
    /// several.
    pub(super) fn cluster(&self, build: &Build) -> Option<DestinationCluster> {
        let mut first: Option<&Applied> = None;
        for (_, applied) in self.chain(&build.folder, build.way) {
            // What stands beside an applier is for the same cluster.
            if first.is_some_and(|below| below.home == applied.home) {
                break;
            }
            if applied.is_in_several {
                return None;
            }
            if let Some(cluster) = &applied.cluster {
                return Some(DestinationCluster::Named(cluster.clone()));
            }
            first = Some(applied);
        }
        first.map(|first| DestinationCluster::Flux(first.home.file.clone()))
    }

    /// Where that begins which applies a build.
    pub(super) fn start(&self, build: &Build) -> Option<BuildStart> {
        let (path, applied) = self.chain(&build.folder, build.way).last()?;
        Some(BuildStart {
            path: path.to_owned(),
            home: path::folder(&applied.home.file).to_owned(),
            applier: applied.applier.clone(),
            is_shared: applied.is_in_several,
        })
    }

    /// What applies a folder in a way, what applies that, and so on. Of an applier in several files, nobody knows which one counts.
    /// And appliers may apply each other, or themselves.
    fn chain<'a>(
        &'a self,
        folder: &str,
        way: usize,
    ) -> impl Iterator<Item = (&'a str, &'a Applied)> {
        let mut passed: BTreeSet<(&str, usize)> = BTreeSet::new();
        let of = |folder: &str, way| Some((way, self.of(folder, way)?));
        let above = move |(way, (path, applied)): &(usize, (&'a str, &'a Applied))| {
            let goes_on = passed.insert((*path, *way)) && !applied.is_in_several;
            of(path::folder(&applied.home.file), applied.home.way).filter(|_| goes_on)
        };
        std::iter::successors(of(folder, way), above).map(|(_, of)| of)
    }

    /// Returns whether an applier may be applied by hand, although the kustomization of a folder around it does not list it: what
    /// applies that folder begins with the applier, or with another one beside it.
    pub(in crate::model) fn may_begin_in(&self, folder: &str, home: &ApplierHome) -> bool {
        (0..self.n_ways(folder)).any(|way| {
            let mut chain = self.chain(folder, way).map(|(_, applied)| applied);
            let first = chain.next();
            let is_beside = |of: &Applied| {
                is_within(folder, &of.home.file) && first.is_none_or(|f| f.home != of.home)
            };
            let may_be = |of: &Applied| of.is_in_several || of.home.file == home.file;
            first.is_some_and(may_be) || chain.any(|of| may_be(of) || is_beside(of))
        })
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
