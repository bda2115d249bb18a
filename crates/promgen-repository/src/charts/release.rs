//! A release: its chart, its name, and the values that it is given.

use std::collections::BTreeSet;

use promgen_resources::rendered::Request;
use promgen_resources::secrecy::reads_as_words;
use promgen_text::diag::Subject;
use promgen_text::origin::Applier;
use promgen_text::source::{FileId, Span, Unread};
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Entry, Node, NodeText};

use super::beside::UnreadEntry;
use super::files::ChartSources;
use super::node::{assign, empty, merge, printed};
use super::set_flag::{FlagKind, SetFlag, SetStep, SetValue};
use super::stack::CHART;
use crate::destination::DestinationCluster;
use promgen_resources::unknown::is_encrypted;

/// A release of a chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChartRelease {
    /// Its name.
    pub(crate) name: String,
    /// Its namespace. `None` if nobody says.
    pub(crate) namespace: Option<(NodeText, Span)>,
    /// The name of the chart.
    pub(crate) chart: String,
    /// The name that a chart around it gives it.
    pub(crate) alias: Option<String>,
    /// The repository that the chart comes from, if it is known.
    pub(crate) repository: String,
    /// The version or range that is asked for. `None` if something else decides.
    pub(crate) version: Option<String>,
    /// The place where the chart or its version is named.
    pub(crate) place: Span,
    /// The release as a whole.
    pub(crate) span: Span,
    /// The values of the user.
    pub(crate) values: GivenValues,
    /// The cluster that it is applied to, if it says so.
    pub(crate) cluster: Option<DestinationCluster>,
    /// The applier of its objects.
    pub(crate) applier: Applier,
    /// The subject of findings about it.
    pub(crate) subject: Subject,
    /// The question to Helm for it, if Helm is to be asked.
    pub(crate) request: Option<Request>,
    /// Where it is said how its objects are applied, if a copy of each is kept in an annotation: by Argo CD, with nothing that
    /// says otherwise.
    pub(crate) client_side: Option<Span>,
}

/// The object that states a release, or the release itself if it is no object.
pub(super) fn subject(kind: &'static str, namespace: Option<&str>, name: &str) -> Subject {
    Subject {
        kind,
        namespace: namespace.unwrap_or_default().to_owned(),
        name: name.to_owned(),
    }
}

/// The kind of a release that no object states: a helmfile, a chart or a kustomization does.
pub(super) const RELEASE: &str = "Release";

/// Values from several sources, the later ones over the earlier.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenValues {
    /// All of them.
    pub(crate) root: Node,
    /// The files that they come from.
    pub(crate) files: BTreeSet<FileId>,
    /// The files that hold values of the chart and nothing else.
    pub(crate) whole: BTreeSet<FileId>,
    /// The places of texts of Secrets.
    pub(crate) secret: BTreeSet<Span>,
    /// The places of the integers that flags set.
    pub(crate) integers: BTreeSet<Span>,
    /// The places of the values that come from Secrets, each as a whole.
    of_secrets: Vec<Span>,
    /// Sources that are not there.
    pub(crate) missing: Vec<MissingValues>,
    /// The places of values that a source behind them may override, which is not there; each with what is said of it.
    pub(crate) overridden: Vec<(Span, String)>,
    /// The places of values in an object that is hidden otherwise: what is secret among them is known.
    pub(crate) shown: Vec<Span>,
    /// The places of secrets among the values of a chart around the known one.
    pub(crate) private: Vec<Span>,
    /// The places of what Helm refuses, each with why.
    pub(crate) refused: Vec<(Span, String)>,
    /// Values that nothing reads because of where they stand.
    pub(super) unread: Vec<UnreadEntry>,
    /// The places of the values of each source.
    added: Vec<Span>,
    /// The bytes that were put together.
    spent: usize,
}

/// Values that are not known.
#[derive(Clone, Debug)]
pub(crate) struct MissingValues {
    /// Why, as a sentence.
    pub(crate) what: String,
    /// The place where they are named.
    pub(crate) span: Span,
    /// The path of the only value that they set. `None`: they may set all.
    pub(crate) target: Option<String>,
}

/// The number of bytes of values that a release may have, and of their sources.
const MAX_BYTES: usize = 16 << 20;
pub(super) const MAX_SOURCES: usize = 64;

/// The number of releases that one object or file may state.
pub(super) const MAX_RELEASES: usize = 64;

impl GivenValues {
    /// No values.
    pub(crate) fn new(span: Span) -> Self {
        Self {
            root: empty(span),
            ..Self::default()
        }
    }

