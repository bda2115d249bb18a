//! Who wrote a field: `metadata.managedFields`.
//!
//! In: an object of a cluster. Out: the manager of a path. `kubectl get` leaves managers out unless `--show-managed-fields` is
//! given.

use crate::diff::value::ValueStep;
use promgen_text::yaml::{Map, Value};

use crate::drift::payload;

/// The name under which the operator writes.
const OPERATOR: &str = "PrometheusOperator";

/// Managers that are the tools of a person: `kubectl` except its `apply`, and its interactive relatives.
const HANDS: [&str; 10] = [
    "kubectl-edit",
    "kubectl-patch",
    "kubectl-replace",
    "kubectl-set",
    "kubectl-label",
    "kubectl-annotate",
    "kubectl-rollout",
    "kubectl-create",
    "kubectl",
    "k9s",
];

/// A manager of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manager<'v> {
    /// Its name.
    pub(super) name: &'v str,
    /// When it wrote last.
    pub(super) time: &'v str,
    /// It uses server-side apply.
    pub(super) applies: bool,
}

impl Manager<'_> {
    /// Returns whether it is the operator.
    pub(super) fn is_operator(&self) -> bool {
        self.name == OPERATOR
    }

    /// Returns whether it is the tool of a person.
    pub(super) fn is_hand(&self) -> bool {
        HANDS.contains(&self.name) && !self.applies
    }

    /// `kubectl-edit at 2026-08-01T00:00:00Z`.
    pub(super) fn words(&self) -> String {
        if self.time.is_empty() {
            self.name.to_owned()
        } else {
            format!("{} at {}", self.name, self.time)
        }
    }
}

/// The managers of an object.
#[derive(Debug)]
pub(super) struct Managers<'v> {
    object: &'v Value,
    entries: Vec<(Manager<'v>, &'v Value)>,
}

impl<'v> Managers<'v> {
    /// The managers of an object. Managers of its status are left out.
    pub(super) fn of(object: &'v Value) -> Self {
        let listed = object
            .get("metadata")
            .and_then(|metadata| metadata.get("managedFields"));
        let entry = |entry: &'v Value| {
            let text = |key: &str| entry.text_of(key).unwrap_or_default();
            if text("subresource") == "status" {
                return None;
            }
            let manager = Manager {
                name: text("manager"),
                time: text("time"),
                applies: text("operation") == "Apply",
            };
            Some((manager, entry.get("fieldsV1")?))
        };
        let entries = listed
            .and_then(Value::as_seq)
            .unwrap_or_default()
            .iter()
            .filter_map(entry)
            .collect();
        Self { object, entries }
    }

    /// Returns whether none is known.
    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The manager of a path; the operator, if it is one of several.
    pub(super) fn owner(&self, path: &[ValueStep]) -> Option<Manager<'v>> {
        let owners = || {
            self.entries
                .iter()
                .filter(|(_, fields)| owns(fields, path, Some(self.object)))
                .map(|(m, _)| *m)
        };
        owners()
            .find(Manager::is_operator)
            .or_else(|| owners().max_by_key(|manager| manager.time))
    }

    /// The manager that wrote last.
    pub(super) fn last(&self) -> Option<Manager<'v>> {
        self.entries
            .iter()
            .map(|(manager, _)| *manager)
            .max_by_key(|manager| manager.time)
    }
}

/// Returns whether a set of fields has a path. A list that is one field has no entries for its items.
fn owns(fields: &Value, path: &[ValueStep], value: Option<&Value>) -> bool {
    let Some(map) = fields.as_map() else {
        return false;
    };
    let Some((step, rest)) = path.split_first() else {
        return true;
    };
    if map.iter().all(|(key, _)| key == ".") {
        // Only a leaf that is there as a whole.
        return matches!(step, ValueStep::Index(_) | ValueStep::Named(..)) || map.is_empty();
    }
    let (entry, below) = match step {
        ValueStep::Key(key) => (
            map.get(&format!("f:{key}")),
            value.and_then(|value| value.get(key)),
        ),
        ValueStep::Index(at) => {
            let item = value
                .and_then(Value::as_seq)
                .and_then(|items| items.get(*at));
            (of_item(map, item), item)
        }
        ValueStep::Named(key, name) => {
            let items = value.and_then(Value::as_seq).unwrap_or_default();
            let item = items
                .iter()
                .find(|item| item.get(key).is_some_and(|value| text(value) == *name));
            (of_item(map, item), item)
        }
    };
    entry.is_some_and(|entry| owns(entry, rest, below))
}

