//! The `ResourceList` that orchestrators of KRM functions exchange.
//!
//! In: its text. Out: each item as a text of its own, and the list with further items and with results. What is not
//! changed keeps its bytes, comments included, wherever the text allows to insert into it.

use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::emit::{Dialect, to_report, to_string};
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Map, Node, Value};

/// The versions of the type.
const API_VERSIONS: [&str; 2] = ["config.kubernetes.io/v1", "config.kubernetes.io/v1beta1"];

/// A list, parsed.
pub(super) struct ResourceList<'t> {
    text: &'t str,
    root: Node,
}

impl<'t> ResourceList<'t> {
    /// Parses a list.
    ///
    /// # Errors
    /// Why the text is not one.
    pub(super) fn parse(text: &'t str) -> Result<Self, String> {
        let root = only_document(text)?;
        let text_of = |key: &str| root.get(key).and_then(Node::as_str).unwrap_or_default();
        let (version, kind) = (text_of("apiVersion"), text_of("kind"));
        if kind != "ResourceList" {
            return Err(format!("expected a ResourceList, found the kind `{kind}`"));
        }
        if !API_VERSIONS.contains(&version) {
            return Err(format!(
                "unsupported version `{version}`; expected one of: {}",
                API_VERSIONS.join(", ")
            ));
        }
        match root.get("items").map(|items| &items.data) {
            Some(Data::Seq(_) | Data::Null) | None => Ok(Self { text, root }),
            Some(_) => Err("`items`: expected a list".to_owned()),
        }
    }

    /// The configuration of the function.
    pub(super) fn config(&self) -> Option<&Node> {
        self.root
            .get("functionConfig")
            .filter(|config| !config.is_null())
    }

    /// The objects.
    pub(super) fn items(&self) -> &[Node] {
        self.root.get("items").map_or(&[], Node::items)
    }

    /// An item as a document of its own, with its comments.
    pub(super) fn document(&self, item: &Node) -> String {
        let cut = self.cut(item);
        let is_same = only_document(&cut).is_ok_and(|root| root.to_value() == item.to_value());
        if is_same {
            cut
        } else {
            to_string(&item.to_value(), Dialect::YamlV2)
        }
    }

    /// The lines of an item without their indentation.
    fn cut(&self, item: &Node) -> String {
        let (start, end) = (item.span.start as usize, item.span.end as usize);
        let column = start - self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = if self.text[..end].ends_with('\n') {
            end
        } else {
            line_end(self.text, end)
        };
        let mut lines = self.text[start..end].lines();
        let mut cut = lines.next().unwrap_or_default().to_owned() + "\n";
        for line in lines {
            let indent = line
                .bytes()
                .take(column)
                .take_while(|byte| *byte == b' ')
                .count();
            cut.push_str(&line[indent..]);
            cut.push('\n');
        }
        cut
    }

    /// The list with the items to keep, more items, and the results.
    pub(super) fn with(&self, keep: &[bool], more: Vec<Value>, results: Vec<Value>) -> String {
        let inserted = self.inserted(&more, &results);
        let whole = Value::from(self.whole(keep, more, results));
        let is_same = only_document(&inserted).is_ok_and(|root| root.to_value() == whole);
        if is_same { inserted } else { to_report(&whole) }
    }

    /// All values of the new list.
    fn whole(&self, keep: &[bool], more: Vec<Value>, results: Vec<Value>) -> Map {
        let kept = self
            .items()
            .iter()
            .zip(keep)
            .filter(|(_, keep)| **keep)
            .map(|(item, _)| item.to_value());
        let items = Value::Seq(kept.chain(more).collect());
        let Value::Map(mut root) = self.root.to_value() else {
            return Map::default();
        };
        root.remove("results");
        // A list without items may lack the field.
        if self.root.get("items").is_some_and(|items| !items.is_null())
            || items.as_seq().is_some_and(|s| !s.is_empty())
        {
            root.set("items", items);
        }
        root.push_some(
            "results",
            (!results.is_empty()).then_some(Value::Seq(results)),
        );
        root
    }

    /// The text with what is new inserted. It may not be what it should be: [`ResourceList::with`] compares.
    fn inserted(&self, more: &[Value], results: &[Value]) -> String {
        let mut out = self.text.to_owned();
        if !out.ends_with('\n') {
            out.push('\n');
        }
        if let Some(items) = self
            .root
            .get("items")
            .filter(|items| !items.items().is_empty() && !more.is_empty())
        {
            let (start, end) = (items.span.start as usize, items.span.end as usize);
            let column = start - out[..start].rfind('\n').map_or(0, |at| at + 1);
            let end = if out[..end].ends_with('\n') {
                end
            } else {
                (line_end(&out, end) + 1).min(out.len())
            };
            out.insert_str(
                end,
                &indented(
                    &to_string(&Value::Seq(more.to_vec()), Dialect::YamlV2),
                    column,
                ),
            );
        }
        if !results.is_empty() {
            let results = Map::default().with("results", Value::Seq(results.to_vec()));
            out.push_str(&to_report(&results.into()));
        }
        out
    }
}

