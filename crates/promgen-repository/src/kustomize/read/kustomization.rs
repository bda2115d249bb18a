//! One kustomization file.

use promgen_text::diag::Sink;
use promgen_text::source::{Span, Unread};
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Node};

use super::inline::is_inline;
use super::private::is_path;
use super::schema::KUSTOMIZATION;
use super::store::{Store, StoredFile};
use super::{fields, value};
use crate::charts::is_inflated;
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::path::{is_remote, is_within, join};

/// A kustomization or component.
#[derive(Clone, Debug)]
pub struct Kustomization {
    /// The folder that its paths are relative to.
    pub folder: String,
    /// Its path.
    pub path: String,
    /// The file as a whole.
    pub span: Span,
    /// It is a component.
    pub is_component: bool,
    /// It may read files that are not in or below its folder.
    pub(crate) is_unrestricted: bool,
    /// The length of its text.
    pub(crate) n_bytes: usize,
    /// Its fields, named as they should be.
    root: Node,
}

/// What a part of a kustomization that is not built may do to the objects of the kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartEffect {
    /// Nothing, or it adds other objects.
    Adds,
    /// It may change any of them.
    Changes,
}

/// Fields that Kustomize knows and promgen does not build, each with what it is and does.
const UNSUPPORTED: [(&str, &str, PartEffect); 4] = [
    ("helmCharts", "Helm charts", PartEffect::Adds),
    (
        "helmChartInflationGenerator",
        "Helm charts",
        PartEffect::Adds,
    ),
    ("crds", "`crds`", PartEffect::Adds),
    ("validators", "`validators`", PartEffect::Adds),
];

impl Kustomization {
    /// Reads the kustomization of a folder, if it has one.
    ///
    /// # Errors
    /// There are several, or it is invalid, or has a field that is not supported.
    pub fn load(store: &Store<'_>, folder: &str) -> Option<BuildResult<Self>> {
        if let Some(file) = store.unread_kustomization(folder) {
            let message = "the kustomization file is a link out of its folder";
            return Some(refuse(file.span(), message));
        }
        let mut files = store.kustomizations(folder);
        let Some(file) = files.next() else {
            let root = &store.generated.get(folder)?.root;
            return Some(Ok(Self {
                folder: folder.to_owned(),
                path: folder.to_owned(),
                is_unrestricted: true,
                ..Self::of_fields(root.clone())
            }));
        };
        if let Some(other) = files.next() {
            let message = format!(
                "the folder has two kustomization files: `{}` and `{}`",
                file.path, other.path
            );
            return Some(refuse(other.span(), message));
        }
        Some(Self::read(file, folder))
    }

    fn read(file: &StoredFile<'_>, folder: &str) -> BuildResult<Self> {
        let root = file.kustomization.get_or_init(|| parse(file)).clone()?;
        let kind = root.text_of("kind").unwrap_or_default();
        let is_component = kind == "Component";
        check_type(&root, kind)?;
        Ok(Self {
            folder: folder.to_owned(),
            path: file.path.to_owned(),
            span: file.span(),
            is_component,
            n_bytes: file.bytes.len(),
            ..Self::of_fields(root)
        })
    }

    /// Adds fields as Flux does: to lists at their ends, but images of one name become one; in place of other values.
    pub(crate) fn add(&mut self, fields: &Node) {
        let Data::Map(own) = &mut self.root.data else {
            return;
        };
        for field in fields.entries() {
            let Some(known) = own.iter_mut().find(|entry| entry.key == field.key) else {
                own.push(field.clone());
                continue;
            };
            match &mut known.value.data {
                Data::Seq(items) if field.key == "images" => {
                    for image in field.value.items() {
                        let name = image.text_of("name");
                        match items.iter_mut().find(|known| known.text_of("name") == name) {
                            Some(known) => add_image(known, image),
                            None => items.push(image.clone()),
                        }
                    }
                }
                Data::Seq(items) => items.extend(field.value.items().iter().cloned()),
                Data::Map(values) => {
                    values.retain(|value| field.value.get(&value.key).is_none());
                    values.extend(field.value.entries().iter().cloned());
                }
                _ => known.value = field.value.clone(),
            }
        }
    }

    /// A kustomization without a file: its fields stand in `root`.
    pub(crate) fn of_fields(root: Node) -> Self {
        Self {
            folder: ".".to_owned(),
            path: ".".to_owned(),
            span: root.span,
            is_component: false,
            is_unrestricted: false,
            n_bytes: 0,
            root,
        }
    }

    /// A kustomization of the same folder with other fields.
    pub(crate) fn with_root(&self, root: Node) -> Self {
        Self {
            root,
            ..self.clone()
        }
    }

    /// The parts of it that Kustomize builds and promgen does not.
    pub(crate) fn unsupported(&self, asks_helm: bool) -> Vec<(BuildFault, PartEffect)> {
        let is_empty = |node: &Node| node.items().is_empty() && node.entries().is_empty();
        let is_built = |key: &str, node: &Node| {
            key == "helmCharts" && (asks_helm || node.items().iter().all(is_inflated))
        };
        let fault = |(key, what, effect): (&str, &str, PartEffect)| {
            let entry = self
                .root
                .entry(key)
                .filter(|entry| !is_empty(&entry.value) && !is_built(key, &entry.value))?;
            let message = format!("{what} cannot be built by promgen");
            Some((BuildFault::unsupported(entry.key_span, message), effect))
        };
        UNSUPPORTED.into_iter().filter_map(fault).collect()
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.root.get(key)
    }

