//! The kustomizations of a run: which include which, and what they make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::limits::{Excess, Limit};
use promgen_text::origin::DocumentOrigin;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::{ParsedDocument, read};

use super::Build;
use super::applied::{Appliers, is_path};
use super::artifact::ArtifactPatterns;
use super::facts::DocumentFacts;
use super::unapplied::UnappliedFiles;
use crate::charts::{ReleaseObjects, UnreadCharts, is_inflated};
use crate::kustomize::budget::{self, Budget, BuildGap, PatchUse, Spent, own_weight};
use crate::kustomize::build::{BuildPlan, build_within};
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::gather::PathReference;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::store::{Store, StoredFile};
use crate::layout::with_lines;
use crate::path::{base_name, child, folder as folder_of, is_remote, is_within, join};
use crate::rules::IDLE_PATCH;
use promgen_text::CollectOrdered;

/// The references of one kustomization.
#[derive(Debug, Default)]
struct KustomizationLinks {
    is_component: bool,
    /// The charts that it inflates, of which any may concern the operator.
    charts: Vec<Node>,
    /// The folders that it includes.
    folders: Vec<String>,
    /// The files of objects that it includes.
    resources: Vec<FileId>,
    /// All files that it names, and its own.
    files: BTreeSet<FileId>,
}

/// The objects of all kustomizations.
pub(super) struct Built {
    pub(super) builds: Vec<Build>,
    /// The files that belong to kustomizations, and so are no objects by themselves.
    pub(super) used: BTreeSet<FileId>,
    /// The files of kustomizations that are not built.
    pub(super) partial: BTreeSet<FileId>,
    /// The folders of all kustomizations that appliers build and promgen builds, too, as a whole.
    pub(super) applied: BTreeSet<String>,
    /// The costs of the builds.
    pub(super) spent: Spent,
    /// The part of them that is not built.
    faults: Vec<FoundFault>,
    /// The objects that the patches of each build select.
    patches: Vec<PatchUse>,
}

/// What is not built.
struct FoundFault {
    /// The folder of the build.
    root: String,
    /// The kustomization that is at fault.
    folder: String,
    fault: BuildFault,
}

/// The result of a build, with what was left out, if the folder has a kustomization.
type PlannedBuild = Option<BuildResult<(Build, Vec<BuildGap>, Vec<PatchUse>)>>;

/// Results that are known of each folder, with the plan and the costs of each.
pub(super) type KnownResults = BTreeMap<String, Vec<(BuildFields, PlannedBuild, Spent)>>;

/// A plan that is kept: whether it is unrestricted, and the fields that it adds.
pub(super) type BuildFields = (bool, Option<Node>);

/// The number of kustomizations that are built at the same time.
pub(super) const AT_ONCE: usize = 4;

/// All kustomizations.
#[derive(Debug)]
pub(super) struct Kustomizations<'k, 's> {
    pub(super) store: &'k Store<'s>,
    links: BTreeMap<String, KustomizationLinks>,
    /// The folders that the user asks for.
    asked: &'k [String],
    /// What Flux leaves out, by the appliers of the last build.
    pub(super) patterns: ArtifactPatterns,
}

impl<'k, 's> Kustomizations<'k, 's> {
    /// Reads those in the folders that the user asks for, and all that they include.
    pub(super) fn read(store: &'k Store<'s>, asked: &'k [String]) -> Self {
        let mut kustomizations = Self {
            store,
            links: BTreeMap::new(),
            asked,
            patterns: ArtifactPatterns::default(),
        };
        let mut todo: Vec<String> = kustomizations.tops().map(str::to_owned).collect();
        while let Some(folder) = todo.pop() {
            if !kustomizations.links.contains_key(&folder) {
                let links = kustomizations.links_of(&folder);
                todo.extend(links.folders.iter().cloned());
                kustomizations.links.insert(folder, links);
            }
        }
        kustomizations
    }

    fn links_of(&self, folder: &str) -> KustomizationLinks {
        let mut links = KustomizationLinks::default();
        for file in self.store.kustomizations(folder) {
            links.files.insert(file.id);
            self.follow(folder, self.store.references(file), &mut links);
        }
        if let Some(generated) = self.store.generated.get(folder) {
            self.follow(folder, &generated.references, &mut links);
        }
        if let Some(Ok(kustomization)) = Kustomization::load(self.store, folder) {
            links.is_component = kustomization.is_component;
            links.charts = ["helmCharts", "helmChartInflationGenerator"]
                .iter()
                .flat_map(|key| kustomization.items(key).iter().cloned())
                .collect();
        }
        links
    }

