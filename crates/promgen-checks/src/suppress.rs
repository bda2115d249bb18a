//! Suppressions: comments and annotations that allow findings.
//!
//! In: the findings of a run with their places, and the texts. Out: the remaining findings, the allowed findings, and
//! findings about invalid or unused suppressions. A comment is
//!
//! ```yaml
//! # promgen: allow(PG201, unused-field) reason
//! ```
//!
//! with codes, names, or prefixes of codes. After a value, it applies to its line. On its own line, it applies to the next
//! line that has more than a comment; above the first key of a document, it applies to the whole document. The line of a
//! finding is the line where its place begins. The annotation `promgen.dev/allow: "PG201, unused-field"` applies to its
//! resource.

mod comments;

use std::collections::BTreeMap;

use promgen_resources::document::Document;
use promgen_resources::locate::{self, FindingTexts};
use promgen_text::diag::pattern::RulePattern;
use promgen_text::diag::{Diagnostic, Place, RuleRef, Sink, rules};
use promgen_text::parallel;
use promgen_text::route::{At, DocId};
use promgen_text::source::{FileId, Sources, Span};
use promgen_text::yaml::Node;

rules! {
    /// ## What it does
    /// Finds comments and annotations that allow a finding that does not exist.
    ///
    /// ## Why is this bad?
    /// Either the finding is fixed, or the comment is in the wrong place. A later finding would be hidden. Some findings depend
    /// on options such as `--assume missing`. If you check the same manifests with several sets of options, ignore this rule
    /// in all but one.
    ///
    /// ## Example
    /// ```yaml
    /// # promgen: allow(PG201) shards come in pairs here
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {shards: 2}
    /// ```
    /// Use instead: no comment.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {shards: 2}
    /// ```
    UNUSED_SUPPRESSION = "PG040" "unused-suppression" Warning: "a comment or annotation that allows a finding that does not exist";

    /// ## What it does
    /// Finds comments and annotations that allow a rule that does not exist, or that have invalid syntax.
    ///
    /// ## Why is this bad?
    /// They have no effect.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata:
    ///   name: monitoring
    ///   annotations:
    ///     promgen.dev/allow: idle-shrad
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata:
    ///   name: monitoring
    /// ```
    UNKNOWN_SUPPRESSION = "PG041" "unknown-suppression" Warning: "a comment or annotation that allows an unknown rule";
}

/// The annotation.
const ANNOTATED: [&str; 3] = ["metadata", "annotations", "promgen.dev/allow"];

/// The scope of an allowance.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AllowanceScope {
    /// Findings whose place begins in a line, counted from 1.
    Line(usize),
    /// Findings whose place begins within these bytes: a document.
    Bytes(u32, u32),
}

/// Allowed rules of a place: one entry for each pattern.
#[derive(Debug)]
struct Allowance {
    pattern: RulePattern,
    /// Its place.
    places: Vec<Place>,
    is_used: bool,
}

/// All allowances of a run.
#[derive(Debug, Default)]
struct Allowances {
    all: Vec<Allowance>,
    by_line: BTreeMap<(FileId, usize), Vec<usize>>,
    /// By file and first byte; two ranges are disjoint or equal.
    by_bytes: BTreeMap<(FileId, u32), (u32, Vec<usize>)>,
    by_document: BTreeMap<DocId, Vec<usize>>,
}

/// Findings after suppression.
#[derive(Debug, Default)]
pub struct FilteredFindings {
    /// The remaining findings, in order, with the findings about allowances.
    pub kept: Vec<Diagnostic>,
    /// The allowed findings, in order.
    pub allowed: Vec<Diagnostic>,
}

