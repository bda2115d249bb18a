//! The verdicts of policies, and their findings.

use promgen_cel::{CelOutcome, CelValue};
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Place};
use promgen_text::route::{At, Segment, ValueRoute};
use promgen_text::yaml::{Data, Node};

use crate::facts::{PolicyFacts, borrowed};
use crate::file::PolicyChoice;
use crate::message::words;
use crate::policy::{FactPlace, PolicyFix, UserPolicy, one_line};
use crate::program::{PolicyProgram, PolicyValues};
use crate::subject::PolicySubject;

/// The most steps of one evaluation.
pub(crate) const MAX_STEPS: u64 = 100_000;

/// The verdict of a policy on one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyVerdict {
    /// It is as the policy wants it.
    Holds,
    /// It breaks the policy, with the message of the first finding.
    Broken(String),
    /// A fact decides that nobody knows, with the reason.
    NotDecided(String),
    /// An expression has no value, with the reason.
    Failed(String),
    /// The evaluation takes more steps than there may be.
    TooLong,
}

impl PolicyVerdict {
    /// Why it is not decided, if it is not.
    pub(crate) fn why_not_decided(&self) -> Option<&str> {
        match self {
            Self::NotDecided(why) => Some(why),
            Self::TooLong => Some("it takes too many steps"),
            Self::Holds | Self::Broken(_) | Self::Failed(_) => None,
        }
    }
}

/// Something that policies are asked about.
pub(crate) struct AskedThing<'j> {
    pub(crate) subject: &'j PolicySubject<'j>,
    pub(crate) facts: Option<&'j dyn PolicyFacts>,
    pub(crate) object: CelValue<'j>,
    pub(crate) environment: &'j str,
    /// Anything of it may change.
    pub(crate) is_open: bool,
    /// What stands in Secrets may be told.
    pub(crate) reveals: bool,
}

impl<'j> AskedThing<'j> {
    /// The verdict of a policy, with its findings. `is_sure`: the policy surely is about it.
    pub(crate) fn ask(
        &self,
        policy: &'j UserPolicy,
        is_sure: bool,
        steps: u64,
    ) -> (PolicyVerdict, Vec<Diagnostic>) {
        let mut judging = Judging {
            policy,
            subject: self.subject,
            values: PolicyValues {
                facts: self.facts,
                object: self.object.clone(),
                environment: borrowed(self.environment),
                own: CelValue::Null,
                own_is_secret: false,
                reveals: self.reveals,
            },
            fuel: steps,
            steps,
            text: None,
            is_told: false,
        };
        if self.is_open {
            let why = "a part of its kustomization is not built, which can change it";
            return judging.not_decided(why);
        }
        if !is_sure {
            return judging.not_decided("what `match` asks for is filled in later");
        }
        judging.verdict()
    }
}

/// A policy that is asked about something.
struct Judging<'j> {
    policy: &'j UserPolicy,
    subject: &'j PolicySubject<'j>,
    values: PolicyValues<'j>,
    fuel: u64,
    /// The steps that a message may take, as the verdict may.
    steps: u64,
    /// The message, which all findings about the thing share.
    text: Option<String>,
    /// The verdict tells what stands in a Secret.
    is_told: bool,
}

/// What is said where a reason would tell what stands in a Secret.
const HIDDEN: &str = "it depends on what stands in a Secret";

impl<'j> Judging<'j> {
    fn verdict(&mut self) -> (PolicyVerdict, Vec<Diagnostic>) {
        self.values.take_secret();
        let mut own = Vec::with_capacity(self.policy.variables.len());
        for (name, program) in &self.policy.variables {
            let value = match self.evaluate(program) {
                CelOutcome::Value(value) => value,
                CelOutcome::Unknown(why) => CelValue::Unknown(why),
                // Whoever asks for it asks for a key that is not there.
                CelOutcome::Error(_) => continue,
                CelOutcome::OutOfFuel => return (PolicyVerdict::TooLong, Vec::new()),
            };
            own.push((borrowed(name), value));
            self.values.own = CelValue::map(own.clone());
        }
        self.values.own_is_secret = self.is_told;
        let policy = self.policy;
        match self.evaluate(&policy.condition) {
            CelOutcome::Value(value) => self.of_value(&value),
            CelOutcome::Unknown(why) => self.not_decided(&why),
            CelOutcome::Error(error) => self.failed(error.message.into_owned()),
            CelOutcome::OutOfFuel => (PolicyVerdict::TooLong, Vec::new()),
        }
    }

    fn not_decided(&mut self, why: &str) -> (PolicyVerdict, Vec<Diagnostic>) {
        let why = if self.is_told { HIDDEN } else { why };
        let found = match self.policy.not_decided {
            PolicyChoice::Fail => vec![self.finding(None, &format!(" (not decided: {why})"))],
            PolicyChoice::Ignore => Vec::new(),
        };
        (PolicyVerdict::NotDecided(why.to_owned()), found)
    }

