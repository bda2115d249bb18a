//! The settings that an email requires and that an AlertmanagerConfig may leave to the global settings.

use crate::cluster::Object;
use crate::lower::alertmanager::shape::CRASH;
use crate::paths::spec_at;
use crate::select::admit::Refusal;
use promgen_resources::api::AlertmanagerConfig;
use promgen_text::route::{At, Path};
use promgen_text::yaml::{Map, Value};

/// The operator's crash where a mail leaves a setting to global settings that do not exist at all.
pub(super) fn crash() -> Refusal {
    let message = format!(
        "{CRASH}the operator crashes on an email without smarthost or sender: `alertmanagerConfiguration` has no `global`"
    );
    Refusal::of_name(message)
}

/// Returns whether each mail has a server and a sender, of its own or globally.
///
/// # Errors
/// The first that lacks one, in the operator's words, and its place.
pub(super) fn check(
    root: &Map,
    config: &Object<AlertmanagerConfig>,
) -> Result<(), (Box<At>, Refusal)> {
    let spec = &config.value.spec;
    let is_global = |key: &str| {
        let value = root
            .get("global")
            .and_then(|global| global.get(key))
            .and_then(Value::as_str);
        value.is_some_and(|text| !text.is_empty())
    };
    // Receivers without a route are not written, so nothing is required of them.
    let receivers = spec
        .receivers
        .as_deref()
        .filter(|_| spec.route.is_some())
        .unwrap_or_default();
    for (of, receiver) in receivers.iter().enumerate() {
        for (index, mail) in receiver.email_configs.iter().flatten().enumerate() {
            let fields = [
                (
                    "smarthost",
                    "smtp_smarthost",
                    mail.smarthost.as_deref(),
                    "SMTP smarthost",
                ),
                ("from", "smtp_from", mail.from.as_deref(), "SMTP from"),
            ];
            let missing = |(_, global, own, _): &&(&str, &str, Option<&str>, &str)| {
                own.unwrap_or_default().is_empty() && !is_global(global)
            };
            let Some((_, _, _, what)) = fields.iter().find(missing) else {
                continue;
            };
            let message = format!(
                "EmailConfig[{index}]: {what} is a mandatory field, it is neither specified at global config nor at \
                 receiver level"
            );
            let at = spec_at(config.doc)
                .key("receivers")
                .index(of)
                .key("emailConfigs")
                .index(index);
            return Err((Box::new(at), Refusal::new(&Path::root(), message)));
        }
    }
    Ok(())
}
