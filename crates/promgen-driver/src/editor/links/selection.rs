//! Selectors: workloads and what they select, monitors and their Services, pods and ports, scrape classes.

use crate::checks::View;
use crate::editor::cursor::value;
use crate::editor::links::{Link, link};
use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{SelectionResult, WorkloadSelector};
use promgen_resources::document;
use promgen_targets::resolve::labelled::{Matches, NamespaceScope};
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_targets::resolve::{ResolvedService, Seeker};
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;

/// The links of all selectors.
pub(super) fn of(view: &View<'_>) -> Vec<Link> {
    let cx = SelectionLinks { view };
    let mut links = cx.workloads();
    links.extend(cx.service_monitors());
    links.extend(cx.pod_monitors());
    links.extend(cx.services());
    links
}

#[derive(Clone, Copy)]
struct SelectionLinks<'a> {
    view: &'a View<'a>,
}

impl<'a> SelectionLinks<'a> {
    fn link(self, at: &At, to: Vec<Span>) -> Option<Link> {
        link(self.view.documents, at, to)
    }

    /// The place of the name of a document.
    fn name(self, doc: DocId) -> Option<Span> {
        self.span(&At::doc(doc).key("metadata").key("name"))
    }

    fn span(self, at: &At) -> Option<Span> {
        let document = document::find(self.view.documents, at.doc)?;
        value(&document.node, &at.route).map(|node| node.span)
    }

    /// Workloads and the resources that they select, in both directions.
    fn workloads(self) -> Vec<Link> {
        let mut links = Vec::new();
        for selector in &self.view.reach.selectors {
            let candidates = self
                .view
                .cluster
                .candidates()
                .filter(|candidate| candidate.kind == selector.takes);
            let selected: Vec<Candidate<'_>> = candidates
                .filter(|one| selector.choose(one, self.view.cluster) == SelectionResult::Taken)
                .collect();
            let names: Vec<Span> = selected
                .iter()
                .filter_map(|candidate| self.name(candidate.doc))
                .collect();
            for field in [&selector.labels, &selector.namespaces] {
                links.extend(self.link(&field.place(), names.clone()));
            }
            for candidate in selected {
                links.extend(self.selected(&candidate, selector));
            }
        }
        links
    }

    /// A resource that a workload selects: its name leads to the workload, its class to the class there.
    fn selected(self, candidate: &Candidate<'_>, selector: &WorkloadSelector<'_>) -> Vec<Link> {
        let workload: Vec<Span> = self.name(selector.by.doc).into_iter().collect();
        let doc = || At::doc(candidate.doc);
        let mut links: Vec<Link> = self
            .link(&doc().key("metadata").key("name"), workload.clone())
            .into_iter()
            .collect();
        links.extend(self.link(&doc().key("kind"), workload));
        let class = doc().key("spec").key("scrapeClass");
        links.extend(self.link(&class, self.classes(&class, selector.by.doc)));
        links
    }

    /// The scrape classes of a workload that have the name at a place.
    fn classes(self, class: &At, workload: DocId) -> Vec<Span> {
        let wanted = document::find(self.view.documents, class.doc)
            .and_then(|of| value(&of.node, &class.route));
        let Some(wanted) = wanted.and_then(|wanted| wanted.as_str()) else {
            return Vec::new();
        };
        let workload = document::find(self.view.documents, workload);
        let classes = workload.and_then(|workload| workload.node.find(&["spec", "scrapeClasses"]));
        let names = classes
            .into_iter()
            .flat_map(|classes| classes.items())
            .filter_map(|class| class.get("name"));
        names
            .filter(|name| name.as_str() == Some(wanted))
            .map(|name| name.span)
            .collect()
    }

    fn service_monitors(self) -> Vec<Link> {
        let reach = self.view.reach;
        let mut links = Vec::new();
        for monitor in self.view.cluster.service_monitors.values() {
            let seeker = Seeker::of_services(monitor, reach.others);
            let found = reach.services_of(&seeker, &seeker.scope());
            let services = reach.services.all(&found);
            let names = services
                .iter()
                .filter_map(|service| self.name(service.doc?))
                .collect();
            let spec = At::doc(monitor.doc).key("spec");
            links.extend(self.link(&spec.clone().key("selector"), names));
            for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
                let Some(port) = MonitorPort::of_endpoint(endpoint) else {
                    continue;
                };
                let at = spec.clone().key("endpoints").index(index).key(port.field);
                let mut to = Vec::new();
                for service in &services {
                    match port.of {
                        PortOwner::Service => {
                            to.extend(self.ports(service.doc, &port.in_service(service)))
                        }
                        PortOwner::Pod => {
                            to.extend(self.pods_with(&reach.pods_behind(service), &port))
                        }
                    }
                }
                links.extend(self.link(&at, to));
            }
        }
        links
    }

    /// The ports of a Service: their names, or the numbers of those without a name.
    fn ports(self, doc: Option<DocId>, indexes: &[usize]) -> Vec<Span> {
        let Some(doc) = doc else { return Vec::new() };
        let port = |index: &usize| {
            let port = At::doc(doc).key("spec").key("ports").index(*index);
            self.span(&port.clone().key("name"))
                .or_else(|| self.span(&port.key("port")))
        };
        indexes.iter().filter_map(port).collect()
    }

    /// The pods that declare a port.
    fn pods_with(self, found: &Matches, port: &MonitorPort) -> Vec<Span> {
        let pods = self.view.reach.pods.all(found).into_iter();
        pods.filter(|pods| port.is_in_pods(pods))
            .filter_map(|pods| pods.span)
            .collect()
    }

    fn pod_monitors(self) -> Vec<Link> {
        let reach = self.view.reach;
        let mut links = Vec::new();
        for monitor in self.view.cluster.pod_monitors.values() {
            let seeker = Seeker::of_pods(monitor, reach.others);
            let found = reach.pods_of(&seeker, &seeker.scope());
            let names = reach
                .pods
                .all(&found)
                .iter()
                .filter_map(|pods| pods.span)
                .collect();
            let spec = At::doc(monitor.doc).key("spec");
            links.extend(self.link(&spec.clone().key("selector"), names));
            for (index, endpoint) in monitor
                .value
                .spec
                .pod_metrics_endpoints
                .iter()
                .flatten()
                .enumerate()
            {
                let Some(port) = MonitorPort::of_pod_endpoint(endpoint) else {
                    continue;
                };
                let at = spec
                    .clone()
                    .key("podMetricsEndpoints")
                    .index(index)
                    .key(port.field);
                links.extend(self.link(&at, self.pods_with(&found, &port)));
            }
        }
        links
    }

    /// Services and the pods behind them.
    fn services(self) -> Vec<Link> {
        let reach = self.view.reach;
        let all = reach.services.numbers(&NamespaceScope::Any);
        let services = all.into_iter().map(|number| reach.services.get(number));
        let of_service = |service: &ResolvedService| {
            let doc = service.doc?;
            let found = reach.pods_behind(service);
            let pods = reach
                .pods
                .all(&found)
                .iter()
                .filter_map(|pods| pods.span)
                .collect();
            self.link(&At::doc(doc).key("spec").key("selector"), pods)
        };
        services.filter_map(of_service).collect()
    }
}
