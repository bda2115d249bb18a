//! Namespaces that do not exist.

use promgen_model::monitors::Monitor;
use promgen_model::selection::namespaces::{absent, is_unknown};
use promgen_targets::resolve::Seeker;
use std::collections::BTreeSet;

use promgen_compile::cluster::Object;
use promgen_model::model::World;
use promgen_resources::api::ScrapeConfig;
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::{At, DocId};
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds namespaces that a monitor selects from, or that contain it, and that are missing from the input, although the
    /// input has manifests of namespaces.
    ///
    /// The level is warning if the name is similar to that of another namespace, and info otherwise. Namespaces that every
    /// cluster has are not reported.
    ///
    /// ## Why is this bad?
    /// A namespace that does not exist contains nothing to scrape. Ignore this if the namespace is created elsewhere.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata: {name: shop}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   namespaceSelector: {matchNames: [shpo]}
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata: {name: shop}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   namespaceSelector: {matchNames: [shop]}
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ```
    UNKNOWN_NAMESPACE = "PG127" "unknown-namespace" Warning: "a namespace that is not in the input";
}

/// The number of characters by which a slip makes a name longer or shorter. Namespaces often begin alike.
const MAX_EDITS: usize = 2;

/// Checks every monitor, if the input has namespaces.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let declared = &model.reach.others.namespaces;
    if declared.is_empty() {
        return;
    }
    let mut check = NamespaceCheck {
        model,
        declared,
        sink,
    };
    for monitor in Monitor::all(model.cluster()) {
        check.selector(monitor.doc(), &monitor.seeker(model.reach.others));
    }
    for probe in model.cluster().probes.values() {
        if let Some(seeker) = Seeker::of_ingresses(probe, model.reach.others) {
            check.selector(probe.doc, &seeker);
        }
    }
    for config in model.cluster().scrape_configs.values() {
        check.discoveries(config);
    }
    let mut seen = BTreeSet::new();
    for candidate in model.cluster().candidates() {
        let namespace = candidate.namespace();
        if check.is_unknown(namespace) && seen.insert(namespace.to_owned()) {
            check.home(candidate.doc, namespace);
        }
    }
}

struct NamespaceCheck<'c, 'a> {
    model: &'c World<'a>,
    declared: &'c BTreeSet<String>,
    sink: &'c mut Sink,
}

/// The certainty that a namespace that is not in the input does not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// No object is in it, so a selection from it finds nothing.
    Absent,
    /// It may be created elsewhere: only a name that looks like a slip is reported.
    PerhapsElsewhere,
}

impl NamespaceCheck<'_, '_> {
    fn is_unknown(&self, namespace: &str) -> bool {
        is_unknown(self.model, self.declared, namespace)
    }

    /// The namespaces that a monitor selects from. A namespace that contains an object exists.
    fn selector(&mut self, doc: DocId, monitor: &Seeker<'_>) {
        let own = monitor.namespace;
        for (index, name) in absent(self.model, monitor.namespaces).0 {
            let names = monitor.namespaces_at(doc).key("matchNames");
            let at = names.index(index);
            let message = format!("namespace \"{name}\" is not in the input");
            let found = Diagnostic::new(&UNKNOWN_NAMESPACE, at.clone(), message);
            // Its own namespace is the likeliest of those that begin with the name.
            let is_own = own
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('-') && self.declared.contains(own));
            match is_own {
                true => {
                    let found = found.help(format!("did you mean \"{own}\"?"));
                    self.sink.report(found.fix(Fix::value(at, own)));
                }
                false => self.report(found, name, Certainty::Absent),
            }
        }
    }

    /// The namespaces that a ScrapeConfig discovers in, through the API server of its own cluster.
    fn discoveries(&mut self, config: &Object<ScrapeConfig>) {
        let discoveries = config.value.spec.kubernetes_sd_configs.iter().flatten();
        for (index, discovery) in discoveries.enumerate() {
            let names = discovery
                .namespaces
                .as_ref()
                .and_then(|of| of.names.as_ref());
            let names = names.filter(|_| discovery.api_server.is_none());
            for (n, name) in names.into_iter().flatten().enumerate() {
                if !self.is_unknown(name) || self.model.cluster().namespace_labels(name).is_some() {
                    continue;
                }
                let at = At::spec(config.doc).key("kubernetesSDConfigs").index(index);
                let at = at.key("namespaces").key("names").index(n);
                let message = format!("namespace \"{name}\" is not in the input");
                let found = Diagnostic::new(&UNKNOWN_NAMESPACE, at, message);
                self.report(found, name, Certainty::Absent);
            }
        }
    }

    /// The namespace of a resource, reported once. It may be created elsewhere, so only a likely typo is reported.
    fn home(&mut self, doc: DocId, namespace: &str) {
        let at = At::doc(doc).key("metadata").key("namespace");
        let message = format!("Namespace \"{namespace}\" is not in the input");
        self.report(
            Diagnostic::new(&UNKNOWN_NAMESPACE, at, message),
            namespace,
            Certainty::PerhapsElsewhere,
        );
    }

    fn report(&mut self, diagnostic: Diagnostic, name: &str, certainty: Certainty) {
        let known = self
            .declared
            .iter()
            .map(String::as_str)
            .filter(|known| known.len() > 3);
        let is_slip = |known: &str| name.len().abs_diff(known.len()) <= MAX_EDITS;
        match suggest::closest(name, known.filter(|known| is_slip(known))) {
            Some(meant) => self
                .sink
                .report(diagnostic.help(format!("did you mean \"{meant}\"?"))),
            None if certainty == Certainty::Absent => {
                let help = "ignore this if it is created elsewhere";
                self.sink.report(diagnostic.help(help).level(Level::Info));
            }
            None => {}
        }
    }
}
