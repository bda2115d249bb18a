//! The API types: `Decode` describes a type and reads it from a node of a manifest, `Encode` writes it, and `#[api]` makes a struct
//! all that an API type is.
//!
//! A type lists its fields once. Their comments and `#[api(…)]` attributes say the rest; names in manifests are those of the
//! fields in camel case, or as the operator writes them. The derived code is small on purpose: a static table of the fields, an assignment and a call per
//! field. What walks the table is not generic, and stands in `promgen`. A type that is only read derives `Decode`, and `Default` says
//! what it is before it is read.
//!
//! | `#[api(…)]` on a type | |
//! |---|---|
//! | `name = "…"` | the name of its definition, where another type has the same |
//! | `of = "…"` | the operator's type: `cargo xtask facts` writes its fields, and the table of facts has their names and bounds |
//! | `open` | unknown fields are kept |
//! | `validations = PATH` | the rules of the CRD over several fields |
//! | `default` | no field has to be there |
//! | `omit_empty` | all optional fields are left out when Go counts them as empty |
//!
//! | `#[api(…)]` on a field | |
//! |---|---|
//! | `name = "…"` | the name in manifests |
//! | `flatten` | the fields of its type stand here |
//! | `default`, `default = FUNCTION` | what holds if it is absent: the default of its type, or, below `#[api]`, what the function gives |
//! | `required` | its check asks for it, though it has a default where it is read |
//! | `omit_empty` | left out when Go counts it as empty |
//!
//! Where no `of` is above the field, its bounds stand there, too:
//!
//! | `#[api(…)]` on a field | |
//! |---|---|
//! | `min_length = N` | the least characters of a text, or items of a list |
//! | `pattern = "…"` | what a text matches |
//! | `unique`, `unique("key", …)` | no item of a list occurs twice, as a whole or by its keys |

mod attributes;
mod facts;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Expr, Field, Fields, Ident, parse_quote};

use attributes::{Absent, Attributes, BoundsAttribute, IdentityAttribute, outermost};

