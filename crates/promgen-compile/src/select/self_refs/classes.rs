//! Checks of scrape classes: their settings, and the certificates that they refer to.

use crate::context::WorkloadContext;
use crate::paths::SPEC;
use crate::select::admit::{Admission, Check, InField, Refusal, Refuse, http, relabelings, tls};
use promgen_resources::api::scraping::scrape::ScrapeClass;
use promgen_resources::http_config::{Auth, Tls};
use promgen_text::diag::Sink;
use promgen_text::route::Path;

/// Checks the scrape classes of a workload without looking at any Secret. Operator: `getScrapeClassConfig`, part of
/// `NewConfigGenerator`, which runs before anything of the configuration is read.
///
/// # Errors
/// The first setting that is wrong, in the operator's words.
pub(crate) fn scrape_classes(cx: &WorkloadContext<'_>, sink: &mut Sink) -> Result<(), Refusal> {
    let admission = Admission::new(cx, cx.doc, cx.namespace, sink);
    check(&admission, &SPEC.key("scrapeClasses")).within("failed to parse scrape classes")
}

fn check(cx: &Admission<'_>, list: &Path<'_>) -> Check {
    let mut has_default = false;
    for (index, class) in cx.cx.common.scrape_classes.iter().flatten().enumerate() {
        let path = list.index(index);
        class_valid(cx, &path, class)?;
        let is_default = class.default == Some(true);
        if is_default && has_default {
            return path
                .key("default")
                .refuse("multiple default scrape classes defined");
        }
        has_default |= is_default;
    }
    Ok(())
}

fn class_valid(cx: &Admission<'_>, path: &Path<'_>, class: &ScrapeClass) -> Check {
    let invalid = |what: &str| format!("invalid {what} for scrapeClass {}", class.name);
    let rules = class.relabelings.as_ref();
    relabelings(cx, &path.key("relabelings"), rules).within(&invalid("relabelings"))?;
    let rules = class.metric_relabelings.as_ref();
    relabelings(cx, &path.key("metricRelabelings"), rules)
        .within(&invalid("metric relabelings"))?;
    if let Some(settings) = &class.tls_config {
        let (path, settings, versions) =
            (path.key("tlsConfig"), Tls::from(settings), cx.cx.versions);
        let checked = tls::sources_valid(versions, &path, &settings)
            .and_then(|()| tls::valid(versions, &path, &settings));
        checked.within(&invalid("TLS config"))?;
    }
    match &class.authorization {
        Some(auth) => {
            let checked = http::authorization_valid(&path.key("authorization"), &Auth::from(auth));
            checked.within(&invalid("authorization"))
        }
        None => Ok(()),
    }
}

/// Reads the certificates of the classes. Operator: `AddScrapeClassesToStore`, which does not read the credentials of a
/// class.
pub(super) fn references(cx: &mut Admission<'_>, spec: &Path<'_>) -> Check {
    let list = spec.key("scrapeClasses");
    for (index, class) in cx.cx.common.scrape_classes.iter().flatten().enumerate() {
        let checked = tls::tls(
            cx,
            &list.index(index),
            class.tls_config.as_ref().map(Tls::from),
        );
        checked.within(&format!("scrape class \"{}\"", class.name))?;
    }
    Ok(())
}
