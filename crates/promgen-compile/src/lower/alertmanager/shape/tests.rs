//! Keys, types and refusals of configurations, in the words of Alertmanager.

use super::*;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::read::read_slices;

#[test]
fn keys_of_maps_of_texts_are_as_written() {
    let text = "n: 1\noff: {off: 2}\n\"on\": 3\n017: 4\n";
    let root = read_slices(text).unwrap().unwrap();
    let value = DocumentText {
        text,
        parser: &parser(33),
    }
    .anything(&root);
    let keys: Vec<_> = value
        .as_map()
        .unwrap()
        .iter()
        .map(|(key, _)| key.to_string())
        .collect();
    assert_eq!(keys, ["n", "off", "on", "017"]);
}

/// The operator's parser of a minor version of Alertmanager.
fn parser(minor: u64) -> Parser {
    Parser {
        version: Version::new(0, minor, 0),
        names: NameRules::Classic,
    }
}

fn rewrite(text: &str) -> Result<String, String> {
    rewrite_by(text, 33)
}

fn rewrite_by(text: &str, minor: u64) -> Result<String, String> {
    let root = read_slices(text).unwrap().unwrap();
    let map = read(text, &root, &parser(minor)).map_err(|fault| fault.message(true))?;
    Ok(emit::to_string(&map.into(), Dialect::YamlV2))
}

#[test]
fn keys_have_an_order_and_empty_ones_go() {
    let text = "receivers:\n- webhook_configs: [{max_alerts: 0, url: 'http://a', send_resolved: false}]\n  name: a\nglobal: {}\nroute:\n  routes: [{continue: false, matchers: [b=c], receiver: 017}]\n  receiver: a\n";
    let expected = "global: {}\nroute:\n  receiver: a\n  routes:\n  - receiver: \"017\"\n    matchers:\n    - b=c\nreceivers:\n- name: a\n  webhook_configs:\n  - send_resolved: false\n    url: http://a\ntemplates: []\n";
    assert_eq!(rewrite(text).unwrap(), expected);
}

/// The operator's order, which is not that of Alertmanager: what came late stands behind.
#[test]
fn keys_that_came_late_stand_behind() {
    let keys = |text: &str, under: &str| -> Vec<String> {
        let written = rewrite(text).unwrap();
        let lines = written
            .lines()
            .skip_while(|line| !line.contains(under))
            .skip(1);
        let lines = lines.take_while(|line| line.starts_with("  "));
        lines
            .filter_map(|line| {
                Some(
                    line.trim_start_matches([' ', '-'])
                        .split_once(':')?
                        .0
                        .to_owned(),
                )
            })
            .collect()
    };
    let global = "global: {mattermost_webhook_url_file: a, wechat_api_secret_file: a, slack_app_url: 'http://a', \
                  wechat_api_corp_id: a, rocketchat_token_file: a}";
    let order = [
        "wechat_api_corp_id",
        "rocketchat_token_file",
        "slack_app_url",
        "wechat_api_secret_file",
        "mattermost_webhook_url_file",
    ];
    assert_eq!(keys(global, "global:"), order);
    let mattermost = "receivers: [{name: a, mattermost_configs: [{webhook_url: 'http://a', http_config: {}, \
                      image_url: 'http://a', color: a, text: a}]}]";
    let order = ["webhook_url", "text", "color", "image_url", "http_config"];
    assert_eq!(keys(mattermost, "mattermost_configs:")[..5], order);
}

#[test]
fn what_is_no_configuration_is_refused_in_alertmanagers_words() {
    let error = |text: &str| rewrite(text).unwrap_err();
    let unknown = "yaml: unmarshal errors:\n  line 2: field colour not found in type config.plain";
    assert_eq!(error("global:\n  colour: red\n"), unknown);
    let both = "receivers: [{name: a, webhook_configs: [{url: 'http://a', url_file: b}]}]";
    assert_eq!(
        error(both),
        "at most one of url & url_file must be configured"
    );
    assert_eq!(
        error("receivers: [{email_configs: [{}]}]"),
        "missing to address in email config"
    );
    assert_eq!(
        error("global: {slack_api_url: a}"),
        "unsupported scheme \"\" for URL"
    );
    assert_eq!(error("route: {matchers: [foo]}"), "bad matcher format: foo");
    let away = "time_intervals: [{name: a, time_intervals: [{location: Mars/Olympus}]}]";
    assert_eq!(error(away), "unknown time zone Mars/Olympus");
}

