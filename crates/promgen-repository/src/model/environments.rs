//! Builds that may share a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use promgen_resources::document::is_observed;
use promgen_text::hashed_map::HashedMap;
use promgen_text::source::FileId;
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

use super::facts::{DocumentFacts, ObjectKey, ObjectKeys, kind_and_name};
use super::{Build, BuildStart};
use crate::destination::{DestinationCluster, are_apart};
use promgen_text::CollectOrdered;

/// The number of environments from which on one sees only its own objects: test data, rather than clusters.
const MAX_SHARED: usize = 12;

/// Builds that hold no object in two forms, and the objects that no other build holds.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The folders of its builds.
    pub folders: Vec<String>,
    /// The objects, in the order of their places.
    pub documents: Vec<ParsedDocument>,
    /// Its builds.
    parts: Vec<EnvironmentBuild>,
    /// The files of builds that lack a part: the target of a reference may be in the missing part.
    pub partial: BTreeSet<FileId>,
    /// The newest release of the CustomResourceDefinitions that its charts of definitions install.
    pub definitions: Option<Version>,
    /// The arguments of each operator that its charts install.
    operators: Vec<Vec<String>>,
    /// The files of its own builds: findings about other files are those of another environment.
    pub files: BTreeSet<FileId>,
    /// The name or the server of its cluster, if something names it.
    pub cluster: Option<String>,
}

/// A build of an environment.
#[derive(Clone, Debug)]
struct EnvironmentBuild {
    folder: String,
    documents: Vec<ParsedDocument>,
    files: BTreeSet<FileId>,
    definitions: Option<Version>,
    start: Option<BuildStart>,
    operators: Vec<Vec<String>>,
}

/// The cost of an environment besides its objects, in objects.
const ENVIRONMENT: usize = 32;

/// How many objects of other environments cost as much as one of its own: nobody judges them.
const SEEN: usize = 8;

impl Environment {
    /// The cost of compiling it, in objects.
    #[must_use]
    pub fn cost(&self) -> u64 {
        let n_own: usize = self.parts.iter().map(|part| part.documents.len()).sum();
        (ENVIRONMENT + n_own + self.documents.len().saturating_sub(n_own) / SEEN) as u64
    }

    /// The folders that all begins with which is applied to it: the path of Flux or Argo CD, and the folder of what applies that.
    #[must_use]
    pub fn starts(&self) -> [Option<&str>; 2] {
        [
            self.only(|start| &start.path),
            self.only(|start| &start.home),
        ]
    }

    /// The name of what all begins with which is applied to it, if it is one thing.
    #[must_use]
    pub fn applier(&self) -> Option<&str> {
        self.only(|start| &start.applier)
    }

    /// What all that is applied has in common.
    fn only<'s>(&'s self, of: impl Fn(&'s BuildStart) -> &'s str) -> Option<&'s str> {
        let mut all = self.started().map(|(_, start)| of(start));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// What is applied, with where that begins: what no other cluster may share, if there is some.
    fn started(&self) -> impl Iterator<Item = (&EnvironmentBuild, &BuildStart)> {
        let all = self
            .parts
            .iter()
            .filter_map(|part| Some((part, part.start.as_ref()?)));
        let has_own = all.clone().any(|(_, start)| !start.is_shared);
        all.filter(move |(_, start)| !(has_own && start.is_shared))
    }

    /// The folders of its builds that Flux or Argo CD applies.
    pub fn applied_folders(&self) -> impl Iterator<Item = &str> {
        self.started().map(|(part, _)| part.folder.as_str())
    }

    /// The objects of its own builds.
    pub fn own_documents(&self) -> impl Iterator<Item = &ParsedDocument> {
        self.parts.iter().flat_map(|part| &part.documents)
    }

    /// The release of the operator that a chart among its objects installs, or else that of the CustomResourceDefinitions; of
    /// several, the newest.
    #[must_use]
    pub fn operator(&self) -> Option<&Version> {
        let releases = self
            .documents
            .iter()
            .filter_map(|document| document.origin.release());
        releases
            .filter_map(|release| release.operator.as_ref())
            .max()
            .or(self.definitions.as_ref())
    }

