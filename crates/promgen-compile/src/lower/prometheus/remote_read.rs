//! The `remote_read` section.

use crate::lower::Scope;
use crate::lower::prometheus::sections::REMOTE_READ;
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::SectionEntry;
use promgen_resources::api::servers::remote::RemoteReadSpec;
use promgen_resources::http_config::Client;
use promgen_text::yaml::{Map, Value};

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
