//! A dump of a cluster, compared with its manifests.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::KnownSides;
use crate::drift::dump::{Dump, Wanted, is_resource};
use crate::drift::{self, CompiledTree, Drift, Question};
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Layout, Output};
use promgen_model::Model;
use promgen_model::Project;
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests, is_observed};
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::limits::Excess;
use promgen_text::origin::DocumentOrigin;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Input, SourceFile, Sources, Span};
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{self, Node};

/// The result of a comparison with a cluster.
#[derive(Clone, Debug)]
pub struct ClusterComparison {
    /// The differences.
    pub drift: Drift,
    /// The output of the cluster's resources.
    pub cluster: Output,
    /// The output of the manifests.
    pub manifests: Output,
    /// The limits that the comparison exceeds, each with what exceeds it.
    pub exceeded: Vec<(Excess, &'static str)>,
    /// The number of files that are manifests. The others are the dump.
    n_manifests: usize,
}

impl ClusterComparison {
    /// Returns whether a place is in the dump.
    #[must_use]
    pub fn is_of_dump(&self, span: Span) -> bool {
        self.manifests
            .sources
            .index_of(span.file)
            .is_some_and(|index| index >= self.n_manifests)
    }
}

/// Compares manifests with a dump of the cluster: with what the operator wrote there, and with the resources that it reads.
/// Values of Secrets are compared, and not part of the result.
#[must_use]
pub fn drift(manifests: &[Input], options: &Options, dump: &[Input]) -> ClusterComparison {
    let inputs = SideInputs::new(manifests, dump);
    let assume = if is_complete(dump, &options.namespace) {
        Assume::Missing
    } else {
        options.assume
    };
    let limits = options.limits.divided(2);
    let options = Options {
        assume,
        layout: Layout::Operator,
        reveal_secrets: false,
        limits,
        ..options.clone()
    };
    let Both {
        cluster,
        manifests: given,
        known,
        wanted,
        dump,
    } = inputs.compile(&options);
    let (revealed, revealed_given) = known
        .revealed
        .as_ref()
        .map_or((cluster.output(), given.output()), |(old, new)| (old, new));
    let limits = options
        .limits
        .divided(1)
        .for_input(inputs.all.iter().map(|input| input.bytes.len()).sum());
    let [old, new] = [&cluster, &given].map(|model| without_statuses(model.output()));
    let found = known.diff(
        (&cluster, &old, Some(revealed)),
        (&given, &new, Some(revealed_given)),
        limits,
    );
    let exceeded = found.exceeded.clone();
    let question = Question {
        cluster: CompiledTree {
            shown: cluster.output(),
            revealed,
        },
        manifests: CompiledTree {
            shown: given.output(),
            revealed: revealed_given,
        },
        wanted: &wanted,
        dump: &dump,
        discovery: cluster.discovery(),
        changes: found,
        shades: &known.shades,
    };
    let drift = drift::drift(question);
    let (cluster, manifests) = (cluster.into_output(), given.into_output());
    ClusterComparison {
        drift,
        cluster,
        manifests,
        exceeded,
        n_manifests: inputs.n_manifests,
    }
}

fn without_statuses(output: &Output) -> Output {
    let mut output = output.clone();
    output.resources = Vec::new();
    for workload in &mut output.workloads {
        Arc::make_mut(workload).status = yaml::Value::Null;
    }
    output
}

/// The operator's resources among the manifests.
fn wanted(written: &Manifests) -> Vec<Wanted> {
    written
        .documents
        .iter()
        .filter(|document| is_resource(document.kind))
        .map(Wanted::of)
        .collect()
}

/// The resources that are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompiledFrom {
    /// The resources of the cluster; of kinds and namespaces that the dump lacks, those of the manifests.
    Cluster,
    /// The resources of the manifests; and those of the cluster that the manifests do not have.
    Manifests,
}

/// The texts of both sides.
struct SideInputs {
    all: Vec<Input>,
    n_manifests: usize,
}

/// Both sides, compiled.
struct Both {
    cluster: Model,
    manifests: Model,
    known: KnownSides,
    wanted: Vec<Wanted>,
    dump: Dump,
}

impl SideInputs {
    /// The dump is an asset: it is no part of the repository.
    fn new(manifests: &[Input], dump: &[Input]) -> Self {
        let all = manifests
            .iter()
            .cloned()
            .chain(dump.iter().cloned().map(Input::asset))
            .collect();
        Self {
            all,
            n_manifests: manifests.len(),
        }
    }

    /// All phases. Both sides are of the same texts, which are read once.
    fn compile(&self, options: &Options) -> Both {
        let project = Project::read(&self.all, options);
        let first = project
            .environments()
            .first()
            .map(|first| first.documents.clone())
            .unwrap_or_default();
        // Their findings come once more, when both are one.
        let written = Manifests::read(first, &options.namespace, &mut Sink::default());
        let mut sink = Sink::default();
        let dump = Manifests::read(
            self.dump(&project, &mut sink),
            &options.namespace,
            &mut Sink::default(),
        );
        let compile =
            |origin| project.compile_documents(documents(&written, &dump, origin), sink.clone());
        let (cluster, manifests) = parallel::join(
            || compile(CompiledFrom::Cluster),
            || compile(CompiledFrom::Manifests),
        );
        let known = KnownSides::new(&cluster, &manifests);
        let (wanted, dump) = (wanted(&written), Dump::read(&dump, cluster.operator()));
        Both {
            cluster,
            manifests,
            known,
            wanted,
            dump,
        }
    }

