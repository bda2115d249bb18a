//! The volumes of pods, and what containers mount.

use std::collections::{BTreeMap, BTreeSet};

use super::field::PodField;
use super::text;
use promgen_text::CollectOrdered;
use promgen_text::go::quantity::ParsedQuantity;
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
pub(super) fn check<'v>(pod: &PodField<'v, '_>, claims: &BTreeSet<&'v str>) -> VolumesByName<'v> {
    let mut known: VolumesByName<'v> = claims
        .iter()
        .map(|name| (*name, VolumeUse::Device))
        .collect_map();
    pod.each("volumes", |volume| {
        let of_name = volume.get("name");
        let name = of_name.text();
        if claims.contains(name) {
            return;
        }
        source(volume);
        match name {
            "" => of_name.required(),
            name => of_name.complaints(name, text::dns_label),
        }
        if known.contains_key(name) {
            of_name.duplicate(name);
        }
        let has = |key: &str| volume.get(key).value.is_some();
        let use_ = if has("persistentVolumeClaim") || has("ephemeral") {
            VolumeUse::Device
        } else {
            VolumeUse::Folder
        };
        known.entry(name).or_insert(use_);
    });
    known
}

fn source(volume: &PodField<'_, '_>) {
    let sources = volume
        .entries()
        .filter(|(key, value)| *key != "name" && **value != Value::Null);
    for (index, (key, _)) in sources.enumerate() {
        let source = volume.get(key);
        if index > 0 {
            source.forbidden("may not specify more than 1 volume type");
            continue;
        }
        for (_, fields) in REQUIRED.iter().filter(|(kind, _)| *kind == key) {
            required(&source, fields);
        }
        content(key, &source);
    }
}

/// Checks that fields are set.
pub(super) fn required(of: &PodField<'_, '_>, fields: &[&str]) {
    for field in fields.iter().map(|field| of.get(field)) {
        if field.is_empty() {
            field.required();
        }
    }
}

fn content(kind: &str, source: &PodField<'_, '_>) {
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
    match kind {
        "hostPath" => {
            text::no_steps_up(&source.get("path"));
            source.get("type").one_of(TYPES);
        }
        "nfs" => {
            let of_path = source.get("path");
            if let Some(path) = of_path.known_text().filter(|path| !path.starts_with('/')) {
                of_path.invalid(path, "must be an absolute path");
            }
        }
        "emptyDir" => {
            let limit = source.get("sizeLimit");
            if ParsedQuantity::parse(limit.text()).is_ok_and(|size| size.nanos() < 0) {
                limit.forbidden("SizeLimit field must be a valid resource quantity");
            }
        }
        "secret" | "configMap" => {
            mode(&source.get("defaultMode"));
            source.each("items", keyed_file);
        }
        "downwardAPI" => {
            mode(&source.get("defaultMode"));
            source.each("items", downward);
        }
        "projected" => projected(source),
        "ephemeral" => {
            let template = source.get("volumeClaimTemplate");
            if template.is_set() {
                super::resources::claim(&template.get("spec"));
            } else {
                template.required();
            }
        }
        _ => {}
    }
}

/// The permissions of files.
fn mode(mode: &PodField<'_, '_>) {
    mode.number(
        |mode| (0..=0o777).contains(&mode),
        "must be a number between 0 and 0777 (octal), both inclusive",
    );
}

/// A key of a Secret or ConfigMap that becomes a file.
fn keyed_file(item: &PodField<'_, '_>) {
    required(item, &["key"]);
    file(item);
}

fn file(item: &PodField<'_, '_>) {
    text::file_path(&item.get("path"));
    required(item, &["path"]);
    mode(&item.get("mode"));
}

fn downward(item: &PodField<'_, '_>) {
    file(item);
    let has = |key: &str| item.get(key).value.is_some();
    match (has("fieldRef"), has("resourceFieldRef")) {
        (false, false) => item.required_as("one of fieldRef and resourceFieldRef is required"),
        (true, true) => item.invalid(
            "resource",
            "fieldRef and resourceFieldRef can not be specified simultaneously",
        ),
        (true, false) | (false, true) => {}
    }
}

