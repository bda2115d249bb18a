//! Plain-text secrets in manifests.
//!
//! No message, label or help repeats a value, and the finding does not show its line.

use crate::running::{RemoteEndpoint, RunningWorkload, Spec, all};
use promgen_compile::cluster::Cluster;

use promgen_resources::api::core::Container;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::{self, Value};

rules! {
    /// ## What it does
    /// Finds values that look like a password, a token or a key in the manifest of a workload or an AlertmanagerConfig: in
    /// `additionalArgs`, in arguments and variables of containers, in headers and tokens of remote write and remote read, in
    /// fields and headers of receivers, and in URLs of the form `https://user:password@host` or `https://host?token=…`, or of
    /// webhooks whose path is the key (Slack, Discord, Teams, Telegram). The rule matches names such as `--db.password` or
    /// `API_TOKEN`, and never prints the value.
    ///
    /// The rule ignores empty values, paths, booleans, short numbers, and placeholders such as `$(PASSWORD)` or `<password>`.
    ///
    /// ## Why is this bad?
    /// Everyone who can read the resource, its StatefulSet, its pods, or the repository can read the secret. False positives:
    /// a name may be misleading.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    ///     headers: {X-Api-Key: 0123-example-4567}
    /// ```
    /// Use instead: a Secret that `authorization`, `basicAuth` or `valueFrom` refers to.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    ///     authorization: {credentials: {name: remote, key: token}}
    /// ```
    PLAIN_SECRET = "PG516" "plain-secret" Warning: "a password, token or key in a manifest";
}

/// Finds plain-text secrets, and nothing else.
pub fn check(cluster: &Cluster, sink: &mut Sink) {
    all(cluster).for_each(|running| of_workload(&running, sink));
    of_receivers(cluster, sink);
}

/// Checks everything of a workload that may contain a secret.
pub fn of_workload(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let mut found = FindingCollector { sink };
    found.arguments(running);
    for (field, containers) in running.containers() {
        for (index, container) in containers.iter().enumerate() {
            found.container(container, &running.at().key(field).index(index));
        }
    }
    found.remotes(running);
    found.urls(running);
}

/// Checks the receivers of AlertmanagerConfigs.
pub fn of_receivers(cluster: &Cluster, sink: &mut Sink) {
    let mut found = FindingCollector { sink };
    for config in cluster.alertmanager_configs.values() {
        let at = At::spec(config.doc).key("receivers");
        for (index, receiver) in config.value.spec.receivers.iter().flatten().enumerate() {
            found.receiver("", &yaml::to_value(receiver), &at.clone().index(index));
        }
    }
}

/// Collects findings.
struct FindingCollector<'s> {
    sink: &'s mut Sink,
}

