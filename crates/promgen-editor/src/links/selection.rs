//! Selectors: workloads and what they select, monitors and their Services, pods and ports, scrape classes.

use crate::cursor::value;
use crate::links::{Link, link};
use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{SelectionResult, WorkloadSelector};
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_resources::document;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::Matches;
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;

/// The links of all selectors.
pub(super) fn of(view: &World<'_>) -> Vec<Link> {
    let cx = SelectionLinks { view };
    let mut links = cx.workloads();
    for monitor in Monitor::all(view.cluster()) {
        links.extend(cx.monitor(monitor));
    }
    links.extend(cx.services());
    links
}

#[derive(Clone, Copy)]
struct SelectionLinks<'a> {
    view: &'a World<'a>,
}

impl<'a> SelectionLinks<'a> {
    fn link(self, at: &At, to: Vec<Span>) -> Option<Link> {
        link(self.view.documents(), at, to)
    }

    /// The place of the name of a document.
    fn name(self, doc: DocId) -> Option<Span> {
        self.span(&At::name(doc))
    }

    fn span(self, at: &At) -> Option<Span> {
        let document = document::find(self.view.documents(), at.doc)?;
        value(&document.node, &at.route).map(|node| node.span)
    }

    /// Workloads and the resources that they select, in both directions.
    fn workloads(self) -> Vec<Link> {
        let mut links = Vec::new();
        for selector in &self.view.reach.selectors {
            let candidates = self
                .view
                .cluster()
                .candidates()
                .filter(|candidate| candidate.kind == selector.takes);
            let selected: Vec<Candidate<'_>> = candidates
                .filter(|one| selector.choose(one, self.view.cluster()) == SelectionResult::Taken)
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
        let wanted = document::find(self.view.documents(), class.doc)
            .and_then(|of| value(&of.node, &class.route));
        let Some(wanted) = wanted.and_then(|wanted| wanted.as_str()) else {
            return Vec::new();
        };
        let workload = document::find(self.view.documents(), workload);
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

    fn monitor(self, monitor: Monitor<'_>) -> Vec<Link> {
        let reach = self.view.reach;
        let seeker = monitor.seeker(reach.others);
        let found = monitor.matches(reach, &seeker, &seeker.scope());
        let services = match monitor {
            Monitor::OfServices(_) => reach.services.all(&found),
            Monitor::OfPods(_) => Vec::new(),
        };
        let names = match monitor {
            Monitor::OfServices(_) => services
                .iter()
                .filter_map(|service| self.name(service.doc?))
                .collect(),
            Monitor::OfPods(_) => self.pods(&found),
        };
        let selector = At::spec(monitor.doc()).key("selector");
        let mut links: Vec<Link> = self.link(&selector, names).into_iter().collect();
        for endpoint in monitor.endpoints() {
            let Some(port) = endpoint.port() else {
                continue;
            };
            let to = match (monitor, port.of) {
                (Monitor::OfPods(_), _) => self.pods_with(&found, &port),
                (Monitor::OfServices(_), PortOwner::Service) => services
                    .iter()
                    .flat_map(|service| self.ports(service.doc, &port.in_service(service)))
                    .collect(),
                (Monitor::OfServices(_), PortOwner::Pod) => services
                    .iter()
                    .flat_map(|service| self.pods_with(&reach.pods_behind(service), &port))
                    .collect(),
            };
            links.extend(self.link(&endpoint.at().key(port.field), to));
        }
        links
    }

    fn pods(self, found: &Matches) -> Vec<Span> {
        let pods = self.view.reach.pods.all(found).into_iter();
        pods.filter_map(|pods| pods.span).collect()
    }

    /// The ports of a Service: their names, or the numbers of those without a name.
    fn ports(self, doc: Option<DocId>, indexes: &[usize]) -> Vec<Span> {
        let Some(doc) = doc else { return Vec::new() };
        let port = |index: &usize| {
            let port = At::spec(doc).key("ports").index(*index);
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

    /// Services and the pods behind them.
    fn services(self) -> Vec<Link> {
        let reach = self.view.reach;
        let of_service = |service: &ResolvedService| {
            let selector = At::spec(service.doc?).key("selector");
            self.link(&selector, self.pods(&reach.pods_behind(service)))
        };
        reach.services.iter().filter_map(of_service).collect()
    }
}
