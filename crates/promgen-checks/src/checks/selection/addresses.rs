//! Static targets that Prometheus drops, or can never reach.

use promgen_model::model::World;
use promgen_model::model::secret_jobs::SecretJobs;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::unknown::is_later_text;
use promgen_targets::discovery::job::{absent_port, unscraped};
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds targets of `staticConfigs`, and of jobs in a Secret, that are no address: URLs, addresses with a path, and ports above 65535. Not reported if
    /// `relabelings` write the address.
    ///
    /// ## Why is this bad?
    /// Prometheus drops a target with a slash and logs the error; nothing listens on such a port. The target is never scraped.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: vm}
    /// spec:
    ///   staticConfigs:
    ///   - targets: ["http://vm1.example.org:9100/metrics"]
    /// ```
    /// Use instead: host and port; the rest are fields of their own.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: vm}
    /// spec:
    ///   scheme: HTTP
    ///   metricsPath: /metrics
    ///   staticConfigs:
    ///   - targets: ["vm1.example.org:9100"]
    /// ```
    ///
    /// ## Source
    /// Prometheus: an address with a slash is not a valid hostname.
    REFUSED_TARGET = "PG137" "refused-target" Warning: "a static target that is no address";
}

/// Checks the static targets of ScrapeConfigs and of jobs in Secrets.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    ScrapingServer::all(model)
        .filter_map(ScrapingServer::secret_jobs)
        .for_each(|secret| of_secret(secret, sink));
    of_probes(model, sink);
    for config in model.cluster().scrape_configs.values() {
        let spec = &config.value.spec;
        if spec.relabelings.iter().flatten().any(writes_address) {
            continue;
        }
        for (list, statics) in spec.static_configs.iter().flatten().enumerate() {
            for (index, target) in statics.targets.iter().enumerate() {
                let Some((why, help)) = fault(target) else {
                    continue;
                };
                let at = At::spec(config.doc)
                    .key("staticConfigs")
                    .index(list)
                    .key("targets")
                    .index(index);
                sink.report(never(at, target, &why).help(help));
            }
        }
    }
}

fn never(at: At, target: &str, why: &str) -> Diagnostic {
    let message = format!("the target `{target}` is never scraped: {why}");
    Diagnostic::new(&REFUSED_TARGET, at, message)
}

/// Checks the static targets of Probes, which are whatever the exporter takes.
fn of_probes(model: &World<'_>, sink: &mut Sink) {
    for probe in model.cluster().probes.values() {
        let targets = probe.value.spec.targets.iter();
        let statics =
            targets.filter_map(|targets| targets.static_config.as_ref()?.targets.as_ref());
        for (index, target) in statics.flatten().enumerate() {
            let is_several = target.matches("://").count() > 1 && target.contains(", ");
            if is_several && !is_later_text(target) {
                let at = At::spec(probe.doc)
                    .key("targets")
                    .key("staticConfig")
                    .key("static");
                sink.report(never(at.index(index), target, "it is several").help(EACH));
            }
        }
    }
}

/// What to do with several addresses in one text.
const EACH: &str = "write each as an item of the list";

/// Checks the jobs of a Secret, which a message does not quote.
fn of_secret(secret: &SecretJobs, sink: &mut Sink) {
    for (index, job) in &secret.jobs {
        let n = unscraped(job);
        if n > 0 {
            let who = secret.name(*index, job);
            let message = format!(
                "{} of {who} is never scraped: it is no address",
                counted(n, "target")
            );
            let help = "an address is host and port; scheme and path are fields of the job, `scheme` and `metrics_path`";
            sink.report(
                Diagnostic::new(&REFUSED_TARGET, secret.reference.clone(), message).help(help),
            );
        }
    }
}

fn writes_address(rule: &RelabelConfig) -> bool {
    let target = rule.target_label.as_deref().unwrap_or_default();
    target == "__address__"
        || target.contains('$')
        || rule.action.as_str().eq_ignore_ascii_case("labelmap")
}

/// Why an address is none, and what to write.
fn fault(target: &str) -> Option<(String, String)> {
    if target.contains('/') {
        let bare = target.split_once("://").map_or(target, |(_, rest)| rest);
        let host = bare.split('/').next().unwrap_or_default();
        let why = "an address is host and port, and this is a URL or has a path".to_owned();
        return Some((
            why,
            format!("write `{host}`, and `scheme` and `metricsPath` beside it"),
        ));
    }
    if target.trim().contains([',', ' ']) && !is_later_text(target) {
        return Some(("it is several".to_owned(), EACH.to_owned()));
    }
    let port = absent_port(target)?;
    Some((
        format!("there is no port {port}"),
        "write a port from 1 to 65535".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    #[test]
    fn several_addresses_in_one_text_are_told() {
        let scraped = |targets: &str| {
            let head = "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {name: a, namespace: b}\n";
            found(
                &["PG137"],
                &format!("{head}spec: {{staticConfigs: [{{targets: [{targets}]}}]}}\n"),
            )
        };
        assert_eq!(scraped("'a:9100,b:9100'").len(), 1);
        assert_eq!(scraped("c, 'a:9100 b:9100'").len(), 1);
        assert_eq!(
            scraped("a, 'b:9100', '${HOSTS, one}', '[::1]:9100'"),
            [""; 0]
        );
        let probed = |targets: &str| {
            let head = "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {name: a, namespace: b}\n";
            found(
                &["PG137"],
                &format!(
                    "{head}spec: {{prober: {{url: p}}, targets: {{staticConfig: {{static: [{targets}]}}}}}}\n"
                ),
            )
        };
        assert_eq!(probed("'https://a.example, https://b.example'").len(), 1);
        assert_eq!(
            probed("'https://a.example/x,y', 'https://a.example/?to=https://b.example', 'a b'"),
            [""; 0]
        );
    }
}