    /// Puts values over those that are there.
    pub(super) fn add(&mut self, values: &Node) {
        if !values.is_map() {
            return;
        }
        if is_encrypted(values) {
            return self.lack(
                "a source of values is encrypted".to_owned(),
                values.span,
                None,
            );
        }
        if !self.spend(weight(values), values.span) {
            return;
        }
        self.files.insert(values.span.file);
        self.added.push(values.span);
        merge(&mut self.root, values);
    }

    /// Puts the values of a file over those that are there. It may have none yet.
    pub(super) fn add_file(&mut self, values: &Node) {
        self.whole.insert(values.span.file);
        self.add(values);
    }

    /// Sets what flags of Helm say, as Helm does: first what those of one kind say, then those of the next.
    pub(super) fn set_all(&mut self, mut flags: Vec<SetFlag>) {
        flags.sort_by_key(|flag| flag.kind);
        for flag in &flags {
            self.set(flag);
        }
    }

    /// Sets what a flag of Helm says, all of it or nothing. Returns what that is.
    pub(super) fn set(&mut self, flag: &SetFlag) -> Vec<SetValue> {
        let mut root = self.root.clone();
        let set = flag.read().and_then(|all| {
            all.iter().try_for_each(|set| assign(&mut root, set))?;
            Ok(all)
        });
        let set = match set {
            Ok(set) => set,
            Err(why) => {
                self.refuse(&format!("the value of `{}`: {why}", flag.at), flag.span);
                return Vec::new();
            }
        };
        let made = set.iter().flat_map(|set| &set.path).map(|step| match step {
            SetStep::Key(_) => 1,
            SetStep::Index(index) => index + 1,
        });
        let n_made: usize = made.sum();
        if self.spend(flag.value.len() + n_made * size_of::<Node>(), flag.span) {
            self.files.insert(flag.span.file);
            self.root = root;
            self.integers.insert(flag.span);
        }
        set
    }

    /// The flag that sets the text of a file. `None`: it is not there, which is noted.
    pub(super) fn file_flag(
        &mut self,
        at: &str,
        path: Option<&str>,
        named: &Node,
        files: &ChartSources<'_>,
    ) -> Option<SetFlag> {
        let id = path.and_then(|path| files.id(path));
        let file = id.map(|id| (id, files.sources.file(id)));
        let Some((id, file)) = file.filter(|(_, file)| file.unread.is_none()) else {
            self.lack(
                format!("the file that sets `{at}` is not in the input"),
                named.span,
                Some(at),
            );
            return None;
        };
        let end = u32::try_from(file.text.len()).unwrap_or(u32::MAX);
        Some(SetFlag {
            kind: FlagKind::Literal,
            at: at.to_owned(),
            value: file.text.to_string(),
            span: Span::new(id, 0, end),
        })
    }

    /// Takes note of what Helm refuses, and why.
    pub(super) fn refuse(&mut self, what: &str, span: Span) {
        self.refused.push((span, format!("Helm refuses {what}")));
    }

    /// Takes bytes of those that a release may have. `false`: they are too many.
    fn spend(&mut self, n_bytes: usize, span: Span) -> bool {
        self.spent = self.spent.saturating_add(n_bytes);
        let is_within = self.spent <= MAX_BYTES;
        if !is_within {
            self.miss("a part of too many values", span);
        }
        is_within
    }

    /// Puts others over what is there, with all that is known of them.
    pub(super) fn put_over(&mut self, over: &Self) {
        merge(&mut self.root, &over.root);
        self.files.extend(&over.files);
        self.secret.extend(&over.secret);
        self.integers.extend(&over.integers);
        self.of_secrets.extend(&over.of_secrets);
        self.shown.extend(&over.shown);
        for MissingValues { what, span, target } in &over.missing {
            self.lack(what.clone(), *span, target.as_deref());
        }
        self.overridden.extend(over.overridden.iter().cloned());
        self.refused.extend(over.refused.iter().cloned());
        self.unread.extend(over.unread.iter().cloned());
    }

    /// Takes note of a source that is not there.
    pub(super) fn miss(&mut self, what: &str, span: Span) {
        self.lack(format!("{what} is not in the input"), span, None);
    }

    /// Takes note of values that are not known.
    pub(super) fn lack(&mut self, what: String, span: Span, target: Option<&str>) {
        if target.is_none() {
            self.overridden
                .extend(self.added.drain(..).map(|before| (before, what.clone())));
        }
        self.missing_value(what, span, target);
    }

