"""SCIM 2.0 at /scim/v2 (RFC 7643, 7644): identity providers tell who works here. The protocol; see `provisioning`."""
