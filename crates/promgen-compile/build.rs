//! What is compiled in of the tables in `facts/`: a static for each of their blocks.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "reads files of the crate where it is compiled, and says what is wrong in them"
)]

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    write("receivers.rs", &receivers(&table("facts/receivers.txt")));
    write("ignored.rs", &ignored(&table("facts/ignored.txt")));
    write("sections.rs", &sections(&table("facts/sections.txt")));
    write(
        "discoveries.rs",
        &discoveries(&table("facts/discoveries.txt")),
    );
}

fn table(path: &str) -> String {
    println!("cargo::rerun-if-changed={path}");
    std::fs::read_to_string(path).expect("the crate has its tables")
}

fn write(name: &str, text: &str) {
    let folder = std::env::var_os("OUT_DIR").expect("cargo has a folder for it");
    std::fs::write(Path::new(&folder).join(name), text).expect("the folder can be written");
}

/// A row of a table: its words, and the texts behind them.
struct FactRow<'a> {
    words: Vec<&'a str>,
    texts: Vec<&'a str>,
}

impl<'a> FactRow<'a> {
    fn new(line: &'a str) -> Self {
        let mut parts = line.split('#').map(str::trim);
        Self {
            words: parts.next().unwrap_or_default().split(' ').collect(),
            texts: parts.collect(),
        }
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// The word behind another one.
    fn after(&self, word: &str) -> Option<&'a str> {
        let at = self.words.iter().position(|other| *other == word)?;
        self.words.get(at + 1).copied()
    }

    /// The variant of an enum that a word names, with all that follows as its values.
    fn variant(&self, of: &str, at: usize) -> String {
        let words = self.words[at + 1..].iter().map(|word| argument(word));
        let texts = self.texts.iter().map(|text| format!("{text:?}"));
        let values: Vec<String> = words.chain(texts).collect();
        let values = if values.is_empty() {
            String::new()
        } else {
            format!("({})", values.join(", "))
        };
        format!("{of}::{}{values}", self.words[at])
    }
}

/// A block of a table: its first row, and those below it.
struct Block<'a> {
    head: FactRow<'a>,
    rows: Vec<FactRow<'a>>,
}

impl Block<'_> {
    /// The items of a list: what becomes of each row with that word.
    fn list(&self, word: &str, item: impl Fn(&FactRow<'_>) -> String) -> String {
        let rows = self.rows.iter().filter(|row| row.words[0] == word);
        let items: Vec<String> = rows.map(item).collect();
        format!("&[{}]", items.join(", "))
    }

    fn row(&self, word: &str) -> Option<&FactRow<'_>> {
        self.rows.iter().find(|row| row.words[0] == word)
    }
}

fn blocks(table: &str) -> Vec<Block<'_>> {
    let is_row = |line: &&str| !line.is_empty() && !line.trim_start().starts_with('#');
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in table.lines().filter(is_row) {
        match (blocks.last_mut(), line.strip_prefix("  ")) {
            (Some(block), Some(row)) => block.rows.push(FactRow::new(row)),
            _ => blocks.push(Block {
                head: FactRow::new(line),
                rows: Vec::new(),
            }),
        }
    }
    blocks
}

fn gate(name: &str) -> String {
    format!("&gates::{name}")
}

fn some(value: Option<String>) -> String {
    value.map_or("None".to_owned(), |value| format!("Some({value})"))
}

/// A value: a gate, a constant, a list or a text.
fn argument(word: &str) -> String {
    let list = word.strip_suffix(',').unwrap_or(word);
    match word.strip_prefix('@') {
        Some(name) => gate(name),
        None if word.contains("::") => word.to_owned(),
        None if word.contains(',') => format!("&{:?}", list.split(',').collect::<Vec<_>>()),
        None => format!("{word:?}"),
    }
}

