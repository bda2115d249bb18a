//! What policies look at: rules, endpoints, workloads, routes, receivers, and objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use promgen_cel::CelValue;
use promgen_compile::output::{Job, Workload};
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::scraping::needs::JobOrigin;
use promgen_prometheus::routing::{PieceSource, RouteNode, RoutingTree};
use promgen_resources::api::Kind;
use promgen_resources::document::{self, Document, Manifest};
use promgen_resources::locate;
use promgen_text::CollectOrdered;
use promgen_text::diag::Place;
use promgen_text::route::At;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;

use crate::facts::endpoint::EndpointSource;
use crate::facts::routing::{ReceiverSource, RouteSource};
use crate::facts::rule::RuleSource;
use crate::facts::workload::WorkloadSource;
use crate::facts::{FactObject, PolicyFacts, object};
use crate::matching::{MatchedThing, SubjectKind};
use crate::policy::FactPlace;
use crate::world::PolicyWorld;

/// Something that policies look at.
pub(crate) struct PolicySubject<'w> {
    /// Its kind, as policies name it.
    pub(crate) kind: SubjectKind,
    /// The name that `names` is asked of.
    pub(crate) name: String,
    pub(crate) manifest: Manifest<'w>,
    /// Its document, if its kind is one that promgen knows.
    document: Option<&'w Document>,
    /// Where it stands in its document.
    at: Option<At>,
    /// Where it stands if that is no field of its document.
    span: Option<Span>,
    data: SubjectData<'w>,
}

enum SubjectData<'w> {
    Rule {
        group: &'w Node,
        node: &'w Node,
        span: Option<Span>,
    },
    Endpoint {
        workload: &'w Workload,
        job: &'w Job,
        index: usize,
    },
    Workload(&'w Workload),
    Route {
        workload: &'w Workload,
        tree: &'w RoutingTree,
        node: &'w RouteNode,
        is_root: bool,
    },
    Receiver {
        workload: &'w Workload,
        tree: &'w RoutingTree,
        is_secret: bool,
    },
    Object,
}

/// All that is looked at in files that are asked for.
pub(crate) fn all<'w>(
    cx: &PolicyWorld<'w>,
    kinds: &BTreeSet<SubjectKind>,
    is_own: &dyn Fn(FileId) -> bool,
) -> Vec<PolicySubject<'w>> {
    let mut all = Vec::new();
    for kind in kinds {
        match kind {
            SubjectKind::Alert => rules(cx, true, &mut all),
            SubjectKind::Record => rules(cx, false, &mut all),
            SubjectKind::Endpoint => endpoints(cx, &mut all),
            SubjectKind::Workload => workloads(cx, &mut all),
            SubjectKind::Route | SubjectKind::Receiver => {
                for workload in running(&cx.world) {
                    routing(cx, workload, kind, &mut all);
                }
            }
            SubjectKind::Object(word) => objects(&cx.world, word, &mut all),
        }
    }
    all.retain(|subject| is_own(subject.manifest.node.span.file));
    all
}

/// The workloads of the input.
fn running<'w>(world: &World<'w>) -> impl Iterator<Item = &'w Workload> + use<'w> {
    let workloads = world.workloads.iter().copied();
    workloads.filter(|workload| !workload.is_stand_in)
}

fn rules<'w>(cx: &PolicyWorld<'w>, are_alerts: bool, all: &mut Vec<PolicySubject<'w>>) {
    let documents = cx.world.documents();
    let kind = if are_alerts {
        SubjectKind::Alert
    } else {
        SubjectKind::Record
    };
    let key = if are_alerts { "alert" } else { "record" };
    // Those that the API server refuses, too: what they say is wrong is no less so.
    let of_rules = |document: &&Document| document.kind == Kind::PrometheusRule;
    for document in documents.iter().filter(of_rules) {
        let groups = document.node.items_at(&["spec", "groups"]);
        for (at_group, group) in groups.iter().enumerate() {
            for (index, node) in group.items_of("rules").iter().enumerate() {
                // One that has both records.
                let has = |key| node.text_of(key).filter(|name| !name.is_empty());
                let Some(name) = has(key).filter(|_| !are_alerts || has("record").is_none()) else {
                    continue;
                };
                let at = At::spec(document.id).key("groups").index(at_group);
                let at = at.key("rules").index(index);
                let span = locate::locate(&at.clone().key(key), documents);
                all.push(PolicySubject {
                    kind: kind.clone(),
                    name: name.to_owned(),
                    manifest: document.manifest(),
                    document: Some(document),
                    at: Some(at),
                    span: None,
                    data: SubjectData::Rule { group, node, span },
                });
            }
        }
    }
}

