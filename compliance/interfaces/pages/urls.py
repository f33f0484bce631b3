"""The addresses of the public pages."""

from django.urls import path

from compliance.interfaces.pages import check, security_txt, sign

urlpatterns = [
    path("check/<str:code>", check.check_certificate, name="check"),
    path("check/<str:code>/certificate.pdf", check.print_certificate, name="certificate-pdf"),
    path("sign/<str:token>", sign.sign, name="sign"),
    path(".well-known/security.txt", security_txt.security_txt, name="security-txt"),
]
