//! Questions at random, and a program that answers them line by line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// Numbers that look random, the same ones in every run.
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of a seed.
    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).unwrap()
    }

    pub(crate) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Some items, perhaps none; each once.
    pub(crate) fn some<T: Clone>(&mut self, of: &[T], percent: usize) -> Vec<T> {
        of.iter()
            .filter(|_| self.below(100) < percent)
            .cloned()
            .collect()
    }

    /// Some items, at least one.
    pub(crate) fn few<T: Clone>(&mut self, of: &[T], percent: usize) -> Vec<T> {
        let some = self.some(of, percent);
        if some.is_empty() {
            vec![self.one(of)]
        } else {
            some
        }
    }

    pub(crate) fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A program that answers each line of JSON with another.
pub(crate) struct LineProgram {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl LineProgram {
    pub(crate) fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Self {
            child,
            input,
            output,
        }
    }

    /// The answer to a question.
    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.input, "{question}").unwrap();
        self.input.flush().unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no answer to {question}"))
    }

    /// Ends it, once there are no more questions.
    pub(crate) fn finish(self) {
        let Self {
            mut child,
            input,
            output,
        } = self;
        drop((input, output));
        assert!(child.wait().unwrap().success());
    }
}
