//! The `remote_read` section.

use crate::lower::Scope;
use crate::lower::prometheus::http::{BEARER_TOKEN, BEARER_TOKEN_FILE, FOLLOW_REDIRECTS};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::{SectionEntry, SectionField, filled, nonzero, parts, plain, to};
use promgen_resources::api::servers::remote::RemoteReadSpec;
use promgen_resources::gates;
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::yaml::{Map, Value};

/// The fields of an item.
#[rustfmt::skip]
pub(super) static REMOTE_READ: &[SectionField] = &[
    plain("url", "url"), plain("remoteTimeout", "remote_timeout"),
    to("headers", "headers", filled).needs(&gates::REMOTE_READ_HEADERS),
    to("name", "name", filled).needs(&gates::REMOTE_NAME), to("requiredMatchers", "required_matchers", filled),
    // The operator leaves out `false`, which is Prometheus' default.
    to("readRecent", "read_recent", nonzero),
    parts(&[ClientPart::BasicAuth]), BEARER_TOKEN, BEARER_TOKEN_FILE,
    parts(&[ClientPart::OAuth2, ClientPart::Tls, ClientPart::Authorization, ClientPart::Proxy]), FOLLOW_REDIRECTS,
    plain("filterExternalLabels", "filter_external_labels").needs(&gates::FILTER_EXTERNAL_LABELS),
];

/// The section `remote_read`, if the server reads samples from anywhere.
pub fn remote_read(scope: &mut Scope<'_>) -> Option<Value> {
    let specs = scope
        .cx
        .server?
        .remote_read
        .as_ref()
        .filter(|s| !s.is_empty())?;
    let list = SPEC.key("remoteRead");
    let item = |(i, spec): (usize, &RemoteReadSpec)| {
        write::section(
            scope,
            &list.index(i),
            &SectionEntry::new(spec, Client::from(spec)),
            REMOTE_READ,
        )
    };
    Some(
        specs
            .iter()
            .enumerate()
            .map(item)
            .collect::<Vec<Map>>()
            .into(),
    )
}
