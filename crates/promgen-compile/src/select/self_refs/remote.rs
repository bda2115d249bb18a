//! Checks `remoteRead` and `remoteWrite`.

use crate::select::admit::{Admission, Check, InField, ReferenceReader, http, sigv4};
use crate::select::self_refs::{at_most_one, azure};
use promgen_resources::api::servers::remote::{RemoteReadSpec, RemoteWriteSpec};
use promgen_resources::gates::Versions;
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::route::Path;

/// Operator: `AddRemoteReadsToStore`.
pub(super) fn reads(cx: &mut Admission<'_>, list: &Path<'_>) -> Check {
    let reads = cx.cx.server.and_then(|s| s.remote_read.as_ref());
    for (index, spec) in reads.into_iter().flatten().enumerate() {
        read(cx, &list.index(index), spec).within(&format!("remoteRead[{index}]"))?;
    }
    Ok(())
}

fn read(cx: &mut Admission<'_>, path: &Path<'_>, read: &RemoteReadSpec) -> Check {
    let parts = [
        ClientPart::BasicAuth,
        ClientPart::OAuth2,
        ClientPart::Tls,
        ClientPart::Authorization,
        ClientPart::Proxy,
    ];
    http::client(cx, path, &Client::from(read), &parts)
}

/// Operator: `AddRemoteWriteToStore`.
///
/// # Errors
/// Settings that do not go together, or a reference that leads nowhere, in the operator's words.
pub(crate) fn writes(
    cx: &mut ReferenceReader<'_>,
    list: &Path<'_>,
    specs: Option<&[RemoteWriteSpec]>,
    versions: &Versions,
) -> Check {
    for (index, spec) in specs.into_iter().flatten().enumerate() {
        write(cx, &list.index(index), spec, versions).within(&format!("remoteWrite[{index}]"))?;
    }
    Ok(())
}

fn write(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    write: &RemoteWriteSpec,
    versions: &Versions,
) -> Check {
    at_most_one(
        path,
        &[
            ("basicAuth", write.basic_auth.is_some()),
            ("oauth2", write.oauth2.is_some()),
            ("authorization", write.authorization.is_some()),
            ("sigv4", write.sigv4.is_some()),
            ("azureAd", write.azure_ad.is_some()),
        ],
    )?;
    if let Some(azure) = &write.azure_ad {
        azure::valid(versions, &path.key("azureAd"), azure)?;
    }
    http::proxy_valid(path, &write.proxy)?;
    let parts = [
        ClientPart::BasicAuth,
        ClientPart::OAuth2,
        ClientPart::Tls,
        ClientPart::Authorization,
    ];
    http::client(cx, path, &Client::from(write), &parts)?;
    sigv4::read(cx, path, write.sigv4.as_ref())?;
    if let Some(oauth) = write.azure_ad.as_ref().and_then(|a| a.oauth.as_ref()) {
        let azure = path.key("azureAd");
        http::secret(
            cx,
            &azure.key("oauth").key("clientSecret"),
            &oauth.client_secret,
        )
        .within("failed to read AzureOAuth clientSecret")?;
    }
    http::proxy_headers(cx, path, &write.proxy)
}
