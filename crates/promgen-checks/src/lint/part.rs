//! The findings of some environments, as a file that another machine goes on with.
//!
//! In: what [`of_environments`](super) found, with all places resolved. Out: JSON, and the same findings again. What they need to be
//! joined and printed is kept; how a fix was described before it became edits is not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use promgen_model::Project;
use promgen_policy::{JudgedCounts, UserPolicies};
use promgen_resources::api::Kind;
use promgen_text::diag::fix::{Edit, Fix};
use promgen_text::diag::{Diagnostic, Level, Place, RuleRef, Subject};
use promgen_text::source::{FileId, Sources, Span};
use serde::{Deserialize, Serialize};

use super::seen::SeenResources;
use super::{EnvironmentFindings, all_rules};
use promgen_text::CollectOrdered;

/// The format's version.
const VERSION: u32 = 1;

/// The findings of some environments.
#[derive(Default)]
pub struct LintPart {
    /// The numbers of the environments that were to be checked: a limit may have left some out.
    pub(super) asked: Vec<usize>,
    pub(super) checked: Vec<EnvironmentFindings>,
}

impl LintPart {
    /// Puts parts together.
    #[must_use]
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.asked.extend(part.asked);
            all.checked.extend(part.checked);
        }
        all.asked.sort_unstable();
        all.checked.sort_by_key(|one| one.number);
        all.checked.dedup_by_key(|one| one.number);
        all
    }

    /// Returns whether it has an environment, checked or left out.
    #[must_use]
    pub fn has(&self, environment: usize) -> bool {
        self.asked.contains(&environment)
    }

    /// The part as JSON. `digest`: what the findings are of.
    ///
    /// # Errors
    /// A finding cannot be written as JSON.
    pub fn to_json(&self, digest: &str, sources: &Sources) -> Result<String, serde_json::Error> {
        let files = sources
            .files()
            .map(|(id, file)| (id.number(), file.name.clone()))
            .collect();
        let environments = self.checked.iter().map(PartEnvironment::of).collect();
        let (command, digest, asked) = ("lint".to_owned(), digest.to_owned(), self.asked.clone());
        serde_json::to_string(&PartFile {
            version: VERSION,
            command,
            digest,
            files,
            asked,
            environments,
        })
    }

    /// A part from JSON. `digest`: what its findings have to be of.
    ///
    /// # Errors
    /// It is no part, or of something else.
    pub fn from_json(text: &str, digest: &str, project: &Project) -> Result<Self, String> {
        let sources = project.sources();
        let rules = all_rules(&UserPolicies::of(project));
        let mut file: PartFile =
            serde_json::from_str(text).map_err(|error| format!("no part of a lint: {error}"))?;
        if file.version != VERSION {
            return Err(format!(
                "of version {}, and this promgen reads version {VERSION}",
                file.version
            ));
        }
        if file.digest != digest {
            return Err("of other files, other options or another promgen".to_owned());
        }
        // Another machine may have read other files beside those of the lint, and numbers them otherwise.
        let ids: BTreeMap<&str, FileId> = sources
            .files()
            .map(|(id, file)| (file.name.as_str(), id))
            .collect_map();
        let known = file
            .files
            .iter()
            .filter_map(|(number, name)| Some((*number, *ids.get(name.as_str())?)));
        let ids: BTreeMap<u32, FileId> = known.collect_map();
        let mut is_known = true;
        for environment in &mut file.environments {
            environment.each_span(&mut |PartSpan(file, start, end)| match ids.get(file) {
                Some(id) if is_within(sources, *id, *start..*end) => *file = id.number(),
                _ => is_known = false,
            });
        }
        if !is_known {
            return Err("about files that are not read here".to_owned());
        }
        let checked = file
            .environments
            .into_iter()
            .map(|environment| environment.findings(&rules))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            asked: file.asked,
            checked,
        })
    }
}

/// Returns whether a file has these bytes: a part may be damaged.
fn is_within(sources: &Sources, file: FileId, bytes: Range<u32>) -> bool {
    sources
        .file(file)
        .text
        .get(bytes.start as usize..bytes.end as usize)
        .is_some()
}