fn projected(source: &PodField<'_, '_>) {
    mode(&source.get("defaultMode"));
    let mut paths = BTreeSet::new();
    source.each("sources", |one| {
        let kinds = one.entries().filter(|(_, value)| **value != Value::Null);
        for (n, (kind, _)) in kinds.enumerate() {
            if n > 0 {
                one.forbidden("may not specify more than 1 volume type per source");
                break;
            }
            let content = one.get(kind);
            match kind {
                "secret" | "configMap" => {
                    required(&content, &["name"]);
                    content.each("items", keyed_file);
                }
                "downwardAPI" => content.each("items", downward),
                "serviceAccountToken" => token(&content),
                _ => {}
            }
            content.each("items", |item| {
                if let Some(path) = item.get("path").known_text()
                    && !paths.insert(path)
                {
                    content.invalid(path, "conflicting duplicate paths");
                }
            });
        }
    });
}

fn token(content: &PodField<'_, '_>) {
    let path = content.get("path");
    match path.known_text() {
        Some(_) => text::file_path(&path),
        None => path.required(),
    }
    let expiration = content.get("expirationSeconds");
    expiration.number(
        |seconds| seconds >= 600,
        "may not specify a duration less than 10 minutes",
    );
    expiration.number(
        |seconds| seconds <= 1 << 32,
        "may not specify a duration larger than 2^32 seconds",
    );
}

/// Checks what a container mounts.
pub(super) fn mounts(container: &PodField<'_, '_>, known: &VolumesByName<'_>) {
    let (mut paths, mut names) = (BTreeSet::new(), BTreeSet::new());
    container.each("volumeMounts", |mount| {
        let (of_name, of_path) = (mount.get("name"), mount.get("mountPath"));
        let (name, path) = (of_name.text(), of_path.text());
        if name.is_empty() {
            of_name.required();
        }
        if !known.contains_key(name) {
            of_name.not_found(name);
        }
        if path.is_empty() {
            of_path.required();
        }
        if !paths.insert(path) {
            of_path.invalid(path, "must be unique");
        }
        names.insert(name);
        options(mount, container);
    });
    devices(container, known, &names, &paths);
}

fn options(mount: &PodField<'_, '_>, container: &PodField<'_, '_>) {
    let (path, expression) = (mount.get("subPath"), mount.get("subPathExpr"));
    text::descending(&path);
    text::descending(&expression);
    if let (Some(_), Some(text)) = (path.known_text(), expression.known_text()) {
        expression.invalid(text, "subPathExpr and subPath are mutually exclusive");
    }
    let propagation = mount.get("mountPropagation");
    propagation.one_of(&["Bidirectional", "HostToContainer", "None"]);
    let context = container.get("securityContext");
    let is_privileged = context.get("privileged").is(true);
    if propagation.known_text() == Some("Bidirectional") && !is_privileged {
        propagation.forbidden(
            "Bidirectional mount propagation is available only to privileged containers",
        );
    }
    let recursive = mount.get("recursiveReadOnly");
    let Some(asked) = recursive.known_text() else {
        return;
    };
    recursive.one_of(&["Disabled", "Enabled", "IfPossible"]);
    if matches!(asked, "Enabled" | "IfPossible") {
        if !mount.get("readOnly").is(true) {
            recursive.forbidden("may only be specified when readOnly is true");
        }
        if propagation.known_text().is_some_and(|text| text != "None") {
            recursive
                .forbidden("may only be specified when mountPropagation is None or not specified");
        }
    }
}

fn devices(
    container: &PodField<'_, '_>,
    known: &VolumesByName<'_>,
    names: &BTreeSet<&str>,
    mounted: &BTreeSet<&str>,
) {
    let mut paths = BTreeSet::new();
    container.each("volumeDevices", |device| {
        let (of_name, of_path) = (device.get("name"), device.get("devicePath"));
        let (name, path) = (of_name.text(), of_path.text());
        match (name, known.get(name)) {
            ("", _) => of_name.required(),
            (_, None) => of_name.not_found(name),
            (_, Some(VolumeUse::Folder)) => of_name.invalid(
                name,
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
            (_, Some(VolumeUse::Device)) => {}
        }
        if path.is_empty() {
            of_path.required();
        }
        text::no_steps_up(&of_path);
        if !paths.insert(path) {
            of_path.invalid(path, "must be unique");
        }
        if names.contains(name) {
            of_name.invalid(name, "must not already exist in volumeMounts");
        }
        if !path.is_empty() && mounted.contains(path) {
            of_path.invalid(path, "must not already exist as a path in volumeMounts");
        }
    });
}
