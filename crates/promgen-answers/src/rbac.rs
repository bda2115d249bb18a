//! The Roles and bindings that a configuration needs, and no more.
//!
//! In: a compiled model. Out: a Role for each namespace, and a ClusterRole for what is asked of the whole cluster, with their
//! bindings, as values to print. What one rule grants no other rule grants again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use promgen_compile::access::{
    AccessVerdict, CLUSTER, Need, NeededObject, RBAC_GROUP, ServiceAccount,
};
use promgen_compile::output::{Job, Output, OutputObject, Part, WorkloadId};
use promgen_model::Model;
use promgen_model::model::World;
use promgen_model::model::access::Authority;
use promgen_model::scraping::needs::{JobOrigin, Requests, ScrapingServer};
use promgen_text::yaml::{Map, Value};

mod operator;

/// The question to the permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RbacQuestion {
    /// All that is needed.
    Needed,
    /// The permissions that the input does not grant.
    Missing,
}

/// Roles and bindings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Permissions {
    /// The objects, in the order in which they are printed.
    pub objects: Vec<Value>,
    /// For each of them, the first workload of its account.
    pub owners: Vec<Option<WorkloadId>>,
    /// The gaps in what is known of the permissions in the input, one sentence for each account.
    pub unknown: Vec<String>,
}

/// An account, and what it needs.
struct Claim<'a> {
    authority: Authority<'a>,
    /// The name of its Roles.
    name: String,
    /// Their purpose, as their labels say.
    component: &'static str,
    /// The first workload of the account.
    owner: Option<WorkloadId>,
    needs: BTreeSet<Need>,
}

/// The permissions of the service accounts of workloads that scrape.
#[must_use]
pub fn of_workloads(
    model: &Model,
    is_asked: &dyn Fn(&WorkloadId) -> bool,
    asked: RbacQuestion,
) -> Permissions {
    model.view(&[], |view| {
        let mut claims: BTreeMap<ServiceAccount, Claim<'_>> = BTreeMap::new();
        let mut hidden = Vec::new();
        for scraper in ScrapingServer::all(view).filter(|scraper| is_asked(&scraper.workload.id)) {
            let needs = scraper.all_needs();
            let claim = claims.entry(scraper.account()).or_insert_with(|| Claim {
                authority: scraper.authority(),
                name: name_of(scraper),
                component: "prometheus",
                owner: Some(scraper.workload.id.clone()),
                needs: BTreeSet::new(),
            });
            claim.needs.extend(needs);
            hidden.extend(hidden_needs(scraper));
        }
        let mut permissions = written(view, claims.into_values().collect(), asked);
        permissions.unknown.extend(hidden);
        permissions
    })
}

/// The output of a model, with the permissions of each workload among its objects.
#[must_use]
pub fn into_output(model: Model) -> Output {
    let Permissions {
        objects, owners, ..
    } = of_workloads(&model, &|_| true, RbacQuestion::Needed);
    let mut output = model.into_output();
    for (value, owner) in objects.into_iter().zip(owners) {
        let found = output
            .workloads
            .iter_mut()
            .find(|workload| Some(&workload.id) == owner.as_ref());
        let Some(workload) = found.map(Arc::make_mut) else {
            continue;
        };
        let text =
            |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = text(value.get("kind")).to_lowercase();
        let is_plain = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let file = match text(
            value
                .get("metadata")
                .and_then(|metadata| metadata.get("namespace")),
        ) {
            namespace if namespace.is_empty() => kind,
            namespace if is_plain(&namespace) => format!("{kind}-{namespace}"),
            // No namespace has such a name.
            _ => continue,
        };
        workload.objects.push(OutputObject {
            part: Part::Rbac,
            file,
            body: value.into(),
            payload: None,
        });
    }
    output
}

