//! Configuration that users bring along in Prometheus' own form, in keys of Secrets.
//!
//! In: references to Secrets. Out: lists of maps, as the operator reads them and writes them again. What they hold is
//! secret as a whole: unless Secrets are shown, every value is replaced by a placeholder, and only keys and structure are
//! left.

use crate::cluster::assets::{Asset, ContentFault, SecretBytes};
use crate::lower::{Scope, WorkloadContext};
use crate::paths::{SPEC, spec_at};
use crate::select::admit::{InField, Refusal};
use crate::select::assumed;
use crate::sharding::Sharding;
use promgen_resources::api::Kind;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::route::At;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Map, Node, Value, read};

/// A list from the key of a Secret.
#[derive(Clone, Debug)]
pub struct AdditionalList {
    field: &'static str,
    /// Empty if promgen assumes that the Secret is present.
    content: SecretBytes,
    /// The place of the text, if it is in the input.
    origin: Option<At>,
}

/// The lists that a workload refers to. `None` without a reference, or if an optional key is missing.
#[derive(Clone, Debug, Default)]
pub struct Additional {
    /// `additionalScrapeConfigs`.
    pub scrape_configs: Option<AdditionalList>,
    /// `additionalAlertRelabelConfigs`.
    pub alert_relabel_configs: Option<AdditionalList>,
    /// `additionalAlertManagerConfigs`.
    pub alertmanagers: Option<AdditionalList>,
}

impl Additional {
    /// The place of the additional jobs: the key of the Secret, or else the field that refers to it.
    pub(crate) fn origin_of_jobs(&self, cx: &WorkloadContext<'_>) -> At {
        let field = || spec_at(cx.doc).key("additionalScrapeConfigs");
        self.scrape_configs
            .as_ref()
            .and_then(|source| source.origin.clone())
            .unwrap_or_else(field)
    }
}

/// Loads the Secrets, in the operator's order. Reports those that are assumed to be present.
///
/// # Errors
/// A Secret or key that is not there, in the operator's words.
pub fn load<'a>(cx: &WorkloadContext<'a>, sink: &mut Sink) -> Result<Additional, Refusal> {
    let mut load =
        |selector: Option<&'a SecretKeySelector>, field: &'static str, what: &str| match selector {
            Some(selector) => source(cx, sink, selector, field).within(&format!(
                "loading additional {what} configs from Secret failed"
            )),
            None => Ok(None),
        };
    let scrape_configs = cx.common.additional_scrape_configs.as_ref();
    let scrape_configs = load(scrape_configs, "additionalScrapeConfigs", "scrape")?;
    // Agents neither evaluate rules nor send alerts.
    let Some(server) = cx.server else {
        return Ok(Additional {
            scrape_configs,
            ..Additional::default()
        });
    };
    let relabel = server.additional_alert_relabel_configs.as_ref();
    let alert_relabel_configs = load(relabel, "additionalAlertRelabelConfigs", "alert relabel")?;
    let alertmanagers = server.additional_alert_manager_configs.as_ref();
    let alertmanagers = load(
        alertmanagers,
        "additionalAlertManagerConfigs",
        "alert manager",
    )?;
    Ok(Additional {
        scrape_configs,
        alert_relabel_configs,
        alertmanagers,
    })
}

fn source<'a>(
    cx: &WorkloadContext<'a>,
    sink: &mut Sink,
    selector: &'a SecretKeySelector,
    field: &'static str,
) -> Result<Option<AdditionalList>, Refusal> {
    let path = SPEC.key(field);
    let asset = cx
        .assets
        .whole(cx.namespace, selector)
        .map_err(|message| Refusal::new(&path, message))?;
    let content = match asset {
        None => return Ok(None),
        Some(Asset::Content(content)) => content,
        Some(Asset::Assumed) => {
            let name = &selector.name;
            let message = format!(
                "Secret {}/{name} is not in the input; promgen assumes that it exists and is empty",
                cx.namespace
            );
            let place = At::path(cx.doc, &path);
            sink.report(assumed(
                cx.assets,
                Kind::Secret,
                cx.namespace,
                name,
                place,
                message,
            ));
            SecretBytes::public(Vec::new())
        }
    };
    let origin = cx.assets.origin(cx.namespace, selector);
    Ok(Some(AdditionalList {
        field,
        content,
        origin,
    }))
}

/// A job that a user brings along.
#[derive(Clone, Debug)]
pub struct Brought {
    /// The job.
    pub section: Map,
    /// It ends with the rules that share targets among shards.
    pub is_shared: bool,
}

