"""A folder that refuses to delete some of its objects for ever, as a bucket with a rule of its own does."""

from compliance.files.folder import FolderStorage


class RefusingStorage(FolderStorage):
    """Refuses every object whose name is in `REFUSED`, and counts how often it is asked for one."""

    REFUSED: set[str] = set()
    asked = 0

    def delete(self, name: str) -> None:
        if name in self.REFUSED:
            type(self).asked += 1
            raise PermissionError(13, "Permission denied")
        super().delete(name)