/// The permissions of the operator in the input, for its flags. `None` if the input has no operator.
#[must_use]
pub fn of_operator(model: &Model, asked: RbacQuestion) -> Option<Permissions> {
    model.view(&[], |view| {
        let operator = view.access().operator.as_ref()?;
        let claim = Claim {
            authority: view.access().authority(operator.account.clone(), None),
            name: operator.account.name.clone(),
            component: "controller",
            owner: None,
            needs: operator::needs(view),
        };
        Some(written(view, vec![claim], asked))
    })
}

/// Why nobody knows what jobs need that the user brings: they are in a Secret.
fn hidden_needs(scraper: ScrapingServer<'_>) -> Option<String> {
    let asks = |job: &Job| JobOrigin::of(job).is_none() && job.kubernetes().next().is_some();
    let is_hidden = !scraper.model.options().reveal_secrets && scraper.jobs().iter().any(asks);
    let why = "what the jobs of `additionalScrapeConfigs` need, which are in a Secret: --reveal-secrets reads them";
    is_hidden.then(|| format!("{}: {why}", scraper.what()))
}

/// The name of the Roles of a workload: that of its account, unless it is the one of all pods.
fn name_of(scraper: ScrapingServer<'_>) -> String {
    let account = scraper.account();
    match account.name.as_str() {
        promgen_model::model::access::DEFAULT_ACCOUNT => {
            format!("prometheus-{}", scraper.workload.id.name)
        }
        name => name.to_owned(),
    }
}

fn written(view: &World<'_>, mut claims: Vec<Claim<'_>>, asked: RbacQuestion) -> Permissions {
    rename(&mut claims);
    let mut permissions = Permissions::default();
    for claim in claims {
        let requests = least(claim.requests(asked, &mut permissions.unknown));
        let mut by_namespace: BTreeMap<&str, Vec<(&Need, Vec<&'static str>)>> = BTreeMap::new();
        for (need, verbs) in &requests {
            by_namespace
                .entry(need.namespace())
                .or_default()
                .push((need, verbs.clone()));
        }
        for (namespace, granted) in by_namespace {
            let is_taken = |name: &str| {
                asked == RbacQuestion::Missing && view.access().has_role(namespace, name)
            };
            let suffixes = ["", "-discovery"]
                .into_iter()
                .map(str::to_owned)
                .chain((2..).map(|n| format!("-discovery-{n}")));
            let mut names = suffixes.map(|suffix| format!("{}{suffix}", claim.name));
            let name = names.find(|name| !is_taken(name)).unwrap_or_default();
            permissions
                .objects
                .extend(objects(&claim, &name, namespace, &granted));
            permissions
                .owners
                .extend([claim.owner.clone(), claim.owner.clone()]);
        }
    }
    permissions
}

/// Accounts of one name in several namespaces have Roles of several names.
fn rename(claims: &mut [Claim<'_>]) {
    let mut n_of: BTreeMap<String, usize> = BTreeMap::new();
    for claim in claims.iter() {
        *n_of.entry(claim.name.clone()).or_default() += 1;
    }
    for claim in claims
        .iter_mut()
        .filter(|claim| n_of.get(&claim.name).is_some_and(|n| *n > 1))
    {
        claim.name = format!("{}-{}", claim.name, claim.authority.account.namespace);
    }
}

impl Claim<'_> {
    /// The requests among its needs.
    fn requests(&self, asked: RbacQuestion, unknown: &mut Vec<String>) -> Requests {
        let needs: Vec<Need> = self.needs.iter().cloned().collect();
        let mut requests = Requests::of(&needs);
        if asked == RbacQuestion::Needed {
            return requests;
        }
        let mut why_unknown = None;
        requests
            .0
            .retain(|(need, verb)| match self.authority.may(verb, need) {
                AccessVerdict::Denied => true,
                AccessVerdict::Granted(_) => false,
                AccessVerdict::Unknown(why) => {
                    why_unknown.get_or_insert(why);
                    false
                }
            });
        unknown.extend(
            why_unknown.map(|why| format!("service account {}: {why}", self.authority.account)),
        );
        requests
    }
}

/// The requests by need, without those that another one covers.
fn least(requests: Requests) -> BTreeMap<Need, Vec<&'static str>> {
    let mut by_need: BTreeMap<Need, Vec<&'static str>> = BTreeMap::new();
    for (need, verb) in requests.0 {
        by_need.entry(need).or_default().push(verb);
    }
    let broader = |need: &Need| -> Vec<Need> {
        let Need::Resource {
            namespace,
            group,
            resource,
            object,
            verbs,
        } = need
        else {
            return Vec::new();
        };
        let with = |namespace: &str, object: NeededObject| Need::Resource {
            namespace: namespace.to_owned(),
            group,
            resource,
            object,
            verbs,
        };
        let all = [
            with(CLUSTER, NeededObject::All),
            with(CLUSTER, object.clone()),
            with(namespace, NeededObject::All),
        ];
        all.into_iter().filter(|other| other != need).collect()
    };
    let all = by_need.clone();
    by_need.retain(|need, verbs| {
        let covered = |verb: &str| {
            broader(need)
                .iter()
                .any(|other| all.get(other).is_some_and(|v| v.contains(&verb)))
        };
        verbs.retain(|verb| !covered(verb));
        !verbs.is_empty()
    });
    by_need
}

