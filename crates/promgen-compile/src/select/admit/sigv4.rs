//! The keys with which requests to AWS are signed.

use crate::select::admit::{Check, InField, ReferenceReader, Refuse, http};
use promgen_resources::api::auth::Sigv4;
use promgen_text::route::Path;

/// Reads both keys. Operator: `AddSigV4`.
pub(crate) fn read(cx: &mut ReferenceReader<'_>, path: &Path<'_>, sigv4: Option<&Sigv4>) -> Check {
    let Some(sigv4) = sigv4 else { return Ok(()) };
    let path = path.key("sigv4");
    match (&sigv4.access_key, &sigv4.secret_key) {
        (None, None) => Ok(()),
        (Some(access), Some(secret)) => {
            let got = http::secret(cx, &path.key("accessKey"), access);
            got.within("failed to read SigV4 access-key")?;
            http::secret(cx, &path.key("secretKey"), secret)
                .within("failed to read SigV4 secret-key")
        }
        (Some(_), None) | (None, Some(_)) => {
            path.refuse("both accessKey and secretKey should be provided")
        }
    }
}
