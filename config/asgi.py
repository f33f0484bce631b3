"""The ASGI application that granian serves: the WSGI application behind the front that receives bodies."""

from config.wsgi import application as wsgi_application  # first: it reads the settings

from django.conf import settings  # isort: skip

from compliance.interfaces.serving import processor  # isort: skip
from compliance.interfaces.serving.front import Front  # isort: skip
from compliance.interfaces.serving.lanes import lane_of, network_of  # isort: skip

if settings.WEB_WORKERS_STAY:
    processor.stay()

application = Front(wsgi_application, lane_of=lane_of, network_of=network_of)
