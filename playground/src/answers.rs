//! The answers to questions: functions of a model, as text.

use promgen::Options;
use promgen::compare::environments::{self, EnvironmentFilter};
use promgen::explain::answer::Explanation;
use promgen::explain::{self as explanation, ResourceName};
use promgen::routing::{AlertLabels, MatchedRoute, RouteNode, RoutingTree};
use promgen_answers::diff::outline::DiffOutline;
use promgen_compile::output::{Emission, Layout, Output, Workload};
use promgen_targets::discovery::job::Globals;
use promgen_targets::trace::find::{self, Finder, KnownTargets, TargetQuery, is_hidden};
use promgen_targets::trace::{Tracer, scrapes};
use promgen_text::diag::{escape, format};
use promgen_text::source::{Sources, Span};
use serde_json::{Value, json};

use crate::asked::{Asked, inputs};
use crate::kept;

/// The most targets, resources and alerts of an answer.
const MAX: usize = 200;

type Answer = Result<String, String>;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

fn written(value: &impl serde::Serialize) -> Answer {
    let mut out = Vec::new();
    escape::write_json(value, &mut out).map_err(|error| error.to_string())?;
    Ok(text(out))
}

pub(crate) fn lint(asked: &Asked) -> Answer {
    let output = promgen::lint(&asked.project(|options| options)?);
    let mut out = Vec::new();
    format::json::write(&output.diagnostics, &output.sources, &mut out)
        .map_err(|error| error.to_string())?;
    Ok(text(out))
}

pub(crate) fn render(asked: &Asked) -> Answer {
    let output = asked.project(|options| options)?.model().into_output();
    let mut out = Vec::new();
    output
        .write_stream(&Emission::default(), &mut out)
        .map_err(|error| error.to_string())?;
    Ok(text(out))
}

pub(crate) fn compile(asked: &Asked) -> Answer {
    let model = asked.model()?;
    let output = model.output();
    let workload = |workload: &Workload| {
        let shards = workload
            .plan
            .shards
            .iter()
            .map(|shard| json!({ "index": shard.index, "zone": shard.zone }));
        json!({
            "workload": workload.id.to_string(),
            "version": workload.prometheus.as_ref().map(ToString::to_string),
            "error": workload.error,
            "hasConfig": workload.config.is_some(),
            "shards": if workload.id.kind.has_shards() { shards.collect() } else { Vec::new() },
        })
    };
    let candidates = model.cluster().candidates();
    let names =
        candidates.map(|c| format!("{}/{}/{}", c.kind.as_str(), c.namespace(), c.metadata.name));
    let ids = output
        .each_workload()
        .map(|workload| workload.id.to_string());
    let resources: Vec<String> = ids.chain(names).take(10 * MAX).collect();
    let alerts = model
        .alerts()
        .into_iter()
        .take(MAX)
        .map(|alert| labels_text(&alert.labels));
    written(&json!({
        "environments": environments::names(model.project().environments()),
        "workloads": output.each_workload().map(workload).collect::<Vec<_>>(),
        "refused": output.refused.iter().map(|(id, why)| json!({ "workload": id.to_string(), "why": why })).collect::<Vec<_>>(),
        "resources": resources,
        "alerts": alerts.collect::<Vec<_>>(),
    }))
}

pub(crate) fn config(asked: &Asked) -> Answer {
    let mut output = asked.model()?.into_output();
    output.annotate();
    let is_it = |workload: &&Workload| workload.id.to_string() == asked.resource;
    let workload = output
        .each_workload()
        .find(is_it)
        .ok_or_else(|| format!("{} not found", asked.resource))?;
    let Some(config) = &workload.config else {
        let why = workload
            .error
            .as_deref()
            .unwrap_or("the operator writes none");
        return Err(format!("{} has no configuration: {why}", workload.id));
    };
    let Some(index) = asked.shard else {
        return Ok(config.text().to_owned());
    };
    let shard = workload
        .plan
        .shards
        .iter()
        .find(|shard| shard.index == index);
    Ok(config
        .expand(shard.ok_or_else(|| format!("{} has no shard {index}", workload.id))?)
        .text())
}

pub(crate) fn explain(asked: &Asked) -> Answer {
    let of = ResourceName::parse(&asked.resource)?;
    let model = asked.model_with_targets()?;
    let step = explanation::explain(&model, &of).map_err(|near| match near.as_slice() {
        [] => format!("{of} not found"),
        near => format!("{of} not found; similar ones: {}", near.join(", ")),
    })?;
    let explained = Explanation::of(&step, &model.output().sources);
    written(&serde_json::to_value(explained).map_err(|error| error.to_string())?)
}

