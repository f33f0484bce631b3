"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.signing import receipts, views

urlpatterns = [
    path("policies/<uuid:course_id>", views.policy, name="policy"),
    path("receipts/<uuid:receipt_id>", receipts.receipt, name="receipt"),
    path("receipts/<uuid:receipt_id>/document", receipts.document, name="receipt-document"),
    path("receipts/<uuid:receipt_id>/document.html", receipts.copy, name="receipt-copy"),
    path("receipts/<uuid:receipt_id>/proof.json", receipts.proof, name="receipt-proof"),
]