fn endpoints<'w>(cx: &PolicyWorld<'w>, all: &mut Vec<PolicySubject<'w>>) {
    let cluster = cx.world.cluster();
    for workload in cx.world.workloads.iter().copied() {
        for job in workload.jobs() {
            let Some(origin) = JobOrigin::of(job) else {
                continue;
            };
            let Some(document) =
                (origin.doc(cluster)).and_then(|doc| document::find(cx.world.documents(), doc))
            else {
                continue;
            };
            let spec = At::spec(document.id);
            let at = match Monitor::find(cluster, origin.kind, origin.key) {
                Some(monitor) => spec.key(monitor.list()).index(origin.endpoint),
                None => spec,
            };
            all.push(PolicySubject {
                kind: SubjectKind::Endpoint,
                name: document.name.to_string(),
                manifest: document.manifest(),
                document: Some(document),
                at: Some(at),
                span: None,
                data: SubjectData::Endpoint {
                    workload,
                    job,
                    index: origin.endpoint,
                },
            });
        }
    }
}

/// The document of a workload.
fn document_of<'w>(cx: &PolicyWorld<'w>, workload: &Workload) -> Option<&'w Document> {
    let id = &workload.id;
    cx.document(id.kind.resource()?, &id.namespace, &id.name)
}

fn workloads<'w>(cx: &PolicyWorld<'w>, all: &mut Vec<PolicySubject<'w>>) {
    for workload in running(&cx.world) {
        let Some(document) = document_of(cx, workload) else {
            continue;
        };
        all.push(PolicySubject {
            kind: SubjectKind::Workload,
            name: workload.id.name.clone(),
            manifest: document.manifest(),
            document: Some(document),
            at: Some(At::doc(document.id)),
            span: None,
            data: SubjectData::Workload(workload),
        });
    }
}

/// The routes or the receivers of an Alertmanager.
fn routing<'w>(
    cx: &PolicyWorld<'w>,
    workload: &'w Workload,
    kind: &SubjectKind,
    all: &mut Vec<PolicySubject<'w>>,
) {
    let (Some(tree), Some(own)) = (&workload.routing, document_of(cx, workload)) else {
        return;
    };
    let documents = cx.world.documents();
    let mut add = |name: &str, source: &PieceSource, data| {
        let of_source = source.at.as_ref();
        let document = of_source.and_then(|at| document::find(documents, at.doc));
        let document = document.unwrap_or(own);
        all.push(PolicySubject {
            kind: kind.clone(),
            name: name.to_owned(),
            manifest: document.manifest(),
            document: Some(document),
            at: Some(source.at.clone().unwrap_or_else(|| At::name(document.id))),
            span: source.span,
            data,
        });
    };
    if *kind == SubjectKind::Route {
        for (way, node, _) in tree.routes() {
            let data = SubjectData::Route {
                workload,
                tree,
                node,
                is_root: way.is_empty(),
            };
            add(&node.receiver.value, &node.source, data);
        }
        return;
    }
    for part in tree.named.iter().filter(|part| part.is_receiver) {
        let data = SubjectData::Receiver {
            workload,
            tree,
            is_secret: part.source.is_secret,
        };
        add(&part.name, &part.source, data);
    }
}

fn objects<'w>(world: &World<'w>, word: &str, all: &mut Vec<PolicySubject<'w>>) {
    let mut add = |manifest: Manifest<'w>, document: Option<&'w Document>| {
        all.push(PolicySubject {
            kind: SubjectKind::Object(word.to_owned()),
            name: manifest.name.to_owned(),
            manifest,
            document,
            at: document.map(|document| At::doc(document.id)),
            span: None,
            data: SubjectData::Object,
        });
    };
    if Kind::ALL.iter().any(|kind| kind.as_str() == word) {
        let documents = world.documents().iter();
        let documents = documents.filter(|document| document.kind.as_str() == word);
        documents.for_each(|document| add(document.manifest(), Some(document)));
        return;
    }
    let manifests = world.manifests().iter();
    let manifests = manifests.filter(|manifest| manifest.kind == word);
    manifests.for_each(|manifest| add(manifest, None));
}

/// The workloads that select each resource: `Kind/namespace/name`, by the kind and `namespace/name` of the resource.
pub(crate) type SelectingWorkloads = BTreeMap<(String, String), Vec<String>>;

/// Those of a world.
pub(crate) fn selecting(world: &World<'_>) -> SelectingWorkloads {
    let mut by = SelectingWorkloads::new();
    for workload in running(world) {
        let what = of_workload(workload);
        for (kind, resource) in workload.selected.resources() {
            let of = (kind.to_owned(), resource.key());
            by.entry(of).or_default().push(what.clone());
        }
    }
    by
}

fn of_workload(workload: &Workload) -> String {
    format!("{}/{}", workload.id.kind.kind(), workload.id.key())
}

