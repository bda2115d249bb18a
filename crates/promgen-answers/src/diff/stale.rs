//! What running pods keep although the manifests say something else: sizes of claims, and what containers read when they start.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::assets::decode;
use promgen_compile::output::Workload;
use promgen_model::model::Model;
use promgen_text::CollectOrdered;
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::yaml::Value;

/// What the pods of a workload keep. `restarts`: whether they restart anyway.
pub(super) fn notes(
    old: &Workload,
    new: &Workload,
    [base, head]: [&Model; 2],
    restarts: bool,
) -> Vec<String> {
    let mut notes = BTreeSet::new();
    for set in sets(new) {
        let name = set.object_name();
        let before = sets(old).find(|old| old.object_name() == name);
        let Some(before) = before else { continue };
        notes.extend(claims(name.unwrap_or_default(), &before, &set));
        if !restarts {
            notes.extend(read_at_start(new, &set, [base, head]));
        }
    }
    notes.into_iter().collect()
}

fn sets(workload: &Workload) -> impl Iterator<Item = Value> {
    let sets = workload.sets();
    sets.map(|object| object.value().into_owned())
}

/// The claims of a StatefulSet whose template differs: Kubernetes makes no change to those that are there.
fn claims(name: &str, old: &Value, new: &Value) -> Vec<String> {
    let of = |set: &Value| -> Vec<Value> {
        let templates = set
            .get("spec")
            .map(|spec| spec.items_of("volumeClaimTemplates"));
        templates.unwrap_or_default().to_vec()
    };
    let (old, mut notes) = (of(old), Vec::new());
    for template in of(new) {
        let claim = template.object_name();
        let is_it = |old: &&Value| old.object_name() == claim;
        let Some(before) = old.iter().find(is_it) else {
            if let Some(gone) = old.first() {
                let [from, to] = [gone, &template].map(|of| of.object_name().unwrap_or_default());
                notes.push(format!(
                    "the pods of StatefulSet {name} get new claims `{to}`, which are empty: those called `{from}` are left over"
                ));
            }
            continue;
        };
        for (field, path) in [
            ("size", &["resources", "requests", "storage"][..]),
            ("class", &["storageClassName"]),
        ] {
            let value = |template: &Value| {
                let spec = template.get("spec");
                let value = path.iter().try_fold(spec?, |value, key| value.get(key));
                value.and_then(|value| value.scalar_text().map(|text| text.into_owned()))
            };
            let or_default = |value: Option<String>| match field {
                "class" => value.or_else(|| Some("of the cluster's default".to_owned())),
                _ => value,
            };
            let [old, new] = [before, &template].map(|of| or_default(value(of)));
            if let (Some(from), Some(to)) = (old, new)
                && from != to
            {
                let nanos = |text: &str| ParsedQuantity::parse(text).map_or(0, |of| of.nanos());
                let way = match field {
                    "size" if nanos(&to) > nanos(&from) => {
                        "patch each PersistentVolumeClaim by hand"
                    }
                    "size" => "a claim cannot shrink, so delete them to get new ones",
                    _ => "delete them to get new ones",
                };
                notes.push(format!(
                    "existing claims of StatefulSet {name} keep the {field} {from}: {way} for {to}"
                ));
            }
        }
    }
    notes
}

