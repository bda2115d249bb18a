//! Functions of lists and maps.

use promgen_text::yaml::edit::{remove, sorted_entries};
use promgen_text::yaml::{Data, Node};

use super::{Called, Executed, FunctionCall, NotKnown, Yielded, item, shown};
use crate::charts::node::{list, map, set, text};

/// Returns whether two values are the same, and of the same type.
pub(super) fn is_same(a: &Node, b: &Node) -> bool {
    let is_integer = |node: &Node| matches!(node.data, Data::Uint(_));
    a.to_value() == b.to_value() && is_integer(a) == is_integer(b)
}

impl FunctionCall<'_, '_> {
    pub(super) fn collection(&self, name: &str) -> Called {
        let value = match name {
            "list" | "tuple" => {
                let items = self.arguments.iter().cloned().map(|item| item.plain().node);
                Ok(list(items.collect(), self.scope.place).into())
            }
            "dict" => self.dict(),
            "hasKey" => self.truth(self.at(0)?.node.get(&self.text(1)?).is_some()),
            "has" => {
                let (item, all) = (&self.at(0)?.node, &self.at(1)?.node);
                self.truth(all.items().iter().any(|own| is_same(own, item)))
            }
            "index" | "get" => self.index(),
            "dig" => self.dig(),
            "set" | "unset" => self.changed(name == "set"),
            "merge" | "mergeOverwrite" => self.merged(name == "mergeOverwrite"),
            "deepCopy" => self.at(0).cloned(),
            "pluck" => {
                let key = self.text(0)?;
                let maps = self.arguments[1..].iter();
                let found = maps.filter_map(|map| map.node.get(&key).cloned());
                Ok(list(found.collect(), self.span()).into())
            }
            "omit" | "pick" => self.keys(name == "pick"),
            "keys" | "values" => self.all_of(name == "keys"),
            "splitList" | "split" => self.split(name == "split", usize::MAX),
            "splitn" => {
                let most = usize::try_from(self.whole(1)?).map_err(|_| NotKnown)?;
                self.split(true, most.max(1))
            }
            "len" => {
                let node = &self.at(0)?.node;
                let n = match &node.data {
                    _ if self.at(0)?.is_yaml() => self.text(0)?.len(),
                    Data::Seq(items) => items.len(),
                    Data::Map(entries) => entries.len(),
                    Data::String(text) => text.len(),
                    _ => return Err(NotKnown),
                };
                self.number(i64::try_from(n).unwrap_or(i64::MAX))
            }
            _ => return self.list(name),
        };
        value.map(Some)
    }

    fn index(&self) -> Executed<Yielded> {
        let (first, keys) = self.arguments.split_first().ok_or(NotKnown)?;
        let mut value = first.clone();
        for key in keys {
            value = match key.node.as_f64() {
                Some(_) => {
                    let at = usize::try_from(self.position(key)?).map_err(|_| NotKnown)?;
                    let item = value.node.items().get(at).cloned();
                    item.ok_or(NotKnown)?.into()
                }
                None => self.scope.field(&value, &key.text()),
            };
        }
        Ok(value)
    }

    /// An index that is a number.
    fn position(&self, key: &Yielded) -> Executed<i64> {
        key.text().parse().map_err(|_| NotKnown)
    }

    /// `dig "a" "b" default map`.
    fn dig(&self) -> Executed<Yielded> {
        let [keys @ .., default, map] = self.arguments else {
            return Err(NotKnown);
        };
        let mut value = map.clone();
        for key in keys {
            let key = key.text();
            if value.node.get(&key).is_none() {
                return Ok(default.clone());
            }
            value = self.scope.field(&value, &key);
        }
        Ok(value)
    }

    fn dict(&self) -> Executed<Yielded> {
        let mut made = map(self.scope.place, Vec::new());
        for pair in self.arguments.chunks(2) {
            let value = match pair.get(1) {
                Some(value) => value.clone().plain().node,
                None => text("", self.scope.place),
            };
            set(&mut made, &pair[0].text(), value.span, value);
        }
        Ok(made.into())
    }

    /// A map with a key, or without one.
    fn changed(&self, is_set: bool) -> Executed<Yielded> {
        let mut value = self.map(0)?.clone();
        let key = self.text(1)?;
        if is_set {
            let new = self.at(2)?.clone().plain().node;
            set(&mut value.node, &key, new.span, new);
        } else {
            remove(&mut value.node, &key);
        }
        Ok(value)
    }

    fn map(&self, at: usize) -> Executed<&Yielded> {
        let value = self.at(at)?;
        value.node.is_map().then_some(value).ok_or(NotKnown)
    }

    /// Maps put together: what the first one has counts, or what the last one has.
    fn merged(&self, overwrites: bool) -> Executed<Yielded> {
        let mut made = self.map(0)?.clone();
        for at in 1..self.arguments.len() {
            put_beside(&mut made.node, &self.map(at)?.node, overwrites);
        }
        Ok(made)
    }

