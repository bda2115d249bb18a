//! The volumes of pods, and what containers mount.

use std::collections::{BTreeMap, BTreeSet};

use super::{PodFaults, integer, is_empty, items, known_text, text};
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::route::Path;
use promgen_text::yaml::Value;

/// Fields of sources of volumes that must be set.
const REQUIRED: &[(&str, &[&str])] = &[
    ("hostPath", &["path"]),
    ("secret", &["secretName"]),
    ("configMap", &["name"]),
    ("persistentVolumeClaim", &["claimName"]),
    ("nfs", &["server", "path"]),
    ("csi", &["driver"]),
    ("gcePersistentDisk", &["pdName"]),
    ("awsElasticBlockStore", &["volumeID"]),
    ("azureFile", &["secretName", "shareName"]),
    ("azureDisk", &["diskName", "diskURI"]),
    ("glusterfs", &["endpoints", "path"]),
    ("cinder", &["volumeID"]),
    ("vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", &["pdID"]),
    ("portworxVolume", &["volumeID"]),
    ("flexVolume", &["driver"]),
    ("iscsi", &["targetPortal", "iqn"]),
    ("scaleIO", &["gateway", "system", "volumeName"]),
    ("image", &["reference"]),
];

/// The possible uses of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VolumeUse {
    /// A folder alone.
    Folder,
    /// A folder, or a block device.
    Device,
}

/// The volumes of a pod by name.
pub(super) type VolumesByName<'v> = BTreeMap<&'v str, VolumeUse>;

/// Checks the volumes, and returns the names that can be mounted. A claim of the set takes the place of a volume of its name.
pub(super) fn check<'v>(
    pod: &'v Value,
    claims: &BTreeSet<&'v str>,
    at: &Path<'_>,
    out: &mut PodFaults,
) -> VolumesByName<'v> {
    let mut known: VolumesByName<'v> = claims
        .iter()
        .map(|name| (*name, VolumeUse::Device))
        .collect();
    for (index, volume) in items(pod.get("volumes")).iter().enumerate() {
        let at = at.index(index);
        let name = volume
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if claims.contains(name) {
            continue;
        }
        source(volume, &at, out);
        match name {
            "" => out.required(&at.key("name"), ""),
            name => out.complaints(&at.key("name"), name, &text::dns_label(name)),
        }
        if known.contains_key(name) {
            out.duplicate(&at.key("name"), name);
        }
        let has = |key: &str| volume.get(key).is_some();
        let use_ = if has("persistentVolumeClaim") || has("ephemeral") {
            VolumeUse::Device
        } else {
            VolumeUse::Folder
        };
        known.entry(name).or_insert(use_);
    }
    known
}

fn source(volume: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let sources = volume
        .as_map()
        .into_iter()
        .flatten()
        .filter(|(key, value)| key != "name" && *value != Value::Null);
    let mut n = 0;
    for (key, source) in sources {
        n += 1;
        let at = at.key(key);
        if n > 1 {
            out.forbidden(&at, "may not specify more than 1 volume type");
            continue;
        }
        let required = REQUIRED
            .iter()
            .find(|(kind, _)| key == kind)
            .map_or(&[][..], |(_, fields)| fields);
        required
            .iter()
            .filter(|field| is_empty(source, field))
            .for_each(|field| out.required(&at.key(field), ""));
        content(key, source, &at, out);
    }
}

