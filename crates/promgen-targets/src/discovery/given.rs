//! Targets from files that Prometheus and its tools write or read.
//!
//! In: the text of a file, in one of three formats, which is detected: the lists of file discovery (YAML or JSON), a
//! response of `/api/v1/targets`, and the output of `promtool check service-discovery`. Out: label sets before
//! relabeling, in the order of the file. Opens no file.

use std::collections::BTreeMap;

use crate::discovery::ADDRESS;
use crate::discovery::text::{Pool, TargetLabels, Text, label_set};
use promgen_compile::output::Job;
use promgen_prometheus::relabel::LabelSet;
use promgen_text::diag::{Level, Sink};
use promgen_text::input::MAX_BYTES;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::read::read as parse;
use promgen_text::yaml::{Data, Entry, Node};

/// Most values of a JSON file that is read at once.
const MAX_JSON_VALUES: usize = 8 << 20;

/// Most bytes of the labels of all targets, those of a group counted for each of its targets: several times what a file
/// without groups may hold.
const MAX_LABEL_BYTES: usize = 256 << 20;

/// The overhead of a label besides its name and value.
const BYTES_PER_LABEL: usize = 32;

/// A target of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenTarget {
    /// Its labels before relabeling.
    pub labels: TargetLabels,
    /// The job that it was discovered for: the labels are complete then. Otherwise those of the scrape are still to be
    /// added ([`scrape_labels`](crate::discovery::job::scrape_labels)).
    pub job: Option<Text>,
    /// The server dropped it. Only `/api/v1/targets` reports this.
    pub was_dropped: bool,
}

/// The targets of a file, by the jobs that they were discovered for.
pub(crate) struct GivenJobs<'g> {
    by_name: BTreeMap<&'g str, Vec<&'g TargetLabels>>,
    /// Those of no job.
    pub(crate) others: Vec<LabelSet>,
}

impl<'g> GivenJobs<'g> {
    pub(crate) fn of(given: &'g [GivenTarget]) -> Self {
        let (mut by_name, mut others) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for target in given {
            match &target.job {
                Some(job) => by_name
                    .entry(job.as_str())
                    .or_default()
                    .push(&target.labels),
                None => others.push(label_set(&target.labels)),
            }
        }
        Self { by_name, others }
    }

    /// The targets of a job.
    pub(crate) fn targets(&self, job: &Job) -> Vec<TargetLabels> {
        let targets = self.by_name.get(job.name.as_str()).into_iter().flatten();
        targets.map(|labels| (*labels).clone()).collect()
    }

    /// What is to be said of jobs that are not there.
    pub(crate) fn unknown(&self, is_there: impl Fn(&str) -> bool) -> Vec<String> {
        let strange = self.by_name.keys().filter(|name| !is_there(name));
        strange
            .map(|name| format!("{name}: the job does not exist"))
            .collect()
    }
}

/// Reads a file of targets.
///
/// # Errors
/// The fault of the text, with its line where there is one.
///
/// ```
/// use promgen_targets::discovery::given;
///
/// let given = given::read("- targets: [a:80, b:80]\n  labels: {team: x}\n").expect("a valid file");
/// assert_eq!(given.len(), 2);
/// assert_eq!(&*given[1].labels["__address__"], "b:80");
/// assert_eq!(&*given[1].labels["team"], "x");
/// ```
pub fn read(text: &str) -> Result<Vec<GivenTarget>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = TargetFileReader {
        file: TargetFile { text },
        names: Pool::default(),
        values: Pool::default(),
        given: Vec::new(),
        n_bytes: 0,
    };
    // JSON that YAML does not understand: `\/`, and characters as pairs of surrogates.
    if is_json(text)
        && let Ok(json) = serde_json::from_str(text)
    {
        reader.file.text = "";
        reader.document(&node(json))?;
        return Ok(reader.given);
    }
    let mut sink = Sink::default();
    let documents = parse(FileId::new(0), text, &mut sink);
    if let Some(fault) = sink.diagnostics().iter().find(|d| d.level == Level::Error) {
        return Err(fault.guarded_message());
    }
    for document in &documents {
        reader.document(&document.root)?;
    }
    Ok(reader.given)
}

/// Returns whether a text looks like JSON, of no more values than memory is to hold. The YAML reader bounds them
/// itself.
fn is_json(text: &str) -> bool {
    let n_values = || memchr::memchr3_iter(b',', b':', b'[', text.as_bytes()).count();
    text.trim_start().starts_with(['[', '{'])
        && text.len() <= MAX_BYTES
        && n_values() <= MAX_JSON_VALUES
}

/// JSON as a node without a place. Its depth is bounded by the parser.
fn node(json: serde_json::Value) -> Node {
    let data = match json {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(bool) => Data::String(bool.to_string().into()),
        serde_json::Value::Number(number) => Data::String(number.to_string().into()),
        serde_json::Value::String(text) => Data::String(text.into()),
        serde_json::Value::Array(items) => Data::Seq(items.into_iter().map(node).collect()),
        serde_json::Value::Object(entries) => {
            let entry = |(key, value): (String, _)| Entry {
                key: key.into(),
                key_span: Span::default(),
                value: node(value),
            };
            Data::Map(entries.into_iter().map(entry).collect())
        }
    };
    Node {
        span: Span::default(),
        data,
    }
}

