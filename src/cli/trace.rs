//! `promgen trace`.

use rayon::prelude::*;

use crate::cli::args::TraceArgs;
use crate::cli::{Exit, Failure, Io, fs};
use crate::relabel::cases;

/// Answers every case of a file, a line each.
pub(super) fn run(args: &TraceArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let inputs = fs::read_manifests(std::slice::from_ref(&args.jsonl), io.stdin).map_err(Failure::Messages)?;
    let mut answers = Vec::new();
    for input in &inputs {
        let text = std::str::from_utf8(&input.bytes)
            .map_err(|_| Failure::message(format!("`{}` is no UTF-8 text", input.name)))?;
        let lines: Vec<_> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
        let answered: Vec<_> = lines.into_par_iter().map(|(index, line)| (index, cases::answer(line))).collect();
        for (index, answer) in answered {
            let at = || format!("{}:{}", input.name, index + 1);
            answers.push(answer.map_err(|error| Failure::message(format!("{}: {error}", at())))?);
        }
    }
    io.print(|out| answers.iter().try_for_each(|answer| writeln!(out, "{answer}")))
        .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}
