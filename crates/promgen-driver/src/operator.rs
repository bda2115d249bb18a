//! The operator of an environment: its release and its flags, as far as the input shows them.
//!
//! In: the objects of an environment, and what the user says. Out: the options for that operator. What shows the release: the
//! image of the operator's Deployment, the annotation of its CustomResourceDefinitions, the tag of a live config reloader; in
//! this order the first one counts, and one that says otherwise is reported. What the user says goes before all of them.

mod rules;
pub(crate) mod unwatched;

use std::sync::Arc;

use promgen_compile::options::Options;
use promgen_repository::kustomize::images::ImageReference;
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests};
use promgen_resources::gates::flags::{OperatorFlag, OperatorFlags};
use promgen_resources::gates::{FEATURES, Target};
use promgen_resources::release::{self, CURRENT};
use promgen_resources::watch::{InstanceFlag, Watch, WatchFlag};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::parallel;
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use rules::{CONFLICTING_RELEASES, LATER_FIELD, OPERATOR_RELEASE};
pub(crate) use rules::{RULES, UNWATCHED};

/// The annotation of the operator's CustomResourceDefinitions.
const VERSION_ANNOTATION: &str = "operator.prometheus.io/version";
/// The containers that run the config reloader.
const RELOADERS: [&str; 2] = ["config-reloader", "init-config-reloader"];

/// Something in the input that shows a release.
struct ReleaseEvidence {
    /// The release, as it is written.
    text: String,
    /// The release, if promgen knows it.
    version: Option<Version>,
    span: Span,
    /// The noun for it in messages.
    what: String,
}

/// Finds the operator of the objects, prunes them as its API server does, and gives the options for it, and the release that
/// the objects show. `of_chart`: the release that a chart among them installs.
pub(crate) fn settle(
    manifests: &mut Manifests,
    given: &Arc<Options>,
    of_chart: Option<Version>,
    sink: &mut Sink,
) -> (Arc<Options>, Option<Version>) {
    let mut options = Arc::clone(given);
    let objects: Vec<Manifest<'_>> = manifests.iter().collect();
    let (evidence, deployment) = parallel::join(|| evidence(&objects), || deployment(&objects));
    let shown = shown_by(&evidence).or_else(|| of_chart.clone());
    if let Some((node, _)) = deployment {
        let flagged = with_flags(&given.target, node);
        if flagged != given.target {
            options = Arc::new(Options { target: flagged, ..(**given).clone() });
        }
    }
    if given.target.operator.is_none()
        && let Some(operator) = inferred(&evidence, sink).or(of_chart)
    {
        let target = Target { operator: Some(operator), ..options.target.clone() };
        options = Arc::new(Options { target, ..(*options).clone() });
    }
    prune(manifests, options.target.operator_version(), sink);
    (options, shown)
}

/// Drops the fields that the release lacks. Each of them is reported.
fn prune(manifests: &mut Manifests, operator: &Version, sink: &mut Sink) {
    for pruned in manifests.prune(operator) {
        if pruned.route.starts_with_key("status") {
            continue;
        }
        let (field, since, operator) = (&pruned.route, release::tag(&pruned.since), release::tag(operator));
        let message =
            format!("`{field}` has no effect: operator {operator} does not know it, and its API server drops it");
        let diagnostic = Diagnostic::new(&LATER_FIELD, pruned.span, message);
        sink.report(diagnostic.help(format!("operator {since} is the first one that has it")));
    }
}

/// The release that the objects show, if promgen knows it.
pub(crate) fn shown(manifests: &Manifests) -> Option<Version> {
    shown_by(&evidence(&manifests.iter().collect::<Vec<_>>()))
}

fn shown_by(evidence: &[ReleaseEvidence]) -> Option<Version> {
    evidence.first()?.version.clone()
}

/// The release that the input shows, if it is not the current one.
fn inferred(found: &[ReleaseEvidence], sink: &mut Sink) -> Option<Version> {
    let first = found.first()?;
    for other in found.iter().filter(|other| other.text != first.text) {
        let message =
            format!("{} is of operator {}, and {} of operator {}", other.what, other.text, first.what, first.text);
        let diagnostic = Diagnostic::new(&CONFLICTING_RELEASES, other.span, message);
        let help = format!("the latter counts here; to say otherwise, set `--operator-version {}`", other.text);
        sink.report(diagnostic.help(help).related(first.span, "the release that counts"));
    }
    let (text, what) = (&first.text, &first.what);
    let Some(version) = first.version.clone() else {
        let message =
            format!("{what} is of operator {text}, which promgen does not know: it compiles as {}", CURRENT.operator);
        sink.report(Diagnostic::new(&OPERATOR_RELEASE, first.span, message));
        return None;
    };
    if version == CURRENT.version {
        return None;
    }
    let message = format!("compiled as operator {text}: {what} is of that release");
    sink.report(Diagnostic::new(&OPERATOR_RELEASE, first.span, message));
    Some(version)
}

