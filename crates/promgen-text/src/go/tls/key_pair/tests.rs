//! Certificates and keys made for these tests only.

use crate::go::tls::key_pair::*;

/// A certificate of an RSA key.
const RSA: &str = "\
    MIIBcTCCARugAwIBAgIUatNNH7/5X1UmC2ShDqYRkdEy7o8wDQYJKoZIhvcNAQELBQAwDDEKMAgGA1UEAwwBdDAgFw0yNjExMjEx\
    MjIzNTZaGA8yMTI2MTAyODEyMjM1NlowDDEKMAgGA1UEAwwBdDBcMA0GCSqGSIb3DQEBAQUAA0sAMEgCQQDEPhp4i9sA5oGFXGND\
    TEfC3N5NXWE/WLLF+3hML5xRNljbPfJ3bcVJp9LqFFEdpnOKvAMSYgGEr2MaRcH2MizzAgMBAAGjUzBRMB0GA1UdDgQWBBQwVln3\
    YMsVE1ty8T52MVG6qerOJzAfBgNVHSMEGDAWgBQwVln3YMsVE1ty8T52MVG6qerOJzAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3\
    DQEBCwUAA0EAjfnMeRHhvQDD/dg3vRKWyoB9mLCEV1T+9dOO5bEONQHGBbkm8SKfNg5DBY9Bipr7JKUjSuf2/Yb07qgPBSIK/Q==\
";

/// Its key, PKCS #1.
const RSA_KEY: &str = "\
    MIIBPQIBAAJBAMQ+GniL2wDmgYVcY0NMR8Lc3k1dYT9YssX7eEwvnFE2WNs98ndtxUmn0uoUUR2mc4q8AxJiAYSvYxpFwfYyLPMC\
    AwEAAQJBALna508LhVqQ9FHNceUmtUAD1jYHHjbUVlvTEdd1r+HooSQXVf8FZb/2wZ/2py29eJ5XjcAOabNfLVqE059VDgECIQDw\
    NOPgfgctSqBvqg4u60jXsXLjfzFbhB6ybUFIjngKwQIhANElOEHTRrucHv1lgZ/54+SfU8wUfAVN0mYZBWfiNKizAiEApV/Eg4pA\
    5q26RyaNHUBfpiBFONsY4CjV+YG+sHVlsAECIQCtMIMbj1ddeHT5JRtoXEhpQ77imnvw8HawcTvWwK0WnQIhAIrobr2O+aeVqz4w\
    Z63T6aSnQRxm5Gjofk1iPF846LR3\
";

/// A certificate of a key on P-256.
const CURVE: &str = "\
    MIIBcDCCARWgAwIBAgIUMpZs5aC2i+u7qKDoTy6/kur0weowCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBdDAgFw0yNjExMjExMjIz\
    NTZaGA8yMTI2MTAyODEyMjM1NlowDDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNk2YKXTcvcrvUNXU6aC\
    OLY8bgw8q8JRZWeBqe1BFxKfRu284Y1Vl3AZwrV1cI9Qm+cokzPa88+bzf+RIfUcsG+jUzBRMB0GA1UdDgQWBBSosJUspw0p097r\
    TWS8d9lrC4DrqTAfBgNVHSMEGDAWgBSosJUspw0p097rTWS8d9lrC4DrqTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kA\
    MEYCIQDEXD3g/uJSb70mWV6SFIvp/9rx3TNhn7dzBsWU/Od6KAIhALJ2uVMQfTLFIrdx18Afc3pO/zMo+xbUqZu9L0ATGbOA\
";

/// Its key, SEC 1.
const CURVE_KEY: &str = "\
    MHcCAQEEIJflcmh1KMVp1Neuc4l4xnWyMRwLAhTIzqepgolZmYbkoAoGCCqGSM49AwEHoUQDQgAE2TZgpdNy9yu9Q1dTpoI4tjxu\
    DDyrwlFlZ4Gp7UEXEp9G7bzhjVWXcBnCtXVwj1Cb5yiTM9rzz5vN/5Eh9Rywbw==\
";

/// The key as PKCS #8.
const CURVE_KEY_8: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl+VyaHUoxWnU165ziXjGdbIxHAsCFMjOp6mCiVmZhuShRANCAATZ\
    NmCl03L3K71DV1Omgji2PG4MPKvCUWVngantQRcSn0btvOGNVZdwGcK1dXCPUJvnKJMz2vPPm83/kSH1HLBv\
";

/// The key of another certificate.
const OTHER_CURVE_KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLWCCwh4IW9KQdc/7rxztklOOkoClSsAB1rSIbpdP7bqhRANCAASz\
    t/zHYbL+Pivz+0m8pxTK3uc0wUNWEsNkW7yIOpHzz3d3jmU5Uey8w7dwN6UlwbL0ZAxQPRxbWJWyIJyupCnz\
