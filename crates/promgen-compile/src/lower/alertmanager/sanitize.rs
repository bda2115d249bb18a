//! Adapts a configuration to a version of Alertmanager.
//!
//! In: a configuration in Alertmanager's own form. Out: the configuration without the fields that the version does not
//! support, and the dropped fields; or the operator's first error. Operator: `sanitize`.

use crate::cluster::assets::{ContentCheck, ContentFault};
use crate::receivers::table::KindSince;
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{KeyType, Shape};
use crate::receivers::{self, ROOT};
use crate::select::admit::alertmanager_config::url as check_url;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_text::route::{Path, ValueRoute};
use promgen_text::yaml::{Map, Value};

/// A field that was left out.
pub(super) struct Dropped {
    /// Its place in the configuration.
    pub(super) route: ValueRoute,
    /// The gate of the field.
    pub(super) gate: &'static Gate,
}

/// Demands that something holds; else the message about the field.
fn demand(holds: bool, path: &Path<'_>, message: impl Into<String>) -> ContentCheck {
    holds
        .then_some(())
        .ok_or_else(|| ContentFault::plain(message).at(path.to_route()))
}

/// Drops the fields that the version does not support.
///
/// # Errors
/// The version lacks a required feature, or does not support a field that the operator does not drop.
pub(super) fn sanitize(
    root: &mut Map,
    versions: &Versions,
    hidden: HiddenCheck<'_>,
) -> Result<Vec<Dropped>, ContentFault> {
    let mut cx = Sanitizer {
        versions,
        hidden,
        dropped: Vec::new(),
        global: Map::new(),
    };
    let path = Path::root();
    cx.drop_unknown(&path, root, &ROOT);
    // Receivers are checked against the global settings that the version keeps.
    cx.global = root
        .get("global")
        .and_then(Value::as_map)
        .cloned()
        .unwrap_or_default();
    cx.check(&path, root)?;
    Ok(cx.dropped)
}

/// A check of a text.
pub(super) type TextCheck = fn(&str) -> ContentCheck;

/// Gives what a placeholder stands for to a check of a text.
pub(super) type HiddenCheck<'a> = &'a dyn Fn(&str, TextCheck) -> Result<(), String>;

struct Sanitizer<'a> {
    versions: &'a Versions,
    hidden: HiddenCheck<'a>,
    dropped: Vec<Dropped>,
    /// The global settings.
    global: Map,
}