/// The keys of Secrets and ConfigMaps that containers read when they start, and whose values differ.
fn read_at_start(workload: &Workload, set: &Value, [base, head]: [&Model; 2]) -> Vec<String> {
    let template = set.get("spec").and_then(|spec| spec.get("template"));
    let Some(pod) = template.and_then(|template| template.get("spec")) else {
        return Vec::new();
    };
    let namespace = &workload.id.namespace;
    let differs = |kind: &str, name: &str, key: Option<&str>| {
        let place = format!("{namespace}/{name}");
        match (values(base, kind, &place), values(head, kind, &place)) {
            (Some(old), Some(new)) => key.map_or(old != new, |key| old.get(key) != new.get(key)),
            _ => false,
        }
    };
    let mut notes = Vec::new();
    for container in pod.items_of("containers") {
        let mut add = |kind: &str, name: &str, key: Option<&str>| {
            if differs(kind, name, key) {
                let what = key.map_or_else(String::new, |key| format!("key {key} of "));
                notes.push(format!(
                    "{what}{kind} {namespace}/{name} differs: container {} reads it when it starts, and nothing restarts the pods",
                    container.text_or_empty("name")
                ));
            }
        };
        for (kind, name, key) in files(pod, container) {
            add(kind, name, Some(key));
        }
        for variable in container.items_of("env") {
            for (field, kind) in [("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")] {
                let from = variable.get("valueFrom");
                if let Some(from) = from.and_then(|from| from.get(field)) {
                    add(kind, from.text_or_empty("name"), from.text_of("key"));
                }
            }
        }
        for source in container.items_of("envFrom") {
            for (field, kind) in [("secretRef", "Secret"), ("configMapRef", "ConfigMap")] {
                if let Some(from) = source.get(field) {
                    add(kind, from.text_or_empty("name"), None);
                }
            }
        }
    }
    notes
}

/// The arguments with a file that Thanos reads when it starts.
const READ_AT_START: [&str; 4] = [
    "--objstore.config-file=",
    "--query.config-file=",
    "--remote-write.config-file=",
    "--tracing.config-file=",
];

/// The keys of Secrets and ConfigMaps behind the files that a container reads when it starts.
fn files<'p>(pod: &'p Value, container: &'p Value) -> Vec<(&'static str, &'p str, &'p str)> {
    let args = container.items_of("args").iter().filter_map(Value::as_str);
    let paths = args.filter_map(|arg| READ_AT_START.iter().find_map(|flag| arg.strip_prefix(flag)));
    let reference = |path: &'p str| {
        let mounts = container.items_of("volumeMounts").iter();
        let within = |mount: &&Value| {
            let rest = path.strip_prefix(mount.text_of("mountPath")?);
            rest?.strip_prefix('/')
        };
        let (mount, file) = mounts
            .filter_map(|mount| Some((mount, within(&mount)?)))
            .min_by_key(|(_, rest)| rest.len())?;
        let is_it = |volume: &&Value| volume.text_of("name") == mount.text_of("name");
        let volume = pod.items_of("volumes").iter().find(is_it)?;
        let kinds = [
            ("secret", "secretName", "Secret"),
            ("configMap", "name", "ConfigMap"),
        ];
        kinds.into_iter().find_map(|(field, name, kind)| {
            let source = volume.get(field)?;
            let items = source.items_of("items").iter();
            let mut items = items.filter(|item| item.text_of("path") == Some(file));
            let key = items
                .next()
                .and_then(|item| item.text_of("key"))
                .unwrap_or(file);
            Some((kind, source.text_of(name)?, key))
        })
    };
    paths.filter_map(reference).collect()
}

/// The values of a Secret or ConfigMap by key. `None` if the input has no such object.
fn values<'m>(model: &'m Model, kind: &str, place: &str) -> Option<BTreeMap<&'m str, Vec<u8>>> {
    let cluster = model.cluster();
    let (encoded, plain) = if kind == "Secret" {
        let secret = &cluster.secrets.get(place)?.value;
        (&secret.data, &secret.string_data)
    } else {
        let map = &cluster.config_maps.get(place)?.value;
        (&map.binary_data, &map.data)
    };
    let bytes = |text: &str| text.as_bytes().to_vec();
    let encoded = encoded.iter().flatten();
    let encoded = encoded.map(|(key, text)| (&**key, decode(text).unwrap_or_else(|| bytes(text))));
    let plain = plain
        .iter()
        .flatten()
        .map(|(key, text)| (&**key, bytes(text)));
    Some(encoded.chain(plain).collect_map())
}
