//! Prometheus, Alertmanager and ThanosRuler, from the tables of their fields and what no table says.

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::Chart;
use super::fields::{
    self, FieldSource, NAMESPACES, PROMETHEUS_SECRETS, RULER_SECRETS, SELECTORS, StackField, When,
};
use super::parts::{affinity, pull_secrets};
use super::secrets::STORAGE_KEY;
use crate::charts::embedded;
use crate::charts::node::{empty, is_set, list, map, place, printed, set, text};
use crate::charts::template::{fill, render};

/// A workload of the chart.
pub(super) struct Component {
    /// The key of its values.
    pub(super) key: &'static str,
    spec: &'static str,
    /// Its name in names and labels.
    name: &'static str,
    kind: &'static str,
    fields: &'static [StackField],
}

pub(super) const PROMETHEUS: Component = Component {
    key: "prometheus",
    spec: "prometheusSpec",
    name: "prometheus",
    kind: "Prometheus",
    fields: fields::PROMETHEUS,
};

pub(super) const ALERTMANAGER: Component = Component {
    key: "alertmanager",
    spec: "alertmanagerSpec",
    name: "alertmanager",
    kind: "Alertmanager",
    fields: fields::ALERTMANAGER,
};

pub(super) const THANOS_RULER: Component = Component {
    key: "thanosRuler",
    spec: "thanosRulerSpec",
    name: "thanos-ruler",
    kind: "ThanosRuler",
    fields: fields::THANOS_RULER,
};

impl Component {
    /// The keys of the values that make its spec.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.key).chain(["version"])
    }

    /// The keys that count only where the version has them by default.
    pub(super) fn of_defaults(&self) -> impl Iterator<Item = &'static str> {
        self.fields
            .iter()
            .filter(|field| !field.is_hidden)
            .map(|field| field.key)
    }
}

/// A workload on its way: its values, those of its spec, and the spec that they make.
struct Draft<'c> {
    component: &'static Component,
    values: &'c Node,
    from: &'c Node,
    /// Which values of the spec the version has by default.
    known: Option<&'c Node>,
    spec: Node,
    is_agent: bool,
}

impl Draft<'_> {
    fn value(&self, key: &str) -> Option<&Node> {
        self.from.get_set(key)
    }

    fn put(&mut self, key: &str, value: Node) {
        self.put_as(key, key, value);
    }

    /// Puts what a value becomes.
    fn put_as(&mut self, key: &str, to: &str, made: Node) {
        let entry = self.from.entry(key);
        let key_span = entry.map_or(made.span, |entry| entry.key_span);
        set(&mut self.spec, to, key_span, made);
    }

    /// The place of the first of these values that is there.
    fn place_of(&self, keys: &[&str], absent: Span) -> Span {
        let found = keys.iter().find_map(|key| self.from.get(key));
        found.map_or(absent, |node| node.span)
    }

    fn knows(&self, key: &str) -> bool {
        self.known.is_some_and(|known| known.get(key).is_some())
    }
}

