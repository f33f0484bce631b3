#!/usr/bin/env python
"""Django's command line. What is missing on this machine is said in one line, before anything fails in pages."""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - people do run it with their system's Python
    sys.exit("Python 3.11 or newer is needed, this is %d.%d: .venv/bin/python manage.py" % sys.version_info[:2])  # noqa: UP031

try:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError
except ModuleNotFoundError as error:
    sys.exit("%s is not installed for this Python: run `make install`, then .venv/bin/python manage.py" % error.name)  # noqa: UP031

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", ""):
            raise  # PostgreSQL's own answer: it was reached
        sys.exit("The database cannot be reached (embedded servers: make servers). %s" % str(error).splitlines()[0])  # noqa: UP031
