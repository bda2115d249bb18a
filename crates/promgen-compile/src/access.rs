//! The needs of a workload of the API server, and what the RBAC objects of a run grant.
//!
//! In: a compiled configuration, and Roles, ClusterRoles and their bindings. Out: the requests that service discovery sends,
//! and for each the answer of Kubernetes' RBAC authorizer: yes, no, or unknown where the input lacks what decides it; and the change
//! of a role that grants what is denied.

mod amend;
mod authorizer;
mod needs;
mod objects;
mod slips;
#[cfg(test)]
mod tests;

pub use amend::RoleAmendment;
pub use authorizer::{AccessVerdict, Grants, ServiceAccount};
pub use needs::{
    CLUSTER, DISCOVERY_GROUP, Need, NeededObject, READS, SERVICE_ACCOUNT_TOKEN, TokenTarget,
    of_alerting, of_job, path_with_token,
};
pub use objects::{RBAC_GROUP, Rbac};
pub use slips::RoleSlip;
