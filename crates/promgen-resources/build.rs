//! What is compiled in of the tables in `facts/`: the facts of releases, without the types below them, which are most of the table and for
//! tests and `cargo xtask facts` alone; and a constant for each gate.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "reads files of the crate where it is compiled, and says what is wrong in them"
)]

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let operator = table("facts/operator.txt");
    let (releases, _) = operator.split_once("\nkind ").expect("the table has kinds");
    write("releases.txt", releases);
    write("gates.rs", &gates(&table("facts/gates.txt")));
}

fn table(path: &str) -> String {
    println!("cargo::rerun-if-changed={path}");
    std::fs::read_to_string(path).expect("the crate has its tables")
}

fn write(name: &str, text: &str) {
    let folder = std::env::var_os("OUT_DIR").expect("cargo has a folder for it");
    std::fs::write(Path::new(&folder).join(name), text).expect("the folder can be written");
}

/// The constants of the gates, and the list of all of them.
fn gates(table: &str) -> String {
    let (mut text, mut all) = (String::new(), String::new());
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        let mut details = Vec::new();
        while let Some(detail) = lines.next_if(|line| line.starts_with("  ")) {
            details.push(detail.trim().split_once(' ').unwrap_or_default());
        }
        gate(&mut text, line, &details);
        let name = line.split(' ').next().unwrap_or_default();
        let _ = write!(all, "&{name}, ");
    }
    let _ = write!(
        text,
        "/// Every gate, in the order of the table.\npub static GATES: &[&Gate] = &[{all}];\n"
    );
    text
}

fn gate(text: &mut String, line: &str, details: &[(&str, &str)]) {
    let (row, summary) = line.split_once(" # ").expect(line);
    let words: Vec<&str> = row.split(' ').collect();
    let [name, axis, .., effect] = *words else {
        panic!("{line}");
    };
    let version = |word: &str| {
        let at = words.iter().position(|other| *other == word)?;
        words.get(at + 1).map(|version| constant(version))
    };
    let some = |version: Option<String>| {
        version.map_or("None".to_owned(), |version| format!("Some({version})"))
    };
    let was = version("was").zip(version("before"));
    let was = was.map(|(was, before)| format!("({was}, {before})"));
    let of = |key: &str| -> Vec<&str> {
        let found = details.iter().filter(|(other, _)| *other == key);
        found.map(|(_, value)| *value).collect()
    };
    let subject = match *of("about") {
        [about] => format!("Other({about:?})"),
        _ => format!("Fields(&{:?})", of("at")),
    };
    let [effect_letter, effect_rest] = [&effect[..1], &effect[1..]];
    let _ = writeln!(
        text,
        "/// {summary}\npub static {name}: Gate = Gate {{ name: {name:?}, summary: {summary:?}, axis: Axis::{axis}, \
         since: {}, until: {}, by: {}, was: {}, miss: UnsupportedEffect::{}{effect_rest}, \
         subject: GateSubject::{subject}, writes: {:?} }};",
        version("since").expect(line),
        some(version("until")),
        version("by").unwrap_or_else(|| constant("0.0.0")),
        some(was),
        effect_letter.to_uppercase(),
        of("writes").first(),
    );
}

/// The constant of a version: `3.0.0`, `3.0.0-rc`, `3.0.0-any`.
fn constant(version: &str) -> String {
    let (numbers, mark) = version.split_once('-').unwrap_or((version, ""));
    let function = match mark {
        "rc" => "first_candidate",
        "any" => "any_candidate",
        _ => "new",
    };
    format!("Version::{function}({})", numbers.replace('.', ", "))
}