#[derive(Serialize, Deserialize)]
struct PartFile {
    version: u32,
    command: String,
    digest: String,
    /// The names of the files, by their numbers.
    files: Vec<(u32, String)>,
    asked: Vec<usize>,
    environments: Vec<PartEnvironment>,
}

#[derive(Serialize, Deserialize)]
struct PartEnvironment {
    number: usize,
    spent: u64,
    seen: PartSeen,
    findings: Vec<PartFinding>,
}

impl PartEnvironment {
    fn of(findings: &EnvironmentFindings) -> Self {
        let EnvironmentFindings {
            number,
            found,
            seen,
            spent,
        } = findings;
        let findings = found.iter().map(PartFinding::of).collect();
        Self {
            number: *number,
            spent: *spent,
            seen: PartSeen::of(seen),
            findings,
        }
    }

    fn each_span(&mut self, change: &mut impl FnMut(&mut PartSpan)) {
        let seen = &mut self.seen;
        seen.rules.iter_mut().for_each(|(span, ..)| change(span));
        seen.monitors.iter_mut().for_each(|(span, ..)| change(span));
        let lists = [
            &mut seen.alertmanager_configs,
            &mut seen.selecting,
            &mut seen.resources,
        ];
        let alike = seen.lookalikes.iter_mut().map(|(_, spans)| spans);
        lists
            .into_iter()
            .chain(alike)
            .flatten()
            .for_each(&mut *change);
        for finding in &mut self.findings {
            let edits = finding
                .fix
                .iter_mut()
                .flat_map(|fix| &mut fix.edits)
                .map(|(span, _)| span);
            let related = finding.related.iter_mut().map(|(span, _)| span);
            finding
                .span
                .iter_mut()
                .chain(related)
                .chain(edits)
                .for_each(&mut *change);
        }
    }

    fn findings(self, all: &[RuleRef]) -> Result<EnvironmentFindings, String> {
        let found = self
            .findings
            .into_iter()
            .map(|finding| finding.diagnostic(self.number, all))
            .collect::<Result<_, _>>()?;
        Ok(EnvironmentFindings {
            number: self.number,
            found,
            seen: self.seen.resources(),
            spent: self.spent,
        })
    }
}

/// File, first byte, one past the last.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct PartSpan(u32, u32, u32);

impl From<Span> for PartSpan {
    fn from(span: Span) -> Self {
        Self(span.file.number(), span.start, span.end)
    }
}

impl From<PartSpan> for Span {
    fn from(PartSpan(file, start, end): PartSpan) -> Self {
        Self::new(FileId::new(file), start, end)
    }
}

#[derive(Serialize, Deserialize)]
struct PartFinding {
    rule: String,
    level: Level,
    message: String,
    span: Option<PartSpan>,
    label: Option<String>,
    related: Vec<(PartSpan, String)>,
    help: Vec<String>,
    fix: Option<PartFix>,
    resource: Option<(String, String, String)>,
    is_secret: bool,
    is_hidden: bool,
}

#[derive(Serialize, Deserialize)]
struct PartFix {
    title: String,
    is_safe: bool,
    edits: Vec<(PartSpan, String)>,
}

impl PartFinding {
    fn of(diagnostic: &Diagnostic) -> Self {
        let edits = |fix: &Fix| {
            fix.edits
                .iter()
                .map(|edit| (edit.span.into(), edit.text.clone()))
                .collect()
        };
        let fix = diagnostic.fix.as_ref();
        let resource = diagnostic.resource.as_ref();
        let texts = diagnostic.related.iter().map(|(_, text)| text.clone());
        Self {
            rule: diagnostic.rule.code.to_string(),
            level: diagnostic.level,
            message: diagnostic.message.clone(),
            span: diagnostic.span.map(PartSpan::from),
            label: diagnostic.label.clone(),
            related: diagnostic
                .related_spans
                .iter()
                .copied()
                .map(PartSpan::from)
                .zip(texts)
                .collect(),
            help: diagnostic.help.clone(),
            fix: fix.map(|fix| PartFix {
                title: fix.title.clone(),
                is_safe: fix.is_safe,
                edits: edits(fix),
            }),
            resource: resource
                .map(|of| (of.kind.to_owned(), of.namespace.clone(), of.name.clone())),
            is_secret: diagnostic.is_secret,
            is_hidden: diagnostic.is_hidden,
        }
    }