/// Recorded for v0.93.1 and v0.94.1, which parse as Alertmanager 0.33 and 0.34.
#[test]
fn a_newer_alertmanager_has_labels_of_routes_and_types_in_other_packages() {
    let error = |text: &str, minor| rewrite_by(text, minor).unwrap_err();
    let of =
        |kind: &str, key: &str| format!("receivers: [{{name: a, {kind}_configs: [{{{key}}}]}}]");
    for kind in ["telegram", "opsgenie", "pagerduty", "msteamsv2"] {
        for (minor, package) in [(33, "config"), (34, kind)] {
            assert!(
                error(&of(kind, "x: y"), minor)
                    .ends_with(&format!("not found in type {package}.plain")),
                "{kind}"
            );
        }
    }
    assert!(error(&of("pagerduty", "links: a"), 34).ends_with("into []pagerduty.PagerdutyLink"));
    assert!(
        error("route: {labels: {a: b}}", 33)
            .ends_with("field labels not found in type config.plain")
    );
    assert!(
        rewrite_by("route: {labels: {a: b}}", 34)
            .unwrap()
            .contains("  labels:\n    a: b\n")
    );
}

/// Recorded for v0.90.1, which parses as Alertmanager 0.31.
#[test]
fn an_older_alertmanager_has_all_types_in_one_package() {
    let error = |text: &str| rewrite_by(text, 31).unwrap_err();
    let of = |kind: &str, item: &str| format!("receivers: [{{name: a, {kind}_configs: [{item}]}}]");
    for kind in [
        "webhook",
        "discord",
        "incidentio",
        "jira",
        "mattermost",
        "msteams",
    ] {
        assert!(
            error(&of(kind, "{x: y}")).ends_with("field x not found in type config.plain"),
            "{kind}"
        );
    }
    assert!(
        error(&of("webhook", "{url: [a]}")).ends_with("cannot unmarshal !!seq into config.plain")
    );
    assert!(error("inhibit_rules: x").ends_with("into []config.InhibitRule"));
    for (kind, key) in [
        ("slack", "update_message"),
        ("webhook", "payload"),
        ("mattermost", "footer"),
    ] {
        let unknown = format!("field {key} not found in type config.plain");
        assert!(
            error(&of(kind, &format!("{{{key}: a}}"))).ends_with(&unknown),
            "{key}"
        );
    }
    let url = "global: {pagerduty_url: 'http://a:b@c/'}";
    assert!(
        rewrite_by(url, 34)
            .unwrap()
            .contains("pagerduty_url: http://a:b@c/"),
        "masked where it is written"
    );
}

/// Recorded for a field; go-yaml says it of maps in the same way.
#[test]
fn a_key_is_there_once() {
    let error = |text: &str| rewrite(text).unwrap_err();
    let hook = |more: &str| {
        format!(
            "receivers:\n- name: a\n  mattermost_configs:\n  - webhook_url: https://m/x\n{more}"
        )
    };
    let both =
        "yaml: unmarshal errors:\n  line 5: field webhook_url already set in type mattermost.plain";
    assert_eq!(error(&hook("    webhook_url: '://bad'\n")), both);
    assert_eq!(
        error("route: {receiver: a, match: {a: b, a: c}}"),
        "yaml: unmarshal errors:\n  line 1: key \"a\" already set in map"
    );
    let details =
        "receivers: [{name: a, pagerduty_configs: [{routing_key: k, details: {a: {b: 1, b: 2}}}]}]";
    assert!(error(details).ends_with("line 1: key \"b\" already set in map"));
}

