//! Repositories at random: what promgen calls dead has no result in Prometheus' own engine, and what it says is made has. Runs
//! where `LINEAGE` names the program of `oracle/lineage`; `.ci/run` builds it.

mod edits;
mod expressions;
mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use expressions::{Author, MadeRule, NAMESPACE, Pair};
use promgen::explain::lineage::{LineageQuery, explain};
use promgen::explain::{ExplanationStep, StepState};
use promgen::{Input, Options, Project, lint};
use world::World;

use crate::support::asked::{Dice, LineProgram};
use crate::support::tool;

/// The number of repositories that are made, and how many rules each has.
const REPOSITORIES: u64 = 500;
const RULES: usize = 30;

/// What promgen says of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Claim {
    /// It never has a result.
    Nothing,
    /// One of them never has one.
    OneNothing,
    /// It always has one.
    Always,
    /// It has one at some time.
    Something,
    /// No series of one of them is there all the time.
    NotAlways,
}

/// A claim about expressions of the question, with the words of promgen.
struct Stated {
    claim: Claim,
    expressions: std::ops::Range<usize>,
    words: String,
}

/// A repository with what promgen says of it.
struct Asked {
    question: Value,
    stated: Vec<Stated>,
    /// The number of expressions that are those of rules. They go before the others.
    n_rules: usize,
}

impl Asked {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let world = World::new(&mut dice);
        let rules = Author::new(&mut dice, &world).rules(RULES);
        let manifests: Vec<Value> = rules.iter().map(MadeRule::manifest).collect();
        let resource = json!({
            "apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": { "name": "r", "namespace": NAMESPACE },
            "spec": { "groups": [{ "name": "g", "rules": manifests }] },
        });
        let text: String = world
            .objects
            .iter()
            .chain([&resource])
            .map(|object| format!("{object}\n---\n"))
            .collect();
        let metrics = match dice.below(5) {
            0 | 1 => vec![names(&world)],
            2 => exposed(&world),
            _ => Vec::new(),
        };
        let options = Options {
            is_repository: true,
            metrics,
            ..Options::default()
        };
        let project = Project::read(&[Input::new("all.yaml", text)], &options);
        let mut expressions: Vec<String> = rules
            .iter()
            .map(|rule| rule.evaluated(&rule.expression))
            .collect();
        let mut stated = of_rules(&project, &rules, &mut expressions);
        let configuration = of_jobs(&project, &world, &mut expressions, &mut stated);
        let evaluated: Vec<Value> = rules.iter().map(MadeRule::asked).collect();
        let question = json!({
            "Configuration": configuration.replace("$(SHARD)", "0"), "Targets": world.targets, "Rules": evaluated,
            "Expressions": expressions,
        });
        Self {
            question,
            stated,
            n_rules: rules.len(),
        }
    }
}

/// The names of all metrics that targets expose or that rules for samples make.
fn names(world: &World) -> Input {
    let series = world
        .targets
        .iter()
        .flat_map(|target| target["Series"].as_array().unwrap());
    let mut names: BTreeSet<String> = series
        .map(|series| series["Labels"]["__name__"].as_str().unwrap().to_owned())
        .collect();
    names.extend(world.apps.iter().map(|app| format!("{}_renamed", app.name)));
    Input::new(
        "names.json",
        json!(names.iter().collect::<Vec<_>>()).to_string(),
    )
}

/// What the targets of each Service expose.
fn exposed(world: &World) -> Vec<Input> {
    let dump = |app: &world::App| {
        let is_its =
            |target: &&Value| target["Labels"]["__meta_kubernetes_pod_label_app"] == *app.name;
        let series = world.targets.iter().find(is_its)?["Series"].as_array()?;
        let lines = series
            .iter()
            .map(|series| format!("{} 1\n", series["Labels"]["__name__"].as_str().unwrap()));
        Some(Input::new(
            format!("{}.prom", app.service.as_ref()?),
            lines.collect::<String>(),
        ))
    };
    world.apps.iter().filter_map(dump).collect()
}

/// What findings say of rules. Adds the selectors of those that they are about.
fn of_rules(
    project: &Arc<Project>,
    rules: &[MadeRule],
    expressions: &mut Vec<String>,
) -> Vec<Stated> {
    let mut stated = Vec::new();
    for finding in lint(project).diagnostics {
        let code = &*finding.rule.code;
        let is_about = |rule: &MadeRule| finding.message.starts_with(&format!("{}:", rule.name()));
        if !code.starts_with("PG62") || code == "PG625" {
            continue;
        }
        let number = rules
            .iter()
            .position(is_about)
            .unwrap_or_else(|| panic!("{}", finding.message));
        let rule = &rules[number];
        let words = format!("{code} {}", finding.message);
        let mut state = |claim, expressions| {
            stated.push(Stated {
                claim,
                expressions,
                words: words.clone(),
            })
        };
        match code {
            "PG622" => state(Claim::Always, number..number + 1),
            "PG623" => {
                let from = expressions.len();
                let is_its = |call: &&String| {
                    finding
                        .message
                        .contains(&format!("`{}`", call.split('(').next().unwrap()))
                };
                expressions.extend(
                    rule.rates
                        .iter()
                        .filter(is_its)
                        .map(|call| rule.evaluated(call)),
                );
                state(Claim::NotAlways, from..expressions.len());
            }
            "PG627" => {
                let from = expressions.len();
                let is_its = |pair: &&Pair| {
                    finding
                        .message
                        .contains(&format!("the sides of `{}` never match", pair.operator))
                };
                expressions.extend(
                    rule.pairs
                        .iter()
                        .filter(is_its)
                        .map(|pair| rule.evaluated(&pair.matched)),
                );
                state(Claim::OneNothing, from..expressions.len());
            }
            _ => {
                if !rule.has_substitute() {
                    state(Claim::Nothing, number..number + 1);
                }
                let from = expressions.len();
                expressions.extend(
                    rule.selectors
                        .iter()
                        .map(|selector| rule.evaluated(selector)),
                );
                state(Claim::OneNothing, from..expressions.len());
            }
        }
    }
    stated
}

