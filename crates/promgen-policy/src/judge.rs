//! The judgement of an environment: all that policies are about, found and asked in parallel, within the steps of the run.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::PolicyCount;
use promgen_model::Model;
use promgen_model::model::World;
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit};
use promgen_text::parallel;
use promgen_text::source::FileId;

use crate::matching::SubjectKind;
use crate::policy::{UserPolicies, UserPolicy};
use crate::subject::{self, PolicySubject};
use crate::verdict::{AskedThing, MAX_STEPS, PolicyVerdict};
use crate::world::PolicyWorld;

/// The number of things that a thread looks at together.
const TOGETHER: usize = 64;

/// What policies are asked about.
#[derive(Clone, Copy)]
pub struct PolicyScope<'s> {
    /// The name of the environment, if there are several.
    pub environment: Option<&'s str>,
    /// Whether a file is one of the environment.
    pub is_own: &'s (dyn Fn(FileId) -> bool + Sync),
    /// Whether a build of the file lacks a part, which may say anything.
    pub is_partial: &'s (dyn Fn(FileId) -> bool + Sync),
    /// What holds is told, too.
    pub lists_all: bool,
}

/// What a policy says of one thing.
#[derive(Clone, Debug)]
pub struct PolicyJudgement {
    /// The number of the policy.
    pub policy: usize,
    /// What it is: `alert Down`.
    pub what: String,
    /// The place.
    pub place: Place,
    /// The verdict.
    pub verdict: PolicyVerdict,
}

/// What policies say of an environment.
#[derive(Clone, Debug, Default)]
pub struct PolicyJudgements {
    /// The judgements, but for what holds if nobody asks for that, by policy and in the order of the input.
    pub judgements: Vec<PolicyJudgement>,
    /// How many things each policy was asked about.
    pub counts: JudgedCounts,
}

/// What policies were asked about, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct JudgedCounts(pub BTreeMap<String, PolicyCount>);

impl JudgedCounts {
    /// Adds those of another environment.
    pub fn add(&mut self, other: Self) {
        for (name, count) in other.0 {
            let own = self.0.entry(name).or_default();
            own.judged += count.judged;
            own.not_decided += count.not_decided;
            own.first = own.first.take().or(count.first);
        }
    }
}

/// A judgement, and the findings that it makes.
struct JudgedThing {
    judgement: PolicyJudgement,
    findings: Vec<Diagnostic>,
}

/// The policies that are about something, each with whether it surely is.
type AskedPolicies = Vec<(usize, bool)>;

/// What finds the policies that are about something.
struct PolicyIndex<'p> {
    by_kind: BTreeMap<&'p SubjectKind, Vec<(usize, &'p UserPolicy)>>,
    /// The workloads that select each resource, if a policy asks for them.
    selecting: Option<subject::SelectingWorkloads>,
}

impl<'p> PolicyIndex<'p> {
    fn new(policies: &'p [UserPolicy], world: &World<'_>) -> Self {
        let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (number, policy) in policies.iter().enumerate() {
            for kind in &policy.kinds {
                by_kind.entry(kind).or_default().push((number, policy));
            }
        }
        let asks = policies.iter().any(|of| of.matching.asks_workloads());
        Self {
            by_kind,
            selecting: asks.then(|| subject::selecting(world)),
        }
    }

    fn asked<'w>(
        &self,
        cx: &PolicyWorld<'w>,
        subject: &PolicySubject<'w>,
        environment: Option<&str>,
    ) -> AskedPolicies {
        let workloads = self.selecting.as_ref();
        let workloads = workloads
            .map(|by| subject.workloads(by))
            .unwrap_or_default();
        let matched = subject.matched(cx, &workloads, environment);
        let of_kind = self.by_kind.get(&subject.kind).into_iter().flatten();
        let asked =
            of_kind.filter_map(
                |(number, policy)| match policy.matching.is_about(&matched) {
                    Truth::Yes => Some((*number, true)),
                    Truth::Unknown => Some((*number, false)),
                    Truth::No => None,
                },
            );
        asked.collect()
    }
}

