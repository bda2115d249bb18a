//! Images and accounts of the pods that contradict the rest of the input.

use promgen_compile::workload;
use promgen_model::model::World;
use promgen_model::running::{RunningWorkload, Spec};
use promgen_repository::kustomize::images::ImageReference;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::At;
use promgen_text::suggest;
use promgen_text::version::Version;

rules! {
    /// ## What it does
    /// Finds workloads whose `image` has another version in its tag than `version` says, in `containers` and of Thanos, too. Without
    /// `version`, an image of Prometheus 2 where the operator writes for Prometheus 3 by default is information. And finds versions
    /// without a `v` that are, or become, the tag of an image: no image of the projects has such a tag.
    ///
    /// Asked are the images of the projects, and copies of them in other registries: `quay.io/prometheus/prometheus`,
    /// `mirror.example.com/prom/prometheus`. Any other image counts its own releases, so its tag says nothing.
    ///
    /// ## Why is this bad?
    /// The operator writes configuration and arguments for `version`, and the pods run the image: a newer Prometheus than the
    /// configuration is for lacks settings, an older one does not start.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   image: quay.io/prometheus/prometheus:v2.55.1
    /// ```
    /// Use instead: one version.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   image: quay.io/prometheus/prometheus:v3.5.0
    /// ```
    OTHER_IMAGE = "PG522" "image-of-another-version" Warning: "an image whose tag contradicts the version";

    /// ## What it does
    /// Finds workloads with a `serviceAccountName` that the input does not have, where it has one of almost that name in the
    /// namespace.
    ///
    /// ## Why is this bad?
    /// Without the ServiceAccount, the StatefulSet creates no pod.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {serviceAccountName: promethues}
    /// ---
    /// apiVersion: v1
    /// kind: ServiceAccount
    /// metadata: {name: prometheus, namespace: shop}
    /// ```
    /// Use instead: the name of the account.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {serviceAccountName: prometheus}
    /// ---
    /// apiVersion: v1
    /// kind: ServiceAccount
    /// metadata: {name: prometheus, namespace: shop}
    /// ```
    UNKNOWN_ACCOUNT = "PG523" "unknown-service-account" Warning: "a ServiceAccount that is almost one in the input";
}

/// Checks a workload.
pub(super) fn check(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let program = match running.spec {
        Spec::Server(_) | Spec::Agent(_) => &PROMETHEUS,
        Spec::Alertmanager(_) => &ALERTMANAGER,
        Spec::Ruler(_) => &THANOS,
    };
    let (image, version) = (running.image(), running.version());
    let patched = patched_image(model, running, program.container);
    let own = || Some((image?, running.at().key("image")));
    let pair = patched
        .or_else(own)
        .zip(version.map(|version| (version, running.at().key("version"))));
    if version.is_none() {
        unstated(model, running, sink);
    }
    compare(&running.what(), program, pair, sink);
    if let Spec::Server(PrometheusSpec {
        thanos: Some(thanos),
        ..
    }) = running.spec
    {
        let at = |field: &'static str| running.at().key("thanos").key(field);
        let image = thanos.image.as_deref().map(|image| (image, at("image")));
        let pair = image.zip(
            thanos
                .version
                .as_deref()
                .map(|version| (version, at("version"))),
        );
        compare(
            &format!("the Thanos sidecar of {}", running.what()),
            &THANOS,
            pair,
            sink,
        );
    }
    if let Some(account) = running.service_account_name() {
        let known = model.reach.others.service_accounts.iter();
        let own = known
            .filter(|(namespace, _)| namespace == running.namespace)
            .map(|(_, name)| name.as_str());
        if let Some(meant) = suggest::slip_of_name(account, own) {
            let message = format!(
                "{} runs as ServiceAccount `{account}`, which is not in the input",
                running.what()
            );
            let finding = Diagnostic::new(
                &UNKNOWN_ACCOUNT,
                running.at().key("serviceAccountName"),
                message,
            );
            sink.report(finding.help(format!(
                "did you mean `{meant}`, which is in namespace {}?",
                running.namespace
            )));
        }
    }
}

