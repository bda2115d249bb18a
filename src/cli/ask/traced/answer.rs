//! What the answers of `which` and `trace` say alike.

use crate::cli::json::{Labels, answers};
use promgen_compile::output::{Job, RuleOrigin};
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::trace::scraped::scraped;
use promgen_text::source::Sources;

use super::TracedJob;

answers! {
    /// The origin of a rule.
    #[derive(Default)]
    Origin {
        /// The file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The column in characters, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<usize>,
        /// The resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        resource: Option<String>,
        /// The field of the resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        field: Option<String>,
    }

    /// What Prometheus makes of the labels of a target that is kept.
    #[derive(Default)]
    Scrape {
        /// The address that is scraped.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The labels of its series.
        #[serde(skip_serializing_if = "Option::is_none")]
        labels: Option<Labels>,
        /// Why Prometheus does not scrape it nonetheless.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }
}

impl Origin {
    /// The origin of a rule of a job, as far as it is known.
    pub(crate) fn of(origin: Option<&RuleOrigin>, job: &Job, sources: &Sources) -> Self {
        let span = origin.and_then(|origin| origin.span).or(job.origin);
        let start = span.map(|span| sources.start(span));
        Self {
            file: span.map(|span| sources.file(span.file).name.clone()),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            resource: origin.map(|origin| origin.resource.clone()),
            field: origin.map(|origin| origin.field.clone()),
        }
    }
}

impl Scrape {
    /// The scrape of a target of a job with these labels.
    pub(crate) fn of(kept: &LabelSet, subject: &TracedJob<'_>) -> Self {
        match scraped(kept, subject.job, subject.workload.prometheus.as_ref()) {
            Ok(scraped) => Self {
                url: Some(scraped.url),
                labels: Some(labels(&scraped.labels)),
                error: None,
            },
            Err(why) => Self {
                error: Some(why),
                ..Self::default()
            },
        }
    }
}

/// Labels, by name.
pub(crate) fn labels(labels: &LabelSet) -> Labels {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    labels.iter().map(owned).collect()
}
