//! `helmCharts` of a kustomization.

use promgen_resources::rendered::ChartRef;
use promgen_text::origin::Applier;
use promgen_text::shared::SharedItems;
use promgen_text::source::Unread;
use promgen_text::yaml::{Data, Node};

use super::ChartOptions;
use super::flux::stated;
use super::node::printed;
use super::objects::{ReleaseObjects, make};
use super::release::{ChartRelease, GivenValues, RELEASE, is_stack, subject};
use super::rendering::{named, request};
use crate::path::join;

/// The name of a release that Helm is to think of itself.
const GENERATED: &str = "release-name";

/// Returns whether promgen makes the objects of an entry.
pub(crate) fn is_inflated(entry: &Node) -> bool {
    entry.text_of("name").is_some_and(is_stack)
}

/// Makes the objects of an entry. `read` gives what a file of values holds, or why it is not read. `home`: the folder of the charts of the
/// repository.
pub(crate) fn inflate<'s>(
    entry: &Node,
    read: &dyn Fn(&str) -> Result<Node, Option<&'s Unread>>,
    (options, home): (ChartOptions<'_>, &str),
) -> ReleaseObjects {
    let text = |key: &str| entry.text_of(key).filter(|text| !text.is_empty());
    let mut values = GivenValues::new(entry.span);
    let own = entry.get("valuesFile").into_iter();
    let named: Vec<&Node> = own.chain(entry.items_of("additionalValuesFiles")).collect();
    let replaces = text("valuesMerge") == Some("replace");
    for file in named
        .iter()
        .filter(|file| file.as_str().is_some_and(|name| !name.is_empty()))
    {
        let name = file.as_str().unwrap_or_default();
        match read(name) {
            Ok(found) => values.add_file(&found),
            Err(unread) => values.miss_file(name, unread, file.span),
        }
    }
    if let Some(inline) = entry
        .get("valuesInline")
        .filter(|inline| matches!(inline.data, Data::Map(_)))
    {
        if replaces {
            values.root = Node {
                span: entry.span,
                data: Data::Map(SharedItems::default()),
            };
        }
        if text("valuesMerge") == Some("merge") {
            let files = std::mem::replace(&mut values.root, inline.clone());
            values.add(&files);
        } else {
            values.add(inline);
        }
    }
    let version = entry.get("version");
    let mut release = ChartRelease {
        name: text("releaseName").unwrap_or(GENERATED).to_owned(),
        namespace: entry.get("namespace").and_then(stated),
        chart: text("name").unwrap_or_default().to_owned(),
        alias: None,
        repository: text("repo").unwrap_or_default().to_owned(),
        version: Some(version.and_then(printed).unwrap_or_else(|| "*".to_owned())),
        place: version.or_else(|| entry.get("name")).unwrap_or(entry).span,
        span: entry.span,
        values,
        cluster: None,
        applier: Applier::Kustomize,
        subject: subject(
            RELEASE,
            text("namespace"),
            text("releaseName").unwrap_or(GENERATED),
        ),
        request: None,
        client_side: None,
    };
    if options.rendered.is_some() {
        release.request = Some(request(&release, chart(&release, home)));
    }
    let mut made = make(&release, options);
    // Helm is not asked for the definitions of a chart.
    let has_definitions = entry.is_true("includeCRDs");
    made.is_whole = made.sources.is_rendered && !has_definitions;
    made
}

/// The chart of an entry: a folder in that of the charts of the repository, or one of another repository.
fn chart(release: &ChartRelease, home: &str) -> ChartRef {
    let mut chart = named(release);
    let below = |name: &str| join(home, name);
    chart.paths.push(below(&release.chart));
    if let Some(version) = &release.version {
        let whole = format!("{}-{version}", release.chart);
        chart.paths.extend([
            below(&format!("{whole}/{}", release.chart)),
            below(&format!("{whole}.tgz")),
        ]);
    }
    chart
}
