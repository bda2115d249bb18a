//! From the labels after the last rule to the scraped URL and the labels of the series.
//!
//! In: labels after relabeling, and the job. Out: the URL and the labels of the target, or why Prometheus scrapes nothing.
//! Mirrors Prometheus' `PopulateLabels`, which `promtool check service-discovery` shows, and `Target.URL`.

use std::collections::BTreeMap;

use promgen_compile::output::Job;
use promgen_prometheus::relabel::LabelSet;
use promgen_resources::gates::DEFAULT_SCRAPE_PORT;
use promgen_text::go::duration::PromDuration;
use promgen_text::go::host;
use promgen_text::go::quote::quote;
use promgen_text::go::url::percent_encoded;
use promgen_text::version::Version;
use promgen_text::yaml::Value;

/// Prefix of the labels that discovery gives, and that are gone after relabeling.
pub const META: &str = "__meta_";
/// Prefix of the labels that no series gets.
pub const RESERVED: &str = "__";
/// Prefix of the labels that become parameters of the URL.
const PARAM: &str = "__param_";

/// A target as it is scraped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScrapedTarget {
    /// The URL.
    pub url: String,
    /// The labels that its series get.
    pub labels: LabelSet,
    /// The labels with those that control the scrape, as promtool prints them.
    pub all: LabelSet,
}

/// The scraped form of a target that the rules keep. `version` is that of Prometheus, if it is known.
///
/// # Errors
/// Why it scrapes nothing, in its words.
pub fn scraped(
    labels: &LabelSet,
    job: &Job,
    version: Option<&Version>,
) -> Result<ScrapedTarget, String> {
    let mut address = labels.get("__address__").to_owned();
    if address.is_empty() {
        return Err("no address".to_owned());
    }
    if version.is_some_and(|version| DEFAULT_SCRAPE_PORT.admits(version)) {
        address = with_default_port(address, labels.get("__scheme__"))?;
    }
    if address.contains('/') {
        return Err(format!("{} is not a valid hostname", quote(&address)));
    }
    check_timing(labels)?;
    let mut all: LabelSet = labels
        .iter()
        .filter(|(name, _)| !name.starts_with(META))
        .collect();
    if all.get("instance").is_empty() {
        all.set("instance", address.clone());
    }
    all.set("__address__", address);
    let public = all
        .iter()
        .filter(|(name, _)| !name.starts_with(RESERVED))
        .collect();
    Ok(ScrapedTarget {
        url: url(&all, job),
        labels: public,
        all,
    })
}

/// The address with the port of its scheme, as Prometheus 2 has it, unless it has one or is invalid.
fn with_default_port(address: String, scheme: &str) -> Result<String, String> {
    if host::split(&address).is_some() || host::split(&format!("{address}:1234")).is_none() {
        return Ok(address);
    }
    match scheme {
        "http" | "" => Ok(address + ":80"),
        "https" => Ok(address + ":443"),
        _ => Err(format!("invalid scheme: {}", quote(scheme))),
    }
}

fn check_timing(labels: &LabelSet) -> Result<(), String> {
    let parse = |what: &str, label: &str| {
        let duration = PromDuration::parse(labels.get(label));
        let duration = duration.map_err(|error| format!("error parsing scrape {what}: {error}"))?;
        if duration.millis == 0 {
            Err(format!("scrape {what} cannot be 0"))
        } else {
            Ok(duration)
        }
    };
    let interval = parse("interval", "__scrape_interval__")?;
    let timeout = parse("timeout", "__scrape_timeout__")?;
    if timeout <= interval {
        return Ok(());
    }
    let shown = |label| quote(labels.get(label));
    let (timeout, interval) = (shown("__scrape_timeout__"), shown("__scrape_interval__"));
    Err(format!(
        "scrape timeout cannot be greater than scrape interval ({timeout} > {interval})"
    ))
}

fn url(labels: &LabelSet, job: &Job) -> String {
    let mut params: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, values) in job.params() {
        params.insert(name, values.iter().filter_map(Value::as_str).collect());
    }
    for (name, value) in labels.iter() {
        let Some(name) = name.strip_prefix(PARAM) else {
            continue;
        };
        match params.entry(name).or_default().as_mut_slice() {
            [first, ..] => *first = value,
            [] => drop(params.insert(name, vec![value])),
        }
    }
    let path = labels.get("__metrics_path__");
    let slash = if path.is_empty() || path.starts_with('/') {
        ""
    } else {
        "/"
    };
    let mut url = format!(
        "{}://{}{slash}",
        labels.get("__scheme__"),
        labels.get("__address__")
    );
    url.push_str(&percent_encoded(path, "$&+,/:;=@-_.~"));
    let mut separator = '?';
    for (name, value) in params
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name, value)))
    {
        url.push(separator);
        separator = '&';
        url.push_str(&query_escaped(name));
        url.push('=');
        url.push_str(&query_escaped(value));
    }
    url
}

