//! The fields of scrape jobs that Prometheus reads itself, by its version.
//!
//! They stand in the table of [`facts`](crate::facts), by the release of the operator that reads them first. The package of Prometheus
//! in a release is of the version that the release deploys by default.

use std::collections::BTreeMap;

use crate::facts::code_rows;
use crate::release::{RELEASES, Release};
use promgen_text::source::Span;
use promgen_text::suggest::closest;
use promgen_text::version::Version;
use promgen_text::yaml::{Data, Entry, Node};

/// Fields that Prometheus had before the first release whose code the table knows.
const OLDER: [JobField; 1] = [JobField {
    name: "scrape_classic_histograms",
    since: "",
    of: "boolean",
}];

/// The oldest version of Prometheus whose fields were compared: those of the table, with [`OLDER`], are all that it and later
/// ones have.
const OLDEST: &str = "2.42.0";

/// The most parts that are named as the place of a field.
const MAX_HOMES: usize = 3;

/// A field of a job or of a part of it.
#[derive(Clone, Copy, Debug)]
struct JobField {
    name: &'static str,
    /// The first release of which it is known. Empty for one that is older than the table.
    since: &'static str,
    /// The notation of its type.
    of: &'static str,
}

/// The fields of a job and of its parts, by the path of the part; empty for the job.
#[derive(Clone, Debug)]
pub struct JobFields {
    parts: BTreeMap<&'static str, Vec<JobField>>,
    /// The releases at which fields were added, the first one that was read among them, in order.
    read: Vec<&'static Release>,
}

/// A field of a job that Prometheus does not know.
#[derive(Clone, Debug)]
pub struct UnknownJobField<'n> {
    /// The owner of the field: `a job`, `tls_config of a job`.
    pub of: String,
    /// The field.
    pub entry: &'n Entry,
    /// The field that it almost is.
    pub meant: Option<&'static str>,
    /// The parts of a job that have a field of that very name, as words. `None` if none has it, or many have.
    pub home: Option<String>,
    /// The version of Prometheus that may be the first one with the field.
    pub since: Option<&'static str>,
    /// The version of Prometheus surely lacks it, so that it refuses the configuration.
    pub is_proven: bool,
}

impl Default for JobFields {
    fn default() -> Self {
        Self::of_table()
    }
}

impl JobFields {
    /// What the table has of any release: what one has no longer, an older Prometheus knows.
    #[must_use]
    pub fn of_table() -> Self {
        let mut parts: BTreeMap<&str, Vec<JobField>> = BTreeMap::from([("", OLDER.to_vec())]);
        let mut read = Vec::new();
        for row in code_rows("job") {
            let (part, name) = row.name.rsplit_once('.').unwrap_or(("", row.name));
            let fields = parts.entry(part).or_default();
            if !fields.iter().any(|field| field.name == name) {
                fields.push(JobField {
                    name,
                    since: row.since,
                    of: row.value,
                });
            }
            read.extend(
                RELEASES
                    .iter()
                    .filter(|release| release.operator == row.since),
            );
        }
        read.sort_by(|a, b| a.version.cmp(&b.version));
        read.dedup();
        Self { parts, read }
    }

    /// Returns whether a part of a job may have a field of that name.
    #[must_use]
    pub fn has(&self, part: &str, name: &str) -> bool {
        self.parts
            .get(part)
            .is_some_and(|fields| fields.iter().any(|field| field.name == name))
    }

