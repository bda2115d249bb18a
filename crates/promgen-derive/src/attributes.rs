//! What `#[api(…)]` and comments say of a type or a field.

use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Path, Token};

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
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match word(meta).as_str() {
            "min" => self.min = Some(meta.value()?.parse()?),
            "max" => self.max = Some(meta.value()?.parse()?),
            "min_length" => self.min_length = Some(meta.value()?.parse()?),
            "pattern" => self.pattern = Some(meta.value()?.parse()?),
            "items" => {
                let mut items = Self::default();
                meta.parse_nested_meta(|meta| items.take(&meta))?;
                self.items = Some(Box::new(items));
            }
            "unique" if meta.input.peek(syn::token::Paren) => {
                let keys;
                syn::parenthesized!(keys in meta.input);
                let keys = Punctuated::<LitStr, Token![,]>::parse_terminated(&keys)?;
                self.identity = Some(IdentityAttribute::Keys(keys.into_iter().collect()));
            }
            "unique" => self.identity = Some(IdentityAttribute::Value),
            "unformatted" => self.is_unformatted = true,
            _ => {
                return Err(meta.error(
                    "there is no such attribute; the first lines of promgen-derive list all",
                ));
            }
        }
        Ok(())
    }
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
