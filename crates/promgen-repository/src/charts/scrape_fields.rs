//! Slips in the jobs of `additionalScrapeConfigs`, which Prometheus reads itself.
//!
//! Only what is almost a field of Prometheus is found: a version may have more fields than those of the table of facts. The
//! jobs are secret as a whole, but such a name is not.

use promgen_resources::release::job_fields::{JobFields, UnknownJobField};
use promgen_text::diag::Diagnostic;
use promgen_text::yaml::Node;

use super::rules::UNKNOWN_SCRAPE_FIELD;

/// The number of those that are reported.
const MAX_FOUND: usize = 20;

/// Reports the fields of jobs that Prometheus does not know.
pub(super) fn report(values: &Node, found: &mut Vec<Diagnostic>) {
    let jobs = values.find(&["prometheus", "prometheusSpec", "additionalScrapeConfigs"]);
    let jobs = jobs.map_or(&[][..], Node::items);
    if jobs.is_empty() {
        return;
    }
    let fields = JobFields::of_table();
    let finding = |UnknownJobField {
                       of,
                       entry,
                       meant,
                       home,
                       ..
                   }: UnknownJobField<'_>| {
        let message = format!(
            "{of} of additionalScrapeConfigs has the field {}, which Prometheus does not know",
            entry.key
        );
        let found = Diagnostic::new(&UNKNOWN_SCRAPE_FIELD, entry.key_span, message);
        Some(found.help(home.or_else(|| Some(format!("did you mean {}?", meant?)))?))
    };
    found.extend(
        jobs.iter()
            .flat_map(|job| fields.unknown(job, None))
            .filter_map(finding)
            .take(MAX_FOUND),
    );
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    #[test]
    fn slips_are_found_and_what_may_be_new_is_not() {
        let jobs = "[{job_name: a, scrape_intreval: 1s, brand_new_thing: 1, scrape_classic_histograms: true, kubernetes_sd_config: [], '{{ x }}': 1, \
                    relabel_configs: [{source_label: [a]}], tls_config: {insecure_skip_verfy: true}, \
                    oauth2: {tls_config: {ca_fil: a}}, http_headers: {Value: {value: [a]}}, params: {jobname: [a]}}]";
        let values = format!("prometheus: {{prometheusSpec: {{additionalScrapeConfigs: {jobs}}}}}");
        let documents = read(FileId::new(0), &values, &mut Sink::default());
        let mut found = Vec::new();
        report(&documents[0].root, &mut found);
        let help: Vec<&str> = found.iter().map(|found| found.help[0].as_str()).collect();
        let meant = [
            "scrape_interval",
            "kubernetes_sd_configs",
            "source_labels",
            "insecure_skip_verify",
            "ca_file",
            "values",
        ];
        assert_eq!(help, meant.map(|meant| format!("did you mean {meant}?")));
        assert!(
            found[4].message.starts_with("oauth2.tls_config of a job"),
            "{}",
            found[4].message
        );
    }

    #[test]
    fn a_field_of_another_part_is_told_its_place() {
        let jobs = "[{job_name: a, source_labels: [b], static_configs: [{targets: [a], scrape_interval: 1s}]}]";
        let values = format!("prometheus: {{prometheusSpec: {{additionalScrapeConfigs: {jobs}}}}}");
        let documents = read(FileId::new(0), &values, &mut Sink::default());
        let mut found = Vec::new();
        report(&documents[0].root, &mut found);
        let help: Vec<&str> = found.iter().map(|found| found.help[0].as_str()).collect();
        assert!(
            help[0].starts_with("`source_labels` belongs in ")
                && help[0].contains("relabel_configs"),
            "{help:?}"
        );
        assert_eq!(help[1..], ["`scrape_interval` belongs in the job itself"]);
    }
}
