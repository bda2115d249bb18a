//! More items at the end of a list.

use promgen_text::diag::fix::Edit;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Data, Node};

use super::wanted::{child_around, flow};

/// The edit that adds items, each in a line, to the list of a document that has that span. `None` if the list has no item, or is
/// none.
pub(super) fn edits(
    root: &Node,
    list: Span,
    items: &[String],
    sources: &Sources,
) -> Option<Vec<Edit>> {
    let mut node = root;
    while node.span != list {
        node = child_around(node, list)?.1;
    }
    let Data::Seq(known) = &node.data else {
        return None;
    };
    let last = known.last()?.span;
    let text = &sources.file(list.file).text;
    let is_flow = text.as_bytes().get(list.start as usize) == Some(&b'[');
    let edit = if is_flow {
        in_line(last, items, sources)
    } else {
        in_lines(last, items, sources)
    };
    edit.map(|edit| vec![edit])
}

/// Behind the last item of `[a, b]`. In JSON they are JSON, too.
fn in_line(last: Span, items: &[String], sources: &Sources) -> Option<Edit> {
    let is_json = sources
        .text(last)
        .trim_start_matches(['{', '[', ' '])
        .starts_with('"');
    let written = |item: &String| {
        if is_json {
            serde_json::to_string(&flow(item)?).ok()
        } else {
            Some(item.clone())
        }
    };
    let items = items.iter().map(written).collect::<Option<Vec<_>>>()?;
    Some(Edit {
        span: Span::new(last.file, last.end, last.end),
        text: format!(", {}", items.join(", ")),
    })
}

/// In lines below the last item of a block, with its indentation.
fn in_lines(last: Span, items: &[String], sources: &Sources) -> Option<Edit> {
    let file = sources.file(last.file);
    let text = &file.text;
    let first_line = file.line_range(file.line_of(last.start));
    let before = text.get(first_line.start..last.start as usize)?;
    if before.trim() != "-" {
        return None;
    }
    let last_line = file.line_range(file.line_of(last.end.saturating_sub(1).max(last.start)));
    let line = text.get(last_line.clone())?;
    let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
    let at = u32::try_from(last_line.end).ok()?;
    let lines = items
        .iter()
        .map(|item| format!("{before}{item}{end}"))
        .collect::<String>();
    let lines = if line.ends_with('\n') {
        lines
    } else {
        format!("{end}{}", lines.trim_end_matches(['\r', '\n']))
    };
    Some(Edit {
        span: Span::new(last.file, at, at),
        text: lines,
    })
}

#[cfg(test)]
mod tests {
    use crate::locate::fix::{resolve, wanted};
    use promgen_text::diag::fix::{EditAction, Fix};
    use promgen_text::diag::{Diagnostic, Sink, sample};
    use promgen_text::source::{Sources, Span};
    use promgen_text::yaml::Node;
    use promgen_text::yaml::read::read;

    /// The text with items at the end of the list that is called `a`.
    fn appended(text: &str, items: &[&str]) -> Option<String> {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), text.into());
        let parsed = read(file, text, &mut Sink::default());
        let list: Span = parsed
            .iter()
            .find_map(|document| document.root.get("a").map(|node: &Node| node.span))?;
        let change =
            EditAction::Append(list, items.iter().map(|item| (*item).to_owned()).collect());
        let mut found =
            [Diagnostic::placeless(&sample::RULE, "").fix(Fix::risky("").change(change))];
        resolve(&mut found, &[], &sources);
        let [found] = found;
        wanted::edited(text, &found.fix?.edits.iter().collect::<Vec<_>>())
    }

    #[test]
    fn items_follow_the_last_one_in_its_style() {
        for (text, expected) in [
            ("a: [x, y] # z\nb: 1\n", "a: [x, y, u, m] # z\nb: 1\n"),
            ("{\"a\": [\"x\"]}", "{\"a\": [\"x\", \"u\", \"m\"]}"),
            (
                "a:\n- x # one\n# two\nb: 1\n",
                "a:\n- x # one\n- u\n- m\n# two\nb: 1\n",
            ),
            ("a:\n  -   x\n", "a:\n  -   x\n  -   u\n  -   m\n"),
            (
                "a:\r\n- x\r\nb: 1\r\n",
                "a:\r\n- x\r\n- u\r\n- m\r\nb: 1\r\n",
            ),
            ("a:\n- x", "a:\n- x\n- u\n- m"),
            (
                "c: 1\n---\na:\n- b: 1\n  c:\n  - 2\n---\nd: 1\n",
                "c: 1\n---\na:\n- b: 1\n  c:\n  - 2\n- u\n- m\n---\nd: 1\n",
            ),
        ] {
            assert_eq!(
                appended(text, &["u", "m"]).as_deref(),
                Some(expected),
                "{text:?}"
            );
        }
        let rule = "{apiGroups: [\"\"], verbs: [list]}";
        assert_eq!(
            appended("a:\n- b: 1\n", &[rule]).unwrap(),
            format!("a:\n- b: 1\n- {rule}\n")
        );
        let json = "{\"a\": [{\"b\": 1}, {\"apiGroups\":[\"\"],\"verbs\":[\"list\"]}]}";
        assert_eq!(appended("{\"a\": [{\"b\": 1}]}", &[rule]).unwrap(), json);
    }

    #[test]
    fn what_is_no_list_of_items_or_stands_for_another_is_left_alone() {
        for text in [
            "a: []\n",
            "a: {b: 1}\n",
            "a: x\n",
            "a: &l [x]\nb: *l\n",
            "a:\n- - x\n- &i x\nb: *i\n",
            "a: [*i]\n",
        ] {
            assert_eq!(appended(text, &["u"]), None, "{text:?}");
        }
    }
}