    fn follow(&self, folder: &str, references: &[PathReference], links: &mut KustomizationLinks) {
        for PathReference {
            path,
            may_be_folder,
            is_resource,
            ..
        } in references
        {
            if path.is_empty() || is_remote(path) {
                continue;
            }
            let path = join(folder, path);
            match self.store.file(&path) {
                Some(file) => {
                    links.files.insert(file.id);
                    links.resources.extend(is_resource.then_some(file.id));
                }
                None if *may_be_folder && self.store.is_folder(&path) => links.folders.push(path),
                None => {}
            }
        }
    }

    /// The plans of each kustomization that is asked for.
    pub(super) fn plans(&self, appliers: &Appliers) -> Vec<Vec<BuildFields>> {
        self.tops()
            .map(|folder| self.plans_of(folder, appliers))
            .collect()
    }

    /// The plan of a kustomization for each way in which it is applied.
    fn plans_of(&self, folder: &str, appliers: &Appliers) -> Vec<BuildFields> {
        let is_of_flux = self.resources(folder).any(|file| {
            file.documents()
                .is_ok_and(|roots| roots.iter().any(|root| DocumentFacts::of(root).is_of_flux))
        });
        let plan = |way| {
            let plan = appliers.plan(folder, way, is_of_flux);
            (
                plan.is_unrestricted || self.store.is_unrestricted,
                plan.fields.cloned(),
            )
        };
        (0..appliers.n_ways(folder)).map(plan).collect()
    }

    /// The folders that the user asks for, and those that Flux applies.
    fn tops(&self) -> impl Iterator<Item = &str> {
        self.asked
            .iter()
            .chain(self.store.generated.keys())
            .map(String::as_str)
    }

    /// The charts that kustomizations inflate, and promgen does not.
    pub(super) fn add_unread(&self, unread: &mut UnreadCharts) {
        if !unread.is_asked {
            let charts = self.links.values().flat_map(|links| &links.charts);
            charts.for_each(|chart| unread.add(chart, is_inflated(chart)));
        }
    }

    /// Builds those that no other includes; of one that cannot be built, those that it includes. `known` has results of
    /// earlier builds, and gets those of this one.
    pub(super) fn build(&mut self, appliers: &Appliers, known: &mut KnownResults) -> Built {
        self.patterns = appliers.patterns(self.store.sources);
        self.built(appliers, known)
    }

    fn built(&self, appliers: &Appliers, known: &mut KnownResults) -> Built {
        let included: BTreeSet<&str> = self
            .links
            .values()
            .flat_map(|links| links.folders.iter().map(String::as_str))
            .collect_set();
        let mut todo: Vec<&str> = self
            .tops()
            .filter(|folder| !included.contains(folder))
            .collect();
        todo.sort_unstable();
        // A circle has no first one.
        if todo.is_empty() {
            todo.extend(self.asked.first().map(String::as_str));
        }
        let (mut builds, mut seen, mut built) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let (mut faults, mut patches, mut spent) = (Vec::new(), Vec::new(), Spent::default());
        let mut applied: BTreeSet<String> = BTreeSet::new();
        let mut alone: BTreeSet<&str> = BTreeSet::new();
        while !todo.is_empty() {
            todo.retain(|folder| {
                self.links.get(*folder).is_some_and(|l| !l.is_component) && seen.insert(*folder)
            });
            let results = self.build_all(&todo, appliers, known, &mut spent);
            todo.clear();
            for (folder, result) in results {
                match result {
                    Some(Ok((build, gaps, uses))) => {
                        built.extend(self.closure(folder));
                        // A part that is left out may have the object.
                        let is_known = gaps.is_empty() && !build.is_partial;
                        if is_known && self.is_applied(folder, appliers) {
                            applied.extend(self.closure(folder).into_iter().map(str::to_owned));
                        }
                        patches.extend(uses.into_iter().map(|of| PatchUse {
                            is_used: of.is_used || !is_known,
                            ..of
                        }));
                        let is_part = included.contains(folder) && !alone.contains(folder);
                        let is_partial = !is_known || is_part || self.is_spare(folder);
                        builds.push(Build {
                            is_partial,
                            ..build
                        });
                        let fault = |BuildGap { folder: at, fault }| FoundFault {
                            root: folder.to_owned(),
                            folder: at,
                            fault,
                        };
                        faults.extend(gaps.into_iter().map(fault));
                    }
                    Some(Err(fault)) => {
                        // What exceeds a limit as a whole would do so in its parts.
                        if fault.excess.is_none() {
                            todo.extend(self.links[folder].folders.iter().map(String::as_str));
                        }
                        let is_generated = self.store.generated.contains_key(folder);
                        // Nobody wrote what Flux generates: what promgen does not build there is judged as it is.
                        let is_sure =
                            fault.is_refused() || self.left_out(folder, appliers).is_some();
                        if fault.excess.is_some() || !is_generated || is_sure {
                            let fault = if is_generated {
                                fault.of_generated()
                            } else {
                                fault
                            };
                            faults.push(FoundFault {
                                root: folder.to_owned(),
                                folder: folder.to_owned(),
                                fault,
                            });
                        }
                    }
                    None => {}
                }
            }
            if todo.is_empty() && alone.is_empty() {
                alone = self.applied_alone(&builds, &applied, appliers);
                todo.extend(&alone);
            }
        }
        faults.sort_by(|a, b| (&a.folder, a.fault.span).cmp(&(&b.folder, b.fault.span)));
        let made = builds
            .iter()
            .flat_map(|build| build.files.iter().copied())
            .collect_set();
        let (used, partial) = self.used(&built, &made);
        Built {
            builds,
            used,
            partial,
            applied,
            spent,
            faults,
            patches,
        }
    }

