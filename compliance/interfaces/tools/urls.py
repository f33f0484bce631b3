"""The addresses of the tools, below their prefix `/tools/`."""

from django.urls import path

from compliance.interfaces.tools import views

urlpatterns = [
    path("verify.py", views.verify, name="tools-verify"),
    path("witness.py", views.witness, name="tools-witness"),
    path("send_facts.py", views.send_facts, name="tools-send-facts"),
]
