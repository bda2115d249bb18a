//! Labels of the discovery that a role does not have, and those that cannot exist.

use std::sync::LazyLock;

use crate::checks::relabeling::DROPS_EVERYTHING;
use crate::checks::relabeling::absent::ABSENT_LABEL;
use crate::checks::relabeling::discovered;
use crate::checks::relabeling::list::{ListedRule, RuleList, Stage};
use promgen_compile::output::Job;
use promgen_compile::output::job::{DiscoverySection, DiscoverySource};
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_prometheus::config::sanitize;
use promgen_prometheus::relabel::Action;
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::suggest;

/// The source of the targets of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Pods: of a PodMonitor, or of a ScrapeConfig with that role, as the roles below.
    Pod,
    /// Endpoints or EndpointSlices, with their Services and pods: of a ServiceMonitor.
    Endpoints,
    /// Services.
    Service,
    /// Nodes.
    Node,
    /// Ingresses: of a Probe, too.
    Ingress,
    /// No discovery of Kubernetes.
    Absent,
    /// Something that may set any label, or several roles.
    Other,
}

impl Role {
    /// That of a ScrapeConfig.
    pub(super) fn of_config(spec: &ScrapeConfigSpec) -> Self {
        if spec.http_sd_configs.is_some() || spec.file_sd_configs.is_some() {
            return Self::Other;
        }
        let mut roles = spec
            .kubernetes_sd_configs
            .iter()
            .flatten()
            .map(|discovery| Self::parse(discovery.role.as_str()));
        let Some(first) = roles.next() else {
            return Self::Absent;
        };
        if roles.all(|role| role == first) {
            first
        } else {
            Self::Other
        }
    }

    fn parse(role: &str) -> Self {
        match role.to_ascii_lowercase().as_str() {
            "pod" => Self::Pod,
            "endpoints" | "endpointslice" => Self::Endpoints,
            "service" => Self::Service,
            "node" => Self::Node,
            "ingress" => Self::Ingress,
            _ => Self::Other,
        }
    }

    /// Its name in Prometheus.
    const fn name(self) -> &'static str {
        match self {
            Self::Pod => "pod",
            Self::Endpoints => "endpoints",
            Self::Service => "service",
            Self::Node => "node",
            Self::Ingress => "ingress",
            Self::Absent | Self::Other => "",
        }
    }

    /// What has the labels of its targets.
    const fn subject(self) -> &'static str {
        match self {
            Self::Pod => "the pod",
            Self::Endpoints => "the Service or pod",
            Self::Service => "the Service",
            Self::Node => "the node",
            Self::Ingress => "the ingress",
            Self::Absent | Self::Other => "the target",
        }
    }
}

/// The prefix of the labels of Kubernetes' discovery.
pub(super) const PREFIX: &str = "__meta_kubernetes_";

/// What the labels of Kubernetes' discovery are about, behind their prefix: each with the names, and the beginnings of names.
struct MetaSubject {
    name: &'static str,
    roles: Vec<Role>,
    names: Vec<&'static str>,
    families: Vec<&'static str>,
}

/// All subjects. The table explains itself.
static SUBJECTS: LazyLock<Vec<MetaSubject>> = LazyLock::new(|| {
    let rows = include_str!("meta.txt").lines();
    rows.filter_map(MetaSubject::read).collect()
});

