//! How fields of a resource become keys of a configuration.
//!
//! Each row has a field of the resource, its key, and the conversion of its value. The shape of the configuration defines
//! the order of the keys and which empty values are omitted.

use promgen_resources::gates::Gate;

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    /// As it is.
    Plain,
    /// As it is; releases of the operator without the gate lose it.
    Since(&'static Gate),
    /// As it is; an empty text and `false` are left out.
    Filled,
    /// The value of the Secret's key.
    Secret,
    /// The URL that the key of a Secret holds.
    SecretUrl,
    /// A list of names and values, as a map.
    Pairs,
    /// An object.
    Part(Table),
    /// A list of objects.
    Parts(Table),
    /// An object whose fields become keys of the surrounding object.
    Flat(Table),
    /// TLS settings, whose certificates are files.
    Tls,
    /// An `Authorization` header.
    Authorization,
    /// A client of OAuth2: the key of a Secret or of a ConfigMap.
    ClientId,
    /// Headers whose values are keys of Secrets.
    Headers,
    /// A host and a port, in fields.
    HostPort,
    /// A host and a port, in a text.
    Smarthost,
    /// A duration, which is written anew.
    GoDuration,
    /// The threading of emails.
    Threading,
}

/// A field, its key, and the conversion.
pub(crate) type ReceiverFieldRow = (&'static str, &'static str, Conversion);

/// The fields of an object.
pub(crate) type Table = &'static [ReceiverFieldRow];
