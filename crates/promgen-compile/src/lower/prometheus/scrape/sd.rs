//! Service discoveries of ScrapeConfigs: writes the sections by the rows of their table.

use crate::lower::Scope;
use crate::lower::prometheus::http;
use crate::select::admit::sd::{KINDS, SdConversion, SdEntry, SdField, SdKind, ValueFate, WriteWhen, selector};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::gates::Axis;
use promgen_text::route::{Path, ValueRoute};
use promgen_text::yaml::Map;

/// Writes all discoveries, in the operator's order.
pub(super) fn discoveries(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, spec: &ScrapeConfigSpec) {
    for kind in KINDS {
        let (list, entries) = (path.key(kind.field), (kind.entries)(spec));
        let items = entries.iter().enumerate().map(|(index, entry)| item(scope, &list.index(index), kind, entry));
        let items: Vec<Map> = items.collect();
        if !items.is_empty() {
            out.push(ScrapeConfigSpec::section(kind.field), items);
        }
    }
}

fn item(scope: &mut Scope<'_>, path: &Path<'_>, kind: &SdKind, entry: &SdEntry<'_>) -> Map {
    let mut out = Map::new();
    for field in kind.output {
        if applies(scope, path, (kind, field), entry) {
            write(&mut out, scope, path, field, entry);
        }
    }
    out
}

/// Whether the other fields of the entry allow a field to be written. A field without effect is reported.
fn applies(scope: &mut Scope<'_>, path: &Path<'_>, (kind, field): (&SdKind, &SdField), entry: &SdEntry<'_>) -> bool {
    let knows =
        |field: &SdField| field.gates.iter().all(|gated| gated.gate.axis != Axis::Operator || scope.has(gated.gate));
    let has = |key| entry.get(key).is_some() && kind.output.iter().filter(|field| field.key == key).all(knows);
    let why = match field.when {
        WriteWhen::Always => return true,
        WriteWhen::With(other) => return has(other),
        WriteWhen::Without(other, _) if !has(other) => return true,
        WriteWhen::Without(_, why) => why,
        WriteWhen::Never(why) => Some(why),
    };
    if let Some(why) = why.filter(|_| has(field.key)) {
        scope.unused(path.key(field.key).to_route(), why);
    }
    false
}

fn write(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, field: &SdField, entry: &SdEntry<'_>) {
    let (value, at) = (entry.get(field.key), || path.key(field.key).to_route());
    if let SdConversion::Client(parts) = field.how {
        if known(scope, field, entry, at) {
            http::client(out, scope, path, &entry.client, parts);
        }
        return;
    }
    let Some(value) = value else { return };
    let written = match field.how {
        SdConversion::To(convert) => convert(value),
        SdConversion::Secret => Some(scope.secret(&selector(value)).into()),
        SdConversion::With(convert) => match convert(entry, value, scope.cx.versions) {
            ValueFate::Written(value) => Some(value),
            ValueFate::Gated(gate, value) => scope.gated(gate, Some(value), at),
            ValueFate::Unused(why) => {
                scope.unused(at(), &why);
                None
            }
            ValueFate::Refused(value, what, help) => {
                scope.refused(at(), &what, &help);
                Some(value)
            }
        },
        SdConversion::Client(_) => None,
    };
    if written.is_some() && known(scope, field, entry, at) {
        out.push_some(field.name, written);
    }
}

/// Whether the target supports the field with its value.
fn known(scope: &mut Scope<'_>, field: &SdField, entry: &SdEntry<'_>, at: impl Fn() -> ValueRoute) -> bool {
    let Some(value) = entry.get(field.key) else { return true };
    let versions = scope.cx.versions;
    let mut dropping = field.gates.iter().filter(|gated| gated.omits(versions) && gated.concerns(value));
    dropping.all(|gated| scope.allowed(gated.gate, true, &at))
}
