"""SCIM 2.0 at /scim/v2 (RFC 7643, 7644): identity providers manage employees. Only the protocol; see `provisioning`."""
