//! Checks expressions before they are evaluated: names, fields, and the types of what operators, functions and macros take.

mod format;
mod hints;
mod overloads;
mod types;
mod unify;

use std::collections::BTreeMap;

use promgen_text::suggest;

pub use types::{CelField, CelObjectType, CelType, CelTypePart};

use crate::evaluate::CelExpression;
use crate::fault::{CelFault, CelSpan};
use crate::functions::{self, CelFunction};
use crate::tree::{CelCall, CelConstant, CelFold, CelFoldName, CelKind, CelName, CelNode};
use overloads::CelOverload;
use unify::{CelShape, CelTypeId, CelTypeStore};

impl CelExpression {
    /// Checks the expression with the types of its variables, as cel-go does. Returns the type of its result.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the places. What is wrong is of any type: it causes nothing else.
    pub fn check(
        &self,
        variable: &dyn Fn(&str) -> Option<CelType>,
    ) -> Result<CelType, Vec<CelFault>> {
        let mut types = CelTypeStore::new();
        let slots = self.variables().map(|name| {
            let declared = variable(name).map(|of| types.declared(&of, 0));
            (name, declared)
        });
        let mut checker = CelChecker {
            slots: slots.collect(),
            types,
            locals: Vec::new(),
            faults: Vec::new(),
            formats: Vec::new(),
            found: BTreeMap::new(),
        };
        let result = checker.check(&self.root);
        if checker.faults.is_empty() {
            checker.check_formats();
        }
        if checker.faults.is_empty() {
            return Ok(checker.types.told(result));
        }
        checker.faults.sort_by_key(|fault| fault.span.start);
        Err(checker.faults)
    }
}

/// A check of an expression.
struct CelChecker<'e> {
    types: CelTypeStore,
    /// The variables, and the types of those that are declared.
    slots: Vec<(&'e str, Option<CelTypeId>)>,
    /// The types of the variables of macros, the outermost first.
    locals: Vec<CelTypeId>,
    faults: Vec<CelFault>,
    /// The calls of `format`, which are checked when all types are known.
    formats: Vec<&'e CelCall>,
    /// The types of parts, by their address.
    found: BTreeMap<*const CelNode, CelTypeId>,
}

/// The types that are taken, as messages have them: an optional of what is taken too goes without saying.
fn listed(of: &[CelType]) -> String {
    let is_optional = |of: &&CelType| matches!(of, CelType::Optional(_));
    let all_are = of.iter().all(|of| is_optional(&of));
    let names = of.iter().filter(|of| all_are || !is_optional(of));
    let names: Vec<_> = names.map(CelType::described).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, more)) => format!("{} or {last}", more.join(", ")),
        None => "nothing".to_owned(),
    }
}

impl<'e> CelChecker<'e> {
    fn dynamic(&mut self) -> CelTypeId {
        self.types.id(CelShape::Dyn)
    }

    fn bool(&mut self) -> CelTypeId {
        self.types.id(CelShape::Bool)
    }

    /// The type with an article.
    fn described(&mut self, id: CelTypeId) -> String {
        self.types.told(id).described()
    }

    /// What is wrong; its type is any.
    fn fault(&mut self, message: String, span: CelSpan) -> CelTypeId {
        self.faults.push(CelFault { message, span });
        self.dynamic()
    }

    /// The type of a part.
    fn check(&mut self, node: &'e CelNode) -> CelTypeId {
        let id = self.kind(node);
        self.found.insert(node, id);
        id
    }

