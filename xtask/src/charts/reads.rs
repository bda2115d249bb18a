//! Which values a template reads: the paths in its rows.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::go::template::tree::{
    self, BlockKind, FieldSource, Operand, Pipeline, TemplateNode,
};

use serde_yaml::Value;

use super::forms::FormRows;

/// The paths of values, each with whether all below it is read. `[]` is an item of a list or map. A path that begins with a dot is
/// one below the argument of a template with a name, and `PATH>NAME` is the argument that such a template is called with.
pub(super) type Reads = BTreeMap<String, bool>;

/// The fields of the dot that are no values.
const OF_ROOT: [&str; 7] = [
    "Values",
    "Release",
    "Chart",
    "Capabilities",
    "Template",
    "Files",
    "Subcharts",
];

/// The paths that templates read, with what templates with a name read of their arguments. `definitions`: the reads of these.
pub(super) fn resolved(found: Reads, definitions: &BTreeMap<&str, &Reads>) -> Reads {
    let mut resolved = Reads::new();
    let mut todo: Vec<(String, bool)> = found
        .into_iter()
        .filter(|(path, _)| !path.starts_with('.'))
        .collect();
    let mut seen = BTreeSet::new();
    while let Some((path, is_whole)) = todo.pop() {
        let Some((argument, name)) = path.split_once('>') else {
            *resolved.entry(path).or_default() |= is_whole;
            continue;
        };
        if !seen.insert(path.clone()) {
            continue;
        }
        let Some(definition) = definitions.get(name) else {
            todo.push((argument.to_owned(), true));
            continue;
        };
        for (below, is_whole) in definition
            .iter()
            .filter(|(below, _)| below.starts_with('.'))
        {
            let below = if below.starts_with(".>") || below == "." {
                &below[1..]
            } else {
                below
            };
            todo.push((format!("{argument}{below}"), *is_whole));
        }
    }
    resolved
}

/// The same, step by step.
#[derive(Default)]
pub(super) struct ReadTree {
    is_whole: bool,
    below: BTreeMap<String, Self>,
}

impl ReadTree {
    pub(super) fn of(reads: &Reads) -> Self {
        let mut root = Self::default();
        for (path, is_whole) in reads {
            let path = path.replace("[]", ".[]");
            let tree = path.split('.').fold(&mut root, |tree, step| {
                tree.below.entry(step.to_owned()).or_default()
            });
            tree.is_whole |= is_whole;
        }
        root
    }

    /// Adds the default values that no template reads, each with what it is.
    pub(super) fn unread(&self, value: &Value, path: &str, rows: &mut Vec<(String, String)>) {
        let is_open = self.is_whole || self.below.contains_key("[]");
        let Some(map) = value.as_mapping().filter(|_| !is_open) else {
            return;
        };
        for (key, value) in map {
            let key = key.as_str().unwrap_or_default();
            let path = if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            };
            if let Some(below) = self.below.get(key) {
                below.unread(value, &path, rows);
            } else if let Ok(json) = serde_json::to_string(value) {
                rows.push((format!("unread {path}"), json));
            }
        }
    }
}

/// Adds what rows read.
pub(super) fn add(form: &FormRows, reads: &mut Reads) -> Result<(), String> {
    for row in form.rows.iter().chain(&form.beside) {
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
            if self.index(command, false) || self.call(command) {
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
            if self.index(command, true) || self.call(command) {
                continue;
            }
            command
                .iter()
                .for_each(|operand| self.operand(operand, true));
        }
    }

    /// Notes the argument that a template with a name is called with. `false` if the command is another one.
    fn call(&mut self, command: &[Operand]) -> bool {
        let [
            Operand::Function(include),
            Operand::Text(name),
            argument @ Operand::Fields(source, _),
        ] = command
        else {
            return false;
        };
        if include != "include" || matches!(source, FieldSource::Pipeline(_)) {
            return false;
        }
        let paths = self.paths_of(argument);
        paths
            .into_iter()
            .for_each(|path| self.note(format!("{path}>{name}"), false));
        true
    }

    /// Notes what `index` and `hasKey` read. `false` if the command is another one.
    fn index(&mut self, command: &[Operand], is_whole: bool) -> bool {
        let [Operand::Function(name), of, keys @ ..] = command else {
            return false;
        };
        if !matches!(name.as_str(), "index" | "hasKey" | "get") {
            return false;
        }
        let keys: String = keys.iter().map(step).collect();
        let is_root =
            matches!(of, Operand::Fields(FieldSource::Dot, fields) if *fields == ["Values"]);
        let above = if is_root {
            vec![String::new()]
        } else {
            self.paths_of(of)
        };
        for path in above {
            let path = match path.as_str() {
                "" => keys.trim_start_matches('.').to_owned(),
                path => format!("{path}{keys}"),
            };
            self.note(path, is_whole);
        }
        true
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
                Some((first, _)) if OF_ROOT.contains(&first.as_str()) => Vec::new(),
                Some(_) => vec![format!(".{}", fields.join("."))],
                None => vec![".".to_owned()],
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
