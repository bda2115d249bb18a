//! Amazon SNS: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Amazon SNS.
pub(crate) static SNS: ReceiverKind = ReceiverKind {
    list: "sns_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.SNSConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            text("api_url"),
            field("sigv4", KeyType::Filled(&SIGV4)),
            text("topic_arn"),
            text("phone_number"),
            text("target_arn"),
            text("subject"),
            text("message"),
            pairs("attributes"),
            set("use_aws_http_client")
                .since(&gates::AM_SNS_AWS_CLIENT)
                .refused_before(),
        ],
    )
    .checked(&[PartRule::ConfusableCharacter(
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
        fields: Table::new(
            SnsConfig::describe,
            &[
                HTTP_CONFIG,
                ("sigv4", "sigv4", Part(SIGV4_FIELDS)),
                ("useAWSHTTPClient", "use_aws_http_client", Filled),
            ],
        ),
    }),
    demands: &[ReceiverDemand::Url("api_url"), ReceiverDemand::Http],
    global_needs: &[],
};

/// AWS Signature Version 4.
static SIGV4: Shape = Shape::part(
    "sigv4.plain",
    &[
        text("region"),
        text("access_key"),
        secret("secret_key"),
        text("profile"),
        text("role_arn"),
        text("external_id").since(&gates::AM_SNS_EXTERNAL_ID),
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

const SIGV4_FIELDS: Table = Table::new(
    Sigv4::describe,
    &[("useFIPSSTSEndpoint", "use_fips_sts_endpoint", Plain)],
);
