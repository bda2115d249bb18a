//! Walks a document along the description of its kind.

use std::collections::{BTreeMap, BTreeSet};

use crate::release::bounds::{self, Before, Earlier};
use crate::schema::form::wrong_type;
use crate::schema::scalar::UNSUPPORTED_VALUE;
use crate::schema::{demand, form, intended_field, scalar};
use promgen_text::describe::{Bounds, Demand, Field, Identity, NamedText, ObjectType, Type};
use promgen_text::diag::count::counted;
use promgen_text::diag::fix::{EditAction, Fix, MAX_ENTRIES};
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::route::{At, DocId, Path, Segment};
use promgen_text::yaml::decode::{self, whole};
use promgen_text::yaml::{Data, Entry, Node};

rules! {
    /// ## What it does
    /// Finds fields that the kind does not have.
    ///
    /// ## Why is this bad?
    /// The API server drops them silently, or refuses the resource in strict validation. So the setting has no effect.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeIntervall: 30s
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeInterval: 30s
    /// ```
    UNKNOWN_FIELD = "PG010" "unknown-field" Error: "a field that the kind does not have";

    /// ## What it does
    /// Finds values of the wrong type, such as a string instead of a list.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: two
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    /// ```
    WRONG_TYPE = "PG011" "wrong-type" Error: "a value of the wrong type";

    /// ## What it does
    /// Finds missing required fields.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   remoteWrite:
    ///   - name: central
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   remoteWrite:
    ///   - name: central
    ///     url: https://metrics.example.com/api/v1/write
    /// ```
    MISSING_FIELD = "PG012" "missing-field" Error: "a missing required field";

    /// ## What it does
    /// Finds a value that the custom resources of the operator's release refuse, and those of a later release accept.
    ///
    /// ## Why is this bad?
    /// The API server of the cluster refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.85.0
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics, scheme: HTTPS}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.85.0
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics, scheme: https}]
    /// ```
    LATER_VALUE = "PG313" "later-value" Error: "a value that only a later release of the operator accepts";

    /// ## What it does
    /// Finds duplicate items in a list that must not have duplicates.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   secrets: [ca, ca]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   secrets: [ca]
    /// ```
    DUPLICATE_ITEM = "PG020" "duplicate-item" Error: "a duplicate item";
}

/// The number of duplicates of one list that are reported one by one.
const MAX_DUPLICATES: usize = 20;

/// The advice about a value that only later releases of the operator accept.
const LATER: &str = "later releases of the operator accept it";

/// The field that controllers write.
const STATUS: &str = "status";

/// What a release of the operator has otherwise than the newest one that promgen knows.
#[derive(Clone, Copy)]
pub(super) struct ReleaseRules<'r> {
    /// The constraints of an older release, by field.
    pub(super) earlier: Option<&'r BTreeMap<&'static str, Earlier>>,
    /// These constraints are those of another version, rather than of another release.
    pub(super) is_strict: bool,
    /// It is newer: it may have more fields and values.
    pub(super) is_newer: bool,
}

/// The noun for a value that is not checked.
pub const VALUE: &str = "value";

/// The field that a newer release may add to, beside the status.
const SPEC: &str = "spec";

/// Checks a document. Returns false if the API server refuses it.
pub(super) fn document(
    node: &Node,
    root: &'static Type,
    release: ReleaseRules<'_>,
    doc: DocId,
    sink: &mut Sink,
) -> bool {
    let mut walk = SchemaWalk {
        doc,
        root,
        is_in_dialect: false,
        sink,
        fits: true,
        names: None,
        release,
    };
    walk.value(node, root, &Bounds::NONE, &Path::root());
    walk.fits
}

struct SchemaWalk<'w> {
    doc: DocId,
    root: &'static Type,
    /// It is within an object of two dialects, which has an advice of its own.
    is_in_dialect: bool,
    sink: &'w mut Sink,
    fits: bool,
    release: ReleaseRules<'w>,
    /// The names of the fields of the object that had an unknown one last, in order.
    names: Option<(&'static ObjectType, Vec<&'static str>)>,
}