    /// Puts a gap where a source that is not there sets one label of a selector: all else is as it is.
    pub(super) fn leave_gap(&mut self, at: &str, what: String, span: Span) {
        self.set(&SetFlag {
            kind: FlagKind::Literal,
            at: at.to_owned(),
            value: GAP.to_owned(),
            span,
        });
        self.overridden.push((span, what.clone()));
        self.missing_value(what, span, Some(at));
    }

    /// Returns whether a gap stands for what a source at that place sets.
    pub(super) fn has_gap(&self, source: Span) -> bool {
        self.overridden.iter().any(|(place, _)| *place == source)
    }

    fn missing_value(&mut self, what: String, span: Span, target: Option<&str>) {
        self.missing.push(MissingValues {
            what,
            span,
            target: target.map(str::to_owned),
        });
    }

    /// Takes note of a file that is not there, or that is not read.
    pub(super) fn miss_file(&mut self, name: &str, unread: Option<&Unread>, span: Span) {
        match unread {
            Some(why) => self.lack(format!("file {name} is not read: {why}"), span, None),
            None => self.miss(&format!("file {name}"), span),
        }
    }

    /// Returns whether nothing of the values below a key comes from a Secret.
    pub(super) fn is_clear(&self, key: &str) -> bool {
        let is_inside =
            |span: Span| span.start < span.end && self.of_secrets.iter().any(|own| own.holds(span));
        let mut nodes = self.root.get(key).into_iter().flat_map(Node::descendants);
        !nodes.any(|node| {
            is_inside(node.span) || node.entries().iter().any(|entry| is_inside(entry.key_span))
        })
    }

    /// Takes note that all texts of a value are secret.
    pub(super) fn note_secret(&mut self, node: &Node) {
        self.of_secrets.push(node.span);
        for node in node.descendants() {
            if node.span.start < node.span.end && !node.is_collection() {
                self.secret.insert(node.span);
            }
        }
    }
    /// Takes out the names that a Secret sets, unless they are words: names stand everywhere, in objects, messages and paths.
    pub(super) fn withhold_names(&mut self) {
        let secret = &self.secret;
        let is_withheld = |entry: &Entry| {
            let is_secret = NAMES.contains(&&*entry.key) && secret.contains(&entry.value.span);
            is_secret && !printed(&entry.value).is_some_and(|name| reads_as_words(&name))
        };
        let mut withheld = Vec::new();
        let mut todo = vec![&mut self.root];
        while let Some(node) = todo.pop() {
            if let Data::Map(entries) = &mut node.data {
                withheld.extend(entries.extract_if(.., |entry| is_withheld(entry)));
            }
            todo.extend(node.children_mut());
        }
        for entry in withheld {
            let what = format!("`{}`, which a Secret sets, is not in the input", entry.key);
            self.missing_value(what, entry.value.span, None);
        }
    }
}

/// The text in place of a value that is not known.
const GAP: &str = "<not in the input>";

/// The values that become names of objects, whatever the chart.
const NAMES: [&str; 4] = [
    "name",
    "nameOverride",
    "fullnameOverride",
    "namespaceOverride",
];

/// The bytes of a value in memory.
fn weight(node: &Node) -> usize {
    let own = size_of::<Node>() + node.as_str().map_or(0, str::len);
    own + node.children().map(weight).sum::<usize>()
        + node
            .entries()
            .iter()
            .map(|entry| size_of_val(entry) + entry.key.len())
            .sum::<usize>()
}

/// Returns whether a chart is the one that promgen compiles.
pub(super) fn is_stack(chart: &str) -> bool {
    base(chart) == CHART
}

/// The last part of the name of a chart.
pub(super) fn base(chart: &str) -> &str {
    chart
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
}

/// The objects that a release may refer to: first those beside it, then all others.
pub(crate) struct ReferredObjects<'o> {
    /// The documents of the same build.
    pub(crate) near: &'o [ParsedDocument],
    /// The documents of all builds.
    pub(crate) all: &'o [ParsedDocument],
}

impl<'o> ReferredObjects<'o> {
    /// An object of that kind and name, in a namespace unless one of both does not say its own.
    pub(super) fn find(&self, kind: &str, name: &str, namespace: Option<&str>) -> Option<&'o Node> {
        let is_it = |document: &&ParsedDocument| {
            let text = |keys: &[&str]| document.root.text_at(keys);
            let own = text(&["metadata", "namespace"]);
            text(&["kind"]) == Some(kind)
                && text(&["metadata", "name"]) == Some(name)
                && (own.is_none() || namespace.is_none() || own == namespace)
        };
        let found = self
            .near
            .iter()
            .find(is_it)
            .or_else(|| self.all.iter().find(is_it));
        found.map(|document| &*document.root)
    }
}