/// The jobs of `additionalScrapeConfigs`, sharded where the workload has several shards.
///
/// # Errors
/// The text is not a list of maps, or has an invalid relabel rule; in the operator's words.
pub fn scrape_configs(
    scope: &Scope<'_>,
    source: Option<&AdditionalList>,
) -> Result<Vec<Brought>, Refusal> {
    let Some(source) = source else {
        return Ok(Vec::new());
    };
    let failed =
        |message: String| source.refuse(format!("generate additional scrape configs: {message}"));
    let jobs = source.maps().map_err(|e| {
        failed(format!(
            "unmarshalling additional scrape configs failed: {e}"
        ))
    })?;
    let shards = scope.cx.sharding.plan.shards.len();
    // Without other shards there is nothing to share: the jobs stay as the user wrote them, order of keys included.
    let jobs = if shards == 1 || scope.cx.is_daemon_set() {
        jobs.into_iter()
            .map(|job| Brought {
                section: source.shown(job),
                is_shared: false,
            })
            .collect()
    } else {
        let job = |job| sharded(scope.cx.sharding, job, |value| source.shown(value));
        jobs.into_iter()
            .map(job)
            .collect::<Result<_, _>>()
            .map_err(failed)?
    };
    Ok(jobs)
}

/// Rules of `additionalAlertRelabelConfigs`.
///
/// # Errors
/// The text is not a list of maps.
pub fn alert_relabel_configs(source: Option<&AdditionalList>) -> Result<Vec<Map>, Refusal> {
    let Some(source) = source else {
        return Ok(Vec::new());
    };
    let rules = source.maps().map_err(|error| {
        let failed =
            "generating alerting configuration failed: unmarshalling additional alerting relabel configs failed";
        source.refuse(format!("{failed}: {error}"))
    })?;
    Ok(rules.into_iter().map(|rule| source.shown(rule)).collect())
}

/// Entries of `additionalAlertManagerConfigs`.
///
/// # Errors
/// The text is not a list of maps. The operator does not say why.
pub fn alertmanagers(source: Option<&AdditionalList>) -> Result<Vec<Map>, Refusal> {
    let Some(source) = source else {
        return Ok(Vec::new());
    };
    let failed = "generating alerting configuration failed: unmarshalling additional alertmanager configs failed";
    let entries = source
        .maps()
        .map_err(|_| source.refuse(failed.to_owned()))?;
    Ok(entries
        .into_iter()
        .map(|entry| source.shown(entry))
        .collect())
}

/// A job with its relabel rules at the end, and with those that share targets among shards unless it hashes them itself.
fn sharded(sharding: &Sharding, job: Map, shown: impl Fn(Map) -> Map) -> Result<Brought, String> {
    let (mut others, mut rules) = (Map::new(), Vec::new());
    // Wherever the user wrote `relabel_configs`, the operator appends it anew, so it moves to the end of the job.
    for (key, value) in job.into_entries() {
        if key != "relabel_configs" {
            others.push(key, value);
            continue;
        }
        // The text after the colon is what Go prints for a missing error; the operator forgot it.
        let Value::Seq(items) = value else {
            return Err("error parsing relabel configs: %!w(<nil>)".to_owned());
        };
        for item in items {
            let Value::Map(rule) = item else {
                return Err("error parsing relabel config: %!w(<nil>)".to_owned());
            };
            rules.push(rule);
        }
    }
    let hashes = |rule: &Map| rule.get("action").and_then(Value::as_str) == Some("hashmod");
    // A job that hashes its targets itself decides which shard scrapes them.
    let complete = rules.iter().any(hashes);
    let mut rules: Vec<Value> = rules
        .into_iter()
        .map(|rule| Value::Map(shown(rule)))
        .collect();
    if !complete {
        rules.extend(
            sharding
                .by_address()
                .iter()
                .map(|sharing| Value::from(sharing.rule.clone())),
        );
    }
    Ok(Brought {
        section: shown(others).with("relabel_configs", Value::Seq(rules)),
        is_shared: !complete,
    })
}

impl AdditionalList {
    fn refuse(&self, message: String) -> Refusal {
        Refusal::new(&SPEC.key(self.field), message)
    }

    /// The list of maps. Go: `yaml.Unmarshal` into `[]yaml.MapSlice`.
    fn maps(&self) -> Result<Vec<Map>, String> {
        self.content.check(maps)
    }

    /// The map as it may be shown.
    fn shown(&self, map: Map) -> Map {
        map.into_entries()
            .into_iter()
            .map(|(key, value)| (key, self.content.shown_value(value)))
            .collect()
    }
}

