//! What attributes of the API types say, makes sense.

use std::collections::BTreeMap;

use promgen_text::describe::{Bounds, Identity, LazyRegex, ObjectType};

use super::*;

#[test]
fn every_kind_has_a_description() {
    for kind in Kind::ALL {
        let Type::Object(object) = description(*kind) else {
            panic!("{}", kind.as_str())
        };
        assert!(object.field("metadata").is_some(), "{}", kind.as_str());
    }
}

/// Panics where a pattern is none.
fn compile(pattern: &LazyRegex) {
    let _ = pattern.matches("");
}

/// Walks all types once, and collects what is wrong with them.
#[derive(Default)]
struct Review {
    seen: BTreeMap<&'static str, Vec<*const ObjectType>>,
    faults: Vec<String>,
}

impl Review {
    fn ty(&mut self, ty: &'static Type) {
        match ty {
            Type::Object(object) => self.object(object),
            Type::Map(of) | Type::List(of) => self.ty(of()),
            Type::NamedText(text) => text.pattern.into_iter().for_each(compile),
            Type::Text
            | Type::Int32
            | Type::Int64
            | Type::Boolean
            | Type::IntOrString(_)
            | Type::Any(_) => {}
        }
    }

    fn object(&mut self, object: &'static ObjectType) {
        let known = self.seen.entry(object.name).or_default();
        if known.contains(&std::ptr::from_ref(object)) {
            return;
        }
        known.push(object);
        for field in object.fields {
            if let Some(inlined) = field.inlined()
                && (inlined.is_open || inlined.dialect.is_some())
            {
                self.faults.push(format!(
                    "{}: what {} says beside its fields is lost",
                    object.name, inlined.name
                ));
            }
            if field.doc.is_empty() && field.inlined().is_none() {
                self.faults
                    .push(format!("{}.{}: no comment", object.name, field.name));
            }
            self.bounds(
                &format!("{}.{}", object.name, field.name),
                (field.of)(),
                field.bounds(),
            );
            self.ty((field.of)());
        }
        object
            .dialect
            .into_iter()
            .for_each(|dialect| self.ty((dialect.of)()));
    }

    fn bounds(&mut self, name: &str, ty: &'static Type, bounds: &Bounds) {
        let (is_list, is_text) = (matches!(ty, Type::List(_)), matches!(ty, Type::Text));
        let is_number = matches!(ty, Type::Int32 | Type::Int64);
        let fits = (bounds.min_length.is_none() || is_list || is_text)
            && (bounds.pattern.is_none() || is_text)
            && ((bounds.min, bounds.max) == (None, None) && !bounds.is_unformatted || is_number)
            && ((bounds.items.is_none() && bounds.identity == Identity::None) || is_list);
        if !fits {
            self.faults
                .push(format!("{name}: the type takes no such bound: {bounds:?}"));
        }
        bounds.pattern.into_iter().for_each(compile);
        if let (Type::List(of), Some(items)) = (ty, bounds.items) {
            self.bounds(&format!("{name}[]"), of(), items);
        }
        if let (Type::List(of), Identity::Keys(keys)) = (ty, bounds.identity) {
            let field =
                |key: &&str| matches!(of(), Type::Object(object) if object.field(key).is_some());
            self.faults.extend(
                keys.iter()
                    .filter(|key| !field(key))
                    .map(|key| format!("{name}[]: no field {key}")),
            );
        }
    }
}

#[test]
fn bounds_fit_their_types_and_fields_have_comments() {
    let mut review = Review::default();
    Kind::ALL
        .iter()
        .for_each(|kind| review.ty(description(*kind)));
    assert!(review.seen.len() > 300, "{}", review.seen.len());
    assert!(review.faults.is_empty(), "{}", review.faults.join("\n"));
}

#[test]
fn a_name_of_a_definition_stands_for_one_type() {
    let mut review = Review::default();
    kinds().for_each(|kind| review.ty(description(kind)));
    let several: Vec<_> = review
        .seen
        .iter()
        .filter(|(_, types)| types.len() > 1)
        .map(|(name, _)| name)
        .collect();
    assert!(several.is_empty(), "{several:?}");
}
