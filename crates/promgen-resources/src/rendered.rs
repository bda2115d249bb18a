//! Releases of charts that want Helm, and what Helm made of them.
//!
//! The library runs no program: it says which [`Request`]s it has, and is given the [`Rendered`] results.

use std::collections::BTreeMap;
use std::fmt;

/// A release that Helm is asked to render.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// The name of the release.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its chart.
    pub chart: ChartRef,
    /// Its values, as JSON. They may hold secrets.
    pub values: String,
    /// Values come from a Secret.
    pub holds_secrets: bool,
}

impl fmt::Debug for Request {
    /// Without the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            namespace,
            chart,
            ..
        } = self;
        f.debug_struct("Request")
            .field("name", name)
            .field("namespace", namespace)
            .field("chart", chart)
            .finish_non_exhaustive()
    }
}

/// The places where a chart may be. The first place that has it counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChartRef {
    /// Folders and archives, by paths like those of the inputs.
    pub paths: Vec<String>,
    /// A folder or an archive, by its path from the root of the repository.
    pub rooted: Option<String>,
    /// A chart of a repository of charts.
    pub named: Option<NamedChart>,
}

/// A chart of a repository of charts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedChart {
    /// The URL of the repository; empty if it is not known.
    pub repository: String,
    /// The name of the chart.
    pub name: String,
    /// Its version, or a range of versions.
    pub version: String,
}

impl fmt::Display for ChartRef {
    /// As messages name it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.named, self.paths.first().or(self.rooted.as_ref())) {
            (Some(named), _) if named.version.is_empty() => f.write_str(&named.name),
            (Some(named), _) => write!(f, "{} {}", named.name, named.version),
            (None, Some(path)) => write!(f, "`{path}`"),
            (None, None) => f.write_str("the chart"),
        }
    }
}

/// The results of Helm for releases: the stream that it printed, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    results: BTreeMap<Request, Result<String, String>>,
}

impl Rendered {
    /// Adds what Helm made of a release.
    pub fn insert(&mut self, request: Request, result: Result<String, String>) {
        self.results.insert(request, result);
    }

    /// The result of Helm for a release. `None`: nobody has asked it yet.
    #[must_use]
    pub fn get(&self, request: &Request) -> Option<&Result<String, String>> {
        self.results.get(request)
    }

    /// The length of all that it printed.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        self.results
            .values()
            .filter_map(|result| result.as_ref().ok())
            .map(String::len)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_no_debug_output() {
        let request = Request {
            name: "a".to_owned(),
            namespace: "b".to_owned(),
            chart: ChartRef {
                paths: vec!["charts/c".to_owned()],
                ..ChartRef::default()
            },
            values: "hunter2".to_owned(),
            holds_secrets: true,
        };
        assert!(!format!("{request:?}").contains("hunter2"));
        assert_eq!(request.chart.to_string(), "`charts/c`");
    }
}
