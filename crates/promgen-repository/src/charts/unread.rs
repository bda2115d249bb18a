//! The charts that nobody has rendered and promgen does not compile: what they make is not known.

use std::collections::BTreeSet;

use promgen_text::diag::count::counted;
use promgen_text::yaml::Node;

use super::definitions;
use super::release::{base, is_stack};
use crate::path::join;

/// The number of charts that a sentence names.
const MAX_NAMES: usize = 3;

/// The charts of a run that are not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreadCharts {
    /// The folders of those that are in the input.
    pub(crate) here: BTreeSet<String>,
    /// The names of those that other repositories have.
    pub(crate) elsewhere: BTreeSet<String>,
    /// The names of those that no object states, and of their releases.
    pub(crate) unstated: BTreeSet<String>,
    /// Helm was asked for them.
    pub(crate) is_asked: bool,
}

impl UnreadCharts {
    /// Adds the charts that an object or an entry names, but for those that promgen compiles, if it has.
    pub(crate) fn add(&mut self, node: &Node, is_compiled: bool) {
        let unread = charts(node)
            .into_iter()
            .filter(|chart| !(is_compiled && is_stack(chart)));
        if node.get("kind").is_none() {
            let names = ["releaseName", "name", "chart"]
                .into_iter()
                .filter_map(|key| node.get(key)?.as_str());
            self.unstated
                .extend(names.map(|name| base(name).to_owned()));
        }
        for chart in unread.filter(|chart| base(chart) != definitions::CHART) {
            match join(".", chart.trim_start_matches('/')) {
                folder if self.here.contains(&folder) => {}
                _ => drop(self.elsewhere.insert(base(chart).to_owned())),
            }
        }
    }

    /// The names of those that no object states, and of their releases.
    pub fn unstated(&self) -> impl Iterator<Item = &str> {
        self.here
            .iter()
            .map(|folder| base(folder))
            .chain(self.unstated.iter().map(String::as_str))
    }

    /// That there are some, how many, and what renders them. `None` if there is none.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let names: Vec<&str> = self
            .here
            .union(&self.elsewhere)
            .map(String::as_str)
            .collect();
        let [first, ..] = names.as_slice() else {
            return None;
        };
        let (is_one, few) = (names.len() == 1, names.len() <= MAX_NAMES);
        let (are, they, them) = if is_one {
            ("is", "it makes", "it")
        } else {
            ("are", "they make", "them")
        };
        let named = match (is_one, few) {
            (true, _) => format!(" (`{first}`)"),
            (false, true) => format!(" (`{}`)", names.join("`, `")),
            (false, false) => String::new(),
        };
        let option = if self.elsewhere.is_empty() {
            "--helm"
        } else {
            "--helm-pull"
        };
        let hint = if self.is_asked {
            String::new()
        } else {
            format!("; `{option}` renders {them}")
        };
        Some(format!(
            "{}{named} {are} not rendered: what {they} is not known{hint}",
            counted(names.len(), "chart")
        ))
    }
}

/// The charts that a HelmRelease, an Application, a set of these, or an entry of `helmCharts` or of a helmfile names: each by its
/// name, or by its folder.
fn charts(node: &Node) -> Vec<&str> {
    let is_set = |value: Option<&Node>| value.is_some_and(|value| !value.is_null());
    let spec = node.get("spec").unwrap_or(node);
    let spec = spec.find(&["template", "spec"]).unwrap_or(spec);
    let own = [
        &["chart", "spec", "chart"][..],
        &["chartRef", "name"],
        &["chart"],
        &["name"],
    ];
    let own = own.into_iter().find_map(|keys| spec.text_at(keys));
    let sources = spec
        .get("source")
        .into_iter()
        .chain(spec.items_of("sources"));
    let of_source = |source| match Node::get(source, "chart") {
        Some(chart) => chart.as_str(),
        None => source
            .get("path")
            .filter(|_| is_set(source.get("helm")))
            .and_then(Node::as_str),
    };
    own.into_iter()
        .chain(sources.filter_map(of_source))
        .filter(|chart| !chart.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn sentence(here: &[&str], text: &str) -> Option<String> {
        let here = here.iter().map(|folder| (*folder).to_owned()).collect();
        let mut unread = UnreadCharts {
            here,
            ..UnreadCharts::default()
        };
        let read = read(FileId::new(0), text, &mut Sink::default());
        read.iter()
            .for_each(|document| unread.add(&document.root, true));
        unread.sentence()
    }

    #[test]
    fn charts_are_counted_once() {
        let text = "spec: {chart: {spec: {chart: ./charts/a}}}\n---\nspec: {chart: {spec: {chart: kube-prometheus-stack}}}\n";
        let one =
            "1 chart (`charts/a`) is not rendered: what it makes is not known; `--helm` renders it";
        assert_eq!(sentence(&["charts/a"], text).unwrap(), one);
        assert_eq!(sentence(&[], "spec: {source: {path: a}}\n"), None);
        let text = "spec: {template: {spec: {sources: [{chart: b}, {path: c, helm: {values: ''}}]}}}\n---\nname: b\n";
        let two = "2 charts (`b`, `c`) are not rendered: what they make is not known; `--helm-pull` renders them";
        assert_eq!(sentence(&[], text).unwrap(), two);
    }
}
