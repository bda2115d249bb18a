//! Checks the calls of `format` whose text and list of values are written out.

use super::unify::CelShape;
use super::{CelChecker, CelType};
use crate::functions::format;
use crate::tree::{CelConstant, CelKind, CelNode};

impl CelChecker<'_> {
    pub(super) fn check_formats(&mut self) {
        for call in std::mem::take(&mut self.formats) {
            if let [text, list] = &*call.arguments
                && let CelKind::Constant(CelConstant::Text(pattern)) = &text.kind
                && let CelKind::List(items) = &list.kind
                && let Err((message, node)) = self.check_format(pattern, text, items)
            {
                self.fault(message, node.span);
            }
        }
    }

    /// The type of a part that has been checked.
    fn type_of(&mut self, node: &CelNode) -> CelType {
        let id = self.found.get(&std::ptr::from_ref(node)).copied();
        id.map_or(CelType::Dyn, |id| self.types.told(id))
    }

    fn check_format<'n>(
        &mut self,
        mut rest: &str,
        text: &'n CelNode,
        items: &'n [(CelNode, bool)],
    ) -> Result<(), (String, &'n CelNode)> {
        let mut left = items.iter().map(|(item, _)| item);
        while let Some(at) = rest.find('%') {
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('%') {
                rest = after;
                continue;
            }
            let Some(item) = left.next() else {
                let message = "`format` has fewer values than its text asks for";
                return Err((message.to_owned(), text));
            };
            let (digits, verb) = format::clause(&mut rest);
            if let Some(digits) = digits
                && digits.parse::<u16>().is_err()
            {
                return Err((format!("`.{digits}` is no precision"), text));
            }
            let (wrong, of) = match verb {
                Some('s') => match self.not_printed(item) {
                    Some(wrong) => (wrong, self.type_of(wrong)),
                    None => continue,
                },
                _ => (item, self.type_of(item)),
            };
            let is_printed = match verb {
                Some('d' | 'f' | 'e') => {
                    matches!(of, CelType::Int | CelType::Uint | CelType::Double)
                }
                Some('b') => matches!(of, CelType::Bool | CelType::Int | CelType::Uint),
                Some('o') => matches!(of, CelType::Int | CelType::Uint),
                Some('x' | 'X') => {
                    let is_text = matches!(of, CelType::Text | CelType::Bytes);
                    is_text || matches!(of, CelType::Int | CelType::Uint)
                }
                Some('s') => false,
                _ => {
                    let verb = verb.map_or_else(String::new, String::from);
                    return Err((format!("`format` knows no `%{verb}`"), text));
                }
            };
            if !is_printed && of != CelType::Dyn {
                let verb = verb.unwrap_or_default();
                return Err((
                    format!("`%{verb}` does not print {}", of.described()),
                    wrong,
                ));
            }
        }
        match left.next() {
            None => Ok(()),
            Some(more) => {
                let message = "`format` has more values than its text asks for";
                Err((message.to_owned(), more))
            }
        }
    }

    /// A part of a value that `%s` does not print.
    fn not_printed<'n>(&mut self, node: &'n CelNode) -> Option<&'n CelNode> {
        let id = self.found.get(&std::ptr::from_ref(node)).copied()?;
        let id = self.types.resolved(id);
        match (self.types.shape(id), &node.kind) {
            (CelShape::Optional(_) | CelShape::Object(_), _) => Some(node),
            (_, CelKind::List(_) | CelKind::Map(_)) => {
                let mut parts = node.kind.children().into_iter();
                parts.find_map(|part| self.not_printed(part))
            }
            _ => None,
        }
    }
}
