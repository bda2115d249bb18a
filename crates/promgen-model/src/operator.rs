//! The operator of an environment: its release and its flags, as far as the input shows them.
//!
//! In: the objects of an environment, and what the user says. Out: the options for that operator. What shows the release: the
//! image of the operator's Deployment, the annotation of its CustomResourceDefinitions, the tag of a live config reloader; in
//! this order the first one counts, and one that says otherwise is reported. What the user says goes before all of them.

mod rules;
pub mod unwatched;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use promgen_compile::options::Options;
use promgen_repository::kustomize::images::ImageReference;
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests, UNKNOWN_VERSION};
use promgen_resources::gates::flags::{OperatorFlag, OperatorFlags};
use promgen_resources::gates::{FEATURES, Target};
use promgen_resources::release::{self, CURRENT, NEWEST};
use promgen_resources::schema::VERSION_ANNOTATION;
use promgen_resources::unknown::is_later_text;
use promgen_resources::watch::{InstanceFlag, Watch, WatchFlag};
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, UncheckedThing};
use promgen_text::parallel;
use promgen_text::source::{Sources, Span};
use promgen_text::version::Version;
use promgen_text::yaml::Node;
pub use rules::RULES;
pub(crate) use rules::UNWATCHED;
use rules::{CONFLICTING_RELEASES, LATER_FIELD, NEWER_RELEASE, OPERATOR_RELEASE};

/// The containers that run the config reloader.
pub const RELOADERS: [&str; 2] = ["config-reloader", "init-config-reloader"];

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

/// Finds the operator of the objects, prunes them as its API server does, and gives the options for it, the release that the
/// objects show, and whether that is older than all that promgen knows. `of_chart`: the release that a chart among them installs, and
/// its arguments; a Deployment goes before them.
pub(crate) fn options_for(
    manifests: &mut Manifests,
    given: &Arc<Options>,
    sources: &Sources,
    of_chart: Option<Version>,
    arguments: &[String],
    sink: &mut Sink,
) -> (Arc<Options>, Option<Version>, bool) {
    let mut options = Arc::clone(given);
    let objects: Vec<Manifest<'_>> = manifests.iter().collect();
    let (mut evidence, deployment) = parallel::join(|| evidence(&objects), || deployment(&objects));
    // What tests install says nothing of what is applied.
    let is_of_test = |of: &ReleaseEvidence| is_in_tests(&sources.file(of.span.file).name);
    if !evidence.iter().all(is_of_test) {
        evidence.retain(|of| !is_of_test(of));
    }
    let shown = shown_by(&evidence).or_else(|| of_chart.clone());
    let written = evidence.first().and_then(|of| Version::parse(&of.text));
    let is_older =
        given.target.operator.is_none() && written.is_some_and(|of| release::is_older(&of));
    let flagged = match deployment {
        Some((container, namespace)) => {
            let lists = ["command", "args"]
                .into_iter()
                .filter_map(|list| container.get(list));
            let texts = lists.flat_map(Node::items).filter_map(Node::as_str);
            let texts: Vec<Cow<'_, str>> = texts
                .map(|text| expanded(text, container, namespace))
                .collect();
            with_flags(&given.target, texts.iter().map(AsRef::as_ref))
        }
        None => with_flags(&given.target, arguments.iter().map(String::as_str)),
    };
    if flagged != given.target {
        options = Arc::new(Options {
            target: flagged,
            ..(**given).clone()
        });
    }
    let is_asked =
        |operator: &&Version| release::is_newer(operator) && !manifests.documents.is_empty();
    if let Some(operator) = given.target.operator.as_ref().filter(is_asked) {
        sink.report(Diagnostic::placeless(
            &NEWER_RELEASE,
            newer("the operator", &release::tag(operator)),
        ));
    }
    if given.target.operator.is_none()
        && let Some(operator) = inferred(&evidence, sink).or(of_chart)
    {
        let target = Target {
            operator: Some(operator),
            ..options.target.clone()
        };
        options = Arc::new(Options {
            target,
            ..(*options).clone()
        });
    }
    if let Some([prometheus, alertmanager, thanos]) = options
        .facts
        .as_ref()
        .and_then(|facts| facts.defaults(options.target.operator_version()))
    {
        let target = options.target.clone();
        let or = |given: Option<String>, default: &String| given.or_else(|| Some(default.clone()));
        let target = Target {
            default_prometheus: or(target.default_prometheus, prometheus),
            default_alertmanager: or(target.default_alertmanager, alertmanager),
            default_thanos: or(target.default_thanos, thanos),
            ..target
        };
        options = Arc::new(Options {
            target,
            ..(*options).clone()
        });
    }
    prune(manifests, options.target.operator_version(), sink);
    (options, shown, is_older)
}