    /// The file of a path. Kustomize reads none above its folder, unless it is told to.
    ///
    /// # Errors
    /// There is none, or it is elsewhere; `span` is where the path stands.
    pub fn file<'f, 's>(
        &self,
        store: &'f Store<'s>,
        path: &str,
        span: Span,
    ) -> BuildResult<&'f StoredFile<'s>> {
        let full = join(&self.folder, path);
        let what = format!("file `{path}`");
        if is_remote(path) {
            return Err(BuildFault::remote(span, &what));
        }
        let fault = |why: &str| refuse(span, format!("{what} {why}"));
        let is_within = is_within(&self.folder, &full);
        match store.unread(&self.folder, &full) {
            Some(Unread::Outside) if self.is_unrestricted && store.file(&full).is_some() => {}
            Some(Unread::Outside) if !is_within => return Err(BuildFault::outside(span, &what)),
            Some(Unread::Outside) => {
                return fault("is a link out of the folder of the kustomization");
            }
            Some(Unread::Irregular) => return fault("is not a regular file"),
            Some(Unread::BrokenLink(_) | Unread::Failed(_)) => return fault("cannot be read"),
            None => {}
        }
        // The text may be hidden.
        let missing = || match is_path(path) {
            true => what.clone(),
            false => format!("{what} in line {}", store.sources.start(span).line),
        };
        store
            .file(&full)
            .ok_or_else(|| BuildFault::missing(span, &missing(), store.near(&full)))
    }

    /// The file of a path that stands in a node.
    ///
    /// # Errors
    /// There is none, or it is elsewhere.
    pub(crate) fn file_at<'f, 's>(
        &self,
        store: &'f Store<'s>,
        path: &Node,
    ) -> BuildResult<&'f StoredFile<'s>> {
        self.file(store, path.as_str().unwrap_or_default(), path.span)
    }

    /// The items of a field that is a list.
    #[must_use]
    pub fn items(&self, key: &str) -> &[Node] {
        self.root.items_of(key)
    }

    /// The entries of a field of plugins, those that stand in it first, as Kustomize takes them.
    pub(crate) fn plugins(&self, key: &str) -> impl Iterator<Item = &Node> {
        let is_own = |entry: &&Node| is_inline(entry.as_str().unwrap_or_default());
        let items = self.items(key).iter();
        let named = items.clone().filter(move |entry| !is_own(entry));
        items.filter(is_own).chain(named)
    }

    /// The text of a field, unless it is empty.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&Node> {
        self.get(key)
            .filter(|node| node.as_str().is_some_and(|text| !text.is_empty()))
    }
}

/// Sets what an entry of `images` has in another one of the same name. A tag and a digest exclude one another.
fn add_image(known: &mut Node, image: &Node) {
    let Data::Map(fields) = &mut known.data else {
        return;
    };
    let is_version = |key: &str| matches!(key, "newTag" | "digest");
    if image.entries().iter().any(|field| is_version(&field.key)) {
        fields.retain(|field| !is_version(&field.key));
    }
    for field in image.entries() {
        fields.retain(|own| own.key != field.key);
        fields.push(field.clone());
    }
}

fn parse(file: &StoredFile<'_>) -> BuildResult<Node> {
    let text = file
        .text
        .ok_or_else(|| BuildFault::new(file.span(), "the file is not UTF-8"))?;
    let mut sink = Sink::default();
    let documents = read(file.id, text, &mut sink);
    if let Some(fault) = unreadable(&sink) {
        return Err(fault);
    }
    let Some(document) = documents.into_iter().next() else {
        return refuse(file.span(), "the kustomization is empty");
    };
    let mut root = fields::checked(&document.root, &KUSTOMIZATION)?;
    // Kustomize takes a file that has only its type for an empty one.
    if root
        .entries()
        .iter()
        .all(|entry| matches!(entry.key.as_ref(), "apiVersion" | "kind"))
    {
        return refuse(root.span, "the kustomization is empty");
    }
    // Kustomize replaces the old name of the field before it parses the file.
    rename(&mut root, "imageTags", "images");
    Ok(root)
}

/// Of duplicate keys the last counts here.
fn unreadable(sink: &Sink) -> Option<BuildFault> {
    let mut strict = Sink::default();
    sink.diagnostics()
        .iter()
        .filter(|found| found.rule.code != "PG002")
        .for_each(|found| strict.report(found.clone()));
    value::worst(&strict)
}

fn rename(root: &mut Node, old: &str, new: &'static str) {
    if let Data::Map(entries) = &mut root.data
        && !entries.iter().any(|entry| entry.key == new)
    {
        entries
            .iter_mut()
            .filter(|entry| entry.key == old)
            .for_each(|entry| entry.key = new.into());
    }
}

fn check_type(root: &Node, kind: &str) -> BuildResult {
    let place = |key: &str| root.get(key).map_or(root.span, |node| node.span);
    if !matches!(kind, "" | "Kustomization" | "Component") {
        return refuse(place("kind"), "kind must be Kustomization or Component");
    }
    let expected = if kind == "Component" {
        "kustomize.config.k8s.io/v1alpha1"
    } else {
        "kustomize.config.k8s.io/v1beta1"
    };
    match root.text_of("apiVersion") {
        // Kustomize fills in a missing `apiVersion`.
        None | Some("") => Ok(()),
        Some(version) if version == expected => Ok(()),
        Some(_) => refuse(
            place("apiVersion"),
            format!("apiVersion must be `{expected}`"),
        ),
    }
}