/// The answers of `amtool check-config` 0.33.1 in classic mode.
#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn values_of_other_types_are_named_as_gos_decoder_does() {
    let of = |key: &str, item: &str| format!("receivers: [{{name: a, {key}: [{item}]}}]");
    let hook = |http: &str| {
        of(
            "webhook_configs",
            &format!("{{url: 'http://h', http_config: {{{http}}}}}"),
        )
    };
    let cases = [
        (
            "inhibit_rules: x".to_owned(),
            "cannot unmarshal !!str `x` into []common.InhibitRule",
        ),
        (
            "route: {match_re: x}".to_owned(),
            "cannot unmarshal !!str `x` into common.plain",
        ),
        (
            of("webhook_configs", "x"),
            "cannot unmarshal !!str `x` into webhook.plain",
        ),
        (
            of("jira_configs", "{summary: {a: b}}"),
            "field a not found in type jira.plain",
        ),
        (
            of("pagerduty_configs", "{details: 1}"),
            "cannot unmarshal !!int `1` into map[string]interface {}",
        ),
        (
            of("email_configs", "{threading: [a]}"),
            "cannot unmarshal !!seq into config.ThreadingConfig",
        ),
        (
            of("rocketchat_configs", "{actions: [{is_webview: true}]}"),
            "field is_webview not found in type config.RocketchatAttachmentAction",
        ),
        (
            of("mattermost_configs", "{priority: {a: b}}"),
            "field a not found in type mattermost.MattermostPriority",
        ),
        (
            hook("authorization: x"),
            "cannot unmarshal !!str `x` into config.Authorization",
        ),
        (
            hook("http_headers: {a: b}"),
            "cannot unmarshal !!str `b` into config.Header",
        ),
        (
            hook("http_headers: {a: {secrets: b}}"),
            "cannot unmarshal !!str `b` into []config.Secret",
        ),
        (
            hook("proxy_connect_header: {a: b}"),
            "cannot unmarshal !!str `b` into []config.Secret",
        ),
        (
            "time_intervals: [{name: a, time_intervals: [{months: x}]}]".to_owned(),
            "cannot unmarshal !!str `x` into []timeinterval.MonthRange",
        ),
        (
            "mute_time_intervals: [{name: a, time_intervals: [{times: [{a: b}]}]}]".to_owned(),
            "field a not found in type timeinterval.yamlTimeRange",
        ),
        (
            of("webhook_configs", "{url: [a]}"),
            "cannot unmarshal !!seq into common.plain",
        ),
        (
            of("pagerduty_configs", "{routing_key: k, url: [a]}"),
            "cannot unmarshal !!seq into string",
        ),
        (
            of("pagerduty_configs", "{routing_key: [a]}"),
            "cannot unmarshal !!seq into config.plain",
        ),
        (
            of("pagerduty_configs", "{routing_key: k, severity: [a]}"),
            "cannot unmarshal !!seq into string",
        ),
        (
            of("victorops_configs", "{api_key: k, routing_key: [a]}"),
            "cannot unmarshal !!seq into string",
        ),
        (
            of("pushover_configs", "{retry: [a]}"),
            "cannot unmarshal !!seq into config.duration",
        ),
        (
            of("webhook_configs", "{timeout: x}"),
            "cannot unmarshal !!str `x` into time.Duration",
        ),
        (
            of("webhook_configs", "{max_alerts: -1}"),
            "cannot unmarshal !!int `-1` into uint64",
        ),
        (
            of("telegram_configs", "{chat_id: 1e19}"),
            "cannot unmarshal !!float `1e19` into int64",
        ),
        (
            of("webhook_configs", "'~'"),
            "cannot unmarshal !!str `~` into *webhook.WebhookConfig",
        ),
        (
            "route: 'null'".to_owned(),
            "cannot unmarshal !!str `null` into *config.Route",
        ),
        (
            "receivers: ['null']".to_owned(),
            "cannot unmarshal !!str `null` into config.Receiver",
        ),
        (
            of("telegram_configs", "{chat_id: x}"),
            "cannot unmarshal !!str `x` into int64",
        ),
        (
            of("telegram_configs", "{message_thread_id: x}"),
            "cannot unmarshal !!str `x` into int",
        ),
        (
            of("jira_configs", "{summary: [a]}"),
            "cannot unmarshal !!seq into jira.plain",
        ),
        (
            hook("http_headers: x"),
            "cannot unmarshal !!str `x` into config.Headers",
        ),
        (
            hook("http_headers: {a: {secrets: [[b]]}}"),
            "cannot unmarshal !!seq into config.plain",
        ),
        (
            hook("http_headers: {a: {values: [[b]]}}"),
            "cannot unmarshal !!seq into string",
        ),
        (
            hook("http_headers: {a: {values: b}}"),
            "cannot unmarshal !!str `b` into []string",
        ),
        (
            hook("proxy_connect_header: x"),
            "cannot unmarshal !!str `x` into config.ProxyHeader",
        ),
        (
            "route: {group_by: [[a]]}".to_owned(),
            "cannot unmarshal !!seq into string",
        ),
        (
            "route: aaaaaaaa".to_owned(),
            "cannot unmarshal !!str `aaaaaaaa` into config.plain",
        ),
        (
            "route: aaaaaaaaaa".to_owned(),
            "cannot unmarshal !!str `aaaaaaaaaa` into config.plain",
        ),
        (
            "route: aaaaaaaaaaa".to_owned(),
            "cannot unmarshal !!str `aaaaaaa...` into config.plain",
        ),
    ];
    for (text, message) in cases {
        let expected = format!("yaml: unmarshal errors:\n  line 1: {message}");
        assert_eq!(rewrite(&text).unwrap_err(), expected, "{text}");
    }
}

