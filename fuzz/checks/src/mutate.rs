//! Mutations of texts in YAML: bytes change little that is still YAML, so that what is behind the reader is hardly reached.
//!
//! Half of the mutations are those of the fuzzer, on bytes. The others read a file of an [input](crate::files), change one
//! thing in its tree, and write it again.

use promgen::Input;
use serde_yaml::{Mapping, Value};

use crate::files;
use crate::words::{FIELDS, VALUES};

/// Most items that a list is repeated to.
const MAX_REPEATED: usize = 64;

/// Most values of a document that is mutated as a tree.
const MAX_NODES: usize = 4096;

/// A mutation of bytes: it changes the first so many in place, up to a size, and gives the new size.
pub type OfBytes = fn(&mut [u8], usize, usize) -> usize;

/// Changes an input of `size` bytes in place. Gives its new size.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    of_bytes: OfBytes,
) -> usize {
    let mut random = Random::new(seed);
    if random.below(2) == 0 {
        return of_bytes(data, size, max_size);
    }
    let max_size = max_size.min(data.len());
    match of_tree(&data[..size], &mut random, of_bytes).filter(|new| new.len() <= max_size) {
        Some(new) => {
            data[..new.len()].copy_from_slice(&new);
            new.len()
        }
        None => of_bytes(data, size, max_size),
    }
}

/// An input with one thing changed. `None` if the file that was chosen is no YAML.
fn of_tree(data: &[u8], random: &mut Random, of_bytes: OfBytes) -> Option<Vec<u8>> {
    let mut inputs = files::split(data);
    let n_files = inputs.len();
    let at = random.below(n_files.max(1));
    match random.below(12) {
        0 if n_files > 1 => {
            let other = random.below(n_files);
            inputs.swap(at, other);
            let name = inputs[at].name.clone();
            inputs[at].name = std::mem::replace(&mut inputs[other].name, name);
        }
        1 if n_files > 1 => drop(inputs.remove(at)),
        _ => {
            let file = inputs.get_mut(at)?;
            file.bytes = changed(file.bytes.as_text()?, random, of_bytes)?.into();
        }
    }
    let mut data = files::join(&inputs);
    if random.below(4) == 0 {
        choose(&mut data, random);
    }
    Some(data)
}

/// Ends an input in a comment that chooses options.
fn choose(data: &mut Vec<u8>, random: &mut Random) {
    if let [.., b'\n', b'#', _] = data[..] {
        data.truncate(data.len() - 2);
    }
    data.push(b'#');
    data.push(b' ' + u8::try_from(random.below(95)).expect("below 95"));
}

/// A file with one thing of one of its documents changed.
fn changed(text: &str, random: &mut Random, of_bytes: OfBytes) -> Option<String> {
    let mut documents = documents(text)?;
    let at = random.below(documents.len());
    match random.below(16) {
        0 => {
            let copy = documents[at].clone();
            documents.push(copy);
        }
        1 if documents.len() > 1 => drop(documents.remove(at)),
        _ => {
            let other = documents[random.below(documents.len())].clone();
            change(&mut documents[at], &other, random, of_bytes);
        }
    }
    let written = documents
        .iter()
        .map(|document| serde_yaml::to_string(document).ok())
        .collect::<Option<Vec<_>>>()?;
    Some(written.join("---\n"))
}

fn documents(text: &str) -> Option<Vec<Value>> {
    use serde::Deserialize as _;

    let documents =
        serde_yaml::Deserializer::from_str(text).map(|document| Value::deserialize(document).ok());
    let documents = documents.collect::<Option<Vec<_>>>()?;
    let n_nodes: usize = documents.iter().map(count).sum();
    (!documents.is_empty() && n_nodes <= MAX_NODES).then_some(documents)
}

/// The number of values in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Sequence(items) => items.iter().map(count).sum(),
        Value::Mapping(map) => map.values().map(count).sum(),
        Value::Tagged(tagged) => count(&tagged.value),
        _ => 0,
    }
}

/// The value of that number, in the order in which [`count`] counts them.
fn nth<'v>(value: &'v mut Value, at: &mut usize) -> Option<&'v mut Value> {
    if *at == 0 {
        return Some(value);
    }
    *at -= 1;
    match value {
        Value::Sequence(items) => items.iter_mut().find_map(|item| nth(item, at)),
        Value::Mapping(map) => map.values_mut().find_map(|value| nth(value, at)),
        Value::Tagged(tagged) => nth(&mut tagged.value, at),
        _ => None,
    }
}

/// Changes one value of a document. `other` is where values are taken from.
fn change(document: &mut Value, other: &Value, random: &mut Random, of_bytes: OfBytes) {
    let mut other = other.clone();
    let (mut from, mut to) = (random.below(count(&other)), random.below(count(document)));
    let graft = nth(&mut other, &mut from).map_or(Value::Null, |value| value.clone());
    let Some(value) = nth(document, &mut to) else {
        return;
    };
    match (random.below(8), value) {
        (0, value) => *value = graft,
        (1, value) => *value = scalar(random),
        (2, value) => {
            let inner = std::mem::replace(value, Value::Null);
            *value = match random.below(2) {
                0 => Value::Sequence(vec![inner]),
                _ => Value::Mapping(Mapping::from_iter([(Value::String(field(random)), inner)])),
            };
        }
        (_, Value::Sequence(items)) => change_list(items, graft, random),
        (_, Value::Mapping(map)) => change_map(map, graft, random),
        (_, Value::String(text)) => change_text(text, random, of_bytes),
        (_, value) => *value = scalar(random),
    }
}