impl FindingCollector<'_> {
    fn report(&mut self, at: At, message: String) {
        let help = "move it into a Secret, refer to the Secret, and rotate the value; ignore this if the name \
                    is misleading";
        self.sink.report(
            Diagnostic::new(&PLAIN_SECRET, at, message)
                .help(help)
                .secret(),
        );
    }

    fn arguments(&mut self, running: &RunningWorkload<'_>) {
        let thanos = match running.spec {
            Spec::Server(spec) => spec
                .thanos
                .as_ref()
                .and_then(|thanos| thanos.additional_args.as_deref()),
            Spec::Agent(_) | Spec::Alertmanager(_) | Spec::Ruler(_) => None,
        };
        let own = (
            running.at().key("additionalArgs"),
            running.additional_args(),
        );
        let sidecar = (
            running.at().key("thanos").key("additionalArgs"),
            thanos.unwrap_or_default(),
        );
        for (at, arguments) in [own, sidecar] {
            for (index, argument) in arguments.iter().enumerate() {
                let value = argument.value.as_deref().unwrap_or_default();
                let at = at.clone().index(index).key("value");
                self.named(
                    &argument.name,
                    value,
                    at,
                    &format!("the argument `{}`", argument.name),
                );
            }
        }
    }

    fn container(&mut self, container: &Container, at: &At) {
        for (index, variable) in container.env.iter().flatten().enumerate() {
            let what = format!(
                "the variable {} of container `{}`",
                variable.name, container.name
            );
            let at = at.clone().key("env").index(index).key("value");
            self.named(
                &variable.name,
                variable.value.as_deref().unwrap_or_default(),
                at,
                &what,
            );
        }
        for (field, arguments) in [("args", &container.args), ("command", &container.command)] {
            for (index, argument) in arguments.iter().flatten().enumerate() {
                let Some((name, value)) = argument
                    .split_once('=')
                    .filter(|(name, _)| name.starts_with('-'))
                else {
                    continue;
                };
                let what = format!("the argument `{name}` of container `{}`", container.name);
                self.named(name, value, at.clone().key(field).index(index), &what);
            }
        }
    }

    /// A part of a receiver: its texts, and its pairs of a key and a value.
    fn receiver(&mut self, name: &str, part: &Value, at: &At) {
        let text = |key: &str| part.text_of(key);
        match part {
            Value::Str(text) if is_webhook(text) => {
                self.report(
                    at.clone(),
                    format!("`{name}` is the URL of a webhook, whose path is a plain-text secret"),
                );
            }
            Value::Str(text) => self.url(text, at.clone(), &format!("`{name}`")),
            Value::Seq(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, item)| self.receiver(name, item, &at.clone().index(index)));
            }
            Value::Map(map) => match (text("key"), text("value")) {
                (Some(key), Some(value)) => {
                    self.named(
                        key,
                        value,
                        at.clone().key("value"),
                        &format!("the value of `{key}` in `{name}`"),
                    );
                }
                _ => map.iter().for_each(|(key, value)| {
                    self.receiver(key, value, &at.clone().key(key.to_string()))
                }),
            },
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Float(_)
            | Value::StandIn(_)
            | Value::Binary(_) => {}
        }
    }

    fn remotes(&mut self, running: &RunningWorkload<'_>) {
        for RemoteEndpoint {
            at,
            url,
            proxy,
            token,
            headers,
        } in running.remotes()
        {
            self.url(url, at.clone().key("url"), "`url`");
            let proxy = proxy.proxy_url.as_deref().unwrap_or_default();
            self.url(proxy, at.clone().key("proxyUrl"), "`proxyUrl`");
            let token = token.unwrap_or_default();
            self.named(
                "token",
                token,
                at.clone().key("bearerToken"),
                "`bearerToken`",
            );
            for (name, value) in headers.into_iter().flatten() {
                let at = at.clone().key("headers").key(name.clone());
                self.named(name, value, at, &format!("the header `{name}`"));
            }
        }
    }

    /// URLs that pods see, besides those of remote write and read.
    fn urls(&mut self, running: &RunningWorkload<'_>) {
        let at = running.at();
        self.url(
            running.external_url().unwrap_or_default(),
            at.clone().key("externalUrl"),
            "`externalUrl`",
        );
        if let Some(server) = running
            .common()
            .and_then(|common| common.apiserver_config.as_ref())
        {
            let at = at.clone().key("apiserverConfig");
            self.url(
                &server.host,
                at.clone().key("host"),
                "`apiserverConfig.host`",
            );
            let token = server.bearer_token.as_deref().unwrap_or_default();
            self.named(
                "token",
                token,
                at.key("bearerToken"),
                "`apiserverConfig.bearerToken`",
            );
        }
        let Spec::Ruler(spec) = running.spec else {
            return;
        };
        for (index, url) in spec.alertmanagers_url.iter().flatten().enumerate() {
            self.url(
                url,
                at.clone().key("alertmanagersUrl").index(index),
                "`alertmanagersUrl`",
            );
        }
        self.url(
            spec.alert_query_url.as_deref().unwrap_or_default(),
            at.key("alertQueryUrl"),
            "`alertQueryUrl`",
        );
    }

    /// A named value.
    fn named(&mut self, name: &str, value: &str, at: At, what: &str) {
        if is_secret_name(name) && is_plain(value) {
            self.report(at, format!("{what} looks like a plain-text secret"));
        } else {
            self.url(value, at, what);
        }
    }

    fn url(&mut self, text: &str, at: At, what: &str) {
        if is_secret_url(text) {
            self.report(
                at,
                format!("{what} contains a URL with a plain-text secret"),
            );
        }
    }
}

