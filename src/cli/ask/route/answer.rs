//! The answers of `route`: the routes of an alert, and the receivers of all alerts.

use crate::cli::ask::route::AlertmanagerTree;
use crate::cli::ask::route::print::{name, shown_list, shown_setting};
use crate::cli::json::{Labels, answers, place};
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{
    Alert, AlertLabels, MatchedRoute, RouteNode, RoutingTree, Setting,
};
use promgen_text::source::Sources;
use promgen_text::time::Timestamp;

answers! {
    /// The routes of an alert.
    Route {
        /// By Alertmanager.
        workloads: Vec<RoutedAlert>,
    }

    /// The routes of an alert in an Alertmanager.
    RoutedAlert {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The labels of the alert.
        labels: Labels,
        /// The receivers that are notified.
        receivers: Vec<String>,
        /// The routes that match.
        routes: Vec<RouteStep>,
        /// The inhibitions of the alert.
        inhibited: Vec<Inhibition>,
    }

    /// A route that matches.
    #[derive(Default)]
    RouteStep {
        /// Its way through the tree.
        route: String,
        /// Its matchers.
        matchers: Vec<String>,
        /// Whether the routes after it are tried, too.
        r#continue: bool,
        /// Whether it notifies.
        notifies: bool,
        /// The file that it comes from.
        file?: String,
        /// The line, from 1.
        line?: usize,
        /// The line in the value of a Secret, from 1.
        line_in_secret?: usize,
        /// Its receiver.
        receiver?: String,
        /// The integrations of its receiver.
        integrations?: Vec<String>,
        /// The labels that make a group.
        group_by?: Vec<String>,
        /// `group_wait`.
        group_wait?: String,
        /// `group_interval`.
        group_interval?: String,
        /// `repeat_interval`.
        repeat_interval?: String,
        /// The time intervals that mute it.
        mute_time_intervals?: Vec<String>,
        /// The time intervals outside of which it is mute.
        active_time_intervals?: Vec<String>,
        /// Whether a time interval mutes it at the time of --at.
        muted?: bool,
    }

    /// A rule that inhibits an alert.
    Inhibition {
        /// The labels of the firing alert that does.
        by: Labels,
        /// The file that the rule comes from.
        file?: String,
        /// The line, from 1.
        line?: usize,
        /// The line in the value of a Secret, from 1.
        line_in_secret?: usize,
    }

    /// The receivers of all alerts.
    RouteAll {
        /// By Alertmanager.
        workloads: Vec<RoutedAlerts>,
    }

    /// The receivers of all alerts in an Alertmanager.
    RoutedAlerts {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The alerts of the PrometheusRules.
        alerts: Vec<AlertReceivers>,
    }

    /// The receivers of an alert.
    AlertReceivers {
        /// The PrometheusRule: NAMESPACE/NAME.
        rule: String,
        /// The labels that the alert always has.
        labels: Labels,
        /// The receivers that are notified, or may be.
        receivers: Vec<String>,
        /// Why this Alertmanager does not get the alert.
        unsent?: String,
        /// Why nobody knows whether this Alertmanager gets the alert, or which of the receivers it notifies.
        unknown?: String,
        /// The file of the alert.
        file?: String,
        /// The line, from 1.
        line?: usize,
        /// The line in the value of a Secret, from 1.
        line_in_secret?: usize,
    }
}

/// An alert that is asked about, among others that fire at a time.
#[derive(Clone, Copy)]
pub(super) struct RouteQuestion<'a> {
    pub(super) labels: &'a AlertLabels,
    /// The firing alerts.
    pub(super) firing: &'a [AlertLabels],
    pub(super) at: Option<Timestamp>,
    pub(super) sources: &'a Sources,
}