/// Drops the fields that the release lacks. Each of them is reported.
fn prune(manifests: &mut Manifests, operator: &Version, sink: &mut Sink) {
    for pruned in manifests.prune(operator) {
        if pruned.route.starts_with_key("status") {
            continue;
        }
        let (field, since, operator) = (
            &pruned.route,
            release::tag(&pruned.since),
            release::tag(operator),
        );
        let message = format!(
            "`{field}` has no effect: operator {operator} does not know it, and its API server drops it"
        );
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
        let message = format!(
            "{} is of operator {}, and {} of operator {}",
            other.what, other.text, first.what, first.text
        );
        let diagnostic = Diagnostic::new(&CONFLICTING_RELEASES, other.span, message);
        let help = format!(
            "the latter counts here; to say otherwise, set `--operator-version {}`",
            other.text
        );
        sink.report(
            diagnostic
                .help(help)
                .related(first.span, "the release that counts"),
        );
    }
    let (text, what) = (&first.text, &first.what);
    let Some(version) = first.version.clone() else {
        let message = format!(
            "{what} is of operator {text}, which promgen does not know: it compiles as {}",
            CURRENT.operator
        );
        sink.report(Diagnostic::new(&OPERATOR_RELEASE, first.span, message));
        return None;
    };
    if version == CURRENT.version {
        return None;
    }
    if release::is_newer(&version) {
        sink.report(Diagnostic::new(
            &NEWER_RELEASE,
            first.span,
            newer(what, text),
        ));
        return Some(version);
    }
    let message = format!("compiled as operator {text}: {what} is of that release");
    sink.report(Diagnostic::new(&OPERATOR_RELEASE, first.span, message));
    Some(version)
}

/// The finding on a release that is newer than all that promgen knows.
fn newer(what: &str, text: &str) -> String {
    let newest = NEWEST.operator;
    format!(
        "{what} {} {newest}, the newest that promgen knows: compiled as {newest}",
        of_release(text)
    )
}

/// The words about a newer release.
fn of_release(tag: &str) -> String {
    format!("is of release {tag}, which is newer than")
}

/// What is not checked because the release is newer than what promgen knows, one by one. [`count_unchecked`] makes it a part of
/// the finding about the release.
pub(crate) fn unchecked(operator: &Version, found: &Sink) -> Vec<Diagnostic> {
    let of = |UncheckedThing { noun, at }: &UncheckedThing| {
        Diagnostic::new(&NEWER_RELEASE, at.clone(), *noun).label(release::tag(operator))
    };
    found.unchecked().iter().map(of).collect()
}

/// The findings with what they say of versions of kinds: a newer release may serve them, so that they are not checked.
pub(crate) fn later_versions(operator: &Version, mut found: Sink) -> Sink {
    if !release::is_newer(operator) {
        return found;
    }
    let mut kept = Sink::default();
    found
        .take_unchecked()
        .into_iter()
        .for_each(|unchecked| kept.leave_unchecked(unchecked.noun, unchecked.at));
    for diagnostic in found.into_diagnostics() {
        kept.report(match *diagnostic.rule == UNKNOWN_VERSION {
            true => {
                let Diagnostic { place, span, .. } = diagnostic;
                Diagnostic {
                    place,
                    span,
                    ..Diagnostic::placeless(&NEWER_RELEASE, "version")
                }
                .label(release::tag(operator))
            }
            false => diagnostic,
        });
    }
    kept
}

/// Says in the finding about a release how much of it is not checked.
pub fn count_unchecked(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let (mut kept, mut first) = (Vec::with_capacity(found.len()), None);
    for diagnostic in found {
        // The finding about a release has no label.
        match &diagnostic.label {
            Some(tag) if *diagnostic.rule == NEWER_RELEASE => {
                *counts
                    .entry(tag.clone())
                    .or_default()
                    .entry(diagnostic.message)
                    .or_default() += 1;
                first.get_or_insert((diagnostic.place, diagnostic.span));
            }
            _ => kept.push(diagnostic),
        }
    }
    for (tag, counts) in counts {
        let n: usize = counts.values().sum();
        let nouns: Vec<String> = counts.iter().map(|(noun, n)| counted(*n, noun)).collect();
        let unchecked = format!(
            "{} {} not checked",
            nouns.join(", "),
            if n == 1 { "is" } else { "are" }
        );
        let is_about_it = |note: &&mut Diagnostic| {
            *note.rule == NEWER_RELEASE && note.message.contains(&of_release(&tag))
        };
        match kept.iter_mut().find(is_about_it) {
            Some(note) => note.message = format!("{}; {unchecked}", note.message),
            None => {
                let message = if tag == NEWEST.operator {
                    format!(
                        "the operator of the chart is newer than {tag}, the newest that promgen knows: {unchecked}"
                    )
                } else {
                    format!(
                        "the CustomResourceDefinitions say of {tag} what promgen does not know: {unchecked}"
                    )
                };
                let (place, span) = first.take().unwrap_or_default();
                kept.push(Diagnostic {
                    place,
                    span,
                    ..Diagnostic::placeless(&NEWER_RELEASE, message)
                });
            }
        }
    }
    kept
}