    /// The arguments of the operator that its charts install. `None` if there are several which differ: each watches objects of its
    /// own.
    #[must_use]
    pub fn operator_arguments(&self) -> Option<&[String]> {
        let (first, others) = self.operators.split_first()?;
        others
            .iter()
            .all(|other| other == first)
            .then_some(first.as_slice())
    }

    /// The environment with other forms of its objects.
    #[must_use]
    pub fn with(&self, form: impl FnMut(&ParsedDocument) -> ParsedDocument) -> Self {
        Self {
            documents: self.documents.iter().map(form).collect(),
            ..self.clone()
        }
    }

    /// The environment as several, each with the builds of some folders; those of no other folder are in the first. As in
    /// environments that differ, each sees the workloads of the others that it does not have itself.
    #[must_use]
    pub fn split(&self, groups: &[BTreeSet<String>]) -> Vec<Self> {
        let home = |part: &EnvironmentBuild| {
            groups
                .iter()
                .position(|folders| folders.contains(&part.folder))
                .unwrap_or_default()
        };
        let one = |group: usize| {
            let (own, others): (Vec<_>, Vec<_>) =
                self.parts.iter().partition(|part| home(part) == group);
            let keys_of = |document: &ParsedDocument| ObjectKeys::of(&document.root);
            let documents = own.iter().flat_map(|part| part.documents.iter().cloned());
            let mut documents: Vec<ParsedDocument> = documents.collect();
            let keys: BTreeSet<ObjectKey> = documents
                .iter()
                .flat_map(|of| keys_of(of).0.clone())
                .collect_set();
            let seen = others
                .iter()
                .flat_map(|part| &part.documents)
                .filter(|document| {
                    let is_seen = DocumentFacts::of(&document.root).is_seen;
                    is_seen && !keys_of(document).0.iter().any(|key| keys.contains(key))
                });
            documents.extend(seen.cloned());
            documents.sort_by_key(|document| (document.span.file, document.span.start));
            let files: BTreeSet<FileId> = own
                .iter()
                .flat_map(|part| part.files.iter().copied())
                .collect_set();
            let definitions = own.iter().filter_map(|part| part.definitions.clone()).max();
            let operators = own
                .iter()
                .flat_map(|part| part.operators.iter().cloned())
                .collect();
            Self {
                folders: own.iter().map(|part| part.folder.clone()).collect(),
                documents,
                parts: own.into_iter().cloned().collect(),
                partial: self
                    .partial
                    .iter()
                    .filter(|file| files.contains(file))
                    .copied()
                    .collect_set(),
                definitions,
                operators,
                files,
                cluster: self.cluster.clone(),
            }
        };
        (0..groups.len()).map(one).collect()
    }
}

/// An object of a build: which build, and its number there.
type Holder = (usize, usize);

/// Puts builds together so that no two in an environment hold the same object in two forms. Builds whose folders are close
/// stay together.
pub(super) fn environments(builds: Vec<Build>) -> Vec<Environment> {
    let holders = if builds.len() > 1 {
        holders(&builds)
    } else {
        Vec::new()
    };
    let conflicts = conflicts(&builds, &holders);
    let (homes, clusters) = homes(&builds, &conflicts);
    let contested: BTreeSet<Holder> = conflicts.into_iter().flatten().copied().collect_set();
    let n_homes = homes.iter().max().map_or(0, |home| home + 1);
    let shares = n_homes > 1 && n_homes <= MAX_SHARED;
    // Where nothing is judged, nothing needs to be seen.
    let judged: BTreeSet<usize> = builds
        .iter()
        .zip(&homes)
        .filter(|(build, _)| build.has(|facts| facts.is_of_operator))
        .map(|(_, h)| *h)
        .collect_set();
    let mut environments = vec![Environment::default(); n_homes];
    let mut seen_by: Vec<Vec<ParsedDocument>> = vec![Vec::new(); n_homes];
    for (number, (build, home)) in builds.into_iter().zip(homes).enumerate() {
        let part = EnvironmentBuild {
            folder: build.folder.clone(),
            documents: build.documents.clone(),
            files: build.files.clone(),
            definitions: build.definitions.clone(),
            start: build.start,
            operators: build.operators.clone(),
        };
        let environment = &mut environments[home];
        environment.parts.push(part);
        // Builds come in the order of their folders.
        if environment.folders.last() != Some(&build.folder) {
            environment.folders.push(build.folder);
        }
        environment.files.extend(&build.files);
        environment.definitions = environment.definitions.take().max(build.definitions);
        environment.operators.extend(build.operators);
        if build.is_partial {
            environment.partial.extend(&build.files);
        }
        let cluster = build.cluster.as_ref().and_then(DestinationCluster::certain);
        // Nearly all environments have one build.
        if environment.documents.is_empty() {
            environment.documents.reserve_exact(build.documents.len());
        }
        for (index, document) in build.documents.into_iter().enumerate() {
            if shares
                && !contested.contains(&(number, index))
                && DocumentFacts::of(&document.root).is_seen
            {
                let is_other =
                    |other: &usize| *other != home && !are_apart(&clusters[*other], &cluster);
                let others = judged.iter().copied().filter(is_other);
                others.for_each(|other| seen_by[other].push(document.clone()));
            }
            environment.documents.push(document);
        }
    }
    for ((environment, seen), cluster) in environments.iter_mut().zip(seen_by).zip(clusters) {
        see(environment, seen);
        environment.cluster = cluster.and_then(DestinationCluster::into_name);
        environment
            .documents
            .sort_by_key(|document| (document.span.file, document.span.start));
    }
    environments
}

