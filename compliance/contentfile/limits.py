"""Every number of the format in one place: first the contract's limits, then ours against hostile input."""

from typing import Final

LESSONS: Final = 64
PAGES: Final = 200
MINUTES: Final = 120
LESSON_ID_LENGTH: Final = 64
PAGE_ID_LENGTH: Final = 48
TEXT_ID_LENGTH: Final = 128
SCENES_MIN: Final = 2
SCENES_MAX: Final = 30
FILM_SECONDS: Final = 600
FILM_EMAILS: Final = 4
STYLE_BYTES: Final = 32_000

SCENE_SECONDS: Final = 60
CHOICES_MIN: Final = 2
CHOICES_MAX: Final = 12
ATTEMPTS: Final = 10
ELEMENTS: Final = 40
LANGUAGES: Final = 64
TITLE_LENGTH: Final = 500
VERSION: Final = 2**31 - 1

# Against hostile input. A content file of 200 rich pages takes about 200 kB.
JSON_BYTES: Final = 16 * 1024 * 1024
JSON_DEPTH: Final = 64
JSON_NODES: Final = JSON_BYTES // 4
MANIFEST_BYTES: Final = 2 * 1024 * 1024
WORDS_BYTES_IN_ALL: Final = 32 * 1024 * 1024
JSON_DIGITS: Final = 20
UNUSUAL_STYLE_BYTES_IN_ALL: Final = 256_000
STYLE_DEPTH: Final = 16
FAULTS_LISTED: Final = 1_000
PACKAGE_FILES: Final = 1_000
PACKAGE_BYTES: Final = 512 * 1024 * 1024
ZIP_BYTES: Final = 256 * 1024 * 1024
ZIP_DIRECTORY_BYTES: Final = 2 * 1024 * 1024
BOMB_BYTES: Final = 64 * 1024 * 1024
BOMB_RATIO: Final = 100
MEDIA_BYTES: Final = 64 * 1024 * 1024
FOLDER_DEPTH: Final = 16
PATH_LENGTH: Final = 255
