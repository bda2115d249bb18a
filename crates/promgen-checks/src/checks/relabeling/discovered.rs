//! Labels of the discovery that its settings leave out: those of the other role for Services, and those of what is not attached.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::checks::relabeling::absent::ABSENT_LABEL;
use crate::checks::relabeling::list::{ListedRule, RuleList, Stage};
use crate::checks::relabeling::meta::{self, PREFIX};
use promgen_compile::output::Job;
use promgen_compile::output::job::{DiscoverySource, KubernetesDiscovery};
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::scraping::needs::{JobOrigin, ScrapingServer};
use promgen_prometheus::relabel::Action;
use promgen_resources::api::Kind;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::route::{DocId, Segment};

/// Labels that a discovery sets only with a role, or with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelFamily {
    /// Of the role endpoints.
    Endpoints,
    /// Of the role endpointslice.
    Slices,
    /// Of the node of a target.
    Node,
    /// Of its namespace, beside the name.
    Namespace,
}

impl LabelFamily {
    fn of(own: &str) -> Option<Self> {
        let begins = |texts: &[&str]| texts.iter().any(|text| own.starts_with(text));
        match () {
            () if begins(&["endpointslice_"]) => Some(Self::Slices),
            () if begins(&["endpoints_", "endpoint_"]) => Some(Self::Endpoints),
            () if begins(&["node_"]) => Some(Self::Node),
            () if begins(&["namespace_label", "namespace_annotation"]) => Some(Self::Namespace),
            () => None,
        }
    }

    /// The role of which the labels are the same in other words.
    const fn twin(self) -> Option<Self> {
        match self {
            Self::Endpoints => Some(Self::Slices),
            Self::Slices => Some(Self::Endpoints),
            Self::Node | Self::Namespace => None,
        }
    }

    /// Returns whether a discovery leaves these labels out, as the user may not know.
    fn lacks(self, discovery: KubernetesDiscovery<'_>) -> bool {
        let role = discovery.role();
        let is_of_pods = matches!(role, Some("pod" | "endpoints" | "endpointslice"));
        match self {
            Self::Endpoints => role == Some("endpointslice"),
            Self::Slices => role == Some("endpoints"),
            Self::Node => is_of_pods && !discovery.attaches("node"),
            Self::Namespace => {
                (is_of_pods || matches!(role, Some("service" | "ingress")))
                    && !discovery.attaches("namespace")
            }
        }
    }
}

/// Returns whether no discovery of a job sets a label, though another role or setting does.
pub(super) fn lacks(job: &Job, own: &str) -> bool {
    LabelFamily::of(own).is_some_and(|family| misses(job, family))
}

fn misses(job: &Job, family: LabelFamily) -> bool {
    let is_other = |source: DiscoverySource| source != DiscoverySource::Kubernetes;
    let mut kubernetes = job.kubernetes().peekable();
    kubernetes.peek().is_some()
        && kubernetes.all(|discovery| family.lacks(discovery))
        && !job.discoveries().any(|section| is_other(section.source))
}

/// The jobs that take a list of rules: by the document and the number of the endpoint or the scrape class.
type JobsOfLists<'v> = BTreeMap<(DocId, usize), Vec<&'v Job>>;

/// The jobs of all workloads, once somebody asks.
pub(super) struct DiscoveringJobs<'v> {
    world: &'v World<'v>,
    jobs: OnceCell<JobsOfLists<'v>>,
}

impl<'v> DiscoveringJobs<'v> {
    pub(super) const fn new(world: &'v World<'v>) -> Self {
        Self {
            world,
            jobs: OnceCell::new(),
        }
    }

    fn of(&self, list: &RuleList<'_>) -> &[&'v Job] {
        let jobs = self.jobs.get_or_init(|| of_lists(self.world));
        let mut numbers = list.at.route.0.iter().filter_map(|segment| match segment {
            Segment::Index(index) => Some(*index),
            Segment::Key(_) => None,
        });
        let key = (list.at.doc, numbers.next().unwrap_or_default());
        jobs.get(&key).map(Vec::as_slice).unwrap_or_default()
    }
}

fn of_lists<'v>(world: &'v World<'v>) -> JobsOfLists<'v> {
    let cluster = world.cluster();
    let mut jobs = JobsOfLists::new();
    for server in ScrapingServer::all(world) {
        let classes = server
            .own
            .common
            .scrape_classes
            .as_deref()
            .unwrap_or_default();
        for job in server.jobs() {
            let Some(origin) = JobOrigin::of(job) else {
                continue;
            };
            let doc = origin.doc(cluster);
            jobs.entry((doc.unwrap_or_default(), origin.endpoint))
                .or_default()
                .push(job);
            let class = match origin.kind {
                Kind::Probe => cluster
                    .probes
                    .get(origin.key)
                    .and_then(|probe| probe.value.spec.scrape_class.as_deref()),
                Kind::ScrapeConfig => {
                    let config = cluster.scrape_configs.get(origin.key);
                    config.and_then(|config| config.value.spec.scrape_class.as_deref())
                }
                kind => Monitor::find(cluster, kind, origin.key).and_then(Monitor::class),
            };
            let its = classes.iter().position(|own| match class {
                Some(class) => own.name == class,
                None => own.default == Some(true),
            });
            if let Some(its) = its {
                jobs.entry((server.own.doc, its)).or_default().push(job);
            }
        }
    }
    jobs
}