/// Adds what an environment sees of others. What makes pods and is its own, too, is not seen a second time.
fn see(environment: &mut Environment, seen: Vec<ParsedDocument>) {
    if seen.is_empty() {
        return;
    }
    let mut known: BTreeSet<[String; 3]> = environment
        .documents
        .iter()
        .filter_map(|of| pod_maker(&of.root))
        .collect_set();
    let new = seen
        .into_iter()
        .filter(|document| pod_maker(&document.root).is_none_or(|maker| known.insert(maker)));
    environment.documents.extend(new);
}

/// The kind, namespace and name of what makes pods.
fn pod_maker(root: &Node) -> Option<[String; 3]> {
    root.find(&["spec", "template"])?;
    Some(kind_and_name(root))
}

/// Returns whether those who are judged look at a document of another environment: workloads, and what monitors lead
/// to. What workloads select is judged at home.
pub(super) fn is_seen(root: &Node, keys: &[ObjectKey]) -> bool {
    const SELECTED: [&str; 6] = [
        "AlertmanagerConfig",
        "PodMonitor",
        "Probe",
        "PrometheusRule",
        "ScrapeConfig",
        "ServiceMonitor",
    ];
    let kind = root.text_of("kind").unwrap_or_default();
    !SELECTED.contains(&kind)
        && (kind == "Namespace" || root.find(&["spec", "template"]).is_some() || !keys.is_empty())
}

/// Who holds the objects that concern the operator, of each object that stands in several places.
fn holders(builds: &[Build]) -> Vec<Vec<Holder>> {
    let keys = |(number, build): (usize, &Build)| -> Vec<(Arc<ObjectKeys>, Holder)> {
        let documents = build.documents.iter().enumerate();
        documents
            .map(|(index, document)| (ObjectKeys::of(&document.root), (number, index)))
            .collect()
    };
    let keys: Vec<_> = builds.iter().enumerate().flat_map(keys).collect();
    let held = keys
        .iter()
        .flat_map(|(keys, holder)| keys.0.iter().map(|key| (key, *holder)));
    let mut first: HashedMap<&ObjectKey, Holder> = HashedMap::default();
    let mut several: BTreeMap<&ObjectKey, Vec<Holder>> = BTreeMap::new();
    for (key, holder) in held {
        match first.get(&key) {
            Some(first) => several
                .entry(key)
                .or_insert_with(|| vec![*first])
                .push(holder),
            None => {
                first.insert(key, holder);
            }
        }
    }
    several.into_values().collect()
}

/// The objects that two builds hold in two forms: each with all that hold it.
fn conflicts<'h>(builds: &[Build], holders: &'h [Vec<Holder>]) -> Vec<&'h [Holder]> {
    let node = |(build, index): &Holder| &builds[*build].documents[*index].root;
    let differ = |holders: &&[Holder]| {
        // What a cluster shows of an object is no other form of it.
        let mut wanted = holders.iter().filter(|holder| !is_observed(node(holder)));
        let Some(first) = wanted.next() else {
            return false;
        };
        // In one cluster, one overwrites the other.
        let is_alternative = |other: &&Holder| {
            other.0 != first.0 && !share_cluster(&builds[other.0], &builds[first.0])
        };
        let mut others = wanted.filter(is_alternative).peekable();
        others.peek().is_some() && {
            let data = node(first).to_value();
            others.any(|other| node(other).to_value() != data)
        }
    };
    holders.iter().map(Vec::as_slice).filter(differ).collect()
}