    fn evaluate(&mut self, program: &'j PolicyProgram) -> CelOutcome<'j> {
        let outcome = program.evaluate(&self.values, &mut self.fuel);
        self.is_told |= self.values.take_secret();
        outcome
    }

    fn failed(&mut self, why: String) -> (PolicyVerdict, Vec<Diagnostic>) {
        let why = if self.is_told { HIDDEN.to_owned() } else { why };
        let found = match self.policy.on_error {
            PolicyChoice::Fail => {
                let message = format!("{} cannot be judged: {why}", self.subject.what());
                let help =
                    "test with `has(x.y)` or `x.?y` what may be absent, or set `on-error: ignore`";
                let help = why.starts_with("no such key").then_some(help);
                let found = Diagnostic::new(self.policy.rule.clone(), self.place(), message);
                vec![found.helps(help)]
            }
            PolicyChoice::Ignore => Vec::new(),
        };
        (PolicyVerdict::Failed(why), found)
    }

    fn of_value(&mut self, value: &CelValue<'j>) -> (PolicyVerdict, Vec<Diagnostic>) {
        let forbids = self.policy.forbids;
        let findings = match (value.clone().resolved(), value.list()) {
            (CelValue::Bool(is), _) if is == forbids => vec![self.finding(None, "")],
            (CelValue::Bool(_), _) => Vec::new(),
            (_, Some(items)) if forbids => items.iter().map(|item| self.item(item)).collect(),
            (other, _) => {
                let expected = if forbids {
                    "a bool or a list"
                } else {
                    "a bool"
                };
                let why = format!("expected {expected}, found a {}", other.type_name());
                return self.failed(why);
            }
        };
        match findings.first() {
            None => (PolicyVerdict::Holds, findings),
            Some(first) => (PolicyVerdict::Broken(first.message.clone()), findings),
        }
    }

    /// The finding about an item that is forbidden: at its own place, if it has one.
    fn item(&mut self, item: &CelValue<'j>) -> Diagnostic {
        match item.node() {
            Some(node) => self.finding(Some(Place::Span(node.span)), ""),
            None if self.is_told => self.finding(None, &format!(": {REDACTED}")),
            None => self.finding(None, &format!(": {}", words(item))),
        }
    }

    fn place(&self) -> Place {
        let at = self.policy.at.as_ref();
        let at = at.and_then(|at| self.subject.field(at));
        at.map_or_else(|| self.subject.place(), Place::At)
    }

    fn finding(&mut self, place: Option<Place>, more: &str) -> Diagnostic {
        let policy = self.policy;
        let text = match (self.text.take(), &policy.message) {
            (Some(text), _) => text,
            (None, Some(message)) => message.render(&self.values, &mut self.steps.clone()),
            (None, None) => {
                let verb = if policy.forbids {
                    "holds"
                } else {
                    "does not hold"
                };
                let condition = one_line(&policy.condition.text);
                format!("{}: `{condition}` {verb}", self.subject.what())
            }
        };
        let place = place.unwrap_or_else(|| self.place());
        let mut found = Diagnostic::new(policy.rule.clone(), place, format!("{text}{more}"));
        self.text = Some(text);
        found.redacted = policy.message.as_ref().map(|of| of.redacted().into());
        let fix = policy.fix.as_ref().and_then(|fix| self.fix(fix));
        let found = found.helps(policy.help.clone());
        fix.into_iter().fold(found, Diagnostic::fix)
    }

    /// The change that sets the field of a fix.
    fn fix(&mut self, fix: &'j PolicyFix) -> Option<Fix> {
        let outcome = fix.value.evaluate(&self.values, &mut self.fuel);
        if self.values.is_told_by(&fix.value) {
            return None;
        }
        let CelOutcome::Value(value) = outcome else {
            return None;
        };
        let value = match value.resolved() {
            CelValue::Text(text) => text.to_string(),
            scalar @ (CelValue::Bool(_) | CelValue::Int(_) | CelValue::Duration(_)) => {
                words(&scalar)
            }
            _ => return None,
        };
        let change = set(self.subject, &fix.set, &value)?;
        let title = format!("set `{}` to \"{value}\"", fix.set.route);
        let made = match fix.is_safe {
            true => Fix::safe(title),
            false => Fix::risky(title),
        };
        Some(made.change(change))
    }
}

/// The change that gives a field a value, whether it is there or not.
fn set(subject: &PolicySubject<'_>, place: &FactPlace, value: &str) -> Option<EditAction> {
    let at = subject.field(place)?;
    let root = subject.root()?;
    if let Some(node) = root.at(&at.route).filter(|node| !node.is_null()) {
        let is_so = node.data.scalar_text().is_some_and(|old| old == value);
        return (!is_so).then(|| EditAction::Value(at, value.to_owned()));
    }
    let (map, depth) = deepest(root, &at);
    let Data::Map(entries) = &map.data else {
        return None;
    };
    let mut keys = Vec::new();
    for step in &at.route.0[depth..] {
        keys.push(step.key()?);
    }
    // The first entry of an item of a list stands behind its dash.
    let next = entries.get(1).or_else(|| entries.first())?;
    let (first, others) = keys.split_first()?;
    let quoted = serde_json::Value::from(value).to_string();
    let wrap = |inner: String, key: &&str| format!("{{{key}: {inner}}}");
    let written = others.iter().rev().fold(quoted, wrap);
    let before = At {
        doc: at.doc,
        route: ValueRoute(at.route.0[..depth].to_vec()),
    };
    let before = before.key(next.key.to_string());
    Some(EditAction::Before(
        before,
        (*first).to_owned().into(),
        written.into(),
    ))
}

/// The deepest map that is there on the way to a field, and the number of steps to it.
fn deepest<'n>(root: &'n Node, at: &At) -> (&'n Node, usize) {
    let (mut node, mut depth) = (root, 0);
    for step in &at.route.0 {
        let next = match step {
            Segment::Key(key) => node.get(key).filter(|next| !next.is_null()),
            Segment::Index(index) => node.items().get(*index),
        };
        let Some(next) = next else {
            break;
        };
        (node, depth) = (next, depth + 1);
    }
    (node, depth)
}