/// The fields of an item of a list: below `k:{"name":"web"}`, or `v:"a"`.
fn of_item<'v>(map: &'v Map, item: Option<&Value>) -> Option<&'v Value> {
    let item = item?;
    let is_it = |key: &str| match key.split_once(':') {
        Some(("k", keys)) => {
            let keys = payload::yaml(keys);
            let pairs = keys.as_ref().and_then(Value::as_map);
            pairs.is_some_and(|pairs| {
                pairs
                    .iter()
                    .all(|(key, value)| item.get(key) == Some(value))
            })
        }
        Some(("v", value)) => payload::yaml(value).as_ref() == Some(item),
        _ => false,
    };
    map.iter()
        .find(|(key, _)| is_it(key))
        .map(|(_, fields)| fields)
}

fn text(value: &Value) -> String {
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = r#"
metadata:
  managedFields:
  - {manager: PrometheusOperator, operation: Update, time: "2026-08-01T00:00:00Z", fieldsV1: {
      f:spec: {f:replicas: {}, f:template: {f:spec: {f:containers: {
        'k:{"name":"web"}': {.: {}, f:name: {}, f:args: {}, f:ports: {.: {}, 'k:{"containerPort":80,"protocol":"TCP"}': {.: {}, f:name: {}}}}}}}}}}
  - {manager: kubectl-edit, operation: Update, time: "2026-08-02T00:00:00Z", fieldsV1: {
      f:spec: {f:template: {f:spec: {f:containers: {'k:{"name":"web"}': {f:image: {}, f:resources: {.: {}, f:limits: {.: {}, f:memory: {}}}}}}}}}}
  - {manager: controller, operation: Update, subresource: status, fieldsV1: {f:status: {}}}
spec:
  template:
    spec:
      containers:
      - {name: web, args: [a], ports: [{name: http, containerPort: 80, protocol: TCP}]}
"#;

    fn owner(path: &[ValueStep]) -> Option<String> {
        let set = payload::yaml(SET).unwrap();
        let container =
            ["spec", "template", "spec", "containers"].map(|key| ValueStep::Key(key.into()));
        let mut whole = container.to_vec();
        whole.push(ValueStep::Named("name", "web".into()));
        whole.extend_from_slice(path);
        Managers::of(&set)
            .owner(&whole)
            .map(|manager| manager.name.to_owned())
    }

    #[test]
    fn a_field_has_a_manager() {
        let key = |key: &str| ValueStep::Key(key.into());
        assert_eq!(owner(&[key("image")]).as_deref(), Some("kubectl-edit"));
        assert_eq!(
            owner(&[key("resources"), key("limits"), key("memory")]).as_deref(),
            Some("kubectl-edit")
        );
        assert_eq!(
            owner(&[key("args"), ValueStep::Index(0)]).as_deref(),
            Some("PrometheusOperator")
        );
        assert_eq!(
            owner(&[
                key("ports"),
                ValueStep::Named("name", "http".into()),
                key("name")
            ])
            .as_deref(),
            Some("PrometheusOperator")
        );
        assert_eq!(owner(&[key("command")]), None);
        let set = payload::yaml(SET).unwrap();
        let managers = Managers::of(&set);
        assert_eq!(
            managers.last().map(|m| m.words()).as_deref(),
            Some("kubectl-edit at 2026-08-02T00:00:00Z")
        );
        assert_eq!(
            managers
                .owner(&[key("spec"), key("replicas")])
                .map(|m| m.name),
            Some("PrometheusOperator")
        );
        assert!(Managers::of(&Value::Null).is_empty());
    }
}