/// Go: `url.QueryEscape`.
fn query_escaped(text: &str) -> String {
    percent_encoded(text, "-_.~ ").replace(' ', "+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::Map;

    fn labels(extra: &[(&'static str, &'static str)]) -> LabelSet {
        let usual = [
            ("__address__", "10.0.0.1:80"),
            ("__metrics_path__", "/metrics"),
            ("__scheme__", "http"),
            ("__scrape_interval__", "30s"),
            ("__scrape_timeout__", "10s"),
        ];
        usual.iter().chain(extra).copied().collect()
    }

    fn text(extra: &[(&'static str, &'static str)]) -> String {
        match scraped(&labels(extra), &Job::default(), None) {
            Ok(ScrapedTarget { url, labels, .. }) => {
                let labels: Vec<_> = labels
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                format!("{url} {}", labels.join(" "))
            }
            Err(why) => why,
        }
    }

    #[test]
    fn labels_of_discovery_and_of_the_scrape_are_gone() {
        let seen = text(&[
            ("__meta_x", "1"),
            ("__tmp_hash", "2"),
            ("job", "a"),
            ("é", "b"),
        ]);
        assert_eq!(
            seen,
            "http://10.0.0.1:80/metrics instance=10.0.0.1:80 job=a é=b"
        );
        assert_eq!(
            text(&[("instance", "own")]),
            "http://10.0.0.1:80/metrics instance=own"
        );
        let all = scraped(
            &labels(&[("__meta_x", "1"), ("__tmp", "2")]),
            &Job::default(),
            None,
        )
        .unwrap()
        .all;
        assert_eq!(
            (all.get("__meta_x"), all.get("__tmp"), all.get("__scheme__")),
            ("", "2", "http")
        );
    }

    #[test]
    fn what_cannot_be_scraped_says_why() {
        for (extra, why) in [
            (("__address__", ""), "no address"),
            (("__address__", "a/b"), "\"a/b\" is not a valid hostname"),
            (("__scrape_interval__", "0s"), "scrape interval cannot be 0"),
            (
                ("__scrape_timeout__", "31s"),
                "scrape timeout cannot be greater than scrape interval (\"31s\" > \"30s\")",
            ),
        ] {
            assert_eq!(text(&[extra]), why);
        }
        assert!(
            text(&[("__scrape_timeout__", "soon")]).starts_with("error parsing scrape timeout: ")
        );
    }

    #[test]
    fn urls_carry_parameters_and_are_escaped() {
        let values = |values: &[&'static str]| {
            Value::Seq(values.iter().map(|value| Value::from(*value)).collect())
        };
        let params = Map::new()
            .with("module", values(&["x", "y"]))
            .with("b", values(&["1"]));
        let job = Job::new(Map::new().with("params", params), None);
        let extra = [
            ("__param_module", "http 2xx"),
            ("__param_target", "https://a/?b"),
            ("__metrics_path__", "probe é"),
        ];
        assert_eq!(
            scraped(&labels(&extra), &job, None).unwrap().url,
            "http://10.0.0.1:80/probe%20%C3%A9?b=1&module=http+2xx&module=y&target=https%3A%2F%2Fa%2F%3Fb"
        );
    }

    #[test]
    fn prometheus_2_adds_the_port_of_the_scheme() {
        let old = DEFAULT_SCRAPE_PORT.since.clone();
        let address = |address: &'static str, scheme: &'static str| {
            let labels = labels(&[("__address__", address), ("__scheme__", scheme)]);
            scraped(&labels, &Job::default(), Some(&old))
                .map(|scraped| scraped.labels.get("instance").to_owned())
        };
        assert_eq!(address("a", "https").unwrap(), "a:443");
        assert_eq!(address("[::1]", "http").unwrap(), "[::1]:80");
        assert_eq!(address("a:1", "http").unwrap(), "a:1");
        assert_eq!(address("a", "ftp").unwrap_err(), "invalid scheme: \"ftp\"");
        assert_eq!(text(&[("__address__", "a")]), "http://a/metrics instance=a");
    }
}