/// A role with its binding.
fn objects(
    claim: &Claim<'_>,
    name: &str,
    namespace: &str,
    granted: &[(&Need, Vec<&'static str>)],
) -> [Value; 2] {
    let (role, binding) = match namespace {
        CLUSTER => ("ClusterRole", "ClusterRoleBinding"),
        _ => ("Role", "RoleBinding"),
    };
    let head = |kind: &'static str| {
        let labels = Map::new()
            .with("app.kubernetes.io/component", claim.component)
            .with("app.kubernetes.io/name", text(&claim.name));
        let mut metadata = Map::new().with("labels", labels).with("name", text(name));
        if namespace != CLUSTER {
            metadata.push("namespace", text(namespace));
        }
        Map::new()
            .with("apiVersion", text(&format!("{RBAC_GROUP}/v1")))
            .with("kind", kind)
            .with("metadata", metadata)
    };
    let account = &claim.authority.account;
    let subject = Map::new()
        .with("kind", "ServiceAccount")
        .with("name", text(&account.name))
        .with("namespace", text(&account.namespace));
    let reference = Map::new()
        .with("apiGroup", RBAC_GROUP)
        .with("kind", role)
        .with("name", text(name));
    let bound = head(binding)
        .with("roleRef", reference)
        .with("subjects", vec![subject]);
    [
        head(role).with("rules", rules(granted)).into(),
        bound.into(),
    ]
}

/// The rules: resources of one group that are granted alike stand together.
fn rules(granted: &[(&Need, Vec<&'static str>)]) -> Vec<Map> {
    type Alike<'n> = (Option<&'n str>, Vec<&'static str>, Option<&'n str>);
    let mut alike: BTreeMap<Alike<'_>, Vec<&str>> = BTreeMap::new();
    for (need, verbs) in granted {
        let (key, what) = match need {
            Need::Resource {
                group,
                resource,
                object,
                ..
            } => {
                let name = match object {
                    NeededObject::Named(name) => Some(name.as_str()),
                    NeededObject::All | NeededObject::Each => None,
                };
                ((Some(*group), verbs.clone(), name), *resource)
            }
            Need::Url(path) => ((None, verbs.clone(), None), path.as_str()),
        };
        alike.entry(key).or_default().push(what);
    }
    let list = |items: &[&str]| Value::Seq(items.iter().map(|item| text(item)).collect());
    let rule = |((group, verbs, name), what): (Alike<'_>, Vec<&str>)| {
        let mut rule = match group {
            Some(group) => Map::new().with("apiGroups", list(&[group])),
            None => Map::new().with("nonResourceURLs", list(&what)),
        };
        if let Some(name) = name {
            rule.push("resourceNames", list(&[name]));
        }
        if group.is_some() {
            rule.push("resources", list(&what));
        }
        rule.with("verbs", list(&verbs))
    };
    alike.into_iter().map(rule).collect()
}

fn text(text: &str) -> Value {
    text.to_owned().into()
}
