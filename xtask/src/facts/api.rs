//! The types of `api`: the fields of each struct of the operator's, and what the table says of them.
//!
//! In: the table, and the files of the types. Out: these files, in which each struct has the fields of its type. What a
//! person has written stays: the comments, the type of a value, and attributes that say how it is read. A field that is new has the
//! operator's own sentence until a person says what it means here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use promgen_resources::facts::types::{FactField, FactTypes, TypeRow};
use serde_json::Value;

use crate::files;

/// Returns the files of the types as the table has them, each with its path.
pub(super) fn written(types: &FactTypes<'_>) -> Result<Vec<(PathBuf, String)>, String> {
    let paths = files::below(&files::root().join("crates/promgen-resources/src/api"))?;
    let sources = paths
        .into_iter()
        .map(|path| Ok((files::read(&path)?, path)));
    let sources = sources.collect::<Result<Vec<_>, String>>()?;
    let mut writer = Writer::new(types, sources.iter().map(|(text, _)| text.as_str()));
    let write = |(text, path): (String, PathBuf)| Ok((path, formatted(&writer.file(&text)?)?));
    sources.into_iter().map(write).collect()
}

/// The type of the operator's that an attribute of a struct names.
fn type_of(line: &str) -> Option<String> {
    let (_, rest) = line.trim().strip_prefix("#[api(")?.split_once("of = \"")?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// The name of a struct that begins in a line.
fn struct_of(line: &str) -> Option<&str> {
    line.strip_prefix("pub struct ")?.strip_suffix(" {")
}

/// The letters of a name, in which that of a Rust field is like that of a field of the operator's.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| *c != '_');
    letters.map(|c| c.to_ascii_lowercase())
}

/// A field of a struct, as its lines: comments, attributes and the field itself.
#[derive(Default)]
struct RustField {
    lines: Vec<String>,
    name: String,
    of: String,
    is_flat: bool,
}

/// A struct, with the type of the operator's that it stands for.
#[derive(Default)]
struct RustStruct {
    of: Option<String>,
    fields: Vec<RustField>,
}

struct Writer<'t> {
    types: &'t FactTypes<'t>,
    /// The structs by their names.
    structs: BTreeMap<String, RustStruct>,
    /// Types of new fields, for which there is no struct yet.
    wanted: Vec<String>,
}

