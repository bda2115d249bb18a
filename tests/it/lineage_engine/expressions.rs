//! Rules at random over the series of a repository, and over those that other rules record.

use serde_json::{Value, json};

use super::world::{APPS, App, NAMESPACES, SUFFIXES, World};
use crate::support::asked::Dice;

/// The namespace of the rules.
pub(super) const NAMESPACE: &str = "shop";

/// A rule, with the selectors of its expression.
pub(super) struct MadeRule {
    pub(super) record: Option<String>,
    pub(super) alert: Option<String>,
    pub(super) expression: String,
    pub(super) labels: Value,
    pub(super) selectors: Vec<String>,
    /// The calls of functions that need two samples.
    pub(super) rates: Vec<String>,
    /// The operators between two vectors.
    pub(super) pairs: Vec<Pair>,
    is_enforced: bool,
}

/// An operator between two vectors.
pub(super) struct Pair {
    pub(super) operator: &'static str,
    /// An expression with the series of the left side that have one on the right side.
    pub(super) matched: String,
}

impl MadeRule {
    pub(super) fn name(&self) -> String {
        match (&self.record, &self.alert) {
            (Some(record), _) => format!("recording rule {record}"),
            (None, alert) => format!("alert {}", alert.as_deref().unwrap()),
        }
    }

    /// Returns whether its result is there though a selector finds nothing.
    pub(super) fn has_substitute(&self) -> bool {
        self.expression.contains("or vector(") || self.expression.contains("scalar(")
    }

    pub(super) fn manifest(&self) -> Value {
        let mut rule = json!({ "expr": self.expression, "labels": self.labels });
        match (&self.record, &self.alert) {
            (Some(record), _) => rule["record"] = json!(record),
            (None, alert) => rule["alert"] = json!(alert),
        }
        rule
    }

    /// As the engine takes it.
    pub(super) fn asked(&self) -> Value {
        let mut labels = self.labels.clone();
        if self.is_enforced {
            labels["namespace"] = json!(NAMESPACE);
        }
        let expression = self.evaluated(&self.expression);
        json!({ "Record": self.record, "Alert": self.alert, "Expr": expression, "Labels": labels })
    }

    /// The expression or a part of it as the Prometheus evaluates it: with the namespace that is enforced.
    pub(super) fn evaluated(&self, part: &str) -> String {
        let mut text = part.to_owned();
        for selector in self.selectors.iter().filter(|_| self.is_enforced) {
            let (name, matchers) = selector.trim_end_matches('}').split_once('{').unwrap();
            let is_kept = |matcher: &&str| !matcher.is_empty() && !matcher.starts_with("namespace");
            let own = format!("namespace=\"{NAMESPACE}\"");
            let kept: Vec<&str> = matchers
                .split(',')
                .filter(is_kept)
                .chain([own.as_str()])
                .collect();
            text = text.replace(selector, &format!("{name}{{{}}}", kept.join(",")));
        }
        text
    }
}

/// Writes expressions.
pub(super) struct Author<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) world: &'a World,
    records: Vec<String>,
    selectors: Vec<String>,
    rates: Vec<String>,
    pairs: Vec<Pair>,
}

