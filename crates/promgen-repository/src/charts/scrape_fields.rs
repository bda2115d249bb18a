//! Slips in the jobs of `additionalScrapeConfigs`, which Prometheus reads itself.
//!
//! Only what is almost a field of Prometheus is found: a version may have more fields than those of the table of facts. The
//! jobs are secret as a whole, but such a name is not.

use std::collections::BTreeMap;

use promgen_resources::facts::code_rows;
use promgen_text::diag::Diagnostic;
use promgen_text::suggest::closest;
use promgen_text::yaml::Node;

use super::rules::UNKNOWN_SCRAPE_FIELD;

/// How many are reported.
const MAX_FOUND: usize = 20;

/// Fields that Prometheus had before the first release whose code the table knows.
const OLDER: [JobField; 1] = [("scrape_classic_histograms", "boolean")];

/// A field of a job or of a part of it: its name, and how a type is written that it has.
type JobField = (&'static str, &'static str);

/// The fields of a job and of its parts, by the path of the part; empty for the job.
struct JobFields(BTreeMap<&'static str, Vec<JobField>>);

impl JobFields {
    /// What the table has of any release: what one has no longer, an older Prometheus knows.
    fn of_table() -> Self {
        let mut parts: BTreeMap<&str, Vec<JobField>> = BTreeMap::from([("", OLDER.to_vec())]);
        for row in code_rows("job") {
            let (part, field) = row.name.rsplit_once('.').unwrap_or(("", row.name));
            let fields = parts.entry(part).or_default();
            if !fields.iter().any(|(name, _)| *name == field) {
                fields.push((field, row.value));
            }
        }
        Self(parts)
    }

    /// Reports what is almost a field of a part, and then the same of the parts below it.
    fn check(&self, node: &Node, path: &str, found: &mut Vec<Diagnostic>) {
        let Some(known) = self.0.get(path) else { return };
        let field = |key: &str| known.iter().find(|(name, _)| *name == key);
        for entry in node.entries().iter().filter(|entry| field(&entry.key).is_none() && !entry.key.contains("{{")) {
            let Some(meant) = closest(&entry.key, known.iter().map(|(name, _)| *name)) else { continue };
            let message = format!(
                "{} of additionalScrapeConfigs has the field {}, which Prometheus does not know",
                shown(path),
                entry.key
            );
            let diagnostic = Diagnostic::new(&UNKNOWN_SCRAPE_FIELD, entry.key_span, message);
            found.push(diagnostic.help(format!("did you mean {meant}?")));
        }
        for entry in node.entries() {
            let Some((name, of)) = field(&entry.key) else { continue };
            let at = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
            self.below(&entry.value, &at, of, found);
        }
    }

    /// Looks at a value by its type: an object, or a list or map of them.
    fn below(&self, node: &Node, path: &str, of: &str, found: &mut Vec<Diagnostic>) {
        if let Some(of) = of.strip_prefix("[]") {
            let path = format!("{path}[]");
            node.items().iter().for_each(|item| self.below(item, &path, of, found));
        } else if let Some(of) = of.strip_prefix("{}") {
            let path = format!("{path}{{}}");
            node.entries().iter().for_each(|entry| self.below(&entry.value, &path, of, found));
        } else {
            self.check(node, path, found);
        }
    }
}

/// What a path is called in a message.
fn shown(path: &str) -> String {
    match path {
        "" => "a job".to_owned(),
        path => format!("{} of a job", path.replace("[]", "").replace("{}", "")),
    }
}

/// Reports the fields of jobs that Prometheus does not know.
pub(super) fn report(values: &Node, found: &mut Vec<Diagnostic>) {
    let jobs = values.find(&["prometheus", "prometheusSpec", "additionalScrapeConfigs"]);
    let jobs = jobs.map_or(&[][..], Node::items);
    if jobs.is_empty() {
        return;
    }
    let n_before = found.len();
    let fields = JobFields::of_table();
    jobs.iter().for_each(|job| fields.check(job, "", found));
    found.truncate(n_before + MAX_FOUND);
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    #[test]
    fn the_table_has_the_fields_of_prometheus() {
        let JobFields(parts) = JobFields::of_table();
        let known: Vec<&str> = parts[""].iter().map(|(name, _)| *name).collect();
        for field in [
            "digitalocean_sd_configs",
            "enable_http2",
            "convert_classic_histograms_to_nhcb",
            "extra_scrape_metrics",
            "native_histogram_min_bucket_factor",
            "no_proxy",
            "tls_config",
        ] {
            assert!(known.contains(&field), "{field}");
        }
        for part in
            ["relabel_configs[]", "static_configs[]", "tls_config", "basic_auth", "authorization", "oauth2.tls_config"]
        {
            assert!(parts.contains_key(part), "{part}");
        }
    }

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
        let meant =
            ["scrape_interval", "kubernetes_sd_configs", "source_labels", "insecure_skip_verify", "ca_file", "values"];
        assert_eq!(help, meant.map(|meant| format!("did you mean {meant}?")));
        assert!(found[4].message.starts_with("oauth2.tls_config of a job"), "{}", found[4].message);
    }
}