    fn kind(&mut self, node: &'e CelNode) -> CelTypeId {
        match &node.kind {
            CelKind::Constant(constant) => self.types.id(match constant {
                CelConstant::Null => CelShape::Null,
                CelConstant::Bool(_) => CelShape::Bool,
                CelConstant::Int(_) => CelShape::Int,
                CelConstant::Uint(_) => CelShape::Uint,
                CelConstant::Double(_) => CelShape::Double,
                CelConstant::Text(_) => CelShape::Text,
                CelConstant::Bytes(_) => CelShape::Bytes,
                CelConstant::Type(_) => CelShape::Type,
            }),
            CelKind::Slot(slot) => {
                let (name, declared) = self.slots[*slot];
                declared
                    .unwrap_or_else(|| self.fault(format!("undeclared name `{name}`"), node.span))
            }
            CelKind::Local(local) => self.locals[*local],
            CelKind::Field(of, name, is_optional) => self.field(of, name, *is_optional),
            CelKind::Has(of, name) => {
                self.field(of, name, false);
                self.bool()
            }
            CelKind::Index(parts, is_optional) => {
                let overloads = match is_optional {
                    true => overloads::OPTIONAL_INDEX,
                    false => overloads::INDEX,
                };
                self.operation("[…]", overloads, &[&parts.0, &parts.1])
            }
            CelKind::List(items) => {
                let mut joined = None;
                for (item, is_optional) in items {
                    let of = self.item(item, *is_optional);
                    joined = Some(self.types.joined(joined, of));
                }
                let item = joined.unwrap_or_else(|| self.types.fresh());
                self.types.id(CelShape::List(item))
            }
            CelKind::Map(entries) => self.map(entries),
            CelKind::Not(of) => self.operation("!", overloads::NOT, &[of]),
            CelKind::Negative(of) => self.operation("-", overloads::NEGATIVE, &[of]),
            CelKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                self.operation("? :", overloads::CHOICE, &[condition, yes, no])
            }
            CelKind::Logic(is_or, parts) => {
                let parts: Vec<_> = parts.iter().map(|part| (part, self.check(part))).collect();
                for (part, of) in parts {
                    self.condition(if *is_or { "||" } else { "&&" }, part, of);
                }
                self.bool()
            }
            CelKind::Binary(operator, parts) => {
                let overloads = overloads::operator(*operator);
                self.operation(operator.sign(), overloads, &[&parts.0, &parts.1])
            }
            CelKind::Call(call) => self.call(call, node.span),
            CelKind::Fold(fold) => self.fold(fold),
        }
    }

    /// A part that has to be a bool.
    fn condition(&mut self, of: &str, node: &CelNode, found: CelTypeId) {
        let bool = self.bool();
        if !self.types.is_assignable(&[(found, bool)]) {
            let found = self.described(found);
            self.fault(format!("`{of}` needs bools, found {found}"), node.span);
        }
    }

    /// An operator and its parts.
    fn operation(
        &mut self,
        sign: &str,
        overloads: &[CelOverload],
        parts: &[&'e CelNode],
    ) -> CelTypeId {
        let ids: Vec<_> = parts.iter().map(|part| self.check(part)).collect();
        if let Some(result) = self.types.call(overloads, &ids) {
            return result;
        }
        let refused = self.types.refused(overloads, &ids);
        let whole = parts[0].span.to(parts[parts.len() - 1].span);
        if let Some((at @ (1 | 2), _)) = refused
            && matches!(sign, "==" | "!=" | "? :")
        {
            let (one, other) = (self.described(ids[at - 1]), self.described(ids[at]));
            let message = match sign {
                "? :" => format!("both values of `? :` need one type, found {one} and {other}"),
                _ => format!("`{sign}` needs values of one type, found {one} and {other}"),
            };
            return self.fault(message, whole);
        }
        self.refuse(sign, refused, &ids, parts, whole)
    }

    /// Tells which argument is not taken.
    fn refuse(
        &mut self,
        name: &str,
        refused: Option<(usize, Vec<CelType>)>,
        ids: &[CelTypeId],
        nodes: &[&'e CelNode],
        whole: CelSpan,
    ) -> CelTypeId {
        let Some((at, wanted)) = refused else {
            return self.fault(format!("`{name}` does not take these values"), whole);
        };
        let found = self.described(ids[at]);
        let message = format!("`{name}` needs {}, found {found}", listed(&wanted));
        self.fault(message, nodes[at].span)
    }

    /// The type of an item of a list, or of a value of a map.
    fn item(&mut self, node: &'e CelNode, is_optional: bool) -> CelTypeId {
        let of = self.check(node);
        match self.types.shape(of) {
            CelShape::Optional(value) if is_optional => value,
            CelShape::Dyn => of,
            _ if is_optional => {
                let found = self.described(of);
                self.fault(format!("`?` needs an optional, found {found}"), node.span)
            }
            _ => of,
        }
    }

    fn map(&mut self, entries: &'e [(CelNode, CelNode, bool)]) -> CelTypeId {
        let mut joined = (None, None);
        for (key, value, is_optional) in entries {
            let of = self.check(key);
            joined.0 = Some(self.types.joined(joined.0, of));
            let of = self.item(value, *is_optional);
            joined.1 = Some(self.types.joined(joined.1, of));
        }
        let key = joined.0.unwrap_or_else(|| self.types.fresh());
        let value = joined.1.unwrap_or_else(|| self.types.fresh());
        self.types.id(CelShape::Map(key, value))
    }

    /// The type of a field. Of an optional: an optional.
    fn field(&mut self, of: &'e CelNode, name: &CelName, is_optional: bool) -> CelTypeId {
        let found = self.check(of);
        let found = self.types.resolved(found);
        let (found, is_optional) = match self.types.shape(found) {
            CelShape::Optional(value) => (value, true),
            _ => (found, is_optional),
        };
        let result = match self.types.shape(found) {
            CelShape::Map(_, value) => value,
            CelShape::Object(object) => self.field_of(object, name),
            CelShape::Dyn => found,
            CelShape::Var(_) => {
                let dynamic = self.dynamic();
                self.types.is_assignable(&[(dynamic, found)]);
                dynamic
            }
            _ => {
                let found = self.described(found);
                self.fault(format!("{found} has no field `{}`", name.text), name.span)
            }
        };
        let result = self.types.resolved(result);
        match is_optional {
            true => self.types.id(CelShape::Optional(result)),
            false => result,
        }
    }

    fn field_of(&mut self, object: &CelObjectType, name: &CelName) -> CelTypeId {
        let found = object.fields.iter().find(|field| field.name == &*name.text);
        if let Some(field) = found {
            return self.types.declared(&field.of, 0);
        }
        let names = object.fields.iter().map(|field| field.name);
        let meant = suggest::closest(&name.text, names);
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
        let message = format!(
            "no field `{}` in `{}`{}",
            name.text,
            object.name,
            meant.unwrap_or_default()
        );
        self.fault(message, name.span)
    }

    fn call(&mut self, call: &'e CelCall, span: CelSpan) -> CelTypeId {
        // The value that a function belongs to comes last, which tells where several parts decide on an unknown type.
        let nodes: Vec<_> = call.arguments.iter().collect();
        let mut ids = Vec::with_capacity(nodes.len());
        ids.extend(nodes.iter().skip(1).map(|node| self.check(node)));
        if let Some(of) = nodes.first() {
            ids.insert(0, self.check(of));
        }
        let overloads = overloads::function(call.function);
        if let Some(result) = self.types.call(overloads, &ids) {
            if call.function == CelFunction::Format {
                self.formats.push(call);
            }
            return result;
        }
        let refused = self.types.refused(overloads, &ids);
        self.refuse(functions::name(call.function), refused, &ids, &nodes, span)
    }

    fn fold(&mut self, fold: &'e CelFold) -> CelTypeId {
        let of = self.check(&fold.of);
        if let CelFoldName::OptMap | CelFoldName::OptFlatMap = fold.name {
            return self.option(fold, of);
        }
        let range = self.types.resolved(of);
        let dynamic = self.dynamic();
        let (key, value) = match self.types.shape(range) {
            CelShape::List(item) => (self.types.id(CelShape::Int), item),
            CelShape::Map(key, value) => (key, value),
            CelShape::Dyn | CelShape::Var(_) => {
                self.types.is_assignable(&[(dynamic, range)]);
                (dynamic, dynamic)
            }
            _ => {
                let (name, found) = (fold.written_name(), self.described(range));
                let message = format!("`{name}` needs a list or a map, found {found}");
                self.fault(message, fold.of.span);
                (dynamic, dynamic)
            }
        };
        let item = match self.types.shape(range) {
            CelShape::List(_) => value,
            _ => key,
        };
        let n_locals = self.locals.len();
        match fold.has_two {
            true => self.locals.extend([key, value]),
            false => self.locals.push(item),
        }
        let filter = fold.filter.as_ref().map(|filter| self.check(filter));
        let body = self.check(&fold.body);
        self.locals.truncate(n_locals);
        let made = self.made(fold, key, item, body);
        if let (Some(node), Some(found)) = (&fold.filter, filter) {
            self.condition(fold.written_name(), node, found);
        }
        made
    }

    /// What a macro makes of its items.
    fn made(
        &mut self,
        fold: &CelFold,
        key: CelTypeId,
        item: CelTypeId,
        body: CelTypeId,
    ) -> CelTypeId {
        let (start, step, overloads) = match fold.name {
            CelFoldName::All | CelFoldName::Exists | CelFoldName::ExistsOne => {
                self.condition(fold.written_name(), &fold.body, body);
                return self.bool();
            }
            CelFoldName::Values | CelFoldName::Entries => {
                let (start_key, start_value) = (self.types.fresh(), self.types.fresh());
                let start = self.types.id(CelShape::Map(start_key, start_value));
                match fold.name {
                    CelFoldName::Values => (start, vec![start, key, body], overloads::INSERT),
                    _ => (start, vec![start, body], overloads::INSERT_ALL),
                }
            }
            _ => {
                let start = self.types.fresh();
                let start = self.types.id(CelShape::List(start));
                let one = match fold.name {
                    CelFoldName::Filter => item,
                    _ => body,
                };
                let one = self.types.id(CelShape::List(one));
                (start, vec![start, one], overloads::PLUS)
            }
        };
        let step = self.types.call(overloads, &step);
        if step.is_none() {
            let (name, found) = (fold.written_name(), self.described(body));
            let message = format!("`{name}` needs a map of each item, found {found}");
            self.fault(message, fold.body.span);
        }
        if fold.name == CelFoldName::Filter {
            self.condition(fold.written_name(), &fold.body, body);
        }
        if let Some(step) = step {
            self.types.is_assignable(&[(start, step)]);
        }
        self.types.resolved(start)
    }

    /// `optMap` and `optFlatMap`.
    fn option(&mut self, fold: &'e CelFold, of: CelTypeId) -> CelTypeId {
        let name = fold.written_name();
        let value = overloads::function(CelFunction::Value);
        let value = self.types.call(value, &[of]).unwrap_or_else(|| {
            let found = self.described(of);
            let message = format!("`{name}` needs an optional, found {found}");
            self.fault(message, fold.of.span)
        });
        self.locals.push(value);
        let body = self.check(&fold.body);
        self.locals.pop();
        let body = self.types.resolved(body);
        if fold.name == CelFoldName::OptMap {
            return self.types.id(CelShape::Optional(body));
        }
        let none = self.types.fresh();
        let none = self.types.id(CelShape::Optional(none));
        let bool = self.bool();
        let result = self.types.call(overloads::CHOICE, &[bool, body, none]);
        result.unwrap_or_else(|| {
            let found = self.described(body);
            let message = format!("`{name}` needs an optional of its value, found {found}");
            self.fault(message, fold.body.span)
        })
    }
}

impl CelFold {
    /// The name of the macro.
    const fn written_name(&self) -> &'static str {
        match self.name {
            CelFoldName::All => "all",
            CelFoldName::Exists => "exists",
            CelFoldName::ExistsOne => "exists_one",
            CelFoldName::Filter => "filter",
            CelFoldName::List if self.has_two => "transformList",
            CelFoldName::List => "map",
            CelFoldName::Values => "transformMap",
            CelFoldName::Entries => "transformMapEntry",
            CelFoldName::OptMap => "optMap",
            CelFoldName::OptFlatMap => "optFlatMap",
        }
    }
}

#[cfg(test)]
mod tests;
