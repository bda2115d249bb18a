//! The jobs that servers and agents take from a Secret: `additionalScrapeConfigs`. What is said of such a job does not quote it,
//! but for a name that everybody knows.

use crate::model::senders::in_secret;
use crate::servers::ServerSpec;
use std::collections::BTreeMap;

use promgen_compile::cluster::Cluster;
use promgen_compile::output::Job;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::secrecy;
use promgen_text::CollectOrdered;
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;
use promgen_text::yaml::{Node, Value};

/// The jobs in a key of a Secret.
#[derive(Debug)]
pub struct SecretJobs {
    /// The field of the workload that refers to them.
    pub reference: At,
    /// The key of the Secret.
    pub key: At,
    /// Its items as they are written: a job for each.
    pub root: Node,
    /// The jobs, each with its number among the items.
    pub jobs: Vec<(usize, Job)>,
    /// `Secret monitoring/additional`
    pub secret: String,
    text: String,
}

impl SecretJobs {
    /// Those in the input, by the document of the workload. A Secret that is not there, or holds no list, has none.
    pub(crate) fn all(cluster: &Cluster) -> BTreeMap<DocId, Self> {
        let read = |server: ServerSpec<'_>| {
            let selector = server.common.additional_scrape_configs.as_ref()?;
            let found = Self::read(cluster, server, "additionalScrapeConfigs", selector)?;
            Some((server.doc, found))
        };
        ServerSpec::all(cluster).filter_map(read).collect_map()
    }

    /// The list in the Secret that a field of a server refers to. Its items are read as jobs, whatever they are.
    pub fn read(
        cluster: &Cluster,
        server: ServerSpec<'_>,
        field: &'static str,
        selector: &SecretKeySelector,
    ) -> Option<Self> {
        let namespace = server.key.namespace();
        let secret = cluster
            .secrets
            .get(format!("{namespace}/{}", selector.name).as_str())?;
        let (text, root) = in_secret(cluster, namespace, selector)?;
        let Value::Seq(items) = root.to_value() else {
            return None;
        };
        let job = |(index, item)| match item {
            Value::Map(section) => Some((index, Job::new(section, None))),
            _ => None,
        };
        let is_text = secret
            .value
            .string_data
            .as_ref()
            .is_some_and(|data| data.contains_key(selector.key.as_str()));
        Some(Self {
            reference: server.spec().key(field),
            key: At::doc(secret.doc)
                .key(if is_text { "stringData" } else { "data" })
                .key(selector.key.clone()),
            jobs: items.into_iter().enumerate().filter_map(job).collect(),
            secret: format!("Secret {namespace}/{}", selector.name),
            root,
            text,
        })
    }

    /// Returns whether all items are jobs.
    pub(crate) fn is_whole(&self) -> bool {
        self.jobs.len() == self.root.items().len()
    }

    /// The name of a job in a finding, by its number: its own name only if everybody knows that.
    pub fn name(&self, index: usize, job: &Job) -> String {
        let name = job
            .written_name()
            .filter(|name| secrecy::is_published_job(name));
        let which = name.map_or_else(|| (index + 1).to_string(), |name| format!("`{name}`"));
        format!("job {which} of {}", self.secret)
    }

    /// The line of its text in which a value of it begins, from 1.
    pub fn line(&self, span: Span) -> usize {
        1 + self.text.as_bytes()[..span.start as usize]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
    }
}
