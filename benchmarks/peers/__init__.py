"""What one would pick instead: a plain model, DRF serializers, django-simple-history, django-pghistory."""
