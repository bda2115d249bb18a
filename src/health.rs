//! The conclusions of other tools from a status: Argo CD, kstatus (Flux, kpt), `kubectl wait`.
//!
//! In: the kind of a resource and its status, expected or live. Out: a [`Conclusion`] of each tool, with the reason. The
//! rules follow the published checks of the tools. Some of them misread the operator's conditions; the reason then
//! explains this.

use promgen_resources::api::Kind;
use promgen_resources::observed_status::ObservedObject;
use promgen_text::yaml::{Map, Value};

/// A tool that waits for resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// Argo CD, by its health checks (`resource_customizations/monitoring.coreos.com`).
    ArgoCd,
    /// kstatus, the library of Flux and kpt.
    Kstatus,
    /// `kubectl wait --for=condition=Available`.
    KubectlWait,
}

impl Tool {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArgoCd => "argocd",
            Self::Kstatus => "kstatus",
            Self::KubectlWait => "kubectl-wait",
        }
    }
}

/// The conclusion of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The tool.
    pub tool: Tool,
    /// Its verdict: `Healthy`, `Current`, `met`.
    pub verdict: &'static str,
    /// The tool continues.
    pub is_good: bool,
    /// The reason.
    pub reason: String,
}

/// The conclusion of each tool from the status of a workload.
#[must_use]
pub fn conclude(kind: Kind, live: &ObservedObject) -> [Conclusion; 3] {
    [argo_cd(kind, live), kstatus(kind, live), kubectl_wait(live)]
}

struct ObservedCondition<'a>(&'a Value);

impl<'a> ObservedCondition<'a> {
    fn all(status: &'a Map) -> impl Iterator<Item = Self> {
        status
            .get("conditions")
            .and_then(Value::as_seq)
            .unwrap_or_default()
            .iter()
            .map(ObservedCondition)
    }

    fn text(&self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// `Available is Degraded (SomePodsNotReady)`.
    fn summary(&self) -> String {
        let reason = self.text("reason");
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!(" ({reason})")
        };
        format!("{} is {}{reason}", self.text("type"), self.text("status"))
    }
}

fn whole(value: Option<&Value>) -> Option<i64> {
    match value {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    }
}

/// Argo CD: for Prometheus, Alertmanager and ThanosRuler the condition Available counts, and only the exact reason
/// `SomePodsNotReady` is progress. Argo CD has no check for PrometheusAgent.
fn argo_cd(kind: Kind, live: &ObservedObject) -> Conclusion {
    let conclude = |verdict, reason: String| {
        let is_good = matches!(verdict, "Healthy" | "none");
        Conclusion {
            tool: Tool::ArgoCd,
            verdict,
            is_good,
            reason,
        }
    };
    if live.is_deleting {
        return conclude("Progressing", "it is being deleted".to_owned());
    }
    if !matches!(kind.as_str(), "Prometheus" | "Alertmanager" | "ThanosRuler") {
        return conclude(
            "none",
            format!(
                "Argo CD has no health check for {kind} and does not wait for it",
                kind = kind.as_str()
            ),
        );
    }
    let Some(available) = ObservedCondition::all(&live.status)
        .filter(|c| c.text("type") == "Available")
        .last()
    else {
        return conclude(
            "Progressing",
            "the condition Available does not exist yet".to_owned(),
        );
    };
    let text = available.summary();
    match (available.text("status"), available.text("reason")) {
        ("True", _) => conclude("Healthy", text),
        (_, "SomePodsNotReady") => conclude("Progressing", text),
        (_, reason) if reason.contains("SomePodsNotReady") => conclude(
            "Degraded",
            format!("{text}: Argo CD only treats the exact reason SomePodsNotReady as progress"),
        ),
        _ => conclude("Degraded", text),
    }
}

/// kstatus: deletion, `observedGeneration` of the status, the conditions Reconciling and Stalled, and then Ready. A resource
/// without any of them is current.
fn kstatus(kind: Kind, live: &ObservedObject) -> Conclusion {
    let conclude = |verdict, reason: String| Conclusion {
        tool: Tool::Kstatus,
        verdict,
        is_good: verdict == "Current",
        reason,
    };
    if live.is_deleting {
        return conclude("Terminating", "it is being deleted".to_owned());
    }
    if let Some((generation, observed)) = live
        .generation
        .zip(whole(live.status.get("observedGeneration")))
        && generation != observed
    {
        let kind = kind.as_str();
        let reason = format!(
            "{kind} generation is {generation}, but latest observed generation is {observed}"
        );
        return conclude("InProgress", reason);
    }
    for condition in ObservedCondition::all(&live.status).filter(|c| c.text("status") == "True") {
        match condition.text("type") {
            "Reconciling" => return conclude("InProgress", condition.summary()),
            "Stalled" => return conclude("Failed", condition.summary()),
            _ => {}
        }
    }
    match ObservedCondition::all(&live.status).find(|c| c.text("type") == "Ready") {
        Some(ready) if ready.text("status") == "True" => conclude("Current", ready.summary()),
        Some(ready) => conclude("InProgress", ready.summary()),
        None => {
            let passed = ObservedCondition::all(&live.status)
                .find(|c| c.text("type") == "Available" && c.text("status") != "True");
            let but = passed
                .map(|c| format!(", although {}", c.summary()))
                .unwrap_or_default();
            conclude(
                "Current",
                format!("no Reconciling, Stalled or Ready condition: kstatus does not wait{but}"),
            )
        }
    }
}

