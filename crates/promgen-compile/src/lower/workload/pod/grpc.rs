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
        args.filled(
            "grpc-server-tls-min-version",
            tls.min_version.map(tls_version),
        );
    }
    if versions.has(&gates::THANOS_TLS_CIPHERS) {
        let is_repeated = versions.has(&gates::REPEATED_TLS_CIPHERS);
        values(
            args,
            "grpc-server-tls-ciphers",
            tls.cipher_suites.as_deref(),
            is_repeated,
        );
        values(
            args,
            "grpc-server-tls-curves",
            tls.curves.as_deref(),
            is_repeated,
        );
    }
}

/// Adds a list: an argument for each value, or one with all of them.
fn values(args: &mut Args, name: &str, values: Option<&[String]>, is_repeated: bool) {
    let values = values.unwrap_or_default();
    if is_repeated {
        values.iter().for_each(|value| args.value(name, value));
    } else {
        args.filled(name, Some(&values.join(",")));
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
