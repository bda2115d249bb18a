//! Policies, read: their expressions are parsed, and checked against the facts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use promgen_cel::{CelExpression, CelFault, CelType};
use promgen_model::Project;
use promgen_model::glob::MAX_GLOB_CHARS;
use promgen_resources::locate;
use promgen_text::diag::{Diagnostic, Level, LintRule, POLICY, RuleRef, Sink, escape};
use promgen_text::limits::{Limit, Limits};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::{Sources, Span};
use promgen_text::suggest;
use promgen_text::yaml::Node;

use crate::facts::map_of;
use crate::file::{self, INVALID_POLICY, PolicyChoice, PolicyText};
use crate::matching::{PolicyMatch, SubjectKind, table};
use crate::message::PolicyMessage;
use crate::program::{PolicyProgram, PolicyVariable};

/// A rule of the user's own.
#[derive(Debug)]
pub struct UserPolicy {
    /// As all rules: its code is `policy/NAME`.
    pub rule: RuleRef,
    /// Where its name stands.
    pub span: Span,
    pub(crate) kinds: Vec<SubjectKind>,
    pub(crate) matching: PolicyMatch,
    pub(crate) variables: Vec<(String, PolicyProgram)>,
    pub(crate) condition: PolicyProgram,
    /// What the condition describes is forbidden, rather than required.
    pub(crate) forbids: bool,
    /// `None`: it says what holds, or does not.
    pub(crate) message: Option<PolicyMessage>,
    pub(crate) at: Option<FactPlace>,
    pub(crate) fix: Option<PolicyFix>,
    pub(crate) on_error: PolicyChoice,
    pub(crate) not_decided: PolicyChoice,
    pub(crate) help: Option<String>,
}

impl UserPolicy {
    /// What it wants, in words: "requires `has(rule.labels.team)`".
    #[must_use]
    pub fn wants(&self) -> String {
        let verb = if self.forbids { "forbids" } else { "requires" };
        format!("{verb} `{}`", one_line(&self.condition.text))
    }
}

/// A field, from what is looked at or from its object.
#[derive(Clone, Debug)]
pub(crate) struct FactPlace {
    pub(crate) of_object: bool,
    pub(crate) route: ValueRoute,
}

/// A value that mends a finding.
#[derive(Debug)]
pub(crate) struct PolicyFix {
    pub(crate) set: FactPlace,
    pub(crate) value: PolicyProgram,
    pub(crate) is_safe: bool,
}

/// The policies of a project.
#[derive(Debug, Default)]
pub struct UserPolicies {
    /// Those that can be read, in the order of their files.
    pub all: Vec<UserPolicy>,
    /// What is wrong with the others.
    pub faults: Sink,
}

impl UserPolicies {
    /// The policies in the files of a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        Self::read(project.policy_files(), project.sources(), &project.limits)
    }

    /// The policies of some files.
    pub(crate) fn read(
        files: impl IntoIterator<Item = promgen_text::source::FileId>,
        sources: &Sources,
        limits: &Limits,
    ) -> Self {
        let mut found = Self::default();
        let texts = file::read_all(files, sources, &mut found.faults);
        let (mut names, mut globs) = (BTreeMap::new(), 0);
        for (text, node) in &texts {
            let mut reader = PolicyReader {
                text,
                node,
                sources,
                faults: Vec::new(),
            };
            let policy = reader.policy();
            reader.check_name(&mut names);
            reader.check_globs(&mut globs, limits);
            let is_refused = reader
                .faults
                .iter()
                .any(|fault| fault.level == Level::Error);
            reader
                .faults
                .into_iter()
                .for_each(|fault| found.faults.report(fault));
            found.all.extend(policy.filter(|_| !is_refused));
        }
        found
    }

    /// Their rules.
    pub fn rules(&self) -> impl Iterator<Item = RuleRef> {
        self.all.iter().map(|policy| policy.rule.clone())
    }
}

/// The most variables of a policy: each thing has all of them.
const MAX_VARIABLES: usize = 64;

/// Reads a policy.
struct PolicyReader<'r> {
    text: &'r PolicyText,
    node: &'r Node,
    sources: &'r Sources,
    faults: Vec<Diagnostic>,
}

