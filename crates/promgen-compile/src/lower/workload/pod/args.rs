//! Command lines: names and values of arguments, in order.

use crate::select::admit::{Refusal, Refuse};
use promgen_resources::api::servers::settings::{LogFormat, LogLevel};
use promgen_resources::api::servers::workload::Argument;
use promgen_resources::gates::{self, Target};
use promgen_text::route::Path;

/// Arguments, in order.
#[derive(Clone, Debug, Default)]
pub struct Args(Vec<Argument>);

impl Args {
    /// `--name`.
    pub fn flag(&mut self, name: &str) {
        self.0.push(Argument {
            name: name.to_owned(),
            value: None,
        });
    }

    /// `--name=value`.
    pub fn value(&mut self, name: &str, value: impl Into<String>) {
        self.0.push(Argument {
            name: name.to_owned(),
            value: Some(value.into()),
        });
    }

    /// `--name=value`, if there is a value that is not empty.
    pub fn filled(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            self.value(name, value);
        }
    }

    /// The command line, with the user's own arguments, whose field is `path`, at its end. Operator: `BuildArgs`.
    ///
    /// # Errors
    /// The user sets an argument that is there already, or the opposite of one; in the operator's words.
    pub fn build(
        self,
        additional: Option<&[Argument]>,
        path: &Path<'_>,
        target: &Target,
    ) -> Result<Vec<String>, Refusal> {
        let names_managed = target.has(&gates::MANAGED_ARGUMENT_NAMED);
        let additional = additional.unwrap_or_default();
        let clashes = additional.iter().enumerate().filter_map(|(i, a)| {
            Some((
                i,
                self.clash(&a.name)
                    .map(|own| if names_managed { own } else { a.name.clone() })?,
            ))
        });
        let (indexes, names): (Vec<usize>, Vec<String>) = clashes.unzip();
        if let Some(first) = indexes.first() {
            // All of them: the operator lists every clash in one message.
            let names = names.join(",");
            let message =
                format!("can't set arguments which are already managed by the operator: {names}");
            return path.index(*first).refuse(message);
        }
        Ok(self.0.iter().chain(additional).map(print).collect())
    }

    /// The argument that conflicts with a user's one.
    fn clash(&self, name: &str) -> Option<String> {
        let managed = |name: &str| self.0.iter().any(|a| a.name == name);
        if managed(name) {
            return Some(name.to_owned());
        }
        let opposite = name
            .strip_prefix("no-")
            .map_or_else(|| format!("no-{name}"), str::to_owned);
        managed(&opposite).then_some(opposite)
    }
}

fn print(argument: &Argument) -> String {
    // An empty value is printed without the sign of equality.
    match argument.value.as_deref().filter(|v| !v.is_empty()) {
        Some(value) => format!("--{}={value}", argument.name),
        None => format!("--{}", argument.name),
    }
}

/// The log level, unless it is what everything takes anyway.
pub(crate) fn log_level(level: Option<LogLevel>) -> Option<&'static str> {
    match level? {
        LogLevel::Empty | LogLevel::Info => None,
        level @ (LogLevel::Debug | LogLevel::Warn | LogLevel::Error) => Some(level.as_str()),
    }
}

/// The log format, unless it is what everything takes anyway.
pub(crate) fn log_format(format: Option<LogFormat>) -> Option<&'static str> {
    match format? {
        LogFormat::Empty | LogFormat::Logfmt => None,
        LogFormat::Json => Some(LogFormat::Json.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(managed: &[&str], additional: &[&str]) -> Result<Vec<String>, String> {
        let mut args = Args::default();
        managed.iter().for_each(|name| args.flag(name));
        let additional: Vec<_> = additional
            .iter()
            .map(|name| Argument {
                name: (*name).to_owned(),
                value: Some("x".to_owned()),
            })
            .collect();
        args.build(Some(&additional), &Path::root(), &Target::default())
            .map_err(|refusal| refusal.message)
    }

    #[test]
    fn the_users_arguments_come_last() {
        assert_eq!(build(&["a"], &["b"]).unwrap(), ["--a", "--b=x"]);
    }

    #[test]
    fn an_argument_and_its_opposite_clash() {
        let clash = |names| {
            format!("can't set arguments which are already managed by the operator: {names}")
        };
        assert_eq!(
            build(&["a", "no-b"], &["c", "b", "a"]).unwrap_err(),
            clash("no-b,a")
        );
        assert_eq!(build(&["b"], &["no-b"]).unwrap_err(), clash("b"));
    }
}
