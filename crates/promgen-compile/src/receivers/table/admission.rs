//! The checks of a receiver by the operator before it accepts an AlertmanagerConfig.
//!
//! A rule looks at the resource alone; a read looks at the version and reads the Secrets.

use promgen_resources::gates::Gate;

/// A check of an item.
pub(crate) enum ReceiverRule {
    /// One of the fields is set, even to an empty text; else the message.
    OneOf(&'static [&'static str], &'static str),
    /// A text is not empty, or a selector is set: one of the fields; else the message.
    Recipient(&'static [&'static str], &'static str),
    /// Not both fields are set, even to an empty text; else the message.
    NotBoth(&'static str, &'static str, &'static str),
    /// Not both flags are true; else the message.
    Exclusive(&'static str, &'static str, &'static str),
    /// A number is not zero; else the message.
    Number(&'static str, &'static str),
    /// An odd number of the texts is not empty; else the message.
    Targets(&'static [&'static str], &'static str),
    /// Each item of the list has a text in one of the fields; else the message.
    Named(&'static str, &'static [&'static str], &'static str),
    /// A URL, whose refusal repeats it.
    Plain(&'static str),
    /// A URL or a template of one, whose refusal does not repeat it.
    Template(&'static str),
    /// The same, but an empty text is none.
    TemplateSet(&'static str),
    /// A URL or a template of one, in each item of a list.
    Templates(&'static str, &'static str),
    /// A host and a port.
    Smarthost(&'static str),
    /// Each header once.
    Headers,
    /// No custom field has one of these names.
    NotReserved(&'static [&'static str]),
    /// `httpConfig` makes sense.
    ClientValid,
}

/// A read of an item: of the version or of a Secret.
pub(crate) enum ReceiverRead {
    /// `httpConfig` has nothing that the version lacks.
    ClientSince,
    /// The version has the field, if it is set.
    Since(&'static str, &'static Gate),
    /// The version has the responders.
    Responders,
    /// The key of a Secret.
    Secret(SecretRead),
    /// Only bots, which have this URL, can change a message.
    BotUrl(&'static str),
    /// The certificates of an email.
    Certificates,
    /// The keys of AWS.
    AwsKeys,
    /// The Secrets of `httpConfig`.
    Client,
}

/// What a URL in a Secret may be.
#[derive(Clone, Copy)]
pub(crate) enum UrlForm {
    /// A URL.
    Plain,
    /// A URL, or a template of one.
    Template,
}

/// The way a key of a Secret is read.
pub(crate) struct SecretRead {
    /// The field with the selector.
    pub(crate) field: &'static str,
    /// The prefix of the message about a key that is not there; empty for none.
    pub(crate) missing: &'static str,
    /// The form of the URL that it holds, and the prefix of the message about another. `None` for a value that need not
    /// be a URL.
    pub(crate) url: Option<(UrlForm, &'static str)>,
    /// There must be a value.
    pub(crate) is_mandatory: bool,
}

impl SecretRead {
    const fn new(field: &'static str) -> Self {
        Self {
            field,
            missing: "",
            url: None,
            is_mandatory: false,
        }
    }
}

impl ReceiverRead {
    /// The key of a Secret.
    pub(crate) const fn secret(field: &'static str) -> Self {
        Self::Secret(SecretRead::new(field))
    }

    /// The key of a Secret, with a prefix of the message about one that is not there.
    pub(crate) const fn prefixed(field: &'static str, missing: &'static str) -> Self {
        Self::Secret(SecretRead {
            missing,
            ..SecretRead::new(field)
        })
    }

    /// The key of a Secret, which must have a value.
    pub(crate) const fn mandatory(field: &'static str) -> Self {
        Self::Secret(SecretRead {
            is_mandatory: true,
            ..SecretRead::new(field)
        })
    }

    /// The key of a Secret with a URL: its form, and the prefixes of the messages about a key that is not there and about
    /// a value of another form.
    pub(crate) const fn url(
        field: &'static str,
        form: UrlForm,
        missing: &'static str,
        invalid: &'static str,
    ) -> Self {
        Self::Secret(SecretRead {
            missing,
            url: Some((form, invalid)),
            ..SecretRead::new(field)
        })
    }
}