impl PolicyReader<'_> {
    fn fault(&mut self, span: Span, message: impl Into<String>) {
        self.faults
            .push(Diagnostic::new(&INVALID_POLICY, span, message));
    }

    fn at(&self, keys: &[&str]) -> Span {
        self.node
            .find(keys)
            .map_or(self.node.span, |node| node.span)
    }

    fn policy(&mut self) -> Option<UserPolicy> {
        let text = self.text;
        if text.variables.len() > MAX_VARIABLES {
            let message = format!("a policy with more than {MAX_VARIABLES} variables");
            self.fault(self.at(&["variables"]), message);
            return None;
        }
        let kinds = self.kinds();
        let variables: Vec<_> = (text.variables.iter().enumerate())
            .filter_map(|(index, variable)| {
                let node = self
                    .node
                    .items_of("variables")
                    .get(index)?
                    .get("expression")?;
                let program = self.program(
                    &variable.expression,
                    node,
                    0..variable.expression.len(),
                    &kinds,
                )?;
                Some((variable.name.clone(), program))
            })
            .collect();
        let (forbids, written) = match (&text.require, &text.forbid) {
            (Some(require), None) => (false, require),
            (None, Some(forbid)) => (true, forbid),
            _ => {
                self.fault(
                    self.at(&["name"]),
                    "expected `require` or `forbid`, and not both",
                );
                return None;
            }
        };
        let condition = self.condition(written, forbids, &kinds);
        let message = self.message(&kinds);
        let at = text
            .at
            .as_ref()
            .and_then(|at| self.place(at, &["at"], &kinds));
        let fix = text.fix.as_ref().and_then(|fix| {
            let node = self.node.find(&["fix", "value"])?;
            Some(PolicyFix {
                set: self.place(&fix.set, &["fix", "set"], &kinds)?,
                value: self.program(&fix.value, node, 0..fix.value.len(), &kinds)?,
                is_safe: fix.safe,
            })
        });
        let level = text.level.map_or(Level::Warning, Level::from);
        Some(UserPolicy {
            rule: rule(text, level, written, forbids),
            span: self.at(&["name"]),
            kinds,
            matching: PolicyMatch::new(&text.matching),
            variables,
            condition: condition?,
            forbids,
            message: message?,
            at,
            fix,
            on_error: text.on_error,
            not_decided: text.not_decided.unwrap_or(PolicyChoice::Ignore),
            help: text.help.clone(),
        })
    }

    fn check_name(&mut self, names: &mut BTreeMap<String, Span>) {
        let (name, span) = (&self.text.name, self.at(&["name"]));
        let is_kebab = |name: &str| {
            let is_part = |part: &str| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            name.len() <= 64 && name.split('-').all(is_part)
        };
        if !is_kebab(name) {
            self.fault(span, "expected a name of lower-case words with `-` between them, of at most 64 characters");
        } else if let Some(first) = names.get(name) {
            let message = format!("a policy with the name `{name}` is there already");
            let found = Diagnostic::new(&INVALID_POLICY, span, message);
            self.faults.push(found.related(*first, "the first one"));
        } else {
            names.insert(name.clone(), span);
        }
    }

    fn check_globs(&mut self, bytes: &mut u64, limits: &Limits) {
        let span = self.at(&["match"]);
        let was_within = *bytes <= limits.get(Limit::GlobBytes);
        for glob in PolicyMatch::globs(&self.text.matching) {
            *bytes += glob.len() as u64;
            if glob.is_empty() || glob.chars().count() > MAX_GLOB_CHARS {
                let message = format!("expected globs of 1 to {MAX_GLOB_CHARS} characters");
                self.fault(span, message);
            }
        }
        if was_within && *bytes > limits.get(Limit::GlobBytes) {
            let excess = limits.excess(Limit::GlobBytes);
            self.faults
                .push(excess.diagnostic(span, "what the globs of policies hold"));
        }
    }

    fn kinds(&mut self) -> Vec<SubjectKind> {
        let mut kinds = Vec::new();
        let words = self.text.matching.kind.all();
        for word in words {
            match SubjectKind::all(word) {
                Some(found) => kinds.extend(found),
                None => {
                    let known = SubjectKind::words();
                    let meant = suggest::closest(word, known);
                    let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
                    let known: Vec<_> = SubjectKind::words().collect();
                    let other = || format!("; expected {} or a kind of objects", known.join(", "));
                    let message = format!("unknown kind `{word}`{}", meant.unwrap_or_else(other));
                    self.fault(self.at(&["match", "kind"]), message);
                }
            }
        }
        if words.is_empty() {
            self.fault(
                self.at(&["match"]),
                "expected `kind`, which says what is looked at",
            );
        }
        let excepted = self.text.matching.except.as_ref();
        if excepted.is_some_and(|except| !except.kind.all().is_empty() || except.except.is_some()) {
            let message = "`except` has neither `kind` nor `except`";
            self.fault(self.at(&["match", "except"]), message);
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Reads an expression, which is a part of the text of a node.
    fn program(
        &mut self,
        text: &str,
        node: &Node,
        part: Range<usize>,
        kinds: &[SubjectKind],
    ) -> Option<PolicyProgram> {
        let whole = node.as_str().unwrap_or(text).to_owned();
        let place = |of: Range<usize>, sources| {
            let of = part.start + of.start..part.start + of.end;
            locate::within(node.span, &whole, &of, sources)
        };
        let expression = match CelExpression::parse(text) {
            Ok(expression) => expression,
            Err(fault) => {
                self.fault(place(fault.span.range(), self.sources), fault.message);
                return None;
            }
        };
        let typed = |name: &str| match variable(name, kinds, &self.text.variables).ok()? {
            PolicyVariable::Facts => kinds.first().and_then(table).map(CelType::Object),
            PolicyVariable::Object => Some(CelType::Dyn),
            PolicyVariable::Environment => Some(CelType::Text),
            PolicyVariable::Own => Some(map_of(&CelType::Dyn)),
        };
        let checked = expression.check(&typed);
        let mut slots = Vec::new();
        for name in expression.variables() {
            match variable(name, kinds, &self.text.variables) {
                Ok(variable) => slots.push(variable),
                Err(message) => {
                    let at = text.find(name).unwrap_or_default();
                    let span = place(at..at + name.len(), self.sources);
                    self.faults
                        .push(Diagnostic::new(&INVALID_POLICY, span, message));
                    return None;
                }
            }
        }
        let known: Vec<&str> = self
            .text
            .variables
            .iter()
            .map(|of| of.name.as_str())
            .collect();
        let own = expression.fields_of("variables").into_iter();
        let own = own.filter(|(name, _)| !known.contains(name));
        let own = own.map(|(name, span)| CelFault {
            message: format!("no variable `{name}`"),
            span,
        });
        let (yields, mut faults) = match checked {
            Ok(yields) => (yields, Vec::new()),
            Err(faults) => (CelType::Dyn, faults),
        };
        faults.extend(own);
        if faults.is_empty() {
            faults = expression.constant_faults();
        }
        let hints = expression.hints();
        for fault in &faults {
            let span = place(fault.span.range(), self.sources);
            self.fault(span, fault.message.clone());
        }
        for hint in hints {
            let span = place(hint.span.range(), self.sources);
            let hint = Diagnostic::new(&INVALID_POLICY, span, hint.message);
            self.faults.push(hint.level(Level::Warning));
        }
        faults.is_empty().then(|| PolicyProgram {
            text: text.to_owned(),
            expression,
            yields,
            slots,
        })
    }

    /// Reads the condition.
    fn condition(
        &mut self,
        written: &str,
        forbids: bool,
        kinds: &[SubjectKind],
    ) -> Option<PolicyProgram> {
        let node = self.node.get(if forbids { "forbid" } else { "require" })?;
        let program = self.program(written, node, 0..written.len(), kinds)?;
        let expected = match (&program.yields, forbids) {
            (CelType::Bool | CelType::Dyn, _) | (CelType::List(_), true) => return Some(program),
            (_, true) => "a bool or a list",
            (_, false) => "a bool",
        };
        let message = format!("expected {expected}, found {}", program.yields.described());
        self.fault(node.span, message);
        None
    }

    /// The message. `None`: it cannot be read.
    #[expect(clippy::option_option, reason = "it may lack, and it may be wrong")]
    fn message(&mut self, kinds: &[SubjectKind]) -> Option<Option<PolicyMessage>> {
        let Some(text) = &self.text.message else {
            return Some(None);
        };
        let node = self.node.get("message")?;
        let mut read = |part: &str, at: Range<usize>| self.program(part, node, at, kinds);
        match PolicyMessage::parse(text, &mut read) {
            Ok(message) => Some(Some(message)),
            Err(fault) => {
                let span = locate::within(node.span, text, &fault.span.range(), self.sources);
                self.fault(span, fault.message);
                None
            }
        }
    }

    /// Reads the place of a field.
    fn place(&mut self, text: &str, keys: &[&str], kinds: &[SubjectKind]) -> Option<FactPlace> {
        let mut steps = steps(text);
        let first = steps
            .as_mut()
            .filter(|steps| !steps.is_empty())
            .map(|steps| steps.remove(0));
        let first = match &first {
            Some(Segment::Key(first)) => first.to_string(),
            _ => String::new(),
        };
        let is_fact = kinds
            .iter()
            .all(|kind| table(kind).is_some_and(|table| table.name == first));
        if first == "object" || is_fact && !kinds.is_empty() {
            return Some(FactPlace {
                of_object: first == "object",
                route: ValueRoute(steps?),
            });
        }
        let known = kinds
            .first()
            .and_then(table)
            .map_or("object", |table| table.name);
        self.fault(
            self.at(keys),
            format!("expected a field such as `object.spec.x` or `{known}.x`"),
        );
        None
    }
}

/// The rule of a policy.
fn rule(text: &PolicyText, level: Level, written: &str, forbids: bool) -> RuleRef {
    let verb = if forbids { "forbids" } else { "requires" };
    let mut explanation = format!(
        "## What it does\nA policy, which {verb}:\n```\n{}\n```\n",
        written.trim()
    );
    if let Some(help) = &text.help {
        explanation += &format!("\n## How to fix it\n{help}\n");
    }
    let summary = one_line(text.message.as_deref().unwrap_or(written));
    RuleRef::from(Arc::new(LintRule {
        code: format!("{POLICY}{}", text.name).into(),
        name: text.name.clone().into(),
        // `promgen rule` prints these as they are.
        summary: escape::line(&summary).into(),
        explanation: escape::lines(&explanation).into(),
        level,
        since: "",
    }))
}

/// A text without its line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a name of an expression is.
fn variable(
    name: &str,
    kinds: &[SubjectKind],
    own: &[file::VariableText],
) -> Result<PolicyVariable, String> {
    match name {
        "object" => return Ok(PolicyVariable::Object),
        "environment" => return Ok(PolicyVariable::Environment),
        "variables" if !own.is_empty() => return Ok(PolicyVariable::Own),
        _ => {}
    }
    let mut of_kinds = kinds.iter().map(|kind| table(kind).map(|table| table.name));
    let first = of_kinds.next().flatten();
    let known = first.filter(|first| of_kinds.all(|other| other == Some(*first)));
    match known {
        Some(known) if known == name => Ok(PolicyVariable::Facts),
        _ => {
            let known = known
                .map(|known| format!("`{known}`, "))
                .unwrap_or_default();
            Err(format!(
                "unknown name `{name}`: what is looked at has {known}`object` and `environment`"
            ))
        }
    }
}

/// The steps of a path of fields: `rule.labels.team`, `object.spec.endpoints[0]`, `object.metadata.labels['a/b']`.
fn steps(text: &str) -> Option<Vec<Segment>> {
    let mut steps = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = match inner.strip_prefix('\'') {
                Some(quoted) => {
                    let (key, after) = quoted.split_once("']")?;
                    (Segment::Key(Cow::Owned(key.to_owned())), after)
                }
                None => {
                    let (index, after) = inner.split_once(']')?;
                    (Segment::Index(index.parse().ok()?), after)
                }
            };
            steps.push(index);
            rest = after;
            continue;
        }
        let key = rest.strip_prefix('.').unwrap_or(rest);
        let end = key.find(['.', '[']).unwrap_or(key.len());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if end == 0 || !key[..end].chars().all(is_name) {
            return None;
        }
        steps.push(Segment::Key(Cow::Owned(key[..end].to_owned())));
        rest = &key[end..];
    }
    Some(steps)
}