/// The answers of `amtool check-config` 0.33.1 in classic mode.
#[test]
fn what_go_decodes_first_is_refused_first() {
    let http = |http: &str| {
        format!(
            "receivers: [{{name: a, webhook_configs: [{{url: 'http://h', http_config: {{{http}}}}}]}}]"
        )
    };
    let times =
        |range: &str| format!("time_intervals: [{{name: a, time_intervals: [{{{range}}}]}}]");
    let cases = [
        (
            http("basic_auth: {}, oauth2: {no_proxy: a}"),
            "if no_proxy is configured, proxy_url must also be configured",
        ),
        (
            http("http_headers: {host: {values: [a]}}"),
            "setting header \"Host\" is not allowed",
        ),
        (
            http("oauth2: {tls_config: {cert_file: a}}"),
            "exactly one of key or key_file must be configured when a client certificate is configured",
        ),
        (times("location: x, months: [y]"), "unknown time zone x"),
        (times("months: [y], location: x"), "y is not a valid month"),
        (
            times("years: ['1:2:3']"),
            "couldn't parse range 1:2:3, invalid format",
        ),
        (
            "time_intervals: [{}]".to_owned(),
            "missing name in time interval",
        ),
        (
            http("no_proxy: a"),
            "if no_proxy is configured, proxy_url must also be configured",
        ),
        (
            "receivers: [7, {name: a, telegram_configs: [{bot_token: a, bot_token_file: b}]}]"
                .to_owned(),
            "at most one of bot_token & bot_token_file must be configured",
        ),
        (
            "mute_time_intervals: [{}]".to_owned(),
            "missing name in mute time interval",
        ),
        (
            "route: {matchers: [a], group_wait: x}".to_owned(),
            "bad matcher format: a",
        ),
        (
            "route: {group_wait: x, matchers: [a]}".to_owned(),
            "not a valid duration string: \"x\"",
        ),
        (
            "route: {match_re: {a: null}}".to_owned(),
            "invalid regexp value for \"a\"",
        ),
        (
            "global: {slack_api_url: ''}".to_owned(),
            "unsupported scheme \"\" for URL",
        ),
        (
            "receivers: [{name: a, telegram_configs: [{bot_token: a, bot_token_file: b}]}]"
                .to_owned(),
            "at most one of bot_token & bot_token_file must be configured",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(rewrite(&text).unwrap_err(), message, "{text}");
    }
}

/// The answers of `amtool check-config` 0.33.1 in classic mode.
#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn clients_receivers_and_groups_are_sound() {
    let of = |key: &str, item: &str| format!("receivers: [{{name: a, {key}: [{item}]}}]");
    let hook = |http: &str| {
        of(
            "webhook_configs",
            &format!("{{url: 'http://h', http_config: {{{http}}}}}"),
        )
    };
    let webex = |http: &str| {
        of(
            "webex_configs",
            &format!("{{room_id: a, http_config: {{{http}}}}}"),
        )
    };
    let incidentio = |keys: &str| {
        of(
            "incidentio_configs",
            &format!("{{url: 'http://h', {keys}}}"),
        )
    };
    let no_header = "missing webex_configs.http_config.authorization";
    let two_ways = "at most one of basic_auth, oauth2 & authorization must be configured";
    let oauth2 = "oauth2: {client_id: a, client_secret: b, token_url: 'http://t'}";
    let cases = [
        (
            hook("proxy_url: 'http://[::1'"),
            "parse \"http://[::1\": missing ']' in host",
        ),
        (
            of("jira_configs", "{reopen_duration: x}"),
            "not a valid duration string: \"x\"",
        ),
        (
            of("email_configs", "{to: a, smarthost: a}"),
            "address a: missing port in address",
        ),
        (
            "global: {smtp_smarthost: 'a:'}".to_owned(),
            "address \"a:\": port cannot be empty",
        ),
        (
            of("pushover_configs", "{user_key: a, user_key_file: b}"),
            "at most one of user_key & user_key_file must be configured",
        ),
        (
            of(
                "pagerduty_configs",
                "{service_key: a, service_key_file: b, routing_key: a, routing_key_file: b}",
            ),
            "at most one of routing_key & routing_key_file must be configured",
        ),
        (webex(""), no_header),
        (webex("authorization: null"), no_header),
        (webex("bearer_token: ''"), no_header),
        (
            of(
                "wechat_configs",
                "{api_secret: a, corp_id: b, message_type: html}",
            ),
            "weChat message type \"html\" does not match valid options ^(text|markdown)$",
        ),
        (
            incidentio("alert_source_token_file: a, http_config: {bearer_token: b}"),
            "cannot specify alert_source_token or alert_source_token_file when using http_config.authorization",
        ),
        (
            hook("authorization: {credentials: a}, bearer_token_file: b"),
            "authorization is not compatible with bearer_token & bearer_token_file",
        ),
        (
            hook("basic_auth: {username: a}, bearer_token: b"),
            "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured",
        ),
        (
            hook("authorization: {credentials: a}, basic_auth: {username: b}"),
            two_ways,
        ),
        (
            hook(&format!("authorization: {{credentials: a}}, {oauth2}")),
            two_ways,
        ),
        (
            hook(&format!("basic_auth: {{username: a}}, {oauth2}")),
            two_ways,
        ),
        (
            "route: {group_by: [1a]}".to_owned(),
            "invalid label name \"1a\" in group_by list",
        ),
        (
            "route: {group_by: [a-b]}".to_owned(),
            "invalid label name \"a-b\" in group_by list",
        ),
        (
            "route: {group_by: ['']}".to_owned(),
            "invalid label name \"\" in group_by list",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(rewrite(&text).unwrap_err(), message, "{text}");
    }
    let sound = [
        webex("authorization: {credentials: a}"),
        webex("bearer_token: a"),
        webex("bearer_token_file: a"),
        of("wechat_configs", "{api_secret: a, corp_id: b}"),
        of(
            "wechat_configs",
            "{api_secret: a, corp_id: b, message_type: markdown}",
        ),
        of("pushover_configs", "{user_key: a, token: b, html: true}"),
        of(
            "pushover_configs",
            "{user_key: a, token: b, monospace: true}",
        ),
        incidentio("alert_source_token: a"),
        incidentio("http_config: {authorization: {credentials: a}}"),
        hook("authorization: {credentials: a}"),
        hook("bearer_token: a"),
        "route: {group_by: ['...']}".to_owned(),
        "route: {group_by: [_a, B2]}".to_owned(),
    ];
    for text in sound {
        assert_eq!(rewrite(&text).err(), None, "{text}");
    }
}

#[test]
fn values_are_written_as_gos_types_hold_them() {
    let hook = "receivers: [{name: a, webhook_configs: [{url: 'http://h', max_alerts: 2.9}]}]";
    assert!(rewrite(hook).unwrap().contains("max_alerts: 2\n"));
    let jira = "receivers: [{name: a, jira_configs: [{project: p, issue_type: i, summary: {template: t}, fields: {x: \
                {of: [z, {1: b, \"2\": c, d: e}]}}}]}]";
    let written = rewrite(jira).unwrap();
    assert!(
        written.contains("summary:\n      template: t\n"),
        "{written}"
    );
    let keys = "of:\n        - z\n        - \"\\01\": b\n          \"2\": c\n          d: e\n";
    assert!(written.contains(keys), "{written}");
    let headers = rewrite(
        "global: {http_config: {http_headers: {B: {files: [f], secrets: [s], values: [v]}, A: {values: []}}}}",
    );
    let written = "      A: {}\n      B:\n        values:\n        - v\n        secrets:\n        - <secret>\n        files:\n        - f\n";
    assert!(
        headers.as_ref().is_ok_and(|text| text.contains(written)),
        "{headers:?}"
    );
}

#[test]
fn the_operators_types_lack_keys_of_alertmanager() {
    let lacking_in = |text: &str, minor: u64| {
        let root = read_slices(text).unwrap().unwrap();
        let operator = Version::new(0, minor, 0);
        own_types(text, &root, &parser(34), &operator)
            .err()
            .map(|fault| fault.message(true))
    };
    let lacking = |text: &str| lacking_in(text, 94);
    assert_eq!(lacking("receivers: [{name: a}]"), None);
    let message = |line: usize, key: &str, of: &str| {
        Some(format!(
            "yaml: unmarshal errors:\n  line {line}: field {key} not found in type alertmanager.{of}"
        ))
    };
    assert_eq!(
        lacking("tracing: {}"),
        message(1, "tracing", "alertmanagerConfig")
    );
    assert_eq!(
        lacking("inhibit_rules:\n- name: a"),
        message(2, "name", "inhibitRule")
    );
    let discord = "receivers: [{name: a, discord_configs: [{webhook_url_file: a}]}]";
    assert_eq!(
        lacking_in(discord, 93),
        message(1, "webhook_url_file", "discordConfig")
    );
    assert_eq!(lacking(discord), None);
    let route = "route: {labels: {a: b}}";
    assert_eq!(
        (lacking(route), lacking_in(route, 95)),
        (message(1, "labels", "route"), None)
    );
    let http = "global:\n  http_config:\n    tls_config:\n      ca: a";
    assert_eq!(lacking(http), message(4, "ca", "tlsConfig"));
    let alerts = |n: &str| {
        lacking(&format!(
            "receivers: [{{name: a, webhook_configs: [{{max_alerts: {n}}}]}}]"
        ))
    };
    for n in ["5", "-1.5", "2147483647"] {
        assert_eq!(alerts(n), None, "{n}");
    }
    let timeout = |text: &str| {
        lacking(&format!(
            "receivers: [{{name: a, slack_configs: [{{timeout: {text}}}]}}]"
        ))
    };
    assert_eq!(timeout("1h30m"), None);
    assert_eq!(
        timeout("-1s").as_deref(),
        Some("not a valid duration string: \"-1s\"")
    );
    assert_eq!(
        timeout("1us").as_deref(),
        Some("unknown unit \"us\" in duration \"1us\"")
    );
    let too_large =
        "yaml: unmarshal errors:\n  line 1: cannot unmarshal !!int `2147483648` into int32";
    assert_eq!(alerts("2147483648").as_deref(), Some(too_large));
}
