//! Writes sections by the rows of their fields.

use crate::lower::SettingsLowering;
use crate::lower::prometheus::http;
use crate::section::{FieldConversion, SectionEntry, SectionField, ValueFate, WriteWhen, selector};
use promgen_resources::api::Kind;
use promgen_resources::gates::{self, Axis};
use promgen_text::route::{Path, ValueRoute};
use promgen_text::yaml::encode::{EncodeFields, fields_of};
use promgen_text::yaml::{Map, Value};

/// The fields of an object that stands at a path, in the order of the rows.
pub(crate) fn section(
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    entry: &SectionEntry<'_>,
    rows: &[SectionField],
) -> Map {
    let mut out = Map::new();
    let mut writer = SectionWriter {
        fields,
        path,
        entry,
        rows,
    };
    for field in rows {
        if writer.applies(field) {
            writer.write(&mut out, field);
        }
    }
    out
}

/// Writes fields of an object, in the order of the rows.
pub(crate) fn rows(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    object: &dyn EncodeFields,
    rows: &[SectionField],
) {
    out.extend(section(fields, path, &SectionEntry::of(object, rows), rows));
}

/// Writes the fields of an object of that kind and place that gates say to write as they are.
pub(crate) fn passed(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    kind: Kind,
    place: &str,
    path: &Path<'_>,
    object: &dyn EncodeFields,
) {
    let written: Vec<_> = gates::fields::written(kind, place).collect();
    let values = fields_of(object, |name| {
        written.iter().any(|field| field.name == name)
    });
    for field in written {
        let (at, value) = (
            || path.key(&field.name).to_route(),
            values.get(&field.name).cloned(),
        );
        out.push_some(field.key, fields.gated(field.gate, value, at));
    }
}

struct SectionWriter<'w, 'f> {
    fields: &'w mut SettingsLowering<'f>,
    path: &'w Path<'w>,
    entry: &'w SectionEntry<'w>,
    rows: &'w [SectionField],
}

impl SectionWriter<'_, '_> {
    fn at(&self, field: &SectionField) -> ValueRoute {
        self.path.key(field.key).to_route()
    }

    /// Returns whether the other fields of the object allow a field to be written. A field without effect is reported.
    fn applies(&mut self, field: &SectionField) -> bool {
        let (entry, fields) = (self.entry, &mut *self.fields);
        let knows = |row: &SectionField| {
            row.gates()
                .all(|gated| gated.gate.axis != Axis::Operator || fields.has(gated.gate))
        };
        let has = |key| {
            entry.get(key).is_some() && self.rows.iter().filter(|row| row.key == key).all(knows)
        };
        let has_text = |key| {
            entry
                .get(key)
                .is_some_and(|value| !fields.secret(&selector(value)).is_empty())
        };
        let why = match field.when {
            WriteWhen::Always => return true,
            WriteWhen::With(other) => return has(other),
            WriteWhen::WithText(other) => return has_text(field.key) && has_text(other),
            WriteWhen::Before(gate) => return !fields.has(gate),
            WriteWhen::Without(other, _) if !has(other) => return true,
            WriteWhen::Without(_, why) => why,
            WriteWhen::Never(why) => Some(why),
        };
        if let Some(why) = why.filter(|_| has(field.key)) {
            fields.unused(self.path.key(field.key).to_route(), why);
        }
        false
    }

    fn write(&mut self, out: &mut Map, field: &SectionField) {
        match (field.how, self.entry.get(field.key)) {
            (FieldConversion::Client(parts), _) if self.known(field) => {
                http::client(out, self.fields, self.path, &self.entry.client, parts);
            }
            (FieldConversion::Section(rows), Some(value)) if self.known(field) => {
                out.push(
                    field.name,
                    section(
                        self.fields,
                        &self.path.key(field.key),
                        &value.clone().into(),
                        rows,
                    ),
                );
            }
            (FieldConversion::Client(_) | FieldConversion::Section(_), _) | (_, None) => {}
            (_, Some(value)) => {
                let written = self.converted(field, value);
                if written.is_some() && self.known(field) {
                    out.push_some(field.name, written);
                }
            }
        }
    }

    /// What a value becomes that is no object.
    fn converted(&mut self, field: &SectionField, value: &Value) -> Option<Value> {
        let fate = match field.how {
            FieldConversion::To(convert) => return convert(value),
            FieldConversion::Secret => return Some(self.fields.secret(&selector(value)).into()),
            FieldConversion::Client(_) | FieldConversion::Section(_) => return None,
            FieldConversion::With(convert) => convert(self.entry, value, self.fields.versions),
        };
        match fate {
            ValueFate::Written(value) => Some(value),
            ValueFate::Gated(gate, value) => self
                .fields
                .gated(gate, Some(value), || self.path.key(field.key).to_route()),
            ValueFate::LeftOut => None,
            ValueFate::Unused(why) => {
                self.fields.unused(self.at(field), &why);
                None
            }
            ValueFate::Refused(value, what, help) => {
                self.fields.refused(self.at(field), &what, &help);
                Some(value)
            }
        }
    }

