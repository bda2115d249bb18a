//! A condition of a status, and its times.

use crate::lower::status::StatusFormat;
use promgen_text::yaml::{Map, Value};

/// A condition of any profile; each profile prints its fields in its own order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenCondition {
    /// Its type.
    pub(super) kind: &'static str,
    /// `True`, `False`, `Unknown`; the operator also has `Degraded`.
    pub(super) status: &'static str,
    /// The severity of the status.
    pub(super) severity: Option<&'static str>,
    /// The reason, in one word.
    pub(super) reason: Option<String>,
    /// The message for the reader.
    pub(super) message: Option<String>,
}

/// When a condition counts as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransitionTrigger {
    /// When its status is another one.
    OfStatus,
    /// When anything in it is.
    OfAnything,
}

/// `True` or `False`.
pub(super) const fn truth(holds: bool) -> &'static str {
    if holds { "True" } else { "False" }
}

/// The time of a change in a run that has no time: the output depends on nothing but the input.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

impl WrittenCondition {
    /// A condition without a reason.
    pub(super) fn new(kind: &'static str, status: &'static str) -> Self {
        Self {
            kind,
            status,
            ..Self::default()
        }
    }

    /// Sets the reason.
    pub(super) fn because(self, reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..self
        }
    }

    /// Sets the message.
    pub(super) fn saying(self, message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..self
        }
    }

    /// The time of its last change: that in an earlier list of conditions if it did not change since, else the time of
    /// the run. A run without one has a fixed time, because the CRDs require it.
    pub(super) fn changed(
        &self,
        format: &StatusFormat<'_>,
        earlier: Option<&Value>,
        rule: TransitionTrigger,
    ) -> String {
        let mut conditions = earlier.and_then(Value::as_seq).unwrap_or_default().iter();
        let before = conditions.find(|c| c.text_or_empty("type") == self.kind);
        let kept = before
            .filter(|c| self.is_same(c, rule))
            .map(|c| c.text_or_empty("lastTransitionTime"));
        // A condition without a time never changed as far as anybody knows, so it changes now.
        kept.filter(|time| !time.is_empty()).map_or_else(
            || {
                format
                    .at
                    .map_or_else(|| NO_TIME.to_owned(), |at| at.to_string())
            },
            str::to_owned,
        )
    }

    /// Its fields of these names, in this order.
    pub(super) fn print(
        &self,
        keys: &[&'static str],
        format: &StatusFormat<'_>,
        earlier: Option<&Value>,
        rule: TransitionTrigger,
    ) -> Map {
        let mut map = Map::new();
        for key in keys {
            let value = match *key {
                "type" => Some(self.kind.to_owned()),
                "status" => Some(self.status.to_owned()),
                "severity" => self.severity.map(str::to_owned),
                "reason" => self.reason.clone(),
                "message" => self.message.clone().filter(|message| !message.is_empty()),
                "lastProbeTime" => format.at.map(|at| at.to_string()),
                _ => Some(self.changed(format, earlier, rule)),
            };
            map.push_some(*key, value);
        }
        map
    }

    fn is_same(&self, before: &Value, rule: TransitionTrigger) -> bool {
        let same =
            |key: &str, now: Option<&str>| before.text_or_empty(key) == now.unwrap_or_default();
        let is_status_same = same("status", Some(self.status));
        match rule {
            TransitionTrigger::OfStatus => is_status_same,
            TransitionTrigger::OfAnything => {
                is_status_same
                    && same("severity", self.severity)
                    && same("reason", self.reason.as_deref())
                    && same("message", self.message.as_deref())
            }
        }
    }
}
