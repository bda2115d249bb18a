//! The request of the user.

use std::sync::Arc;

use promgen_resources::gates::Target;
use promgen_resources::observed_status::Statuses;
use promgen_resources::rendered::Rendered;
use promgen_resources::schema::{Definitions, GivenFacts};
use promgen_text::limits::Limits;
use promgen_text::source::Input;
use promgen_text::time::Timestamp;

/// What holds for everything that is not in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assume {
    /// It exists and is healthy: statuses are the steady state, a referenced Secret is there with a placeholder for its value.
    #[default]
    Ready,
    /// The input is all there is.
    Missing,
}

/// The layout of the objects of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One Secret per shard, placeholders filled in.
    #[default]
    PerShard,
    /// As the operator writes them: one Secret, placeholders.
    Operator,
}

/// In whose manner statuses are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// As the operator writes them.
    #[default]
    Operator,
    /// As the operator's first proposal has them.
    Proposal,
    /// As ADR 27 of the Stackable data platform has them.
    Stackable,
    /// As the Azure service operator has them.
    Aso,
}

/// The request of the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Versions and feature gates.
    pub target: Target,
    /// CustomResourceDefinitions that decide about objects of their kinds, whatever release they are of.
    pub definitions: Definitions,
    /// A table of facts about releases that promgen does not know.
    pub facts: Option<Arc<GivenFacts>>,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// The user says so. Otherwise an object that names none may be in any, as far as findings go.
    pub namespace_is_known: bool,
    /// What holds for what is not in the input.
    pub assume: Assume,
    /// The layout of objects.
    pub layout: Layout,
    /// Values of Secrets are printed as they are.
    pub reveal_secrets: bool,
    /// In whose manner statuses are written.
    pub profile: Profile,
    /// The time of the run: when conditions changed that are not as they were. None leaves it out.
    pub at: Option<Timestamp>,
    /// Earlier statuses, whose times are carried over. They go before those of the manifests themselves.
    pub previous: Statuses,
    /// Templates that replace built-in ones, by name relative to the template folder: `relabel/operator-address.yaml.j2`.
    pub templates: Vec<Input>,
    /// Files of policies besides those of the input: those that the settings name, and the settings themselves if they have policies.
    pub policies: Vec<Input>,
    /// There are no other policies: those of the input are those of a stranger.
    pub trusts_given_policies: bool,
    /// The input is a repository, of which parts are elsewhere: a namespace that it does not describe may have any
    /// labels, and files with template actions that do not parse are left out.
    pub is_repository: bool,
    /// Kustomizations may read files that are not in or below their folders, as with Kustomize's
    /// `--load-restrictor LoadRestrictionsNone`.
    pub is_unrestricted: bool,
    /// The limits of a run that the user raises.
    pub limits: Limits,
    /// Findings about the form of objects that do not concern the operator are left out.
    pub operator_only: bool,
    /// Manifests may exempt themselves: by comments and annotations that allow findings, and by the mark of what
    /// promgen generates.
    pub heeds_marks: bool,
    /// The results of Helm for releases of charts. `None`: Helm is not asked, and releases are compiled from their
    /// values.
    pub rendered: Option<Arc<Rendered>>,
    /// The permissions and policies of a cluster, as `kubectl get -o yaml` prints them: it has no others.
    pub live_access: Option<Arc<str>>,
    /// Files that say which metrics there are: what targets expose, or what an API of Prometheus answers.
    pub metrics: Vec<Input>,
    /// The version of kube-prometheus-stack, in place of those that releases name.
    pub chart_version: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: Target::default(),
            definitions: Definitions::default(),
            facts: None,
            namespace: "default".to_owned(),
            namespace_is_known: false,
            assume: Assume::default(),
            layout: Layout::default(),
            reveal_secrets: false,
            profile: Profile::default(),
            at: None,
            previous: Statuses::default(),
            templates: Vec::new(),
            policies: Vec::new(),
            trusts_given_policies: false,
            is_repository: false,
            is_unrestricted: false,
            limits: Limits::default(),
            operator_only: false,
            heeds_marks: true,
            rendered: None,
            live_access: None,
            metrics: Vec::new(),
            chart_version: None,
        }
    }
}