/// The last words of the names of secrets.
const SECRET: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "credentials",
    "apikey",
    "authorization",
    "cookie",
];

/// The minimum number of digits of a number that counts as a secret.
const SHORTEST_NUMBER: usize = 6;

/// The words before `key` in the names of secrets.
const KEY_OF: &[&str] = &["api", "access", "secret", "private", "auth", "account"];

/// The hosts of webhooks whose path is the key, and the beginning of the path.
const WEBHOOKS: [(&str, &str); 6] = [
    ("hooks.slack.com", "services/"),
    ("discord.com", "api/webhooks/"),
    ("discordapp.com", "api/webhooks/"),
    ("api.telegram.org", "bot"),
    ("outlook.office.com", "webhook/"),
    (".webhook.office.com", "webhookb2/"),
];

/// Returns whether a text is the URL of a webhook with its key.
fn is_webhook(text: &str) -> bool {
    let Some((host, path)) = text
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let is_host = |known: &str| host == known || known.starts_with('.') && host.ends_with(known);
    WEBHOOKS.iter().any(|(known, begin)| {
        is_host(known)
            && path
                .strip_prefix(begin)
                .is_some_and(|key| !key.is_empty() && is_plain(key))
    })
}

/// Returns whether a value with that name is a secret.
fn is_secret_name(name: &str) -> bool {
    let name = split_words(name);
    let mut words = name.rsplit(['.', '-', '_']);
    match (words.next(), words.next()) {
        (Some("key"), Some(of)) => KEY_OF.contains(&of),
        (Some(last), _) => SECRET.contains(&last),
        (None, _) => false,
    }
}

/// The name in lower case, with a dash before each capital that follows a lower-case letter.
fn split_words(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            out.push('-');
        }
        was_lower = c.is_ascii_lowercase();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Returns whether a value is literal, rather than a path or a placeholder.
fn is_plain(value: &str) -> bool {
    let value = value.trim();
    let scheme = ["Bearer ", "Basic ", "bearer ", "basic "]
        .iter()
        .find_map(|scheme| value.strip_prefix(scheme));
    let value = scheme.unwrap_or(value);
    let stands_for =
        ["$(", "${", "{{"].iter().any(|mark| value.contains(mark)) || value.starts_with(['<', '$']);
    let is_masked = value.chars().all(|c| matches!(c, '*' | 'x' | 'X'));
    let is_path = value.starts_with(['/', '.']) || value.starts_with("file:");
    let is_number = value.len() < SHORTEST_NUMBER && value.parse::<f64>().is_ok();
    let is_switch = ["true", "false", "yes", "no", "null", "none"].contains(&value);
    !(stands_for || is_masked || is_path || is_number || is_switch)
}

/// Returns whether a text holds a URL with a password before its host, or a secret in its query.
fn is_secret_url(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest
            .split(['/', '?', '#', ' ', ',', '"', '\''])
            .next()
            .unwrap_or_default();
        let user = authority
            .rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'));
        let query = rest
            .split_once('?')
            .map_or("", |(_, query)| query)
            .split(['&', '#', ' ']);
        let mut pairs = query.filter_map(|pair| pair.split_once('='));
        user.is_some_and(|(_, password)| is_plain(password))
            || pairs.any(|(name, value)| is_secret_name(name) && is_plain(value))
    })
}