/// All that shows a release, what is most certain first; of each sort one for each release.
fn evidence(objects: &[Manifest<'_>]) -> Vec<ReleaseEvidence> {
    let of_sort =
        |sort: fn(&Manifest<'_>) -> Option<ReleaseEvidence>| parallel::map(objects, 64, sort).into_iter().flatten();
    let by_sort = [of_sort(of_deployment), of_sort(of_definition), of_sort(of_reloader)];
    let mut found: Vec<ReleaseEvidence> = Vec::new();
    for evidence in by_sort.into_iter().flatten() {
        if found.iter().all(|other| other.text != evidence.text) {
            found.push(evidence);
        }
    }
    found
}

impl ReleaseEvidence {
    fn new(text: &str, span: Span, what: String) -> Self {
        let text = if text.starts_with('v') { text.to_owned() } else { format!("v{text}") };
        Self { version: release::parse(&text).ok(), text, span, what }
    }
}

/// The operator's container in its Deployment.
fn operator_container<'n>(object: &Manifest<'n>) -> Option<(&'n Node, &'n Node)> {
    if (object.group, object.kind) != ("apps", "Deployment") {
        return None;
    }
    let containers = object.node.find(&["spec", "template", "spec", "containers"])?;
    containers.items().iter().find_map(|container| {
        let image = container.get("image")?;
        let name = ImageReference::of(image.as_str()?).name;
        name.ends_with("/prometheus-operator").then_some((container, image))
    })
}

fn of_deployment(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    let (_, image) = operator_container(object)?;
    let what = format!("Deployment {}/{}", object.namespace.unwrap_or_default(), object.name);
    Some(ReleaseEvidence::new(tag(image.as_str()?)?, image.span, what))
}

fn of_definition(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    if object.kind != "CustomResourceDefinition" || !object.name.ends_with(Kind::Prometheus.group()) {
        return None;
    }
    let node = object.node.find(&["metadata", "annotations", VERSION_ANNOTATION])?;
    let text = node.as_str().filter(|text| Version::parse(text).is_some())?;
    Some(ReleaseEvidence::new(text, node.span, format!("CustomResourceDefinition {}", object.name)))
}

/// The reloader of an object of a cluster: a manifest may run any one.
fn of_reloader(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    let is_set = object.group == "apps" && matches!(object.kind, "StatefulSet" | "DaemonSet");
    if !is_set || object.node.find(&["metadata", "uid"]).is_none() {
        return None;
    }
    let pod = object.node.find(&["spec", "template", "spec"])?;
    let containers = ["containers", "initContainers"].into_iter().filter_map(|list| pod.get(list));
    let is_reloader =
        |container: &&Node| container.get("name").and_then(Node::as_str).is_some_and(|name| RELOADERS.contains(&name));
    let mut reloaders = containers.flat_map(Node::items).filter(is_reloader);
    let image = reloaders.find_map(|container| container.get("image"))?;
    let what = format!("the config reloader of {} {}", object.kind, object.name);
    Some(ReleaseEvidence::new(tag(image.as_str()?)?, image.span, what))
}

/// The tag of an image, if it is a release.
fn tag(image: &str) -> Option<&str> {
    let tag = ImageReference::of(image).tag;
    let is_release = tag.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_release.then_some(tag)
}

/// The operator's container, and where its image stands. Of several the last one counts.
fn deployment<'n>(objects: &[Manifest<'n>]) -> Option<(&'n Node, Span)> {
    objects.iter().rev().find_map(operator_container).map(|(node, image)| (node, image.span))
}

/// The user's settings, over the flags of the operator's container.
fn with_flags(given: &Target, container: &Node) -> Target {
    let mut target = given.clone();
    let (mut watch, mut flags) = (Watch::default(), OperatorFlags::default());
    let args = ["command", "args"].into_iter().filter_map(|list| container.get(list)).flat_map(Node::items);
    for (name, value) in args.filter_map(Node::as_str).filter_map(flag) {
        match name {
            "prometheus-config-reloader" => {
                target.reloader_image = target.reloader_image.or_else(|| Some(value.to_owned()));
            }
            "feature-gates" => {
                for (gate, is_on) in value.split(',').filter_map(|gate| gate.split_once('=')) {
                    let is_known = FEATURES.iter().any(|feature| feature.name == gate);
                    if let (true, Ok(is_on)) = (is_known, is_on.parse()) {
                        target.features.entry(gate.to_owned()).or_insert(is_on);
                    }
                }
            }
            _ => {
                if let Some(flag) = WatchFlag::ALL.into_iter().find(|flag| flag.name() == name) {
                    watch.set(flag, value);
                }
                if let Some(flag) = InstanceFlag::ALL.into_iter().find(|flag| flag.name() == name) {
                    watch.select(flag, value);
                }
                if let Some(flag) = OperatorFlag::ALL.into_iter().find(|flag| flag.name() == name) {
                    flags.set(flag, value);
                }
            }
        }
    }
    target.watch = given.watch.over(watch);
    target.flags = given.flags.over(flags);
    target
}

/// `--name=value`, with one hyphen or two.
fn flag(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?.split_once('=')
}
