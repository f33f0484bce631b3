"""The WSGI application of the benchmark: the product's addresses and the peer's."""

import os

from django.core.wsgi import get_wsgi_application

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
application = get_wsgi_application()
