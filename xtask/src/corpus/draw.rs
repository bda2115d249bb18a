//! Values for fields, by what the tables of the types say of them. The same seed draws the same values.

use promgen_text::describe::{
    Bounds, Field, Identity, IntOrStringType, NamedText, ObjectType, Type,
};
use serde_json::{Map, Value, json};

/// Texts to choose from where a field has a pattern, or none. Those that the pattern does not match are passed over.
const TEXTS: &[&str] = &[
    "30s",
    "1m30s",
    "2h",
    "5GB",
    "512MiB",
    "10MiB",
    "http",
    "https",
    "https://example.com/api?x=y",
    "http://proxy.example.com:3128",
    "team",
    "job_name",
    "web",
    "8080",
    "/metrics",
    "a-b",
    "example.com",
    "up",
    "100m",
    "2024-01-01T00:00:00Z",
    "09:00",
    "monday",
    "monday:friday",
    "1:5",
    "january:march",
    "2024:2025",
    "#ff0000",
    "us-east-1",
    "10.0.0.1",
    "A1b2C3",
    "Europe/Berlin",
    "/etc/config/*.yaml",
    "warn",
    "1.5",
    "50%",
    "",
];

/// Names of fields whose texts have a form that no pattern says.
const BY_NAME: &[(&str, &str)] = &[
    ("interval", "30s"),
    ("scrapeinterval", "30s"),
    ("scrapetimeout", "10s"),
    ("timeout", "10s"),
    ("url", "https://example.com/hook"),
    ("endpoint", "https://example.com:9093"),
    ("server", "https://example.com:8500"),
    ("host", "https://example.com"),
    ("path", "/metrics"),
    ("file", "/etc/config/*.yaml"),
    ("replacement", "$1"),
    ("regex", "(.*)-prod"),
    ("targetlabel", "instance"),
    ("separator", ";"),
    ("expr", "sum by (job) (rate(http_requests_total[5m])) > 0"),
    ("selector", "app=web"),
    ("label", "pod"),
    ("key", "a"),
    ("email", "a@example.com"),
    ("to", "a@example.com"),
    ("from", "b@example.com"),
    ("smarthost", "mail.example.com:25"),
    ("image", "example.com/image:v1.2.3"),
    ("size", "5GB"),
    ("scheme", "HTTPS"),
    ("username", "user"),
    ("noproxy", "10.0.0.0/8,example.org"),
    ("externalurl", "https://prometheus.example.com/p"),
    ("routeprefix", "/p"),
];

/// A generator of numbers.
pub(crate) struct Random(u64);