struct TargetFileReader<'t> {
    file: TargetFile<'t>,
    names: Pool,
    values: Pool,
    given: Vec<GivenTarget>,
    /// The bytes of all labels so far.
    n_bytes: usize,
}

impl TargetFileReader<'_> {
    fn document(&mut self, root: &Node) -> Result<(), String> {
        match &root.data {
            Data::Seq(items) => items.iter().try_for_each(|item| self.item(item)),
            Data::Map(_) => self.answer(root),
            _ => Err(self.file.fault(root.span, "expected a list of targets")),
        }
    }

    /// An item of a list: of file discovery, or of promtool.
    fn item(&mut self, item: &Node) -> Result<(), String> {
        if item.get("discoveredLabels").is_some() {
            self.discovered(item, false)
        } else {
            self.group(item)
        }
    }

    /// A group of file discovery. Mirrors `targetgroup.Group`, which has two keys and refuses all others.
    fn group(&mut self, group: &Node) -> Result<(), String> {
        let Data::Map(entries) = &group.data else {
            return Err(self.file.fault(group.span, "expected a map of targets"));
        };
        if let Some(entry) = entries
            .iter()
            .find(|entry| !matches!(entry.key.as_ref(), "targets" | "labels"))
        {
            return Err(self.file.fault(
                entry.key_span,
                &format!("unknown field `{}` of a target group", entry.key),
            ));
        }
        let labels = group
            .get("labels")
            .map_or_else(|| Ok(TargetLabels::new()), |labels| self.labels(labels))?;
        let targets = self.file.list(group.get("targets"))?;
        self.count(&labels, targets.len(), group)?;
        for target in targets {
            let mut labels = labels.clone();
            labels.insert(
                Text::from_static(ADDRESS),
                Text::from(self.file.scalar(target)?),
            );
            self.given.push(GivenTarget {
                labels,
                job: None,
                was_dropped: false,
            });
        }
        Ok(())
    }

    /// Counts the labels of targets that have the same ones.
    fn count(&mut self, labels: &TargetLabels, n_targets: usize, of: &Node) -> Result<(), String> {
        let n_bytes = labels
            .iter()
            .map(|(name, value)| name.len() + value.len() + BYTES_PER_LABEL)
            .sum::<usize>();
        self.n_bytes = self
            .n_bytes
            .saturating_add(n_bytes.saturating_mul(n_targets));
        if self.n_bytes > MAX_LABEL_BYTES {
            let max = MAX_LABEL_BYTES >> 20;
            return Err(self.file.fault(
                of.span,
                &format!("the labels of all targets take more than {max} MiB"),
            ));
        }
        Ok(())
    }

    /// An answer of `/api/v1/targets`, or its `data` alone.
    fn answer(&mut self, root: &Node) -> Result<(), String> {
        if root.text_of("status") == Some("error") {
            let why = root.text_of("error").unwrap_or("no reason given");
            return Err(format!("the server answered with an error: {why}"));
        }
        let data = root.get("data").unwrap_or(root);
        let (active, dropped) = (data.get("activeTargets"), data.get("droppedTargets"));
        if active.is_none() && dropped.is_none() {
            return Err(self.file.fault(
                root.span,
                "neither a list of targets nor an answer of /api/v1/targets",
            ));
        }
        for (list, was_dropped) in [(active, false), (dropped, true)] {
            for target in self.file.list(list)? {
                self.discovered(target, was_dropped)?;
            }
        }
        Ok(())
    }

    fn discovered(&mut self, target: &Node, was_dropped: bool) -> Result<(), String> {
        let Some(labels) = target.get("discoveredLabels") else {
            return Err(self
                .file
                .fault(target.span, "a target without `discoveredLabels`"));
        };
        let labels = self.labels(labels)?;
        self.count(&labels, 1, target)?;
        let pool = target.text_of("scrapePool").map(Text::from);
        let job = Some(
            pool.or_else(|| labels.get("job").cloned())
                .unwrap_or_else(|| Text::from_static("")),
        );
        self.given.push(GivenTarget {
            labels,
            job,
            was_dropped,
        });
        Ok(())
    }

    fn labels(&mut self, labels: &Node) -> Result<TargetLabels, String> {
        match &labels.data {
            Data::Null => Ok(TargetLabels::new()),
            Data::Map(entries) => entries
                .iter()
                .map(|entry| {
                    let value = self.file.scalar(&entry.value)?;
                    Ok((
                        self.names.share(self.file.name(entry)),
                        self.values.share(value),
                    ))
                })
                .collect(),
            _ => Err(self.file.fault(labels.span, "expected a map of labels")),
        }
    }
}

/// The text of a file, for its values and for places in it. Empty if there are none.
#[derive(Clone, Copy)]
struct TargetFile<'t> {
    text: &'t str,
}

