//! The `tracing` section.

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, Tls, sorted, text};
use crate::lower::prometheus::scrape::limits::float;
use crate::select::admit::{Refusal, tls};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::api::servers::settings::TracingConfig;
use promgen_resources::gates::Versions;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The section `tracing`, if Prometheus traces itself.
///
/// # Errors
/// Settings that the operator refuses. Operator: `TracingConfig.Validate`.
pub fn tracing(scope: &mut Scope<'_>) -> Result<Option<Map>, Refusal> {
    let Some(tracing) = &scope.cx.common.tracing_config else { return Ok(None) };
    let root = Path::root();
    let spec = root.key("spec");
    let path = spec.key("tracingConfig");
    check(scope.cx.versions, &path, tracing)?;
    let mut out = Map::new().with("endpoint", text(&tracing.endpoint));
    out.push_some("client_type", tracing.client_type.as_ref().map(|t| t.as_str().to_lowercase()));
    out.push_some("sampling_fraction", tracing.sampling_fraction.as_ref().map(float));
    out.push_some("insecure", tracing.insecure);
    // The operator writes them in the random order of a Go map; ours is always the same.
    out.push_some("headers", tracing.headers.as_ref().filter(|h| !h.is_empty()).map(sorted));
    out.push_some("compression", tracing.compression.as_ref().map(|c| c.as_str().to_lowercase()));
    out.push_some("timeout", tracing.timeout.as_ref().map(|t| text(t.as_str())));
    http::tls(&mut out, scope, &path, tracing.tls_config.as_ref().map(Tls::from));
    Ok(Some(out))
}

fn check(versions: &Versions, path: &Path<'_>, tracing: &TracingConfig) -> Result<(), Refusal> {
    if let Some(settings) = &tracing.tls_config {
        tls::valid(versions, &path.key("tlsConfig"), &Tls::from(settings))?;
    }
    let is_share = |q: &Quantity| (0.0..=1.0).contains(&float(q));
    if tracing.sampling_fraction.as_ref().is_some_and(|q| !is_share(q)) {
        let message = "`samplingFraction` must be between 0 and 1";
        return Err(Refusal::new(&path.key("samplingFraction"), message));
    }
    Ok(())
}
