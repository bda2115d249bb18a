//! The `tracing` section.

use crate::lower::Scope;
use crate::lower::prometheus::scrape::limits::float;
use crate::lower::prometheus::sections::TRACING;
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::SectionEntry;
use crate::select::admit::{Refusal, Refuse, tls};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::api::servers::settings::TracingConfig;
use promgen_resources::gates::Versions;
use promgen_resources::http_config::{Client, Tls};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The section `tracing`, if Prometheus traces itself.
///
/// # Errors
/// Settings that the operator refuses. Operator: `TracingConfig.Validate`.
pub fn tracing(scope: &mut Scope<'_>) -> Result<Option<Map>, Refusal> {
    let Some(tracing) = &scope.cx.common.tracing_config else {
        return Ok(None);
    };
    let path = SPEC.key("tracingConfig");
    check(scope.cx.versions, &path, tracing)?;
    let client = Client {
        tls_config: tracing.tls_config.as_ref().map(Tls::from),
        ..Client::default()
    };
    Ok(Some(write::section(
        scope,
        &path,
        &SectionEntry::new(tracing, client),
        TRACING,
    )))
}

fn check(versions: &Versions, path: &Path<'_>, tracing: &TracingConfig) -> Result<(), Refusal> {
    if let Some(settings) = &tracing.tls_config {
        tls::valid(versions, &path.key("tlsConfig"), &Tls::from(settings))?;
    }
    let is_share = |q: &Quantity| (0.0..=1.0).contains(&float(q));
    if tracing
        .sampling_fraction
        .as_ref()
        .is_some_and(|q| !is_share(q))
    {
        let message = "`samplingFraction` must be between 0 and 1";
        return path.key("samplingFraction").refuse(message);
    }
    Ok(())
}