impl UserPolicies {
    /// Judges all that policies are about. Findings come in the order of the policies, and for each in that of the input.
    pub fn judge(
        &self,
        model: &Model,
        world: &World<'_>,
        scope: PolicyScope<'_>,
        sink: &mut Sink,
    ) -> PolicyJudgements {
        if self.all.is_empty() {
            return PolicyJudgements::default();
        }
        let cx = PolicyWorld::new(model, *world);
        let index = PolicyIndex::new(&self.all, world);
        let kinds: BTreeSet<SubjectKind> = index
            .by_kind
            .keys()
            .map(|kind| (*kind).clone())
            .collect_set();
        let subjects = subject::all(&cx, &kinds, &|file| (scope.is_own)(file));
        let asked: Vec<AskedPolicies> = parallel::map(&subjects, TOGETHER, |subject| {
            index.asked(&cx, subject, scope.environment)
        });
        let n_pairs: usize = asked.iter().map(Vec::len).sum();
        let max = model.project().limits().get(Limit::PolicySteps);
        let steps = (max / (n_pairs.max(1) as u64)).min(MAX_STEPS);
        let pairs: Vec<(&PolicySubject<'_>, &AskedPolicies)> =
            subjects.iter().zip(&asked).collect();
        let judged = parallel::map(&pairs, TOGETHER, |(subject, asked)| {
            self.judge_one(&cx, subject, asked, scope, steps)
        });
        let mut counts = vec![PolicyCount::default(); self.all.len()];
        for (number, _) in asked.iter().flatten() {
            counts[*number].judged += 1;
        }
        self.concluded(
            model,
            steps,
            judged.into_iter().flatten().collect(),
            counts,
            sink,
        )
    }

    /// Reports the findings, and counts what is not decided.
    fn concluded(
        &self,
        model: &Model,
        steps: u64,
        mut judged: Vec<JudgedThing>,
        mut counts: Vec<PolicyCount>,
        sink: &mut Sink,
    ) -> PolicyJudgements {
        judged.sort_by_key(|judged| judged.judgement.policy);
        let mut too_long = BTreeSet::new();
        let mut judgements = Vec::with_capacity(judged.len());
        for JudgedThing {
            judgement,
            findings,
        } in judged
        {
            findings
                .into_iter()
                .for_each(|finding| sink.report(finding));
            let (policy, number) = (&self.all[judgement.policy], judgement.policy);
            if judgement.verdict == PolicyVerdict::TooLong && too_long.insert(number) {
                let what = format!("the evaluation of {}", policy.rule.code);
                let excess = model.project().limits().excess(Limit::PolicySteps);
                sink.report(match steps < MAX_STEPS {
                    true => excess.diagnostic(policy.span, &what),
                    false => {
                        let message = format!("{what} takes more than {MAX_STEPS} steps");
                        Diagnostic::new(&LIMIT_EXCEEDED, policy.span, message)
                    }
                });
            }
            if let Some(why) = judgement.verdict.why_not_decided() {
                let count = &mut counts[number];
                count.not_decided += 1;
                let first = || format!("{}: {why}", judgement.what);
                count.first.get_or_insert_with(first);
            }
            judgements.push(judgement);
        }
        let names = self.all.iter().map(|policy| policy.rule.name.to_string());
        PolicyJudgements {
            judgements,
            counts: JudgedCounts(names.zip(counts).collect_map()),
        }
    }

    fn judge_one<'w>(
        &self,
        cx: &PolicyWorld<'w>,
        subject: &PolicySubject<'w>,
        asked: &AskedPolicies,
        scope: PolicyScope<'_>,
        steps: u64,
    ) -> Vec<JudgedThing> {
        if asked.is_empty() {
            return Vec::new();
        }
        let facts = subject.facts(cx);
        let environment = scope.environment.unwrap_or_default();
        let is_partial = (scope.is_partial)(subject.file());
        let thing = AskedThing {
            subject,
            facts: facts.as_deref(),
            object: subject.object(cx),
            environment,
            is_open: is_partial || subject.is_open(cx),
            reveals: cx.world.options().reveal_secrets,
        };
        let judge = |(number, is_sure): &(usize, bool)| {
            let (verdict, findings) = thing.ask(&self.all[*number], *is_sure, steps);
            (scope.lists_all || verdict != PolicyVerdict::Holds).then(|| JudgedThing {
                judgement: PolicyJudgement {
                    policy: *number,
                    what: subject.what(),
                    place: subject.place(),
                    verdict,
                },
                findings,
            })
        };
        asked.iter().filter_map(judge).collect()
    }
}
