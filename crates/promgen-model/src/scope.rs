//! What concerns the operator: the findings about its resources and what they refer to, among findings about everything.
//!
//! In: the findings of a run with their places. Out: those that concern the operator, one for all files
//! that do not parse, and the number of the others.

use crate::nodes;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_resources::{document, schema};
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, LintRule};
use promgen_text::source::{FileId, Sources, Span};
use promgen_text::yaml;
use promgen_text::yaml::Node;

/// The group of the operator's resources. A text that names it concerns the operator.
const GROUP: &str = "monitoring.coreos.com/";

/// Findings by whether they concern the operator.
#[derive(Debug, Default)]
pub struct ScopedFindings {
    /// The findings that concern it, and a summary of files that do not parse.
    pub kept: Vec<Diagnostic>,
    /// The number of those that do not.
    pub n_others: usize,
}

/// Leaves out findings about the form of documents that neither are resources of the operator nor are referred to by one.
/// `level` is that of files that do not parse.
#[must_use]
pub fn apply(
    diagnostics: Vec<Diagnostic>,
    documents: &[Document],
    sources: &Sources,
    level: Level,
) -> ScopedFindings {
    // Most runs ask for none.
    let names = LazyCell::new(|| mentioned(documents));
    let mut scoped = ScopedFindings::default();
    let mut unreadable: BTreeMap<&str, (Span, BTreeSet<FileId>)> = BTreeMap::new();
    for diagnostic in diagnostics {
        if !is_about_form(&diagnostic.rule)
            || concerns(&diagnostic, |name| names.contains(name), sources)
        {
            scoped.kept.push(diagnostic);
            continue;
        }
        scoped.n_others += 1;
        if let Some(span) = diagnostic
            .span
            .filter(|_| *diagnostic.rule == yaml::read::INVALID_YAML)
        {
            let name = &sources.file(span.file).name;
            let folder = name.rfind('/').map_or(".", |at| &name[..at]);
            unreadable
                .entry(folder)
                .or_insert((span, BTreeSet::new()))
                .1
                .insert(span.file);
        }
    }
    if !unreadable.is_empty() {
        scoped.n_others -= 1;
        scoped.kept.push(summary(&unreadable, level));
    }
    scoped.kept.sort_by_key(|diagnostic| diagnostic.span);
    scoped
}

/// Returns whether a rule is about the form of any document, rather than about the operator.
fn is_about_form(rule: &LintRule) -> bool {
    // What cannot be read at all may be anything.
    let of_yaml = [&yaml::read::INVALID_YAML, &yaml::read::DUPLICATE_KEY];
    let of_documents = [
        schema::RULES,
        document::RULES,
        promgen_compile::cluster::RULES,
        promgen_compile::cluster::converted::RULES,
    ];
    of_yaml.contains(&rule)
        || of_documents
            .into_iter()
            .flatten()
            .any(|other| other.code == rule.code)
}

/// The maximum number of folders in a summary.
const MAX_FOLDERS: usize = 30;

fn summary(unreadable: &BTreeMap<&str, (Span, BTreeSet<FileId>)>, level: Level) -> Diagnostic {
    let n_files: usize = unreadable.values().map(|(_, files)| files.len()).sum();
    let do_not = if n_files == 1 {
        "1 file does not"
    } else {
        &format!("{n_files} files do not")
    };
    let place = match unreadable.keys().next() {
        Some(folder) if unreadable.len() == 1 => format!(" in `{folder}`"),
        _ => String::new(),
    };
    let message = format!("{do_not} parse{place}, without a resource of the operator: skipped");
    let first = unreadable
        .values()
        .map(|(first, _)| *first)
        .min()
        .unwrap_or_default();
    let mut diagnostic = Diagnostic::new(&yaml::read::INVALID_YAML, first, message).level(level);
    diagnostic.span = Some(Span::new(first.file, first.start, first.start));
    // The text may be a Secret.
    diagnostic.is_hidden = true;
    if unreadable.len() > 1 {
        let line = |(folder, (_, files)): (&&str, &(Span, BTreeSet<FileId>))| {
            format!("{folder} ({})", counted(files.len(), "file"))
        };
        diagnostic
            .help
            .extend(unreadable.iter().take(MAX_FOLDERS).map(line));
        let n_more = unreadable.len().saturating_sub(MAX_FOLDERS);
        diagnostic
            .help
            .extend((n_more > 0).then(|| format!("and {n_more} more")));
    }
    diagnostic.help("`promgen lint --all` shows the errors")
}

