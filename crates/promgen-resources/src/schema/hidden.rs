//! What becomes of the texts of Secrets that stand in the open in a resource: they are hidden before anything is made of it.
//!
//! In: an object, and which of its texts are secret. Out: the object, with another text in place of each that may hold a
//! secret. A field that takes numbers, or texts of a closed form such as durations, holds none, and neither does a field like a
//! selector whose text is made of plain words: its value stays, so that it is judged and compiled as it is. All other texts
//! are judged before they are hidden.

use promgen_text::describe::{Bounds, NamedText, Type};
use promgen_text::route::{DocId, Path};
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::{description, scalar};
use crate::api::Kind;
use crate::secrecy::{REDACTED, SecrecyRole, is_secret_key, is_value, reads_as_words, roles};

/// The places of secret texts in the open, by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HiddenTexts {
    /// They stay as they are.
    pub kept: Vec<Span>,
    /// They are hidden, and nothing is known of them.
    pub hidden: Vec<Span>,
    /// They are hidden, and the API server refuses them.
    pub refused: Vec<Span>,
}

/// The texts that replace a secret one, the first that its field takes.
const REPLACEMENTS: [&str; 3] = [REDACTED, "https://redacted.invalid/<redacted>", "redacted"];

/// Texts of the forms that secrets have: a field that takes one of them may hold a secret.
const SECRETS: [&str; 3] = [
    "Secret1",
    "s3cr3t-t0k3n",
    "https://user:secret@example.com/x",
];

/// The ends of the keys of fields that take whatever a user sends to others, and so a secret as well: addresses, headers, arguments.
const CARRIERS: [&str; 20] = [
    "annotations",
    "args",
    "command",
    "containers",
    "content",
    "cookies",
    "description",
    "env",
    "externallabels",
    "header",
    "headers",
    "html",
    "message",
    "params",
    "replacement",
    "summary",
    "text",
    "title",
    "uri",
    "url",
];

/// A value on the way through an object: its role, its type, and whether it may hold a secret by its key.
struct SecretPlace<'n> {
    node: &'n mut Node,
    role: SecrecyRole,
    of: Option<(&'static Type, &'static Bounds)>,
    is_carrier: bool,
}

/// Hides the secret texts of an object that stand in the open. `is_public`: whether a text stands elsewhere in the open, so that
/// it is no secret.
pub fn hide(
    root: &mut Node,
    is_secret: &dyn Fn(Span) -> bool,
    is_public: &dyn Fn(&str) -> bool,
) -> HiddenTexts {
    let text = |key: &str| root.text_of(key).unwrap_or_default();
    let kind = Kind::find(text("apiVersion"), text("kind"));
    let of = kind.map(|kind| (description(kind), &Bounds::NONE));
    let mut found = HiddenTexts::default();
    let mut todo = vec![SecretPlace {
        node: root,
        role: SecrecyRole::DOCUMENT,
        of,
        is_carrier: false,
    }];
    while let Some(mut place) = todo.pop() {
        let roles = roles(place.node, place.role);
        if !place.node.is_collection() {
            let is_hidden =
                !place.node.is_null() && is_secret(place.node.span) && !is_value(place.role);
            is_hidden.then(|| hide_scalar(&mut place, is_public, &mut found));
            continue;
        }
        let SecretPlace {
            node,
            of,
            is_carrier,
            ..
        } = place;
        let of = of.map(|(of, _)| of);
        match &mut node.data {
            Data::Map(entries) => todo.extend(entries.iter_mut().zip(roles).map(
                |(entry, role)| SecretPlace {
                    of: of.and_then(|of| below(of, &entry.key)),
                    is_carrier: is_carrier || is_secret_key(&entry.key) || carries(&entry.key),
                    node: &mut entry.value,
                    role,
                },
            )),
            Data::Seq(items) => {
                let of = match of {
                    Some(Type::List(of)) => Some((of(), &Bounds::NONE)),
                    _ => None,
                };
                todo.extend(items.iter_mut().zip(roles).map(|(node, role)| SecretPlace {
                    node,
                    role,
                    of,
                    is_carrier,
                }));
            }
            _ => {}
        }
    }
    found
}

fn below(of: &'static Type, key: &str) -> Option<(&'static Type, &'static Bounds)> {
    match of {
        Type::Object(object) => object
            .field(key)
            .map(|field| ((field.of)(), field.bounds())),
        Type::Map(values) => Some((values(), &Bounds::NONE)),
        _ => None,
    }
}

fn hide_scalar(
    place: &mut SecretPlace<'_>,
    is_public: &dyn Fn(&str) -> bool,
    found: &mut HiddenTexts,
) {
    let span = place.node.span;
    let form = place.of.map(|(of, bounds)| TextForm::of(of, bounds));
    let by = match (&place.node.data, &form) {
        (Data::String(text), Some(TextForm::Text(form))) if !fits(text, form) => {
            let by = REPLACEMENTS.iter().find(|text| !fits(text, form));
            if by.is_some() {
                &mut found.refused
            } else {
                &mut found.hidden
            }
            .push(span);
            by.unwrap_or(&REDACTED)
        }
        (Data::String(text), Some(TextForm::Text(form))) => {
            let is_kept = is_closed(form) || is_public(text) || reads_as_words(text);
            if is_kept && !place.is_carrier {
                return found.kept.push(span);
            }
            found.hidden.push(span);
            REPLACEMENTS
                .iter()
                .find(|text| fits(text, form))
                .unwrap_or(&REDACTED)
        }
        (Data::String(_), Some(TextForm::None)) => {
            found.refused.push(span);
            REDACTED
        }
        (Data::String(text), None) if !place.is_carrier && is_public(text) => {
            return found.kept.push(span);
        }
        (_, Some(_)) if !place.is_carrier || matches!(form, Some(TextForm::None)) => {
            return found.kept.push(span);
        }
        _ => {
            found.hidden.push(span);
            REDACTED
        }
    };
    place.node.data = Data::String(by.into());
}

/// The texts that a field takes.
enum TextForm {
    /// Those of this form.
    Text(NamedText),
    /// None.
    None,
}

impl TextForm {
    fn of(of: &'static Type, bounds: &'static Bounds) -> Self {
        match of {
            Type::Text => Self::Text(bounds.text()),
            Type::NamedText(form) => Self::Text(NamedText { ..*form }),
            Type::IntOrString(either) => Self::Text(NamedText {
                pattern: either.pattern,
                ..NamedText::ANY
            }),
            Type::Any(_) => Self::Text(NamedText::ANY),
            _ => Self::None,
        }
    }
}

fn fits(text: &str, form: &NamedText) -> bool {
    scalar::text(text, form, DocId::default(), &Path::root()).is_none()
}

/// Returns whether no text of that form is a secret.
fn is_closed(form: &NamedText) -> bool {
    SECRETS.iter().all(|text| !fits(text, form))
}

fn carries(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    CARRIERS.iter().any(|end| key.ends_with(end))
}