    /// A map without some keys, or with them alone.
    fn keys(&self, keeps: bool) -> Executed<Yielded> {
        let (first, keys) = self.arguments.split_first().ok_or(NotKnown)?;
        let keys: Vec<String> = keys.iter().map(Yielded::text).collect();
        let mut value = first.clone();
        if let Data::Map(entries) = &mut value.node.data {
            entries.retain(|entry| keys.iter().any(|key| *key == *entry.key) == keeps);
        }
        Ok(value)
    }

    fn all_of(&self, is_key: bool) -> Executed<Yielded> {
        let node = &self.at(0)?.node;
        let entries = sorted_entries(node).into_iter();
        let items = entries.map(|entry| {
            if is_key {
                text(entry.key.as_str(), entry.key_span)
            } else {
                entry.value.clone()
            }
        });
        Ok(list(items.collect(), node.span).into())
    }

    /// The parts of a text: a list, or a map with the keys `_0`, `_1` and so on.
    fn split(&self, is_map: bool, most: usize) -> Executed<Yielded> {
        let (separator, span) = (self.text(0)?, self.span());
        if separator.is_empty() {
            return Err(NotKnown);
        }
        let whole = self.arguments.last().ok_or(NotKnown)?.text();
        let parts: Vec<Node> = whole
            .splitn(most, &separator)
            .map(|part| text(part, span))
            .collect();
        if !is_map {
            return Ok(list(parts, span).into());
        }
        let keys: Vec<String> = (0..parts.len()).map(|at| format!("_{at}")).collect();
        let entries = keys.iter().map(String::as_str).zip(parts);
        Ok(map(span, entries.collect()).into())
    }

    fn list(&self, name: &str) -> Called {
        let of_list = |at: usize| {
            let node = &self.at(at)?.node;
            match &node.data {
                Data::Seq(items) => Ok(items.to_vec()),
                _ => Err(NotKnown),
            }
        };
        let other = || Ok(self.at(1)?.clone().plain().node);
        let mut at = 0;
        let items = match name {
            "append" | "push" => [of_list(0)?, vec![other()?]].concat(),
            "prepend" => [vec![other()?], of_list(0)?].concat(),
            "concat" => {
                // A value that is not set, read again as a list, is an empty one.
                let is_null = |at: usize| self.at(at).is_ok_and(|value| value.node.is_null());
                let given = (0..self.arguments.len()).filter(|at| !is_null(*at));
                given.map(of_list).collect::<Executed<Vec<_>>>()?.concat()
            }
            "compact" => {
                let mut items = of_list(0)?;
                items.retain(Node::is_set);
                items
            }
            "first" | "last" => {
                let node = &self.at(0)?.node;
                let at = match name {
                    "first" => Some(0),
                    _ => of_list(0)?.len().checked_sub(1),
                };
                of_list(0)?;
                return Ok(Some(item(node, at).into()));
            }
            "rest" => of_list(0)?.into_iter().skip(1).collect(),
            "initial" => {
                let mut items = of_list(0)?;
                items.pop();
                items
            }
            "reverse" => of_list(0)?.into_iter().rev().collect(),
            "slice" => {
                let items = of_list(0)?;
                let bound = |at: usize| usize::try_from(self.whole(at)?).map_err(|_| NotKnown);
                let end = match self.arguments.len() {
                    0..=2 => items.len(),
                    _ => bound(2)?,
                };
                let start = if self.arguments.len() > 1 {
                    bound(1)?
                } else {
                    0
                };
                items.get(start..end).ok_or(NotKnown)?.to_vec()
            }
            "uniq" => {
                let mut unique: Vec<Node> = Vec::new();
                for item in of_list(0)? {
                    if !unique.iter().any(|known| is_same(known, &item)) {
                        unique.push(item);
                    }
                }
                unique
            }
            "without" => {
                let mut items = of_list(0)?;
                let gone = &self.arguments[1..];
                items.retain(|item| !gone.iter().any(|gone| is_same(&gone.node, item)));
                items
            }
            "sortAlpha" | "toStrings" => {
                let items = of_list(0)?;
                let mut texts: Vec<Node> = items
                    .iter()
                    .map(|item| text(shown(item), item.span))
                    .collect();
                if name == "sortAlpha" {
                    texts.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                }
                texts
            }
            _ => return Ok(None),
        };
        if name == "concat" {
            at = self.arguments.len().saturating_sub(1);
        }
        Ok(Some(list(items, self.at(at)?.node.span).into()))
    }
}

/// Puts a map beside what is there. `overwrites`: what it has counts.
fn put_beside(node: &mut Node, other: &Node, overwrites: bool) {
    for entry in other.entries() {
        match node.get_mut(&entry.key) {
            Some(own) if matches!((&own.data, &entry.value.data), (Data::Map(_), Data::Map(_))) => {
                put_beside(own, &entry.value, overwrites);
            }
            Some(own) if overwrites || !own.is_set() => *own = entry.value.clone(),
            Some(_) => {}
            None if entry.value.is_null() && !overwrites => {}
            None => set(node, &entry.key, entry.key_span, entry.value.clone()),
        }
    }
}
