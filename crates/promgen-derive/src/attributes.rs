//! What `#[api(…)]` and comments say of a type or a field.

use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, ExprLit, GenericArgument, Lit, LitStr, Path, PathArguments, Token, Type,
};

use proc_macro2::Span;
use promgen_facts::types::FactField;
use serde_json::Value;

/// The attributes of a type or a field.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) doc: String,
    pub(crate) name: Option<String>,
    pub(crate) of: Option<LitStr>,
    pub(crate) default: Option<Absent>,
    pub(crate) is_required: bool,
    pub(crate) is_flat: bool,
    pub(crate) omits_empty: bool,
    pub(crate) is_open: bool,
    pub(crate) validations: Option<Path>,
    pub(crate) bounds: BoundsAttribute,
}

/// What holds for a field that is absent.
pub(crate) enum Absent {
    /// The default of its type.
    Usual,
    /// The function that makes it.
    Function(Path),
}

/// The constraint on the value of a field.
#[derive(Default)]
pub(crate) struct BoundsAttribute {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) min_length: Option<Expr>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) identity: Option<IdentityAttribute>,
    pub(crate) is_unformatted: bool,
}

/// The identity of an item of a list.
pub(crate) enum IdentityAttribute {
    Value,
    Keys(Vec<LitStr>),
}

impl Attributes {
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut out = Self {
            doc: doc(attributes),
            ..Self::default()
        };
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("api"))
        {
            attribute.parse_nested_meta(|meta| out.take(&meta))?;
        }
        Ok(out)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match word(meta).as_str() {
            "name" => self.name = Some(meta.value()?.parse::<LitStr>()?.value()),
            "of" => self.of = Some(meta.value()?.parse()?),
            "default" if meta.input.peek(Token![=]) => {
                self.default = Some(Absent::Function(meta.value()?.parse()?))
            }
            "default" => self.default = Some(Absent::Usual),
            "required" => self.is_required = true,
            "flatten" => self.is_flat = true,
            "omit_empty" => self.omits_empty = true,
            "open" => self.is_open = true,
            "validations" => self.validations = Some(meta.value()?.parse()?),
            _ => self.bounds.take(meta)?,
        }
        Ok(())
    }
}

impl BoundsAttribute {
    /// What the table says of a value of that type. A text with a type of its own has its form there.
    pub(crate) fn of_facts(ty: &Type, fact: &FactField<'_>, prefix: &str) -> syn::Result<Self> {
        let (name, inner) = outermost(ty);
        let value = |key: &str| fact.keyword(&format!("{prefix}{key}"));
        let number = |key| {
            let value = value(key).map(Value::to_string);
            value.map(|value| syn::parse_str(&value)).transpose()
        };
        let literal = |value: &Value| {
            let text = value.as_str()?;
            Some(LitStr::new(text, Span::call_site()))
        };
        let none = Self::default();
        Ok(match (name.as_str(), inner) {
            ("Option" | "Box", Some(inner)) => Self::of_facts(inner, fact, prefix)?,
            ("Vec", Some(inner)) => {
                let items = Self::of_facts(inner, fact, &format!("{prefix}[]."))?;
                Self {
                    min_length: number("minItems")?,
                    items: Some(Box::new(items)),
                    identity: match value("list-type").and_then(Value::as_str) {
                        Some("set") => Some(IdentityAttribute::Value),
                        Some("map") => {
                            let keys = value("list-map-keys").and_then(Value::as_array);
                            keys.map(|keys| {
                                IdentityAttribute::Keys(keys.iter().filter_map(literal).collect())
                            })
                        }
                        _ => None,
                    },
                    ..none
                }
            }
            ("String", _) => Self {
                min_length: number("minLength")?,
                pattern: value("pattern").and_then(literal),
                ..none
            },
            ("i32" | "i64", _) => Self {
                min: number("minimum")?,
                max: number("maximum")?,
                is_unformatted: value("format").is_none(),
                ..none
            },
            _ => none,
        })
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match word(meta).as_str() {
            "min_length" => self.min_length = Some(meta.value()?.parse()?),
            "pattern" => self.pattern = Some(meta.value()?.parse()?),
            "unique" if meta.input.peek(syn::token::Paren) => {
                let keys;
                syn::parenthesized!(keys in meta.input);
                self.identity = Some(IdentityAttribute::Keys(texts(&keys)?));
            }
            "unique" => self.identity = Some(IdentityAttribute::Value),
            _ => {
                return Err(meta.error(
                    "there is no such attribute; the first lines of promgen-derive list all",
                ));
            }
        }
        Ok(())
    }
}

fn texts(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated(input)?;
    Ok(texts.into_iter().collect())
}

/// The name of a type without its arguments, and the first of those.
pub(crate) fn outermost(ty: &Type) -> (String, Option<&Type>) {
    let last = match ty {
        // A type that came through a `macro_rules!` fragment.
        Type::Group(group) => return outermost(&group.elem),
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let inner = last.and_then(|last| match &last.arguments {
        PathArguments::AngleBracketed(of) => of.args.first(),
        _ => None,
    });
    let inner = inner.and_then(|inner| match inner {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    (
        last.map(|last| last.ident.to_string()).unwrap_or_default(),
        inner,
    )
}

fn word(meta: &ParseNestedMeta<'_>) -> String {
    meta.path
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The comment, without the space that each line starts with.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"));
    let lines =
        lines.filter_map(|attribute| text(&attribute.meta.require_name_value().ok()?.value));
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').map_or(line.clone(), str::to_owned))
        .collect();
    lines.join("\n").trim().to_owned()
}

fn text(value: &Expr) -> Option<String> {
    match value {
        // A comment that came through a `macro_rules!` fragment.
        Expr::Group(group) => text(&group.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}
