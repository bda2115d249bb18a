//! The shape of a part of a configuration: its keys, their types, and what Alertmanager refuses of it.

use std::borrow::Cow;

use promgen_resources::gates::Gate;
use promgen_text::version::Version;
use promgen_text::yaml::Node;

/// The keys of a part, in order.
pub(crate) struct Shape {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// The keys.
    pub(crate) keys: &'static [ShapeKey],
    /// The name of its type in Go, as Alertmanager's messages have it.
    pub(crate) go: &'static str,
    /// The name of the type of a list of it.
    pub(crate) list: &'static str,
    /// The package that its type is in since the gate, in place of `config`.
    pub(crate) package: Option<(&'static str, &'static Gate)>,
    /// The checks of it by Alertmanager while it parses, in its order: only the first fault is reported.
    pub(crate) rules: &'static [PartRule],
}

impl Shape {
    /// The name of its type in a version of Alertmanager.
    pub(crate) fn go(&self, parser: &Version) -> Cow<'static, str> {
        self.named(self.go, parser)
    }

    /// The name of the type of a list of it in a version of Alertmanager.
    pub(crate) fn list(&self, parser: &Version) -> Cow<'static, str> {
        self.named(self.list, parser)
    }

    fn named(&self, name: &'static str, parser: &Version) -> Cow<'static, str> {
        match self.package.filter(|(_, gate)| gate.admits(parser)) {
            Some((package, _)) => name.replacen("config.", &format!("{package}."), 1).into(),
            None => name.into(),
        }
    }

    /// The field with that key.
    pub(crate) fn field(&self, key: &str) -> Option<&'static ShapeKey> {
        self.keys.iter().find(|field| field.key == key)
    }
}

/// A key.
#[derive(Clone, Copy)]
pub(crate) struct ShapeKey {
    /// Its name.
    pub(crate) key: &'static str,
    /// The type of its value.
    pub(crate) kind: KeyType,
    /// Its gate, if only some versions support it.
    pub(crate) gate: Option<&'static Gate>,
    /// The type of its value in Go, if that does not follow from `kind`.
    pub(crate) go: Option<GoScalar>,
    /// The operator sets it to false for a version that lacks it, rather than to leave it out.
    pub(crate) is_turned_off: bool,
    /// The operator's own type that lacks it, in releases that do not make use of its gate.
    pub(crate) own_type: Option<&'static str>,
    /// Alertmanager refuses it in versions that lack it.
    pub(crate) is_late: bool,
}

impl ShapeKey {
    /// Returns whether a version of Alertmanager knows it.
    pub(crate) fn is_known_to(&self, parser: &Version) -> bool {
        !self.is_late || self.gate.is_none_or(|gate| gate.admits(parser))
    }

    /// The operator's own type that lacks it.
    pub(crate) fn own_type(&self, operator: &Version) -> Option<&'static str> {
        match self.kind {
            KeyType::Upstream(own) => Some(own),
            _ => self
                .own_type
                .filter(|_| self.gate.is_some_and(|gate| !gate.is_used_by(operator))),
        }
    }
}