";

/// A certificate of an Ed25519 key.
const EDWARDS: &str = "\
    MIIBLDCB36ADAgECAhRxindStA4wgr7tAixs+xFzWdjuzDAFBgMrZXAwDDEKMAgGA1UEAwwBdDAeFw0yNjExMjExMjE2MDdaFw0z\
    NjExMTgxMjE2MDdaMAwxCjAIBgNVBAMMAXQwKjAFBgMrZXADIQAENQFv88yZt15cBI9Z0zLwgDXG9Frl76TgfwnOV/Dd56NTMFEw\
    HQYDVR0OBBYEFHxxplZJAE0wl8Rycmeas29FGEJaMB8GA1UdIwQYMBaAFHxxplZJAE0wl8Rycmeas29FGEJaMA8GA1UdEwEB/wQF\
    MAMBAf8wBQYDK2VwA0EAbm8GsTcW9B5IPomDrNxa0wQ7pbsTTxqgm9Oy6g19S10QJDhmDMFHRXUMngnpTLMh4umfVBjJtsBjqjIu\
    4nrHAA==\
";

/// Its key, PKCS #8.
const EDWARDS_KEY: &str = "\
    MC4CAQAwBQYDK2VwBCIEIFGpXgz46bqX51RTl1tVrl/6Lrr3bxFXMnsNS1HMiior\
";

fn pem(kind: &str, body: &str) -> String {
    format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n")
}

/// The error for a certificate and a key of that kind.
fn said(certificate: &str, kind: &str, key: &str) -> String {
    check(
        pem("CERTIFICATE", certificate).as_bytes(),
        pem(kind, key).as_bytes(),
    )
    .err()
    .unwrap_or_default()
}

#[test]
fn keys_of_every_form_fit_their_certificates() {
    assert_eq!(said(RSA, "RSA PRIVATE KEY", RSA_KEY), "");
    assert_eq!(said(CURVE, "EC PRIVATE KEY", CURVE_KEY), "");
    assert_eq!(said(CURVE, "PRIVATE KEY", CURVE_KEY_8), "");
    assert_eq!(said(EDWARDS, "PRIVATE KEY", EDWARDS_KEY), "");
}

#[test]
fn keys_of_others_do_not() {
    assert_eq!(
        said(RSA, "EC PRIVATE KEY", CURVE_KEY),
        "tls: private key type does not match public key type"
    );
    assert_eq!(
        said(CURVE, "PRIVATE KEY", OTHER_CURVE_KEY),
        "tls: private key does not match public key"
    );
}

#[test]
fn inputs_without_the_right_block_are_refused_in_go_s_words() {
    let none =
        |certificate: &str, key: &str| check(certificate.as_bytes(), key.as_bytes()).unwrap_err();
    let (certificate, key) = (pem("CERTIFICATE", RSA), pem("RSA PRIVATE KEY", RSA_KEY));
    assert_eq!(
        none("", &key),
        "tls: failed to find any PEM data in certificate input"
    );
    assert_eq!(
        none(&certificate, "x"),
        "tls: failed to find any PEM data in key input"
    );
    assert_eq!(none(&key, &key), CERTIFICATE.switched);
    assert_eq!(none(&certificate, &certificate), PRIVATE_KEY.switched);
    let parameters = pem("DH PARAMETERS", "AAAA").repeat(2);
    assert_eq!(
        none(&parameters, &key),
        format!("{} [DH PARAMETERS DH PARAMETERS]", CERTIFICATE.missing)
    );
    assert_eq!(
        none(&certificate, &pem("PRIVATE KEY", "AAAA")),
        "tls: failed to parse private key"
    );
    assert_eq!(
        none(&pem("CERTIFICATE", "AAAA"), &key),
        "x509: malformed certificate"
    );
}

/// Truncated or changed input is an error, never a panic.
#[test]
fn damaged_certificates_are_refused() {
    for body in [RSA, CURVE, EDWARDS] {
        let der = pem::blocks(pem("C", body).as_bytes()).next().unwrap().bytes;
        assert!(x509::certificate(&der).is_ok());
        for cut in 0..der.len() {
            assert!(x509::certificate(&der[..cut]).is_err(), "{cut}");
            let mut changed = der.clone();
            changed[cut] ^= 0xff;
            let _ = x509::certificate(&changed);
        }
        assert_eq!(
            x509::certificate(&[der, vec![0]].concat()).unwrap_err(),
            "x509: trailing data"
        );
    }
}