fn place(span: Option<Span>, sources: &Sources) -> (Option<String>, Option<usize>) {
    (
        span.map(|span| sources.file(span.file).name.clone()),
        span.map(|span| sources.start(span).line),
    )
}

/// What differs, as JSON: the whole, and the same as lines for people.
pub(crate) fn diff(asked: &Asked) -> Answer {
    let compared = compared(asked)?;
    let whole = serde_json::to_value(compared.whole()).map_err(|error| error.to_string())?;
    written(&json!({ "changes": whole, "outline": DiffOutline::new(&compared.whole()) }))
}

fn compared(asked: &Asked) -> Result<environments::Compared, String> {
    let options = Options {
        layout: Layout::PerShard,
        ..asked.options.options()?
    };
    let [old, new] = kept::sides(&inputs(&asked.base), &inputs(&asked.files), &options);
    environments::projects(&old, &new, &EnvironmentFilter::default(), &|_, _| {})
}

pub(crate) fn which(asked: &Asked) -> Answer {
    let wanted = TargetQuery::parse(&asked.target)?;
    let model = asked.model_with_targets()?;
    let (output, discovery, origins) = (model.output(), model.discovery(), model.rule_origins());
    let (known, mut found) = (KnownTargets::default(), Vec::new());
    for workload in output.each_workload().filter(|workload| scrapes(workload)) {
        let Some(config) = &workload.config else {
            continue;
        };
        let origins = origins.of(&workload.id);
        let globals = Globals::of(config);
        let namespace = &workload.id.namespace;
        let finder = Finder {
            discovery,
            namespace,
            globals,
            wanted: &wanted,
            node: None,
            known: &known,
        };
        for job in config.jobs.iter().filter(|job| !is_hidden(job)) {
            let Ok(tracer) = Tracer::new(workload, job) else {
                continue;
            };
            for target in finder.targets(job).targets {
                let Ok(verdict) = tracer.verdict(&target.labels) else {
                    break;
                };
                if found.len() < MAX {
                    let dropped = verdict.dropped.iter().map(|(shards, dropped)| {
                        let (file, line) = place(origins.of(job).get(dropped.rule).and_then(|o| o.span).or(job.origin), &output.sources);
                        json!({ "shards": shards, "rule": dropped.rule + 1, "value": dropped.value, "file": file, "line": line })
                    });
                    found.push(json!({
                        "workload": workload.id.to_string(),
                        "job": job.name,
                        "address": target.labels.get("__address__"),
                        "source": target.source,
                        "isTarget": verdict.is_target,
                        "scrapedBy": verdict.keepers(),
                        "dropped": dropped.collect::<Vec<_>>(),
                    }));
                }
            }
        }
    }
    written(&found)
}

fn labels_text(labels: &AlertLabels) -> String {
    labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(",")
}

/// What is said instead of a text of a Secret.
const REDACTED: &str = "<redacted>";

pub(crate) fn route(asked: &Asked) -> Answer {
    let read = find::labels(&asked.labels)?;
    let pairs = read
        .into_iter()
        .map(|(name, value)| (name.to_string(), value.to_string()));
    let labels: AlertLabels = pairs.filter(|(_, value)| !value.is_empty()).collect();
    let output = asked.model()?.into_output();
    let trees = output
        .each_workload()
        .filter_map(|workload| Some((workload, workload.routing.as_ref()?)));
    let answers = trees.map(|(workload, tree)| {
        let routes: Vec<Value> = tree
            .route(&labels)
            .iter()
            .map(|step| route_value(tree, step, &output))
            .collect();
        json!({ "workload": workload.id.to_string(), "routes": routes })
    });
    written(&answers.collect::<Vec<_>>())
}

fn route_value(tree: &RoutingTree, step: &MatchedRoute<'_>, output: &Output) -> Value {
    let node: &RouteNode = step.node;
    let (file, line) = place(node.source.span, &output.sources);
    let shown = |text: String, is_secret: bool| if is_secret { REDACTED.to_owned() } else { text };
    let matchers: Vec<String> = node
        .matchers
        .iter()
        .map(|matcher| shown(matcher.to_string(), node.source.is_secret))
        .collect();
    let integrations = tree
        .receivers
        .get(&node.receiver.value)
        .cloned()
        .unwrap_or_default();
    json!({
        "depth": step.way.len(),
        "matchers": matchers,
        "continue": node.continues,
        "notifies": step.is_last,
        "receiver": shown(node.receiver.value.clone(), node.receiver.is_secret),
        "integrations": integrations,
        "file": file,
        "line": line,
    })
}