impl Sanitizer<'_> {
    fn drop_unknown(&mut self, path: &Path<'_>, part: &mut Map, shape: &'static Shape) {
        for field in shape.keys {
            let Some(value) = part.get_mut(field.key) else {
                continue;
            };
            let path = path.key(field.key);
            if let Some(gate) = field.gate.filter(|gate| !self.versions.has(gate)) {
                self.dropped.push(Dropped {
                    route: path.to_route(),
                    gate,
                });
                if field.is_turned_off {
                    *value = Value::Bool(false);
                } else {
                    part.remove(field.key);
                }
                continue;
            }
            match (field.kind, value) {
                (KeyType::One(shape) | KeyType::Filled(shape), Value::Map(inner)) => {
                    self.drop_unknown(&path, inner, shape)
                }
                (KeyType::Many(shape), Value::Seq(items)) => {
                    for (index, item) in items.iter_mut().enumerate() {
                        if let Value::Map(inner) = item {
                            self.drop_unknown(&path.index(index), inner, shape);
                        }
                    }
                }
                (KeyType::Times(_), Value::Seq(ranges)) => self.drop_locations(&path, ranges),
                _ => {}
            }
        }
    }

    fn drop_locations(&mut self, path: &Path<'_>, ranges: &mut [Value]) {
        let gate = &gates::AM_TIME_LOCATION;
        if self.versions.has(gate) {
            return;
        }
        for (index, range) in ranges.iter_mut().enumerate() {
            if range
                .as_map_mut()
                .and_then(|range| range.remove("location"))
                .is_some()
            {
                let route = path.index(index).key("location").to_route();
                self.dropped.push(Dropped { route, gate });
            }
        }
    }

    fn check(&self, path: &Path<'_>, root: &mut Map) -> ContentCheck {
        // The operator's order, which decides which error it reports.
        if let Some(http) = root
            .get("global")
            .and_then(|global| global.get("http_config"))
        {
            self.http(&path.key("global").key("http_config"), http)?;
        }
        if let Some(Value::Seq(receivers)) = root.get_mut("receivers") {
            let path = path.key("receivers");
            for (index, receiver) in receivers.iter_mut().enumerate() {
                self.receiver(&path.index(index), receiver)?;
            }
        }
        let list = path.key("inhibit_rules");
        for (index, rule) in root.items_of("inhibit_rules").iter().enumerate() {
            self.inhibit_rule(&list.index(index), index, rule)?;
        }
        root.get("route")
            .map_or(Ok(()), |route| self.route(&path.key("route"), route))
    }

    fn receiver(&self, path: &Path<'_>, receiver: &mut Value) -> ContentCheck {
        let Some(receiver) = receiver.as_map_mut() else {
            return Ok(());
        };
        for kind in receivers::ordered(receivers::SANITIZED_FIRST) {
            let Some(Value::Seq(configs)) = receiver.get_mut(kind.list) else {
                continue;
            };
            let path = path.key(kind.list);
            for (index, config) in configs.iter_mut().enumerate() {
                let path = path.index(index);
                let Some(config) = config.as_map_mut() else {
                    continue;
                };
                self.since(&path, kind.since.as_ref())?;
                self.demands(&path, config, kind.demands)?;
            }
        }
        Ok(())
    }

    /// Returns whether the version has the kind of receiver.
    fn since(&self, path: &Path<'_>, since: Option<&KindSince>) -> ContentCheck {
        since.map_or(Ok(()), |kind| {
            let message = format!(
                "invalid syntax in receivers config; {} in Alertmanager >= {}",
                kind.in_configuration, kind.gate.since
            );
            demand(self.versions.has(kind.gate), path, message)
        })
    }

    fn demands(
        &self,
        path: &Path<'_>,
        config: &mut Map,
        demands: &[ReceiverDemand],
    ) -> ContentCheck {
        demands
            .iter()
            .try_for_each(|requirement| self.demand(path, config, requirement))
    }

    fn demand(
        &self,
        path: &Path<'_>,
        config: &mut Map,
        requirement: &ReceiverDemand,
    ) -> ContentCheck {
        let is_set = |key: &str| {
            config
                .get(key)
                .is_some_and(|value| value.as_str() != Some(""))
        };
        match requirement {
            ReceiverDemand::OneOf(keys, message) => {
                demand(keys.iter().any(|key| is_set(key)), path, *message)
            }
            ReceiverDemand::Prefer(key, other) => {
                if is_set(key) && is_set(other) {
                    config.remove(other);
                }
                Ok(())
            }
            ReceiverDemand::NotBoth(key, other, message) => {
                demand(!is_set(key) || !is_set(other), &path.key(key), *message)
            }
            ReceiverDemand::Url(key) | ReceiverDemand::PlainUrl(key) => {
                let check = match requirement {
                    ReceiverDemand::Url(_) => check_url::template,
                    _ => check_url::plain,
                };
                let what = format!("invalid '{key}'");
                self.url(&path.key(key), config.get(key), &what, check)
            }
            ReceiverDemand::Urls(list, keys) => {
                let path = path.key(list);
                for (index, item) in config.items_of(list).iter().enumerate() {
                    let path = path.index(index);
                    for key in *keys {
                        let what = format!("invalid '{key}' in {list}[{index}]");
                        self.url(&path.key(key), item.get(key), &what, check_url::template)?;
                    }
                }
                Ok(())
            }
            ReceiverDemand::Since(gate, demands) if self.versions.has(gate) => {
                self.demands(path, config, demands)
            }
            ReceiverDemand::Before(gate, demands) if !self.versions.has(gate) => {
                self.demands(path, config, demands)
            }
            ReceiverDemand::Since(..) | ReceiverDemand::Before(..) => Ok(()),
            ReceiverDemand::Http => config
                .get("http_config")
                .map_or(Ok(()), |http| self.http(&path.key("http_config"), http)),
            ReceiverDemand::Texts(key, gate, message) => {
                let entries = config.get(key).and_then(Value::as_map);
                let is_text = |value: &Value| {
                    matches!(value, Value::Str(_) | Value::StandIn(_) | Value::Binary(_))
                };
                let are_texts =
                    entries.is_none_or(|map| map.iter().all(|(_, value)| is_text(value)));
                demand(
                    self.versions.has(gate) || are_texts,
                    &path.key(key),
                    *message,
                )
            }
            ReceiverDemand::Responders => {
                self.responders(&path.key("responders"), config.items_of("responders"))
            }
            // Operator: a mail with threading must say how.
            ReceiverDemand::Threading => demand(
                config.get("threading").is_none_or(|threading| {
                    matches!(threading.text_or_empty("thread_by_date"), "daily" | "none")
                }),
                &path.key("threading"),
                "invalid 'thread_by_date': the value must be empty, 'daily' or 'none'",
            ),
            ReceiverDemand::Token => token(path, config),
        }
    }

    fn responders(&self, path: &Path<'_>, responders: &[Value]) -> ContentCheck {
        let gate = &gates::AM_OPSGENIE_TEAMS;
        let is_teams = |responder: &Value| responder.text_or_empty("type") == "teams";
        let Some(index) = responders.iter().position(is_teams) else {
            return Ok(());
        };
        let message = format!(
            "'teams' set in 'opsgenieResponder' but supported in Alertmanager >= {} only",
            gate.since
        );
        demand(
            self.versions.has(gate),
            &path.index(index).key("type"),
            message,
        )
    }

    /// A URL, unless it is left out.
    fn url(
        &self,
        path: &Path<'_>,
        value: Option<&Value>,
        what: &str,
        check: TextCheck,
    ) -> ContentCheck {
        let Some(text) = value
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
        else {
            return Ok(());
        };
        if value.is_some_and(Value::is_stand_in) {
            let checked = (self.hidden)(text, check);
            return checked.map_err(|message| {
                ContentFault::plain(format!("{what}: {message}")).at(path.to_route())
            });
        }
        check(text).map_err(|fault| fault.within(what).at(path.to_route()))
    }

    fn http(&self, path: &Path<'_>, http: &Value) -> ContentCheck {
        for key in ["authorization", "oauth2"] {
            let gate = &gates::AM_HTTP_AUTHORIZATION;
            let message = format!(
                "'{key}' set in 'http_config' but supported in Alertmanager >= {} only",
                gate.since
            );
            demand(
                http.get(key).is_none() || self.versions.has(gate),
                &path.key(key),
                message,
            )?;
        }
        if let Some(tls) = http.get("tls_config") {
            tls_versions(&path.key("tls_config"), tls)?;
        }
        // An older version has lost the keys that could contradict each other.
        if self.versions.has(&gates::AM_PROXY) {
            proxy(path, http)
        } else {
            Ok(())
        }
    }

    fn inhibit_rule(&self, path: &Path<'_>, index: usize, rule: &Value) -> ContentCheck {
        let texts = |key: &str| go_list(rule.get(key));
        let (target, source) = (texts("target_matchers"), texts("source_matchers"));
        if self.versions.has(&gates::AM_MATCHERS) || (target == "[]" && source == "[]") {
            return Ok(());
        }
        let since = &gates::AM_MATCHERS.since;
        let words = format!(
            "inhibit_rules[{index}]: target_matchers and source_matchers matching is supported in Alertmanager >= {since} \
             only"
        );
        let full = format!("{words} (target_matchers={target}, source_matchers={source})");
        Err(ContentFault::new(full, words).at(path.to_route()))
    }

    fn route(&self, path: &Path<'_>, route: &Value) -> ContentCheck {
        let matchers = go_list(route.get("matchers"));
        if !self.versions.has(&gates::AM_MATCHERS) && matchers != "[]" {
            let since = &gates::AM_MATCHERS.since;
            let words = format!(
                "invalid syntax in route config for 'matchers' comparison based matching is supported in Alertmanager >= \
                 {since} only"
            );
            let fault = ContentFault::new(format!("{words} (matchers={matchers})"), words);
            return Err(fault.at(path.key("matchers").to_route()));
        }
        let list = path.key("routes");
        for (index, route) in route.items_of("routes").iter().enumerate() {
            self.route(&list.index(index), route)
                .map_err(|fault| fault.within(&format!("route[{index}]")))?;
        }
        Ok(())
    }
}