impl<'t> Writer<'t> {
    fn new<'s>(types: &'t FactTypes<'t>, sources: impl Iterator<Item = &'s str>) -> Self {
        let mut structs = BTreeMap::new();
        for text in sources {
            let (mut lines, mut of) = (text.lines(), None);
            while let Some(line) = lines.next() {
                of = type_of(line).or(of);
                if let Some(name) = struct_of(line) {
                    let fields = fields(lines.by_ref().take_while(|line| *line != "}"));
                    let of = of.take();
                    structs.insert(name.to_owned(), RustStruct { of, fields });
                }
            }
        }
        Self {
            types,
            structs,
            wanted: Vec::new(),
        }
    }

    fn file(&mut self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut lines = text.lines();
        let (mut of, mut is_view) = (None, false);
        while let Some(line) = lines.next() {
            of = type_of(line).or(of);
            is_view |= line.starts_with("#[api(open");
            let _ = writeln!(out, "{line}");
            if struct_of(line).is_none() {
                continue;
            }
            let is_view = std::mem::take(&mut is_view);
            if let Some(of) = of.take() {
                let fields = fields(lines.by_ref().take_while(|line| *line != "}"));
                for line in self.fields(&of, fields, is_view)? {
                    let _ = writeln!(out, "{line}");
                }
                out.push_str("}\n");
            }
        }
        while let Some(of) = self.wanted.pop() {
            out += &self.skeleton(&of)?;
        }
        Ok(out)
    }

    /// The lines of the fields of a struct: those that stand there, and those that the table has besides. `is_view`: unknown fields are
    /// kept, so that it has those alone that are looked at.
    fn fields(
        &mut self,
        of: &str,
        mut fields: Vec<RustField>,
        is_view: bool,
    ) -> Result<Vec<String>, String> {
        let facts = all(self.types, of);
        for field in fields.iter_mut().filter(|field| !field.is_flat) {
            let mut known = facts.iter().map(|fact| fact.name);
            let same = known.clone().find(|name| *name == field.name);
            let alike = same.or_else(|| known.find(|name| letters(name).eq(letters(&field.name))));
            let name = alike.ok_or_else(|| format!("{of} has no field {}", field.name))?;
            name.clone_into(&mut field.name);
        }
        let flat: BTreeSet<String> = self.names_of_flat(&fields);
        for fact in facts.iter().filter(|_| !is_view) {
            let is_there = fields.iter().any(|field| field.name == fact.name);
            if !is_there && !flat.contains(fact.name) {
                let at = fields
                    .iter()
                    .position(|field| !field.is_flat && *field.name > *fact.name);
                let field = self.new_field(fact);
                fields.insert(at.unwrap_or(fields.len()), field);
            }
        }
        Ok(fields.into_iter().flat_map(|field| field.lines).collect())
    }

    /// The names of the fields that stand in a struct from others.
    fn names_of_flat(&self, fields: &[RustField]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for field in fields.iter().filter(|field| field.is_flat) {
            let Some(of) = self.structs.get(&field.of) else {
                continue;
            };
            names.extend(of.fields.iter().map(|field| field.name.clone()));
            names.extend(self.names_of_flat(&of.fields));
            let facts = of.of.iter().flat_map(|of| all(self.types, of));
            names.extend(facts.map(|fact| fact.name.to_owned()));
        }
        names
    }

    fn new_field(&mut self, fact: &FactField<'_>) -> RustField {
        let value = self.rust_type(fact.of, fact);
        let of = match fact.is_required {
            true => value,
            false => format!("Option<{value}>"),
        };
        let ident = snake_case(fact.name);
        let mut field = RustField {
            lines: vec![format!("/// {}", fact.doc)],
            name: fact.name.to_owned(),
            of: of.clone(),
            is_flat: false,
        };
        field.lines.push(format!("pub {ident}: {of},"));
        field
    }

    fn rust_type(&mut self, of: &str, fact: &FactField<'_>) -> String {
        match of {
            "string" => "String".to_owned(),
            "boolean" => "bool".to_owned(),
            "integer" if format_of(fact) == Some("int32") => "i32".to_owned(),
            "integer" => "i64".to_owned(),
            "int-or-string" => "IntOrString".to_owned(),
            "any" => "Value".to_owned(),
            _ => {
                if let Some(items) = of.strip_prefix("[]") {
                    return format!("Vec<{}>", self.rust_type(items, fact));
                }
                if let Some(values) = of.strip_prefix("{}") {
                    return format!("BTreeMap<String, {}>", self.rust_type(values, fact));
                }
                let of = of.to_owned();
                let stands = |other: &RustStruct| other.of.as_ref() == Some(&of);
                if let Some((name, _)) = self.structs.iter().find(|(_, other)| stands(other)) {
                    return name.clone();
                }
                let name = of.rsplit('.').next().unwrap_or(&of).to_owned();
                let (fields, wanted) = (Vec::new(), Some(of.clone()));
                self.structs
                    .insert(name.clone(), RustStruct { of: wanted, fields });
                self.wanted.push(of);
                name
            }
        }
    }

    /// A struct for a type that none stands for.
    fn skeleton(&mut self, of: &str) -> Result<String, String> {
        let name = of.rsplit('.').next().unwrap_or(of);
        let lines = self.fields(of, Vec::new(), false)?.join("\n");
        Ok(format!(
            "\n/// {name}.\n#[api(of = \"{of}\")]\npub struct {name} {{\n{lines}\n}}\n"
        ))
    }
}

/// The fields of a type, those that it has from others among them.
fn all<'t>(types: &'t FactTypes<'_>, of: &str) -> Vec<&'t FactField<'t>> {
    let rows = types.rows.get(of).into_iter().flatten();
    rows.flat_map(|row| match row {
        TypeRow::Inline(other) => all(types, other),
        TypeRow::Field(field) => vec![field],
    })
    .collect()
}

fn format_of<'f>(fact: &'f FactField<'_>) -> Option<&'f str> {
    keyword(fact, "format")?.as_str()
}

fn keyword<'f>(fact: &'f FactField<'_>, key: &str) -> Option<&'f Value> {
    let found = fact.keywords.iter().find(|(other, _)| *other == key);
    found.map(|(_, value)| value)
}

