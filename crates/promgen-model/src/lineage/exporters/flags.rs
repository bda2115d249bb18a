//! Arguments of a program, as a list of flags.
//!
//! Source: the documentation of pflag: `--name=value`, `--name value`, `--name` of a switch, and `-v` with a value.

/// The notation of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagForm {
    /// It takes a value.
    Value,
    /// It may have a value behind `=`, and never in the next argument.
    Switch,
}

/// A flag that is given, with its value. A switch without one has none.
pub(super) type GivenFlag<'t> = (&'t str, Option<&'t str>);

/// The flags in arguments. `None` if one is not known, so that the rest could mean anything.
pub(super) fn read<'t>(
    arguments: &[&'t str],
    form: impl Fn(&str) -> Option<FlagForm>,
) -> Option<Vec<GivenFlag<'t>>> {
    let mut given = Vec::new();
    let mut rest = arguments.iter().copied();
    while let Some(argument) = rest.next() {
        let Some(written) = argument.strip_prefix("--") else {
            let level = argument.strip_prefix("-v")?;
            let is_value =
                |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            let is_known = is_value(level.trim_start_matches('='))
                || level.is_empty() && is_value(rest.next()?);
            is_known.then_some(())?;
            continue;
        };
        let (name, value) = written
            .split_once('=')
            .map_or((written, None), |(name, value)| (name, Some(value)));
        let value = match (form(name)?, value) {
            (FlagForm::Value, None) => Some(rest.next()?),
            (FlagForm::Value | FlagForm::Switch, value) => value,
        };
        given.push((name, value));
    }
    Some(given)
}

/// Returns whether something fills in a part of a text later: a variable of a container, or of Flux.
pub(super) fn is_open(text: &str) -> bool {
    text.contains("$(") || text.contains("${") || text.contains("{{")
}
