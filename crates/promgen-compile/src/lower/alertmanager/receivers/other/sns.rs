//! Amazon SNS: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Part, Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, Url};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Shape, field, since, upstream};
use promgen_resources::gates;

/// Amazon SNS.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.SNSConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Text),
        field("sigv4", KeyType::Filled(&SIGV4)),
        field("topic_arn", KeyType::Text),
        field("phone_number", KeyType::Text),
        field("target_arn", KeyType::Text),
        field("subject", KeyType::Text),
        field("message", KeyType::Text),
        field("attributes", KeyType::Pairs),
        since("use_aws_http_client", KeyType::Set, &gates::AM_SNS_AWS_CLIENT),
    ],
);

/// AWS Signature Version 4.
pub(in crate::lower::alertmanager) static SIGV4: Shape = Shape::part(
    "sigv4.plain",
    &[
        field("region", KeyType::Text),
        field("access_key", KeyType::Text),
        field("secret_key", KeyType::Text),
        field("profile", KeyType::Text),
        field("role_arn", KeyType::Text),
        since("external_id", KeyType::Text, &gates::AM_SNS_EXTERNAL_ID),
        upstream("service_name", "alertmanager.sigV4Config"),
        upstream("use_fips_sts_endpoint", "alertmanager.sigV4Config"),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("sigv4", "sigv4", Part(SIGV4_FIELDS)),
    ("topicARN", "topic_arn", Plain),
    ("phoneNumber", "phone_number", Plain),
    ("targetARN", "target_arn", Plain),
    ("subject", "subject", Plain),
    ("message", "message", Plain),
    ("attributes", "attributes", Plain),
    ("useAWSHTTPClient", "use_aws_http_client", Plain),
];

static SIGV4_FIELDS: Table = &[
    ("region", "region", Plain),
    ("accessKey", "access_key", Secret),
    ("secretKey", "secret_key", Secret),
    ("profile", "profile", Plain),
    ("roleArn", "role_arn", Plain),
    ("externalId", "external_id", Plain),
    ("useFIPSSTSEndpoint", "use_fips_sts_endpoint", Plain),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[Url("api_url"), Http];
