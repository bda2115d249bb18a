//! What the table of facts of the crate says of the fields of the operator's types: their bounds.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use syn::{Expr, GenericArgument, LitStr, PathArguments, Type, parse_str};

use crate::attributes::{BoundsAttribute, IdentityAttribute};

/// A row of a type in the table.
enum FactRow {
    /// Another type whose fields stand there.
    Inline(String),
    /// A field: its name, and what its schema says.
    Field(String, FieldFacts),
}

/// The constraints of the schema of a field besides its type.
#[derive(Clone)]
pub(crate) struct FieldFacts(Vec<(String, Value)>);

/// The types of the table by their names.
type FactsByType = Vec<(String, Vec<FactRow>)>;

/// The facts of a field of one of the operator's types. None if the table has no such field.
pub(crate) fn field(of: &LitStr, name: &str) -> syn::Result<Option<FieldFacts>> {
    static TYPES: OnceLock<Result<FactsByType, String>> = OnceLock::new();
    let types = TYPES
        .get_or_init(read)
        .as_ref()
        .map_err(|why| syn::Error::new_spanned(of, why))?;
    if types.iter().all(|(name, _)| *name != of.value()) {
        return Err(syn::Error::new_spanned(
            of,
            "the table of facts has no such type",
        ));
    }
    Ok(found(types, &of.value(), name).cloned())
}

fn found<'t>(types: &'t FactsByType, of: &str, name: &str) -> Option<&'t FieldFacts> {
    let (_, rows) = types.iter().find(|(name, _)| name == of)?;
    rows.iter().find_map(|row| match row {
        FactRow::Inline(other) => found(types, other, name),
        FactRow::Field(own, facts) => (own == name).then_some(facts),
    })
}

/// The place of the table in the crate that is compiled. Its documentation is docs/facts.md.
pub(crate) const PATH: &str = "facts/operator.txt";

/// The table of the crate that is compiled.
pub(crate) fn text() -> Result<String, String> {
    let home = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("no folder of the crate")?;
    let path = Path::new(&home).join(PATH);
    #[expect(
        clippy::disallowed_methods,
        reason = "read where the crate is compiled, which includes the file too"
    )]
    fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))
}

/// The facts of releases in the table: all that stands above the kinds.
pub(crate) fn of_releases(text: &str) -> &str {
    text.find("\nkind ")
        .and_then(|end| text.get(..=end))
        .unwrap_or(text)
}

fn read() -> Result<FactsByType, String> {
    let mut types = FactsByType::new();
    for line in text()?.lines() {
        if let Some(name) = line.strip_prefix("type ") {
            types.push((name.to_owned(), Vec::new()));
        } else if let Some((row, (_, rows))) = line.strip_prefix("  ").zip(types.last_mut()) {
            rows.push(self::row(row).ok_or_else(|| format!("no row of a type: {line}"))?);
        }
    }
    Ok(types)
}

fn row(text: &str) -> Option<FactRow> {
    if let Some(other) = text.strip_prefix("+ ") {
        return Some(FactRow::Inline(other.to_owned()));
    }
    let (name, rest) = text.split_once(' ')?;
    let mut rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
    let mut keywords = Vec::new();
    while !rest.is_empty() && !rest.starts_with("# ") {
        let (key, value) = rest.split_once('=')?;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        keywords.push((key.to_owned(), values.next()?.ok()?));
        rest = value.get(values.byte_offset()..)?.trim_start();
    }
    Some(FactRow::Field(
        name.trim_end_matches('!').to_owned(),
        FieldFacts(keywords),
    ))
}

impl FieldFacts {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(other, _)| other == key)
            .map(|(_, value)| value)
    }

    fn number(&self, key: &str) -> Option<Expr> {
        parse_str(&self.get(key)?.to_string()).ok()
    }

    fn text(&self, key: &str) -> Option<LitStr> {
        Some(LitStr::new(
            self.get(key)?.as_str()?,
            proc_macro2::Span::call_site(),
        ))
    }

    /// The bounds of a field of that type. A text with a type of its own has them there.
    pub(crate) fn bounds(&self, ty: &Type) -> BoundsAttribute {
        self.bounds_below(ty, "")
    }

    fn bounds_below(&self, ty: &Type, prefix: &str) -> BoundsAttribute {
        let key = |keyword: &str| format!("{prefix}{keyword}");
        let (name, of) = named(ty);
        match name.as_str() {
            "Option" | "Box" => {
                of.map_or_else(BoundsAttribute::default, |of| self.bounds_below(of, prefix))
            }
            "Vec" => BoundsAttribute {
                min_length: self.number(&key("minItems")),
                items: of.map(|of| Box::new(self.bounds_below(of, &key("[].")))),
                identity: self.identity(prefix),
                ..BoundsAttribute::default()
            },
            "String" => BoundsAttribute {
                min_length: self.number(&key("minLength")),
                pattern: self.text(&key("pattern")),
                ..BoundsAttribute::default()
            },
            "i32" | "i64" => BoundsAttribute {
                min: self.number(&key("minimum")),
                max: self.number(&key("maximum")),
                is_unformatted: self.get(&key("format")).is_none(),
                ..BoundsAttribute::default()
            },
            _ => BoundsAttribute::default(),
        }
    }

    fn identity(&self, prefix: &str) -> Option<IdentityAttribute> {
        match self.get(&format!("{prefix}list-type"))?.as_str()? {
            "set" => Some(IdentityAttribute::Value),
            "map" => {
                let keys = self.get(&format!("{prefix}list-map-keys"))?.as_array()?;
                let keys = keys.iter().filter_map(Value::as_str);
                Some(IdentityAttribute::Keys(
                    keys.map(|key| LitStr::new(key, proc_macro2::Span::call_site()))
                        .collect(),
                ))
            }
            _ => None,
        }
    }
}

/// The name of a type, and what it is of.
fn named(ty: &Type) -> (String, Option<&Type>) {
    match ty {
        // A type that came through a `macro_rules!` fragment.
        Type::Group(group) => named(&group.elem),
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(Default::default, |segment| {
                let of = match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) => {
                        arguments.args.first().and_then(|argument| match argument {
                            GenericArgument::Type(ty) => Some(ty),
                            _ => None,
                        })
                    }
                    _ => None,
                };
                (segment.ident.to_string(), of)
            }),
        _ => Default::default(),
    }
}