    /// The kustomizations that appliers build, and that only one includes which nobody applies.
    fn applied_alone(
        &self,
        builds: &[Build],
        applied: &BTreeSet<String>,
        appliers: &Appliers,
    ) -> BTreeSet<&str> {
        let files = UnappliedFiles {
            store: self.store,
            applied,
            appliers,
            patterns: &self.patterns,
        };
        let unlisted = builds
            .iter()
            .filter(|build| files.why_build(build).is_some())
            .filter_map(|build| self.links.get_key_value(&build.folder));
        let is_alone =
            |folder: &&str| !applied.contains(*folder) && appliers.builds(folder) == Some(*folder);
        unlisted
            .flat_map(|(folder, _)| self.closure(folder))
            .filter(is_alone)
            .collect_set()
    }

    /// Returns whether appliers build a kustomization for certain: no other folder fits their path.
    fn is_applied(&self, folder: &str, appliers: &Appliers) -> bool {
        let fits = |path: &str| self.tops().filter(|top| is_path(top, path)).count();
        appliers
            .builds(folder)
            .is_some_and(|path| path == folder || fits(path) == 1)
    }

    /// Returns whether a kustomization is a part of another that does not use it yet, as in the layout of kubebuilder:
    /// `config/default`, or the folder above, puts `config/prometheus` and the rest into one namespace, once its line is no comment any
    /// more.
    fn is_spare(&self, folder: &str) -> bool {
        let parent = folder_of(folder);
        let above = || Kustomization::load(self.store, parent);
        base_name(folder) == "prometheus"
            && (self.links.contains_key(&child(parent, "default"))
                || above().is_some_and(|of| of.is_ok_and(|of| of.text("namespace").is_some())))
    }

    /// Reports what is not built.
    pub(super) fn report(&self, built: &Built, appliers: &Appliers, sink: &mut Sink) {
        let levels = self.levels(&built.faults, appliers);
        let mut faults: Vec<(&str, &BuildFault)> = Vec::with_capacity(built.faults.len());
        for FoundFault { folder, fault, .. } in &built.faults {
            // A base is a part of many builds.
            if !faults
                .last()
                .is_some_and(|last| *last == (folder.as_str(), fault))
            {
                faults.push((folder, fault));
            }
        }
        report(&faults, levels, built.builds.len(), sink);
        report_idle(&built.patches, sink);
    }