/// Returns whether two builds are applied to one cluster.
fn share_cluster(a: &Build, b: &Build) -> bool {
    let folder = |build: &Build| {
        build
            .cluster
            .as_ref()
            .and_then(DestinationCluster::folder)
            .map(str::to_owned)
    };
    a.cluster.is_some() && (a.cluster == b.cluster || folder(a).is_some() && folder(a) == folder(b))
}

/// The environment of each build: that of what is applied together with it, or of those without a conflict and for the same cluster
/// the one that holds the closest folder. And the cluster of each environment, as far as it is certain.
fn homes(
    builds: &[Build],
    conflicts: &[&[Holder]],
) -> (Vec<usize>, Vec<Option<DestinationCluster>>) {
    let units = units(builds, conflicts);
    let mut contested: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); builds.len()];
    let mut of_unit: BTreeMap<&DestinationCluster, BTreeSet<usize>> = BTreeMap::new();
    for (number, holders) in conflicts.iter().enumerate() {
        for (build, _) in *holders {
            contested[*build].insert(number);
            if let Some(unit) = &units[*build] {
                of_unit.entry(unit).or_default().insert(number);
            }
        }
    }
    let mut taken: Vec<BTreeSet<usize>> = Vec::new();
    let mut members: Vec<BTreeSet<usize>> = Vec::new();
    let mut clusters: Vec<Option<DestinationCluster>> = Vec::new();
    let mut known: BTreeMap<&DestinationCluster, usize> = BTreeMap::new();
    let mut homes = vec![0; builds.len()];
    // What is applied together comes first: the rest goes where it contradicts nothing.
    let (together, others): (Vec<usize>, Vec<usize>) =
        (0..builds.len()).partition(|number| units[*number].is_some());
    for number in together.into_iter().chain(others) {
        let (build, unit) = (&builds[number], units[number].as_ref());
        let cluster = build.cluster.as_ref().and_then(DestinationCluster::certain);
        let contested = unit
            .and_then(|unit| of_unit.get(unit))
            .unwrap_or(&contested[number]);
        let closeness = |home: usize| {
            // Builds come in the order of their folders: the close ones are beside it.
            let beside = members[home]
                .range(..number)
                .rev()
                .take(8)
                .chain(members[home].range(number..).take(8));
            beside
                .map(|member| common(&builds[*member].folder, &build.folder))
                .max()
                .unwrap_or_default()
        };
        let is_free = |home: &usize| {
            taken[*home].is_disjoint(contested) && !are_apart(&clusters[*home], &cluster)
        };
        let closest = || {
            (0..taken.len())
                .filter(is_free)
                .rev()
                .max_by_key(|home| closeness(*home))
        };
        let own = unit.and_then(|unit| known.get(unit).copied());
        let home = own.or_else(closest).unwrap_or(taken.len());
        if home == taken.len() {
            taken.push(BTreeSet::new());
            members.push(BTreeSet::new());
            clusters.push(None);
        }
        clusters[home] = clusters[home].take().or(cluster);
        taken[home].extend(contested);
        members[home].insert(number);
        known.extend(unit.map(|unit| (unit, home)));
        homes[number] = home;
    }
    in_order(&homes, &clusters)
}

/// What is applied together with each build: to the same cluster, or by what stands in the same folder as long as no two of its
/// builds are alternatives.
fn units(builds: &[Build], conflicts: &[&[Holder]]) -> Vec<Option<DestinationCluster>> {
    let unit = |build: &Build| {
        let cluster = build.cluster.as_ref()?;
        Some(cluster.certain().unwrap_or_else(|| cluster.beside()))
    };
    let mut units: Vec<Option<DestinationCluster>> = builds.iter().map(unit).collect();
    let mut divided: BTreeSet<DestinationCluster> = BTreeSet::new();
    for holders in conflicts {
        let mut first: BTreeMap<&DestinationCluster, usize> = BTreeMap::new();
        for (build, _) in *holders {
            let Some(unit) = &units[*build] else { continue };
            let other = *first.entry(unit).or_insert(*build);
            if other != *build && !share_cluster(&builds[other], &builds[*build]) {
                divided.insert(unit.clone());
            }
        }
    }
    units
        .iter_mut()
        .for_each(|unit| *unit = unit.take().filter(|unit| !divided.contains(unit)));
    units
}

