//! Compares the rows with the types of the API.

use super::*;
use crate::section::WriteWhen;
use promgen_text::describe::{Describe, ObjectType, Type};

/// The fields that [`ClientPart`]s cover.
const OF_CLIENTS: &[&str] = &[
    "authorization",
    "basicAuth",
    "noProxy",
    "oauth2",
    "proxyConnectHeader",
    "proxyFromEnvironment",
    "proxyUrl",
    "tlsConfig",
];

fn object(of: &'static Type) -> &'static ObjectType {
    match of {
        Type::Object(object) => object,
        Type::List(item) => object(item()),
        other => unreachable!("{other:?}"),
    }
}

/// The fields that a row names.
fn named(kind: &SdKind) -> Vec<&'static str> {
    fn field(test: &SdCheck) -> Option<&'static str> {
        match test {
            SdCheck::Url(key) | SdCheck::Server(key) | SdCheck::Secret(key) => Some(key),
            SdCheck::Since(_, test) => field(test),
            SdCheck::Client(_) | SdCheck::With(_) | SdCheck::Spaced(_) => None,
        }
    }
    let tests = kind.tests.iter().filter_map(field);
    let others = kind.output.iter().filter_map(|field| match field.when {
        WriteWhen::With(other) | WriteWhen::WithText(other) | WriteWhen::Without(other, _) => {
            Some(other)
        }
        WriteWhen::Always | WriteWhen::Before(_) | WriteWhen::Never(_) => None,
    });
    let output = kind
        .output
        .iter()
        .map(|field| field.key)
        .filter(|key| !key.is_empty());
    tests.chain(others).chain(output).collect()
}

#[test]
fn every_discovery_of_the_api_has_a_row_that_names_its_fields() {
    let spec = object(ScrapeConfigSpec::describe());
    let mut fields = ScrapeConfigSpec::discoveries();
    let mut rows: Vec<_> = KINDS.iter().map(|kind| kind.field).collect();
    rows.sort_unstable();
    fields.sort_unstable();
    assert_eq!(rows, fields);
    for kind in KINDS {
        let entry = object((spec.field(kind.field).unwrap().of)());
        let named = named(kind);
        let unknown: Vec<_> = named
            .iter()
            .filter(|key| entry.field(key).is_none())
            .collect();
        assert!(
            unknown.is_empty(),
            "{}: {unknown:?} are no fields",
            kind.field
        );
        entry.each(&mut |field| {
            let is_written = named.contains(&field.name) || OF_CLIENTS.contains(&field.name);
            assert!(
                is_written,
                "{}: `{}` is never written",
                kind.field, field.name
            );
        });
    }
}
