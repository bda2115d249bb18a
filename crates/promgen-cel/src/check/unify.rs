//! Finds the types that unknown types stand for, as cel-go's checker does.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::overloads::{CelForm, CelOverload};
use super::types::{CelObjectType, CelType, CelTypePart};

/// How deep types are in each other at most; what is deeper is of any type.
const MAX_DEPTH: usize = 16;

/// The work for an expression. Beyond it nothing is wrong.
const MAX_STEPS: usize = 1 << 20;

/// The number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CelTypeId(usize);

/// A type, whose parts are numbers of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CelShape {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Type,
    List(CelTypeId),
    Map(CelTypeId, CelTypeId),
    Optional(CelTypeId),
    Object(&'static CelObjectType),
    /// A type that is not known yet.
    Var(usize),
}

/// The types of an expression.
pub(super) struct CelTypeStore {
    shapes: Vec<CelShape>,
    ids: BTreeMap<CelShape, CelTypeId>,
    /// What the unknown types stand for.
    bound: Vec<Option<CelTypeId>>,
    /// What they stood for before, since the last decision.
    before: Vec<(usize, Option<CelTypeId>)>,
    steps_left: usize,
}

impl CelTypeStore {
    pub(super) fn new() -> Self {
        Self {
            shapes: Vec::new(),
            ids: BTreeMap::new(),
            bound: Vec::new(),
            before: Vec::new(),
            steps_left: MAX_STEPS,
        }
    }

    pub(super) fn id(&mut self, shape: CelShape) -> CelTypeId {
        *self.ids.entry(shape).or_insert_with(|| {
            self.shapes.push(shape);
            CelTypeId(self.shapes.len() - 1)
        })
    }

    pub(super) fn shape(&self, id: CelTypeId) -> CelShape {
        self.shapes[id.0]
    }

    /// A type that is not known yet.
    pub(super) fn fresh(&mut self) -> CelTypeId {
        self.bound.push(None);
        self.id(CelShape::Var(self.bound.len() - 1))
    }

    fn step(&mut self) -> bool {
        self.steps_left = self.steps_left.saturating_sub(1);
        self.steps_left > 0
    }

    /// A type that is declared.
    pub(super) fn declared(&mut self, of: &CelType, depth: usize) -> CelTypeId {
        if depth == MAX_DEPTH || !self.step() {
            return self.id(CelShape::Dyn);
        }
        let shape = match of {
            CelType::Dyn => CelShape::Dyn,
            CelType::Null => CelShape::Null,
            CelType::Bool => CelShape::Bool,
            CelType::Int => CelShape::Int,
            CelType::Uint => CelShape::Uint,
            CelType::Double => CelShape::Double,
            CelType::Text => CelShape::Text,
            CelType::Bytes => CelShape::Bytes,
            CelType::Duration => CelShape::Duration,
            CelType::Type => CelShape::Type,
            CelType::List(item) => CelShape::List(self.declared(item, depth + 1)),
            CelType::Map(key, value) => {
                let key = self.declared(key, depth + 1);
                CelShape::Map(key, self.declared(value, depth + 1))
            }
            CelType::Optional(value) => CelShape::Optional(self.declared(value, depth + 1)),
            CelType::Object(of) => CelShape::Object(of),
        };
        self.id(shape)
    }

    /// The type as others have it: what is not known is of any type.
    pub(super) fn told(&mut self, id: CelTypeId) -> CelType {
        self.told_at(id, 0)
    }

    fn told_at(&mut self, id: CelTypeId, depth: usize) -> CelType {
        if depth == MAX_DEPTH || !self.step() {
            return CelType::Dyn;
        }
        let shape = self.shape(id);
        let mut part = |of| CelTypePart::Shared(Arc::new(self.told_at(of, depth + 1)));
        match shape {
            CelShape::Dyn => CelType::Dyn,
            CelShape::Null => CelType::Null,
            CelShape::Bool => CelType::Bool,
            CelShape::Int => CelType::Int,
            CelShape::Uint => CelType::Uint,
            CelShape::Double => CelType::Double,
            CelShape::Text => CelType::Text,
            CelShape::Bytes => CelType::Bytes,
            CelShape::Duration => CelType::Duration,
            CelShape::Type => CelType::Type,
            CelShape::List(item) => CelType::List(part(item)),
            CelShape::Map(key, value) => CelType::Map(part(key), part(value)),
            CelShape::Optional(value) => CelType::Optional(part(value)),
            CelShape::Object(of) => CelType::Object(of),
            CelShape::Var(var) => match self.bound[var] {
                Some(bound) => self.told_at(bound, depth),
                None => CelType::Dyn,
            },
        }
    }

