//! Pictures in the pages: the drawings of sharding are compared byte for byte, the photographs name what they show.

use std::fmt::Write as _;
use std::fs;

use promgen::distribution;
use promgen::{Input, Options};
use promgen_compile::sharding::plan::Shard;
use promgen_testing::assert_written;

use crate::support::{compile, promgen, root};

/// The pictures of sharding, and the manifests that they show.
const DRAWN: &[(&str, &str)] = &[
    ("address", "fixtures/sharding-address/input/manifests.yaml"),
    (
        "topology",
        "fixtures/sharding-operator-topology/input/manifests.yaml",
    ),
    (
        "proposal",
        "fixtures/sharding-proposal-topology/input/manifests.yaml",
    ),
];

/// The number of generated targets, as on the page.
const N_TARGETS: usize = 1000;
const WIDTH: usize = 720;
const STEP: usize = 48;

const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1f2328}.soft{fill:#59636e;font-size:12px}\
rect{fill:#fff;stroke:#59636e}.page{stroke:none}.lane{fill:#f6f8fa;stroke:#d1d9e0}\
.idle{stroke-dasharray:5 4}.doubled{stroke:#9a3412;stroke-width:2}path{fill:none;stroke:#0969da;stroke-width:1.5}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.soft{fill:#9198a1}rect{fill:#0d1117;stroke:#9198a1}\
.page{stroke:none}.lane{fill:#151b23;stroke:#3d444d}.doubled{stroke:#fb923c}path{stroke:#58a6ff}}";

#[test]
fn the_drawings_of_sharding_are_those_of_today() {
    for (name, manifests) in DRAWN {
        let page = format!("docs/pictures/sharding-{name}.svg");
        assert_written(&page, &drawing(manifests));
    }
}

/// The zones of a Prometheus from top to bottom, with the shards that share the targets of each.
fn drawing(manifests: &str) -> String {
    let text = fs::read_to_string(root().join(manifests)).unwrap();
    let output = compile(&[Input::new(manifests, text)], &Options::default());
    let workload = &output.workloads[0];
    let plan = &workload.plan;
    let counts = distribution::random(workload, N_TARGETS, &plan.zones, 0, &|_, _| {});
    let count = |shard: &Shard| {
        counts
            .of_shards
            .get(&shard.index)
            .copied()
            .unwrap_or_default()
    };
    let zones: Vec<_> = if plan.zones.is_empty() {
        vec![None]
    } else {
        plan.zones.iter().map(Some).collect()
    };
    let (mut lanes, mut top) = (String::new(), 16);
    for zone in zones {
        let shards: Vec<_> = plan
            .shards
            .iter()
            .filter(|shard| shard.zone.as_ref() == zone)
            .collect();
        // In the proposal's dialect, a later shard may have the hash of an earlier one.
        let first = |shard: &Shard| {
            shards
                .iter()
                .find(|other| other.in_zone == shard.in_zone)
                .unwrap()
                .index
        };
        let n_targets = shards
            .iter()
            .filter(|shard| first(shard) == shard.index)
            .map(|shard| count(shard))
            .sum();
        let height = shards.len() * STEP + 16;
        let middle = top + height / 2;
        draw_targets(zone, n_targets, top, height, &mut lanes);
        for (row, shard) in shards.iter().enumerate() {
            let twin = Some(first(shard)).filter(|index| *index != shard.index);
            let look = Look {
                top: top + 8 + row * STEP,
                middle,
                modulus: plan.modulus,
                twin,
                count: count(shard),
            };
            draw_shard(shard, &look, &mut lanes);
        }
        top += height + 12;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {0}\" role=\"img\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{0}\"/>\n{lanes}</svg>\n",
        top + 4
    )
}

/// The lane of a zone, with its targets.
fn draw_targets(
    zone: Option<&String>,
    n_targets: usize,
    top: usize,
    height: usize,
    lanes: &mut String,
) {
    let middle = top + height / 2;
    let title = zone.map_or_else(
        || "all targets".to_owned(),
        |zone| format!("targets of {zone}"),
    );
    let _ = writeln!(
        lanes,
        "<rect class=\"lane\" x=\"8\" y=\"{top}\" width=\"{}\" height=\"{height}\" rx=\"6\"/>\n\
         <rect x=\"24\" y=\"{}\" width=\"160\" height=\"44\" rx=\"4\"/>\n\
         <text x=\"36\" y=\"{}\">{title}</text><text class=\"soft\" x=\"36\" y=\"{}\">{n_targets} targets</text>",
        WIDTH - 16,
        middle - 22,
        middle - 4,
        middle + 13,
    );
}

/// How a shard looks.
struct Look {
    top: usize,
    middle: usize,
    modulus: u32,
    /// An earlier shard that scrapes the same targets.
    twin: Option<u32>,
    count: usize,
}

fn draw_shard(shard: &Shard, look: &Look, lanes: &mut String) {
    let Look {
        top,
        middle,
        modulus,
        twin,
        count,
    } = look;
    let (class, remark) = match (count, twin) {
        (0, _) => ("idle", ": idle".to_owned()),
        (_, Some(twin)) => ("doubled", format!(": those of shard {twin}")),
        _ => ("", String::new()),
    };
    let (index, hash, line) = (shard.index, shard.in_zone, top + 20);
    if *count > 0 {
        let _ = writeln!(
            lanes,
            "<path d=\"M184 {middle} C 250 {middle} 250 {line} 316 {line}\"/>"
        );
    }
    let _ = writeln!(
        lanes,
        "<text class=\"soft\" x=\"324\" y=\"{0}\">hash mod {modulus} = {hash}</text>\n\
         <rect class=\"{class}\" x=\"448\" y=\"{1}\" width=\"248\" height=\"36\" rx=\"4\"/>\n\
         <text x=\"460\" y=\"{2}\">shard {index}</text><text class=\"soft\" x=\"524\" y=\"{2}\">{count} targets{remark}</text>",
        line + 4,
        top + 2,
        line + 5,
    );
}

/// What the photographs show: the name of the picture, and the text that a browser draws.
fn photographed() -> Vec<(&'static str, String)> {
    let comment = fs::read_to_string(root().join("docs/diff-comment.md")).unwrap();
    let report = fs::read_to_string(root().join("templates/report/report.html.j2")).unwrap();
    vec![
        ("diff-comment", comment),
        ("simulate", promgen(SIMULATED).stdout),
        ("pictures/report-400", report.clone()),
        ("pictures/report-1400", report),
    ]
}

/// The command whose report `docs/simulate.png` shows; `.ci/pictures` has it too.
const SIMULATED: &[&str] = &[
    "simulate",
    "fixtures/simulate/input",
    "--shards",
    "3..9",
    "--random",
    "5000",
    "--weights",
    "fixtures/simulate/weights.yaml",
    "--format",
    "html",
];

#[test]
fn the_photographs_show_what_promgen_prints_today() {
    for (name, source) in photographed() {
        let expected = format!("tEXtSource\0md5 {:x}", md5_other::compute(source));
        for picture in [format!("docs/{name}.png"), format!("docs/{name}-dark.png")] {
            let bytes = fs::read(root().join(&picture)).unwrap();
            let names_source = bytes
                .windows(expected.len())
                .any(|window| window == expected.as_bytes());
            assert!(
                names_source,
                "{picture} shows something else: run .ci/pictures"
            );
        }
    }
}