    /// The severity of a kustomization that is not built. Somewhere in a repository, nobody may build it.
    fn levels(&self, faults: &[FoundFault], appliers: &Appliers) -> FaultLevels {
        let is_top = |folder: &str| {
            self.asked.iter().all(|asked| is_within(folder, asked)) && !self.is_of_chart(folder)
        };
        let is_applied = |found: &&FoundFault| appliers.is_built_by_flux(&found.root);
        let is_missing = |found: &&FoundFault| {
            let is_judged =
                |root| is_top(root) || is_applied(found) && self.may_concern_operator(root);
            found.fault.is_missing && is_judged(&found.root)
        };
        let refused = |found: &FoundFault| {
            let root = &found.root;
            if !found.fault.is_refused() {
                return Level::Info;
            }
            match (is_top(root) || is_applied(&found)) && self.has_object_of_operator(root) {
                true => Level::Error,
                false if is_applied(&found) => Level::Warning,
                false => Level::Info,
            }
        };
        // Where Flux or Argo CD applies others, nobody may build it.
        let is_reached = |found: &FoundFault| appliers.is_empty() || appliers.reaches(&found.root);
        let missing = |found: &FoundFault| match is_missing(&found) {
            true => Level::Error,
            false if is_reached(found) => Level::Warning,
            false => Level::Info,
        };
        let of_missing = faults.iter().filter(|found| found.fault.is_missing);
        FaultLevels {
            missing: of_missing.map(missing).max().unwrap_or(Level::Info),
            refused: faults.iter().map(refused).max().unwrap_or(Level::Info),
        }
    }

    /// Returns whether a kustomization is in the folder of a chart: it changes what Helm writes there before.
    fn is_of_chart(&self, folder: &str) -> bool {
        let chart = child(folder, "Chart.yaml");
        self.store
            .sources
            .files()
            .any(|(_, file)| join(".", &file.name) == chart)
    }

    /// Returns whether a kustomization includes an object of the operator.
    fn has_object_of_operator(&self, folder: &str) -> bool {
        let is_its = |root| DocumentFacts::of(root).is_of_operator;
        let mut files = self.resources(folder);
        files.any(|file| file.documents().is_ok_and(|roots| roots.iter().any(is_its)))
            || self.stands_beside_operator(folder)
    }

    /// Returns whether an object of the operator stands beside a kustomization whose resources are not known, because it
    /// cannot be read itself.
    fn stands_beside_operator(&self, folder: &str) -> bool {
        let is_unread = |folder: &&str| {
            let links = self.links.get(*folder);
            links.is_some_and(|links| links.resources.is_empty() && links.folders.is_empty())
                && matches!(Kustomization::load(self.store, folder), Some(Err(_)))
        };
        let unread: BTreeSet<&str> = self
            .closure(folder)
            .into_iter()
            .filter(is_unread)
            .collect_set();
        let beside = |name: &str| unread.contains(folder_of(&join(".", name)));
        let has = |text: &str| {
            let documents = read(FileId::default(), text, &mut Sink::default());
            documents
                .iter()
                .any(|of| DocumentFacts::of(&of.root).is_of_operator)
        };
        let mut files = self.store.sources.files().map(|(_, file)| file);
        !unread.is_empty() && files.any(|file| beside(&file.name) && has(&file.text))
    }

    /// Returns whether an object that a kustomization includes may concern the operator: one does, or cannot be read, or there
    /// is none.
    fn may_concern_operator(&self, folder: &str) -> bool {
        let may_concern = |root| DocumentFacts::of(root).may_concern_operator;
        let mut closure = self.closure_links(folder);
        let mut files = self.resources(folder).peekable();
        closure.any(|links| !links.charts.is_empty())
            || files.peek().is_none()
            || files.any(|file| {
                file.documents()
                    .map_or(true, |roots| roots.iter().any(may_concern))
            })
    }