    /// The fields of a job that a version of Prometheus does not know; without a version, those that are almost fields: a version
    /// may have more than the table.
    #[must_use]
    pub fn unknown<'n>(
        &self,
        job: &'n Node,
        prometheus: Option<&Version>,
    ) -> Vec<UnknownJobField<'n>> {
        self.walk(job, "", prometheus).found
    }

    /// The values of a job that are not of the types of their fields.
    #[must_use]
    pub fn mistyped(&self, job: &Node) -> Vec<MistypedJobValue> {
        self.walk(job, "", None).mistyped
    }

    /// The fields of a relabeling rule that stands in no job, and that no version knows; and its values of other types.
    #[must_use]
    pub fn of_rule<'n>(
        &self,
        rule: &'n Node,
        prometheus: Option<&Version>,
    ) -> (Vec<UnknownJobField<'n>>, Vec<MistypedJobValue>) {
        let walk = self.walk(rule, "relabel_configs[]", prometheus);
        (walk.found, walk.mistyped)
    }

    fn walk<'f, 'n>(
        &'f self,
        node: &'n Node,
        path: &str,
        prometheus: Option<&'f Version>,
    ) -> JobWalk<'f, 'n> {
        let mut walk = JobWalk {
            fields: self,
            prometheus,
            found: Vec::new(),
            mistyped: Vec::new(),
        };
        walk.check(node, path);
        walk
    }

    /// The parts of a job that have a field of that name. `None` if none has it, or many have.
    fn home(&self, name: &str) -> Option<String> {
        let has = |fields: &Vec<JobField>| fields.iter().any(|field| field.name == name);
        let parts =
            self.parts
                .iter()
                .filter(|(_, fields)| has(fields))
                .map(|(path, _)| match *path {
                    "" => "the job itself".to_owned(),
                    path => format!("`{path}`"),
                });
        let parts: Vec<String> = parts.take(MAX_HOMES + 1).collect();
        (1..=MAX_HOMES)
            .contains(&parts.len())
            .then(|| format!("`{name}` belongs in {}", parts.join(" or ")))
    }

    /// Returns whether a version of Prometheus surely lacks a field that was added at a release.
    fn is_before(&self, since: &str, prometheus: &Version) -> bool {
        let before = self
            .read
            .iter()
            .take_while(|release| release.operator != since)
            .last();
        before.is_some_and(|release| is_at_most(prometheus, release))
    }

    /// Returns whether all fields of a version of Prometheus are in the table.
    fn knows(&self, prometheus: &Version) -> bool {
        let newest = RELEASES.iter().rev().find(|release| release.is_verified);
        let is_old = Version::parse(OLDEST).is_none_or(|oldest| *prometheus < oldest);
        !is_old && newest.is_some_and(|newest| is_at_most(prometheus, newest))
    }
}

fn is_at_most(prometheus: &Version, release: &Release) -> bool {
    Version::parse(release.prometheus).is_some_and(|default| *prometheus <= default)
}

/// A value of a job that is not of the type of its field, so that Prometheus refuses the configuration.
#[derive(Clone, Debug)]
pub struct MistypedJobValue {
    /// The owner of the field: `a job`, `tls_config of a job`.
    pub of: String,
    /// The field.
    pub field: String,
    /// What it must be: `a list`.
    pub wants: &'static str,
    /// The place of the value.
    pub span: Span,
    /// The value, if it is a text, which may stand for something that is filled in later.
    pub text: Option<String>,
}

/// What a value of a type must be, if one is not.
fn mistyped(node: &Node, of: &str) -> Option<&'static str> {
    if node.is_null() {
        return None;
    }
    let (fits, wants) = match of {
        list if list.starts_with("[]") => (node.is_list(), "a list"),
        map if map.starts_with("{}") || map == "object" => (node.is_map(), "a map"),
        "boolean" => (matches!(node.data, Data::Bool(_)), "true or false"),
        "integer" => (
            matches!(node.data, Data::Int(_) | Data::Uint(_)),
            "a whole number",
        ),
        "number" => (
            matches!(node.data, Data::Int(_) | Data::Uint(_) | Data::Float(_)),
            "a number",
        ),
        "string" => (!node.is_collection(), "one text"),
        _ => return None,
    };
    (!fits).then_some(wants)
}

struct JobWalk<'f, 'n> {
    fields: &'f JobFields,
    prometheus: Option<&'f Version>,
    found: Vec<UnknownJobField<'n>>,
    mistyped: Vec<MistypedJobValue>,
}

