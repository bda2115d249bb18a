//! Evaluates expressions: from the syntax tree to a value, an error, or that nobody knows.

mod fold;

use promgen_text::yaml::node::Node;

use crate::arithmetic::{self, CelOperator};
use crate::fault::{self, CelError, CelFault, CelMeter, CelResult, CelSpan, CelStop};
use crate::functions::{self, CelFunction, MAX_ARGUMENTS};
use crate::parse;
use crate::tree::{CelCall, CelKind, CelNode};
use crate::value::compare::{self, CelVerdict};
use crate::value::{CelText, CelValue, KEYS_OF_A_STEP};

/// An expression that has been read.
#[derive(Debug)]
pub struct CelExpression {
    pub(crate) root: CelNode,
    names: Vec<String>,
}

/// What comes out of an evaluation.
#[derive(Clone, Debug)]
pub enum CelOutcome<'v> {
    /// A value. A scalar of a document keeps its place: [`CelValue::resolved`] is what it says.
    Value(CelValue<'v>),
    /// An error, such as a key that is not there.
    Error(CelError),
    /// It depends on a value that nobody knows; why that is so.
    Unknown(CelText<'v>),
    /// It takes more fuel than there was.
    OutOfFuel,
}

impl CelExpression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text is none, uses what is not supported, or is larger than its reader allows.
    pub fn parse(text: &str) -> Result<Self, CelFault> {
        let (root, names) = parse::parse(text)?;
        Ok(Self { root, names })
    }

    /// The names that the expression uses, in the order of their slots.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The fields of a variable that the expression names, each with its place.
    #[must_use]
    pub fn fields_of(&self, variable: &str) -> Vec<(&str, CelSpan)> {
        let slot = self.names.iter().position(|name| name == variable);
        let (mut found, mut todo) = (Vec::new(), vec![&self.root]);
        while let Some(node) = todo.pop() {
            if let CelKind::Field(of, name, _) | CelKind::Has(of, name) = &node.kind
                && matches!(of.kind, CelKind::Slot(own) if Some(own) == slot)
            {
                found.push((&*name.text, name.span));
            }
            todo.extend(node.kind.children());
        }
        found
    }

    /// Evaluates the expression with a value for each of its [variables](Self::variables), in their order. Each step takes from
    /// `fuel`.
    #[must_use]
    pub fn evaluate<'v>(&'v self, slots: &[CelValue<'v>], fuel: &mut u64) -> CelOutcome<'v> {
        let mut run = CelRun {
            slots,
            locals: Vec::new(),
            meter: CelMeter(fuel),
        };
        match run.value(&self.root) {
            Ok(CelValue::Unknown(why)) => CelOutcome::Unknown(why),
            Ok(value) => CelOutcome::Value(value),
            Err(CelStop::Error(error)) => CelOutcome::Error(*error),
            Err(CelStop::Fuel) => CelOutcome::OutOfFuel,
        }
    }
}

/// An evaluation.
struct CelRun<'r, 'v> {
    slots: &'r [CelValue<'v>],
    /// The variables of macros, the outermost first.
    locals: Vec<CelValue<'v>>,
    meter: CelMeter<'r>,
}

/// What `&&` (decided by false) and `||` (decided by true) make of their parts.
fn logic<'v>(
    decides: bool,
    parts: impl Iterator<Item = CelResult<CelValue<'v>>>,
) -> CelResult<CelValue<'v>> {
    let (mut unknown, mut error) = (None, None);
    for part in parts {
        match part {
            Ok(CelValue::Bool(value)) if value == decides => return Ok(CelValue::Bool(decides)),
            Ok(CelValue::Bool(_)) => {}
            Ok(CelValue::Unknown(why)) => {
                unknown.get_or_insert(why);
            }
            Ok(other) => {
                let message = || format!("expected a bool, found a {}", other.type_name());
                error.get_or_insert_with(|| CelStop::error(message()));
            }
            Err(CelStop::Fuel) => return Err(CelStop::Fuel),
            Err(stop) => {
                error.get_or_insert(stop);
            }
        }
    }
    match (unknown, error) {
        (Some(why), _) => Ok(CelValue::Unknown(why)),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(CelValue::Bool(!decides)),
    }
}

