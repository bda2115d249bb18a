//! The exporters in the input of which it is known what they make: their release is in the table, and their arguments are known.
//!
//! In: the manifests of an environment. Out: at most one exporter of each program, which stands for all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lineage::discover::is_kept_by_controller;
use crate::lineage::exporters::{ExporterProgram, KnownExporter};
use crate::model::World;
use crate::model::lineage::open::is_doubted;
use promgen_resources::document::Manifest;
use promgen_text::yaml::Node;

/// The known exporters. A program that runs in several releases, or somewhere with unknown arguments, is not one.
pub(super) fn all(world: &World<'_>) -> Vec<Arc<KnownExporter>> {
    let mut found: BTreeMap<ExporterProgram, Option<KnownExporter>> = BTreeMap::new();
    for manifest in world.manifests().iter() {
        for container in containers(&manifest) {
            let Some(program) = program(container) else {
                continue;
            };
            let is_open = !is_kept_by_controller(manifest.kind) || is_doubted(world, manifest.node);
            let one = if is_open { None } else { known(container) };
            let all = match found.remove(&program) {
                None => one,
                Some(before) => before.zip(one).and_then(|(before, one)| before.and(&one)),
            };
            found.insert(program, all);
        }
    }
    found.into_values().flatten().map(Arc::new).collect()
}

/// The containers of the pods that a manifest is, or makes.
pub(super) fn containers<'m>(manifest: &Manifest<'m>) -> impl Iterator<Item = &'m Node> + use<'m> {
    let template = if manifest.kind == "Pod" {
        Some(&**manifest.node)
    } else {
        manifest.node.find(&["spec", "template"])
    };
    let containers = template
        .and_then(|template| template.find(&["spec", "containers"]))
        .map(Node::items);
    containers.unwrap_or_default().iter()
}

fn image(container: &Node) -> Option<&str> {
    container.text_of("image")
}

fn program(container: &Node) -> Option<ExporterProgram> {
    ExporterProgram::of_image(image(container)?)
}

/// An exporter by its container.
fn known(container: &Node) -> Option<KnownExporter> {
    let image = image(container)?;
    let texts = |key: &str| container.items_of(key).iter().map(Node::as_str);
    let mut command = texts("command");
    // A shell could run anything.
    if let Some(program) = command.next() {
        let name = program?.rsplit('/').next().unwrap_or_default();
        let own = ExporterProgram::of_image(image)?.name();
        (name.replace('_', "-") == own).then_some(())?;
    }
    let arguments: Vec<Option<&str>> = command.chain(texts("args")).collect();
    KnownExporter::of(image, &arguments)
}