fn change_list(items: &mut Vec<Value>, graft: Value, random: &mut Random) {
    let at = random.below(items.len().max(1));
    match random.below(5) {
        _ if items.is_empty() => items.push(graft),
        0 => drop(items.remove(at)),
        1 => items.insert(at, graft),
        2 => items.swap(0, at),
        3 => items.push(items[at].clone()),
        _ => {
            let item = items[at].clone();
            items.extend(std::iter::repeat_n(item, random.below(MAX_REPEATED)));
        }
    }
}

fn change_map(map: &mut Mapping, graft: Value, random: &mut Random) {
    let keys: Vec<Value> = map.keys().cloned().collect();
    let key = keys.get(random.below(keys.len().max(1)));
    match (random.below(5), key) {
        (0, Some(key)) => drop(map.remove(key)),
        (1, Some(key)) => {
            let value = map.remove(key).unwrap_or_default();
            map.insert(Value::String(field(random)), value);
        }
        (2, Some(key)) => drop(map.insert(key.clone(), graft)),
        (3, _) => drop(map.insert(Value::String(field(random)), scalar(random))),
        _ => drop(map.insert(Value::String(field(random)), graft)),
    }
}

fn change_text(text: &mut String, random: &mut Random, of_bytes: OfBytes) {
    match random.below(4) {
        0 => *text = VALUES[random.below(VALUES.len())].to_owned(),
        1 => {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            text.insert_str(at, VALUES[random.below(VALUES.len())]);
        }
        2 => *text = text.repeat(random.below(8)),
        _ => {
            let mut bytes = text.clone().into_bytes();
            let size = bytes.len();
            bytes.resize(size + 32, 0);
            let size = of_bytes(&mut bytes, size, size + 32);
            bytes.truncate(size);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
}

/// A scalar of its own type, or a text that looks like one.
fn scalar(random: &mut Random) -> Value {
    let text = VALUES[random.below(VALUES.len())];
    if random.below(2) == 0 {
        return Value::String(text.to_owned());
    }
    match text {
        "[]" => Value::Sequence(Vec::new()),
        "{}" => Value::Mapping(Mapping::new()),
        "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        _ => text
            .parse::<i64>()
            .map_or_else(|_| Value::String(text.to_owned()), Value::from),
    }
}

fn field(random: &mut Random) -> String {
    FIELDS[random.below(FIELDS.len())].clone()
}

/// Both inputs as one: the files of the first, then those of the other. Gives its size.
pub fn cross(first: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut random = Random::new(seed);
    let (mut inputs, others) = (files::split(first), files::split(other));
    for file in others {
        let same: Option<&mut Input> = inputs.iter_mut().find(|known| known.name == file.name);
        match same {
            Some(known) if random.below(4) > 0 => {
                known.bytes = [&*known.bytes, b"\n---\n", &*file.bytes].concat().into();
            }
            Some(known) => *known = file,
            None => inputs.push(file),
        }
    }
    let mut data = files::join(&inputs);
    data.truncate(out.len());
    out[..data.len()].copy_from_slice(&data);
    data.len()
}

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn new(seed: u32) -> Self {
        Self((u64::from(seed) << 1 | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % n as u64).expect("below a number of this size")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a: {b: [1, x]}\n---\nc: y\n=== other.yaml\nd: 5\n";

    fn none(_: &mut [u8], size: usize, _: usize) -> usize {
        size
    }

    #[test]
    fn a_mutation_follows_from_its_seed_and_fits() {
        let mut seen = Vec::new();
        for seed in 0..500 {
            let of = |seed| {
                let mut data = vec![0; 256];
                data[..TEXT.len()].copy_from_slice(TEXT.as_bytes());
                let size = mutate(&mut data, TEXT.len(), 256, seed, none);
                data.truncate(size);
                data
            };
            assert_eq!(of(seed), of(seed));
            seen.push(of(seed));
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 150, "only {} differ", seen.len());
    }

    #[test]
    fn a_cross_has_the_files_of_both() {
        let mut out = vec![0; 256];
        let size = cross(b"a: 1\n", b"=== x.yaml\nb: 2\n", &mut out, 1);
        assert_eq!(&out[..size], b"a: 1\n=== x.yaml\nb: 2\n");
    }

    #[test]
    fn every_value_of_a_document_can_be_reached() {
        let mut document = documents("a: {b: [1, x]}\nc: y\n").unwrap().remove(0);
        let n = count(&document);
        assert_eq!(n, 6);
        assert!((0..n).all(|at| nth(&mut document, &mut { at }).is_some()));
        assert!(nth(&mut document, &mut { n }).is_none());
        assert!(FIELDS.len() > 500);
    }
}