impl<'v> CelRun<'_, 'v> {
    fn value(&mut self, node: &'v CelNode) -> CelResult<CelValue<'v>> {
        self.meter.take(1)?;
        match &node.kind {
            CelKind::Constant(constant) => Ok(constant.value()),
            CelKind::Slot(slot) => match self.slots.get(*slot) {
                Some(value) => Ok(value.clone()),
                None => Err(CelStop::error("the variable has no value")),
            },
            CelKind::Local(local) => match self.locals.get(*local) {
                Some(value) => Ok(value.clone()),
                None => Err(CelStop::error("the variable has no value")),
            },
            CelKind::Field(of, name, is_optional) => self.field(of, &name.text, *is_optional),
            CelKind::Index(parts, is_optional) => self.index(&parts.0, &parts.1, *is_optional),
            CelKind::Has(of, name) => self.has(of, &name.text),
            CelKind::List(items) => self.list(items),
            CelKind::Map(entries) => self.map(entries),
            CelKind::Not(of) => match self.resolved(of)? {
                CelValue::Bool(value) => Ok(CelValue::Bool(!value)),
                unknown @ CelValue::Unknown(_) => Ok(unknown),
                other => {
                    let message = format!("no such overload: !{}", other.type_name());
                    Err(CelStop::error(message))
                }
            },
            CelKind::Negative(of) => match self.resolved(of)? {
                unknown @ CelValue::Unknown(_) => Ok(unknown),
                value => arithmetic::negative(&value),
            },
            CelKind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                match self.resolved(condition)? {
                    CelValue::Bool(value) => self.value(if value { yes } else { no }),
                    unknown @ CelValue::Unknown(_) => Ok(unknown),
                    other => {
                        let message = format!("expected a bool, found a {}", other.type_name());
                        Err(CelStop::error(message).at(condition.span))
                    }
                }
            }
            CelKind::Logic(decides, parts) => {
                let parts = parts.iter().map(|part| {
                    let value = self.resolved(part);
                    value.map_err(|stop| stop.at(part.span))
                });
                logic(*decides, parts)
            }
            CelKind::Binary(operator, parts) => self.binary(*operator, &parts.0, &parts.1),
            CelKind::Call(call) => self.call(call),
            CelKind::Fold(fold) => self.fold(fold),
        }
        .map_err(|stop| stop.at(node.span))
    }

    /// A value; a scalar of a document without its place.
    fn resolved(&mut self, node: &'v CelNode) -> CelResult<CelValue<'v>> {
        self.value(node).map(CelValue::resolved)
    }

    /// The node of a document that a path of fields leads to, as most paths do. `None`: the path has to be evaluated, or lacks.
    fn node(&mut self, path: &CelNode) -> CelResult<Option<&'v Node>> {
        match &path.kind {
            CelKind::Slot(slot) => Ok(self.slots.get(*slot).and_then(CelValue::node)),
            CelKind::Local(local) => Ok(self.locals.get(*local).and_then(CelValue::node)),
            CelKind::Field(of, name, false) => match self.node(of)? {
                Some(of) => self.child(of, &name.text),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The field of a node.
    fn child(&mut self, of: &'v Node, name: &str) -> CelResult<Option<&'v Node>> {
        self.meter.take(1 + of.entries().len() / KEYS_OF_A_STEP)?;
        Ok(of.get(name))
    }

    /// Selects a part of a value, `missing` if it is not there. Of an optional: an optional.
    fn select(
        &mut self,
        of: CelValue<'v>,
        is_optional: bool,
        find: impl Fn(&CelValue<'v>, &mut CelMeter<'_>) -> CelResult<Option<CelValue<'v>>>,
        missing: impl FnOnce(&CelValue<'v>) -> CelStop,
    ) -> CelResult<CelValue<'v>> {
        let optional = |found: Option<CelValue<'v>>| match found {
            Some(unknown @ CelValue::Unknown(_)) => unknown,
            found => CelValue::Optional(found.map(Into::into)),
        };
        match &of {
            CelValue::Unknown(_) | CelValue::Optional(None) => Ok(of),
            CelValue::Optional(Some(inner)) => find(inner, &mut self.meter).map(optional),
            _ if is_optional => find(&of, &mut self.meter).map(optional),
            _ => find(&of, &mut self.meter)?.ok_or_else(|| missing(&of)),
        }
    }

    fn field(
        &mut self,
        of: &'v CelNode,
        name: &'v str,
        is_optional: bool,
    ) -> CelResult<CelValue<'v>> {
        let node = if is_optional { None } else { self.node(of)? };
        if let Some(node) = node
            && let Some(found) = self.child(node, name)?
        {
            return Ok(CelValue::Node(found));
        }
        let of = match node {
            Some(node) => CelValue::Node(node),
            None => self.value(of)?,
        };
        let find = |of: &CelValue<'v>, meter: &mut CelMeter<'_>| find_field(of, name, meter);
        self.select(of, is_optional, find, |of| {
            let is_map = of.fields().is_some() || matches!(of, CelValue::Open(_));
            let message = match is_map {
                true => format!("no such key: {name}"),
                false => format!("a {} has no field `{name}`", of.type_name()),
            };
            CelStop::error(message)
        })
    }

    fn index(
        &mut self,
        of: &'v CelNode,
        index: &'v CelNode,
        is_optional: bool,
    ) -> CelResult<CelValue<'v>> {
        let of = self.value(of)?;
        if let CelValue::Optional(None) = of {
            return Ok(of);
        }
        let index = self.resolved(index)?;
        if index.is_unknown() {
            return Ok(index);
        }
        let find = |of: &CelValue<'v>, meter: &mut CelMeter<'_>| of.at(&index, meter);
        self.select(of, is_optional, find, |of| {
            let what = if of.fields().is_some() {
                "no such key"
            } else {
                "index out of bounds"
            };
            CelStop::error(match &index {
                CelValue::Text(key) => format!("{what}: {}", fault::short(key)),
                CelValue::Int(key) => format!("{what}: {key}"),
                _ => what.to_owned(),
            })
        })
    }

    fn has(&mut self, of: &'v CelNode, name: &'v str) -> CelResult<CelValue<'v>> {
        let of = match self.node(of)? {
            Some(node) => CelValue::Node(node),
            None => self.value(of)?,
        };
        let found = match &of {
            CelValue::Unknown(_) => return Ok(of),
            CelValue::Optional(None) => None,
            CelValue::Optional(Some(inner)) => find_field(inner, name, &mut self.meter)?,
            _ => find_field(&of, name, &mut self.meter)?,
        };
        Ok(match found {
            Some(unknown @ CelValue::Unknown(_)) => unknown,
            found => CelValue::Bool(found.is_some()),
        })
    }

    fn list(&mut self, items: &'v [(CelNode, bool)]) -> CelResult<CelValue<'v>> {
        let mut list = Vec::with_capacity(items.len());
        let mut unknown = None;
        for (item, is_optional) in items {
            match self.value(item)? {
                value @ CelValue::Unknown(_) => {
                    unknown.get_or_insert(value);
                }
                value if *is_optional => list.extend(present(value, item)?),
                value => list.push(value),
            }
        }
        Ok(unknown.unwrap_or_else(|| CelValue::List(list.into())))
    }

    fn map(&mut self, entries: &'v [(CelNode, CelNode, bool)]) -> CelResult<CelValue<'v>> {
        let mut map = Vec::with_capacity(entries.len());
        let mut unknown = None;
        for (key, value, is_optional) in entries {
            let key_value = self.resolved(key)?;
            let value_value = self.value(value)?;
            match (key_value, value_value) {
                (found @ CelValue::Unknown(_), _) | (_, found @ CelValue::Unknown(_)) => {
                    unknown.get_or_insert(found);
                }
                (
                    CelValue::List(_)
                    | CelValue::Map(_)
                    | CelValue::Node(_)
                    | CelValue::Json(_)
                    | CelValue::Object(_)
                    | CelValue::Open(_)
                    | CelValue::Optional(_)
                    | CelValue::Bytes(_)
                    | CelValue::Duration(_)
                    | CelValue::Type(_),
                    _,
                ) => return Err(CelStop::error("unsupported type of a key").at(key.span)),
                (key, found) if *is_optional => match present(found, value)? {
                    Some(found) => map.push((key, found)),
                    // A key that lacks is one that was not given before.
                    None => map.retain(|(known, _)| compare::keys(known, &key).is_ne()),
                },
                (key, value) => map.push((key, value)),
            }
        }
        Ok(unknown.unwrap_or_else(|| CelValue::map(map)))
    }

    fn binary(
        &mut self,
        operator: CelOperator,
        left: &'v CelNode,
        right: &'v CelNode,
    ) -> CelResult<CelValue<'v>> {
        let left = self.resolved(left)?;
        if operator == CelOperator::In
            && let CelKind::List(items) = &right.kind
            && !left.is_unknown()
            && items
                .iter()
                .all(|(item, _)| matches!(item.kind, CelKind::Constant(_)))
        {
            // A list of constants does not have to be made.
            return self.is_one_of(&left, items);
        }
        let right = self.resolved(right)?;
        if let (
            CelOperator::Equal | CelOperator::NotEqual,
            (CelValue::Open(open), _) | (_, CelValue::Open(open)),
        ) = (operator, (&left, &right))
        {
            return Ok(open.all());
        }
        let (left, right) = match (left, right) {
            (unknown @ CelValue::Unknown(_), _) | (_, unknown @ CelValue::Unknown(_)) => {
                return Ok(unknown);
            }
            known => known,
        };
        let meter = &mut self.meter;
        let ordered = |is: fn(std::cmp::Ordering) -> bool, meter: &mut CelMeter<'_>| {
            compare::order(&left, &right, meter).map(|order| CelValue::Bool(is(order)))
        };
        match operator {
            CelOperator::Equal | CelOperator::NotEqual => {
                let verdict = compare::equal(left, right, meter)?;
                Ok(verdict.value(operator == CelOperator::Equal))
            }
            CelOperator::Less => ordered(std::cmp::Ordering::is_lt, meter),
            CelOperator::AtMost => ordered(std::cmp::Ordering::is_le, meter),
            CelOperator::More => ordered(std::cmp::Ordering::is_gt, meter),
            CelOperator::AtLeast => ordered(std::cmp::Ordering::is_ge, meter),
            CelOperator::In => is_in(&left, &right, meter),
            CelOperator::Plus => arithmetic::plus(&left, &right, meter),
            CelOperator::Minus | CelOperator::Times | CelOperator::Over | CelOperator::Modulo => {
                arithmetic::numbers(operator, &left, &right)
            }
        }
    }

    /// `in` with a list of constants.
    fn is_one_of(
        &mut self,
        value: &CelValue<'v>,
        items: &'v [(CelNode, bool)],
    ) -> CelResult<CelValue<'v>> {
        for (item, _) in items {
            let CelKind::Constant(constant) = &item.kind else {
                continue;
            };
            let verdict = compare::equal(value.clone(), constant.value(), &mut self.meter)?;
            if let CelVerdict::Yes | CelVerdict::Unknown(_) = verdict {
                return Ok(verdict.value(true));
            }
        }
        Ok(CelValue::Bool(false))
    }

    fn call(&mut self, call: &'v CelCall) -> CelResult<CelValue<'v>> {
        if let (function @ (CelFunction::Or | CelFunction::OrValue), [of, other]) =
            (call.function, &*call.arguments)
        {
            let value = self.resolved(of)?;
            if value.is_unknown() {
                return Ok(value);
            }
            // The other argument is only evaluated if this one has no value.
            return match present(value, of)? {
                None => self.value(other),
                Some(value) if function == CelFunction::OrValue => Ok(value),
                Some(value) => Ok(CelValue::Optional(Some(value.into()))),
            };
        }
        let mut arguments = [const { CelValue::Null }; MAX_ARGUMENTS];
        let mut unknown = None;
        for (argument, node) in arguments.iter_mut().zip(&call.arguments) {
            let value = self.resolved(node)?;
            match value.unknown_part(&mut self.meter)? {
                Some(part) => drop(unknown.get_or_insert(part)),
                None => *argument = value,
            }
        }
        if let Some(unknown) = unknown {
            return Ok(unknown);
        }
        let arguments = arguments.get(..call.arguments.len()).unwrap_or(&arguments);
        functions::call(
            call.function,
            arguments,
            call.pattern.as_ref(),
            &mut self.meter,
        )
    }
}

