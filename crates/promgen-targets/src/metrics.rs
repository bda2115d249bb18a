//! Files of metrics: what a target exposes, and what an API of Prometheus answers.
//!
//! In: a file that `--metrics` names. Out: its series, and the job that they are of.

use promgen_prometheus::relabel::LabelSet;
use promgen_text::source::Input;
use serde_json::Value;

/// A file of metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsFile {
    /// The job, if it is what a target exposes: the name of the file without folder and ending. `None`: of all jobs.
    pub job: Option<String>,
    /// The series, with the name of the metric in `__name__`. A name alone is a series without other labels.
    pub series: Vec<LabelSet>,
}

impl MetricsFile {
    /// Reads a file: an exposition in the text format, or JSON: the values of `__name__`, series, or the result of a query.
    ///
    /// # Errors
    /// It is neither.
    ///
    /// ```
    /// use promgen_targets::metrics::MetricsFile;
    /// use promgen_text::source::Input;
    ///
    /// let file = MetricsFile::read(&Input::new("dumps/api.prom", "requests_total{code=\"200\"} 3\n")).unwrap();
    /// assert_eq!(file.job.as_deref(), Some("api"));
    /// assert_eq!(file.series[0].get("code"), "200");
    /// ```
    pub fn read(file: &Input) -> Result<Self, String> {
        let text = String::from_utf8_lossy(&file.bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim_start().starts_with(['{', '[']) {
            match serde_json::from_str(text) {
                Ok(answer) => {
                    return Ok(Self {
                        job: None,
                        series: of_answer(&answer),
                    });
                }
                // A sample may begin with a brace, too.
                Err(error) if !text.trim_start().starts_with("{\"") => {
                    return Err(format!("it is no JSON: {error}"));
                }
                Err(_) => {}
            }
        }
        let series: Vec<LabelSet> = text.lines().filter_map(sample).collect();
        if series.is_empty() {
            return Err("it has no samples".to_owned());
        }
        Ok(Self {
            job: Some(stem(&file.name).to_owned()),
            series,
        })
    }

    /// The names of the metrics.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.series
            .iter()
            .map(|series| series.get("__name__"))
            .filter(|name| !name.is_empty())
    }
}

/// The name of a file without its folder and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The series that an answer of Prometheus names.
fn of_answer(answer: &Value) -> Vec<LabelSet> {
    let data = answer.get("data").unwrap_or(answer);
    let items = data
        .get("result")
        .unwrap_or(data)
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    items.iter().filter_map(of_item).collect()
}

fn of_item(item: &Value) -> Option<LabelSet> {
    if let Some(name) = item.as_str() {
        return Some([("__name__", name)].into_iter().collect());
    }
    let labels = item.get("metric").unwrap_or(item).as_object()?;
    Some(
        labels
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
            .collect(),
    )
}

/// The series of a line of an exposition.
fn sample(line: &str) -> Option<LabelSet> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (name, behind) = line.split_at(line.find(['{', ' ', '\t'])?);
    let mut series = LabelSet::default();
    series.set("__name__", name);
    let Some(labels) = behind.strip_prefix('{') else {
        return Some(series);
    };
    let mut rest = labels.trim_start_matches([' ', ',']);
    while !rest.starts_with('}') {
        let (key, behind) = word(rest)?;
        match behind.trim_start().strip_prefix('=') {
            Some(behind) => {
                let (value, behind) = quoted(behind.trim_start())?;
                series.set(key, value);
                rest = behind;
            }
            // A name that is no plain one stands in the braces, in quotes.
            None if name.is_empty() => {
                series.set("__name__", key);
                rest = behind;
            }
            None => return None,
        }
        rest = rest.trim_start_matches([' ', ',']);
    }
    Some(series)
}

/// A name in front of a text, in quotes or not, and what is behind.
fn word(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        return quoted(text);
    }
    let end = text.find(['=', ',', ' ', '}'])?;
    Some((text[..end].to_owned(), &text[end..])).filter(|(name, _)| !name.is_empty())
}

/// A text in quotes in front of a text, and what is behind.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &inner[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<MetricsFile, String> {
        MetricsFile::read(&Input::new(name, text))
    }

    #[test]
    fn answers_of_the_api_are_about_all_jobs() {
        for text in [
            r#"{"status": "success", "data": ["a", "b"]}"#,
            r#"["a", "b"]"#,
            r#"{"data": [{"__name__": "a", "job": "x"}, {"__name__": "b"}]}"#,
            r#"{"data": {"resultType": "vector", "result": [{"metric": {"__name__": "a"}, "value": [0, "1"]}, {"metric": {"__name__": "b"}}]}}"#,
        ] {
            let file = read("names.json", text).unwrap();
            assert_eq!(
                (file.job.as_deref(), file.names().collect::<Vec<_>>()),
                (None, vec!["a", "b"]),
                "{text}"
            );
        }
        assert!(
            read("names.json", "{broken")
                .unwrap_err()
                .starts_with("it is no JSON: ")
        );
    }

    #[test]
    fn what_a_target_exposes_is_about_its_job() {
        let text = "# HELP a About.\n# TYPE a counter\na{x=\"1 } \\\"\\n\", y=\"2\",} 3\nb 4 1700000000\n{\"c.d\", x=\"1\"} 1\n# EOF\n";
        let file = read("dumps/api.prom", text).unwrap();
        assert_eq!(file.job.as_deref(), Some("api"));
        assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b", "c.d"]);
        assert_eq!(
            (file.series[0].get("x"), file.series[0].get("y")),
            ("1 } \"\n", "2")
        );
        let file = read("api", "{\"c.d\", x=\"1\"} 1\n").unwrap();
        assert_eq!(
            (file.names().next(), file.series[0].get("x")),
            (Some("c.d"), "1")
        );
    }

    #[test]
    fn lines_that_are_no_samples_are_left_out() {
        for text in [
            "",
            "# EOF\n",
            "a{x=\"1 3\n",
            "a{x} 1\n",
            "a{=\"1\"} 1\n",
            "hello\n",
        ] {
            let found = read("api.prom", text);
            assert!(
                found
                    .as_ref()
                    .is_err_and(|error| error == "it has no samples"),
                "{text}: {found:?}"
            );
        }
    }
}