    fn diagnostic(self, environment: usize, rules: &[RuleRef]) -> Result<Diagnostic, String> {
        let rule = rules.iter().find(|rule| rule.code == self.rule);
        let rule = rule.ok_or_else(|| format!("with a rule that does not exist: {}", self.rule))?;
        let mut diagnostic = Diagnostic::placeless(rule, self.message);
        diagnostic.level = self.level;
        diagnostic.span = self.span.map(Span::from);
        diagnostic.place = diagnostic.span.map(Place::Span);
        diagnostic.label = self.label;
        diagnostic.related_spans = self
            .related
            .iter()
            .map(|(span, _)| Span::from(*span))
            .collect();
        diagnostic.related = self
            .related
            .into_iter()
            .map(|(span, text)| (Place::Span(span.into()), text))
            .collect();
        diagnostic.help = self.help;
        diagnostic.fix = self.fix.map(
            |PartFix {
                 title,
                 is_safe,
                 edits,
             }| {
                let edits = edits
                    .into_iter()
                    .map(|(span, text)| Edit {
                        span: span.into(),
                        text,
                    })
                    .collect();
                Box::new(Fix {
                    is_safe,
                    edits,
                    ..Fix::safe(title)
                })
            },
        );
        diagnostic.resource = self.resource.and_then(|(kind, namespace, name)| {
            let kind = Kind::ALL
                .iter()
                .map(|kind| kind.as_str())
                .find(|known| *known == kind)?;
            Some(Subject {
                kind,
                namespace,
                name,
            })
        });
        diagnostic.environments = vec![environment];
        diagnostic.is_secret = self.is_secret;
        diagnostic.is_hidden = self.is_hidden;
        Ok(diagnostic)
    }
}

/// [`SeenResources`], with lists in place of maps whose keys are no texts.
#[derive(Serialize, Deserialize)]
struct PartSeen {
    rules: Vec<(PartSpan, String, usize, bool)>,
    monitors: Vec<(PartSpan, String, bool)>,
    alertmanager_configs: Vec<PartSpan>,
    selecting: Vec<PartSpan>,
    resources: Vec<PartSpan>,
    lookalikes: Vec<(String, Vec<PartSpan>)>,
    judged: JudgedCounts,
}

impl PartSeen {
    fn of(seen: &SeenResources) -> Self {
        let spans = |all: &BTreeSet<Span>| all.iter().copied().map(PartSpan::from).collect();
        let rules = seen
            .rules
            .iter()
            .map(|((span, name), (n, is))| ((*span).into(), name.clone(), *n, *is));
        let monitors = seen
            .monitors
            .iter()
            .map(|((span, name), is)| ((*span).into(), name.clone(), *is));
        Self {
            rules: rules.collect(),
            monitors: monitors.collect(),
            alertmanager_configs: spans(&seen.alertmanager_configs),
            selecting: spans(&seen.selecting),
            resources: spans(&seen.resources),
            lookalikes: seen
                .lookalikes
                .iter()
                .map(|(group, all)| (group.clone(), spans(all)))
                .collect(),
            judged: seen.judged.clone(),
        }
    }

    fn resources(self) -> SeenResources {
        let spans = |all: Vec<PartSpan>| all.into_iter().map(Span::from).collect();
        let rules = self
            .rules
            .into_iter()
            .map(|(span, name, n, is)| ((span.into(), name), (n, is)));
        let monitors = self
            .monitors
            .into_iter()
            .map(|(span, name, is)| ((span.into(), name), is));
        SeenResources {
            rules: rules.collect_map(),
            monitors: monitors.collect_map(),
            alertmanager_configs: spans(self.alertmanager_configs),
            selecting: spans(self.selecting),
            resources: spans(self.resources),
            judged: self.judged,
            lookalikes: self
                .lookalikes
                .into_iter()
                .map(|(group, all)| (group, spans(all)))
                .collect_map(),
        }
    }
}