/// Makes a struct with named fields an API type, with `Clone`, `Debug`, `PartialEq`, `Default`, `Describe`, `Decode` and `Encode`.
#[proc_macro_attribute]
pub fn api(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let arguments = TokenStream::from(arguments);
    let mut input = syn::parse_macro_input!(item as DeriveInput);
    input.attrs.push(parse_quote!(#[api(#arguments)]));
    let implementations: TokenStream = derived_of(&input, |ident, container, fields| {
        let parts = [
            default(ident, fields),
            describe(ident, container, fields),
            decode(ident, fields),
            encode(ident, fields),
        ];
        parts.into_iter().collect()
    })
    .into();
    let is_other = |attribute: &syn::Attribute| !attribute.path().is_ident("api");
    input.attrs.retain(is_other);
    if let Data::Struct(data) = &mut input.data {
        data.fields
            .iter_mut()
            .for_each(|field| field.attrs.retain(is_other));
    }
    quote! {
        #[derive(Clone, Debug, PartialEq)]
        #input
        #implementations
    }
    .into()
}

/// Derives `promgen_text::describe::Describe` and `promgen_text::yaml::decode::Decode` for a struct with named fields. For a struct
/// around one value, only `Decode`.
#[proc_macro_derive(Decode, attributes(api))]
pub fn derive_decode(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derived(input, decode_wrapper, |ident, container, fields| {
        let (described, decoded) = (describe(ident, container, fields), decode(ident, fields));
        quote!(#described #decoded)
    })
}

/// Derives `promgen_text::yaml::encode::Encode` for a struct with named fields, or for a struct around one value.
#[proc_macro_derive(Encode, attributes(api))]
pub fn derive_encode(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derived(input, encode_wrapper, |ident, _, fields| {
        encode(ident, fields)
    })
}

/// Derives for a struct around one value, or for one with named fields.
fn derived(
    input: proc_macro::TokenStream,
    of_wrapper: fn(&Ident) -> TokenStream,
    derive: fn(&Ident, &Attributes, &[DerivedField<'_>]) -> TokenStream,
) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    if is_wrapper(&input) {
        of_wrapper(&input.ident).into()
    } else {
        derived_of(&input, derive)
    }
}

fn derived_of(
    input: &DeriveInput,
    derive: fn(&Ident, &Attributes, &[DerivedField<'_>]) -> TokenStream,
) -> proc_macro::TokenStream {
    let expand = || {
        let container = Attributes::of(&input.attrs)?;
        let fields = named(input)?;
        let fields = fields
            .into_iter()
            .map(|field| DerivedField::of(field, &container))
            .collect::<syn::Result<Vec<_>>>()?;
        Ok(derive(&input.ident, &container, &fields))
    };
    expand()
        .unwrap_or_else(|error: syn::Error| error.to_compile_error())
        .into()
}

/// Returns whether a struct is around one value.
fn is_wrapper(input: &DeriveInput) -> bool {
    matches!(&input.data, Data::Struct(data) if matches!(&data.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1))
}

fn named(input: &DeriveInput) -> syn::Result<Vec<&Field>> {
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            Ok(data.fields.iter().collect())
        }
        _ => Err(syn::Error::new_spanned(
            input,
            "derived for structs with named fields, or with a single one; enums have macros of their own",
        )),
    }
}

/// A field, and how it is read and written.
struct DerivedField<'f> {
    ident: &'f Ident,
    ty: &'f syn::Type,
    name: String,
    is_required: bool,
    attributes: Attributes,
}

impl<'f> DerivedField<'f> {
    fn of(field: &'f Field, container: &Attributes) -> syn::Result<Self> {
        let mut attributes = Attributes::of(&field.attrs)?;
        let is_option = outermost(&field.ty).0 == "Option";
        attributes.omits_empty |= container.omits_empty && is_option;
        let ident = field.ident.as_ref().expect("the field is named");
        let own = ident.to_string();
        let own = own.trim_start_matches("r#");
        let stated = attributes.name.clone();
        let fact = container.of.as_ref().and_then(|of| {
            let name = stated.as_deref().unwrap_or(own);
            facts::field(&of.value(), name)
        });
        if let Some(fact) = fact {
            attributes.bounds = BoundsAttribute::of_facts(&field.ty, fact, "")?;
        }
        let name = stated.or_else(|| fact.map(|fact| fact.name.to_owned()));
        let name = name.unwrap_or_else(|| camel_case(own));
        let has_default = attributes.default.is_some() || container.default.is_some();
        let is_required =
            attributes.is_required || !attributes.is_flat && !has_default && !is_option;
        Ok(Self {
            ident,
            ty: &field.ty,
            name,
            is_required,
            attributes,
        })
    }

    /// What it is before anything was read.
    fn default(&self) -> Expr {
        let ty = self.ty;
        match &self.attributes.default {
            Some(Absent::Function(function)) => parse_quote!(#function()),
            Some(Absent::Usual) | None => parse_quote!(<#ty as Default>::default()),
        }
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

fn describe(ident: &Ident, container: &Attributes, fields: &[DerivedField<'_>]) -> TokenStream {
    let name = container.name.clone().unwrap_or_else(|| ident.to_string());
    let of = container.of.as_ref().map(syn::LitStr::value);
    let whose = |of: &str| {
        if of.starts_with("monitoring/") {
            "Operator"
        } else {
            "Kubernetes"
        }
    };
    let doc = container.doc.clone()
        + &of
            .map(|of| format!("\n\n{}: {of}.", whose(&of)))
            .unwrap_or_default();
    let open = container.is_open.then(|| quote!(is_open: true,));
    let validations = container
        .validations
        .as_ref()
        .map(|validations| quote!(validations: #validations,));
    let fields = fields.iter().map(describe_field);
    quote! {
        impl ::promgen_text::describe::Describe for #ident {
            fn describe() -> &'static ::promgen_text::describe::Type {
                use ::promgen_text::describe::{Bounds, Field, ObjectType, Type};
                static FIELDS: &[Field] = &[#(#fields),*];
                static TYPE: Type = Type::Object(ObjectType { name: #name, doc: #doc, fields: FIELDS, #open #validations ..ObjectType::EMPTY });
                &TYPE
            }
        }
    }
}

fn describe_field(field: &DerivedField<'_>) -> TokenStream {
    let DerivedField {
        ty,
        name,
        is_required,
        attributes,
        ..
    } = field;
    let of = quote!(of: <#ty as ::promgen_text::describe::Describe>::describe);
    if attributes.is_flat {
        return quote!(Field { #of, ..Field::OPTIONAL });
    }
    let doc = &attributes.doc;
    let required = is_required.then(|| quote!(is_required: true,));
    let default = attributes.default.as_ref().map(|_| {
        let default = field.default();
        quote!(default: Some(|| ::promgen_text::yaml::encode::to_json(&#default)),)
    });
    let bounds = bounds(&attributes.bounds).map(|bounds| quote!(bounds: Some(#bounds),));
    quote!(Field { name: #name, doc: #doc, #of, #required #default #bounds ..Field::OPTIONAL })
}

fn bounds(bounds: &BoundsAttribute) -> Option<TokenStream> {
    let some = |name: &str, value: &Option<Expr>| {
        let name = Ident::new(name, proc_macro2::Span::call_site());
        value.as_ref().map(|value| quote!(#name: Some(#value),))
    };
    let parts = [
        some("min", &bounds.min),
        some("max", &bounds.max),
        some("min_length", &bounds.min_length),
        bounds
            .pattern
            .as_ref()
            .map(|pattern| quote!(pattern: Some(::promgen_text::describe::pattern!(#pattern)),)),
        bounds
            .items
            .as_ref()
            .and_then(|items| self::bounds(items))
            .map(|items| quote!(items: Some(#items),)),
        bounds.identity.as_ref().map(|identity| match identity {
            IdentityAttribute::Value => {
                quote!(identity: ::promgen_text::describe::Identity::Value,)
            }
            IdentityAttribute::Keys(keys) => {
                quote!(identity: ::promgen_text::describe::Identity::Keys(&[#(#keys),*]),)
            }
        }),
        bounds.is_unformatted.then(|| quote!(is_unformatted: true,)),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| quote!(&Bounds { #(#parts)* ..Bounds::NONE }))
}

fn default(ident: &Ident, fields: &[DerivedField<'_>]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let (ident, default) = (field.ident, field.default());
        quote!(#ident: #default)
    });
    quote! {
        impl Default for #ident {
            fn default() -> Self {
                Self { #(#fields),* }
            }
        }
    }
}

fn decode(ident: &Ident, fields: &[DerivedField<'_>]) -> TokenStream {
    let setters = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.attributes.is_flat);
    let setters = setters.map(
        |(index, DerivedField { ident, .. })| quote!(#index => ::promgen_text::yaml::decode::set(&mut self.#ident, node)),
    );
    let flat = fields.iter().filter(|field| field.attributes.is_flat);
    let flat = flat.map(
        |DerivedField { ident, .. }| quote!(::promgen_text::yaml::decode::read_fields(&mut self.#ident, entries)?;),
    );
    quote! {
        impl ::promgen_text::yaml::decode::Fields for #ident {
            fn description(&self) -> &'static ::promgen_text::describe::Type {
                <Self as ::promgen_text::describe::Describe>::describe()
            }

            fn set(&mut self, index: usize, node: &::promgen_text::yaml::Node) -> ::promgen_text::yaml::decode::Result {
                match index {
                    #(#setters,)*
                    _ => Ok(()),
                }
            }

            fn flattened(&mut self, entries: &[::promgen_text::yaml::Entry]) -> ::promgen_text::yaml::decode::Result {
                #(#flat)*
                let _ = entries;
                Ok(())
            }
        }

        impl ::promgen_text::yaml::decode::Decode for #ident {
            fn read(&mut self, node: &::promgen_text::yaml::Node) -> ::promgen_text::yaml::decode::Result {
                ::promgen_text::yaml::decode::read_map(self, node)
            }
        }
    }
}

fn decode_wrapper(ident: &Ident) -> TokenStream {
    quote! {
        impl ::promgen_text::yaml::decode::Decode for #ident {
            fn read(&mut self, node: &::promgen_text::yaml::Node) -> ::promgen_text::yaml::decode::Result {
                self.0.read(node)
            }
        }
    }
}

fn encode(ident: &Ident, fields: &[DerivedField<'_>]) -> TokenStream {
    let calls = fields.iter().map(
        |DerivedField {
             ident,
             name,
             attributes,
             ..
         }| {
            if attributes.is_flat {
                quote!(::promgen_text::yaml::encode::EncodeFields::fields(&self.#ident, out);)
            } else if attributes.omits_empty {
                quote!(::promgen_text::yaml::encode::field_unless_zero(out, #name, &self.#ident);)
            } else {
                quote!(::promgen_text::yaml::encode::field(out, #name, &self.#ident);)
            }
        },
    );
    quote! {
        impl ::promgen_text::yaml::encode::EncodeFields for #ident {
            fn fields(&self, out: &mut ::promgen_text::yaml::encode::FieldSink<'_>) {
                #(#calls)*
                let _ = out;
            }
        }

        impl ::promgen_text::yaml::encode::Encode for #ident {
            fn encode(&self) -> Option<::promgen_text::yaml::Value> {
                Some(::promgen_text::yaml::encode::object(self))
            }
        }
    }
}

fn encode_wrapper(ident: &Ident) -> TokenStream {
    quote! {
        impl ::promgen_text::yaml::encode::Encode for #ident {
            fn encode(&self) -> Option<::promgen_text::yaml::Value> {
                self.0.encode()
            }
        }
    }
}
