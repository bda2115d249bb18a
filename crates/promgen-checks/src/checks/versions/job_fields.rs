//! Fields of jobs in a Secret that the version of Prometheus does not know.

use promgen_compile::workload;
use promgen_model::model::World;
use promgen_model::model::secret_jobs::SecretJobs;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_repository::charts::rules::UNKNOWN_SCRAPE_FIELD;
use promgen_resources::document;
use promgen_resources::release::job_fields::{JobFields, UnknownJobField};
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::version::Version;

/// The number of those that are reported of a Secret.
const MAX_FOUND: usize = 20;

/// Checks the jobs that servers and agents take from a Secret.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let mut fields = None;
    for scraper in ScrapingServer::all(model) {
        let Some(secret) = scraper.secret_jobs() else {
            continue;
        };
        let document = document::find(model.documents(), secret.key.doc);
        let is_open = document.is_none_or(|document| model.unknowns().is_about(&document.node));
        // The values of a chart say their slips themselves, at their place.
        let is_of_values = document.is_some_and(|document| document.origin.is_clear());
        let versions = workload::versions(
            &model.options().target,
            scraper.own.common,
            scraper.own.server,
        )
        .ok();
        let version = versions
            .as_ref()
            .map(|versions| &versions.prometheus)
            .filter(|_| !is_open);
        let fields = fields.get_or_insert_with(JobFields::of_table);
        let unknown = secret
            .root
            .items()
            .iter()
            .flat_map(|job| fields.unknown(job, version))
            .filter(|found| !is_of_values || found.meant.is_none() && found.home.is_none());
        unknown
            .take(MAX_FOUND)
            .for_each(|found| sink.report(finding(&found, secret, version)));
    }
}

/// A finding about a field. One that is nearly none of Prometheus may be a secret at the wrong place, and is not repeated.
fn finding(
    found: &UnknownJobField<'_>,
    secret: &SecretJobs,
    version: Option<&Version>,
) -> Diagnostic {
    let is_public = found.meant.is_some() || found.home.is_some() || found.since.is_some();
    let field = if is_public {
        format!("the field `{}`, which", found.entry.key)
    } else {
        "a field that".to_owned()
    };
    let prometheus = version
        .filter(|_| found.is_proven)
        .map_or_else(String::new, |version| format!(" {version}"));
    let (part, of, line) = (&found.of, &secret.secret, secret.line(found.entry.key_span));
    let message = format!(
        "{part} in {of} has {field} Prometheus{prometheus} does not know, in line {line} of its text"
    );
    let level = if found.is_proven {
        Level::Error
    } else {
        Level::Warning
    };
    let diagnostic =
        Diagnostic::new(&UNKNOWN_SCRAPE_FIELD, secret.reference.clone(), message).level(level);
    if let Some(home) = &found.home {
        return diagnostic.help(home.clone());
    }
    match (found.meant, found.since) {
        (Some(meant), _) => diagnostic.help(format!("did you mean `{meant}`?")),
        (None, Some(since)) => diagnostic.help(format!(
            "Prometheus {} has it",
            since.trim_start_matches('v')
        )),
        (None, None) => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    /// The findings about a job in a Secret.
    fn of(job: &str, version: &str) -> Vec<String> {
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: add, namespace: mon}}\nstringData: {{jobs: '[{job}]'}}\n"
        );
        let server = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: mon}}\nspec: {{version: {version}, additionalScrapeConfigs: {{name: add, key: jobs}}}}\n"
        );
        found(&["PG815"], &format!("{secret}---\n{server}"))
    }

    #[test]
    fn a_field_that_prometheus_lacks_is_an_error_and_only_public_names_are_shown() {
        assert_eq!(of("{job_name: a, http_headers: {}}", "v3.12.0"), [""; 0]);
        let later = of("{job_name: a, oci_sd_configs: []}", "v3.12.0");
        assert!(
            later[0].contains("error") && later[0].contains("the field `oci_sd_configs`"),
            "{later:?}"
        );
        assert!(
            later[0].ends_with("| Prometheus 3.14.0 has it"),
            "{later:?}"
        );
        let strange = of("{job_name: a, hunter2: 1}", "v3.12.0");
        assert!(
            strange[0].contains("error") && !strange[0].contains("hunter2"),
            "{strange:?}"
        );
    }

    #[test]
    fn a_slip_in_values_is_told_there_alone() {
        let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kps, namespace: mon}\nspec:\n  \
             chart: {spec: {chart: kube-prometheus-stack, version: 75.18.1, sourceRef: {kind: HelmRepository, name: pc}}}\n  \
             values:\n    prometheus: {prometheusSpec: {additionalScrapeConfigs: [{job_name: a, static_config: []}]}}\n";
        let slips = found(&["PG815"], release);
        assert!(
            slips.len() == 1 && slips[0].ends_with("did you mean static_configs?"),
            "{slips:?}"
        );
    }

    #[test]
    fn of_a_version_that_nobody_knows_only_slips_are_found() {
        assert_eq!(of("{job_name: a, brand_new: 1}", "v3.20.0"), [""; 0]);
        let slip = of("{job_name: a, scrape_intervall: 1s}", "v3.20.0");
        assert!(
            slip[0].contains("warning") && slip[0].ends_with("| did you mean `scrape_interval`?"),
            "{slip:?}"
        );
    }
}
