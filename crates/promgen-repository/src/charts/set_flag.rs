//! Flags of Helm that set one value, as Helm reads them. Recorded from Helm 3.19.

use promgen_text::yaml::{Data, Node};

use super::node::{list, text};

/// A flag of Helm that sets one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetFlag {
    /// `--set`: `true`, numbers and `null` are no texts.
    Set,
    /// `--set-string`: everything is a text.
    SetString,
}

impl SetFlag {
    /// The value that a text stands for: `{a,b}` is a list, and a backslash takes the next character as it is. A comma outside
    /// of a list belongs to the text: those who run Helm for a user escape it.
    pub(super) fn read(self, node: &Node) -> Node {
        let Some(written) = node.as_str() else {
            return node.clone();
        };
        let items = written
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'));
        let Some(items) = items.filter(|items| !items.contains(['{', '}'])) else {
            return self.scalar(&unescaped(written), node);
        };
        let items = split(items)
            .iter()
            .map(|item| self.scalar(item, node))
            .collect();
        list(items, node.span)
    }

    fn scalar(self, written: &str, node: &Node) -> Node {
        let is = |word: &str| written.eq_ignore_ascii_case(word);
        let data = match self {
            Self::SetString => None,
            Self::Set if is("true") => Some(Data::Bool(true)),
            Self::Set if is("false") => Some(Data::Bool(false)),
            Self::Set if is("null") => Some(Data::Null),
            Self::Set if written.starts_with('0') && written != "0" => None,
            Self::Set => written.parse::<i64>().ok().map(Data::Int),
        };
        data.map_or_else(
            || text(written, node.span),
            |data| Node {
                span: node.span,
                data,
            },
        )
    }
}

fn unescaped(written: &str) -> String {
    let (mut out, mut chars) = (String::new(), written.chars());
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next())
        } else {
            out.push(c)
        }
    }
    out
}

/// The items of a list, each without its backslashes.
fn split(items: &str) -> Vec<String> {
    let (mut all, mut chars) = (vec![String::new()], items.chars());
    while let Some(c) = chars.next() {
        match (c, all.last_mut()) {
            (',', _) => all.push(String::new()),
            ('\\', Some(item)) => item.extend(chars.next()),
            (_, Some(item)) => item.push(c),
            (_, None) => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::source::{FileId, Span};

    #[track_caller]
    fn check(flag: SetFlag, recorded: &[(&str, &str)]) {
        for (written, made) in recorded {
            let read = flag.read(&text(*written, Span::default()));
            let made = super::super::embedded::root(FileId::new(0), &format!("[{made}]"))
                .expect("JSON is YAML");
            assert_eq!(
                Some(read.to_value()),
                made.items().first().map(Node::to_value),
                "{flag:?} b={written}"
            );
        }
    }

    /// What Helm 3.19.2 makes of `--set b=…` and `--set-string b=…`, by `toJson`.
    #[test]
    fn a_value_is_read_as_helm_reads_it() {
        let recorded = [
            ("{a, b ,c}", r#"["a"," b ","c"]"#),
            (r#"{1,true,null,1.5,"x"}"#, r#"[1,true,null,"1.5","\"x\""]"#),
            ("{}", r#"[""]"#),
            ("[]", r#""[]""#),
            ("", r#""""#),
            ("null", "null"),
            ("010", r#""010""#),
            ("0", "0"),
            ("-5", "-5"),
            ("+5", "5"),
            ("1e3", r#""1e3""#),
            ("True", "true"),
            ("yes", r#""yes""#),
            ("0x10", r#""0x10""#),
            ("99999999999999999999", r#""99999999999999999999""#),
            (r"a\,b", r#""a,b""#),
            (" x ", r#"" x ""#),
            ("~", r#""~""#),
            (r"{a\,b,c}", r#"["a,b","c"]"#),
            ("{a,}", r#"["a",""]"#),
            (r"a\x", r#""ax""#),
        ];
        check(SetFlag::Set, &recorded);
        let recorded = [
            ("{1,true}", r#"["1","true"]"#),
            ("null", r#""null""#),
            ("[]", r#""[]""#),
            ("", r#""""#),
        ];
        check(SetFlag::SetString, &recorded);
    }
}