/// The labels of the discovery that a rule reads, behind their prefix, each with its number among the sources. A `labelmap` reads
/// those of which its pattern has the beginning.
fn read<'a>(step: &ListedRule<'a>) -> Vec<(Option<usize>, &'a str)> {
    if step.action == Action::LabelMap {
        let pattern = step.regex();
        let begin = pattern.trim_start_matches(['^', '(']).strip_prefix(PREFIX);
        return begin
            .filter(|_| !pattern.contains('|'))
            .map(|own| (None, own))
            .into_iter()
            .collect();
    }
    let sources = step.sources().iter().enumerate();
    sources
        .filter_map(|(number, name)| Some((Some(number), name.strip_prefix(PREFIX)?)))
        .collect()
}

/// Checks the labels of the discovery that the rules of a list read.
pub(super) fn check(list: &RuleList<'_>, jobs: &DiscoveringJobs<'_>, sink: &mut Sink) {
    if list.stage != Stage::Target {
        return;
    }
    for (index, step) in list.steps.iter().enumerate() {
        for (number, own) in read(step) {
            let name = format!("{PREFIX}{own}");
            let Some(family) = LabelFamily::of(own) else {
                continue;
            };
            let is_made_for_both = |twin: LabelFamily| {
                let mut all = list.steps.iter().flat_map(read);
                all.any(|(_, other)| LabelFamily::of(other) == Some(twin))
            };
            let others = step.sources().iter().any(|source| !source.ends_with(own));
            let is_fallback = family.twin().is_none() && others && step.separator().is_empty();
            let jobs = jobs.of(list);
            if jobs.is_empty()
                || !jobs.iter().all(|job| misses(job, family))
                || family.twin().is_some_and(is_made_for_both)
                || is_fallback
                || meta::is_set_before(list, index, &name)
            {
                continue;
            }
            let at = match number {
                Some(number) => list.field(index, "sourceLabels").index(number),
                None => list.field(index, "regex"),
            };
            let (why, help) = words(family, own, number.is_none());
            let drops = meta::drops_everything(*step).filter(|_| !others);
            sink.report(
                Diagnostic::new(&ABSENT_LABEL, at, why)
                    .help(help)
                    .helps(drops),
            );
        }
    }
}

fn words(family: LabelFamily, own: &str, is_pattern: bool) -> (String, String) {
    let label = match is_pattern {
        true => format!(
            "labels that begin with `{PREFIX}{}`",
            own.split(['(', '.', '[']).next().unwrap_or_default()
        ),
        false => format!("label `{PREFIX}{own}`"),
    };
    let of_role = |role: &str, other: &str| {
        let twin = twin(family, own).filter(|_| !is_pattern);
        let help = match twin {
            Some(twin) => format!("read `{PREFIX}{twin}`"),
            None => format!("read the label of the role {role} that says the same"),
        };
        (
            format!("targets of role {role} have no {label}: it is one of the role {other}"),
            help,
        )
    };
    match family {
        LabelFamily::Endpoints => of_role("endpointslice", "endpoints"),
        LabelFamily::Slices => of_role("endpoints", "endpointslice"),
        LabelFamily::Node => (
            format!("targets have no {label} here: `attachMetadata.node` is not set"),
            "set `attachMetadata: {node: true}` of the monitor, its scrape class or the entry of the ScrapeConfig".to_owned(),
        ),
        LabelFamily::Namespace => (
            format!("targets have no {label} here: the metadata of their namespace is not attached"),
            "read a label of the Service or the pod: the operator attaches metadata of nodes alone".to_owned(),
        ),
    }
}

/// The labels of endpoints with those of EndpointSlices that say the same.
const TWINS: &[(&str, &str)] = &[
    (
        "endpoint_address_target_kind",
        "endpointslice_address_target_kind",
    ),
    (
        "endpoint_address_target_name",
        "endpointslice_address_target_name",
    ),
    ("endpoint_hostname", "endpointslice_endpoint_hostname"),
    ("endpoint_node_name", "endpointslice_endpoint_node_name"),
    ("endpoint_port_name", "endpointslice_port_name"),
    ("endpoint_port_protocol", "endpointslice_port_protocol"),
    ("endpoint_ready", "endpointslice_endpoint_conditions_ready"),
    ("endpoints_name", "service_name"),
];

fn twin(family: LabelFamily, own: &str) -> Option<&'static str> {
    TWINS
        .iter()
        .find_map(|(of_endpoints, of_slices)| match family {
            LabelFamily::Endpoints => (*of_endpoints == own).then_some(*of_slices),
            _ => (*of_slices == own).then_some(*of_endpoints),
        })
}