/// The same with the numbers of environments in the order of their first builds.
fn in_order<C: Clone>(homes: &[usize], clusters: &[C]) -> (Vec<usize>, Vec<C>) {
    let (mut numbers, mut ordered) = (BTreeMap::new(), Vec::with_capacity(clusters.len()));
    let number = |home: &usize| {
        *numbers.entry(*home).or_insert_with(|| {
            ordered.push(clusters[*home].clone());
            ordered.len() - 1
        })
    };
    (homes.iter().map(number).collect(), ordered)
}

/// The number of folders that two paths begin with.
fn common(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::yaml::read::read;

    /// The environments of builds: the folders and names of objects of each.
    fn split(builds: &[(&str, &str)]) -> Vec<(Vec<String>, Vec<String>)> {
        let object = |(name, data): (&str, &str)| {
            format!(
                "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: {name}}}, spec: {{k: {data}}}}}\n---\n"
            )
        };
        let text = |names: &str| -> String {
            names
                .split(' ')
                .map(|name| object(name.split_once('=').unwrap_or((name, "x"))))
                .collect()
        };
        let texts: Vec<String> = builds.iter().map(|(_, names)| text(names)).collect();
        let new = |(number, (folder, _)): (usize, &(&str, &str))| {
            let file = FileId::new(u32::try_from(number).unwrap());
            let documents = read(file, &texts[number], &mut Sink::default());
            Build {
                documents,
                files: BTreeSet::from([file]),
                ..Build::new(folder)
            }
        };
        let builds = builds.iter().enumerate().map(new).collect();
        let name = |document: &ParsedDocument| {
            document
                .root
                .text_at(&["metadata", "name"])
                .unwrap()
                .to_owned()
        };
        let of = |environment: Environment| {
            (
                environment.folders,
                environment.documents.iter().map(name).collect(),
            )
        };
        environments(builds).into_iter().map(of).collect()
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn builds_without_a_conflict_share_a_cluster() {
        assert_eq!(
            split(&[("a", "x"), ("b", "x q")]),
            [(texts(&["a", "b"]), texts(&["x", "x", "q"]))]
        );
    }

    #[test]
    fn what_several_clusters_share_lends_no_name() {
        let part = |folder: &str, path: &str, is_shared| EnvironmentBuild {
            folder: folder.to_owned(),
            documents: Vec::new(),
            files: BTreeSet::new(),
            definitions: None,
            start: Some(BuildStart {
                path: path.to_owned(),
                home: "flux".to_owned(),
                applier: path.to_owned(),
                is_shared,
            }),
            operators: Vec::new(),
        };
        let of = |parts: Vec<EnvironmentBuild>| Environment {
            parts,
            ..Environment::default()
        };
        let own = || part("main/apps/x", "main/apps", false);
        let both = of(vec![part("repos", "repos", true), own()]);
        assert_eq!(both.starts()[0], Some("main/apps"));
        assert_eq!(both.applied_folders().collect::<Vec<_>>(), ["main/apps/x"]);
        let shared = of(vec![part("repos", "repos", true)]);
        assert_eq!(shared.starts()[0], Some("repos"));
        let other = of(vec![part("repos", "repos", false), own()]);
        assert_eq!(other.starts()[0], None);
    }

    #[test]
    fn the_same_object_in_two_forms_makes_alternatives() {
        let builds = [
            ("prod/a", "x=1 u"),
            ("prod/b", "q=1"),
            ("stage/a", "x=2"),
            ("stage/b", "q=2 v"),
            ("z", "w"),
        ];
        let expected = [
            (
                texts(&["prod/a", "prod/b", "z"]),
                texts(&["x", "u", "q", "v", "w"]),
            ),
            (
                texts(&["stage/a", "stage/b"]),
                texts(&["u", "x", "q", "v", "w"]),
            ),
        ];
        assert_eq!(split(&builds), expected);
    }
}
