//! What `--version` prints.

use std::sync::LazyLock;

use promgen_resources::release::{self, RELEASES, Release};

/// The output of `--version`: the release of the operator, and its default versions.
pub(super) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let Release {
        operator,
        prometheus,
        alertmanager,
        thanos,
        date,
        ..
    } = *release::CURRENT;
    let (
        Release {
            operator: first,
            date: from,
            ..
        },
        Release {
            operator: newest,
            date: to,
            ..
        },
    ) = (&RELEASES[0], *release::NEWEST);
    let reloader_image = release::CURRENT.reloader_image();
    let [prometheus_image, alertmanager_image, thanos_image] = [
        *release::PROMETHEUS_IMAGE,
        *release::ALERTMANAGER_IMAGE,
        *release::THANOS_IMAGE,
    ];
    format!(
        "{}\n\nOutput of prometheus-operator {operator}. Defaults for resources without a version or image:\n  \
         Prometheus    {prometheus_image}:{prometheus}\n  \
         Alertmanager  {alertmanager_image}:{alertmanager}\n  \
         Thanos        {thanos_image}:{thanos}\n  \
         reloader      {reloader_image}\n\n\
         Facts of prometheus-operator {first} ({from}) to {newest} ({to}); answers are recorded up to {operator} ({date}).",
        env!("CARGO_PKG_VERSION"),
    )
});