/// `kubectl wait --for=condition=Available`: the condition is True, and not of an older generation.
fn kubectl_wait(live: &ObservedObject) -> Conclusion {
    let conclude = |is_good, reason: String| {
        let verdict = if is_good { "met" } else { "waiting" };
        Conclusion {
            tool: Tool::KubectlWait,
            verdict,
            is_good,
            reason,
        }
    };
    let mut conditions = ObservedCondition::all(&live.status);
    let Some(available) = conditions.find(|c| c.text("type").eq_ignore_ascii_case("Available"))
    else {
        return conclude(false, "the condition Available does not exist".to_owned());
    };
    let of_condition = whole(available.0.get("observedGeneration"));
    let observed = of_condition.or_else(|| whole(live.status.get("observedGeneration")));
    match live.generation.zip(observed) {
        Some((generation, observed)) if observed < generation => conclude(
            false,
            format!(
                "the condition is for generation {observed}, the resource has generation {generation}"
            ),
        ),
        Some(_) | None => conclude(
            available.text("status").eq_ignore_ascii_case("True"),
            available.summary(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(conditions: &[(&'static str, &'static str, &'static str)]) -> ObservedObject {
        let condition = |(kind, status, reason): &(&'static str, &'static str, &'static str)| {
            Map::new()
                .with("type", *kind)
                .with("status", *status)
                .with("reason", *reason)
                .with("observedGeneration", 2)
        };
        let conditions: Vec<_> = conditions.iter().map(condition).collect();
        ObservedObject {
            generation: Some(2),
            is_deleting: false,
            status: Map::new().with("conditions", conditions),
        }
    }

    fn verdicts(kind: Kind, live: &ObservedObject) -> [&'static str; 3] {
        conclude(kind, live).map(|conclusion| conclusion.verdict)
    }

    #[test]
    fn each_tool_has_rules_of_its_own() {
        for (conditions, expected) in [
            (
                &[("Available", "True", "")][..],
                ["Healthy", "Current", "met"],
            ),
            (
                &[("Available", "Degraded", "SomePodsNotReady")],
                ["Progressing", "Current", "waiting"],
            ),
            (
                &[("Available", "False", "NoPodReady")],
                ["Degraded", "Current", "waiting"],
            ),
            (
                &[("Available", "Degraded", "NoPodReadyAndSomePodsNotReady")],
                ["Degraded", "Current", "waiting"],
            ),
            (&[], ["Progressing", "Current", "waiting"]),
            (
                &[("Ready", "False", "Reconciling")],
                ["Progressing", "InProgress", "waiting"],
            ),
            (
                &[("Ready", "Unknown", "NodeLost")],
                ["Progressing", "InProgress", "waiting"],
            ),
            (
                &[("Ready", "True", "Succeeded")],
                ["Progressing", "Current", "waiting"],
            ),
            (
                &[("Stalled", "True", "x"), ("Ready", "True", "y")],
                ["Progressing", "Failed", "waiting"],
            ),
            (
                &[("Reconciling", "True", "x")],
                ["Progressing", "InProgress", "waiting"],
            ),
        ] {
            assert_eq!(
                verdicts(Kind::Prometheus, &live(conditions)),
                expected,
                "{conditions:?}"
            );
        }
    }

    #[test]
    fn deletion_and_older_generations_count() {
        let mut gone = live(&[("Available", "True", "")]);
        gone.is_deleting = true;
        assert_eq!(
            verdicts(Kind::Prometheus, &gone),
            ["Progressing", "Terminating", "met"]
        );
        let mut stale = live(&[("Available", "True", "")]);
        stale.generation = Some(3);
        assert_eq!(
            verdicts(Kind::Prometheus, &stale),
            ["Healthy", "Current", "waiting"]
        );
        stale.status.push("observedGeneration", 2);
        assert_eq!(
            verdicts(Kind::Prometheus, &stale),
            ["Healthy", "InProgress", "waiting"]
        );
    }

    #[test]
    fn argo_cd_knows_no_agents() {
        let agent = live(&[("Available", "False", "NoPodReady")]);
        assert_eq!(
            verdicts(Kind::PrometheusAgent, &agent),
            ["none", "Current", "waiting"]
        );
        let reason = conclude(Kind::PrometheusAgent, &agent)[1].reason.clone();
        assert!(
            reason.ends_with("although Available is False (NoPodReady)"),
            "{reason}"
        );
    }
}