fn maps(bytes: &[u8]) -> Result<Vec<Map>, ContentFault> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ContentFault::plain("yaml: invalid leading UTF-8 octet"))?;
    let root = read::read_slices(text).map_err(|fault| unreadable(text, &fault))?;
    let Some(root) = root.filter(|root| !root.is_null()) else {
        return Ok(Vec::new());
    };
    let Data::Seq(items) = &root.data else {
        return Err(misfits(text, &[&root], "[]yaml.MapSlice"));
    };
    let (mut maps, mut wrong) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        match item.to_value() {
            Value::Map(map) => maps.push(map),
            // An item without content is a map without entries.
            Value::Null => maps.push(Map::new()),
            _ => {
                wrong.push(item);
            }
        }
    }
    if wrong.is_empty() {
        Ok(maps)
    } else {
        Err(misfits(text, &wrong, "yaml.MapSlice"))
    }
}

/// go-yaml's message about values of the wrong type.
fn misfits(text: &str, nodes: &[&Node], wanted: &str) -> ContentFault {
    let [full, redacted] = [true, false].map(|reveal| {
        let misfits: Vec<_> = nodes
            .iter()
            .map(|node| misfit(text, node, wanted, reveal))
            .collect();
        format!("yaml: unmarshal errors:\n  {}", misfits.join("\n  "))
    });
    ContentFault::new(full, redacted)
}

/// What go-yaml calls a value.
pub(crate) const fn tag(data: &Data) -> &'static str {
    match data {
        Data::Null => "!!null",
        Data::Bool(_) => "!!bool",
        Data::Int(_) | Data::Uint(_) => "!!int",
        Data::Float(_) => "!!float",
        Data::String(_) => "!!str",
        Data::Seq(_) => "!!seq",
        Data::Map(_) => "!!map",
    }
}

/// go-yaml's message about a value of the wrong type.
fn misfit(text: &str, node: &Node, wanted: &str, reveal: bool) -> String {
    let tag = tag(&node.data);
    let value = match &node.data {
        Data::Seq(_) | Data::Map(_) => String::new(),
        Data::Null
        | Data::Bool(_)
        | Data::Int(_)
        | Data::Uint(_)
        | Data::Float(_)
        | Data::String(_)
            if !reveal =>
        {
            format!(" `{REDACTED}`")
        }
        Data::String(value) => excerpt(value),
        Data::Null | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => excerpt(
            text.get(node.span.start as usize..node.span.end as usize)
                .unwrap_or_default(),
        ),
    };
    format!(
        "line {}: cannot unmarshal {tag}{value} into {wanted}",
        line(text, node.span)
    )
}

/// A value in a message of go-yaml: as a whole, or the first seven bytes of it.
fn excerpt(value: &str) -> String {
    // go-yaml counts bytes: more than ten of them are cut down to seven.
    if value.len() <= 10 {
        return format!(" `{value}`");
    }
    // Go would cut through a character; half of one is no text here.
    let cut = (0..=7)
        .rev()
        .find(|i| value.is_char_boundary(*i))
        .unwrap_or(0);
    format!(" `{}...`", &value[..cut])
}

/// The error about invalid YAML. go-yaml's message differs, but has the same line.
fn unreadable(text: &str, fault: &Diagnostic) -> ContentFault {
    let line = fault
        .place
        .as_ref()
        .and_then(Place::bytes)
        .map_or(1, |span| line(text, span));
    ContentFault::new(&*fault.message, "the text is no YAML").within(&format!("yaml: line {line}"))
}

fn line(text: &str, span: Span) -> usize {
    let before = text
        .as_bytes()
        .get(..span.start as usize)
        .unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of go-yaml.
    #[test]
    fn values_are_cut_and_lines_are_counted() {
        assert_eq!(excerpt("aaaaaaaaaa"), " `aaaaaaaaaa`");
        assert_eq!(excerpt("aaaaaaaaaaa"), " `aaaaaaa...`");
        let text = "a: 1\nb: three words\n";
        let root = promgen_text::yaml::read::read_slices(text)
            .unwrap()
            .unwrap();
        let told = |key: &str, reveal| misfit(text, root.get(key).unwrap(), "[]string", reveal);
        assert_eq!(
            told("a", true),
            "line 1: cannot unmarshal !!int `1` into []string"
        );
        assert_eq!(
            told("b", true),
            "line 2: cannot unmarshal !!str `three w...` into []string"
        );
        assert_eq!(
            told("b", false),
            format!("line 2: cannot unmarshal !!str `{REDACTED}` into []string")
        );
    }
}
