"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.home import views

urlpatterns = [path("", views.home, name="home")]