/// Separates the findings that the user allows. `rules` are all existing rules.
pub fn apply(
    diagnostics: Vec<Diagnostic>,
    documents: &[Document],
    texts: FindingTexts<'_>,
    rules: &[RuleRef],
) -> FilteredFindings {
    let mut sink = Sink::default();
    let mut allowances = Allowances::default();
    for (id, file) in texts.sources.files().take(texts.n_manifests) {
        for comment in comments::comments(id, &file.text, documents) {
            allowances.add_comment(&comment, rules, &mut sink);
        }
    }
    let lists = parallel::map(documents, 256, |document| {
        document.node.find(&ANNOTATED).and_then(Node::as_str)
    });
    for (document, list) in documents.iter().zip(lists) {
        if let Some(list) = list {
            allowances.add_annotation(document.id, list, rules, &mut sink);
        }
    }
    if allowances.all.is_empty() && sink.diagnostics().is_empty() {
        return FilteredFindings {
            kept: diagnostics,
            allowed: Vec::new(),
        };
    }
    let (allowed, mut kept): (Vec<_>, Vec<_>) = diagnostics
        .into_iter()
        .partition(|diagnostic| allowances.allow(diagnostic, documents, texts.sources));
    allowances.report_unused(&mut sink);
    kept.extend(sink.into_diagnostics());
    FilteredFindings {
        kept: locate::place(kept, documents, texts),
        allowed,
    }
}

impl Allowances {
    fn add_comment(&mut self, comment: &comments::Comment<'_>, rules: &[RuleRef], sink: &mut Sink) {
        let file = comment.span.file;
        let Some(list) = comment.list else {
            let message = "invalid promgen comment";
            let help = "write `# promgen: allow(RULE, …) reason`";
            sink.report(Diagnostic::new(&UNKNOWN_SUPPRESSION, comment.span, message).help(help));
            return;
        };
        let place = comment.span.into();
        let patterns = parse(list, &place, rules, sink);
        let mut nothing = Vec::new();
        let numbers = match comment.scope {
            Some(AllowanceScope::Line(line)) => self.by_line.entry((file, line)).or_default(),
            Some(AllowanceScope::Bytes(start, end)) => {
                &mut self
                    .by_bytes
                    .entry((file, start))
                    .or_insert((end, Vec::new()))
                    .1
            }
            None => &mut nothing,
        };
        add(&mut self.all, numbers, patterns, &place);
    }

    fn add_annotation(&mut self, doc: DocId, list: &str, rules: &[RuleRef], sink: &mut Sink) {
        let place = ANNOTATED
            .iter()
            .fold(At::doc(doc), |at, key| at.key(*key))
            .into();
        let patterns = parse(list, &place, rules, sink);
        add(
            &mut self.all,
            self.by_document.entry(doc).or_default(),
            patterns,
            &place,
        );
    }

    /// Returns whether a finding is allowed. Marks every allowance that matches as used.
    fn allow(
        &mut self,
        diagnostic: &Diagnostic,
        documents: &[Document],
        sources: &Sources,
    ) -> bool {
        let Some(span) = diagnostic.span else {
            return false;
        };
        let line = sources.file(span.file).line_of(span.start);
        let by_line = self.by_line.get(&(span.file, line)).into_iter().flatten();
        let around = self.by_bytes.range(..=(span.file, span.start)).next_back();
        let around = around.filter(|((file, _), (end, _))| *file == span.file && span.start < *end);
        let by_bytes = around.into_iter().flat_map(|(_, (_, numbers))| numbers);
        let document =
            document_of(diagnostic, span, documents).and_then(|doc| self.by_document.get(&doc));
        let numbers: Vec<usize> = by_line
            .chain(by_bytes)
            .chain(document.into_iter().flatten())
            .copied()
            .collect();
        let mut is_allowed = false;
        for i in numbers {
            let allowance = &mut self.all[i];
            if allowance.pattern.matches(&diagnostic.rule) {
                allowance.is_used = true;
                is_allowed = true;
            }
        }
        is_allowed
    }

    fn report_unused(&self, sink: &mut Sink) {
        for Allowance {
            pattern, places, ..
        } in self.all.iter().filter(|allowance| !allowance.is_used)
        {
            for place in places {
                let message = format!("`{pattern}` is allowed here, but matches no finding");
                sink.report(
                    Diagnostic::new(&UNUSED_SUPPRESSION, place.clone(), message).help("remove it"),
                );
            }
        }
    }
}