    /// The type with what its unknown parts stand for.
    pub(super) fn resolved(&mut self, id: CelTypeId) -> CelTypeId {
        self.resolved_at(id, 0)
    }

    fn resolved_at(&mut self, id: CelTypeId, depth: usize) -> CelTypeId {
        if depth == MAX_DEPTH || !self.step() {
            return self.id(CelShape::Dyn);
        }
        let shape = match self.shape(id) {
            CelShape::List(item) => CelShape::List(self.resolved_at(item, depth + 1)),
            CelShape::Map(key, value) => {
                let key = self.resolved_at(key, depth + 1);
                CelShape::Map(key, self.resolved_at(value, depth + 1))
            }
            CelShape::Optional(value) => CelShape::Optional(self.resolved_at(value, depth + 1)),
            CelShape::Var(var) => match self.bound[var] {
                Some(bound) => return self.resolved_at(bound, depth),
                None => return id,
            },
            _ => return id,
        };
        self.id(shape)
    }

    /// Returns whether values of the one types can be where the other ones are expected; then unknown types stand for what
    /// that takes.
    pub(super) fn is_assignable(&mut self, pairs: &[(CelTypeId, CelTypeId)]) -> bool {
        self.before.clear();
        let fits = pairs.iter().all(|(one, other)| self.fits(*one, *other, 0));
        if !fits {
            self.undo();
        }
        fits || self.steps_left == 0
    }

    fn undo(&mut self) {
        while let Some((var, before)) = self.before.pop() {
            self.bound[var] = before;
        }
    }

    fn fits(&mut self, one: CelTypeId, other: CelTypeId, depth: usize) -> bool {
        if depth > 2 * MAX_DEPTH || !self.step() {
            return true;
        }
        if let CelShape::Var(var) = self.shape(other)
            && let Some(stands) = self.stands_for(var, other, one, depth)
        {
            return stands;
        }
        if let CelShape::Var(var) = self.shape(one) {
            return self.stands_for(var, one, other, depth) == Some(true);
        }
        let is_nullable = |shape: CelShape| {
            let can_be = matches!(shape, CelShape::Optional(_) | CelShape::Object(_));
            can_be || matches!(shape, CelShape::Duration | CelShape::Null)
        };
        match (self.shape(one), self.shape(other)) {
            (CelShape::Dyn, _) | (_, CelShape::Dyn) => true,
            (CelShape::Null, other) => is_nullable(other),
            (one, CelShape::Null) => is_nullable(one),
            (CelShape::List(one), CelShape::List(other))
            | (CelShape::Optional(one), CelShape::Optional(other)) => {
                self.fits(one, other, depth + 1)
            }
            (CelShape::Map(one, one_value), CelShape::Map(other, other_value)) => {
                self.fits(one, other, depth + 1) && self.fits(one_value, other_value, depth + 1)
            }
            (one, other) => one == other,
        }
    }

    /// Lets an unknown type stand for another one, or for what is more general. Returns whether it does; `None`: it has not
    /// stood for anything, and cannot, since it is a part of that.
    fn stands_for(
        &mut self,
        var: usize,
        var_id: CelTypeId,
        of: CelTypeId,
        depth: usize,
    ) -> Option<bool> {
        if of == var_id {
            return Some(true);
        }
        let before = self.bound[var];
        let mut general = of;
        if let Some(bound) = before {
            if bound == of {
                return Some(true);
            }
            if !self.fits(of, bound, depth + 1) {
                return Some(false);
            }
            general = self.most_general(of, bound);
        }
        if self.is_part(var_id, general, depth) {
            return before.map(|_| true);
        }
        self.before.push((var, self.bound[var]));
        self.bound[var] = Some(general);
        Some(true)
    }

    /// The more general one of two types that fit.
    fn most_general(&mut self, one: CelTypeId, other: CelTypeId) -> CelTypeId {
        match self.is_more_general(one, other) {
            true => one,
            false => other,
        }
    }

    fn is_more_general(&mut self, one: CelTypeId, other: CelTypeId) -> bool {
        if !self.step() {
            return true;
        }
        match (self.shape(one), self.shape(other)) {
            (CelShape::Dyn | CelShape::Var(_), _) => true,
            (CelShape::List(one), CelShape::List(other))
            | (CelShape::Optional(one), CelShape::Optional(other)) => {
                self.is_more_general(one, other)
            }
            (CelShape::Map(one, one_value), CelShape::Map(other, other_value)) => {
                self.is_more_general(one, other) && self.is_more_general(one_value, other_value)
            }
            (one, other) => one == other,
        }
    }

