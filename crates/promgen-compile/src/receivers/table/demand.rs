//! The requirements of the operator and Alertmanager on a receiver in a configuration.

use promgen_resources::gates::Gate;

/// A requirement of the operator, beside the version of the kind.
pub(crate) enum ReceiverDemand {
    /// At least one of the keys is set; else the operator's message.
    OneOf(&'static [&'static str], &'static str),
    /// Of two keys the first one counts.
    Prefer(&'static str, &'static str),
    /// At most one of two keys is set; else the operator's message.
    NotBoth(&'static str, &'static str, &'static str),
    /// The key holds a URL.
    PlainUrl(&'static str),
    /// The key holds a URL, or a template of one.
    Url(&'static str),
    /// The keys of each item of a list hold URLs, or templates of them.
    Urls(&'static str, &'static [&'static str]),
    /// The requirements, in releases of the operator with the gate.
    Since(&'static Gate, &'static [Self]),
    /// The requirements, in versions without the gate.
    Before(&'static Gate, &'static [Self]),
    /// The settings of HTTP are sound.
    Http,
    /// The values of a map are texts, in versions that know nothing else; else the operator's message.
    Texts(&'static str, &'static Gate, &'static str),
    /// No responder is a group of teams, in versions that know none.
    Responders,
    /// Mails are threaded by day or not by date.
    Threading,
    /// There is one way to authenticate with incident.io.
    Token,
}

/// A requirement of Alertmanager: a receiver's own keys, the global keys that replace them, and the message if both are
/// missing.
pub(crate) struct GlobalNeed {
    /// The keys of the receiver.
    pub(crate) own: &'static [&'static str],
    /// The keys of the global settings.
    pub(crate) global: &'static [&'static str],
    /// Alertmanager's message.
    pub(crate) message: &'static str,
    /// An empty text is one. That of a file never is.
    pub(crate) takes_empty: bool,
}

/// A check of a global setting by the operator, in its order. A field is one of the settings, or one of a part of them.
pub(crate) enum GlobalCheck {
    /// The version has the field, if it is set; else the words of the message.
    Since(&'static str, &'static Gate, &'static str),
    /// The Secret's key that the field names is there; else the prefix of the message, empty for none.
    Secret(&'static str, &'static str),
    /// It holds a URL; else the prefix of the message.
    Url(&'static str, &'static str),
    /// It holds a URL, as a receiver's has to be; else the prefix of the message.
    Hook(&'static str, &'static str),
}
