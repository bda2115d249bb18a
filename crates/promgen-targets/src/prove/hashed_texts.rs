//! What the targets of a job have in the labels that the sharding rules hash.
//!
//! In: the job's discoveries and its own rules. Out: whether such a label differs from target to target. If all targets
//! have the same text there, all have the same hash.

use std::collections::BTreeMap;

use promgen_compile::output::Job;
use promgen_compile::output::job::{DiscoverySection, DiscoverySource};
use promgen_prometheus::relabel::{Action, CompiledRule, Reach};

/// The maximum number of residues of a job's own hash that are tried one by one.
const MAX_RESIDUES: u64 = 1_024;

/// The texts of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HashedText {
    /// Any text.
    Any,
    /// One text for all targets; none if promgen does not know which.
    Same(Option<String>),
    /// The residues below that number.
    Residue(u64),
}

/// The texts of labels, as far as rules have changed them.
pub(super) struct HashedTexts<'s> {
    job: &'s Job,
    changed: BTreeMap<String, HashedText>,
    /// A rule may have set any label.
    is_lost: bool,
}

impl<'s> HashedTexts<'s> {
    /// The texts after the own rules of a job.
    pub(super) fn after(job: &'s Job, own: &[&CompiledRule]) -> Self {
        let mut texts = Self {
            job,
            changed: BTreeMap::new(),
            is_lost: false,
        };
        own.iter().for_each(|rule| texts.apply(rule));
        texts
    }

    /// The texts of a label.
    pub(super) fn get(&self, label: &str) -> HashedText {
        if self.is_lost {
            return HashedText::Any;
        }
        self.changed
            .get(label)
            .cloned()
            .unwrap_or_else(|| discovered(self.job, label))
    }

    fn apply(&mut self, rule: &CompiledRule) {
        match rule.reach() {
            Reach::Nothing => {}
            Reach::Anything => self.is_lost = true,
            Reach::Deletes => {
                let names: Vec<String> = self
                    .changed
                    .keys()
                    .filter(|name| rule.deletes(name))
                    .cloned()
                    .collect();
                for name in names {
                    self.changed
                        .insert(name, HashedText::Same(Some(String::new())));
                }
            }
            Reach::Label(name) => {
                let text = self.written(rule);
                let before = self.get(name);
                let may_stay = rule.action == Action::Replace && rule.constant().is_none();
                // What does not match leaves the label as it is.
                let text = if may_stay && before == HashedText::Any {
                    before
                } else {
                    text
                };
                self.changed.insert(name.to_owned(), text);
            }
        }
    }

    /// The text that a rule writes into its label.
    fn written(&self, rule: &CompiledRule) -> HashedText {
        if let Some(text) = rule.constant() {
            return HashedText::Same(Some(text.to_owned()));
        }
        let is_same = |label: &String| matches!(self.get(label), HashedText::Same(_));
        match (rule.source_labels.iter().all(is_same), rule.action) {
            (true, _) => HashedText::Same(None),
            (false, Action::HashMod) if rule.modulus <= MAX_RESIDUES => {
                HashedText::Residue(rule.modulus)
            }
            (false, _) => HashedText::Any,
        }
    }
}

/// The text that a discovery sets a label to.
fn discovered(job: &Job, label: &str) -> HashedText {
    /// Labels that the scrape sets, the same for all targets of a job.
    const OF_SCRAPE: [&str; 5] = [
        "job",
        "__scheme__",
        "__metrics_path__",
        "__scrape_interval__",
        "__scrape_timeout__",
    ];
    let is_set_by = |section: DiscoverySection<'_>| match section.source {
        DiscoverySource::Kubernetes => false,
        DiscoverySource::Static => {
            let mut labels = section
                .entries
                .iter()
                .filter_map(|config| config.get("labels")?.as_map());
            labels.any(|labels| labels.get(label).is_some())
        }
        // The answer of a server may have any label.
        DiscoverySource::Other => true,
    };
    let is_free = label == "__address__" || label.starts_with("__meta_");
    if is_free || job.discoveries().any(is_set_by) {
        return HashedText::Any;
    }
    let is_of_scrape = OF_SCRAPE.contains(&label) || label.starts_with("__param_");
    HashedText::Same((!is_of_scrape).then(String::new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_prometheus::relabel::{NameScheme, rules};
    use promgen_text::yaml::Value;
    use promgen_text::yaml::read::read_slices;

    fn text(section: &str, own: &str, label: &str) -> HashedText {
        let value = |yaml: &str| read_slices(yaml).unwrap().unwrap().to_value();
        let (Value::Map(section), Value::Seq(own)) = (value(section), value(own)) else {
            panic!()
        };
        let own = rules(&own, NameScheme::Utf8).unwrap();
        HashedTexts::after(&Job::new(section, None), &own.iter().collect::<Vec<_>>()).get(label)
    }

    #[test]
    fn what_varies_is_free() {
        let (kubernetes, none) = ("{kubernetes_sd_configs: [{role: pod}]}", "[]");
        assert_eq!(text(kubernetes, none, "__address__"), HashedText::Any);
        assert_eq!(
            text(kubernetes, none, "__meta_kubernetes_pod_name"),
            HashedText::Any
        );
        assert_eq!(
            text(kubernetes, none, "key"),
            HashedText::Same(Some(String::new()))
        );
        assert_eq!(text(kubernetes, none, "job"), HashedText::Same(None));
        assert_eq!(
            text("{http_sd_configs: [{url: a}]}", none, "key"),
            HashedText::Any
        );
        assert_eq!(
            text(
                "{static_configs: [{targets: [a], labels: {key: b}}]}",
                none,
                "key"
            ),
            HashedText::Any
        );
    }

    #[test]
    fn rules_pass_on_what_varies() {
        let of = |own: &str| text("{kubernetes_sd_configs: [{role: pod}]}", own, "key");
        assert_eq!(
            of("[{source_labels: [__meta_kubernetes_pod_uid], target_label: key}]"),
            HashedText::Any
        );
        assert_eq!(
            of("[{target_label: key, replacement: x}]"),
            HashedText::Same(Some("x".to_owned()))
        );
        assert_eq!(
            of("[{source_labels: [job], target_label: key}]"),
            HashedText::Same(None)
        );
        let hashed =
            "{source_labels: [__address__], target_label: key, modulus: 3, action: hashmod}";
        assert_eq!(of(&format!("[{hashed}]")), HashedText::Residue(3));
        assert_eq!(
            of(&format!("[{hashed}, {{regex: key, action: labeldrop}}]")),
            HashedText::Same(Some(String::new()))
        );
        assert_eq!(of("[{regex: '(.+)', action: labelmap}]"), HashedText::Any);
    }
}
