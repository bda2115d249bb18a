//! The sections of the configuration: rows of fields, which stand in `facts/sections.txt`.

use crate::lower::prometheus::scrape::limits;
use crate::lower::prometheus::{alerting, global, http, remote_write};
use crate::section::{
    Gated, SectionField, WriteWhen, computed, filled, lower, nonzero, part, plain, secret, section,
    to,
};
use promgen_resources::gates;
use promgen_resources::http_config::ClientPart;

include!(concat!(env!("OUT_DIR"), "/sections.rs"));
