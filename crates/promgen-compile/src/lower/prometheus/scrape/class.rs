//! Scrape classes: settings that many monitors share.

use crate::lower::prometheus::http::{self, Auth, Tls, filled};
use crate::lower::prometheus::scrape::limits;
use crate::lower::prometheus::scrape::relabel::{self, RelabelBuilder};
use crate::lower::{Scope, WorkloadContext};
use crate::paths::SPEC;
use promgen_prometheus::config::{self, RelabelRules};
use promgen_resources::api::auth::{SafeAuthorization, SafeTlsConfig};
use promgen_resources::api::scraping::scrape::{
    AttachMetadata, RelabelConfig, ScrapeClass, ScrapeProtocol,
};
use promgen_text::route::{Path, ValueRoute};
use promgen_text::yaml::Map;

/// The class of a monitor: the one that it names, else the workload's default, else none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Class<'a> {
    class: Option<&'a ScrapeClass>,
    /// Its number among the workload's.
    index: usize,
}

/// The class of a monitor. An unknown name is refused at selection, so it does not occur here.
pub fn of<'a>(cx: &WorkloadContext<'a>, name: Option<&str>) -> Class<'a> {
    let mut classes = cx.common.scrape_classes.iter().flatten().enumerate();
    let found = match filled(name) {
        Some(name) => classes.find(|(_, c)| c.name == name),
        None => classes.find(|(_, c)| c.default.unwrap_or(false)),
    };
    found
        .map(|(index, class)| Class {
            class: Some(class),
            index,
        })
        .unwrap_or_default()
}

/// Metadata that a monitor attaches.
#[derive(Clone, Copy, Debug)]
pub struct Attach<'a> {
    /// The settings.
    pub settings: &'a AttachMetadata,
    /// The index of the class that has the settings, if the monitor does not.
    pub class: Option<usize>,
}

/// A monitor's own authorization. An empty one counts as none.
fn own_authorization(own: Option<&SafeAuthorization>) -> Option<Auth<'_>> {
    own.map(Auth::from)
        .filter(|auth| filled(auth.kind).is_some() || auth.credentials.is_some())
}

impl<'a> Class<'a> {
    /// Writes `tls_config` of settings that name no files, of which empty ones count as none. `path` is where the monitor
    /// has its settings.
    pub(crate) fn write_safe_tls(
        self,
        out: &mut Map,
        scope: &mut Scope<'_>,
        path: &Path<'_>,
        own: Option<&'a SafeTlsConfig>,
    ) {
        self.write_tls(
            out,
            scope,
            path,
            own.map(Tls::from).filter(|tls| *tls != Tls::default()),
        );
    }

    /// Writes `tls_config`. `path` is where the monitor has its settings.
    pub(crate) fn write_tls(
        self,
        out: &mut Map,
        scope: &mut Scope<'_>,
        path: &Path<'_>,
        own: Option<Tls<'a>>,
    ) {
        let tls = self.tls(own);
        self.at_origin(scope, path, own.is_some(), |scope, path| {
            http::tls(out, scope, path, tls)
        });
    }

    /// Writes `authorization`. `path` is where the monitor has its settings.
    pub(crate) fn write_authorization(
        self,
        out: &mut Map,
        scope: &mut Scope<'_>,
        path: &Path<'_>,
        own: Option<&'a SafeAuthorization>,
    ) {
        let authorization = self.authorization(own);
        self.at_origin(
            scope,
            path,
            own_authorization(own).is_some(),
            |scope, path| {
                http::authorization(out, scope, path, authorization);
            },
        );
    }

    /// Writes `fallback_scrape_protocol`: the monitor's, or the class's. `path` is where the monitor has its settings.
    pub(crate) fn write_fallback_protocol(
        self,
        out: &mut Map,
        scope: &mut Scope<'_>,
        path: &Path<'_>,
        own: Option<ScrapeProtocol>,
    ) {
        let protocol = own.or_else(|| self.class.and_then(|c| c.fallback_scrape_protocol));
        self.at_origin(scope, path, own.is_some(), |scope, path| {
            limits::fallback_protocol(out, scope, path, protocol);
        });
    }

