"""Files in a bucket of S3, or of a compatible service. Imported only if a bucket is configured."""

import functools
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import boto3
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from compliance.files.places import FoundObject

_MIB = 1024 * 1024
_READ_BYTES = 256 * 1024
_NOT_THERE = ("NoSuchKey", "NotFound")
_EVERYBODY = ("AllUsers", "AuthenticatedUsers")


@functools.lru_cache(maxsize=4)
def _connection(
    endpoint: str | None, region: str | None, access_key: str | None, secret_key: str | None, patience: float
) -> Any:
    session = boto3.Session(aws_access_key_id=access_key, aws_secret_access_key=secret_key)
    config = Config(
        s3={"addressing_style": "path" if endpoint else "auto"},
        signature_version="s3v4",
        connect_timeout=min(3.0, patience),
        read_timeout=patience,
        retries={"mode": "standard", "total_max_attempts": 2},
        max_pool_connections=32,
    )
    return session.resource("s3", region_name=region, endpoint_url=endpoint, config=config)


class BucketStorage(S3Storage):
    """django-storages' bucket, with private objects, reads from any byte on, and time limits.

    URLs of objects are never published: downloads go through the service and its checks.
    """

    faults: tuple[type[Exception], ...] = (BotoCoreError, ClientError, Boto3Error, HTTPError, OSError)

    def __init__(
        self,
        *,
        bucket: str,
        endpoint: str = "",
        region: str = "",
        access_key: str = "",
        secret_key: str = "",
        encryption: str = "",
        patience: float = 10.0,
    ) -> None:
        self._patience = patience
        super().__init__(
            bucket_name=bucket,
            endpoint_url=endpoint or None,
            region_name=region or None,
            access_key=access_key or None,
            secret_key=secret_key or None,
            default_acl=None,  # private, also in buckets without access control lists
            file_overwrite=True,  # a move that is repeated writes the same bytes under the same name
            object_parameters={"ServerSideEncryption": encryption} if encryption else {},
            # Uploads in parts, two at a time: a file of any size takes the same memory.
            transfer_config=TransferConfig(
                multipart_threshold=8 * _MIB, multipart_chunksize=8 * _MIB, max_concurrency=2, max_io_queue=4
            ),
        )

    @property
    def connection(self) -> Any:
        """One connection for all threads of a process: one for each, as in django-storages, takes memory and time."""
        return _connection(self.endpoint_url, self.region_name, self.access_key, self.secret_key, self._patience)

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    def url(self, *_: Any, **__: Any) -> str:
        """Raises NotImplementedError: an address that anybody can open would bypass every check."""
        raise NotImplementedError("Objects are private: what is downloaded goes through the service.")

    def delete(self, name: str) -> None:
        """Deletes an object, whether it exists or not. A missing bucket is an error nevertheless."""
        try:
            self._client.delete_object(Bucket=self.bucket_name, Key=name)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") not in _NOT_THERE:
                raise

    def read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of an object from `start` to before `stop`, as they come. Raises FileNotFoundError."""
        if start >= stop:
            return
        try:
            answer = self._client.get_object(Bucket=self.bucket_name, Key=name, Range=f"bytes={start}-{stop - 1}")
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in _NOT_THERE:
                raise FileNotFoundError(name) from error
            if code == "InvalidRange":  # it ends before `start`: yields nothing, as with a folder
                return
            raise
        body = answer["Body"]
        try:
            while chunk := body.read(_READ_BYTES):
                yield chunk
        finally:
            body.close()

    def found(self, prefix: str = "") -> Iterator[FoundObject]:
        """Every object whose name begins with `prefix`."""
        for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket_name, Prefix=prefix):
            for each in page.get("Contents", ()):
                yield FoundObject(each["Key"], each["Size"], each["LastModified"])

    def clear_unfinished(self, before: datetime) -> int:
        """Aborts multipart uploads that began before then and did not end: their parts are stored, and cost money."""
        count = 0
        for page in self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket_name):
            for each in page.get("Uploads", ()):
                if each["Initiated"] < before:
                    self._client.abort_multipart_upload(
                        Bucket=self.bucket_name, Key=each["Key"], UploadId=each["UploadId"]
                    )
                    count += 1
        return count

    def exposed(self) -> str:
        """Why people outside can read the bucket, or "". Lacking the right to find out is not a reason."""
        grants = self._asked("get_bucket_acl").get("Grants", ())
        if any(each.get("Grantee", {}).get("URI", "").endswith(_EVERYBODY) for each in grants):
            return "its access control list lets everybody in"
        if self._asked("get_bucket_policy_status").get("PolicyStatus", {}).get("IsPublic"):
            return "its policy is public"
        return ""

    def _asked(self, question: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = getattr(self._client, question)(Bucket=self.bucket_name)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in ("NoSuchBucket", "404"):
                raise
            return {}
        return found