/// The statics of the parts of Alertmanager's configuration, and of the kinds of receivers.
fn receivers(table: &str) -> String {
    let (mut keys, mut lists, mut kind) = (String::new(), String::new(), "");
    for line in table.lines() {
        if let ["kind", list, ..] = *FactRow::new(line).words {
            let _ = writeln!(keys, "  key {list} Many:{}", list.to_uppercase());
            kind = list;
        } else if let ["list", field, _] = *FactRow::new(line).words {
            let _ = writeln!(
                lists,
                "  field {field} {kind} Parts:{}_FIELDS",
                kind.to_uppercase()
            );
        }
    }
    let table = table
        .replace("  kinds\n", &keys)
        .replace("  lists\n", &lists);
    let (mut text, mut kinds) = (String::new(), String::new());
    for block in blocks(&table) {
        let words = &block.head.words;
        let name = words[1].to_uppercase();
        let made = match words[0] {
            "first" => format!("static {name}: &[&str] = &{:?};", &words[2..]),
            "checks" => {
                let checks = block.list("check", |row| row.variant("GlobalCheck", 1));
                format!("static {name}: &[GlobalCheck] = {checks};")
            }
            "part" => format!("static {name}: Shape = {};", shape(&block)),
            "table" => {
                let prefix = words.get(3).copied().unwrap_or_default();
                format!(
                    "const {name}: Table = {};",
                    fields(&block, words[2], prefix)
                )
            }
            "kind" => {
                let _ = write!(kinds, "&{name}_KIND, ");
                let resource = block.row("list").map(|row| {
                    let field = row.words[1];
                    let of = row.words[2];
                    let fields = fields(&block, of, "");
                    let _ = writeln!(text, "const {name}_FIELDS: Table = {fields};");
                    format!(
                        "ReceiverList {{ field: {field:?}, valid: {}, reads: {} }}",
                        block.list("valid", |row| row.variant("ReceiverRule", 1)),
                        block.list("read", |row| row.variant("ReceiverRead", 1)),
                    )
                });
                let _ = writeln!(text, "pub(crate) static {name}: Shape = {};", shape(&block));
                format!(
                    "static {name}_KIND: ReceiverKind = ReceiverKind {{ list: {:?}, since: {}, \
                     resource: {}, demands: {}, global_needs: {} }};",
                    words[1],
                    some(block.row("since").map(since)),
                    some(resource),
                    block.list("demand", demand),
                    block.list("need", need),
                )
            }
            other => panic!("{other}"),
        };
        let _ = writeln!(text, "pub(crate) {made}");
    }
    let _ = writeln!(
        text,
        "pub(crate) static KINDS: &[&ReceiverKind] = &[{kinds}];"
    );
    text
}

/// The keys of a part, and what Alertmanager checks of it.
fn shape(block: &Block<'_>) -> String {
    let Block { head, .. } = block;
    let list = head.words.get(3).filter(|word| **word != "in");
    let package = head.after("in").zip(head.after("since"));
    let package = package.map(|(package, since)| format!("({package:?}, {})", gate(since)));
    format!(
        "Shape {{ name: {:?}, go: {:?}, list: {:?}, package: {}, keys: {}, rules: {} }}",
        head.words[1],
        head.words[2],
        list.copied().unwrap_or_default(),
        some(package),
        block.list("key", key),
        block.list("rule", |row| row.variant("PartRule", 1)),
    )
}

fn key(row: &FactRow<'_>) -> String {
    let kind = match row.words[2].split_once(':') {
        Some((kind @ ("Upstream" | "Spans"), text)) => format!("{kind}({text:?})"),
        Some((kind, part)) => format!("{kind}(&{part})"),
        None => row.words[2].to_owned(),
    };
    format!(
        "ShapeKey {{ key: {:?}, kind: KeyType::{kind}, gate: {}, go: {}, own_type: {:?}, is_late: {}, is_turned_off: {} }}",
        row.words[1],
        some(row.after("since").map(gate)),
        some(row.after("of").map(|go| format!("GoScalar::{go}"))),
        row.after("lacks"),
        row.has("refused"),
        row.has("turned_off"),
    )
}

/// The fields of a type of the API.
fn fields(block: &Block<'_>, of: &str, prefix: &str) -> String {
    let field = |row: &FactRow<'_>| {
        let how = match row.words[3].split_once(':') {
            Some((how @ "Since", since)) => format!("{how}({})", gate(since)),
            Some((how, table)) => format!("{how}({table})"),
            None => row.words[3].to_owned(),
        };
        format!(
            "({:?}, {:?}, Conversion::{how})",
            row.words[1],
            row.words[2].trim_matches('-')
        )
    };
    format!(
        "Table {{ of: {of}::describe, prefix: {prefix:?}, rows: {} }}",
        block.list("field", field)
    )
}

fn since(row: &FactRow<'_>) -> String {
    let kind = row.words.get(2).zip(row.words.get(3));
    let kind = kind.map(|(kind, name)| format!("KindGate::{kind}({name:?})"));
    format!(
        "KindSince {{ gate: {}, in_configuration: {:?}, in_resource: {} }}",
        gate(row.words[1]),
        row.texts[0],
        some(kind)
    )
}

fn demand(row: &FactRow<'_>) -> String {
    match row.words[1].split_once(':') {
        Some((when, since)) => format!(
            "ReceiverDemand::{when}({}, &[{}])",
            gate(since),
            row.variant("ReceiverDemand", 2)
        ),
        None => row.variant("ReceiverDemand", 1),
    }
}

fn need(row: &FactRow<'_>) -> String {
    format!(
        "GlobalNeed {{ own: {}, global: {}, message: {:?}, takes_empty: {} }}",
        argument(row.words[1]),
        argument(row.words[2]),
        row.texts[0],
        row.has("or_empty")
    )
}

/// The statics of the fields that versions ignore.
fn ignored(table: &str) -> String {
    let field = |row: &FactRow<'_>| {
        let [how, name, path] = *row.words else {
            panic!("{}", row.words.join(" "));
        };
        let path: Vec<&str> = path.split('.').collect();
        let gate = gate(name);
        let is_filled = how == "filled";
        format!("IgnoredField {{ gate: {gate}, path: &{path:?}, is_filled: {is_filled} }}")
    };
    let blocks = blocks(table);
    let workloads = blocks.iter().map(|block| {
        let name = block.head.words[1];
        let fields: Vec<String> = block.rows.iter().map(field).collect();
        format!(
            "static {name}: &[IgnoredField] = &[{}];\n",
            fields.join(", ")
        )
    });
    workloads.collect()
}