    /// The files of objects that a kustomization includes, and those that it includes.
    fn resources(&self, folder: &str) -> impl Iterator<Item = &StoredFile<'s>> {
        let ids: BTreeSet<FileId> = self
            .closure_links(folder)
            .flat_map(|links| links.resources.iter().copied())
            .collect_set();
        ids.into_iter()
            .filter_map(|id| self.store.file(&self.store.sources.file(id).name))
    }

    /// Builds folders in their order, a few at a time. Those at the same time know nothing of each other, so what they spend
    /// together is counted afterwards: which of them exceed a limit depends on their order alone.
    fn build_all<'f>(
        &self,
        folders: &[&'f str],
        appliers: &Appliers,
        known: &mut KnownResults,
        spent: &mut Spent,
    ) -> Vec<(&'f str, PlannedBuild)> {
        let mut all = Vec::with_capacity(folders.len());
        for some in folders.chunks(AT_ONCE) {
            let before = *spent;
            let asked: Vec<_> = some
                .iter()
                .map(|folder| (*folder, self.plans_of(folder, appliers)))
                .collect();
            let mut new: Vec<(&str, &BuildFields)> = Vec::new();
            for (folder, plans) in &asked {
                for plan in plans {
                    if known_result(known, folder, plan).is_none() && !new.contains(&(folder, plan))
                    {
                        new.push((folder, plan));
                    }
                }
            }
            let built = parallel::map(&new, 1, |(folder, plan)| {
                self.build_one(folder, plan, before)
            });
            for ((folder, plan), (result, own)) in new.into_iter().zip(built) {
                known
                    .entry(folder.to_owned())
                    .or_default()
                    .push((plan.clone(), result, own));
            }
            for (folder, plans) in &asked {
                for (way, plan) in plans.iter().enumerate() {
                    let Some((_, result, own)) = known_result(known, folder, plan) else {
                        continue;
                    };
                    if !plans[..way].contains(plan) {
                        *spent = *spent + *own;
                    }
                    spent.objects += result
                        .as_ref()
                        .and_then(|made| made.as_ref().ok())
                        .map_or(0, |made| made.0.n_objects());
                    let result = match self.left_out(folder, appliers) {
                        Some(fault) => Some(Err(fault)),
                        None => result.clone(),
                    };
                    all.push((*folder, self.within(result, way, spent)));
                }
            }
        }
        all
    }

    /// The first file that a kustomization of Flux names and that Flux leaves out.
    fn left_out(&self, folder: &str, appliers: &Appliers) -> Option<BuildFault> {
        let source = appliers.artifact(folder, &self.patterns)?;
        let files = self
            .closure(folder)
            .into_iter()
            .flat_map(|inner| self.store.kustomizations(inner).map(move |of| (inner, of)));
        files.into_iter().find_map(|(inner, file)| {
            self.store.references(file).iter().find_map(
                |PathReference { path: written, .. }| {
                    let path = join(inner, written);
                    let own = self.store.kustomizations(&path).next();
                    let named = self
                        .store
                        .file(&path)
                        .or(own)
                        .filter(|_| !is_remote(written))?;
                    let by = self.patterns.leave_out(source, named.path)?;
                    Some(BuildFault::left_out(place_of(written, file), written, &by))
                },
            )
        })
    }

    /// The result of a build that is applied in the way of that number, unless all builds together exceed a limit.
    fn within(&self, result: PlannedBuild, way: usize, spent: &Spent) -> PlannedBuild {
        let excess = spent.excess(&self.store.limits);
        result.map(|result| match (result, excess) {
            (Ok((build, ..)), Some(excess)) => Err(BuildFault::excess(
                self.span(&build.folder),
                excess,
                budget::ALL,
            )),
            (result, _) => {
                result.map(|(build, gaps, patches)| (Build { way, ..build }, gaps, patches))
            }
        })
    }

    /// The place of a kustomization as a whole, or of what applies one that Flux generates.
    fn span(&self, folder: &str) -> Span {
        let written = self
            .store
            .kustomizations(folder)
            .next()
            .map(StoredFile::span);
        let generated = || {
            self.store
                .generated
                .get(folder)
                .map(|generated| generated.root.span)
        };
        written.or_else(generated).unwrap_or_default()
    }

    fn build_one(
        &self,
        folder: &str,
        (is_unrestricted, fields): &BuildFields,
        before: Spent,
    ) -> (PlannedBuild, Spent) {
        // What is left out is not built first.
        if let Some(excess) = before.excess(&self.store.limits) {
            return (
                Some(Err(BuildFault::excess(
                    self.span(folder),
                    excess,
                    budget::ALL,
                ))),
                Spent::default(),
            );
        }
        let budget = Budget::new(self.store.limits, before).tolerant();
        let plan = BuildPlan {
            is_unrestricted: *is_unrestricted,
            fields: fields.as_ref(),
        };
        let result = self.build_within(folder, plan, &budget);
        (result, budget.spent())
    }

    fn build_within(&self, folder: &str, plan: BuildPlan<'_>, budget: &Budget) -> PlannedBuild {
        let objects = build_within(self.store, folder, plan, budget)?.and_then(|objects| {
            objects.iter().try_for_each(|object| {
                budget.keep(KEPT + own_weight(&object.node), object.node.span)
            })?;
            Ok(objects)
        });
        Some(objects.map(|objects| {
            let releases = budget.releases();
            let (documents, copies): (Vec<_>, Vec<_>) = objects
                .into_iter()
                .map(|object| {
                    let origin = origin(&object, &releases);
                    (
                        ParsedDocument {
                            origin,
                            ..parsed(self.store.shared(object.node))
                        },
                        object.copies,
                    )
                })
                .unzip();
            let copies = copies.into_iter().flatten().collect();
            let mut build = Build {
                copies,
                ..new_build(folder, documents)
            };
            for made in releases {
                build.files.extend(&made.sources.files);
                build.is_partial |= made.is_lacking;
                build.found.extend(made.found);
                build.operators.extend(made.operator);
                build.releases.push(made.sources);
            }
            (build, budget.gaps(), budget.patches())
        }))
    }

    /// The references of a kustomization and of all that it includes.
    fn closure_links<'f>(
        &'f self,
        folder: &'f str,
    ) -> impl Iterator<Item = &'f KustomizationLinks> {
        self.closure(folder)
            .into_iter()
            .filter_map(|folder| self.links.get(folder))
    }

    /// A kustomization and all that it includes.
    fn closure<'f>(&'f self, folder: &'f str) -> BTreeSet<&'f str> {
        let (mut closure, mut todo) = (BTreeSet::new(), vec![folder]);
        while let Some(folder) = todo.pop() {
            if closure.insert(folder) {
                todo.extend(
                    self.links
                        .get(folder)
                        .into_iter()
                        .flat_map(|l| l.folders.iter().map(String::as_str)),
                );
            }
        }
        closure
    }

    /// The files that are no objects by themselves: all that kustomizations name, but for the resources of those that
    /// contribute to no build, which come second. `made`: the files that values of builds come from, such as those of a component
    /// that Flux adds.
    fn used(
        &self,
        built: &BTreeSet<&str>,
        made: &BTreeSet<FileId>,
    ) -> (BTreeSet<FileId>, BTreeSet<FileId>) {
        let named = self
            .links
            .iter()
            .filter(|(folder, _)| !self.store.generated.contains_key(*folder));
        let mut used: BTreeSet<FileId> = named
            .flat_map(|(_, links)| links.files.iter().copied())
            .collect_set();
        let is_built = |folder: &String| built.contains(folder.as_str());
        let is_written = |folder: &String| !self.store.generated.contains_key(folder);
        let others = self
            .links
            .iter()
            .filter(|(folder, _)| !is_built(folder) && is_written(folder));
        let mut partial: BTreeSet<FileId> = others
            .flat_map(|(_, links)| links.resources.iter().copied())
            .collect_set();
        partial.retain(|file| !made.contains(file));
        used.retain(|file| !partial.contains(file));
        let built = self.links.iter().filter(|(folder, _)| is_built(folder));
        used.extend(built.flat_map(|(_, links)| links.files.iter().copied()));
        partial.retain(|file| !used.contains(file));
        (used, partial)
    }
}