    /// Returns whether a type is another one or a part of it.
    fn is_part(&mut self, id: CelTypeId, of: CelTypeId, depth: usize) -> bool {
        if id == of || depth > 4 * MAX_DEPTH || !self.step() {
            return true;
        }
        match self.shape(of) {
            CelShape::Var(var) => {
                self.bound[var].is_some_and(|bound| self.is_part(id, bound, depth + 1))
            }
            CelShape::List(part) | CelShape::Optional(part) => self.is_part(id, part, depth + 1),
            CelShape::Map(key, value) => {
                self.is_part(id, key, depth + 1) || self.is_part(id, value, depth + 1)
            }
            _ => false,
        }
    }

    /// The common type of the items of a list.
    pub(super) fn joined(&mut self, one: Option<CelTypeId>, other: CelTypeId) -> CelTypeId {
        match one {
            None => other,
            Some(one) if self.is_assignable(&[(one, other)]) => self.most_general(one, other),
            Some(_) => self.id(CelShape::Dyn),
        }
    }

    /// The types that an overload takes and gives, with unknown types of its own.
    fn instance(&mut self, overload: &CelOverload) -> (Vec<CelTypeId>, CelTypeId) {
        let mut own = [None, None];
        let (takes, gives) = overload;
        let takes = takes.iter().map(|form| self.form(*form, &mut own));
        (takes.collect(), self.form(*gives, &mut own))
    }

    fn form(&mut self, form: CelForm, own: &mut [Option<CelTypeId>; 2]) -> CelTypeId {
        let shape = match form {
            CelForm::Dyn => CelShape::Dyn,
            CelForm::Bool => CelShape::Bool,
            CelForm::Int => CelShape::Int,
            CelForm::Uint => CelShape::Uint,
            CelForm::Double => CelShape::Double,
            CelForm::Text => CelShape::Text,
            CelForm::Bytes => CelShape::Bytes,
            CelForm::Duration => CelShape::Duration,
            CelForm::Type => CelShape::Type,
            CelForm::A => return *own[0].get_or_insert_with(|| self.fresh()),
            CelForm::B => return *own[1].get_or_insert_with(|| self.fresh()),
            CelForm::List(item) => CelShape::List(self.form(*item, own)),
            CelForm::Map => {
                let key = self.form(CelForm::A, own);
                CelShape::Map(key, self.form(CelForm::B, own))
            }
            CelForm::Optional(value) => CelShape::Optional(self.form(*value, own)),
        };
        self.id(shape)
    }

    /// What the overloads that take arguments give: of several, any type, unless they agree. `None`: none takes them.
    pub(super) fn call(
        &mut self,
        overloads: &[CelOverload],
        arguments: &[CelTypeId],
    ) -> Option<CelTypeId> {
        let dynamic = self.id(CelShape::Dyn);
        let mut result = None;
        for overload in overloads {
            let Some(gives) = self.taken(overload, arguments) else {
                continue;
            };
            let gives = self.resolved(gives);
            result = match result {
                Some(known) if known != gives => Some(dynamic),
                _ => Some(gives),
            };
        }
        result
    }

    fn taken(&mut self, overload: &CelOverload, arguments: &[CelTypeId]) -> Option<CelTypeId> {
        if overload.0.len() != arguments.len() {
            return None;
        }
        let (takes, gives) = self.instance(overload);
        let pairs: Vec<_> = arguments.iter().copied().zip(takes).collect();
        self.is_assignable(&pairs).then_some(gives)
    }

    /// The first argument that no overload takes behind those in front of it, and what is taken there.
    pub(super) fn refused(
        &mut self,
        overloads: &[CelOverload],
        arguments: &[CelTypeId],
    ) -> Option<(usize, Vec<CelType>)> {
        let of_size = |(takes, _): &&CelOverload| takes.len() == arguments.len();
        let mut left: Vec<&CelOverload> = overloads.iter().filter(of_size).collect();
        for at in 0..arguments.len() {
            let (mut still, mut wanted) = (Vec::new(), Vec::new());
            for overload in left {
                let (takes, _) = self.instance(overload);
                let pairs: Vec<_> = arguments.iter().copied().zip(takes).collect();
                let is_taken = self.is_assignable(&pairs[..=at]);
                if is_taken {
                    self.undo();
                    still.push(overload);
                    continue;
                }
                let _ = self.is_assignable(&pairs[..at]);
                let told = self.told(pairs[at].1);
                self.undo();
                if !wanted.contains(&told) {
                    wanted.push(told);
                }
            }
            if still.is_empty() {
                return Some((at, wanted));
            }
            left = still;
        }
        None
    }
}
