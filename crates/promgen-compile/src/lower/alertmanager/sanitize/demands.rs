//! The operator's requirements of each receiver, in its order.

use promgen_resources::gates::Gate;

/// A requirement of a receiver.
pub(in crate::lower::alertmanager) enum ReceiverDemand {
    /// The version supports such receivers; else the operator's message.
    Since(&'static Gate, &'static str),
    /// At least one of the keys is set; else the operator's message.
    OneOf(&'static [&'static str], &'static str),
    /// At least one of the keys is set, in the receiver or in the global settings; else the operator's message.
    OneOfOrGlobal(&'static [&'static str], &'static [&'static str], &'static str),
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