impl<'w> SchemaWalk<'w> {
    fn refuse(&mut self, diagnostic: Option<Diagnostic>) {
        match diagnostic {
            Some(Diagnostic {
                rule,
                place: Some(Place::At(at)),
                ..
            }) if self.release.is_newer && *rule == UNSUPPORTED_VALUE => {
                self.sink.leave_unchecked(VALUE, at);
            }
            Some(found) => {
                self.fits = false;
                self.sink.report(found);
            }
            None => {}
        }
    }

    /// The constraints of an older release at that path.
    fn earlier(&self, path: &Path<'_>) -> &'w [&'static Before] {
        let Some(fields) = self.release.earlier else {
            return &[];
        };
        fields
            .get(path.to_field().as_str())
            .map_or(&[], Vec::as_slice)
    }

    fn value(&mut self, node: &Node, ty: &'static Type, bounds: &'static Bounds, path: &Path<'_>) {
        match self.earlier(path) {
            [] => self.bounded(node, ty, bounds, path),
            earlier => self.as_before(node, ty, bounds, earlier, path),
        }
    }

    /// Reports what the schema of an older release refuses, and that of today does not. The resource is compiled all the same:
    /// it may be there from before, or be meant for the next release.
    fn later(&mut self, found: Diagnostic) {
        self.sink.report(
            Diagnostic {
                rule: (&LATER_VALUE).into(),
                level: LATER_VALUE.level,
                ..found
            }
            .help(LATER),
        );
    }

    /// Checks a value by the constraints of an older release. What passes those of today gets the release as an advice.
    fn as_before(
        &mut self,
        node: &Node,
        ty: &'static Type,
        today: &'static Bounds,
        earlier: &[&'static Before],
        path: &Path<'_>,
    ) {
        let bounds = bounds::bounds(today, earlier);
        let form = |form: &NamedText| bounds::text(form, earlier);
        match (ty, &node.data) {
            (Type::Text | Type::NamedText(_), Data::String(text)) => {
                let now = match ty {
                    Type::NamedText(form) => NamedText { ..*form },
                    _ => today.text(),
                };
                let found = scalar::text(text, &form(&now), self.doc, path);
                let is_later =
                    !self.release.is_strict && scalar::text(text, &now, self.doc, path).is_none();
                match found {
                    Some(found) if is_later => self.later(found),
                    found => self.refuse(found),
                }
            }
            (Type::Int32 | Type::Int64 | Type::List(_), _) => {
                self.bounded(node, ty, &bounds, path);
            }
            _ => self.bounded(node, ty, today, path),
        }
    }

    fn bounded(&mut self, node: &Node, ty: &'static Type, bounds: &Bounds, path: &Path<'_>) {
        match (ty, &node.data) {
            (Type::Object(object), Data::Map(entries)) => self.object(node, entries, object, path),
            (Type::Map(values), Data::Map(entries)) => {
                for entry in entries.iter().filter(|e| !e.value.is_null()) {
                    self.value(&entry.value, values(), &Bounds::NONE, &path.key(&entry.key));
                }
            }
            (Type::List(of), Data::Seq(items)) => self.list(items, of(), bounds, path),
            (Type::Text, Data::String(text)) => {
                self.refuse(scalar::text(text, &bounds.text(), self.doc, path));
            }
            (Type::NamedText(form), Data::String(text)) => {
                self.refuse(scalar::text(text, form, self.doc, path))
            }
            (Type::IntOrString(either), Data::String(text)) => {
                self.refuse(
                    either
                        .pattern
                        .and_then(|pattern| scalar::pattern(text, pattern, self.doc, path)),
                );
            }
            (Type::Int32 | Type::Int64, data) if let Some(number) = whole(data) => {
                let is_32_bit = matches!(ty, Type::Int32) && !bounds.is_unformatted;
                self.refuse(scalar::integer(number, is_32_bit, bounds, self.doc, path));
            }
            (Type::Boolean, Data::Bool(_)) | (Type::Any(_), _) => {}
            (Type::IntOrString(_), data) if whole(data).is_some() => {}
            (_, data) => self.refuse(Some(wrong_type(ty, bounds, data, self.doc, path))),
        }
    }

    fn field(&mut self, node: &Node, field: &Field, path: &Path<'_>) {
        self.value(node, (field.of)(), field.bounds(), path);
    }

    fn object(
        &mut self,
        node: &Node,
        entries: &[Entry],
        object: &'static ObjectType,
        path: &Path<'_>,
    ) {
        match object.dialect {
            Some(dialect) => {
                let n_before = self.sink.diagnostics().len();
                self.is_in_dialect = true;
                match decode::dialect_of(object, node) {
                    Some(other) => self.value(node, (other.of)(), &Bounds::NONE, path),
                    None => self.plain(node, entries, object, path),
                }
                self.is_in_dialect = false;
                self.sink.advise_from(n_before, dialect.both);
            }
            None => self.plain(node, entries, object, path),
        }
    }

    fn plain(
        &mut self,
        node: &Node,
        entries: &[Entry],
        object: &'static ObjectType,
        path: &Path<'_>,
    ) {
        let mut missing = Vec::new();
        object.each(&mut |field| {
            let is_status = path.is_root() && field.name == STATUS;
            if self.requires(field, path)
                && !is_status
                && node.get(field.name).is_none_or(Node::is_null)
            {
                missing.push((field.name, !field.is_required));
            }
        });
        missing.sort_unstable();
        let is_reference = form::is_reference(object);
        missing
            .into_iter()
            .for_each(|(name, is_later)| self.missing(&path.key(name), is_later, is_reference));
        for entry in entries {
            match object.field(&entry.key) {
                Some(_) if entry.value.is_null() => {}
                Some(field) if path.is_root() && entry.key == STATUS => {
                    self.status(&entry.value, field)
                }
                Some(field) => self.field(&entry.value, field, &path.key(&entry.key)),
                None if object.is_open || is_type_meta(&entry.key, path) => {}
                None => self.unknown(object, entries, &path.key(&entry.key), &entry.key),
            }
        }
        self.rules(node, object, path);
    }

    fn requires(&self, field: &Field, path: &Path<'_>) -> bool {
        if self.release.earlier.is_none() {
            return field.is_required;
        }
        let required = |before: &&&'static Before| matches!(before, Before::Required(_));
        match self.earlier(&path.key(field.name)).iter().find(required) {
            Some(Before::Required(is_required)) => *is_required,
            _ => field.is_required,
        }
    }

    /// Checks the rules over several fields, those of inlined objects included.
    fn rules(&mut self, node: &Node, object: &ObjectType, path: &Path<'_>) {
        object
            .fields
            .iter()
            .filter_map(Field::inlined)
            .for_each(|inlined| self.rules(node, inlined, path));
        let earlier = if object.validations.is_empty() {
            &[]
        } else {
            self.earlier(path)
        };
        let is_later = |rule| {
            earlier
                .iter()
                .any(|before| matches!(before, Before::WithoutRule(later) if *later == rule))
        };
        for validation in object
            .validations
            .iter()
            .filter(|validation| !is_later(validation.rule))
        {
            // First the meaning, then the API server's wording.
            if validation.demand == Demand::ShardPerZone {
                demand::uncovered_zone(node, self.doc, path)
                    .into_iter()
                    .for_each(|found| self.sink.report(found));
            }
            self.refuse(demand::check(node, validation, self.doc, path));
        }
    }

    /// The API server removes the status of a manifest before it checks the rest, so nothing in it is a reason to refuse
    /// the resource. A field that does not exist is still a mistake.
    fn status(&mut self, node: &Node, field: &Field) {
        let mut found = Sink::default();
        let release = ReleaseRules {
            earlier: None,
            is_strict: false,
            ..self.release
        };
        let mut walk = SchemaWalk {
            doc: self.doc,
            root: self.root,
            is_in_dialect: false,
            sink: &mut found,
            fits: true,
            names: None,
            release,
        };
        walk.field(node, field, &Path::root().key(STATUS));
        found
            .into_diagnostics()
            .into_iter()
            .filter(|d| *d.rule == UNKNOWN_FIELD)
            .for_each(|d| self.sink.report(d));
    }

    fn missing(&mut self, path: &Path<'_>, is_later: bool, is_in_reference: bool) {
        let message = format!("{}: Required value", path.to_route());
        let name = path.to_route().0.pop();
        let name = name.as_ref().and_then(Segment::key).unwrap_or_default();
        let help = match is_in_reference {
            true if name == "key" => {
                "add `key`: the key of the Secret or ConfigMap that has the value".to_owned()
            }
            true => {
                format!("add `{name}`: the name of the Secret or ConfigMap in the same namespace")
            }
            false => format!("add `{name}`"),
        };
        let found = Diagnostic::new(&MISSING_FIELD, At::path(self.doc, path), message).help(help);
        if is_later {
            self.later(found)
        } else {
            self.refuse(Some(found))
        }
    }

    /// The closest name of a field. Names are compared in order, which decides among names that are equally close.
    fn closest_field(&mut self, object: &'static ObjectType, name: &str) -> Option<&'static str> {
        let names = match self.names.take() {
            Some((known, names)) if std::ptr::eq(known, object) => names,
            _ => {
                let mut names = Vec::new();
                object.each(&mut |field| names.push(field.name));
                names.sort_unstable();
                names
            }
        };
        let meant = intended_field::intended_field(name, &names);
        self.names = Some((object, names));
        meant
    }

    fn unknown(
        &mut self,
        object: &'static ObjectType,
        entries: &[Entry],
        path: &Path<'_>,
        name: &str,
    ) {
        if self.sink.only_counts(&UNKNOWN_FIELD, self.doc) {
            return;
        }
        let route = path.to_route();
        if self.release.is_newer && [SPEC, STATUS].iter().any(|key| route.starts_with_key(key)) {
            return self.sink.leave_unchecked("field", At::path(self.doc, path));
        }
        let at = At::path(self.doc, path);
        let message = format!("unknown field \"{route}\"");
        let mut diagnostic = Diagnostic::new(&UNKNOWN_FIELD, Place::Key(at.clone()), message);
        if name.starts_with('$') && route.0.len() == 1 {
            // Programs that check files by it, and remove it, are more frequent than slips.
            let help = "editors read it in a comment, too: `# yaml-language-server: $schema=…`";
            return self
                .sink
                .report(diagnostic.level(Level::Warning).help(help));
        }
        let entry = entries.iter().find(|entry| entry.key == name);
        // A field that is there already is hardly meant by another name.
        let is_taken = |meant: &str| entries.iter().any(|entry| entry.key == *meant);
        let root = self.root;
        let is_elsewhere = || intended_field::elsewhere(root, &route).is_some();
        if name == "namespace" && form::is_reference(object) {
            let help =
                "what it names is always in the namespace of this resource: remove `namespace`";
            let fix = Fix::risky("remove `namespace`").change(EditAction::Remove(at));
            diagnostic = diagnostic.help(help).fix(fix);
        } else if let Some(help) = entry.and_then(|entry| one_too_deep(object, entry, path)) {
            diagnostic = diagnostic.help(help);
        } else if let Some(help) = intended_field::of_server(object, name) {
            diagnostic = diagnostic.help(help);
        } else if let Some(meant) = self
            .closest_field(object, name)
            .filter(|meant| !is_taken(meant) || !is_elsewhere())
        {
            diagnostic = diagnostic.help(format!("did you mean \"{meant}\"?"));
            let fits = object
                .field(meant)
                .zip(entry)
                .is_none_or(|(field, entry)| scalar::has_form((field.of)(), &entry.value));
            if fits
                && entries.len() <= MAX_ENTRIES
                && entries.iter().all(|entry| entry.key != meant)
            {
                diagnostic = diagnostic.fix(renamed(at, name, meant));
            }
        } else if object.field("matchLabels").is_some() {
            diagnostic = diagnostic.help(match name {
                "any" => "a selector without conditions selects all: write `{}`".to_owned(),
                "matchNames" => "namespaces are selected by their labels, such as `matchLabels: \
                                 {kubernetes.io/metadata.name: NAMESPACE}`"
                    .to_owned(),
                name => format!(
                    "a label to select by belongs below `matchLabels`: `matchLabels: {{{name}: …}}`"
                ),
            });
        } else if let Some(help) =
            intended_field::elsewhere(self.root, &route).filter(|_| !self.is_in_dialect)
        {
            diagnostic = diagnostic.help(help);
        } else if form::is_reference(object) {
            diagnostic = diagnostic
                .help("this only names a Secret or a ConfigMap: what it says stands there");
        }
        self.sink.report(diagnostic);
    }

    fn list(&mut self, items: &[Node], of: &'static Type, bounds: &Bounds, path: &Path<'_>) {
        if let Some(least) = bounds.min_length
            && (items.len() as u64) < least
        {
            let wanted = format!("should have at least {least} items");
            self.refuse(Some(scalar::invalid(
                &items.len().to_string(),
                &wanted,
                self.doc,
                path,
            )));
        }
        for (index, item) in items.iter().enumerate() {
            self.value(
                item,
                of,
                bounds.items.unwrap_or(&Bounds::NONE),
                &path.index(index),
            );
        }
        self.duplicates(items, of, bounds.identity, path);
    }

    fn duplicates(&mut self, items: &[Node], of: &Type, identity: Identity, path: &Path<'_>) {
        if items.len() < 2 {
            return;
        }
        let (mut seen, mut n_found) = (BTreeSet::new(), 0);
        for (index, item) in items.iter().enumerate() {
            let value = match identity {
                Identity::None => return,
                Identity::Value => json(item),
                Identity::Keys(keys) => by_keys(item, of, keys),
            };
            let path = path.index(index);
            n_found += usize::from(seen.contains(&value));
            if seen.contains(&value) && n_found <= MAX_DUPLICATES {
                let (at, message) = (
                    At::path(self.doc, &path),
                    format!("{}: Duplicate value: {value}", path.to_route()),
                );
                let mut diagnostic = Diagnostic::new(&DUPLICATE_ITEM, at.clone(), message);
                if identity == Identity::Value {
                    diagnostic = diagnostic
                        .fix(Fix::safe("remove the duplicate").change(EditAction::Remove(at)));
                }
                self.refuse(Some(diagnostic));
            }
            seen.insert(value);
        }
        if n_found > MAX_DUPLICATES {
            let more = counted(n_found - MAX_DUPLICATES, "more duplicate value");
            let message = format!("{}: {more}", path.to_route());
            self.refuse(Some(Diagnostic::new(
                &DUPLICATE_ITEM,
                At::path(self.doc, path),
                message,
            )));
        }
    }
}

/// The dialect of an object: which type its field selects, or where that is missing, which one its other fields fit.
/// The fields by which an item is known, as JSON, defaults filled in.
fn by_keys(item: &Node, of: &Type, keys: &[&str]) -> String {
    let default = |key: &str| match of {
        Type::Object(object) => Some((object.field(key)?.default?)().to_string()),
        _ => None,
    };
    let mut fields: Vec<String> = keys
        .iter()
        .filter_map(|key| {
            let value = item
                .get(key)
                .filter(|v| !v.is_null())
                .map(json)
                .or_else(|| default(key))?;
            Some(format!("{key:?}:{value}"))
        })
        .collect();
    fields.sort_unstable();
    format!("{{{}}}", fields.join(","))
}

/// The help about an object whose fields are those of the one around it.
fn one_too_deep(object: &ObjectType, entry: &Entry, path: &Path<'_>) -> Option<String> {
    let Data::Map(below) = &entry.value.data else {
        return None;
    };
    let is_same = !below.is_empty() && below.iter().all(|entry| object.field(&entry.key).is_some());
    let mut above = path.to_route().0;
    above.pop();
    let around = above.iter().rev().find_map(Segment::key)?;
    is_same.then(|| {
        format!(
            "remove `{}`: its fields belong directly below `{around}`",
            entry.key
        )
    })
}

/// A different case is certainly a typo; other typos are likely.
fn renamed(at: At, name: &str, meant: &str) -> Fix {
    let title = format!("rename to \"{meant}\"");
    let fix = if name.eq_ignore_ascii_case(meant) {
        Fix::safe(title)
    } else {
        Fix::risky(title)
    };
    fix.change(EditAction::Rename(at, meant.to_owned()))
}

/// Every document has `apiVersion` and `kind`; the types carry them as constants.
pub(super) fn is_type_meta(key: &str, parent: &Path<'_>) -> bool {
    parent.is_root() && matches!(key, "apiVersion" | "kind")
}

/// A value as JSON, for comparison and messages.
fn json(node: &Node) -> String {
    match &node.data {
        Data::Null => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Int(i) => i.to_string(),
        Data::Uint(u) => u.to_string(),
        Data::Float(f) => f.to_string(),
        Data::String(text) => serde_json::Value::from(&**text).to_string(),
        Data::Seq(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Data::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|e| format!("{:?}:{}", e.key, json(&e.value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
    }
}
