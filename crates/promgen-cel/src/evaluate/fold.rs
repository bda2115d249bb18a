//! Macros: what becomes of the items of a list, or of the keys of a map.

use std::sync::Arc;

use super::{CelRun, logic};
use crate::fault::{CelResult, CelStop};
use crate::functions::int;
use crate::tree::{CelFold, CelFoldName};
use crate::value::{CelValue, compare};

impl<'v> CelRun<'_, 'v> {
    pub(super) fn fold(&mut self, fold: &'v CelFold) -> CelResult<CelValue<'v>> {
        let of = self.resolved(&fold.of)?;
        if of.is_unknown() {
            return Ok(of);
        }
        if let CelValue::Open(open) = &of {
            return Ok(open.all());
        }
        if let CelFoldName::OptMap | CelFoldName::OptFlatMap = fold.name {
            return self.option(fold, of);
        }
        if let Some(items) = of.items() {
            let items = items.iter().enumerate();
            return self.visit(fold, items.map(|(index, item)| (int(index), item)), true);
        }
        let Some(fields) = of.fields() else {
            let message = format!("a {} has no items", of.type_name());
            return Err(CelStop::error(message));
        };
        let mut entries = Vec::new();
        for key in fields.keys(&mut self.meter)? {
            let value = match fold.has_two {
                true => fields.get(&key, &mut self.meter)?,
                false => None,
            };
            entries.push((key, value.unwrap_or(CelValue::Null)));
        }
        self.visit(fold, entries.into_iter(), false)
    }

    /// `optMap` and `optFlatMap`.
    fn option(&mut self, fold: &'v CelFold, of: CelValue<'v>) -> CelResult<CelValue<'v>> {
        let CelValue::Optional(of) = of else {
            let message = format!("a {} is no optional", of.type_name());
            return Err(CelStop::error(message));
        };
        let Some(of) = of else {
            return Ok(CelValue::Optional(None));
        };
        self.locals.push((*of).clone());
        let value = self.value(&fold.body);
        self.locals.pop();
        let value = value?;
        Ok(match fold.name {
            CelFoldName::OptMap if !value.is_unknown() => CelValue::Optional(Some(value.into())),
            _ => value,
        })
    }

    /// Visits keys and values; a macro of one variable visits the values of a list, or the keys of a map.
    fn visit(
        &mut self,
        fold: &'v CelFold,
        entries: impl Iterator<Item = (CelValue<'v>, CelValue<'v>)>,
        is_list: bool,
    ) -> CelResult<CelValue<'v>> {
        if let CelFoldName::All | CelFoldName::Exists = fold.name {
            let decides = fold.name == CelFoldName::Exists;
            let parts = entries.map(|(key, value)| {
                self.with(fold, &key, &value, is_list, |run| run.resolved(&fold.body))
            });
            return logic(decides, parts);
        }
        let mut found = CelFound::default();
        for (key, value) in entries {
            self.meter.take(1)?;
            self.with(fold, &key, &value, is_list, |run| {
                let made = run.one(fold)?;
                let Some(made) = made else {
                    return Ok(());
                };
                if made.is_unknown() {
                    found.unknown.get_or_insert(made);
                    return Ok(());
                }
                let item = if is_list { &value } else { &key };
                match fold.name {
                    CelFoldName::ExistsOne => found.count += 1,
                    CelFoldName::Filter => found.items.push(item.clone()),
                    CelFoldName::Values => found.entries.push((key.clone(), made)),
                    CelFoldName::Entries => found.insert(run, &made)?,
                    _ => found.items.push(made),
                }
                Ok(())
            })?;
        }
        Ok(match (found.unknown, fold.name) {
            (Some(unknown), _) => unknown,
            (None, CelFoldName::ExistsOne) => CelValue::Bool(found.count == 1),
            (None, CelFoldName::Values | CelFoldName::Entries) => CelValue::map(found.entries),
            (None, _) => CelValue::List(Arc::from(found.items)),
        })
    }

    /// Evaluates with the variables of a macro.
    fn with<T>(
        &mut self,
        fold: &CelFold,
        key: &CelValue<'v>,
        value: &CelValue<'v>,
        is_list: bool,
        evaluate: impl FnOnce(&mut Self) -> CelResult<T>,
    ) -> CelResult<T> {
        let n_locals = self.locals.len();
        if fold.has_two {
            self.locals.extend([key.clone(), value.clone()]);
        } else {
            self.locals.push(if is_list { value } else { key }.clone());
        }
        let evaluated = evaluate(self);
        self.locals.truncate(n_locals);
        evaluated
    }

    /// What is made of an item; of one that a macro only counts or keeps: true. `None`: it is left out.
    fn one(&mut self, fold: &'v CelFold) -> CelResult<Option<CelValue<'v>>> {
        let is_condition = matches!(fold.name, CelFoldName::ExistsOne | CelFoldName::Filter);
        let condition = match is_condition {
            true => Some(&fold.body),
            false => fold.filter.as_ref(),
        };
        if let Some(condition) = condition {
            match self.resolved(condition)? {
                CelValue::Bool(true) => {}
                CelValue::Bool(false) => return Ok(None),
                unknown @ CelValue::Unknown(_) => return Ok(Some(unknown)),
                other => {
                    let message = format!("expected a bool, found a {}", other.type_name());
                    return Err(CelStop::error(message).at(condition.span));
                }
            }
        }
        match is_condition {
            true => Ok(Some(CelValue::Bool(true))),
            false => self.value(&fold.body).map(Some),
        }
    }
}

/// What a macro has found.
#[derive(Default)]
struct CelFound<'v> {
    count: usize,
    items: Vec<CelValue<'v>>,
    entries: Vec<(CelValue<'v>, CelValue<'v>)>,
    unknown: Option<CelValue<'v>>,
}

impl<'v> CelFound<'v> {
    /// Adds the entries of a map.
    fn insert(&mut self, run: &mut CelRun<'_, 'v>, map: &CelValue<'v>) -> CelResult<()> {
        let map = map.clone().resolved();
        let Some(fields) = map.fields() else {
            let message = format!("expected a map, found a {}", map.type_name());
            return Err(CelStop::error(message));
        };
        for key in fields.keys(&mut run.meter)? {
            run.meter.take(self.entries.len())?;
            if self
                .entries
                .iter()
                .any(|(known, _)| compare::keys(known, &key).is_eq())
            {
                return Err(CelStop::error("the key is there already"));
            }
            if let Some(value) = fields.get(&key, &mut run.meter)? {
                self.entries.push((key, value));
            }
        }
        Ok(())
    }
}
