//! Amazon SNS: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Filled, Part, Plain, Secret};
use crate::receivers::table::conversion::Table;
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since, upstream};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Amazon SNS.
pub(crate) static SNS: ReceiverKind = ReceiverKind {
    list: "sns_configs",
    shape: Shape::item(
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
            since(
                "use_aws_http_client",
                KeyType::Set,
                &gates::AM_SNS_AWS_CLIENT,
            )
            .refused_before(),
        ],
    )
    .checked(&[PartRule::Odd(
        &["target_arn", "topic_arn", "phone_number"],
        "must provide either a Target ARN, Topic ARN, or Phone Number for SNS config",
    )]),
    since: None,
    resource: Some(ReceiverList {
        field: "snsConfigs",
        valid: &[
            ReceiverRule::Targets(
                &["targetARN", "topicARN", "phoneNumber"],
                "must provide one of 'targetARN', 'topicARN', or 'phoneNumber'",
            ),
            ReceiverRule::TemplateSet("apiURL"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::Since("useAWSHTTPClient", &gates::AM_AWS_HTTP_CLIENT),
            ReceiverRead::ClientSince,
            ReceiverRead::AwsKeys,
            ReceiverRead::Client,
        ],
        fields: &[
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
            ("useAWSHTTPClient", "use_aws_http_client", Filled),
        ],
    }),
    demands: &[ReceiverDemand::Url("api_url"), ReceiverDemand::Http],
    global_needs: &[],
};

/// AWS Signature Version 4.
static SIGV4: Shape = Shape::part(
    "sigv4.plain",
    &[
        field("region", KeyType::Text),
        field("access_key", KeyType::Text),
        field("secret_key", KeyType::Text).of(GoScalar::Secret),
        field("profile", KeyType::Text),
        field("role_arn", KeyType::Text),
        since("external_id", KeyType::Text, &gates::AM_SNS_EXTERNAL_ID),
        upstream("service_name", "alertmanager.sigV4Config"),
        upstream("use_fips_sts_endpoint", "alertmanager.sigV4Config"),
    ],
)
.checked(&[
    PartRule::Together(
        "access_key",
        "secret_key",
        "must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config",
    ),
    PartRule::OnlyWith("external_id", "role_arn", "external_id can only be used with role_arn"),
]);

static SIGV4_FIELDS: Table = &[
    ("region", "region", Plain),
    ("accessKey", "access_key", Secret),
    ("secretKey", "secret_key", Secret),
    ("profile", "profile", Plain),
    ("roleArn", "role_arn", Plain),
    ("externalId", "external_id", Plain),
    ("useFIPSSTSEndpoint", "use_fips_sts_endpoint", Plain),
];