    /// Returns whether the target supports the field with its value.
    fn known(&mut self, field: &SectionField) -> bool {
        let Some(value) = self.entry.get(field.key) else {
            return true;
        };
        let (versions, at) = (self.fields.versions, || self.path.key(field.key).to_route());
        let mut dropping = field
            .gates()
            .filter(|gated| gated.omits(versions) && gated.concerns(value));
        dropping.all(|gated| self.fields.allowed(gated.gate, true, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::prometheus::sections::{
        ALERTMANAGER_CLIENT, ALERTMANAGER_REQUEST, ENDPOINT, GLOBAL, NATIVE_HISTOGRAMS, OTLP,
        PROBE_CLIENT, PROBE_TIMING, PROXY, REMOTE_READ, REMOTE_WRITE, SCRAPE_CONFIG, SERVER,
        TIMING, TRACING,
    };
    use crate::lower::prometheus::storage;
    use promgen_resources::schema;
    use promgen_text::describe::{ObjectType, Type};

    fn object(of: &'static Type) -> &'static ObjectType {
        match of {
            Type::Object(object) => object,
            Type::List(item) => object(item()),
            other => unreachable!("{other:?}"),
        }
    }

    /// The faults of the rows of an object: those that name no field of it, and gates that no hover of the field shows.
    fn faults(kind: Kind, place: &[&str], rows: &[SectionField]) -> Vec<String> {
        let field =
            |of: &'static ObjectType, name: &&str| object((of.field(name).expect(name).of)());
        let of = place.iter().fold(object(schema::description(kind)), field);
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| !row.key.is_empty()) {
            let here = [place, &[row.key]].concat();
            let route = here.iter().fold(ValueRoute::root(), |route, key| {
                route.key((*key).to_owned())
            });
            let shown: Vec<_> = gates::fields::of_field(kind, &route).collect();
            if of.field(row.key).is_none() {
                found.push(format!("{kind:?} has no {route}"));
            } else if row.gates().any(|gated| !shown.contains(&gated.gate)) {
                found.push(format!("a gate of {kind:?} {route} does not name it"));
            } else if let FieldConversion::Section(rows) = row.how {
                found.extend(faults(kind, &here, rows));
            }
        }
        found
    }

    #[test]
    fn rows_name_fields_and_gates_name_the_fields_of_rows() {
        let sections = [
            (
                Kind::Prometheus,
                &["spec"][..],
                [TIMING, GLOBAL, SERVER].concat(),
            ),
            (
                Kind::Prometheus,
                &["spec", "remoteWrite"],
                REMOTE_WRITE.to_vec(),
            ),
            (
                Kind::Prometheus,
                &["spec", "remoteRead"],
                REMOTE_READ.to_vec(),
            ),
            (Kind::Prometheus, &["spec", "otlp"], OTLP.to_vec()),
            (
                Kind::Prometheus,
                &["spec", "tracingConfig"],
                TRACING.to_vec(),
            ),
            (
                Kind::Prometheus,
                &["spec", "alerting", "alertmanagers"],
                [ALERTMANAGER_CLIENT, ALERTMANAGER_REQUEST].concat(),
            ),
            (
                Kind::Prometheus,
                &["spec", "tsdb"],
                storage::tsdb(&gates::OUT_OF_ORDER_TIME_WINDOW).to_vec(),
            ),
            (
                Kind::PrometheusAgent,
                &["spec", "tsdb"],
                storage::tsdb(&gates::AGENT_OUT_OF_ORDER_TIME_WINDOW).to_vec(),
            ),
            (Kind::ServiceMonitor, &["spec"], NATIVE_HISTOGRAMS.to_vec()),
            (
                Kind::ServiceMonitor,
                &["spec", "endpoints"],
                ENDPOINT.to_vec(),
            ),
            (
                Kind::PodMonitor,
                &["spec", "podMetricsEndpoints"],
                [ENDPOINT, PROXY].concat(),
            ),
            (
                Kind::Probe,
                &["spec"],
                [PROBE_CLIENT, PROBE_TIMING].concat(),
            ),
            (Kind::ScrapeConfig, &["spec"], SCRAPE_CONFIG.to_vec()),
        ];
        let found: Vec<_> = sections
            .iter()
            .flat_map(|(kind, place, rows)| faults(*kind, place, rows))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