/// The configuration, and what explanations of jobs and metrics say.
fn of_jobs(
    project: &Arc<Project>,
    world: &World,
    expressions: &mut Vec<String>,
    stated: &mut Vec<Stated>,
) -> String {
    let model = project.model();
    let jobs = world
        .jobs
        .iter()
        .map(|job| (format!("job/{job}"), format!("up{{job=\"{job}\"}}")));
    let metrics = world.apps.iter().flat_map(|app| {
        world::SUFFIXES
            .iter()
            .map(|suffix| format!("{}_{suffix}", app.name))
            .map(|name| (format!("metric/{name}"), name))
    });
    for (asked, expression) in jobs.chain(metrics) {
        let query = LineageQuery::parse(&asked).unwrap();
        let Some(step) = explain(&model, &query) else {
            continue;
        };
        let claim = match step.state {
            StepState::Breaks => Claim::Nothing,
            StepState::Holds if asked.starts_with("job/") => Claim::Something,
            StepState::Holds | StepState::Unknown | StepState::Open => continue,
        };
        let number = expressions.len();
        expressions.push(labelled(&step).map_or(expression, |job| format!("up{{job=\"{job}\"}}")));
        stated.push(Stated {
            claim,
            expressions: number..number + 1,
            words: format!("explain {asked}: {:?}", step.state),
        });
    }
    project.model().into_output().workloads[0]
        .config
        .clone()
        .unwrap()
        .text()
        .to_owned()
}

/// The label `job` of a job's series, where the job was asked for by the name that the configuration gives it.
fn labelled(step: &ExplanationStep) -> Option<&str> {
    let of_this = || {
        step.text
            .strip_prefix("its series have job=\"")?
            .strip_suffix('"')
    };
    of_this().or_else(|| step.steps.iter().find_map(labelled))
}

/// Returns whether the engine contradicts a claim.
fn contradicts(claim: Claim, found: &[Value]) -> bool {
    let count = |answer: &Value| answer["found"].as_u64().unwrap();
    let is_always = |answer: &Value| count(answer) == answer["of"].as_u64().unwrap();
    let is_steady = |answer: &Value| answer["series"] == answer["of"];
    match claim {
        Claim::Nothing => count(&found[0]) > 0,
        Claim::OneNothing => found.iter().all(|answer| count(answer) > 0),
        Claim::Always => !is_always(&found[0]),
        Claim::Something => count(&found[0]) == 0,
        Claim::NotAlways => found.iter().all(is_steady),
    }
}

/// The number of claims of each sort, and how many expressions are empty of which promgen says nothing.
#[derive(Debug, Default)]
struct Tally {
    nothing: usize,
    always: usize,
    something: usize,
    not_always: usize,
    silent: usize,
    live: usize,
    /// Expressions that the engine refuses to evaluate.
    failing: usize,
}

#[test]
#[ignore = "needs LINEAGE, the program of oracle/lineage"]
fn the_engine_of_prometheus_finds_the_same() {
    let mut program = LineProgram::start(&tool("LINEAGE"));
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in 1..=REPOSITORIES {
        let asked = Asked::new(seed);
        let answers = program.ask(&asked.question);
        let answers = answers.as_array().unwrap();
        for stated in &asked.stated {
            *match stated.claim {
                Claim::Nothing | Claim::OneNothing => &mut tally.nothing,
                Claim::Always => &mut tally.always,
                Claim::Something => &mut tally.something,
                Claim::NotAlways => &mut tally.not_always,
            } += 1;
            if contradicts(stated.claim, &answers[stated.expressions.clone()]) {
                let asked = &asked.question["Expressions"][stated.expressions.start];
                wrong.push(format!("repository {seed}: {}\n  {asked}", stated.words));
            }
        }
        for (number, answer) in answers[..asked.n_rules].iter().enumerate() {
            let is_stated = asked
                .stated
                .iter()
                .any(|stated| stated.expressions.contains(&number));
            tally.failing += usize::from(answer.get("error").is_some());
            match answer["found"].as_u64() {
                Some(0) if !is_stated => tally.silent += 1,
                Some(0) => {}
                _ => tally.live += 1,
            }
        }
    }
    program.finish();
    println!("{tally:?}");
    assert!(
        wrong.is_empty(),
        "{} contradictions\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
