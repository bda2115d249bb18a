//! The key of an Alertmanager's configuration, where its Secret has another one.

use super::given::Given;
use super::start::MISSING_KEY;
use promgen_compile::lower::alertmanager::config::{KEY, secret_of};
use promgen_model::model::World;
use promgen_model::running::{RunningWorkload, Spec};
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::route::At;

/// Reports a Secret that lacks the key of the configuration and has one that was meant as such: the operator takes its default then.
pub(super) fn check(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Spec::Alertmanager(spec) = running.spec else {
        return;
    };
    if spec.alertmanager_configuration.is_some() {
        return;
    }
    let name = secret_of(running.name, spec.config_secret.as_deref());
    let Some(given) = Given::of(model, "Secret", running.namespace, &name) else {
        return;
    };
    if given.has(KEY) || given.is_filled_in(model) {
        return;
    }
    // Templates may stand alone: a Secret can have them for what AlertmanagerConfigs say.
    let is_configuration = |key: &&&str| {
        let stem = key.rsplit_once('.').map_or(**key, |(stem, _)| stem);
        key.ends_with(".yaml") || key.ends_with(".yml") || matches!(stem, "alertmanager" | "config")
    };
    let Some(key) = given.keys.iter().find(is_configuration) else {
        return;
    };
    let (namespace, what) = (running.namespace, running.what());
    let message = format!(
        "the operator does not read the key `{key}`: {what} takes its configuration from the key `{KEY}` of Secret \
         {namespace}/{name}, and without it notifies nobody but the receivers of AlertmanagerConfigs"
    );
    let found = Diagnostic::new(&MISSING_KEY, given.at(key), message).level(Level::Warning);
    let found = found.help(format!("name the key `{KEY}`"));
    let own = At::spec(running.doc).key("configSecret");
    sink.report(match spec.config_secret {
        Some(_) => found.related(own, "the Alertmanager names it here"),
        None => found,
    });
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn told(spec: &str, secret: &str) -> Vec<String> {
        found(
            &["PG530"],
            &format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: main}}\nspec: {{{spec}}}\n---\n\
                 apiVersion: v1\nkind: Secret\n{secret}\n"
            ),
        )
    }

    #[test]
    fn a_configuration_below_another_key_is_told() {
        let named = "configSecret: cfg, alertmanagerConfigSelector: {}";
        for (spec, secret) in [
            (
                named,
                "metadata: {name: cfg}\nstringData: {alertmanager.yml: 'a: b'}",
            ),
            (
                "",
                "metadata: {name: alertmanager-main}\ndata: {config.yaml: YQ==}",
            ),
            (
                named,
                "metadata: {name: cfg}\nstringData: {a.tmpl: x, alertmanager: 'a: b'}",
            ),
        ] {
            let told = told(spec, secret);
            assert_eq!(told.len(), 1, "{secret}: {told:?}");
            assert!(told[0].starts_with("PG530 warning 9: "), "{told:?}");
        }
        for (spec, secret) in [
            (
                named,
                "metadata: {name: cfg}\nstringData: {alertmanager.yaml: 'a: b', alertmanager.yml: x}",
            ),
            (named, "metadata: {name: cfg}\nstringData: {a.tmpl: x}"),
            (named, "metadata: {name: cfg}"),
            (
                named,
                "metadata: {name: other}\nstringData: {alertmanager.yml: x}",
            ),
            (
                "alertmanagerConfiguration: {name: a}",
                "metadata: {name: alertmanager-main}\ndata: {config.yaml: YQ==}",
            ),
            (
                "",
                "metadata: {name: alertmanager-main}\ndata: {config.yaml: YQ==}\n---\napiVersion: external-secrets.io/v1\nkind: \
                 ExternalSecret\nmetadata: {name: alertmanager-main}\nspec: {target: {creationPolicy: Merge}}",
            ),
        ] {
            assert!(told(spec, secret).is_empty(), "{secret}");
        }
    }
}