impl<'t> TargetFile<'t> {
    fn list(self, node: Option<&Node>) -> Result<&[Node], String> {
        match node.map(|node| (&node.data, node.span)) {
            None | Some((Data::Null, _)) => Ok(&[]),
            Some((Data::Seq(items), _)) => Ok(items),
            Some((_, span)) => Err(self.fault(span, "expected a list")),
        }
    }

    /// A scalar as Prometheus reads it where it expects text: `017` and `yes` stay what was written.
    fn scalar<'n>(self, node: &'n Node) -> Result<&'n str, String>
    where
        't: 'n,
    {
        match &node.data {
            Data::String(text) => Ok(text),
            Data::Null => Ok(""),
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => {
                Ok(self.written(node.span))
            }
            Data::Seq(_) | Data::Map(_) => Err(self.fault(node.span, "expected text")),
        }
    }

    /// A label's name. `y` is a name, though YAML reads it as a boolean.
    fn name<'n>(self, entry: &'n Entry) -> &'n str
    where
        't: 'n,
    {
        let written = self.written(entry.key_span);
        let is_plain = written
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_plain && !written.is_empty() {
            written
        } else {
            &entry.key
        }
    }

    fn written(self, span: Span) -> &'t str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    fn fault(self, span: Span, what: &str) -> String {
        if self.text.is_empty() {
            return what.to_owned();
        }
        let before = self
            .text
            .as_bytes()
            .get(..span.start as usize)
            .unwrap_or_default();
        format!(
            "line {}: {what}",
            memchr::memchr_iter(b'\n', before).count() + 1
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let line = |given: GivenTarget| {
            let labels: Vec<_> = given
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let job = given.job.map(|job| format!("[{job}] ")).unwrap_or_default();
            format!(
                "{job}{}{}",
                labels.join(" "),
                if given.was_dropped { " dropped" } else { "" }
            )
        };
        read(text).unwrap().into_iter().map(line).collect()
    }

    #[test]
    fn file_discovery_in_yaml_and_json() {
        assert_eq!(
            shown(
                "- targets: ['a:1', 'b:1']\n  labels: {v: 017, w: yes, x: 1.50, y: , z: text}\n- targets:\n- labels: {a: b}\n"
            ),
            [
                "__address__=a:1 v=017 w=yes x=1.50 y= z=text",
                "__address__=b:1 v=017 w=yes x=1.50 y= z=text"
            ]
        );
        assert_eq!(
            shown(
                "\u{feff}[\n\t{\"targets\": [\"a\\/b:1\"], \"labels\": {\"é\": \"\\u00fc \\ud83d\\ude00\", \"__address__\": \"lost\"}}\n]"
            ),
            ["__address__=a/b:1 é=ü 😀"]
        );
        assert!(shown("").is_empty() && shown("[]").is_empty());
    }

    #[test]
    fn answers_of_a_server_and_of_promtool() {
        let active = r#"{"discoveredLabels": {"__address__": "a", "job": "own"}, "labels": {"x": "y"}, "scrapePool": "pool", "health": "up"}"#;
        let dropped = r#"{"discoveredLabels": {"__address__": "b", "job": "own"}}"#;
        let data = format!(
            r#"{{"activeTargets": [{active}], "droppedTargets": [{dropped}], "droppedTargetCounts": {{"pool": 1}}}}"#
        );
        let expected = [
            "[pool] __address__=a job=own",
            "[own] __address__=b job=own dropped",
        ];
        assert_eq!(
            shown(&format!(r#"{{"status": "success", "data": {data}}}"#)),
            expected
        );
        assert_eq!(shown(&data), expected);
        assert_eq!(
            shown(&format!("[{active}, {dropped}]")),
            [
                "[pool] __address__=a job=own",
                "[own] __address__=b job=own"
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, expected) in [
            ("hello", "line 1: expected a list of targets"),
            (
                "a: 1",
                "line 1: neither a list of targets nor an answer of /api/v1/targets",
            ),
            (
                "- targets: []\n  label: {}\n",
                "line 2: unknown field `label` of a target group",
            ),
            ("- targets: a\n", "line 1: expected a list"),
            ("- targets: [[a]]\n", "line 1: expected text"),
            (
                "- targets: [a]\n  labels: [b]\n",
                "line 2: expected a map of labels",
            ),
            ("- 1\n", "line 1: expected a map of targets"),
            (
                "activeTargets: [{}]",
                "line 1: a target without `discoveredLabels`",
            ),
            ("[{\"targets\": {}}]", "expected a list"),
            (
                "{status: error, error: too bad}",
                "the server answered with an error: too bad",
            ),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()), "{text}");
        }
        let labels: String = (0..10_000).map(|i| format!("l{i}: x, ")).collect();
        let many = format!(
            "- labels: {{{labels}}}\n  targets: [{}]\n",
            "a, ".repeat(1000)
        );
        assert_eq!(
            read(&many),
            Err("line 1: the labels of all targets take more than 256 MiB".to_owned())
        );
        assert!(read("[{]").is_err() && read(&"[".repeat(100_000)).is_err() && read("\0").is_err());
    }
}
