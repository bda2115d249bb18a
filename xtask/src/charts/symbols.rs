//! What the dot and the variables of a template stand for: pipelines of the values alone.

use promgen_text::go::template::tree::{BlockKind, BlockNode, FieldSource, Operand, Pipeline};

/// The dot and the variables at a place of a template.
#[derive(Clone, Debug)]
pub(super) struct Symbols {
    dot: Operand,
    variables: Vec<(String, Operand)>,
}

/// What a form begins with: the dot is its argument.
pub(super) fn argument() -> Operand {
    Operand::Fields(FieldSource::Dot, Vec::new())
}

impl Symbols {
    /// At the beginning of a template.
    pub(super) fn new() -> Self {
        Self {
            dot: argument(),
            variables: vec![("$".to_owned(), argument())],
        }
    }

    /// The number of variables, to go back to.
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// A pipeline with nothing but what the form is called with.
    pub(super) fn close(&self, pipeline: &Pipeline) -> Pipeline {
        let command =
            |command: &Vec<Operand>| command.iter().map(|word| self.operand(word)).collect();
        Pipeline {
            commands: pipeline.commands.iter().map(command).collect(),
            ..Pipeline::default()
        }
    }

    fn operand(&self, operand: &Operand) -> Operand {
        let Operand::Fields(source, fields) = operand else {
            return operand.clone();
        };
        match source {
            FieldSource::Dot => with_fields(&self.dot, fields),
            FieldSource::Variable(name) => {
                let found = self.variables.iter().rev().find(|(known, _)| known == name);
                found.map_or_else(|| operand.clone(), |(_, value)| with_fields(value, fields))
            }
            FieldSource::Pipeline(inner) => with_fields(&as_operand(self.close(inner)), fields),
        }
    }

    /// Declares or sets the variables of a pipeline. `false` if there is no such variable.
    pub(super) fn assign(&mut self, pipeline: &Pipeline) -> bool {
        let [name] = pipeline.variables.as_slice() else {
            return pipeline.variables.is_empty();
        };
        let value = as_operand(self.close(pipeline));
        if pipeline.declares {
            self.variables.push((name.clone(), value));
            return true;
        }
        let known = self
            .variables
            .iter_mut()
            .rev()
            .find(|(known, _)| known == name);
        known.map(|(_, old)| *old = value).is_some()
    }

    /// What the dot stands for.
    pub(super) fn dot(&self) -> Operand {
        self.dot.clone()
    }

    /// What a variable is behind a loop that sets it so: a list that gets each item has all of them. `None`: it is not known.
    pub(super) fn gathered(
        &self,
        pipeline: &Pipeline,
        list: &(Operand, Operand),
    ) -> Option<Operand> {
        let (item, all) = list;
        let call = |name: &str, words: Vec<Operand>| {
            as_operand(Pipeline {
                commands: vec![[vec![Operand::Function(name.to_owned())], words].concat()],
                ..Pipeline::default()
            })
        };
        let closed = self.close(pipeline);
        let [command] = closed.commands.as_slice() else {
            return None;
        };
        let [Operand::Function(append), before, added] = command.as_slice() else {
            return None;
        };
        if append != "append" {
            None
        } else if added == item {
            Some(call("concat", vec![before.clone(), all.clone()]))
        } else if *added == call("tpl", vec![item.clone(), argument()]) {
            let expanded = call("tpl", vec![call("toYaml", vec![all.clone()]), argument()]);
            Some(call("concat", vec![before.clone(), expanded]))
        } else {
            None
        }
    }

    /// Sets variables that are there.
    pub(super) fn set(&mut self, names: &[String], value: Option<Operand>) {
        let value = value.unwrap_or_else(|| Operand::Function("unknown".to_owned()));
        for name in names {
            let known = self
                .variables
                .iter_mut()
                .rev()
                .find(|(known, _)| known == name);
            known.into_iter().for_each(|(_, old)| *old = value.clone());
        }
    }

    /// Takes over the first `len` variables.
    pub(super) fn keep(&mut self, held: &Self, len: usize) {
        self.variables[..len].clone_from_slice(&held.variables[..len]);
    }

    /// The symbols in the body of a block, and the clause that the body stands below.
    pub(super) fn enter(&self, block: &BlockNode, depth: usize) -> (Self, String) {
        let mut inner = self.clone();
        let closed = self.close(&block.pipeline);
        let mut named = block.pipeline.variables.clone();
        if block.kind != BlockKind::Range {
            if block.kind == BlockKind::With {
                inner.dot = as_operand(closed.clone());
            }
            if let [name] = named.as_slice() {
                inner
                    .variables
                    .push((name.clone(), as_operand(closed.clone())));
            }
            return (inner, format!("if {closed}"));
        }
        if named.is_empty() {
            named.push("$item".to_owned());
        }
        // A name for each depth: a loop may stand in another one.
        let unique = |name: &String| {
            if depth == 0 {
                name.clone()
            } else {
                format!("{name}{depth}")
            }
        };
        for name in &named {
            let value = Operand::Fields(FieldSource::Variable(unique(name)), Vec::new());
            inner.variables.push((name.clone(), value));
        }
        inner.dot = inner
            .variables
            .last()
            .map_or_else(argument, |(_, value)| value.clone());
        let names: Vec<String> = named.iter().map(unique).collect();
        (inner, format!("range {} := {closed}", names.join(", ")))
    }

    /// Takes over what the branches of a condition set of the first `len` variables.
    pub(super) fn join(&mut self, condition: &Pipeline, held: &Self, other: &Self, len: usize) {
        for at in 0..len {
            let (yes, no) = (&held.variables[at].1, &other.variables[at].1);
            self.variables[at].1 = if yes == no {
                yes.clone()
            } else {
                let words = vec![
                    Operand::Function("ternary".to_owned()),
                    yes.clone(),
                    no.clone(),
                    as_operand(condition.clone()),
                ];
                as_operand(Pipeline {
                    commands: vec![words],
                    ..Pipeline::default()
                })
            };
        }
    }
}

/// A pipeline as a word.
pub(super) fn as_operand(pipeline: Pipeline) -> Operand {
    match pipeline.commands.as_slice() {
        [command] => match command.as_slice() {
            [word] if !matches!(word, Operand::Function(_)) => word.clone(),
            _ => Operand::Fields(FieldSource::Pipeline(Box::new(pipeline)), Vec::new()),
        },
        _ => Operand::Fields(FieldSource::Pipeline(Box::new(pipeline)), Vec::new()),
    }
}

fn with_fields(value: &Operand, fields: &[String]) -> Operand {
    match value {
        Operand::Fields(source, own) => {
            Operand::Fields(source.clone(), [own.as_slice(), fields].concat())
        }
        other => other.clone(),
    }
}