impl Chart<'_> {
    /// The workload of a component.
    pub(super) fn workload(&self, component: &'static Component) -> Node {
        let nothing = empty(self.place);
        let values = self.values.get(component.key).unwrap_or(&nothing);
        let from = values.get(component.spec).unwrap_or(&nothing);
        let is_agent = component.kind == "Prometheus" && is_set(values.get("agentMode"));
        let known = self.defaults.find(&[component.key, component.spec]);
        let mut draft = Draft {
            component,
            values,
            from,
            known,
            spec: empty(from.span),
            is_agent,
        };
        for field in component.fields {
            self.field(&mut draft, field);
        }
        self.common(&mut draft);
        match component.name {
            "prometheus" => self.prometheus(&mut draft),
            "alertmanager" => self.alertmanager(&mut draft),
            _ => self.ruler(&mut draft),
        }
        self.additional(&mut draft);
        let name = text(self.names.workload(component.name), self.place);
        let app = format!("{}-{}", self.names.name, component.name);
        let metadata = self.metadata(
            name,
            &app,
            &[values.get("additionalLabels")],
            values.get("annotations"),
        );
        let (version, kind) = if is_agent {
            ("v1alpha1", "PrometheusAgent")
        } else {
            ("v1", component.kind)
        };
        let mut object = self.object(version, kind, metadata);
        let key = values
            .entry(component.spec)
            .map_or(self.place, |entry| entry.key_span);
        set(&mut object, "spec", key, draft.spec);
        object
    }

    fn field(&self, draft: &mut Draft<'_>, field: &StackField) {
        let is_there = field.is_hidden || draft.knows(field.key);
        let Some(value) = draft
            .from
            .get(field.key)
            .filter(|_| is_there && (field.in_agent || !draft.is_agent))
        else {
            return;
        };
        let applies = match field.when {
            When::Always => true,
            When::Set => value.is_set(),
            When::Given => !value.is_null(),
        };
        if applies {
            let made = self.made(value, field.how);
            draft.put_as(field.key, field.to, made);
        }
    }

    /// The node that a value becomes.
    pub(super) fn made(&self, value: &Node, how: FieldSource) -> Node {
        match how {
            FieldSource::Same => value.clone(),
            FieldSource::Filled => self.filled_node(value),
            FieldSource::Text => {
                printed(value).map_or_else(|| value.clone(), |printed| text(printed, value.span))
            }
            FieldSource::Plain => unquoted(value, Unquoted::Scalar),
            FieldSource::PlainItems => {
                let items = self.filled_node(value);
                list(
                    items
                        .items()
                        .iter()
                        .map(|item| unquoted(item, Unquoted::Any))
                        .collect(),
                    value.span,
                )
            }
        }
    }

    fn filled_node(&self, value: &Node) -> Node {
        let mut value = value.clone();
        self.with_context(|context| fill(&mut value, context));
        value
    }

    fn filled_text(&self, value: &Node) -> Node {
        let written = printed(value).unwrap_or_default();
        text(
            self.with_context(|context| render(&written, context))
                .unwrap_or(written),
            value.span,
        )
    }

    /// The fields that all workloads have.
    fn common(&self, draft: &mut Draft<'_>) {
        self.image(draft);
        let account = self.names.account(draft.component.name, draft.values);
        let span = draft
            .values
            .find(&["serviceAccount", "name"])
            .map_or(self.place, |name| name.span);
        draft.put("serviceAccountName", text(account, span));
        self.url(draft);
        let name = self.names.workload(draft.component.name);
        let label = match draft.component.name {
            "prometheus" => self
                .fact("prometheusPodLabel")
                .and_then(Node::as_str)
                .unwrap_or("prometheus"),
            other => other,
        };
        let app = if draft.is_agent {
            "prometheus-agent"
        } else {
            draft.component.name
        };
        if let Some(affinity) = affinity(draft.from, (app, label, &name)) {
            draft.put("affinity", affinity);
        }
        if let Some(secrets) = pull_secrets(&self.values) {
            draft.put("imagePullSecrets", secrets);
        }
    }

    fn image(&self, draft: &mut Draft<'_>) {
        let Some(image) = draft.from.get_set("image") else {
            return;
        };
        let part = |key: &str| image.get_set(key).and_then(printed);
        let everywhere = self.values.find_set(&["global", "imageRegistry"]);
        let registry = everywhere
            .and_then(printed)
            .or_else(|| part("registry"))
            .unwrap_or_default();
        let (repository, tag) = (part("repository").unwrap_or_default(), part("tag"));
        let tag_text = tag.clone().unwrap_or_default();
        let end = match (tag.is_some(), part("sha")) {
            (true, Some(sha)) => format!(":{tag_text}@sha256:{sha}"),
            (false, Some(sha)) => format!("@sha256:{sha}"),
            (_, None) => format!(":{tag_text}"),
        };
        let place_of = |keys: &[&str]| {
            keys.iter()
                .find_map(|key| image.get(key))
                .map_or(image.span, |node| node.span)
        };
        let full = if registry.is_empty() {
            format!("{repository}{end}")
        } else {
            format!("{registry}/{repository}{end}")
        };
        let place = if tag.is_some() {
            place_of(&["tag"])
        } else {
            place_of(&["repository"])
        };
        draft.put("image", text(full, place));
        if let Some(policy) = image.get_set("pullPolicy") {
            draft.put("imagePullPolicy", policy.clone());
        }
        if draft.component.name == "thanos-ruler" {
            return;
        }
        let version = draft.value("version").or_else(|| image.get("tag")).cloned();
        if let Some(version) = version.filter(|version| version.is_set()) {
            draft.put("version", unquoted(&version, Unquoted::Scalar));
        }
        if let Some(sha) = image.get_set("sha") {
            draft.put("sha", sha.clone());
        }
    }

    /// The URL under which others reach it.
    fn url(&self, draft: &mut Draft<'_>) {
        let (key, default_port) = match draft.component.name {
            "prometheus" => ("externalUrl", "9090"),
            "alertmanager" => ("externalUrl", "9093"),
            _ => ("externalPrefix", "10902"),
        };
        if let Some(url) = draft.value(key) {
            let url = self.filled_text(url);
            return draft.put(key, url);
        }
        let ingress = draft.values.get("ingress");
        let host = ingress.and_then(|ingress| ingress.get("hosts")?.items().first());
        if let Some(host) =
            host.filter(|_| is_set(ingress.and_then(|ingress| ingress.get("enabled"))))
        {
            let Node {
                data: Data::String(name),
                span,
            } = self.filled_text(host)
            else {
                return;
            };
            let prefix = draft
                .from
                .get("routePrefix")
                .and_then(printed)
                .unwrap_or_default();
            return draft.put(key, text(format!("http://{name}{prefix}"), span));
        }
        if draft.knows("externalPrefixNilUsesHelmValues")
            && !is_set(draft.from.get("externalPrefixNilUsesHelmValues"))
        {
            return;
        }
        let port = draft
            .values
            .find(&["service", "port"])
            .and_then(printed)
            .unwrap_or_else(|| default_port.to_owned());
        let namespace = self.namespace_of(draft.component, draft.values);
        let host = match draft.component.name {
            "thanos-ruler" => self.names.ruler(),
            name => format!("{}-{name}", self.names.full_name),
        };
        draft.put(
            key,
            text(format!("http://{host}.{namespace}:{port}"), self.place),
        );
    }

    /// The namespace of a component in texts.
    fn namespace_of(&self, component: &Component, values: &Node) -> String {
        let own = values
            .get("namespaceOverride")
            .filter(|own| component.name == "alertmanager" && own.is_set());
        own.and_then(printed)
            .unwrap_or_else(|| self.names.namespace.clone())
    }

    /// A selector: the user's, the label of the release, or everything.
    fn selector(&self, draft: &mut Draft<'_>, key: &str, by_release: &str) {
        if !draft.knows(key) {
            return;
        }
        let place = draft.place_of(&[key, by_release], self.place);
        let made = match draft.value(key) {
            Some(selector) => self.filled_node(selector),
            None if is_set(draft.from.get(by_release)) && draft.knows(by_release) => {
                let place = draft.place_of(&[by_release], self.place);
                let release = text(self.names.release.as_str(), place);
                let label = map(place, vec![("release", release)]);
                map(place, vec![("matchLabels", label)])
            }
            None => empty(place),
        };
        draft.put(key, made);
    }

    fn namespaces(&self, draft: &mut Draft<'_>, key: &str) {
        if draft.knows(key) && draft.value(key).is_none() {
            draft.put(key, empty(draft.place_of(&[key], self.place)));
        }
    }

    fn prometheus(&self, draft: &mut Draft<'_>) {
        let is_agent = draft.is_agent;
        for (key, by_release, in_agent) in SELECTORS {
            if in_agent || !is_agent {
                self.selector(draft, key, by_release);
            }
        }
        for (key, in_agent) in NAMESPACES {
            if in_agent || !is_agent {
                self.namespaces(draft, key);
            }
        }
        for key in ["prometheusExternalLabelName", "replicaExternalLabelName"] {
            self.external_label(draft, key);
        }
        self.remotes(draft);
        self.tsdb(draft);
        self.lists(draft);
        self.thanos(draft);
        self.enforcement(draft);
        if !is_agent {
            self.alerting(draft);
        }
    }

    fn external_label(&self, draft: &mut Draft<'_>, key: &str) {
        let clear = draft.from.get_set(&format!("{key}Clear"));
        let name = draft
            .value(key)
            .and_then(|name| Some(text(printed(name)?, name.span)));
        let made = clear.map(|clear| text("", clear.span)).or(name);
        made.into_iter().for_each(|made| draft.put(key, made));
    }

    /// The place where samples are read from and written to.
    fn remotes(&self, draft: &mut Draft<'_>) {
        let all = [
            ("remoteRead", "additionalRemoteRead", false),
            ("remoteWrite", "additionalRemoteWrite", true),
        ];
        for (key, more, in_agent) in all {
            if draft.is_agent && !in_agent {
                continue;
            }
            let filled = draft.value(key).map(|remotes| self.filled_node(remotes));
            // The chart writes a map as it is, and the API server refuses it.
            if let Some(map) = filled.as_ref().filter(|node| !node.entries().is_empty()) {
                draft.put(key, map.clone());
                continue;
            }
            let mut items: Vec<Node> = filled
                .iter()
                .flat_map(|node| node.items().to_vec())
                .collect();
            items.extend(draft.from.items_of(more).iter().cloned());
            let span = draft
                .value(key)
                .or_else(|| draft.value(more))
                .map(|node| node.span);
            if let Some(span) = span {
                draft.put(key, list(items, span));
            }
        }
    }

    fn tsdb(&self, draft: &mut Draft<'_>) {
        let Some(tsdb) = draft.value("tsdb") else {
            return;
        };
        let window = tsdb.get_set("outOfOrderTimeWindow");
        let made = window.map(|window| unquoted(window, Unquoted::Scalar));
        let entries = made
            .map(|window| ("outOfOrderTimeWindow", window))
            .into_iter()
            .collect();
        let made = map(tsdb.span, entries);
        draft.put("tsdb", made);
    }

    /// Lists that stand in Secrets.
    fn lists(&self, draft: &mut Draft<'_>) {
        for (key, own, field, end, file, in_agent) in PROMETHEUS_SECRETS {
            if draft.is_agent && !in_agent {
                continue;
            }
            let of_user = draft
                .value(own)
                .filter(|own| is_set(own.get("enabled")) || key != "additionalScrapeConfigs");
            let made = match (draft.value(key), of_user) {
                (Some(list), _) => {
                    let name = text(format!("{}-{end}", self.names.full_name), list.span);
                    map(
                        list.span,
                        vec![("name", name), ("key", text(file, list.span))],
                    )
                }
                (None, Some(own)) => {
                    let part = |key: &'static str| {
                        own.get(key)
                            .map(|part| (key, self.made(part, FieldSource::Text)))
                    };
                    let parts = [part("name"), part("key"), part("optional")];
                    map(own.span, parts.into_iter().flatten().collect())
                }
                (None, None) => continue,
            };
            draft.put(field, made);
        }
    }

    fn thanos(&self, draft: &mut Draft<'_>) {
        let Some(thanos) = draft.value("thanos").filter(|_| !draft.is_agent) else {
            return;
        };
        let is_split = self.fact("thanosSecret").and_then(Node::as_str) != Some("never");
        let mut made = thanos.clone();
        if is_split && let Some(entry) = thanos.entry("objectStorageConfig") {
            made = made.without_key("objectStorageConfig");
            let name = format!("{}-prometheus", self.names.full_name);
            if let Some(config) = secret_key(&entry.value, (&name, STORAGE_KEY)) {
                set(&mut made, "objectStorageConfig", entry.key_span, config);
            }
        }
        draft.put("thanos", made);
    }

    /// The fields for an enforced label of the namespace.
    fn enforcement(&self, draft: &mut Draft<'_>) {
        let Some(label) = draft.value("enforcedNamespaceLabel").cloned() else {
            return;
        };
        draft.put("enforcedNamespaceLabel", label);
        for key in [
            "prometheusRulesExcludedFromEnforce",
            "excludedFromEnforcement",
        ] {
            if let Some(excluded) = draft
                .value(key)
                .filter(|_| !draft.is_agent || key == "excludedFromEnforcement")
            {
                let excluded = self.filled_node(excluded);
                draft.put(key, excluded);
            }
        }
    }

    fn alerting(&self, draft: &mut Draft<'_>) {
        if draft.knows("disableAlerting") && is_set(draft.from.get("disableAlerting")) {
            return;
        }
        let nothing = empty(self.place);
        let manager = self.values.get("alertmanager").unwrap_or(&nothing);
        let (managers, key) = match draft
            .from
            .entry("alertingEndpoints")
            .filter(|entry| entry.value.is_set())
        {
            Some(entry) => (entry.value.clone(), entry.key_span),
            None if is_set(manager.get("enabled")) => (
                list(vec![self.own_alertmanager(manager)], self.place),
                self.place,
            ),
            None => return,
        };
        let mut alerting = empty(managers.span);
        set(&mut alerting, "alertmanagers", key, managers);
        set(&mut draft.spec, "alerting", key, alerting);
    }

    /// The way from Prometheus to the Alertmanager of the chart.
    fn own_alertmanager(&self, values: &Node) -> Node {
        let nothing = empty(self.place);
        let spec = values.get("alertmanagerSpec").unwrap_or(&nothing);
        let namespace = self.namespace_of(&ALERTMANAGER, values);
        let name = format!("{}-alertmanager", self.names.full_name);
        let mut made = map(
            self.place,
            vec![
                ("namespace", text(namespace, self.place)),
                ("name", text(name, self.place)),
            ],
        );
        let parts = [
            ("port", "portName", FieldSource::Plain),
            ("pathPrefix", "routePrefix", FieldSource::Text),
            ("scheme", "scheme", FieldSource::Plain),
            ("tlsConfig", "tlsConfig", FieldSource::Same),
        ];
        for (to, key, how) in parts {
            if let Some(entry) = spec.entry(key).filter(|entry| entry.value.is_set()) {
                set(&mut made, to, entry.key_span, self.made(&entry.value, how));
            }
        }
        if let Some(version) = values.get_set("apiVersion") {
            set(&mut made, "apiVersion", version.span, version.clone());
        }
        made
    }

    fn alertmanager(&self, draft: &mut Draft<'_>) {
        for key in [
            "alertmanagerConfigSelector",
            "alertmanagerConfigNamespaceSelector",
        ] {
            let made = match draft.from.get(key) {
                Some(selector) if selector.is_set() => self.filled_node(selector),
                other => empty(other.map_or(self.place, |node| node.span)),
            };
            draft.put(key, made);
        }
    }

    fn ruler(&self, draft: &mut Draft<'_>) {
        self.selector(draft, "ruleSelector", "ruleSelectorNilUsesHelmValues");
        self.namespaces(draft, "ruleNamespaceSelector");
        for (key, file) in RULER_SECRETS {
            let Some(config) = draft.value(key).filter(|_| draft.knows(key)) else {
                continue;
            };
            let is_split = draft
                .known
                .and_then(|known| known.get(key)?.get("existingSecret"))
                .is_some();
            let made = if is_split {
                secret_key(config, (&self.names.ruler(), file))
            } else {
                Some(config.clone())
            };
            made.into_iter().for_each(|made| draft.put(key, made));
        }
    }

    /// The fields that the user adds to the spec as they are.
    fn additional(&self, draft: &mut Draft<'_>) {
        if let Some(more) = draft
            .value("additionalConfig")
            .filter(|_| draft.knows("additionalConfig"))
        {
            let more = self.filled_node(more);
            override_with(&mut draft.spec, &more);
        }
        if let Some(more) = draft
            .value("additionalConfigString")
            .filter(|_| draft.knows("additionalConfigString"))
        {
            let span = more.span;
            let Node {
                data: Data::String(written),
                ..
            } = self.filled_text(more)
            else {
                return;
            };
            if let Some(mut more) = embedded::root(span.file, &written) {
                place(&mut more, span);
                override_with(&mut draft.spec, &more);
            }
        }
    }
}