/// A list of texts as Go prints it.
fn go_list(list: Option<&Value>) -> String {
    let items = list.and_then(Value::as_seq).unwrap_or_default();
    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    format!("[{}]", texts.join(" "))
}

/// Requires a token or an `Authorization` header for incident.io.
fn token(path: &Path<'_>, config: &Map) -> ContentCheck {
    let is_set = |key: &str| config.get(key).is_some();
    let has_token = is_set("alert_source_token") || is_set("alert_source_token_file");
    let has_header = config
        .get("http_config")
        .is_some_and(|http| http.get("authorization").is_some());
    demand(
        !has_token || !has_header,
        path,
        "cannot specify alert_source_token or alert_source_token_file when using http_config.authorization",
    )?;
    demand(
        has_token || has_header,
        path,
        "at least one of alert_source_token, alert_source_token_file or http_config.authorization must be configured",
    )
}

fn tls_versions(path: &Path<'_>, tls: &Value) -> ContentCheck {
    const VERSIONS: [&str; 4] = ["TLS10", "TLS11", "TLS12", "TLS13"];
    let mut found = Vec::new();
    for key in ["min_version", "max_version"] {
        let text = tls.text_or_empty(key);
        if text.is_empty() {
            continue;
        }
        let Some(index) = VERSIONS.iter().position(|version| *version == text) else {
            let fault = ContentFault::new(
                format!("unknown TLS version: {text}"),
                "unknown TLS version",
            );
            return Err(fault.at(path.key(key).to_route()));
        };
        found.push((index, text));
    }
    let [(min, min_text), (max, max_text)] = found[..] else {
        return Ok(());
    };
    let message = format!(
        "max TLS version \"{max_text}\" must be greater than or equal to min TLS version \"{min_text}\""
    );
    demand(min <= max, &path.key("max_version"), message)
}