/// Every text in the resources of the operator: the names that they refer to are among them.
fn mentioned(documents: &[Document]) -> BTreeSet<&str> {
    let own = documents
        .iter()
        .filter(|document| is_of_operator(document.kind.group()));
    nodes::all(own.map(|document| &*document.node))
        .filter_map(Node::as_str)
        .collect()
}

fn is_of_operator(group: &str) -> bool {
    GROUP.strip_suffix('/') == Some(group)
}

/// Returns whether a finding is about a resource of the operator, or about an object that one of them names.
fn concerns(
    diagnostic: &Diagnostic,
    is_mentioned: impl Fn(&str) -> bool,
    sources: &Sources,
) -> bool {
    // Of two objects in one, the other one may be the operator's.
    let is_twice = *diagnostic.rule == yaml::read::DUPLICATE_KEY;
    if is_twice
        && diagnostic
            .span
            .is_some_and(|span| has_object(part_around(span, sources)))
    {
        return true;
    }
    match (&diagnostic.resource, diagnostic.span) {
        (Some(resource), _) => {
            let kind = Kind::ALL.iter().find(|kind| kind.as_str() == resource.kind);
            kind.is_some_and(|kind| is_of_operator(kind.group()))
                || !resource.name.is_empty() && is_mentioned(&resource.name)
        }
        (None, Some(span)) => {
            let part = part_around(span, sources);
            let is_unread = *diagnostic.rule == yaml::read::INVALID_YAML;
            // Whoever applies the file applies the resources beside it, and stops at what does not parse.
            (part.contains(GROUP) && !is_twice)
                || is_unread
                    && (sources.file(span.file).text.contains(GROUP)
                        || referred_name(part).is_some_and(is_mentioned))
        }
        (None, None) => true,
    }
}

/// Returns whether a text that parses has a resource of the operator: others may name the group in a text.
fn has_object(part: &str) -> bool {
    let is_type = |(at, _): (usize, &str)| {
        let before = part[..at].trim_end_matches(['"', '\'', ' ', '\t', ':']);
        before.ends_with("apiVersion")
    };
    part.match_indices(GROUP).any(is_type)
}

/// The kinds of objects that resources of the operator refer to by name.
const REFERRED: [&str; 4] = ["Secret", "ConfigMap", "Service", "ServiceAccount"];

/// The first name in a text that does not parse, if it is that of an object which the operator's resources may refer to.
fn referred_name(part: &str) -> Option<&str> {
    let kind = written(part, "kind:")?;
    written(part, "name:").filter(|_| REFERRED.contains(&kind))
}

/// The first value of a key, with its colon, in a text that does not parse.
pub(crate) fn written<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(key)?;
    let end = rest.find([',', '}', '\n']).unwrap_or(rest.len());
    let value = rest[..end].trim().trim_matches(['"', '\'']);
    Some(value).filter(|value| !value.is_empty())
}

/// The text of the document around a place, as far as the lines `---` show.
pub(crate) fn part_around(span: Span, sources: &Sources) -> &str {
    let text = &sources.file(span.file).text;
    let at = (span.start as usize).min(text.len());
    let start = text
        .get(..at)
        .and_then(|before| before.rfind("\n---"))
        .unwrap_or(0);
    let end = text
        .get(at..)
        .and_then(|after| after.find("\n---"))
        .map_or(text.len(), |length| at + length);
    text.get(start..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_name_the_group_without_an_object() {
        for text in [
            "apiVersion: monitoring.coreos.com/v1\nkind: Probe\n",
            "{\"kind\":\"Probe\",\"apiVersion\":\"monitoring.coreos.com/v1\"}",
            "a: 1\nitems:\n- apiVersion: 'monitoring.coreos.com/v1'\n",
        ] {
            assert!(has_object(text), "{text}");
        }
        for text in [
            "{\"url\": \"../api.md#monitoring.coreos.com/v1.{{ .Type }}\"}",
            "groups: [monitoring.coreos.com/v1]\n",
            "apiVersion: v1\ndata: {a: 1, b: monitoring.coreos.com/v1}\n",
        ] {
            assert!(!has_object(text), "{text}");
        }
    }
}