/// The value of an optional.
fn present<'v>(value: CelValue<'v>, node: &CelNode) -> CelResult<Option<CelValue<'v>>> {
    match value {
        CelValue::Optional(value) => Ok(value.map(|value| (*value).clone())),
        other => {
            let message = format!("expected an optional, found a {}", other.type_name());
            Err(CelStop::error(message).at(node.span))
        }
    }
}

fn find_field<'v>(
    of: &CelValue<'v>,
    name: &str,
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    if let CelValue::Open(open) = of {
        return Ok(open.get(&CelValue::Text(CelText::Borrowed(name))));
    }
    match of.fields() {
        Some(fields) => fields.text(name, meter),
        None if of.items().is_some() => {
            Err(CelStop::error(format!("a list has no field `{name}`")))
        }
        None => Ok(None),
    }
}

fn is_in<'v>(
    value: &CelValue<'v>,
    of: &CelValue<'v>,
    meter: &mut CelMeter<'_>,
) -> CelResult<CelValue<'v>> {
    if let Some(items) = of.items() {
        let mut verdict = CelVerdict::No;
        for item in items.iter() {
            match compare::equal(value.clone(), item, meter)? {
                CelVerdict::Yes => return Ok(CelValue::Bool(true)),
                CelVerdict::No => {}
                unknown @ CelVerdict::Unknown(_) => verdict = unknown,
            }
        }
        return Ok(verdict.value(true));
    }
    if let CelValue::Open(open) = of {
        return Ok(match open.get(value) {
            Some(unknown @ CelValue::Unknown(_)) => unknown,
            found => CelValue::Bool(found.is_some()),
        });
    }
    match of.fields() {
        Some(fields) => Ok(CelValue::Bool(fields.get(value, meter)?.is_some())),
        None => {
            let message = format!(
                "no such overload: {} in {}",
                value.type_name(),
                of.type_name()
            );
            Err(CelStop::error(message))
        }
    }
}

#[cfg(test)]
mod tests;