impl Random {
    /// The generator of that seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n.max(1)).unwrap_or(1)).unwrap_or_default()
    }

    /// True `per_mille` times in a thousand.
    pub(crate) fn happens(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// One of some.
    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// How values are drawn.
pub(crate) struct Draw {
    /// The origin of chance.
    pub(crate) random: Random,
    /// How many of a thousand optional fields are set in an object.
    pub(crate) density: usize,
}

impl Draw {
    /// A value for a field.
    pub(crate) fn field(&mut self, field: &Field, depth: usize) -> Value {
        self.value(field.name, (field.of)(), field.bounds(), depth)
    }

    fn value(&mut self, name: &str, of: &'static Type, bounds: &Bounds, depth: usize) -> Value {
        match of {
            Type::Object(object) => Value::Object(self.object(object, depth + 1)),
            Type::Map(of) => json!({ "team": self.value(name, of(), &Bounds::NONE, depth + 1) }),
            Type::List(of) => self.list(name, of(), bounds, depth),
            Type::Text => json!(self.text(name, &NamedText::ANY, bounds)),
            Type::NamedText(text) => json!(self.text(name, text, bounds)),
            // Each is a StatefulSet, or a pod of one.
            Type::Int32 if ["shards", "replicas"].contains(&name) => {
                json!(1 + self.random.below(3))
            }
            Type::Int32 | Type::Int64 => json!(self.number(bounds)),
            Type::Boolean => json!(self.random.happens(500)),
            Type::IntOrString(IntOrStringType { pattern: None, .. }) => self
                .random
                .one(&[json!(8080), json!("50%"), json!("web")])
                .clone(),
            Type::IntOrString(text) => {
                json!(self.text(
                    name,
                    &NamedText {
                        pattern: text.pattern,
                        ..NamedText::ANY
                    },
                    bounds
                ))
            }
            Type::Any(_) => json!({}),
        }
    }

    fn list(&mut self, name: &str, of: &'static Type, bounds: &Bounds, depth: usize) -> Value {
        let items = bounds.items.unwrap_or(&Bounds::NONE);
        let singular = name.strip_suffix('s').unwrap_or(name);
        let mut list = vec![self.value(singular, of, items, depth)];
        if bounds.identity == Identity::None && self.random.happens(200) {
            list.push(self.value(singular, of, items, depth));
        }
        Value::Array(list)
    }

    fn number(&mut self, bounds: &Bounds) -> i64 {
        let (least, most) = (
            bounds.min.unwrap_or(0),
            bounds.max.unwrap_or(i64::from(i32::MAX)),
        );
        let fits: Vec<i64> = [0, 1, 2, 5, 30, 100, 8080]
            .into_iter()
            .filter(|n| (least..=most).contains(n))
            .collect();
        if fits.is_empty() {
            least
        } else {
            *self.random.one(&fits)
        }
    }

    fn text(&mut self, name: &str, text: &NamedText, bounds: &Bounds) -> String {
        if !text.values.is_empty() {
            return (*self.random.one(text.values)).to_owned();
        }
        if text.is_time {
            return "2024-01-01T00:00:00Z".to_owned();
        }
        let fits = |value: &&str| {
            let patterns = text.pattern.into_iter().chain(bounds.pattern);
            patterns.into_iter().all(|pattern| pattern.matches(value))
        };
        let name = name.to_lowercase();
        let by_name = BY_NAME.iter().find(|(suffix, _)| name == *suffix);
        let by_suffix = BY_NAME
            .iter()
            .find(|(suffix, _)| suffix.len() > 2 && name.ends_with(suffix));
        if let Some((_, value)) = by_name.or(by_suffix).filter(|(_, value)| fits(value)) {
            return (*value).to_owned();
        }
        let candidates: Vec<&str> = TEXTS.iter().copied().filter(fits).collect();
        if text.pattern.is_none() && bounds.pattern.is_none() {
            return name;
        }
        if candidates.is_empty() {
            name
        } else {
            (*self.random.one(&candidates)).to_owned()
        }
    }

    /// An object: what it must have, and some of the rest.
    pub(crate) fn object(&mut self, object: &ObjectType, depth: usize) -> Map<String, Value> {
        if let Some(selector) = self.selector(object.name) {
            return selector;
        }
        let mut fields = Vec::new();
        object.each(&mut |field| fields.push(field));
        let mut out = Map::new();
        for field in fields {
            // What is deep has few fields, so that values stay small.
            if field.is_required || (depth < 6 && self.random.happens(self.density / depth.max(1)))
            {
                out.insert(field.name.to_owned(), self.field(field, depth));
            }
        }
        out
    }

    /// References to what every case has, and now and then to what is missing.
    fn selector(&mut self, name: &str) -> Option<Map<String, Value>> {
        let selected = match name {
            "SecretKeySelector" | "ConfigMapKeySelector" => {
                let object = if self.random.happens(40) { "missing" } else { "creds" };
                json!({ "name": object, "key": self.random.one(&["a", "b"]) })
            }
            "SecretOrConfigMap" => {
                let kind = *self.random.one(&["secret", "configMap"]);
                json!({ kind: { "name": "creds", "key": "pem" } })
            }
            "LabelSelector" => self
                .random
                .one(&[
                    json!({}),
                    json!({ "matchLabels": { "team": "x" } }),
                    json!({ "matchExpressions": [{ "key": "tier", "operator": "NotIn", "values": ["b"] }] }),
                    json!({ "matchExpressions": [{ "key": "tier", "operator": "Exists" }] }),
                ])
                .clone(),
            _ => return None,
        };
        selected.as_object().cloned()
    }
}
