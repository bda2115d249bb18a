//! Slips in the jobs of `additionalScrapeConfigs`, which Prometheus reads itself.
//!
//! Only what is almost a field of Prometheus is found: a version may have more fields than these. The jobs are secret as a
//! whole, but such a name is not.

use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_text::diag::Diagnostic;
use promgen_text::suggest::closest;
use promgen_text::yaml::Node;

use super::rules::UNKNOWN_SCRAPE_FIELD;

/// How many are reported.
const MAX_FOUND: usize = 20;

/// The fields of a job. Those of discoveries stand beside them.
const JOB: &[&str] = &[
    "always_scrape_classic_histograms",
    "authorization",
    "basic_auth",
    "bearer_token",
    "bearer_token_file",
    "body_size_limit",
    "convert_classic_histograms_to_nhcb",
    "enable_compression",
    "enable_http2",
    "extra_scrape_metrics",
    "fallback_scrape_protocol",
    "follow_redirects",
    "honor_labels",
    "honor_timestamps",
    "http_headers",
    "job_name",
    "keep_dropped_targets",
    "label_limit",
    "label_name_length_limit",
    "label_value_length_limit",
    "metric_name_escaping_scheme",
    "metric_name_validation_scheme",
    "metric_relabel_configs",
    "metrics_path",
    "native_histogram_bucket_limit",
    "native_histogram_min_bucket_factor",
    "no_proxy",
    "oauth2",
    "params",
    "proxy_connect_header",
    "proxy_from_environment",
    "proxy_url",
    "relabel_configs",
    "sample_limit",
    "scheme",
    "scrape_classic_histograms",
    "scrape_failure_log_file",
    "scrape_interval",
    "scrape_native_histograms",
    "scrape_protocols",
    "scrape_timeout",
    "static_configs",
    "target_limit",
    "tls_config",
    "track_timestamps_staleness",
];

/// The discoveries that ScrapeConfigs lack.
const OTHER_DISCOVERIES: [&str; 8] = [
    "aws_sd_configs",
    "marathon_sd_configs",
    "nerve_sd_configs",
    "serverset_sd_configs",
    "stackit_sd_configs",
    "triton_sd_configs",
    "uyuni_sd_configs",
    "vultr_sd_configs",
];

/// The fields of a job and all discoveries.
fn fields_of_job() -> Vec<String> {
    let sections = ScrapeConfigSpec::discoveries().into_iter().map(ScrapeConfigSpec::section);
    let mut discoveries: Vec<String> = sections.chain(OTHER_DISCOVERIES.map(str::to_owned)).collect();
    discoveries.sort_unstable();
    JOB.iter().map(|field| (*field).to_owned()).chain(discoveries).collect()
}

/// The parts of a job, each with its fields.
const PARTS: [(&str, &[&str]); 6] = [
    ("relabel_configs", RULE),
    ("metric_relabel_configs", RULE),
    ("static_configs", &["targets", "labels"]),
    (
        "tls_config",
        &[
            "ca",
            "ca_file",
            "ca_ref",
            "cert",
            "cert_file",
            "cert_ref",
            "insecure_skip_verify",
            "key",
            "key_file",
            "key_ref",
            "max_version",
            "min_version",
            "server_name",
        ],
    ),
    ("basic_auth", &["password", "password_file", "password_ref", "username", "username_file", "username_ref"]),
    ("authorization", &["credentials", "credentials_file", "credentials_ref", "type"]),
];

/// The fields of a relabel rule.
const RULE: &[&str] = &["action", "modulus", "regex", "replacement", "separator", "source_labels", "target_label"];

/// Reports the fields of jobs that Prometheus does not know.
pub(super) fn report(values: &Node, found: &mut Vec<Diagnostic>) {
    let jobs = values.find(&["prometheus", "prometheusSpec", "additionalScrapeConfigs"]);
    let n_before = found.len();
    let known = fields_of_job();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for job in jobs.map_or(&[][..], Node::items) {
        check(job, &known, "a job", found);
        for (part, fields) in PARTS {
            let Some(part_of_job) = job.get(part) else { continue };
            let what = format!("{part} of a job");
            check(part_of_job, fields, &what, found);
            part_of_job.items().iter().for_each(|item| check(item, fields, &what, found));
        }
    }
    found.truncate(n_before + MAX_FOUND);
}

fn check(map: &Node, known: &[&str], what: &str, found: &mut Vec<Diagnostic>) {
    for entry in map.entries().iter().filter(|entry| !known.contains(&&*entry.key) && !entry.key.contains("{{")) {
        let Some(meant) = closest(&entry.key, known.iter().copied()) else { continue };
        let key = &entry.key;
        let message = format!("{what} of additionalScrapeConfigs has the field {key}, which Prometheus does not know");
        let diagnostic = Diagnostic::new(&UNKNOWN_SCRAPE_FIELD, entry.key_span, message);
        found.push(diagnostic.help(format!("did you mean {meant}?")));
    }
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    #[test]
    fn every_discovery_is_known_once() {
        let mut known = fields_of_job();
        assert!(known.iter().any(|field| field == "digitalocean_sd_configs"));
        let n_before = known.len();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), n_before);
    }

    #[test]
    fn slips_are_found_and_what_may_be_new_is_not() {
        let jobs = "[{job_name: a, scrape_intreval: 1s, brand_new_thing: 1, kubernetes_sd_config: [], '{{ x }}': 1, \
                    relabel_configs: [{source_label: [a]}], tls_config: {insecure_skip_verfy: true}, params: {jobname: [a]}}]";
        let values = format!("prometheus: {{prometheusSpec: {{additionalScrapeConfigs: {jobs}}}}}");
        let documents = read(FileId::new(0), &values, &mut Sink::default());
        let mut found = Vec::new();
        report(&documents[0].root, &mut found);
        let help: Vec<&str> = found.iter().map(|found| found.help[0].as_str()).collect();
        let meant = ["scrape_interval", "kubernetes_sd_configs", "source_labels", "insecure_skip_verify"];
        assert_eq!(help, meant.map(|meant| format!("did you mean {meant}?")));
    }
}
