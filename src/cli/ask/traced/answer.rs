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
        file?: String,
        /// The line, from 1.
        line?: usize,
        /// The column in characters, from 1.
        column?: usize,
        /// The resource.
        resource?: String,
        /// The field of the resource.
        field?: String,
    }

    /// What Prometheus makes of the labels of a target that is kept.
    #[derive(Default)]
    Scrape {
        /// The address that is scraped.
        url?: String,
        /// The labels of its series.
        labels?: Labels,
        /// Why Prometheus does not scrape it nonetheless.
        error?: String,
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
