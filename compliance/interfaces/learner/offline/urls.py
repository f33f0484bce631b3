"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.offline import views

urlpatterns = [
    path("worker.js", views.worker, name="worker"),
    path("offline/courses/<uuid:course_id>", views.keep_course, name="keep-course"),
    path("offline/lessons/<uuid:lesson_release_id>", views.keep_lesson, name="keep-lesson"),
    path("offline/<uuid:take_id>", views.receive, name="offline"),
]