fn proxy(path: &Path<'_>, http: &Value) -> ContentCheck {
    let is_set = |key: &str| {
        http.get(key)
            .is_some_and(|value| value.as_str() != Some(""))
    };
    let (url, no_proxy) = (is_set("proxy_url"), is_set("no_proxy"));
    let environment = http.get("proxy_from_environment") == Some(&Value::Bool(true));
    let header = http
        .get("proxy_connect_header")
        .and_then(Value::as_map)
        .is_some_and(|header| !header.is_empty());
    [
        (
            header && !environment && !url,
            "proxy_connect_header",
            "if 'proxy_connect_header' is configured, 'proxy_url' or 'proxy_from_environment' must also be configured",
        ),
        (
            environment && url,
            "proxy_url",
            "if 'proxy_from_environment' is configured, 'proxy_url' must not be configured",
        ),
        (
            environment && no_proxy,
            "no_proxy",
            "if 'proxy_from_environment' is configured, 'no_proxy' must not be configured",
        ),
        (
            no_proxy && !url,
            "no_proxy",
            "if 'no_proxy' is configured, 'proxy_url' must also be configured",
        ),
    ]
    .into_iter()
    .try_for_each(|(is_wrong, key, message)| demand(!is_wrong, &path.key(key), message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::gates::Target;
    use promgen_text::version::Version;
    use promgen_text::yaml::emit::{self, Dialect};
    use promgen_text::yaml::read::read_slices;

    fn sanitized(text: &str, minor: u64) -> Result<(String, Vec<String>), String> {
        let alertmanager = Version::new(0, minor, 0);
        let versions = Versions {
            alertmanager,
            ..Versions::of_target(&Target::default())
        };
        let mut root = read_slices(text)
            .unwrap()
            .unwrap()
            .to_value()
            .as_map()
            .unwrap()
            .clone();
        let dropped = sanitize(&mut root, &versions, &|_, _| Ok(()))
            .map_err(|fault| format!("{}: {}", fault.route(), fault.message(true)))?;
        let dropped = dropped
            .iter()
            .map(|field| field.route.to_string())
            .collect();
        Ok((emit::to_string(&root.into(), Dialect::YamlV2), dropped))
    }

    #[test]
    fn what_the_version_does_not_know_goes() {
        let text =
            "receivers: [{name: a, discord_configs: [{webhook_url: 'https://a', username: me}]}]";
        let (written, dropped) = sanitized(text, 27).unwrap();
        assert!(!written.contains("username"));
        assert_eq!(dropped, ["receivers[0].discord_configs[0].username"]);
        assert!(sanitized(text, 28).unwrap().1.is_empty());
    }

    #[test]
    fn a_key_displaces_the_file_that_stands_for_it() {
        let versions = Versions::of_target(&Target::default());
        let cx = Sanitizer {
            versions: &versions,
            hidden: &|_, _| Ok(()),
            dropped: Vec::new(),
            global: Map::new(),
        };
        let root = Path::root();
        for demand in receivers::ordered(receivers::SANITIZED_FIRST).flat_map(|kind| kind.demands) {
            let ReceiverDemand::Prefer(key, file) = demand else {
                continue;
            };
            assert_eq!(*file, format!("{key}_file"));
            let file_alone = Map::new().with(*file, "/file");
            for (given, kept) in [
                (file_alone.clone().with(*key, "text"), *key),
                (file_alone, *file),
            ] {
                let mut config = given;
                cx.demand(&root, &mut config, demand).unwrap();
                assert_eq!(
                    config
                        .iter()
                        .map(|(key, _)| key.to_string())
                        .collect::<Vec<_>>(),
                    [kept]
                );
            }
        }
    }

    #[test]
    fn what_the_version_cannot_do_stops_the_operator() {
        let text = "receivers: [{name: a, discord_configs: [{webhook_url: 'https://a'}]}]";
        let expected = "receivers[0].discord_configs[0]: invalid syntax in receivers config; discord integration is \
                        available in Alertmanager >= 0.25.0";
        assert_eq!(sanitized(text, 24).unwrap_err(), expected);
        let teams = "receivers: [{name: a, opsgenie_configs: [{api_key: k, responders: [{id: a, type: teams}]}]}]";
        assert!(
            sanitized(teams, 23)
                .unwrap_err()
                .contains("'teams' set in 'opsgenieResponder'")
        );
        assert!(sanitized(teams, 24).is_ok());
        let details =
            "receivers: [{name: a, pagerduty_configs: [{routing_key: k, details: {firing: 5}}]}]";
        assert!(
            sanitized(details, 29)
                .unwrap_err()
                .contains("'details' value in non-string format")
        );
        assert!(sanitized(details, 30).is_ok());
        for (family, key) in [
            ("opsgenie", "api_url"),
            ("victorops", "api_url"),
            ("wechat", "api_url"),
        ] {
            let text = format!(
                "receivers: [{{name: a, {family}_configs: [{{api_key: k, {key}: 'https://a/\"q'}}]}}]"
            );
            assert!(
                sanitized(&text, 33)
                    .unwrap_err()
                    .contains("invalid 'api_url': validate url from string failed for")
            );
        }
        let matchers = "route: {routes: [{matchers: ['a=b']}]}";
        assert!(
            sanitized(matchers, 21)
                .unwrap_err()
                .contains("(matchers=[a=b])")
        );
    }

    #[test]
    fn a_client_of_http_is_sound() {
        let refused = |http: &str| {
            let text = format!(
                "receivers: [{{name: a, webhook_configs: [{{url: 'https://a', http_config: {http}}}]}}]"
            );
            sanitized(&text, 33)
                .err()
                .map(|fault| fault.replace("receivers[0].webhook_configs[0].http_config.", ""))
        };
        let sound = [
            "{proxy_connect_header: {}}",
            "{proxy_connect_header: {X-A: [b]}, proxy_from_environment: true}",
            "{proxy_connect_header: {X-A: [b]}, proxy_url: 'http://proxy', no_proxy: localhost}",
            "{proxy_from_environment: false, proxy_url: 'http://proxy'}",
            "{proxy_from_environment: true, proxy_url: '', no_proxy: ''}",
            "{tls_config: {min_version: TLS12, max_version: TLS12}}",
            "{tls_config: {min_version: '', max_version: TLS10}}",
        ];
        for http in sound {
            assert_eq!(refused(http), None, "{http}");
        }
        let unsound = [
            (
                "{proxy_connect_header: {X-A: [b]}}",
                "proxy_connect_header: if 'proxy_connect_header' is configured, 'proxy_url' or 'proxy_from_environment' must \
                 also be configured",
            ),
            (
                "{proxy_from_environment: true, proxy_url: 'http://proxy', no_proxy: localhost}",
                "proxy_url: if 'proxy_from_environment' is configured, 'proxy_url' must not be configured",
            ),
            (
                "{proxy_from_environment: true, no_proxy: localhost}",
                "no_proxy: if 'proxy_from_environment' is configured, 'no_proxy' must not be configured",
            ),
            (
                "{no_proxy: localhost}",
                "no_proxy: if 'no_proxy' is configured, 'proxy_url' must also be configured",
            ),
            (
                "{tls_config: {min_version: TLS12, max_version: TLS10}}",
                "tls_config.max_version: max TLS version \"TLS10\" must be greater than or equal to min TLS version \"TLS12\"",
            ),
            (
                "{tls_config: {max_version: TLS9}}",
                "tls_config.max_version: unknown TLS version: TLS9",
            ),
        ];
        for (http, fault) in unsound {
            assert_eq!(refused(http).as_deref(), Some(fault), "{http}");
        }
    }

    #[test]
    fn incidentio_has_one_way_to_authenticate() {
        let refused = |settings: &str| {
            let text = format!(
                "receivers: [{{name: a, incidentio_configs: [{{url: 'https://a', {settings}}}]}}]"
            );
            sanitized(&text, 33).err()
        };
        let http = "http_config: {authorization: {credentials: b}}";
        for sound in ["alert_source_token: a", "alert_source_token_file: /a", http] {
            assert_eq!(refused(sound), None, "{sound}");
        }
        for token in ["alert_source_token: a", "alert_source_token_file: /a"] {
            assert!(
                refused(&format!("{token}, {http}"))
                    .unwrap()
                    .contains("cannot specify alert_source_token")
            );
        }
        assert!(
            refused("http_config: {}")
                .unwrap()
                .contains("at least one of alert_source_token")
        );
    }

    #[test]
    fn mails_are_threaded_by_day_or_not_by_date() {
        let refused = |threading: &str| {
            let text = format!(
                "receivers: [{{name: a, email_configs: [{{to: a@example.com, {threading}}}]}}]"
            );
            sanitized(&text, 33).err()
        };
        for sound in [
            "hello: b",
            "threading: {thread_by_date: daily}",
            "threading: {thread_by_date: none}",
        ] {
            assert_eq!(refused(sound), None, "{sound}");
        }
        let expected = "receivers[0].email_configs[0].threading: invalid 'thread_by_date': the value must be empty, 'daily' \
                        or 'none'";
        for unsound in [
            "threading: {enabled: false}",
            "threading: {thread_by_date: weekly}",
        ] {
            assert_eq!(refused(unsound).as_deref(), Some(expected), "{unsound}");
        }
    }

    #[test]
    fn inhibit_rules_have_matchers_since_0_22() {
        for key in ["target_matchers", "source_matchers"] {
            let text = format!("inhibit_rules: [{{target_match: {{a: b}}}}, {{{key}: ['a=b']}}]");
            let fault = sanitized(&text, 21).unwrap_err();
            assert!(
                fault.starts_with("inhibit_rules[1]: ") && fault.contains(&format!("{key}=[a=b]")),
                "{fault}"
            );
            assert!(sanitized(&text, 22).is_ok());
        }
    }

    /// Recorded: a version with files takes a resource whose file has an empty name.
    #[test]
    fn a_bot_needs_a_token_before_there_are_files() {
        let of = |minor| {
            sanitized(
                "receivers: [{name: a, telegram_configs: [{chat_id: 1}]}]",
                minor,
            )
        };
        assert!(
            of(25)
                .unwrap_err()
                .contains("missing mandatory field botToken")
        );
        assert!(of(33).is_ok());
    }
}