fn content(kind: &str, source: &Value, at: &Path<'_>, out: &mut PodFaults) {
    match kind {
        "hostPath" => {
            const TYPES: &[&str] = &[
                "",
                "BlockDevice",
                "CharDevice",
                "Directory",
                "DirectoryOrCreate",
                "File",
                "FileOrCreate",
                "Socket",
            ];
            if let Some(path) = known_text(source, "path") {
                text::no_steps_up(path, &at.key("path"), out);
            }
            out.one_of(&at.key("type"), source.get("type"), TYPES);
        }
        "nfs" => {
            if let Some(path) = known_text(source, "path").filter(|path| !path.starts_with('/')) {
                out.invalid(&at.key("path"), path, "must be an absolute path");
            }
        }
        "emptyDir" => {
            let size = source
                .get("sizeLimit")
                .and_then(Value::as_str)
                .and_then(|text| ParsedQuantity::parse(text).ok());
            if size.is_some_and(|size| size.nanos() < 0) {
                out.forbidden(
                    &at.key("sizeLimit"),
                    "SizeLimit field must be a valid resource quantity",
                );
            }
        }
        "secret" | "configMap" => {
            mode(source.get("defaultMode"), &at.key("defaultMode"), out);
            files(source, at, out);
        }
        "downwardAPI" => {
            mode(source.get("defaultMode"), &at.key("defaultMode"), out);
            downward(source, at, out);
        }
        "projected" => projected(source, at, out),
        "ephemeral" => match source.get("volumeClaimTemplate") {
            None | Some(Value::Null) => out.required(&at.key("volumeClaimTemplate"), ""),
            Some(template) => super::resources::claim(
                template.get("spec"),
                &at.key("volumeClaimTemplate").key("spec"),
                out,
            ),
        },
        _ => {}
    }
}

/// The permissions of files.
fn mode(value: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    if let Some(mode) = integer(value).filter(|mode| !(0..=0o777).contains(mode)) {
        out.invalid_number(
            at,
            mode,
            "must be a number between 0 and 0777 (octal), both inclusive",
        );
    }
}

/// The keys of a Secret or ConfigMap that become files.
fn files(source: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for (index, item) in items(source.get("items")).iter().enumerate() {
        let at = at.key("items");
        let at = at.index(index);
        if is_empty(item, "key") {
            out.required(&at.key("key"), "");
        }
        file(item, &at, out);
    }
}

fn file(item: &Value, at: &Path<'_>, out: &mut PodFaults) {
    match known_text(item, "path") {
        Some(path) => text::file_path(path, &at.key("path"), out),
        None if is_empty(item, "path") => out.required(&at.key("path"), ""),
        None => {}
    }
    mode(item.get("mode"), &at.key("mode"), out);
}

fn downward(source: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for (index, item) in items(source.get("items")).iter().enumerate() {
        let at = at.key("items");
        let at = at.index(index);
        file(item, &at, out);
        let n = ["fieldRef", "resourceFieldRef"]
            .iter()
            .filter(|key| item.get(key).is_some())
            .count();
        match n {
            0 => out.required(&at, "one of fieldRef and resourceFieldRef is required"),
            2 => out.invalid(
                &at,
                "resource",
                "fieldRef and resourceFieldRef can not be specified simultaneously",
            ),
            _ => {}
        }
    }
}

fn projected(source: &Value, at: &Path<'_>, out: &mut PodFaults) {
    mode(source.get("defaultMode"), &at.key("defaultMode"), out);
    let mut paths = BTreeSet::new();
    for (index, one) in items(source.get("sources")).iter().enumerate() {
        let at = at.key("sources");
        let at = at.index(index);
        for (n, (kind, content)) in one
            .as_map()
            .into_iter()
            .flatten()
            .filter(|(_, v)| *v != Value::Null)
            .enumerate()
        {
            if n > 0 {
                out.forbidden(&at, "may not specify more than 1 volume type per source");
                break;
            }
            let at = at.key(kind);
            if matches!(kind.as_ref(), "secret" | "configMap") {
                if is_empty(content, "name") {
                    out.required(&at.key("name"), "");
                }
                files(content, &at, out);
            }
            if kind == "downwardAPI" {
                downward(content, &at, out);
            }
            if kind == "serviceAccountToken" {
                token(content, &at, out);
            }
            for path in items(content.get("items"))
                .iter()
                .filter_map(|item| known_text(item, "path"))
            {
                if !paths.insert(path) {
                    out.invalid(&at, path, "conflicting duplicate paths");
                }
            }
        }
    }
}

fn token(content: &Value, at: &Path<'_>, out: &mut PodFaults) {
    match known_text(content, "path") {
        Some(path) => text::file_path(path, &at.key("path"), out),
        None => out.required(&at.key("path"), ""),
    }
    let at = at.key("expirationSeconds");
    match integer(content.get("expirationSeconds")) {
        Some(seconds) if seconds < 600 => {
            out.invalid_number(
                &at,
                seconds,
                "may not specify a duration less than 10 minutes",
            );
        }
        Some(seconds) if seconds > 1 << 32 => {
            out.invalid_number(
                &at,
                seconds,
                "may not specify a duration larger than 2^32 seconds",
            );
        }
        _ => {}
    }
}

