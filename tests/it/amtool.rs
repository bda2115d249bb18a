//! The real amtool takes the configurations of the fixtures, and sends alerts where `promgen::routing` sends them. Runs where
//! `AMTOOL` names the program; `.ci/run` builds it.

mod recorded;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use promgen::routing::{AlertLabels, PieceSource, RoutingTree};
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::{Map, Value};

use crate::conformance::cases;
use crate::support::{promgen, root, tool};

/// The number of trees that are asked about at once, and how often.
const TREES: usize = 100;
const ROUNDS: usize = 100;

fn amtool() -> String {
    tool("AMTOOL").into_os_string().into_string().unwrap()
}

fn run(amtool: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(amtool).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stdout) + &text(&output.stderr))
    }
}

/// The configurations of Alertmanagers below a rendered folder.
fn configurations(folder: &Path) -> Vec<std::path::PathBuf> {
    let alertmanagers = folder.join("alertmanager");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder)
            .map(|entries| entries.map(|entry| entry.unwrap().path()).collect());
        entries.unwrap_or_else(|_| Vec::new())
    };
    let names = entries(&alertmanagers)
        .into_iter()
        .flat_map(|namespace| entries(&namespace));
    names
        .map(|name| name.join("alertmanager.yaml"))
        .filter(|file| file.is_file())
        .collect()
}

#[test]
#[ignore = "needs AMTOOL, the program amtool"]
fn amtool_takes_what_fixtures_give_and_refuses_what_is_reported() {
    let amtool = amtool();
    let mut n_checked = 0;
    for case in cases::folders(&root().join("fixtures")) {
        let input = root().join("fixtures").join(&case).join("input");
        if !input.is_dir() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let (out, input) = (folder.path().to_str().unwrap(), input.to_str().unwrap());
        let ran = promgen(&[
            "render",
            "--layout",
            "operator",
            "--reveal-secrets",
            "-o",
            out,
            input,
        ]);
        for file in configurations(folder.path()) {
            let checked = run(&amtool, &["check-config", file.to_str().unwrap()]);
            // What stands for a value that the input lacks is no value.
            if checked
                .as_ref()
                .is_err_and(|error| error.contains("<assumed:"))
            {
                continue;
            }
            let folder = file.parent().unwrap();
            let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
            let (namespace, name) = (name(folder.parent().unwrap()), name(folder));
            let is_refused = ran
                .stderr
                .contains(&format!("[PG505]: Alertmanager {namespace}/{name} refuses"));
            assert_eq!(checked.is_err(), is_refused, "{case}: {checked:?}");
            n_checked += 1;
        }
    }
    assert!(n_checked > 2, "only {n_checked} configurations");
}

/// Numbers that look random, the same ones in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

const NAMES: [&str; 4] = ["a", "b", "severity", "team"];
const VALUES: [&str; 6] = ["x", "y", "critical", "warning", "a b", "é\"q\""];

/// A condition on a label of one of the trees.
fn matcher(random: &mut Random, tree: usize) -> String {
    let name = format!("{}_{tree}", random.one(&NAMES));
    match random.below(6) {
        0 => format!("{name}={}", random.one(&["x", "y", "critical", "\"\""])),
        1 => format!("{name} != {:?}", random.one(&VALUES)),
        2 => format!(
            "{name}=~\"{}\"",
            random.one(&["x|y", ".*", ".+", "crit.*", "[a-y]", ""])
        ),
        3 => format!("{name}!~\"{}\"", random.one(&["x|y", "warning", "", "a.*"])),
        4 => format!(
            "{{{name}={:?}, {}_{tree}!=\"\",}}",
            random.one(&VALUES),
            random.one(&NAMES)
        ),
        _ => format!("{name}={:?}", random.one(&VALUES)),
    }
}

/// A route with routes below it; each has a receiver of its own, or its parent's.
fn route(random: &mut Random, tree: usize, depth: u64, receivers: &mut Vec<String>) -> Map {
    let mut map = Map::new();
    if depth == 0 || random.below(4) > 0 {
        let name = format!("r{tree}_{}", receivers.len());
        receivers.push(name.clone());
        map.push("receiver", name);
    }
    if depth > 0 {
        let matchers = (0..random.below(3))
            .map(|_| matcher(random, tree).into())
            .collect();
        map.push("matchers", Value::Seq(matchers));
        if random.below(5) == 0 {
            map.push(
                "match",
                Map::new().with(
                    format!("{}_{tree}", random.one(&NAMES)),
                    random.one(&VALUES),
                ),
            );
        }
        if random.below(5) == 0 {
            map.push(
                "match_re",
                Map::new().with(format!("{}_{tree}", random.one(&NAMES)), "x|y|crit.*"),
            );
        }
    }
    map.push("continue", depth == 0 || random.below(3) == 0);
    if depth < 3 {
        let routes = (0..random.below(4))
            .map(|_| route(random, tree, depth + 1, receivers).into())
            .collect();
        map.push("routes", Value::Seq(routes));
    }
    map
}

/// Many trees side by side, each with labels of its own, and an alert with labels for all of them.
fn question(random: &mut Random) -> (Map, AlertLabels) {
    let mut receivers = vec!["root".to_owned()];
    let (mut routes, mut labels) = (Vec::new(), AlertLabels::new());
    for tree in 0..TREES {
        routes.push(route(random, tree, 0, &mut receivers).into());
        for name in NAMES {
            if random.below(3) > 0 {
                labels.insert(format!("{name}_{tree}"), random.one(&VALUES).to_owned());
            }
        }
    }
    let receivers = receivers
        .into_iter()
        .map(|name| Map::new().with("name", name).into())
        .collect();
    let route = Map::new()
        .with("receiver", "root")
        .with("routes", Value::Seq(routes));
    (
        Map::new()
            .with("route", route)
            .with("receivers", Value::Seq(receivers)),
        labels,
    )
}

#[test]
#[ignore = "needs AMTOOL, the program amtool"]
fn ten_thousand_alerts_go_where_amtool_sends_them() {
    let amtool = amtool();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alertmanager.yaml");
    let mut random = Random(15);
    for round in 0..ROUNDS {
        let (config, labels) = question(&mut random);
        let text = to_string(&config.clone().into(), Dialect::YamlV2);
        fs::write(&file, &text).unwrap();
        let tree = RoutingTree::new(&config, &|_| PieceSource::default()).unwrap();
        let pairs: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        let mut args = vec![
            "config",
            "routes",
            "test",
            "--config.file",
            file.to_str().unwrap(),
        ];
        args.extend(pairs.iter().map(String::as_str));
        let expected = run(&amtool, &args).unwrap();
        let mut found = tree.receivers_of(&labels).join(",");
        found.push('\n');
        if found != expected {
            let mut why = String::new();
            write!(why, "round {round}: {labels:?}\n{text}").unwrap();
            assert_eq!(found, expected, "{why}");
        }
    }
    println!("{} alerts agree", TREES * ROUNDS);
}
