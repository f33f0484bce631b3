"""`python -m benchmarks.one_import FILE`: one import in a process of its own, so that its memory is its own."""

import os

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    django.setup()
    from benchmarks import writes

    writes.main()