/// The statics of the sections of Prometheus' configuration.
fn sections(table: &str) -> String {
    let blocks = blocks(table);
    let sections = blocks.iter().map(|block| {
        let (name, fields) = (block.head.words[1], section(block));
        format!("pub(crate) static {name}: &[SectionField] = {fields};\n")
    });
    sections.collect()
}

/// The fields of a section.
fn section(block: &Block<'_>) -> String {
    let mut fields: Vec<String> = Vec::new();
    for row in &block.rows {
        let field = match *row.words {
            ["gate", name, ..] => {
                let gate = with_gate(row, &gate(name));
                fields.last_mut().expect("a field").push_str(&gate);
                continue;
            }
            ["parts", of, ..] => format!("part(\"\", {})", parts(of)),
            ["part", key, of, ..] => format!("part({key:?}, {})", parts(of)),
            [how @ ("plain" | "secret"), key, name, ..] => format!("{how}({key:?}, {name:?})"),
            [how @ ("to" | "computed" | "section"), key, name, value, ..] => {
                format!("{how}({key:?}, {name:?}, {value})")
            }
            _ => continue,
        };
        let needs = row.after("needs").map(gate);
        let needs = needs
            .map(|gate| format!(".needs({gate})"))
            .unwrap_or_default();
        fields.push(format!("{field}{needs}{}", when(row)));
    }
    format!("&[{}]", fields.join(", "))
}

/// A gate of a field, with what is said of it.
fn with_gate(row: &FactRow<'_>, gate: &str) -> String {
    let of = row.after("of").map(|value| format!(".of({value:?})"));
    let checked = row.after("checked").map(self::gate);
    let checked = checked.map(|since| format!(".checked({since})"));
    let gated = match *row.texts {
        [what, since] => format!("Gated::new({gate}, ({what:?}, {since:?}))"),
        _ => format!("Gated::dropped({gate})"),
    };
    let (of, checked) = (of.unwrap_or_default(), checked.unwrap_or_default());
    format!(".gate({gated}{of}{checked})")
}

/// The condition of a field.
fn when(row: &FactRow<'_>) -> String {
    let why = row.texts.first();
    let when = if let Some(other) = row.after("with") {
        format!("With({other:?})")
    } else if let Some(other) = row.after("with_text") {
        format!("WithText({other:?})")
    } else if let Some(other) = row.after("without") {
        format!("Without({other:?}, {why:?})")
    } else if let Some(name) = row.after("before") {
        format!("Before({})", gate(name))
    } else if row.has("never") {
        format!("Never({:?})", row.texts[0])
    } else {
        return String::new();
    };
    format!(".when(WriteWhen::{when})")
}

/// Parts of a client.
fn parts(of: &str) -> String {
    let parts = of.split(',').filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| format!("ClientPart::{part}")).collect();
    format!("&[{}]", parts.join(", "))
}

/// The list of the kinds of service discovery.
fn discoveries(table: &str) -> String {
    let kinds: Vec<String> = blocks(table).iter().map(discovery).collect();
    format!(
        "pub(crate) static KINDS: &[SdKind] = &[{}];",
        kinds.join(", ")
    )
}

fn discovery(block: &Block<'_>) -> String {
    let [_, field, list, client, ..] = *block.head.words else {
        panic!("{}", block.head.words.join(" "));
    };
    let client = match client {
        "-" => "|_| Client::default()",
        "client" => "|config| Client::from(&config.client)",
        client => client,
    };
    let since = block.row("since");
    let since = since.map(|row| format!("({}, {:?})", gate(row.words[1]), row.texts[0]));
    let replaced = block.row("replaced").map(|row| {
        let gates: Vec<String> = row.words[1..].iter().map(|name| gate(name)).collect();
        format!("([{}], {:?})", gates.join(", "), row.texts[0])
    });
    format!(
        "SdKind {{ field: {field:?}, prefix: {:?}, gate: {}, replaced: {}, \
         entries: |spec| entries(&spec.{list}, {client}), has_numbered_gates: {}, tests: {}, output: {} }}",
        block.head.after("prefix"),
        some(since),
        some(replaced),
        !block.head.has("unnumbered"),
        block.list("test", |row| test(&row.words[1..])),
        section(block)
    )
}

/// A check of an item of a service discovery.
fn test(words: &[&str]) -> String {
    match *words {
        ["Client", of] => format!("SdCheck::Client({})", parts(of)),
        [how @ ("With" | "Spaced"), function] => format!("SdCheck::{how}({function})"),
        [how, key] => format!("SdCheck::{how}({key:?})"),
        [since, ref test @ ..] => {
            let name = since.trim_start_matches("Since:");
            format!("SdCheck::Since({}, &{})", gate(name), self::test(test))
        }
        [] => String::new(),
    }
}