impl<'w> PolicySubject<'w> {
    /// The facts of it. `None`: it is an object, and has no others.
    pub(crate) fn facts<'p>(&self, cx: &'p PolicyWorld<'w>) -> Option<Box<dyn PolicyFacts + 'p>> {
        Some(match &self.data {
            SubjectData::Rule { group, node, span } => Box::new(FactObject::new(RuleSource {
                cx,
                resource: self.key(),
                at: self.at.clone()?,
                span: *span,
                group,
                node,
                is_alert: self.kind == SubjectKind::Alert,
            })),
            SubjectData::Endpoint {
                workload,
                job,
                index,
            } => Box::new(FactObject::new(EndpointSource {
                cx,
                workload,
                job,
                index: *index,
                spec: self.manifest.node.get("spec"),
                node: self
                    .at
                    .as_ref()
                    .and_then(|at| self.manifest.node.at(&at.route)),
                rules: OnceLock::new(),
            })),
            SubjectData::Workload(workload) => {
                let unknowns = cx.world.unknowns();
                let spec = self.manifest.node.get("spec");
                let fields = spec.map_or(&[][..], Node::entries).iter();
                let later = fields.filter(|field| unknowns.may_change(&field.value));
                Box::new(FactObject::new(WorkloadSource {
                    workload,
                    later: later.map(|field| &*field.key).collect_set(),
                }))
            }
            SubjectData::Route {
                workload,
                tree,
                node,
                is_root,
            } => Box::new(FactObject::new(RouteSource {
                cx,
                workload,
                tree,
                node,
                is_root: *is_root,
            })),
            SubjectData::Receiver {
                workload,
                tree,
                is_secret,
            } => Box::new(FactObject::new(ReceiverSource {
                cx,
                workload,
                tree,
                name: tree.receivers.get_key_value(self.name.as_str())?.0,
                is_secret: *is_secret,
            })),
            SubjectData::Object => return None,
        })
    }

    /// `namespace/name` of its object.
    fn key(&self) -> String {
        match self.manifest.namespace {
            Some(namespace) => format!("{namespace}/{}", self.manifest.name),
            None => self.manifest.name.to_owned(),
        }
    }

    /// Its object, as an expression sees it.
    pub(crate) fn object(&self, cx: &PolicyWorld<'w>) -> CelValue<'w> {
        object::of(&cx.world, self.manifest.node)
    }

    /// Whether nobody knows yet what its object will be.
    pub(crate) fn is_open(&self, cx: &PolicyWorld<'w>) -> bool {
        cx.world.unknowns().is_open_object(self.manifest.node)
    }

    /// The file that its object stands in.
    pub(crate) fn file(&self) -> FileId {
        self.manifest.node.span.file
    }

    /// What `match` is asked of.
    pub(crate) fn matched<'m>(
        &'m self,
        cx: &'m PolicyWorld<'w>,
        workloads: &'m [String],
        environment: Option<&'m str>,
    ) -> MatchedThing<'m> {
        let node = self.manifest.node;
        MatchedThing {
            name: &self.name,
            namespace: self.manifest.namespace,
            labels: node.find(&["metadata", "labels"]),
            workloads,
            environment,
            path: &cx.world.sources().file(node.span.file).name,
        }
    }

    /// The workloads that have or select it.
    pub(crate) fn workloads(&self, selecting: &SelectingWorkloads) -> Vec<String> {
        match &self.data {
            SubjectData::Endpoint { workload, .. } if workload.is_stand_in => Vec::new(),
            SubjectData::Endpoint { workload, .. }
            | SubjectData::Workload(workload)
            | SubjectData::Route { workload, .. }
            | SubjectData::Receiver { workload, .. } => vec![of_workload(workload)],
            SubjectData::Rule { .. } | SubjectData::Object => {
                let of = (self.manifest.kind.to_owned(), self.key());
                selecting.get(&of).cloned().unwrap_or_default()
            }
        }
    }

    /// The place of a field of it.
    pub(crate) fn field(&self, place: &FactPlace) -> Option<At> {
        let document = self.document?;
        let base = match place.of_object {
            true => At::doc(document.id),
            false => self.at.clone()?,
        };
        Some(base.below(place.route.clone()))
    }

    /// Its document's values, to look for a field.
    pub(crate) fn root(&self) -> Option<&'w Node> {
        self.document.map(|document| &*document.node)
    }

    /// Where it stands.
    pub(crate) fn place(&self) -> Place {
        if let Some(span) = self.span {
            return Place::Span(span);
        }
        let Some(at) = self.at.clone() else {
            let node = self.manifest.node;
            let name = node
                .find(&["metadata", "name"])
                .map_or(node.span, |name| name.span);
            return Place::Span(name);
        };
        Place::At(match (&self.kind, &self.data) {
            (SubjectKind::Alert, _) => at.key("alert"),
            (SubjectKind::Record, _) => at.key("record"),
            (_, SubjectData::Workload(_) | SubjectData::Object) => at.key("metadata").key("name"),
            _ => at,
        })
    }

    /// What it is, in words: `alert Down`.
    pub(crate) fn what(&self) -> String {
        match &self.kind {
            SubjectKind::Alert => format!("alert {}", self.name),
            SubjectKind::Record => format!("recording rule {}", self.name),
            SubjectKind::Endpoint => format!("endpoint of {} {}", self.manifest.kind, self.key()),
            SubjectKind::Route => format!("route of {} {}", self.manifest.kind, self.key()),
            SubjectKind::Receiver => format!("receiver of {} {}", self.manifest.kind, self.key()),
            SubjectKind::Workload | SubjectKind::Object(_) => {
                format!("{} {}", self.manifest.kind, self.key())
            }
        }
    }
}
