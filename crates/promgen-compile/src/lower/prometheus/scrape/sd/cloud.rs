//! Discovery of machines in clouds.

pub(crate) mod azure;
pub(crate) mod digitalocean;
pub(crate) mod ec2;
pub(crate) mod gce;
pub(crate) mod hetzner;
pub(crate) mod ionos;
pub(crate) mod lightsail;
pub(crate) mod linode;
pub(crate) mod openstack;
pub(crate) mod ovhcloud;
pub(crate) mod scaleway;