/// The only document of a text.
///
/// # Errors
/// It does not parse, or there is none, or there are several.
pub(super) fn only_document(text: &str) -> Result<Node, String> {
    let mut sink = Sink::default();
    let mut documents = read(FileId::new(0), text, &mut sink);
    if let Some(fault) = sink.into_diagnostics().into_iter().next() {
        return Err(fault.guarded_message());
    }
    match (documents.pop(), documents.is_empty()) {
        (Some(document), true) => Ok(Node::clone(&document.root)),
        (None, _) => Err("expected a ResourceList, found nothing".to_owned()),
        (Some(_), false) => Err("expected a ResourceList, found several documents".to_owned()),
    }
}

/// The end of the line of that byte, without its line break.
fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |at| from + at)
}

fn indented(text: &str, columns: usize) -> String {
    let indent = " ".repeat(columns);
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("{indent}{line}\n")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1 # stable
  kind: ConfigMap
  data:
    # of two lines
    text: |
      a
        b
- {kind: Other}
functionConfig: null
";

    fn with(text: &str, more: &[Value], results: &[Value]) -> String {
        let list = ResourceList::parse(text).unwrap();
        list.with(
            &vec![true; list.items().len()],
            more.to_vec(),
            results.to_vec(),
        )
    }

    fn object(key: &'static str) -> Value {
        Map::default().with(key, "x\ny\n").into()
    }

    #[test]
    fn an_item_is_cut_out_with_its_comments() {
        let list = ResourceList::parse(LIST).unwrap();
        assert!(list.config().is_none());
        let texts: Vec<_> = list
            .items()
            .iter()
            .map(|item| list.document(item))
            .collect();
        let first = "apiVersion: v1 # stable\nkind: ConfigMap\ndata:\n  # of two lines\n  text: |\n    a\n      b\n";
        assert_eq!(texts, [first, "{kind: Other}\n"]);
    }

    #[test]
    fn what_is_new_is_inserted_and_the_rest_keeps_its_bytes() {
        assert_eq!(with(LIST, &[], &[]), LIST);
        for items in ["", "items:\n", "items: []\n"] {
            let text = format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n{items}");
            assert_eq!(with(&text, &[], &[]), text);
            assert!(with(&text, &[object("b")], &[]).ends_with("items:\n- b: |\n    x\n    y\n"));
        }
        let after = with(LIST, &[object("new")], &[object("message")]);
        let (before, behind) = LIST.split_once("functionConfig").unwrap();
        let (item, results) = (
            "- new: |\n    x\n    y\n",
            "results:\n- message: |\n    x\n    y\n",
        );
        assert_eq!(
            after,
            format!("{before}{item}functionConfig{behind}{results}")
        );
        // Indented lists stay so.
        let indented = "apiVersion: config.kubernetes.io/v1beta1\nkind: ResourceList\nitems:\n  - kind: A # first\n";
        assert_eq!(
            with(indented, &[object("b")], &[]),
            format!("{indented}  - b: |\n      x\n      y\n")
        );
    }

    #[test]
    fn a_text_that_cannot_be_inserted_into_is_written_anew() {
        let head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";
        for text in [
            r#"{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"kind":"A"}]}"#.to_owned(),
            format!("{head}items: [{{kind: A}}]\n"),
            format!("{head}items:\n- kind: A\n...\n"),
            format!("{head}items:\n- kind: A\nresults:\n- message: old\n"),
        ] {
            let after = with(&text, &[object("b")], &[object("message")]);
            let expected =
                format!("{head}items:\n- kind: A\n- b: |\n    x\n    y\nresults:\n- message: |\n    x\n    y\n");
            assert_eq!(after, expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, expected) in [
            ("", "found nothing"),
            ("kind: List", "found the kind `List`"),
            (
                "kind: ResourceList\napiVersion: v2",
                "unsupported version `v2`",
            ),
            ("a: [", "never closed"),
            (
                "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems: {a: 1}",
                "`items`: expected a list",
            ),
            ("a: 1\n---\nb: 1\n", "several documents"),
        ] {
            let error = ResourceList::parse(text).err().unwrap();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