/// The place where a kustomization names a path.
fn place_of(path: &str, file: &StoredFile<'_>) -> Span {
    let names = |node: &&Node| {
        let text = node.as_str();
        text.is_some_and(|text| text.rsplit('=').next() == Some(path))
    };
    let roots = file.documents().into_iter().flatten().rev();
    let found = roots.flat_map(|root| root.descendants()).find(names);
    found.map_or_else(|| file.span(), |node| node.span)
}

/// The result of a build with that plan.
fn known_result<'k>(
    known: &'k KnownResults,
    folder: &str,
    plan: &BuildFields,
) -> Option<&'k (BuildFields, PlannedBuild, Spent)> {
    known.get(folder)?.iter().find(|(of, ..)| of == plan)
}

/// The severity of a kustomization that is not built.
#[derive(Clone, Copy)]
struct FaultLevels {
    /// Because of a file that does not exist: an error in a kustomization that Flux builds, or that the user asks for.
    missing: Level,
    /// Because Kustomize refuses it: an error in one with objects of the operator that Flux builds, or that the user asks for, and a
    /// warning in another that Flux builds.
    refused: Level,
}

/// Reports kustomizations that are not built, or not as a whole: those that exceed a limit, those that lack a file, and for
/// each further cause those that share it.
fn report(faults: &[(&str, &BuildFault)], levels: FaultLevels, n_built: usize, sink: &mut Sink) {
    let (exceeding, refused): (Vec<_>, Vec<_>) =
        faults.iter().partition(|(_, fault)| fault.excess.is_some());
    let (missing, refused): (Vec<_>, Vec<_>) =
        refused.into_iter().partition(|(_, fault)| fault.is_missing);
    report_excess(&exceeding, n_built, sink);
    report_refused(&missing, levels.missing, sink);
    let cause = |fault: &BuildFault| (fault.is_unsupported, fault.cause);
    let causes: BTreeSet<_> = refused.iter().map(|(_, fault)| cause(fault)).collect_set();
    for one in causes.iter() {
        let of_cause: Vec<_> = refused
            .iter()
            .copied()
            .filter(|(_, fault)| cause(fault) == *one)
            .collect();
        let is_refused = of_cause.iter().any(|(_, fault)| fault.is_refused());
        let level = if is_refused {
            levels.refused
        } else {
            Level::Info
        };
        report_refused(&of_cause, level, sink);
    }
}