/// The type of a key's value, and when the key is omitted.
#[derive(Clone, Copy)]
pub(crate) enum KeyType {
    /// A text; not if it is empty.
    Text,
    /// A text, even if it is empty.
    TextAlways,
    /// A text that is set, even if it is empty.
    TextSet,
    /// A URL; not if it is empty.
    Url,
    /// A URL that the operator writes anew, with its password masked.
    GlobalUrl,
    /// Anything plain; null if it is not set.
    Nullable,
    /// A boolean, omitted if it is false.
    Flag,
    /// A boolean, even if it is false.
    FlagAlways,
    /// A key of the operator's own types that Alertmanager does not know: always false.
    OwnFalse,
    /// A key of Alertmanager that the operator's own type, of that name, does not know.
    Upstream(&'static str),
    /// A number; not if it is zero.
    Number,
    /// Anything plain that is set.
    Set,
    /// Texts; not if there are none.
    Texts,
    /// Texts, even if there are none.
    TextsAlways,
    /// Texts by name, sorted.
    Pairs,
    /// Anything, with maps sorted.
    Sorted,
    /// Anything by name, sorted.
    Anything,
    /// Headers of requests, sorted, with the secrets in them masked.
    Masked,
    /// Headers for a proxy, sorted.
    ProxyHeader,
    /// A text, or a part as it is written.
    AsText(&'static Shape),
    /// A part, as it is written.
    Raw(&'static Shape),
    /// A part, even if it is empty.
    One(&'static Shape),
    /// A part; not if it is empty.
    Filled(&'static Shape),
    /// Parts; not if there are none.
    Many(&'static Shape),
    /// The ranges of a time interval.
    Times(&'static Shape),
    /// A list of spans of days, months or years, by the name of its type.
    Spans(&'static str),
    /// A duration that is set.
    Duration,
}

impl KeyType {
    /// The shape of the parts in a value, and the parts: one, or the items of a list.
    pub(crate) fn parts(self, value: &Node) -> Option<(&'static Shape, &[Node])> {
        match self {
            Self::One(shape) | Self::Filled(shape) | Self::Raw(shape) => {
                Some((shape, std::slice::from_ref(value)))
            }
            Self::Many(shape) | Self::Times(shape) => Some((shape, value.items())),
            _ => None,
        }
    }
}

/// The type of a value in Go, with the check that its decoder makes.
#[derive(Clone, Copy)]
pub(crate) enum GoScalar {
    /// A text that Alertmanager keeps secret.
    Secret,
    /// A URL or a template of one.
    TemplateUrl,
    /// A URL of a proxy.
    ProxyUrl,
    /// A host and a port.
    HostPort,
    /// A version of TLS.
    TlsVersion,
    /// A duration of Prometheus.
    PromDuration,
    /// A duration of Go, in a text.
    GoDuration,
    /// A duration of Go, or a number of nanoseconds.
    Nanoseconds,
    /// A number that is not negative.
    Uint64,
    /// A number of 64 bits.
    Int64,
    /// A number.
    Int,
}

/// The checks of a part by Alertmanager while it parses.
pub(crate) enum PartRule {
    /// One of the keys is set; else the message.
    AnyOf(&'static [&'static str], &'static str),
    /// The key, if it is there, has one of the values; else the message.
    Choice(&'static str, &'static [&'static str], &'static str),
    /// The key, if it is not empty, has one of the values; else a message that repeats the value, after these words.
    Options(&'static str, &'static [&'static str], &'static str),
    /// The value of the key is there or in a file, not in both.
    OneSource(&'static str),
    /// So for each key that a file can replace.
    OneSourceEach,
    /// An odd number of the keys is set; else the message.
    ConfusableCharacter(&'static [&'static str], &'static str),
    /// Both keys are set or none; else the message.
    Together(&'static str, &'static str, &'static str),
    /// The first key is set only if the second is; else the message.
    OnlyWith(&'static str, &'static str, &'static str),
    /// Not both flags are true; else the message.
    NotBothTrue(&'static str, &'static str, &'static str),
    /// No key of the first list is set beside one of the second; else the message.
    Apart(
        &'static [&'static str],
        &'static [&'static str],
        &'static str,
    ),
    /// Requests have an `Authorization` header; else the message.
    Authorized(&'static str),
    /// Requests have no `Authorization` header if one of the keys is set; else the message.
    NotAuthorized(&'static [&'static str], &'static str),
    /// Each responder is named, and is of a type that exists.
    ResponderTypes,
    /// Only bots, which have this URL, can change a message.
    BotUpdates(&'static str),
    /// Each header of an email is there once.
    MailHeaders,
    /// Mails are threaded by day or not by date.
    MailThreads,
    /// No custom field has one of these names.
    CustomFields(&'static [&'static str]),
    /// The settings of an HTTP client are sound.
    HttpClient,
    /// The settings of a proxy are sound.
    ProxySettings,
    /// A certificate has a key.
    Certificate,
    /// The conditions of an inhibit rule are sound.
    InhibitRule,
    /// The times of a day are in order.
    Clock,
    /// The labels and times of a route are sound.
    Route,
}
