//! Random lists in strategic merge patches: of known kinds, whose lists merge by keys, and of others, whose lists do not.

use std::collections::BTreeMap;
use std::path::Path;

use promgen_repository::kustomize::fault::BuildFault;
use promgen_repository::kustomize::patch::{MergeTypes, strategic_merge};
use promgen_text::yaml::Node;

use super::{Random, canonical, kustomize, map, number, output, parse};
use promgen_text::CollectOrdered;

/// Which keys the items of a list lack.
#[derive(Clone, Copy)]
enum Profile {
    /// None.
    Complete,
    /// Some items lack the last key.
    Partial,
    /// All items lack the last key, and some lack the other one.
    OneKey,
    /// Some items lack all.
    Nameless,
    /// Any item may lack any.
    Any,
}

const PROFILES: [Profile; 8] = [
    Profile::Complete,
    Profile::Partial,
    Profile::Partial,
    Profile::Partial,
    Profile::OneKey,
    Profile::OneKey,
    Profile::Nameless,
    Profile::Any,
];

/// The keys of a list, each with its values.
type Keys = &'static [(&'static str, &'static [&'static str])];

const NAMES: Keys = &[("name", &["a", "b", "c"])];
const PORTS: Keys = &[
    ("containerPort", &["80", "'80'", "90"]),
    ("protocol", &["TCP", "UDP", "SCTP"]),
];
const SERVICE_PORTS: Keys = &[
    ("port", &["80", "90"]),
    ("protocol", &["TCP", "UDP", "SCTP"]),
];
const CONSTRAINTS: Keys = &[
    ("topologyKey", &["t", "u"]),
    ("whenUnsatisfiable", &["D", "S"]),
];

/// Lists of one side, the object or its patch.
struct Side<'r> {
    random: &'r mut Random,
    profile: Profile,
    is_patch: bool,
    /// Numbers the items, so that each can be told from others.
    count: u32,
}