/// Of two keys in one map the last counts.
fn override_with(spec: &mut Node, more: &Node) {
    more.entries()
        .iter()
        .for_each(|entry| set(spec, &entry.key, entry.key_span, entry.value.clone()));
}

/// A reference to a Secret of the user, or to that of the chart with the given name and key.
fn secret_key(config: &Node, (name, key): (&str, &str)) -> Option<Node> {
    if let Some(own) = config.get_set("existingSecret") {
        let part = |key: &'static str| own.get(key).map(|part| (key, part.clone()));
        return Some(map(
            own.span,
            [part("key"), part("name")].into_iter().flatten().collect(),
        ));
    }
    let own = config.get_set("secret")?;
    Some(map(
        own.span,
        vec![("key", text(key, own.span)), ("name", text(name, own.span))],
    ))
}

/// Makes texts of booleans in a map: only a word of one letter is read so there.
fn keep_letters(node: &mut Node) {
    let Data::Map(entries) = &mut node.data else {
        return;
    };
    for entry in entries {
        let value = &mut entry.value;
        if let (Data::Bool(is_true), 1) =
            (&value.data, value.span.end.saturating_sub(value.span.start))
        {
            *value = text(if *is_true { "y" } else { "n" }, value.span);
        }
    }
}

/// The types that a text may have without its quotes. Anything else stays a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unquoted {
    Scalar,
    Any,
}

/// A scalar that a template prints without quotes, as YAML reads it.
fn unquoted(value: &Node, may_be: Unquoted) -> Node {
    let Some(written) = value.as_str() else {
        return value.clone();
    };
    match embedded::root(value.span.file, written) {
        Some(mut read)
            if !matches!(read.data, Data::String(_))
                && (may_be == Unquoted::Any
                    || !matches!(read.data, Data::Map(_) | Data::Seq(_))) =>
        {
            keep_letters(&mut read);
            place(&mut read, value.span);
            read
        }
        _ => value.clone(),
    }
}
