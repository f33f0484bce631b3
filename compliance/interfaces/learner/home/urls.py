"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.home import about_me, certificates, views

_CERTIFICATE = "certificates/<uuid:certificate_id>"

urlpatterns = [
    path("", views.home, name="home"),
    path("done", views.done, name="done"),
    path("about-me", about_me.about_me, name="about-me"),
    path("about-me/file.json", about_me.file, name="about-me-file"),
    path(_CERTIFICATE, certificates.certificate, name="certificate"),
    path(f"{_CERTIFICATE}/certificate.pdf", certificates.pdf, name="certificate-print"),
    path(f"{_CERTIFICATE}/proof.json", certificates.proof, name="certificate-proof"),
]