impl Side<'_> {
    fn has_key(&mut self, index: usize, count: usize) -> bool {
        let percent = match self.profile {
            Profile::Complete => 100,
            Profile::Partial if index + 1 < count || count == 1 => 100,
            Profile::Partial => 60,
            Profile::OneKey if index == 0 => 85,
            Profile::OneKey => 0,
            Profile::Nameless => 100,
            Profile::Any => 75,
        };
        self.random.chance(percent)
    }

    fn directive(&mut self, percent: u64, entries: &mut BTreeMap<&str, String>) {
        if self.is_patch && self.random.chance(percent) {
            entries.insert(
                "$patch",
                self.random
                    .pick(&["replace", "delete", "delete", "merge"])
                    .to_owned(),
            );
        }
    }

    fn item(&mut self, keys: Keys) -> String {
        let mut entries = BTreeMap::new();
        let is_nameless = matches!(self.profile, Profile::Nameless) && self.random.chance(15);
        for (index, (key, values)) in keys.iter().enumerate() {
            if !is_nameless && self.has_key(index, keys.len()) {
                entries.insert(*key, self.random.pick(values).to_owned());
            }
        }
        self.count += 1;
        let mark = format!("{}{}", if self.is_patch { "p" } else { "o" }, self.count);
        entries.insert(self.random.pick(&["x", "w", "z"]), mark);
        if self.random.chance(30) {
            let is_patch = self.is_patch;
            entries.insert(self.random.pick(&["l", "m"]), self.random.map(2, is_patch));
        }
        if self.random.chance(10) {
            entries.insert(
                self.random.pick(&["m", "x"]),
                self.random.pick(&["null", "~"]).to_owned(),
            );
        }
        self.directive(20, &mut entries);
        map(&entries)
    }

    /// A list that merges by keys.
    fn items(&mut self, keys: Keys) -> String {
        let mut items: Vec<_> = (0..self.random.below(6)).map(|_| self.item(keys)).collect();
        if self.random.chance(4) && !matches!(self.profile, Profile::Partial | Profile::OneKey) {
            items.push(self.random.pick(&["{}", "null", "~"]).to_owned());
        }
        self.spread(items)
    }

    /// A list of anything.
    fn mixed(&mut self) -> String {
        let is_patch = self.is_patch;
        let items = (0..self.random.below(5)).map(|_| match self.random.below(4) {
            0 => self.item(NAMES),
            1 => self.random.scalar().to_owned(),
            _ => self.random.value(2, is_patch),
        });
        let items = items.collect();
        self.spread(items)
    }

    /// A list with more items: copies, directives, what does not fit.
    fn spread(&mut self, mut items: Vec<String>) -> String {
        if !items.is_empty() && self.random.chance(10) {
            items.push(items[0].clone());
        }
        if self.random.chance(if self.is_patch { 3 } else { 1 }) {
            items.push(self.random.pick(&["x", "[k]", "3", "null"]).to_owned());
        }
        self.with_directive(items)
    }

    fn with_directive(&mut self, mut items: Vec<String>) -> String {
        if self.is_patch && self.random.chance(5) {
            let directive = self
                .random
                .pick(&["replace", "delete", "merge", "replace", "delete", "bogus"]);
            items.insert(0, format!("{{$patch: {directive}}}"));
        }
        format!("[{}]", items.join(", "))
    }

    /// A list of scalars that merges as a set.
    fn set(&mut self) -> String {
        let mut items: Vec<_> = (0..self.random.below(4))
            .map(|_| self.random.pick(&["f", "g", "h", "'f'", "3"]).to_owned())
            .collect();
        if self.random.chance(15) {
            items.push(self.random.pick(&["null", "~", "{}"]).to_owned());
        }
        self.with_directive(items)
    }

    fn container(&mut self) -> String {
        let mut entries = BTreeMap::from([("name", self.random.pick(&["a", "b"]).to_owned())]);
        if self.random.chance(90) {
            entries.insert("ports", self.items(PORTS));
        }
        if self.random.chance(30) {
            entries.insert("env", self.items(NAMES));
        }
        if self.random.chance(20) {
            entries.insert("args", self.mixed());
        }
        self.directive(6, &mut entries);
        map(&entries)
    }

    fn pod_spec(&mut self) -> String {
        let mut entries = BTreeMap::new();
        match self.random.below(4) {
            0 => entries.insert("containers", self.items(NAMES)),
            1 => entries.insert("topologySpreadConstraints", self.items(CONSTRAINTS)),
            _ => entries.insert("containers", format!("[{}]", self.container())),
        };
        if self.is_patch && self.random.chance(20) {
            entries.insert("$setElementOrder/containers", self.items(NAMES));
        }
        map(&entries)
    }

    fn other_spec(&mut self) -> String {
        let mut entries = BTreeMap::new();
        for key in ["a", "ports", "containers"] {
            if self.random.chance(60) {
                entries.insert(
                    key,
                    if self.random.chance(50) {
                        self.mixed()
                    } else {
                        self.items(SERVICE_PORTS)
                    },
                );
            }
        }
        if self.is_patch && self.random.chance(20) {
            entries.insert("$setElementOrder/a", self.mixed());
            entries.insert("$deleteFromPrimitiveList/a", self.set());
        }
        map(&entries)
    }

    fn document(&mut self, kind: usize, name: &str) -> String {
        let (api_version, kind) = KINDS[kind];
        let spec = match kind {
            "Pod" => self.pod_spec(),
            // Where only the patch has a list, that is a list of its own kind.
            "Deployment" if self.is_patch || self.random.chance(60) => {
                format!("{{template: {{spec: {}}}}}", self.pod_spec())
            }
            "Deployment" => "{replicas: 1}".to_owned(),
            "Service" => format!("{{ports: {}}}", self.items(SERVICE_PORTS)),
            _ => self.other_spec(),
        };
        let more = if self.random.chance(20) {
            format!(", finalizers: {}", self.set())
        } else {
            String::new()
        };
        format!(
            "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}{more}}}\nspec: {spec}\n"
        )
    }
}

const KINDS: [(&str, &str); 5] = [
    ("v1", "Service"),
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("monitoring.coreos.com/v1", "Prometheus"),
    ("my.io/v1", "Service"),
];

/// An object, and its patch.
struct Pair {
    name: String,
    object: String,
    patch: String,
}