    /// The documents of the dump, those that promgen wrote among them.
    fn dump(&self, project: &Project, sink: &mut Sink) -> Vec<ParsedDocument> {
        let files: Vec<_> = project
            .sources()
            .files()
            .take(self.all.len())
            .skip(self.n_manifests)
            .collect();
        let read = |&(id, file): &(FileId, &SourceFile)| {
            let mut sink = Sink::default();
            (yaml::read::read(id, &file.text, &mut sink), sink)
        };
        let mut documents = Vec::new();
        for (read, findings) in parallel::map(&files, 1, read) {
            documents.extend(read);
            sink.append(findings);
        }
        documents
    }
}

/// Group, kind, namespace and name.
type ObjectIdentity<'m> = (&'m str, &'m str, Option<&'m str>, &'m str);

fn identity<'m>(object: &Manifest<'m>) -> ObjectIdentity<'m> {
    (object.group, object.kind, object.namespace, object.name)
}

/// The kinds that resources refer to.
const ASSETS: [(&str, &str); 2] = [("", "Secret"), ("", "ConfigMap")];

/// The kinds and namespaces of which a dump has Secrets or ConfigMaps of users, so that others are
/// absent from the cluster.
fn covered_assets(dump: &Manifests) -> BTreeSet<(&str, &str)> {
    let is_users = |object: &Manifest<'_>| {
        let labels = ["app.kubernetes.io/managed-by", "managed-by"];
        let manager = |label: &&str| object.node.text_at(&["metadata", "labels", label]);
        !labels
            .iter()
            .any(|label| manager(label) == Some("prometheus-operator"))
    };
    let of_users = dump
        .iter()
        .filter(|object| ASSETS.contains(&(object.group, object.kind)) && is_users(object));
    of_users
        .filter_map(|object| Some((object.kind, object.namespace?)))
        .collect()
}

/// Returns whether a dump has all that its resources refer to: Secrets and ConfigMaps of users wherever there are
/// resources, and Services. Then what is missing there is missing.
fn is_complete(dump: &[Input], namespace: &str) -> bool {
    let sink = &mut Sink::default();
    let sources = Sources::load(dump, sink);
    let parsed: Vec<_> = sources
        .files()
        .flat_map(|(id, file)| yaml::read::read(id, &file.text, sink))
        .collect();
    let dump = Manifests::read(parsed, namespace, sink);
    let resources = dump
        .documents
        .iter()
        .filter(|document| is_resource(document.kind));
    let namespaces: BTreeSet<&str> = resources
        .map(|document| document.namespace.as_str())
        .collect_set();
    let covered = covered_assets(&dump);
    let has_all = |namespace: &&str| {
        ASSETS
            .iter()
            .all(|(_, kind)| covered.contains(&(*kind, *namespace)))
    };
    let has_services = dump
        .documents
        .iter()
        .any(|document| document.kind == Kind::Service);
    has_services && !namespaces.is_empty() && namespaces.iter().all(has_all)
}

/// The documents of a side.
fn documents<'a>(
    written: &'a Manifests,
    dump: &'a Manifests,
    origin: CompiledFrom,
) -> Vec<ParsedDocument> {
    let in_dump: BTreeSet<ObjectIdentity<'_>> =
        dump.iter().map(|object| identity(&object)).collect();
    let kinds: BTreeSet<_> = dump
        .iter()
        .map(|object| (object.group, object.kind))
        .collect_set();
    let namespaces: BTreeSet<_> = dump
        .iter()
        .filter_map(|object| object.namespace)
        .collect_set();
    let assets = covered_assets(dump);
    let is_covered = |object: &Manifest<'_>| {
        let is_asset = ASSETS.contains(&(object.group, object.kind));
        kinds.contains(&(object.group, object.kind))
            && object.namespace.is_none_or(|n| namespaces.contains(n))
            // A dump may have the operator's own only.
            && (!is_asset || object.namespace.is_some_and(|n| assets.contains(&(object.kind, n))))
    };
    // A Secret without data is filled elsewhere: by SOPS, or by the cluster.
    let is_filled_later = |object: &Manifest<'_>| {
        object.kind == "Secret"
            && ["data", "stringData"]
                .iter()
                .all(|key| object.node.get(key).is_none())
    };
    let of_manifests = written.iter().filter(|object| match origin {
        CompiledFrom::Cluster => !is_covered(object),
        CompiledFrom::Manifests => {
            !(is_filled_later(object) && in_dump.contains(&identity(object)))
        }
    });
    let kept: Vec<Manifest<'_>> = of_manifests.collect();
    let taken: BTreeSet<ObjectIdentity<'_>> = kept.iter().map(identity).collect_set();
    // An observed object gives a manifest its uid and generation; another one would replace it.
    let of_dump = dump
        .iter()
        .filter(|object| !taken.contains(&identity(object)) || is_observed(object.node));
    kept.iter()
        .copied()
        .chain(of_dump)
        .map(|object| parsed(object.node))
        .collect()
}

fn parsed(node: &Node) -> ParsedDocument {
    ParsedDocument {
        span: node.span,
        root: Shared::new(node.clone()),
        origin: DocumentOrigin::File,
    }
}