    /// Calls `write` with the scope and the path of the settings, the monitor's or else those of the class in the
    /// workload, so that findings have the right place.
    fn at_origin(
        self,
        scope: &mut Scope<'_>,
        path: &Path<'_>,
        is_own: bool,
        write: impl FnOnce(&mut Scope<'_>, &Path<'_>),
    ) {
        if is_own {
            return write(scope, path);
        }
        let classes = SPEC.key("scrapeClasses");
        write(&mut scope.of_workload(), &classes.index(self.index));
    }

    /// The monitor's TLS settings, completed by the class's files for those that the monitor leaves out.
    fn tls(self, own: Option<Tls<'a>>) -> Option<Tls<'a>> {
        let class = self
            .class
            .and_then(|c| c.tls_config.as_ref())
            .map(Tls::from);
        match (own, class) {
            (Some(mut own), Some(class)) => {
                // Only files are completed, each for itself; all other settings of the class are ignored.
                if own.ca.is_none() && filled(own.ca_file).is_none() {
                    own.ca_file = class.ca_file;
                }
                if own.cert.is_none() && filled(own.cert_file).is_none() {
                    own.cert_file = class.cert_file;
                }
                if own.key.is_none() && filled(own.key_file).is_none() {
                    own.key_file = class.key_file;
                }
                Some(own)
            }
            (own, class) => own.or(class),
        }
    }

    /// The monitor's authorization, completed by the class's: its credentials, or its file if it has none. An empty one
    /// counts as none. Operator: `mergeSafeAuthorizationWithScrapeClass`.
    pub fn authorization(self, own: Option<&'a SafeAuthorization>) -> Option<Auth<'a>> {
        let own = own_authorization(own);
        let class = self
            .class
            .and_then(|c| c.authorization.as_ref())
            .map(Auth::from);
        match (own, class) {
            (Some(own), Some(class)) if own.credentials.is_none() => {
                // Credentials in a Secret win over a file: Prometheus refuses both at once.
                let credentials_file = class
                    .credentials_file
                    .filter(|_| class.credentials.is_none());
                Some(Auth {
                    credentials: class.credentials,
                    credentials_file,
                    ..own
                })
            }
            (own, class) => own.or(class),
        }
    }

    /// The place of the authorization in the workload, if it is the class's.
    pub(crate) fn place_of_authorization(
        self,
        own: Option<&SafeAuthorization>,
    ) -> Option<ValueRoute> {
        let of_class = own_authorization(own).is_none()
            && self.class.is_some_and(|c| c.authorization.is_some());
        of_class.then(|| {
            ValueRoute::root()
                .key("spec")
                .key("scrapeClasses")
                .index(self.index)
                .key("authorization")
        })
    }

    /// The monitor's setting, or the class's.
    pub fn attach_metadata(self, own: Option<&'a AttachMetadata>) -> Option<Attach<'a>> {
        let of_class = || {
            let settings = self.class.and_then(|c| c.attach_metadata.as_ref())?;
            Some(Attach {
                settings,
                class: Some(self.index),
            })
        };
        own.map(|settings| Attach {
            settings,
            class: None,
        })
        .or_else(of_class)
    }

    /// Adds the class's relabel rules.
    pub fn relabel(self, rules: &mut RelabelBuilder, cx: &WorkloadContext<'_>) {
        let (spec, relabelings) = (SPEC, self.class.and_then(|c| c.relabelings.as_ref()));
        let classes = spec.key("scrapeClasses");
        let class = classes.index(self.index);
        let path = class.key("relabelings");
        for (index, rule) in config::users(relabelings).enumerate() {
            rules.push_of_workload(cx, &path.index(index), rule);
        }
    }

    /// `metric_relabel_configs`, if there are any: the class's, the user's, the enforced namespace. `resource` and
    /// `name` identify the monitor.
    pub fn metric_relabelings(
        self,
        out: &mut Map,
        scope: &Scope<'_>,
        resource: &str,
        name: &str,
        own: Option<&Vec<RelabelConfig>>,
    ) {
        let mut rules: RelabelRules =
            config::users(self.class.and_then(|c| c.metric_relabelings.as_ref()))
                .chain(config::users(own))
                .collect();
        rules.extend(relabel::enforced_namespace(
            scope.cx,
            resource,
            scope.namespace,
            name,
        ));
        if !rules.is_empty() {
            out.push("metric_relabel_configs", relabel::value(rules));
        }
    }
}