fn pair(random: &mut Random, name: String) -> Pair {
    let kind = [0, 0, 1, 1, 2, 2, 3, 4][usize::try_from(random.below(8)).unwrap()];
    let profile = PROFILES[usize::try_from(random.below(8)).unwrap()];
    let object = Side {
        random,
        profile,
        is_patch: false,
        count: 0,
    }
    .document(kind, &name);
    let patch = Side {
        random,
        profile,
        is_patch: true,
        count: 0,
    }
    .document(kind, &name);
    Pair {
        name,
        object,
        patch,
    }
}

fn ours(pair: &Pair) -> Result<String, BuildFault> {
    let patch = parse(1, &pair.patch).remove(0);
    let object = parse(0, &pair.object).remove(0);
    Ok(strategic_merge(object, &patch, &MergeTypes::default())?
        .map(|object| canonical(&object))
        .unwrap_or_default())
}

/// The result of the real Kustomize for each pair: for all of them at once, and for halves where it refuses one.
fn theirs<T>(kustomize: &Path, pairs: &[(Pair, T)]) -> Vec<Result<String, String>> {
    let mut files = Vec::new();
    for (index, (pair, _)) in pairs.iter().enumerate() {
        files.push((format!("object-{index}.yaml"), pair.object.clone()));
        files.push((format!("patch-{index}.yaml"), pair.patch.clone()));
    }
    let list = |name: &str, before: &str, after: &str| {
        let items: Vec<_> = (0..pairs.len())
            .map(|index| format!("{before}{name}-{index}.yaml{after}"))
            .collect();
        items.join(", ")
    };
    let (objects, patches) = (list("object", "", ""), list("patch", "{path: ", "}"));
    files.push((
        "kustomization.yaml".to_owned(),
        format!("resources: [{objects}]\npatches: [{patches}]\n"),
    ));
    match output(kustomize, 7, &files) {
        Ok(text) => {
            let name = |node: &Node| {
                node.get("metadata")?
                    .get("name")?
                    .as_str()
                    .map(str::to_owned)
            };
            let all: BTreeMap<_, _> = parse(9, &text)
                .iter()
                .map(|node| (name(node).unwrap(), canonical(node)))
                .collect_map();
            pairs
                .iter()
                .map(|(pair, _)| Ok(all[&pair.name].clone()))
                .collect()
        }
        Err(error) if pairs.len() == 1 => vec![Err(error)],
        Err(_) => {
            let (head, tail) = pairs.split_at(pairs.len() / 2);
            let mut all = theirs(kustomize, head);
            all.extend(theirs(kustomize, tail));
            all
        }
    }
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn lists_in_strategic_merge_patches() {
    const BATCH: usize = 40;
    let kustomize = kustomize();
    let mut random = Random(number("SEED", 1) * 1000 + 7);
    let count = usize::try_from(number("ROUNDS", 50)).unwrap() * BATCH;
    let tried = (0..count).map(|index| {
        let pair = pair(&mut random, format!("o{index}"));
        let ours = ours(&pair);
        (pair, ours)
    });
    // One that is refused spoils its batch.
    let (sound, faulty): (Vec<_>, Vec<_>) =
        tried.partition(|(_, ours)| ours.as_ref().err().is_none_or(|fault| fault.is_unsupported));
    let (mut faults, mut refused, mut wrong) = (0, 0, Vec::new());
    for batch in sound.chunks(BATCH).chain(faulty.chunks(1)) {
        for ((pair, ours), theirs) in batch.iter().zip(theirs(&kustomize, batch)) {
            faults += usize::from(theirs.is_err());
            if ours.as_ref().is_err_and(|fault| fault.is_unsupported) {
                refused += 1;
            } else if ours.as_ref().ok() != theirs.as_ref().ok() {
                wrong.push(format!(
                    "{}--- patch\n{}ours   {ours:#?}\ntheirs {theirs:#?}\n",
                    pair.object, pair.patch
                ));
            }
        }
    }
    println!("{count} lists, {faults} of them faulty, {refused} of them refused by promgen");
    assert!(refused * 5 <= count, "promgen refuses {refused} of {count}");
    let first = wrong[..wrong.len().min(5)]
        .join("\n======\n")
        .replace("\\\"", "'");
    assert!(wrong.is_empty(), "{} disagree\n{first}", wrong.len());
}