/// Checks what a container mounts.
pub(super) fn mounts(
    container: &Value,
    known: &VolumesByName<'_>,
    at: &Path<'_>,
    out: &mut PodFaults,
) {
    let (mut paths, mut names) = (BTreeSet::new(), BTreeSet::new());
    for (index, mount) in items(container.get("volumeMounts")).iter().enumerate() {
        let at = at.key("volumeMounts");
        let at = at.index(index);
        let name = mount
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let path = mount
            .get("mountPath")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if name.is_empty() {
            out.required(&at.key("name"), "");
        }
        if !known.contains_key(name) {
            out.not_found(&at.key("name"), name);
        }
        if path.is_empty() {
            out.required(&at.key("mountPath"), "");
        }
        if !paths.insert(path) {
            out.invalid(&at.key("mountPath"), path, "must be unique");
        }
        names.insert(name);
        options(mount, container, &at, out);
    }
    devices(container, known, (&names, &paths), (at, out));
}

fn options(mount: &Value, container: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for key in ["subPath", "subPathExpr"] {
        if let Some(path) = known_text(mount, key) {
            text::descending(path, &at.key(key), out);
        }
    }
    if let (Some(_), Some(expression)) = (
        known_text(mount, "subPath"),
        known_text(mount, "subPathExpr"),
    ) {
        out.invalid(
            &at.key("subPathExpr"),
            expression,
            "subPathExpr and subPath are mutually exclusive",
        );
    }
    let propagation = at.key("mountPropagation");
    out.one_of(
        &propagation,
        mount.get("mountPropagation"),
        &["Bidirectional", "HostToContainer", "None"],
    );
    let is_privileged = container
        .get("securityContext")
        .and_then(|c| c.get("privileged"))
        == Some(&Value::Bool(true));
    if known_text(mount, "mountPropagation") == Some("Bidirectional") && !is_privileged {
        out.forbidden(
            &propagation,
            "Bidirectional mount propagation is available only to privileged containers",
        );
    }
    recursive(mount, &at.key("recursiveReadOnly"), out);
}

fn recursive(mount: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let Some(asked) = known_text(mount, "recursiveReadOnly") else {
        return;
    };
    out.one_of(
        at,
        mount.get("recursiveReadOnly"),
        &["Disabled", "Enabled", "IfPossible"],
    );
    if matches!(asked, "Enabled" | "IfPossible") {
        if mount.get("readOnly") != Some(&Value::Bool(true)) {
            out.forbidden(at, "may only be specified when readOnly is true");
        }
        if known_text(mount, "mountPropagation").is_some_and(|propagation| propagation != "None") {
            out.forbidden(
                at,
                "may only be specified when mountPropagation is None or not specified",
            );
        }
    }
}

fn devices(
    container: &Value,
    known: &VolumesByName<'_>,
    (names, mounted): (&BTreeSet<&str>, &BTreeSet<&str>),
    (at, out): (&Path<'_>, &mut PodFaults),
) {
    let mut paths = BTreeSet::new();
    for (index, device) in items(container.get("volumeDevices")).iter().enumerate() {
        let at = at.key("volumeDevices");
        let at = at.index(index);
        let name = device
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let path = device
            .get("devicePath")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match (name, known.get(name)) {
            ("", _) => out.required(&at.key("name"), ""),
            (_, None) => out.not_found(&at.key("name"), name),
            (_, Some(VolumeUse::Folder)) => {
                out.invalid(
                    &at.key("name"),
                    name,
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
                );
            }
            (_, Some(VolumeUse::Device)) => {}
        }
        if path.is_empty() {
            out.required(&at.key("devicePath"), "");
        }
        text::no_steps_up(path, &at.key("devicePath"), out);
        if !paths.insert(path) {
            out.invalid(&at.key("devicePath"), path, "must be unique");
        }
        if names.contains(name) {
            out.invalid(
                &at.key("name"),
                name,
                "must not already exist in volumeMounts",
            );
        }
        if !path.is_empty() && mounted.contains(path) {
            out.invalid(
                &at.key("devicePath"),
                path,
                "must not already exist as a path in volumeMounts",
            );
        }
    }
}
