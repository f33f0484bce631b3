"""The ASGI application that granian serves: the WSGI application behind the front that receives bodies."""

from config.wsgi import application as wsgi_application  # first: it reads the settings

from compliance.interfaces.api.gate import answers  # isort: skip
from compliance.interfaces.serving.front import Front  # isort: skip
from compliance.interfaces.serving.staff import signed_in  # isort: skip

application = Front(wsgi_application, of_api=answers, signed_in=signed_in)
