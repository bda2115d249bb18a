//! Whether an AlertmanagerConfig may name files of Alertmanager's container.

use crate::cluster::Object;
use crate::paths::SPEC;
use crate::select::admit::{Check, Refusal};
use promgen_resources::api::notifying::alertmanager::{
    AlertmanagerSpec, FileSystemMode, MatcherStrategyType,
};
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfig;
use promgen_resources::api::notifying::alertmanager_config::receiver::Receiver;
use promgen_resources::gates::{self, Versions};
use promgen_text::go::quote::quote;

/// Refuses an AlertmanagerConfig with a file that its Alertmanager, in that namespace, does not allow.
///
/// # Errors
/// It has one. The operator's words are not known.
pub(crate) fn admit_files(
    config: &Object<AlertmanagerConfig>,
    namespace: &str,
    spec: &AlertmanagerSpec,
    versions: &Versions,
) -> Check {
    if !versions.has(&gates::CONFIG_FILES_CHECK) || is_allowed(config, namespace, spec) {
        return Ok(());
    }
    let list = SPEC.key("receivers");
    let mut receivers = config.value.spec.receivers.iter().flatten().enumerate();
    receivers.try_for_each(|(index, receiver)| match named(receiver) {
        None => Ok(()),
        Some((kind, item, field)) => {
            let message = format!(
                "receiver {}: '{kind}'[{item}]: '{field}' is a file of the container, which the Alertmanager does not allow",
                quote(&receiver.name)
            );
            let help = "read it from a Secret, or set `alertmanagerConfigFileSystemMode: AllowAll`".to_owned();
            let refusal = Refusal::new(&list.index(index).key(kind).index(item).key(field), message);
            Err(Refusal { help: Some(help), ..refusal })
        }
    })
}

/// Returns whether an Alertmanager allows files. The root of its configuration is in its own namespace.
fn is_allowed(
    config: &Object<AlertmanagerConfig>,
    namespace: &str,
    spec: &AlertmanagerSpec,
) -> bool {
    let is_near = config.namespace() == namespace;
    let root = spec
        .alertmanager_configuration
        .as_ref()
        .and_then(|root| root.name.as_deref());
    let strategy = spec
        .alertmanager_config_matcher_strategy
        .as_ref()
        .map(|strategy| strategy.r#type);
    match spec
        .alertmanager_config_file_system_mode
        .unwrap_or(FileSystemMode::FromMatcherStrategy)
    {
        FileSystemMode::AllowAll => true,
        FileSystemMode::DenyAll => false,
        FileSystemMode::FromMatcherStrategy => {
            match strategy.unwrap_or(MatcherStrategyType::OnNamespace) {
                MatcherStrategyType::None => true,
                MatcherStrategyType::OnNamespaceExceptForAlertmanagerNamespace => is_near,
                MatcherStrategyType::OnNamespace => {
                    is_near && root == config.value.metadata.name.as_str().into()
                }
            }
        }
    }
}

/// The first field of a receiver that names a file, with its list and its item.
fn named(receiver: &Receiver) -> Option<(&'static str, usize, &'static str)> {
    let is_set = |file: &Option<String>| file.as_ref().is_some_and(|file| !file.is_empty());
    let bots = receiver.telegram_configs.iter().flatten().enumerate();
    let mut bots = bots.filter(|(_, bot)| is_set(&bot.bot_token_file));
    let phones = receiver.pushover_configs.iter().flatten().enumerate();
    let mut phones = phones.filter_map(|(index, phone)| {
        let fields = [
            ("userKeyFile", &phone.user_key_file),
            ("tokenFile", &phone.token_file),
        ];
        fields
            .into_iter()
            .find(|(_, file)| is_set(file))
            .map(|(field, _)| ("pushoverConfigs", index, field))
    });
    bots.next()
        .map(|(index, _)| ("telegramConfigs", index, "botTokenFile"))
        .or_else(|| phones.next())
}