/// All that shows a release, what is most certain first; of each sort one for each release.
fn evidence(objects: &[Manifest<'_>]) -> Vec<ReleaseEvidence> {
    let of_sort = |sort: fn(&Manifest<'_>) -> Option<ReleaseEvidence>| {
        parallel::map(objects, 64, sort).into_iter().flatten()
    };
    let by_sort = [
        of_sort(of_deployment),
        of_sort(of_definition),
        of_sort(of_reloader),
    ];
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
        let text = if text.starts_with('v') {
            text.to_owned()
        } else {
            format!("v{text}")
        };
        Self {
            version: release::parse(&text).ok(),
            text,
            span,
            what,
        }
    }
}

/// The operator's container in its Deployment.
pub(crate) fn operator_container<'n>(object: &Manifest<'n>) -> Option<(&'n Node, &'n Node)> {
    if (object.group, object.kind) != ("apps", "Deployment") {
        return None;
    }
    let containers = object
        .node
        .find(&["spec", "template", "spec", "containers"])?;
    containers.items().iter().find_map(|container| {
        let image = container.get("image")?;
        let name = ImageReference::of(image.as_str()?).name;
        name.ends_with("/prometheus-operator")
            .then_some((container, image))
    })
}

fn of_deployment(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    let (_, image) = operator_container(object)?;
    let what = format!(
        "Deployment {}/{}",
        object.namespace.unwrap_or_default(),
        object.name
    );
    Some(ReleaseEvidence::new(
        tag(image.as_str()?)?,
        image.span,
        what,
    ))
}

/// Returns whether a file is in a folder of tests.
fn is_in_tests(name: &str) -> bool {
    let (folders, _) = name.rsplit_once('/').unwrap_or_default();
    let is_test = |part: &str| ["e2e", "test", "testdata", "tests"].contains(&part);
    folders.split('/').any(is_test)
}

/// A definition, and no patch of one.
fn of_definition(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    let is_part = |spec: &Node| spec.get("versions").is_none() && spec.get("version").is_none();
    if object.node.get("spec").is_some_and(is_part) {
        return None;
    }
    if object.kind != "CustomResourceDefinition" || !object.name.ends_with(Kind::Prometheus.group())
    {
        return None;
    }
    let node = object
        .node
        .find(&["metadata", "annotations", VERSION_ANNOTATION])?;
    let text = node
        .as_str()
        .filter(|text| Version::parse(text).is_some())?;
    Some(ReleaseEvidence::new(
        text,
        node.span,
        format!("CustomResourceDefinition {}", object.name),
    ))
}

/// The reloader of an object of a cluster: a manifest may run any one.
fn of_reloader(object: &Manifest<'_>) -> Option<ReleaseEvidence> {
    let is_set = object.group == "apps" && matches!(object.kind, "StatefulSet" | "DaemonSet");
    if !is_set || object.node.find(&["metadata", "uid"]).is_none() {
        return None;
    }
    let pod = object.node.find(&["spec", "template", "spec"])?;
    let containers = ["containers", "initContainers"]
        .into_iter()
        .filter_map(|list| pod.get(list));
    let is_reloader = |container: &&Node| {
        container
            .text_of("name")
            .is_some_and(|name| RELOADERS.contains(&name))
    };
    let mut reloaders = containers.flat_map(Node::items).filter(is_reloader);
    let image = reloaders.find_map(|container| container.get("image"))?;
    let what = format!("the config reloader of {} {}", object.kind, object.name);
    Some(ReleaseEvidence::new(
        tag(image.as_str()?)?,
        image.span,
        what,
    ))
}