impl Route {
    /// The answer about an alert.
    pub(super) fn of(subjects: &[AlertmanagerTree<'_>], question: RouteQuestion<'_>) -> Self {
        let of = |subject: &AlertmanagerTree<'_>| RoutedAlert::of(subject, question);
        Self {
            workloads: subjects.iter().map(of).collect(),
        }
    }
}

impl RoutedAlert {
    fn of((workload, tree): &AlertmanagerTree<'_>, question: RouteQuestion<'_>) -> Self {
        let RouteQuestion {
            labels,
            firing,
            sources,
            ..
        } = question;
        let inhibited = tree.inhibited_by(labels, firing).into_iter();
        Self {
            workload: workload.id.to_string(),
            labels: labels.clone(),
            receivers: receivers(tree.notifying(labels)),
            routes: tree
                .route(labels)
                .iter()
                .map(|step| RouteStep::of(tree, step, question))
                .collect(),
            inhibited: inhibited
                .map(|(rule, by)| {
                    let (file, line) = place(rule.source.span, sources);
                    Inhibition {
                        by: by.clone(),
                        file,
                        line,
                        line_in_secret: rule.source.line,
                    }
                })
                .collect(),
        }
    }
}

impl RouteStep {
    fn of(tree: &RoutingTree, step: &MatchedRoute<'_>, question: RouteQuestion<'_>) -> Self {
        let (node, is_secret) = (step.node, step.node.source.is_secret);
        let (file, line) = place(node.source.span, question.sources);
        let matched = Self {
            route: name(&step.way),
            matchers: shown_list(&node.matchers, is_secret),
            r#continue: node.continues,
            notifies: step.is_last,
            file,
            line,
            line_in_secret: node.source.line,
            ..Self::default()
        };
        if !step.is_last {
            return matched;
        }
        let setting = |setting: &Setting<String>| Some(shown_setting(setting).to_owned());
        let integrations = tree.receivers.get(&node.receiver.value);
        Self {
            receiver: setting(&node.receiver),
            integrations: Some(shown_list(integrations.into_iter().flatten(), false)),
            group_by: Some(shown_list(&node.group_by.value, node.group_by.is_secret)),
            group_wait: setting(&node.group_wait),
            group_interval: setting(&node.group_interval),
            repeat_interval: setting(&node.repeat_interval),
            mute_time_intervals: Some(shown_list(&node.mute, is_secret)),
            active_time_intervals: Some(shown_list(&node.active, is_secret)),
            muted: question.at.and_then(|at| tree.is_muted(node, at)),
            ..matched
        }
    }
}

impl RouteAll {
    /// The answer about all alerts.
    pub(super) fn of(
        subjects: &[AlertmanagerTree<'_>],
        alerts: &[Alert],
        senders: &AlertSenders,
        sources: &Sources,
    ) -> Self {
        let of_alert = |(workload, tree): &AlertmanagerTree<'_>, alert: &Alert| {
            let (file, line) = place(alert.span, sources);
            let (mut sent, mut unsent, mut unknown) = (Vec::new(), None, None);
            for (node, reach) in senders.ends(alert, &workload.id, tree) {
                match reach {
                    AlertReach::No(why) => {
                        unsent = Some(why);
                        continue;
                    }
                    AlertReach::Unknown(why) => unknown = Some(why),
                    AlertReach::Yes => {}
                }
                sent.push(node);
            }
            AlertReceivers {
                rule: alert.resource.clone(),
                labels: alert.labels.clone(),
                receivers: receivers(sent.into_iter()),
                unsent,
                unknown,
                file,
                line,
                line_in_secret: None,
            }
        };
        let of = |subject: &AlertmanagerTree<'_>| RoutedAlerts {
            workload: subject.0.id.to_string(),
            alerts: alerts
                .iter()
                .map(|alert| of_alert(subject, alert))
                .collect(),
        };
        Self {
            workloads: subjects.iter().map(of).collect(),
        }
    }
}

/// The names of the receivers of routes.
fn receivers<'n>(nodes: impl Iterator<Item = &'n RouteNode>) -> Vec<String> {
    nodes
        .map(|node| shown_setting(&node.receiver).to_owned())
        .collect()
}
