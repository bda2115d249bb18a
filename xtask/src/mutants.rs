//! Mutants: inputs of the corpus, changed at random, with what the operator answers; a test compares promgen with that.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::corpus::{self, Random};
use crate::files;
use crate::record;

/// Values that are rare, wrong, or read in another way than they look.
const EDGES: &str = r##"["", " ", "0", "1", 0, 1, -1, 1.5, true, false, null, "null", "~", "true", "no", "1d", "0s", "1h30m", "-5m", "5", "http://",
"https://example.com/x?y=z#f", "https://a b", "{{ .x }}", "{{ .x", "a\nb\n", "é", "<secret>", "a:b", "# c", "- x", "'q'", "\"q\"", "\t", "%", "=",
"0x1f", "1e3", "2024-01-01", "08", "0o7", [], {}, ["a"], {"a": "b"}, 2147483648, "24:00", "["]"##;
/// The place of mutants and their answers.
const FOLDER: &str = "target/mutants";

/// Makes mutants, asks a release about them, and compares.
pub(crate) fn command(release: &str, options: &[&str]) -> Outcome {
    let (count, seed) = numbers(options)?;
    let folder = files::root().join(FOLDER);
    let inputs = folder.join("inputs");
    files::clear(&inputs)?;
    corpus::command(&folder.join("corpus").to_string_lossy(), false)?;
    let mut mutator = Mutator::of(&folder.join("corpus"), seed)?;
    for number in 0..count {
        let text = corpus::manifests(&mutator.mutant())?;
        files::write(
            &inputs.join(format!("{seed}-{number:05}/input.yaml")),
            &text,
        )?;
    }
    // Mutants without an answer have the cause as their answer; the comparison shows it.
    let answers = folder.join("answers");
    files::clear(&answers)?;
    record::ask(release, &inputs, &answers)?;
    let mut test = Command::new("cargo");
    test.args([
        "test",
        "--quiet",
        "--test",
        "it",
        "--",
        "--ignored",
        "--exact",
        "recordings::mutants_agree",
        "--nocapture",
    ]);
    files::run(
        test.current_dir(files::root())
            .env("PROMGEN_MUTANTS", &folder)
            .env("PROMGEN_MUTANTS_OF", release),
    )
}

fn numbers(options: &[&str]) -> Result<(usize, u64), String> {
    let (mut count, mut seed) = (200, 1);
    for option in options.chunks(2) {
        let wrong = || format!("{option:?}: --count N or --seed N is expected");
        match option {
            ["--count", n] => count = n.parse().map_err(|_| wrong())?,
            ["--seed", n] => seed = n.parse().map_err(|_| wrong())?,
            _ => return Err(wrong()),
        }
    }
    Ok((count, seed))
}

/// What is known of the corpus: its cases, and the values of each key.
struct Mutator {
    random: Random,
    cases: Vec<Vec<Value>>,
    values: BTreeMap<String, Vec<Value>>,
    edges: Vec<Value>,
}

impl Mutator {
    fn of(corpus: &Path, seed: u64) -> Result<Self, String> {
        let edges = serde_json::from_str(EDGES).map_err(|why| why.to_string())?;
        let mut mutator = Self {
            random: Random::new(seed),
            cases: Vec::new(),
            values: BTreeMap::new(),
            edges,
        };
        for path in files::below(corpus)?
            .into_iter()
            .filter(|path| files::name(path) == "input.yaml")
        {
            let text = files::read(&path)?;
            // An operator in the input has a release and flags of its own, which the one that is asked does not know.
            if text.contains("/prometheus-operator:") {
                continue;
            }
            let documents: Result<Vec<Value>, _> = serde_yaml::Deserializer::from_str(&text)
                .map(Value::deserialize)
                .collect();
            // What is no JSON, a key that is a number say, cannot be written again.
            let Ok(documents) = documents else { continue };
            documents
                .iter()
                .for_each(|document| mutator.learn("", &document["spec"]));
            mutator.cases.push(
                documents
                    .into_iter()
                    .filter(|document| !document.is_null())
                    .collect(),
            );
        }
        Ok(mutator)
    }

    fn learn(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, inner)| self.learn(key, inner)),
            Value::Array(items) => items.iter().for_each(|item| self.learn(key, item)),
            _ => {}
        }
        let known = self.values.entry(key.to_owned()).or_default();
        if known.len() < 200 {
            known.push(value.clone());
        }
    }

    /// A case with one to three changes below the specs of what the operator reads.
    fn mutant(&mut self) -> Vec<Value> {
        let mut documents = self.cases[self.random.below(self.cases.len())].clone();
        let is_ours = |document: &Value| {
            document["apiVersion"]
                .as_str()
                .is_some_and(|version| version.starts_with("monitoring."))
        };
        let ours: Vec<usize> = (0..documents.len())
            .filter(|n| is_ours(&documents[*n]))
            .collect();
        if ours.is_empty() {
            return documents;
        }
        for _ in 0..=self.random.below(3) {
            let chosen = *self.random.one(&ours);
            if let Some(spec) = documents[chosen].get_mut("spec") {
                self.change(spec);
            }
        }
        documents
    }

    /// Walks down to a random place, and changes what stands there.
    fn change(&mut self, value: &mut Value) {
        let goes_on = self.random.happens(700);
        match value {
            Value::Object(map) if !map.is_empty() => {
                let keys: Vec<String> = map.keys().cloned().collect();
                let key = self.random.one(&keys).clone();
                let has_more = map
                    .get(&key)
                    .is_some_and(|inner| inner.is_object() || inner.is_array());
                match map.get_mut(&key) {
                    Some(inner) if goes_on && has_more => self.change(inner),
                    _ => self.change_entry(map, &key),
                }
            }
            Value::Array(items) if !items.is_empty() => {
                let chosen = self.random.below(items.len());
                if goes_on {
                    self.change(&mut items[chosen]);
                } else if self.random.happens(500) {
                    items.remove(chosen);
                } else {
                    items.insert(chosen, items[chosen].clone());
                }
            }
            other => *other = self.random.one(&self.edges).clone(),
        }
    }

    /// Removes an entry, gives it another value, or adds one that stands elsewhere.
    fn change_entry(&mut self, map: &mut Map<String, Value>, key: &str) {
        match self.random.below(10) {
            0 | 1 => drop(map.remove(key)),
            2..=6 => {
                let known = self
                    .values
                    .get(key)
                    .cloned()
                    .unwrap_or_else(|| vec![json!({})]);
                map.insert(key.to_owned(), self.random.one(&known).clone());
            }
            _ => drop(map.insert(key.to_owned(), self.random.one(&self.edges).clone())),
        }
    }
}