/// The tag of an image, if it is a release.
pub fn tag(image: &str) -> Option<&str> {
    let tag = ImageReference::of(image).tag;
    let is_release = tag
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_release.then_some(tag)
}

/// The operator's container, and its namespace. Of several the last one counts.
fn deployment<'n>(objects: &[Manifest<'n>]) -> Option<(&'n Node, Option<&'n str>)> {
    let mut all = objects.iter().rev();
    all.find_map(|object| Some((operator_container(object)?.0, object.namespace)))
}

/// An argument with the variable of the container that it refers to, `$(NAME)`, if its value is known.
fn expanded<'t>(text: &'t str, container: &Node, namespace: Option<&str>) -> Cow<'t, str> {
    let reference = text.split_once("$(").and_then(|(before, rest)| {
        let (name, after) = rest.split_once(')')?;
        Some((before, name, after))
    });
    let Some((before, name, after)) = reference else {
        return Cow::Borrowed(text);
    };
    let mut variables = container.items_of("env").iter();
    let variable = variables.find(|variable| variable.text_of("name") == Some(name));
    let value = variable.and_then(|variable| {
        match variable.text_at(&["valueFrom", "fieldRef", "fieldPath"]) {
            Some("metadata.namespace") => namespace,
            _ => variable.text_of("value"),
        }
    });
    value.map_or(Cow::Borrowed(text), |value| {
        Cow::Owned(format!("{before}{value}{after}"))
    })
}

/// Returns whether a text may be the name of a namespace: what is filled in later has another form.
fn may_be_name(text: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.trim().bytes().all(is_part)
}

/// The user's settings, over the arguments of the operator.
fn with_flags<'a>(given: &Target, arguments: impl Iterator<Item = &'a str>) -> Target {
    let mut target = given.clone();
    let (mut watch, mut flags) = (Watch::default(), OperatorFlags::default());
    for (name, value) in arguments.filter_map(flag) {
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
                let watched = WatchFlag::ALL.into_iter().find(|flag| flag.name() == name);
                // A name that is filled in later may be any.
                match watched {
                    Some(flag) if value.split(',').all(may_be_name) => watch.set(flag, value),
                    Some(WatchFlag::Denied) => {
                        let known: Vec<_> =
                            value.split(',').filter(|name| may_be_name(name)).collect();
                        watch.set(WatchFlag::Denied, &known.join(","));
                    }
                    _ => {}
                }
                if let Some(flag) = InstanceFlag::ALL
                    .into_iter()
                    .find(|flag| flag.name() == name && !is_later_text(value))
                {
                    watch.select(flag, value);
                }
                if let Some(flag) = OperatorFlag::ALL
                    .into_iter()
                    .find(|flag| flag.name() == name)
                {
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
    text.strip_prefix("--")
        .or_else(|| text.strip_prefix('-'))?
        .split_once('=')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use promgen_compile::options::Options;
    use promgen_text::source::Input;

    use crate::project::Project;

    /// How many releases are found that differ from that of an operator in `deploy/a.yaml`.
    fn n_conflicts(definition: &str, spec: &str) -> usize {
        let operator = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: po, namespace: m}, spec: {template: {spec: {containers: [{name: po, image: 'quay.io/prometheus-operator/prometheus-operator:v0.85.0'}]}}}}\n";
        let text = format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: probes.monitoring.coreos.com, annotations: {{operator.prometheus.io/version: 0.71.2}}}}{spec}}}\n"
        );
        let options = Arc::new(Options {
            is_repository: true,
            ..Options::default()
        });
        let inputs = [
            Input::new("deploy/a.yaml", operator),
            Input::new(definition, text.as_str()),
        ];
        let model = Project::read(&inputs, &options).model();
        let found = model.output().diagnostics.iter();
        found.filter(|of| of.rule.code == "PG310").count()
    }

    #[test]
    fn definitions_of_tests_and_patches_of_definitions_conflict_with_nothing() {
        let whole = ", spec: {group: monitoring.coreos.com, versions: [{name: v1}]}";
        for (name, spec) in [
            ("crds/b.yaml", ""),
            ("crds/b.yaml", whole),
            ("deploy/latest/b.yaml", whole),
        ] {
            assert_eq!(n_conflicts(name, spec), 1, "{name} {spec}");
        }
        for (name, spec) in [
            ("tests/kind/crds/b.yaml", whole),
            ("test/b.yaml", ""),
            ("crds/b.yaml", ", spec: {conversion: {strategy: Webhook}}"),
        ] {
            assert_eq!(n_conflicts(name, spec), 0, "{name} {spec}");
        }
    }
}