impl MetaSubject {
    fn read(row: &'static str) -> Option<Self> {
        let mut cells = row.split("; ");
        let (name, roles, labels) = (cells.next()?, cells.next()?, cells.next()?);
        let (families, names) = labels.split(' ').partition(|label| label.ends_with('_'));
        Some(Self {
            name,
            roles: roles.split(' ').map(Role::parse).collect(),
            names,
            families,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(&name) || self.families.iter().any(|family| name.starts_with(family))
    }

    fn is_of(&self, role: Role) -> bool {
        role == Role::Other || self.roles.contains(&role)
    }
}

/// Checks the labels of the discovery that the rules of a list read.
pub(super) fn check(list: &RuleList<'_>, sink: &mut Sink) {
    if list.stage != Stage::Target {
        return;
    }
    for (index, step) in list.steps.iter().enumerate() {
        for (number, name) in step.sources().iter().enumerate() {
            let Some((why, help)) = fault(list.role, name) else {
                continue;
            };
            let at = list.field(index, "sourceLabels").index(number);
            let finding = Diagnostic::new(&ABSENT_LABEL, at, why).help(help);
            let is_sole = step.sources().len() == 1 && !is_set_before(list, index, name);
            sink.report(finding.helps(drops_everything(*step).filter(|_| is_sole)));
        }
        // The names that a pattern begins with.
        let literal = step
            .regex()
            .split(['(', '[', '.', '|', '\\', '*', '+', '?'])
            .next();
        let literal = literal.filter(|text| step.action == Action::LabelMap && text.ends_with('_'));
        let named = literal.and_then(|text| fault(list.role, &format!("{text}x")));
        if let Some((_, help)) = named.filter(|(_, help)| help.starts_with("did you mean")) {
            let text = literal.unwrap_or_default();
            let why = format!("no label of the targets begins with `{text}`");
            let help = help.replace("_x`", "_`");
            sink.report(Diagnostic::new(&ABSENT_LABEL, list.field(index, "regex"), why).help(help));
        }
    }
}

/// Checks the rules of jobs in Secrets, which no message quotes.
pub(super) fn of_secrets(model: &World<'_>, sink: &mut Sink) {
    for secret in ScrapingServer::all(model).filter_map(ScrapingServer::secret_jobs) {
        for (index, job) in secret.jobs.iter().filter(|(_, job)| reads_strange(job)) {
            let who = secret.name(*index, job);
            let message = format!(
                "a rule of {who} reads a label of the discovery that its targets do not have"
            );
            let help = "labels of Services are those of role endpoints or service, labels of pods those of role pod or endpoints; labels of nodes need `attach_metadata`";
            sink.report(
                Diagnostic::new(&ABSENT_LABEL, secret.reference.clone(), message).help(help),
            );
        }
    }
}

/// Returns whether the rules of a job read a label that its targets never have.
fn reads_strange(job: &Job) -> bool {
    let is_other = |section: DiscoverySection<'_>| section.source == DiscoverySource::Other;
    let mut discoveries = job.kubernetes();
    let (Some(discovery), None, false) = (
        discoveries.next(),
        discoveries.next(),
        job.discoveries().any(is_other),
    ) else {
        return false;
    };
    let Some(role) = discovery.role().map(Role::parse) else {
        return false;
    };
    let labels = job
        .rules()
        .iter()
        .filter_map(|rule| rule.get("source_labels")?.as_seq())
        .flatten();
    let mut own = labels.filter_map(|label| label.as_str()?.strip_prefix(PREFIX));
    own.any(|own| {
        let mut subjects = SUBJECTS
            .iter()
            .filter(|subject| subject.has(own))
            .peekable();
        let is_strange = subjects.peek().is_some() && !subjects.any(|subject| subject.is_of(role));
        is_strange || discovered::lacks(job, own)
    })
}

/// Returns whether an earlier rule of a list may set a label.
pub(super) fn is_set_before(list: &RuleList<'_>, index: usize, name: &str) -> bool {
    list.steps
        .iter()
        .take(index)
        .any(|step| step.may_write(name))
}

/// The help for a rule that keeps nothing if what it reads is missing.
pub(super) fn drops_everything(step: ListedRule<'_>) -> Option<&'static str> {
    (step.action == Action::Keep && !step.matches_everything()).then_some(DROPS_EVERYTHING)
}

/// Why a target has no such label, and what to read instead.
/// The name with the beginning that is meant, of one that begins almost so: `pod_label_app` of `pod_labels_app`.
fn family<'f>(own: &str, mut families: impl Iterator<Item = &'f str>) -> Option<String> {
    families.find_map(|known| {
        let stem = known.strip_suffix('_')?;
        let n_words = stem.split('_').count();
        let (end, _) = own.match_indices('_').nth(n_words - 1)?;
        let (head, rest) = (&own[..end], &own[end + 1..]);
        let is_near = head.strip_suffix('s') == Some(stem) || suggest::is_slip(head, stem);
        (head != stem && is_near).then(|| format!("{known}{rest}"))
    })
}

fn fault(role: Role, name: &str) -> Option<(String, String)> {
    let known = name.strip_prefix("__meta_")?;
    if known.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let why = format!(
            "no target has a label `{name}`: Prometheus writes `_` for characters that label names cannot have"
        );
        return Some((why, format!("read `{}`", sanitize(name))));
    }
    let own = name.strip_prefix(PREFIX)?;
    if role == Role::Other
        || SUBJECTS
            .iter()
            .any(|subject| subject.is_of(role) && subject.has(own))
    {
        return None;
    }
    if role == Role::Absent {
        let why = format!("targets have no label `{name}`: no discovery of Kubernetes finds them");
        return Some((
            why,
            "read a label of the discovery that finds them, or `__address__`".to_owned(),
        ));
    }
    let role_name = role.name();
    if let Some(subject) = SUBJECTS.iter().find(|subject| subject.has(own)) {
        let why = format!(
            "targets of role {role_name} have no label `{name}`: it is one of {}",
            subject.name
        );
        return Some((why, format!("read a label of {}", role.subject())));
    }
    let names = || {
        SUBJECTS
            .iter()
            .filter(|subject| subject.is_of(role))
            .flat_map(|subject| subject.names.iter().copied())
    };
    let plain = |text: &str| text.replace('_', "");
    let is_part = |known: &&str| own.starts_with(*known) && own.len() < 2 * known.len();
    let families = SUBJECTS.iter().filter(|subject| subject.is_of(role));
    let families = families.flat_map(|subject| subject.families.iter().copied());
    let alike = || {
        names()
            .find(|known| plain(known) == plain(own))
            .or_else(|| names().find(is_part))
            .or_else(|| suggest::closest(own, names()))
    };
    let near = family(own, families).or_else(|| alike().map(str::to_owned))?;
    let why =
        format!("targets of role {role_name} have no label `{name}`: there is none of that name");
    Some((why, format!("did you mean `{PREFIX}{near}`?")))
}