/// The patterns of a list.
fn parse(list: &str, place: &Place, rules: &[RuleRef], sink: &mut Sink) -> Vec<RulePattern> {
    let mut patterns = Vec::new();
    for text in list.split(',') {
        match RulePattern::parse(text, rules) {
            Ok(pattern) => patterns.push(pattern),
            Err(why) => {
                let message = format!("`{}` cannot be allowed: {why}", text.trim());
                sink.report(Diagnostic::new(
                    &UNKNOWN_SUPPRESSION,
                    place.clone(),
                    message,
                ));
            }
        }
    }
    patterns
}

/// Adds patterns to those of a place, given by index. The number of distinct patterns is small.
fn add(
    all: &mut Vec<Allowance>,
    numbers: &mut Vec<usize>,
    patterns: Vec<RulePattern>,
    place: &Place,
) {
    for pattern in patterns {
        match numbers
            .iter()
            .find(|number| all[**number].pattern == pattern)
        {
            Some(number) => all[*number].places.push(place.clone()),
            None => {
                numbers.push(all.len());
                all.push(Allowance {
                    pattern,
                    places: vec![place.clone()],
                    is_used: false,
                });
            }
        }
    }
}

fn document_of(diagnostic: &Diagnostic, span: Span, documents: &[Document]) -> Option<DocId> {
    match diagnostic.place.as_ref()? {
        Place::At(at) | Place::Key(at) | Place::Within(at, _) => Some(at.doc),
        Place::Span(_) => locate::document_at(span, documents).map(|document| document.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::lint;
    use crate::rules;
    use promgen_compile::options::Options;
    use promgen_model::Project;
    use promgen_text::source::Input;

    /// The codes that stay, with their lines, and those that are allowed.
    fn filtered(text: &str) -> (String, String) {
        let options = Options {
            is_repository: true,
            ..Options::default()
        };
        let output = lint(&Project::read(&[Input::new("a.yaml", text)], &options));
        let list = |all: &[Diagnostic]| -> String {
            let line = |d: &Diagnostic| d.span.map_or(0, |span| output.sources.start(span).line);
            let found: Vec<_> = all
                .iter()
                .map(|d| format!("{}@{}", d.rule.code, line(d)))
                .collect();
            found.join(" ")
        };
        (list(&output.diagnostics), list(&output.suppressed))
    }

    const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\nspec:\n  selector: {}\n  color: red\n  colour: red\n";

    fn with(line: usize, text: &str) -> String {
        let mut lines: Vec<_> = MONITOR.lines().collect();
        lines.insert(line - 1, text);
        lines.join("\n") + "\n"
    }

    fn is(text: &str, kept: &str, allowed: &str) {
        assert_eq!(
            filtered(text),
            (kept.to_owned(), allowed.to_owned()),
            "{text}"
        );
    }

    #[test]
    fn a_comment_holds_for_its_line_or_the_next_one() {
        is(MONITOR, "PG010@6 PG010@7", "");
        is(&with(6, "  # promgen: allow(PG010)"), "PG010@8", "PG010@7");
        is(
            &with(
                6,
                "  # promgen: allow(unknown-field) because\n\n  # and more",
            ),
            "PG010@10",
            "PG010@9",
        );
        let behind = MONITOR.replace("color: red", "color: red # promgen: allow( pg010 , PG2 )");
        is(&behind, "PG040@6 PG010@7", "PG010@6");
        is(
            &with(6, "  # promgen: allow(PG010)\n  # promgen: allow(PG01)"),
            "PG010@9",
            "PG010@8",
        );
    }

    #[test]
    fn policies_are_allowed_by_their_codes() {
        let told = |list: &str, is_annotation: bool| {
            let text = match is_annotation {
                true => MONITOR.replace(
                    "{name: a}",
                    &format!("{{name: a, annotations: {{promgen.dev/allow: '{list}'}}}}"),
                ),
                false => format!("# promgen: allow({list}) reason\n{MONITOR}"),
            };
            let project = Project::read(&[Input::new("a.yaml", text)], &Options::default());
            let documents = project.as_written().documents;
            let found = ["x", "xy"].map(|name| {
                let at = At::doc(documents[0].id).key("spec");
                Diagnostic::new(promgen_text::diag::sample::policy(name), at, "wrong")
            });
            let mut rules = rules::all();
            rules.extend(found.iter().map(|of| of.rule.clone()));
            let found = locate::place(found.into(), &documents, project.places());
            let filtered = apply(found, &documents, project.places(), &rules);
            let codes = |found: &[Diagnostic]| {
                let codes: Vec<&str> = found.iter().map(|of| &*of.rule.code).collect();
                codes.join(" ")
            };
            (codes(&filtered.kept), codes(&filtered.allowed))
        };
        let is = |list, kept: &str, allowed: &str| {
            for is_annotation in [false, true] {
                let expected = (kept.to_owned(), allowed.to_owned());
                assert_eq!(told(list, is_annotation), expected, "{list}");
            }
        };
        is("policy/x", "policy/xy", "policy/x");
        is("policy/x, policy/xy", "", "policy/x policy/xy");
        is("policy", "", "policy/x policy/xy");
        is("PG", "PG040 policy/x policy/xy", "");
        is("x", "PG041 policy/x policy/xy", "");
        is("policy/X", "PG041 policy/x policy/xy", "");
    }

    #[test]
    fn above_a_document_it_holds_for_all_of_it() {
        is(
            &with(1, "# promgen: allow(PG010) legacy"),
            "",
            "PG010@7 PG010@8",
        );
        is(
            &with(1, "# promgen: allow(PG010) legacy\n---"),
            "",
            "PG010@8 PG010@9",
        );
        let two = format!(
            "{MONITOR}---\n# promgen: allow(PG010)\n{}",
            MONITOR.replace("name: a", "name: b")
        );
        is(&two, "PG010@6 PG010@7", "PG010@15 PG010@16");
        let list = "# promgen: allow(PG010)\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a, x: 1}}\n- {apiVersion: v1, kind: Secret, metadata: {name: b, x: 1}}\n";
        is(list, "", "PG010@5 PG010@6");
    }

    #[test]
    fn an_annotation_holds_for_its_resource() {
        let annotated = MONITOR.replace(
            "{name: a}",
            "{name: a, annotations: {promgen.dev/allow: \"PG010,idle-shard\"}}",
        );
        is(&annotated, "PG040@3", "PG010@6 PG010@7");
    }

    #[test]
    fn what_allows_nothing_is_told() {
        is(
            &with(4, "# promgen: allow(PG2011)"),
            "PG041@4 PG010@7 PG010@8",
            "",
        );
        is(
            &with(4, "# promgen: ignore PG010"),
            "PG041@4 PG010@7 PG010@8",
            "",
        );
        is(
            &with(4, "# promgen: allow(PG010)"),
            "PG040@4 PG010@7 PG010@8",
            "",
        );
        is(
            &format!("{MONITOR}# promgen: allow(PG010)\n"),
            "PG010@6 PG010@7 PG040@8",
            "",
        );
    }

    #[test]
    fn what_looks_like_a_comment_within_a_text_is_none() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    # promgen: allow(PG010)\n    x: y\n  b: 'x # promgen: allow(PG010)'\n  c: x#promgen:allow(PG010)\n";
        is(text, "", "");
        is(
            "kind: Deployment\napiVersion: apps/v1\nspec: |\n  # promgen: allow(PG010)\n",
            "",
            "",
        );
    }

    #[test]
    fn no_rule_can_be_forgotten() {
        assert!(
            RULES
                .iter()
                .all(|rule| rules::find(&rule.code) == Some((*rule).into()))
        );
    }
}
