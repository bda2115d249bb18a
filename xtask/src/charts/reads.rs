//! Which values a template reads: the paths in its rows.

use std::collections::BTreeMap;

use promgen_text::go::template::tree::{
    self, BlockKind, FieldSource, Operand, Pipeline, TemplateNode,
};

use super::forms::FormRow;

/// The paths of values, each with whether all below it is read. `[]` is an item of a list or map.
pub(super) type Reads = BTreeMap<String, bool>;

/// Adds what rows read.
pub(super) fn add(rows: &[FormRow], reads: &mut Reads) -> Result<(), String> {
    for row in rows {
        let mut reader = ReadCollector {
            reads,
            items: Vec::new(),
        };
        for clause in &row.clauses {
            reader
                .clause(clause)
                .map_err(|why| format!("{clause}: {why}"))?;
        }
        let nodes = tree::parse(&row.value).map_err(|why| format!("{}: {why}", row.value))?;
        reader.nodes(&nodes);
    }
    Ok(())
}

struct ReadCollector<'r> {
    reads: &'r mut Reads,
    /// The variables of loops, each with the paths that its items are at.
    items: Vec<(String, Vec<String>)>,
}

impl ReadCollector<'_> {
    fn clause(&mut self, clause: &str) -> Result<(), String> {
        let (word, rest) = clause.split_once(' ').unwrap_or((clause, ""));
        match word {
            "if" | "unless" => self.condition(&tree::pipeline(rest)?),
            "key" => self.nodes(&tree::parse(rest)?),
            "range" => {
                let pipeline = tree::pipeline(rest)?;
                let paths = self.paths(&pipeline);
                self.condition(&pipeline);
                let items: Vec<String> = paths.iter().map(|path| format!("{path}[]")).collect();
                if let Some(item) = pipeline.variables.last() {
                    self.items.push((item.clone(), items));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &[TemplateNode]) {
        for node in nodes {
            match node {
                TemplateNode::Action(pipeline) => self.value(pipeline),
                TemplateNode::Block(block) => {
                    match block.kind {
                        BlockKind::If => self.condition(&block.pipeline),
                        BlockKind::With | BlockKind::Range => self.value(&block.pipeline),
                    }
                    self.nodes(&block.body);
                    self.nodes(&block.otherwise);
                }
                _ => {}
            }
        }
    }

    fn note(&mut self, path: String, is_whole: bool) {
        *self.reads.entry(path).or_default() |= is_whole;
    }

    /// What is only asked for its truth, its kind or its keys.
    fn condition(&mut self, pipeline: &Pipeline) {
        const ASKING: [&str; 7] = ["and", "or", "not", "kindIs", "empty", "eq", "ne"];
        for command in &pipeline.commands {
            if let [Operand::Function(name), of, Operand::Text(key)] = command.as_slice()
                && matches!(name.as_str(), "hasKey" | "index")
            {
                let paths = self.paths_of(of);
                paths
                    .into_iter()
                    .for_each(|path| self.note(format!("{path}.{key}"), false));
                continue;
            }
            let is_asking = match command.first() {
                Some(Operand::Function(name)) => ASKING.contains(&name.as_str()),
                _ => true,
            };
            for operand in command {
                match operand {
                    Operand::Fields(FieldSource::Pipeline(inner), fields)
                        if is_asking && fields.is_empty() =>
                    {
                        self.condition(inner)
                    }
                    operand => self.operand(operand, !is_asking),
                }
            }
        }
    }

    /// What becomes of the values as a whole.
    fn value(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.commands {
            if let [Operand::Function(name), Operand::Fields(..), .., condition] =
                command.as_slice()
                && name == "ternary"
            {
                if let Operand::Fields(FieldSource::Pipeline(inner), _) = condition {
                    self.condition(inner);
                }
                self.operand(&command[1], true);
                self.operand(&command[2], true);
                continue;
            }
            if let [Operand::Function(name), of, keys @ ..] = command.as_slice()
                && name == "index"
            {
                let keys: Vec<String> = keys.iter().map(step).collect();
                for path in self.paths_of(of) {
                    self.note(format!("{path}{}", keys.concat()), true);
                }
                continue;
            }
            command
                .iter()
                .for_each(|operand| self.operand(operand, true));
        }
    }

    fn operand(&mut self, operand: &Operand, is_whole: bool) {
        if let Operand::Fields(FieldSource::Pipeline(inner), fields) = operand
            && fields.is_empty()
        {
            return self.value(inner);
        }
        let paths = self.paths_of(operand);
        paths.into_iter().for_each(|path| self.note(path, is_whole));
    }

    /// The paths that a pipeline may yield the values of.
    fn paths(&self, pipeline: &Pipeline) -> Vec<String> {
        let words = pipeline.commands.iter().flatten();
        words.flat_map(|word| self.paths_of(word)).collect()
    }

    fn paths_of(&self, operand: &Operand) -> Vec<String> {
        let Operand::Fields(source, fields) = operand else {
            return Vec::new();
        };
        let below = |path: &str, fields: &[String]| {
            fields.iter().fold(path.to_owned(), |path, field| {
                if path.is_empty() {
                    field.clone()
                } else {
                    format!("{path}.{field}")
                }
            })
        };
        match source {
            FieldSource::Dot => match fields.split_first() {
                Some((first, rest)) if first == "Values" && !rest.is_empty() => {
                    vec![below("", rest)]
                }
                _ => Vec::new(),
            },
            FieldSource::Variable(name) => {
                let known = self.items.iter().rev().find(|(known, _)| known == name);
                let paths = known.map_or(&[][..], |(_, paths)| paths);
                paths.iter().map(|path| below(path, fields)).collect()
            }
            FieldSource::Pipeline(inner) => {
                let paths = self.paths(inner);
                paths.iter().map(|path| below(path, fields)).collect()
            }
        }
    }
}

/// A step of `index`.
fn step(key: &Operand) -> String {
    match key {
        Operand::Text(key) => format!(".{key}"),
        _ => "[]".to_owned(),
    }
}