/// Reports an image of Prometheus 2 where the operator writes for Prometheus 3 by default, or the other way round.
fn unstated(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let (Some(common), Some(image)) = (running.common(), running.image()) else {
        return;
    };
    let default = workload::versions(&model.options().target, common, None).ok();
    let pair = PROMETHEUS.version(image).zip(default);
    let Some((of_image, default)) = pair.map(|(image, of)| (image, of.prometheus)) else {
        return;
    };
    if of_image.major != default.major {
        let message = format!(
            "{} runs {of_image}, as its image says, with a configuration for {default}, which is the operator's default",
            running.what()
        );
        let finding = Diagnostic::new(&OTHER_IMAGE, running.at().key("image"), message);
        let help = format!("add `version: v{of_image}`: the operator does not read the tag");
        sink.report(finding.level(Level::Info).help(help));
    }
}

/// A text, and its place.
type PlacedText<'t> = (&'t str, At);

/// The image that `containers` gives the container of the program, and its place.
fn patched_image<'m>(
    model: &World<'m>,
    running: &RunningWorkload<'_>,
    name: &str,
) -> Option<PlacedText<'m>> {
    let document = document::find(model.documents(), running.doc)?;
    let containers = document
        .node
        .find(&["spec", "containers"])?
        .items()
        .iter()
        .enumerate();
    let mut own = containers.filter(|(_, container)| container.text_of("name") == Some(name));
    let (index, container) = own.next()?;
    let image = container.text_of("image")?;
    Some((
        image,
        running.at().key("containers").index(index).key("image"),
    ))
}

/// Compares an image with the version that the operator writes for.
fn compare(
    what: &str,
    program: &PublishedProgram,
    pair: Option<(PlacedText<'_>, PlacedText<'_>)>,
    sink: &mut Sink,
) {
    let Some(((image, at), (version, of_version))) = pair else {
        return;
    };
    if let Some((of_image, own)) = program
        .version(image)
        .zip(Version::parse_tolerant(version).ok())
        && of_image != own
    {
        let message =
            format!("{what} runs {of_image}, as its image says, with a configuration for {own}");
        let finding = Diagnostic::new(&OTHER_IMAGE, at, message);
        let finding = finding.related(of_version, "the operator writes the configuration for this");
        sink.report(finding.help(format!("write one version: `version: v{of_image}`")));
    }
}

/// A program that the operator runs.
pub(super) struct PublishedProgram {
    /// The name of its container.
    pub(super) container: &'static str,
    /// The images that its project publishes, without the registry.
    images: [&'static str; 2],
}

pub(super) static PROMETHEUS: PublishedProgram = PublishedProgram {
    container: "prometheus",
    images: ["prometheus/prometheus", "prom/prometheus"],
};
pub(super) static ALERTMANAGER: PublishedProgram = PublishedProgram {
    container: "alertmanager",
    images: ["prometheus/alertmanager", "prom/alertmanager"],
};
pub(super) static THANOS: PublishedProgram = PublishedProgram {
    container: "thanos-ruler",
    images: ["thanos/thanos", "thanosio/thanos"],
};

impl PublishedProgram {
    /// The version of the program in an image. `None` if the image does not say it: it is not the project's, or its tag is no
    /// version.
    pub(super) fn version(&self, image: &str) -> Option<Version> {
        self.is_of(image)
            .then(|| version(ImageReference::of(image).tag))?
    }

    /// Returns whether an image is the project's, or a copy of it.
    pub(super) fn is_of(&self, image: &str) -> bool {
        let name = ImageReference::of(image).name;
        self.images.iter().any(|own| {
            name.strip_suffix(*own)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }
}

/// The tag of an image of a project that is a version without its v. Copies elsewhere may have any.
pub(super) fn tagless(image: &str) -> Option<&str> {
    let image = ImageReference::of(image.strip_prefix("quay.io/").unwrap_or(image));
    let programs = [&PROMETHEUS, &ALERTMANAGER, &THANOS];
    let is_original = programs
        .iter()
        .any(|program| program.images.contains(&image.name));
    let is_tagless = is_original && image.digest.is_empty() && !image.tag.starts_with('v');
    version(image.tag).map(|_| image.tag).filter(|_| is_tagless)
}

/// The version that a tag is. `None` for other tags.
fn version(tag: &str) -> Option<Version> {
    let bare = tag.strip_prefix('v').unwrap_or(tag);
    let is_plain = bare.split('.').count() == 3
        && bare
            .split('.')
            .all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    Version::parse_tolerant(tag).ok().filter(|_| is_plain)
}