impl<'n> JobWalk<'_, 'n> {
    /// Looks at the fields of a part, and then at the parts below it.
    fn check(&mut self, node: &'n Node, path: &str) {
        let Some(known) = self.fields.parts.get(path) else {
            return;
        };
        let field = |key: &str| known.iter().find(|field| field.name == key);
        for entry in node
            .entries()
            .iter()
            .filter(|entry| !entry.key.contains("{{"))
        {
            let mut home = None;
            let (meant, since, is_proven) = match (field(&entry.key), self.prometheus) {
                (Some(field), Some(version)) if self.fields.is_before(field.since, version) => {
                    let release = self
                        .fields
                        .read
                        .iter()
                        .find(|release| release.operator == field.since);
                    (None, release.map(|release| release.prometheus), true)
                }
                (Some(_), _) => continue,
                (None, version) => {
                    home = self.fields.home(&entry.key);
                    let meant = closest(&entry.key, known.iter().map(|field| field.name))
                        .filter(|_| home.is_none());
                    (
                        meant,
                        None,
                        version.is_some_and(|version| self.fields.knows(version)),
                    )
                }
            };
            if is_proven || meant.is_some() || home.is_some() {
                self.found.push(UnknownJobField {
                    of: shown(path),
                    entry,
                    meant,
                    home,
                    since,
                    is_proven,
                });
            }
        }
        for entry in node.entries() {
            let Some(field) = field(&entry.key) else {
                continue;
            };
            let at = if path.is_empty() {
                field.name.to_owned()
            } else {
                format!("{path}.{}", field.name)
            };
            self.below(&entry.value, &at, field.of);
        }
    }

    /// Looks at a value by its type: an object, or a list or map of them.
    fn below(&mut self, node: &'n Node, path: &str, of: &str) {
        if let Some(wants) = mistyped(node, of) {
            let (part, field) = path.rsplit_once('.').unwrap_or(("", path));
            self.mistyped.push(MistypedJobValue {
                of: shown(part),
                field: field.replace("[]", "").replace("{}", ""),
                wants,
                span: node.span,
                text: node.as_str().map(str::to_owned),
            });
        } else if let Some(of) = of.strip_prefix("[]") {
            let path = format!("{path}[]");
            node.items()
                .iter()
                .for_each(|item| self.below(item, &path, of));
        } else if let Some(of) = of.strip_prefix("{}") {
            let path = format!("{path}{{}}");
            node.entries()
                .iter()
                .for_each(|entry| self.below(&entry.value, &path, of));
        } else {
            self.check(node, path);
        }
    }
}

/// The name of a path in a message.
fn shown(path: &str) -> String {
    match path {
        "" => "a job".to_owned(),
        path => format!("{} of a job", path.replace("[]", "").replace("{}", "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[test]
    fn the_table_has_the_fields_of_prometheus() {
        let fields = JobFields::of_table();
        for field in [
            "digitalocean_sd_configs",
            "enable_http2",
            "convert_classic_histograms_to_nhcb",
            "extra_scrape_metrics",
            "native_histogram_min_bucket_factor",
            "no_proxy",
            "tls_config",
        ] {
            assert!(fields.has("", field), "{field}");
        }
        for part in [
            "relabel_configs[]",
            "static_configs[]",
            "tls_config",
            "basic_auth",
            "authorization",
            "oauth2.tls_config",
        ] {
            assert!(fields.parts.contains_key(part), "{part}");
        }
    }

    /// The fields of a job that a version of Prometheus surely lacks.
    fn proven(job: &str, prometheus: &str) -> Vec<String> {
        let documents = read(FileId::new(0), job, &mut Sink::default());
        let version = Version::parse(prometheus).unwrap();
        let found = JobFields::of_table()
            .unknown(&documents[0].root, Some(&version))
            .into_iter();
        found
            .filter(|found| found.is_proven)
            .map(|found| found.entry.key.to_string())
            .collect()
    }

    #[test]
    fn what_a_version_lacks_is_proven_by_the_releases_around_it() {
        let job =
            "{job_name: a, oci_sd_configs: [], brand_new: 1, relabel_configs: [{made_up: a}]}";
        assert_eq!(
            proven(job, "v3.12.0"),
            ["oci_sd_configs", "brand_new", "made_up"]
        );
        assert_eq!(proven(job, "v3.14.0"), ["brand_new", "made_up"]);
        // Between two releases that were read, nobody knows; nor of what is newer or older than all.
        assert_eq!(proven(job, "v3.13.1"), ["brand_new", "made_up"]);
        assert_eq!(proven(job, "v3.15.0"), [""; 0]);
        assert_eq!(
            proven(job, "v2.55.0"),
            ["oci_sd_configs", "brand_new", "made_up"]
        );
        assert_eq!(proven(job, "v2.30.0"), ["oci_sd_configs"]);
    }

    #[test]
    fn values_of_another_type_are_found() {
        let job = "{job_name: 1, honor_labels: 'true', sample_limit: '${N}', label_limit: many, params: {module: a}, \
                   static_configs: {targets: [a]}, relabel_configs: [{source_labels: a, regex: 5}], tls_config: null, \
                   metrics_path: [/m], native_histogram_min_bucket_factor: 2}";
        let documents = read(FileId::new(0), job, &mut Sink::default());
        let found: Vec<String> = JobFields::of_table()
            .mistyped(&documents[0].root)
            .iter()
            .filter(|found| found.field != "sample_limit")
            .map(|found| format!("{} of {}: {}", found.field, found.of, found.wants))
            .collect();
        assert_eq!(
            found,
            [
                "honor_labels of a job: true or false",
                "label_limit of a job: a whole number",
                "params of a job: a list",
                "static_configs of a job: a list",
                "source_labels of relabel_configs of a job: a list",
                "metrics_path of a job: one text",
            ]
        );
    }
}
