//! Resources of the operator and of Kubernetes: their types, schemas and places, and what each version has.

pub mod api;
pub mod arguments;
pub mod document;
pub mod facts;
pub mod gates;
pub mod http_config;
pub mod locate;
pub mod observed_status;
pub mod release;
pub mod rendered;
pub mod schema;
pub mod secrecy;
pub mod unknown;
pub mod watch;
