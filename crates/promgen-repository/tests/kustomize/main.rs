//! Random patches, images, replicas and replacements, through the real Kustomize and through this crate. Runs where
//! `KUSTOMIZE` names the binary; `ROUNDS` and `SEED` say how much and what is tried.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "runs a program on files that it writes"
)]

mod lists;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use promgen_repository::kustomize::object::BuiltObject;
use promgen_repository::kustomize::patch::{MergeTypes, PatchSelector, json6902, strategic_merge};
use promgen_repository::kustomize::{
    fault::BuildFault, images::ImageReplacement, replacements, replicas,
};
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Node};

/// A pseudo-random number generator: the tests must repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[usize::try_from(self.below(texts.len() as u64)).unwrap()]
    }

    fn list(&mut self, max: u64, mut item: impl FnMut(&mut Self) -> String) -> String {
        let items: Vec<_> = (0..self.below(max + 1)).map(|_| item(self)).collect();
        format!("[{}]", items.join(", "))
    }

    fn scalar(&mut self) -> &'static str {
        self.pick(&[
            "1", "2", "x", "'x'", "\"3\"", "true", "'false'", "1.5", "''", "80", "'80'", "a b",
        ])
    }

    /// Any value; `is_patch` adds directives.
    fn value(&mut self, depth: u64, is_patch: bool) -> String {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0..4 => self.scalar().to_owned(),
            4 => self.pick(&["null", "~"]).to_owned(),
            5 | 6 => self.map(depth - 1, is_patch),
            _ => self.list(3, |random| random.value(depth - 1, is_patch)),
        }
    }

    fn map(&mut self, depth: u64, is_patch: bool) -> String {
        let mut entries = BTreeMap::new();
        for _ in 0..self.below(4) {
            entries.insert(
                self.pick(&["a", "b", "c", "d"]),
                self.value(depth, is_patch),
            );
        }
        if is_patch && self.chance(12) {
            entries.insert(
                "$patch",
                self.pick(&["replace", "delete", "merge", "merge", "bogus"])
                    .to_owned(),
            );
        }
        map(&entries)
    }

    /// An item of a list that merges by `keys`.
    fn item(&mut self, keys: &[(&'static str, &[&str])], is_patch: bool) -> String {
        let mut entries = BTreeMap::new();
        for (index, (key, values)) in keys.iter().enumerate() {
            if self.chance(if index == 0 { 97 } else { 75 }) {
                entries.insert(*key, self.pick(values).to_owned());
            }
        }
        for _ in 0..self.below(3) {
            entries.insert(self.pick(&["x", "w", "z"]), self.value(1, is_patch));
        }
        if is_patch && self.chance(12) {
            entries.insert(
                "$patch",
                self.pick(&["replace", "delete", "merge", "delete"])
                    .to_owned(),
            );
        }
        map(&entries)
    }

    fn items(&mut self, keys: &[(&'static str, &[&str])], is_patch: bool) -> String {
        let mut list = self.list(4, |random| random.item(keys, is_patch));
        if is_patch && self.chance(8) {
            let directive = self.pick(&["replace", "delete", "merge"]);
            list = list
                .replacen('[', &format!("[{{$patch: {directive}}}, "), 1)
                .replace(", ]", "]");
        }
        list
    }

    fn container(&mut self, is_patch: bool) -> String {
        let mut entries = BTreeMap::new();
        if self.chance(97) {
            entries.insert("name", self.pick(&["a", "b", "c"]).to_owned());
        }
        if self.chance(70) {
            let keys: &[(_, &[&str])] = &[
                ("containerPort", &["80", "'80'", "90"]),
                ("protocol", &["TCP", "UDP"]),
            ];
            entries.insert("ports", self.items(keys, is_patch));
        }
        if self.chance(40) {
            entries.insert("env", self.items(&[("name", &["A", "B", "C"])], is_patch));
        }
        if self.chance(20) {
            entries.insert("args", self.value(2, is_patch));
        }
        if self.chance(40) {
            entries.insert("image", self.image().to_owned());
        }
        if is_patch && self.chance(8) {
            entries.insert(
                "$patch",
                self.pick(&["replace", "delete", "merge"]).to_owned(),
            );
        }
        map(&entries)
    }

    fn image(&mut self) -> &'static str {
        self.pick(&[
            "nginx",
            "nginx:1",
            "nginx:1@sha256:ab",
            "nginx@sha256:ab",
            "reg:50/nginx:2",
            "reg:50/nginx",
            "a/nginx:1.2",
            "xnginx",
            "nginx:",
        ])
    }

    fn pod_spec(&mut self, is_patch: bool) -> String {
        let mut entries = BTreeMap::new();
        for key in ["containers", "initContainers"] {
            if self.chance(50) {
                entries.insert(key, self.list(3, |random| random.container(is_patch)));
            }
        }
        if self.chance(30) {
            entries.insert("volumes", self.items(&[("name", &["v", "w"])], is_patch));
        }
        if self.chance(20) {
            entries.insert(
                "hostAliases",
                self.items(&[("ip", &["1.1.1.1", "2.2.2.2"])], is_patch),
            );
        }
        if self.chance(20) {
            let keys: &[(_, &[&str])] = &[
                ("topologyKey", &["t", "u"]),
                ("whenUnsatisfiable", &["D", "S"]),
            ];
            entries.insert("topologySpreadConstraints", self.items(keys, is_patch));
        }
        if self.chance(30) {
            entries.insert("other", self.value(3, is_patch));
        }
        map(&entries)
    }

    fn object(&mut self, kind: &(&str, &str), name: &str, is_patch: bool) -> String {
        let spec = match kind.1 {
            "Pod" | "Custom" => self.pod_spec(is_patch),
            "Deployment" => {
                format!(
                    "{{template: {{spec: {}}}, x: {}}}",
                    self.pod_spec(is_patch),
                    self.value(2, is_patch)
                )
            }
            "Service" => {
                let keys: &[(_, &[&str])] =
                    &[("port", &["80", "90", "70"]), ("protocol", &["TCP", "UDP"])];
                format!("{{ports: {}}}", self.items(keys, is_patch))
            }
            _ => self.value(4, is_patch),
        };
        let metadata = if self.chance(30) {
            format!(
                ", finalizers: {}",
                self.list(3, |random| random.pick(&["f", "g", "h"]).to_owned())
            )
        } else {
            String::new()
        };
        format!(
            "apiVersion: {}\nkind: {}\nmetadata: {{name: {name}{metadata}}}\nspec: {spec}\n",
            kind.0, kind.1
        )
    }
}

fn map(entries: &BTreeMap<&str, String>) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

const KINDS: &[(&str, &str)] = &[
    ("v1", "Pod"),
    ("v1", "Service"),
    ("apps/v1", "Deployment"),
    ("my.io/v1", "Custom"),
    ("my.io/v1", "Other"),
];

fn parse(file: u32, text: &str) -> Vec<Node> {
    let mut sink = Sink::default();
    let documents = read(FileId::new(file), text, &mut sink);
    assert!(
        sink.diagnostics().is_empty(),
        "{:?} in {text}",
        sink.diagnostics()
    );
    documents
        .into_iter()
        .map(|document| document.root.into_value())
        .collect()
}

/// A value as text in which the order of keys and the places do not show.
fn canonical(node: &Node) -> String {
    match &node.data {
        Data::Seq(items) => format!(
            "[{}]",
            items.iter().map(canonical).collect::<Vec<_>>().join(",")
        ),
        Data::Map(entries) => {
            let entries: BTreeMap<_, _> = entries
                .iter()
                .map(|e| (e.key.clone(), canonical(&e.value)))
                .collect_map();
            let entries: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{key}:{value}"))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        Data::String(text) => format!("{text:?}"),
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Uint(value) => value.to_string(),
        Data::Float(value) => value.to_string(),
    }
}

/// One thing to try: an object, more in the input, the entry of the kustomization.
struct Case {
    objects: String,
    patch: String,
    entry: String,
}

/// The output of the real Kustomize for a folder of these files.
fn output(kustomize: &Path, salt: u64, files: &[(String, String)]) -> Result<String, String> {
    let folder = env::temp_dir().join(format!("promgen-kustomize-{}-{salt}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let output = Command::new(kustomize)
        .arg("build")
        .arg(&folder)
        .output()
        .unwrap();
    fs::remove_dir_all(&folder).unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The result of the real Kustomize.
fn built(kustomize: &Path, salt: u64, case: &Case) -> Result<Vec<String>, String> {
    let files = [
        ("objects.yaml", case.objects.clone()),
        ("patch.yaml", case.patch.clone()),
        (
            "kustomization.yaml",
            format!("resources: [objects.yaml]\n{}", case.entry),
        ),
    ];
    let text = output(
        kustomize,
        salt,
        &files.map(|(name, text)| (name.to_owned(), text)),
    )?;
    let mut built: Vec<_> = parse(9, &text).iter().map(canonical).collect();
    built.sort_unstable();
    Ok(built)
}

/// The program. Its tests are ignored unless they are asked for.
fn kustomize() -> PathBuf {
    let program =
        env::var_os("KUSTOMIZE").expect("the environment variable KUSTOMIZE names a program");
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(program)
}

/// The number of a variable of the environment.
fn number(name: &str, default: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Tries random cases, and fails with those that disagree.
fn compare(
    salt: u64,
    case: impl Fn(&mut Random) -> Case,
    ours: impl Fn(&Case) -> Result<Vec<String>, BuildFault>,
) {
    let kustomize = kustomize();
    let mut random = Random(number("SEED", 1) * 1000 + salt);
    let (mut faults, mut refused, mut wrong) = (0, 0, Vec::new());
    let rounds = number("ROUNDS", 50);
    for _ in 0..rounds {
        let case = case(&mut random);
        let ours = ours(&case).map(|mut objects| {
            objects.sort_unstable();
            objects
        });
        if ours.as_ref().is_err_and(|fault| fault.is_unsupported) {
            refused += 1;
            continue;
        }
        let theirs = built(&kustomize, salt, &case);
        faults += usize::from(theirs.is_err());
        if ours.as_ref().ok() != theirs.as_ref().ok() {
            let Case {
                objects,
                patch,
                entry,
            } = case;
            wrong.push(format!("{objects}--- patch\n{patch}--- entry\n{entry}ours   {ours:#?}\ntheirs {theirs:#?}\n"));
        }
    }
    println!("{rounds} cases, {faults} of them faulty, {refused} of them refused by promgen");
    assert!(
        refused * 5 <= rounds,
        "promgen refuses {refused} of {rounds}"
    );
    assert!(
        wrong.is_empty(),
        "{} disagree\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)]
            .join("\n======\n")
            .replace("\\\"", "'")
    );
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn strategic_merge_patches() {
    let case = |random: &mut Random| {
        let kind = KINDS[usize::try_from(random.below(KINDS.len() as u64)).unwrap()];
        let objects = random.object(&kind, "o", false);
        Case {
            objects,
            patch: random.object(&kind, "o", true),
            entry: "patches: [{path: patch.yaml}]\n".to_owned(),
        }
    };
    compare(1, case, |case| {
        let patch = parse(1, &case.patch).remove(0);
        let object = parse(0, &case.objects).remove(0);
        Ok(strategic_merge(object, &patch, &MergeTypes::default())?
            .iter()
            .map(canonical)
            .collect())
    });
}

fn operation(random: &mut Random) -> String {
    let path = |random: &mut Random| {
        let steps: Vec<_> = (0..random.below(3))
            .map(|_| random.pick(&["a", "b", "c", "0", "1", "-", "-1", "~0", "x~1y"]))
            .collect();
        format!(
            "'/spec/{}/{}'",
            random.pick(&["l", "m", "l/2", "m/a", "m/x~1y"]),
            steps.join("/")
        )
    };
    let name = random.pick(&[
        "add", "add", "remove", "replace", "replace", "move", "copy", "test",
    ]);
    let mut operation = format!("- op: {name}\n  path: {}\n", path(random));
    if ["move", "copy"].contains(&name) {
        operation += &format!("  from: {}\n", path(random));
    } else if name != "remove" {
        operation += &format!("  value: {}\n", random.value(2, false));
    }
    operation
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn json_patches() {
    let case = |random: &mut Random| {
        let spec = "{l: [1, x, {a: 1, b: {c: []}}, [3]], m: {a: [1, 2], b: {c: null}, 'x/y': {'~': 1}, c: '5'}}";
        let objects =
            format!("apiVersion: my.io/v1\nkind: Other\nmetadata: {{name: o}}\nspec: {spec}\n");
        let patch: String = (0..=random.below(2)).map(|_| operation(random)).collect();
        Case {
            objects,
            patch,
            entry: "patches: [{path: patch.yaml, target: {kind: Oth.*}}]\n".to_owned(),
        }
    };
    compare(2, case, |case| {
        let patch = parse(1, &case.patch).remove(0);
        let object = BuiltObject::new(parse(0, &case.objects).remove(0));
        assert!(PatchSelector::read(&parse(2, "kind: Oth.*")[0])?.matches(&object));
        Ok(vec![canonical(&json6902(object.node, &patch)?)])
    });
}

const MARK: &str = "- {op: add, path: /marked, value: true}\n";

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn targets_of_patches() {
    let objects = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ns, labels: {app: x, tier: '1'}}\n---\n\
                   apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ab, labels: {app: z}}\n---\n\
                   apiVersion: v1\nkind: Namespace\nmetadata: {name: ns, annotations: {app: x}}\n---\n\
                   apiVersion: my.io/v1\nkind: Pod\nmetadata: {name: b, namespace: default}\n";
    let case = |random: &mut Random| {
        let mut target = BTreeMap::new();
        let fields: &[(&str, &[&str])] = &[
            ("group", &["apps", "''", "my", "my.io", "a.*"]),
            ("version", &["v1", "v", "v."]),
            ("kind", &["Pod", "Po", "P.*", "Pod|Namespace", "'(?i)pod'"]),
            ("name", &["a", "a.", "'a.?'", "b|a", "^a$"]),
            (
                "namespace",
                &["ns", "default", "d.*", "_non_namespaceable_", "_.*"],
            ),
            (
                "labelSelector",
                &[
                    "app=x",
                    "'app in (x,z),!tier'",
                    "app",
                    "'!app'",
                    "tier>0",
                    "app!=x",
                    "'a b'",
                ],
            ),
            ("annotationSelector", &["app=x", "'!app'"]),
        ];
        for (field, values) in fields {
            if random.chance(25) {
                target.insert(*field, random.pick(values).to_owned());
            }
        }
        let patch = MARK.to_owned();
        let entry = format!("patches:\n- path: patch.yaml\n  target: {}\n", map(&target));
        Case {
            objects: objects.to_owned(),
            patch,
            entry,
        }
    };
    compare(3, case, |case| {
        let entry = parse(2, &case.entry).remove(0);
        let selector = PatchSelector::read(
            entry.get("patches").unwrap().items()[0]
                .get("target")
                .unwrap(),
        )?;
        let patch = parse(1, MARK).remove(0);
        let built = |node: Node| {
            let object = BuiltObject::new(node);
            let node = if selector.matches(&object) {
                json6902(object.node, &patch)?
            } else {
                object.node
            };
            Ok(canonical(&node))
        };
        parse(0, objects).into_iter().map(built).collect()
    });
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn images_of_containers() {
    let case = |random: &mut Random| {
        let mut entry = BTreeMap::from([(
            "name",
            random
                .pick(&["nginx", "reg:50/nginx", ".*nginx", "a/nginx"])
                .to_owned(),
        )]);
        let fields: &[(&str, &[&str])] = &[
            ("newName", &["new", "reg:1/new", "''"]),
            ("newTag", &["'2'", "v3"]),
            ("digest", &["'sha256:cd'"]),
            ("tagSuffix", &["-s"]),
        ];
        for (field, values) in fields {
            if random.chance(40) {
                entry.insert(field, random.pick(values).to_owned());
            }
        }
        let kinds = [
            ("v1", "Pod"),
            ("apps/v1", "Deployment"),
            ("my.io/v1", "Custom"),
        ];
        let kind = kinds[usize::try_from(random.below(3)).unwrap()];
        let objects = random.object(&kind, "o", false);
        Case {
            objects,
            patch: String::new(),
            entry: format!("images:\n- {}\n", map(&entry)),
        }
    };
    compare(4, case, |case| {
        let entry = parse(2, &case.entry).remove(0);
        let mut object = parse(0, &case.objects).remove(0);
        ImageReplacement::read(&entry.get("images").unwrap().items()[0])?.apply(&mut object)?;
        Ok(vec![canonical(&object)])
    });
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn replicas_of_workloads() {
    let case = |random: &mut Random| {
        let kind = random.pick(&[
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
            "DaemonSet",
            "ReplicationController",
        ]);
        let spec = random.pick(&[
            "",
            "null",
            "{}",
            "{replicas: 1}",
            "{replicas: '1'}",
            "{replicas: null}",
            "x",
            "[{}]",
        ]);
        let objects =
            format!("apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: o}}\nspec: {spec}\n");
        let name = random.pick(&["o", "o", "o", "p"]);
        Case {
            objects,
            patch: String::new(),
            entry: format!("replicas:\n- {{name: {name}, count: 3}}\n"),
        }
    };
    compare(5, case, |case| {
        let entry = parse(2, &case.entry).remove(0);
        let mut object = BuiltObject::new(parse(0, &case.objects).remove(0));
        if !replicas::apply(&mut object, &entry.get("replicas").unwrap().items()[0])? {
            return Err(BuildFault::new(object.node.span, "no such workload"));
        }
        Ok(vec![canonical(&object.node)])
    });
}

// In block style: in flow style, Kustomize prints what is empty as a text.
const REPLACED: &str = r"
apiVersion: v1
kind: ConfigMap
metadata: {name: cm, labels: {a: b}}
data: {a: '8080', b: x-y-z, c: 'true', d: '', e: 'null', f: 'on'}
num: {i: 5, f: 1.5, b: true, m: {k: v}, l: [p, q], z: null, o: [{name: x, v: w}]}
---
apiVersion: my.io/v1
kind: T
metadata:
  name: t
  namespace: ns
spec:
  s: foo
  q: '7'
  i: 3
  b: false
  f: 2.5
  nil: null
  m:
    o: 1
  l:
  - a
  - b
  - c
  d: a-b-c
  c:
  - name: x
    v: 1
  - name: xy
    v: 2
  - name: 'z'
    v: w
";

/// The origin of values.
const FROM: &[&str] = &[
    "data.a",
    "data.b",
    "data.c",
    "data.d",
    "data.e",
    "num.i",
    "num.f",
    "num.b",
    "num.m",
    "num.l",
    "num.l.0",
    "num.l.-",
    "num.l.[=q]",
    "num.o.[name=x].v",
    "num.z",
    "num.nope",
    "num.*",
    "num.l.x",
    "num.l.9",
    "metadata.name",
    "data.f",
];

/// The place where they go to.
const TO: &[&str] = &[
    "spec.s",
    "spec.q",
    "spec.i",
    "spec.b",
    "spec.f",
    "spec.m",
    "spec.l",
    "spec.l.1",
    "spec.l.3",
    "spec.l.7",
    "spec.l.[=b]",
    "spec.d",
    "spec.c.[name=x].v",
    "spec.c.[name=^x$].v",
    "spec.c.*.v",
    "spec.c.*.name",
    "spec.c.[name=new].v",
    "spec.new.deep",
    "spec.new.[name=q].v",
    "spec.new.0.v",
    "spec.s.t",
    "spec.m.*",
    "spec",
    "spec.m.[a.b/c]",
    "metadata.labels.a\\.b",
    "spec.c.1.name",
    "spec.[s]",
    "metadata.name",
    "spec.nil.x",
    "spec.nil",
];

/// An entry of `replacements`.
fn replacement(random: &mut Random) -> Case {
    let from = random.pick(FROM);
    let source = match random.below(8) {
        0 => format!(
            "sourceValue: {}",
            random.pick(&["'5'", "x", "'true'", "''"])
        ),
        1 => format!(
            "source: {{kind: ConfigMap, fieldPath: '{from}', options: {{delimiter: '-', index: {}}}}}",
            random.below(4)
        ),
        2 => {
            format!(
                "source: {{{}}}",
                random.pick(&[
                    "name: cm",
                    "kind: T",
                    "namespace: ns",
                    "name: q",
                    "version: v1"
                ])
            )
        }
        _ => format!("source: {{kind: ConfigMap, fieldPath: '{from}'}}"),
    };
    let path = |random: &mut Random| format!("'{}'", random.pick(TO));
    let paths = random.list(2, path);
    let options = random.pick(&[
        "",
        "",
        ", options: {create: true}",
        ", options: {create: true}",
        ", options: {delimiter: '-', index: 1}",
        ", options: {delimiter: '-', index: -1}",
    ]);
    let select = random.pick(&[
        "kind: T",
        "kind: T",
        "name: t",
        "kind: T, namespace: ns",
        "kind: X",
        "kind: T, labelSelector: a=b",
        "namespace: m",
    ]);
    let reject = random.pick(&[
        "",
        "",
        "",
        ", reject: [{kind: T}]",
        ", reject: [{name: cm}]",
        ", reject: [{labelSelector: '!a'}]",
    ]);
    let entry = format!(
        "replacements:\n- {source}\n  targets:\n  - {{select: {{{select}}}{reject}, fieldPaths: {paths}{options}}}\n"
    );
    Case {
        objects: REPLACED.to_owned(),
        patch: String::new(),
        entry,
    }
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn replacements_of_fields() {
    compare(6, replacement, |case| {
        let entry = parse(2, &case.entry).remove(0);
        let mut list: Vec<_> = parse(0, REPLACED)
            .into_iter()
            .map(BuiltObject::new)
            .collect();
        let entry = &entry.get("replacements").unwrap().items()[0];
        replacements::apply(&mut list, entry)?;
        // Kustomize refuses such objects when it prints them.
        match list.iter().find(|object| object.id().name.is_empty()) {
            Some(object) => Err(BuildFault::new(
                object.node.span,
                "an object without a name",
            )),
            None => Ok(list.iter().map(|object| canonical(&object.node)).collect()),
        }
    });
}
