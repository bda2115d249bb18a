//! `#[derive(Decode)]`: reads the fields of an API type from a node of a manifest.
//!
//! A type lists its fields once, with serde's attributes, which also say how it is written. The derived code is small on
//! purpose: a table of names, and one assignment per field. The walk over the map is not generic, and stands in
//! `promgen::yaml::decode`; generated deserializers were a third of all code.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Expr, ExprLit, Field, Fields, Ident, Lit, LitStr, Meta, Token, parse_quote};

/// Derives `promgen::yaml::decode::Decode` for a struct with named fields, or for a struct around one value.
#[proc_macro_derive(Decode, attributes(serde))]
pub fn derive_decode(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    decode(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn decode(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(input, "Decode is derived for structs; enums have macros of their own"));
    };
    match &data.fields {
        Fields::Named(fields) => {
            let container = Attributes::of(&input.attrs)?;
            let fields: Vec<_> =
                fields.named.iter().map(|field| Described::of(field, &container)).collect::<Result<_, _>>()?;
            Ok(of_fields(&input.ident, &fields))
        }
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(of_wrapper(&input.ident, &fields.unnamed[0])),
        Fields::Unnamed(_) | Fields::Unit => {
            Err(syn::Error::new_spanned(input, "Decode is derived for named fields, or for a single one"))
        }
    }
}

/// What serde's attributes say, as far as it matters for reading.
#[derive(Default)]
struct Attributes {
    is_camel_case: bool,
    is_flat: bool,
    rename: Option<String>,
    /// The function that gives the default, or that of the type.
    default: Option<Option<Expr>>,
}

impl Attributes {
    fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut out = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            for meta in attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
                out.take(&meta)?;
            }
        }
        Ok(out)
    }

    fn take(&mut self, meta: &Meta) -> syn::Result<()> {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "rename" => self.rename = Some(text(meta)?.value()),
            "rename_all" if text(meta)?.value() == "camelCase" => self.is_camel_case = true,
            "flatten" => self.is_flat = true,
            "default" => {
                self.default = Some(if matches!(meta, Meta::Path(_)) { None } else { Some(text(meta)?.parse()?) })
            }
            // How it is written, which serde derives.
            "skip_serializing_if" | "transparent" => {}
            _ => return Err(syn::Error::new_spanned(meta, "Decode does not know this attribute")),
        }
        Ok(())
    }
}

fn text(meta: &Meta) -> syn::Result<LitStr> {
    match &meta.require_name_value()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(syn::Error::new_spanned(other, "expected a text")),
    }
}

/// A field, and how it is read.
struct Described<'f> {
    ident: &'f Ident,
    name: String,
    is_flat: bool,
    is_required: bool,
    /// What it is before anything was read.
    blank: Expr,
}

impl<'f> Described<'f> {
    fn of(field: &'f Field, container: &Attributes) -> syn::Result<Self> {
        let attributes = Attributes::of(&field.attrs)?;
        let ident = field.ident.as_ref().expect("the field is named");
        let rust_name = ident.to_string();
        let rust_name = rust_name.strip_prefix("r#").unwrap_or(&rust_name);
        let name = match attributes.rename {
            Some(name) => name,
            None if container.is_camel_case => camel_case(rust_name),
            None => rust_name.to_owned(),
        };
        let ty = &field.ty;
        let has_default = attributes.default.is_some() || container.default.is_some();
        let blank = match attributes.default {
            Some(Some(function)) => parse_quote!(#function()),
            Some(None) | None => parse_quote!(<#ty as ::promgen_text::yaml::decode::Decode>::blank()),
        };
        Ok(Self {
            ident,
            name,
            is_flat: attributes.is_flat,
            is_required: !attributes.is_flat && !has_default && !is_option(ty),
            blank,
        })
    }
}

fn is_option(ty: &syn::Type) -> bool {
    match ty {
        // A type that came through a `macro_rules!` fragment.
        syn::Type::Group(group) => is_option(&group.elem),
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "Option"),
        _ => false,
    }
}

fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut is_start = false;
    for c in name.chars() {
        if c == '_' {
            is_start = true;
        } else if is_start {
            out.extend(c.to_uppercase());
            is_start = false;
        } else {
            out.push(c);
        }
    }
    out
}

fn of_fields(ident: &Ident, fields: &[Described<'_>]) -> TokenStream {
    let blanks = fields.iter().map(|Described { ident, blank, .. }| quote!(#ident: #blank));
    let own = fields.iter().filter(|field| !field.is_flat);
    let table = own.clone().map(|Described { name, is_required, .. }| {
        quote!(::promgen_text::yaml::decode::Field { name: #name, is_required: #is_required })
    });
    let setters = own.enumerate().map(
        |(index, Described { ident, .. })| quote!(#index => ::promgen_text::yaml::decode::set(&mut self.#ident, node)),
    );
    let flat = fields
        .iter()
        .filter(|field| field.is_flat)
        .map(|Described { ident, .. }| quote!(::promgen_text::yaml::decode::read_fields(&mut self.#ident, entries)?;));
    quote! {
        impl ::promgen_text::yaml::decode::Fields for #ident {
            fn table(&self) -> &'static [::promgen_text::yaml::decode::Field] {
                const TABLE: &[::promgen_text::yaml::decode::Field] = &[#(#table),*];
                TABLE
            }

            fn set(&mut self, index: usize, node: &::promgen_text::yaml::Node<'_>) -> ::promgen_text::yaml::decode::Result {
                match index {
                    #(#setters,)*
                    _ => Ok(()),
                }
            }

            fn flattened(&mut self, entries: &[::promgen_text::yaml::Entry<'_>]) -> ::promgen_text::yaml::decode::Result {
                #(#flat)*
                let _ = entries;
                Ok(())
            }
        }

        impl ::promgen_text::yaml::decode::Decode for #ident {
            fn blank() -> Self {
                Self { #(#blanks),* }
            }

            fn read(&mut self, node: &::promgen_text::yaml::Node<'_>) -> ::promgen_text::yaml::decode::Result {
                ::promgen_text::yaml::decode::read_map(self, node)
            }
        }
    }
}

fn of_wrapper(ident: &Ident, field: &Field) -> TokenStream {
    let ty = &field.ty;
    quote! {
        impl ::promgen_text::yaml::decode::Decode for #ident {
            fn blank() -> Self {
                Self(<#ty as ::promgen_text::yaml::decode::Decode>::blank())
            }

            fn read(&mut self, node: &::promgen_text::yaml::Node<'_>) -> ::promgen_text::yaml::decode::Result {
                self.0.read(node)
            }
        }
    }
}