impl<'a> Author<'a> {
    pub(super) const fn new(dice: &'a mut Dice, world: &'a World) -> Self {
        Self {
            dice,
            world,
            records: Vec::new(),
            selectors: Vec::new(),
            rates: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// Rules, in the order in which they are evaluated.
    pub(super) fn rules(&mut self, n: usize) -> Vec<MadeRule> {
        (0..n).map(|number| self.rule(number)).collect()
    }

    fn rule(&mut self, number: usize) -> MadeRule {
        let is_record = self.dice.is(35);
        let expression = if is_record {
            self.vector(2)
        } else {
            self.alerted()
        };
        let labels = match self.dice.below(6) {
            0 => json!({ "job": self.dice.one(&self.world.jobs) }),
            1 => json!({ "team": "night" }),
            _ => json!({}),
        };
        let record = is_record.then(|| format!("rule:number{number}:sum"));
        self.records.extend(record.clone());
        let alert = (!is_record).then(|| format!("Number{number}"));
        let selectors = std::mem::take(&mut self.selectors);
        let rates = std::mem::take(&mut self.rates);
        let pairs = std::mem::take(&mut self.pairs);
        MadeRule {
            record,
            alert,
            expression,
            labels,
            selectors,
            rates,
            pairs,
            is_enforced: self.world.is_enforced,
        }
    }

    /// An expression of an alert.
    fn alerted(&mut self) -> String {
        match self.dice.below(8) {
            0 => format!("absent({})", self.selector()),
            1 => format!("absent_over_time({}[{}])", self.selector(), self.range()),
            2 => format!("absent({}) == 1", self.up()),
            3 => format!("{} == 1", self.up()),
            4 => format!("{} > 0 or vector(0)", self.vector(1)),
            5 => format!("vector(1) * scalar({}) > -1", self.vector(1)),
            _ => format!("{} >= 0", self.vector(2)),
        }
    }

    /// An expression with one series for each job at most.
    fn vector(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.is(35) {
            return self.of_one();
        }
        let below = depth - 1;
        match self.dice.below(7) {
            0 => {
                let sides = [self.vector(below), self.vector(below)];
                self.pair("and", "", sides)
            }
            1 => format!("({} or {})", self.vector(below), self.vector(below)),
            2 => {
                let sides = [self.vector(below), self.vector(below)];
                self.pair("unless", "", sides)
            }
            3 => {
                let sides = [self.per_job(), self.per_job()];
                self.pair("+", "on(job) ", sides)
            }
            4 => format!(
                "label_replace({}, \"other\", \"$1\", \"job\", \"(.+)\")",
                self.per_job()
            ),
            5 => format!("max_over_time(({})[5m:30s])", self.vector(below)),
            _ => format!("-({})", self.vector(below)),
        }
    }

    fn pair(
        &mut self,
        operator: &'static str,
        matching: &str,
        [left, right]: [String; 2],
    ) -> String {
        self.pairs.push(Pair {
            operator,
            matched: format!("({left} and {matching}{right})"),
        });
        format!("({left} {operator} {matching}{right})")
    }

    fn per_job(&mut self) -> String {
        format!("sum by (job) ({})", self.selector())
    }

    fn of_one(&mut self) -> String {
        match self.dice.below(9) {
            0 => {
                let function = self
                    .dice
                    .one(&["rate", "increase", "irate", "delta", "deriv", "idelta"]);
                let rate = format!("{function}({}[{}])", self.selector(), self.range());
                self.rates.push(rate.clone());
                format!("sum by (job) ({rate})")
            }
            1 => format!("count({})", self.selector()),
            2 => format!("sum without (pod, instance) ({})", self.selector()),
            3 => format!("topk(1, {})", self.selector()),
            4 => format!("avg_over_time({}[{}])", self.selector(), self.range()),
            5 => format!("abs({} offset 1m)", self.selector()),
            6 => self.of_record(),
            7 => format!("min by (job, namespace) ({})", self.up()),
            _ => self.selector(),
        }
    }

    fn range(&mut self) -> &'static str {
        self.dice
            .one(&["20s", "40s", "1m", "100s", "3m", "5m", "5m"])
    }

    /// A selector of series that a rule records.
    fn of_record(&mut self) -> String {
        if self.records.is_empty() {
            return self.selector();
        }
        let name = self.dice.one(&self.records);
        let matchers = self.matchers("");
        self.written(&name, &matchers)
    }

    fn up(&mut self) -> String {
        let matchers = self.matchers("");
        let name = self.dice.one(&["up", "up", "scrape_samples_scraped"]);
        self.written(name, &matchers)
    }

    /// A selector of scraped series.
    fn selector(&mut self) -> String {
        let app = self.dice.one(&self.world.apps).name;
        let name = match self.dice.below(20) {
            0 => "go_goroutines".to_owned(),
            1 => format!("ext_{}", self.dice.one(SUFFIXES)),
            2 => format!("{}_{}", self.dice.one(APPS), self.dice.one(SUFFIXES)),
            3 => String::new(),
            _ => format!("{app}_{}", self.dice.one(SUFFIXES)),
        };
        let mut matchers = self.matchers(app);
        if name.is_empty() {
            matchers.push(format!(
                "__name__=~\"{app}_({}|{})\"",
                self.dice.one(SUFFIXES),
                self.dice.one(SUFFIXES)
            ));
        }
        self.written(&name, &matchers)
    }

    fn written(&mut self, name: &str, matchers: &[String]) -> String {
        let selector = format!("{name}{{{}}}", matchers.join(","));
        self.selectors.push(selector.clone());
        selector
    }

    fn matchers(&mut self, app: &str) -> Vec<String> {
        let n = self.dice.below(3);
        (0..n).map(|_| self.matcher(app)).collect()
    }

    fn matcher(&mut self, app: &str) -> String {
        let of_app = self.world.apps.iter().find(|known| known.name == app);
        let of_app: App = of_app
            .cloned()
            .unwrap_or_else(|| self.dice.one(&self.world.apps));
        let job = match self.dice.below(3) {
            0 => of_app
                .service
                .clone()
                .unwrap_or_else(|| of_app.name.to_owned()),
            _ => self.dice.one(&self.world.jobs),
        };
        match self.dice.below(16) {
            0..=4 => format!("job=\"{job}\""),
            5 => format!("job=~\"{job}|nobody\""),
            6 => format!("job!=\"{job}\""),
            7 => format!("job=~\"{}-.*\"", of_app.name),
            8 => format!("namespace=\"{}\"", self.dice.one(NAMESPACES)),
            9 => format!("namespace!~\"{}|own\"", self.dice.one(NAMESPACES)),
            10 => format!("pod=~\"{}-.+\"", of_app.name),
            11 => format!("code=\"{}\"", self.dice.one(&["200", "500"])),
            12 => format!("service=\"{job}\""),
            13 => self
                .dice
                .one(&[
                    "job=\"\"",
                    "pod=\"\"",
                    "team=\"amber\"",
                    "tier=\"silver\"",
                    "zone=\"a\"",
                ])
                .to_owned(),
            14 => format!("container=\"{}\"", self.dice.one(&["app", of_app.name])),
            _ => self
                .dice
                .one(&[
                    "endpoint=\"web\"",
                    "class=\"5xx\"",
                    "le=\"+Inf\"",
                    "region=\"eu\"",
                ])
                .to_owned(),
        }
    }
}