/// Takes the lines between the braces of a struct apart.
fn fields<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<RustField> {
    let mut fields = Vec::new();
    let mut lines = lines.peekable();
    let mut field = RustField::default();
    while let Some(line) = lines.next() {
        let mut text = line.to_owned();
        let is_attribute = text.trim_start().starts_with("#[");
        // What rustfmt has broken into lines.
        while (is_attribute && !text.ends_with(")]"))
            || (text.trim_start().starts_with("pub ") && !text.ends_with(','))
        {
            match lines.next() {
                Some(next) => text = format!("{} {}", text.trim_end(), next.trim()),
                None => break,
            }
        }
        let code = text.trim();
        let attribute = code
            .strip_prefix("#[api(")
            .and_then(|rest| rest.strip_suffix(")]"));
        match (attribute, code.strip_prefix("pub ")) {
            (Some(attribute), _) => {
                field.is_flat |= attribute.trim() == "flatten";
                if let Some(name) = attribute.split("name = \"").nth(1) {
                    field.name = name.split('"').next().unwrap_or_default().to_owned();
                }
            }
            (None, Some(declared)) => {
                let (ident, of) = declared.split_once(": ").unwrap_or((declared, ""));
                if field.name.is_empty() {
                    field.name = camel_case(ident.trim_start_matches("r#"));
                }
                field.of = of.trim_end_matches(',').to_owned();
                field.lines.push(text);
                fields.push(std::mem::take(&mut field));
                continue;
            }
            (None, None) => {}
        }
        field.lines.push(text);
    }
    fields
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && !before.is_uppercase() && before != '_' {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out
}

fn camel_case(ident: &str) -> String {
    let mut parts = ident.split('_');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// The text as `cargo fmt` leaves it.
fn formatted(text: &str) -> Result<String, String> {
    let failed = |why: &dyn std::fmt::Display| format!("rustfmt: {why}");
    let mut program = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|why| failed(&why))?;
    let mut input = program.stdin.take().ok_or("rustfmt takes no input")?;
    std::io::Write::write_all(&mut input, text.as_bytes()).map_err(|why| failed(&why))?;
    drop(input);
    let output = program.wait_with_output().map_err(|why| failed(&why))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|why| failed(&why)),
        false => Err(failed(&"it refuses what is written")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::facts::{FORMAT, FactTable};

    fn written_with(table: &str, source: &str) -> Result<String, String> {
        let table = format!("{FORMAT}\n{table}");
        let types = FactTable::read(&table)?.types;
        formatted(&Writer::new(&types, std::iter::once(source)).file(source)?)
    }

    const SOURCE: &str = "/// A port.\n#[api(of = \"v1.Port\")]\npub struct Port {\n    /// Ours.\n    #[api(flatten)]\n    pub common: Common,\n    /// What it means.\n    pub path: Option<String>,\n}\n\n#[api(of = \"v1.Common\")]\npub struct Common {\n    /// Of all.\n    pub proxy: Option<String>,\n}\n";

    #[test]
    fn a_new_field_comes_in_its_place_with_a_type() {
        let table = "\ntype v1.Port\n  path string pattern=\"^/\" # operator's\n  fooURL! string minLength=1 # fooURL defines it.\n  zones []v1.Zone # zones of it.\n  + v1.Common\n\ntype v1.Common\n  proxy string\n\ntype v1.Zone\n  name! string # its name.\n";
        let text = written_with(table, SOURCE).unwrap();
        for expected in [
            "    #[api(flatten)]\n    pub common: Common,\n    /// fooURL defines it.\n    pub foo_url: String,\n",
            "    /// What it means.\n    pub path: Option<String>,\n",
            "    /// zones of it.\n    pub zones: Option<Vec<Zone>>,\n}\n",
            "pub struct Zone {\n    /// its name.\n    pub name: String,\n}\n",
        ] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
        let again = written_with(table, &text).unwrap();
        assert_eq!(again, text);
    }

    #[test]
    fn a_field_that_is_gone_is_named() {
        let table = "\ntype v1.Port\n  port string\n\ntype v1.Common\n  proxy string\n";
        let refused = written_with(table, SOURCE);
        assert_eq!(refused, Err("v1.Port has no field path".to_owned()));
    }

    #[test]
    fn the_types_are_what_the_table_says() {
        let table = files::read(&super::super::path()).unwrap();
        let types = FactTable::read(&table).unwrap().types;
        for (path, text) in written(&types).unwrap() {
            let stands = files::read(&path).unwrap();
            assert!(
                stands == text,
                "{}: `cargo xtask facts` writes\n{text}",
                path.display()
            );
        }
    }
}
