//! Slips in the jobs of `additionalScrapeConfigs`, which Prometheus reads itself.
//!
//! Only what is almost a field of Prometheus is found: a version may have more fields than these. The jobs are secret as a
//! whole, but such a name is not.

use promgen_resources::api::auth::{Authorization, BasicAuth, TlsConfig};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::scraping::scrape_config::{ScrapeConfigSpec, StaticConfig};
use promgen_text::describe::{Describe as _, Type, TypeFn};
use promgen_text::diag::Diagnostic;
use promgen_text::suggest::closest;
use promgen_text::yaml::Node;

use super::rules::UNKNOWN_SCRAPE_FIELD;

/// How many are reported.
const MAX_FOUND: usize = 20;

/// A part of a job, or the job itself.
struct JobPart {
    /// Its key. Empty for the job.
    key: &'static str,
    /// The operator's type with the same fields, spelt in its way.
    of: TypeFn,
    /// The fields of that type that Prometheus calls otherwise, or does not have.
    operators: &'static [&'static str],
    /// The fields that Prometheus alone has.
    own: &'static [&'static str],
}

static JOB: JobPart = JobPart {
    key: "",
    of: ScrapeConfigSpec::describe,
    operators: &["metricRelabelings", "nameEscapingScheme", "nameValidationScheme", "relabelings", "scrapeClass"],
    own: &[
        "always_scrape_classic_histograms",
        "bearer_token",
        "bearer_token_file",
        "follow_redirects",
        "http_headers",
        "metric_name_escaping_scheme",
        "metric_name_validation_scheme",
        "metric_relabel_configs",
        "relabel_configs",
        "scrape_failure_log_file",
        "aws_sd_configs",
        "marathon_sd_configs",
        "nerve_sd_configs",
        "oci_sd_configs",
        "serverset_sd_configs",
        "stackit_sd_configs",
        "triton_sd_configs",
        "uyuni_sd_configs",
        "vultr_sd_configs",
    ],
};

/// The parts of a job.
static PARTS: [JobPart; 6] = [
    JobPart { key: "relabel_configs", of: RelabelConfig::describe, operators: &[], own: &[] },
    JobPart { key: "metric_relabel_configs", of: RelabelConfig::describe, operators: &[], own: &[] },
    JobPart { key: "static_configs", of: StaticConfig::describe, operators: &[], own: &[] },
    JobPart {
        key: "tls_config",
        of: TlsConfig::describe,
        operators: &["keySecret"],
        own: &["ca_ref", "cert_ref", "key", "key_ref"],
    },
    JobPart {
        key: "basic_auth",
        of: BasicAuth::describe,
        operators: &[],
        own: &["password_file", "password_ref", "username_file", "username_ref"],
    },
    JobPart { key: "authorization", of: Authorization::describe, operators: &[], own: &["credentials_ref"] },
];

impl JobPart {
    /// The names of its fields, as Prometheus spells them.
    fn fields(&self) -> Vec<String> {
        let mut names: Vec<String> = self.own.iter().map(|name| (*name).to_owned()).collect();
        if let Type::Object(object) = (self.of)() {
            object.each(&mut |field| {
                if !self.operators.contains(&field.name) {
                    names.push(spelt(field.name));
                }
            });
        }
        names
    }
}

/// A field of the operator as Prometheus spells it: `enable_http2` for `enableHTTP2`.
fn spelt(field: &str) -> String {
    if ScrapeConfigSpec::discoveries().contains(&field) {
        return ScrapeConfigSpec::section(field);
    }
    let mut name = String::new();
    let mut was_lower = false;
    for c in field.chars() {
        if c.is_ascii_uppercase() && was_lower {
            name.push('_');
        }
        was_lower = c.is_ascii_lowercase();
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Reports the fields of jobs that Prometheus does not know.
pub(super) fn report(values: &Node, found: &mut Vec<Diagnostic>) {
    let jobs = values.find(&["prometheus", "prometheusSpec", "additionalScrapeConfigs"]);
    let n_before = found.len();
    let parts: Vec<(&str, Vec<String>)> = PARTS.iter().map(|part| (part.key, part.fields())).collect();
    let known = JOB.fields();
    for job in jobs.map_or(&[][..], Node::items) {
        check(job, &known, "a job", found);
        for (part, fields) in &parts {
            let Some(part_of_job) = job.get(part) else { continue };
            let what = format!("{part} of a job");
            check(part_of_job, fields, &what, found);
            part_of_job.items().iter().for_each(|item| check(item, fields, &what, found));
        }
    }
    found.truncate(n_before + MAX_FOUND);
}

fn check(map: &Node, known: &[String], what: &str, found: &mut Vec<Diagnostic>) {
    let is_known = |key: &str| known.iter().any(|name| name == key);
    for entry in map.entries().iter().filter(|entry| !is_known(&entry.key) && !entry.key.contains("{{")) {
        let Some(meant) = closest(&entry.key, known.iter().map(String::as_str)) else { continue };
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
    fn fields_are_spelt_as_prometheus_does() {
        let mut known = JOB.fields();
        for field in [
            "digitalocean_sd_configs",
            "enable_http2",
            "convert_classic_histograms_to_nhcb",
            "extra_scrape_metrics",
            "native_histogram_min_bucket_factor",
            "no_proxy",
            "tls_config",
        ] {
            assert!(known.iter().any(|known| known == field), "{field}");
        }
        let n_before = known.len();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), n_before, "each is known once");
        for part in PARTS.iter().chain([&JOB]) {
            let Type::Object(object) = (part.of)() else { panic!("{}", part.key) };
            assert!(part.operators.iter().all(|field| object.field(field).is_some()), "{}", part.key);
        }
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
