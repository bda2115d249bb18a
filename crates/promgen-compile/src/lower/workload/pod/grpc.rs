//! The gRPC server of Thanos.

use crate::lower::workload::pod::args::Args;
use promgen_resources::api::auth::TlsVersion;
use promgen_resources::api::servers::thanos::GrpcServerTlsConfig;
use promgen_resources::gates::{self, Versions};

/// Adds the arguments for its TLS.
pub(crate) fn tls(versions: &Versions, tls: &GrpcServerTlsConfig, args: &mut Args) {
    args.filled("grpc-server-tls-cert", tls.cert_file.as_deref());
    args.filled("grpc-server-tls-key", tls.key_file.as_deref());
    args.filled("grpc-server-tls-client-ca", tls.ca_file.as_deref());
    if versions.has(&gates::THANOS_TLS_MIN_VERSION) {
        args.filled("grpc-server-tls-min-version", tls.min_version.map(tls_version));
    }
    if versions.has(&gates::THANOS_TLS_CIPHERS) {
        let list = |items: &Option<Vec<String>>| items.as_deref().unwrap_or_default().join(",");
        args.filled("grpc-server-tls-ciphers", Some(&list(&tls.cipher_suites)));
        args.filled("grpc-server-tls-curves", Some(&list(&tls.curves)));
    }
}

/// The version as Thanos writes it.
const fn tls_version(version: TlsVersion) -> &'static str {
    match version {
        TlsVersion::Tls10 => "1.0",
        TlsVersion::Tls11 => "1.1",
        TlsVersion::Tls12 => "1.2",
        TlsVersion::Tls13 => "1.3",
    }
}