fn report_excess(faults: &[(&str, &BuildFault)], n_built: usize, sink: &mut Sink) {
    for faults in faults.chunk_by(|(_, a), (_, b)| a.excess == b.excess) {
        let Some((_, first)) = faults.first() else {
            continue;
        };
        let mut found = first.diagnostic();
        let of_all = |excess: &Excess| {
            matches!(
                excess.limit,
                Limit::AllBuildBytes | Limit::BuildSteps | Limit::EnvironmentObjects
            )
        };
        if let Some(excess) = first.excess.filter(of_all) {
            let n_all = n_built + faults.len();
            found.help = vec![excess.help_for(excess.extrapolated(n_built as u64, n_all as u64))];
        }
        let found = found.help(format!(
            "{} not built",
            counted(faults.len(), "kustomization")
        ));
        sink.report(with_lines(
            found,
            faults.iter().map(|(folder, _)| (*folder).to_owned()),
        ));
    }
}

fn report_refused(faults: &[(&str, &BuildFault)], level: Level, sink: &mut Sink) {
    let Some((_, first)) = faults.first() else {
        return;
    };
    let mut diagnostic = first.diagnostic().level(level);
    let folders: BTreeSet<&str> = faults.iter().map(|(folder, _)| *folder).collect_set();
    let what = counted(folders.len(), "kustomization");
    diagnostic.message = match first.cause {
        Some(cause) => format!("{what}: {cause}"),
        None if first.is_unsupported => format!("{what} not built as a whole"),
        None => format!("{what} not built"),
    };
    sink.report(with_lines(
        diagnostic,
        faults
            .iter()
            .map(|(folder, fault)| format!("{folder}: {}", fault.message)),
    ));
}

/// Reports the patches that select nothing in any build.
fn report_idle(patches: &[PatchUse], sink: &mut Sink) {
    let used: BTreeSet<Span> = patches
        .iter()
        .filter(|of| of.is_used)
        .map(|of| of.target)
        .collect_set();
    let mut known = BTreeSet::new();
    for PatchUse {
        target,
        place,
        what,
        meant,
        ..
    } in patches.iter().filter(|of| !used.contains(&of.target))
    {
        if known.insert(*target) {
            let message =
                format!("the patch changes nothing: no object matches its target, {what}");
            let found = Diagnostic::new(&IDLE_PATCH, *place, message);
            sink.report(match meant {
                Some(meant) => found.help(meant.clone()),
                None => found.help("name an object of the kustomization, or remove the patch"),
            });
        }
    }
}

/// The origin of an object of a kustomization: it, or one of the releases of charts that it has.
fn origin(object: &BuiltObject, releases: &[ReleaseObjects]) -> DocumentOrigin {
    let (node, is_open) = (&object.node, object.is_open);
    let Some(made) = releases.iter().find(|made| made.span == node.span) else {
        return DocumentOrigin::Kustomization { is_open };
    };
    DocumentOrigin::Release(Arc::new(made.changed(object.ids.first(), node, is_open)))
}

/// The cost of an object of a result besides its values, in bytes.
const KEPT: usize = 256;

fn parsed(root: Shared<Node>) -> ParsedDocument {
    let span = root.span;
    ParsedDocument {
        root,
        span,
        origin: DocumentOrigin::default(),
    }
}

fn new_build(folder: &str, documents: Vec<ParsedDocument>) -> Build {
    let nodes = documents.iter().flat_map(|of| of.root.descendants());
    Build {
        files: nodes.map(|node| node.span.file).collect(),
        documents,
        ..Build::new(folder)
    }
}
