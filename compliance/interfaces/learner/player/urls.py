"""The addresses of this room.

The result of a course is at `finished/`, with a slash, because a page of a course may have the id "finished".
"""

from django.urls import path

from compliance.interfaces.learner.player import views

_COURSE, _LESSON = "courses/<uuid:course_id>/", "lessons/<uuid:lesson_release_id>/"

urlpatterns = [
    path(_COURSE, views.overview, name="course"),
    path(f"{_COURSE}finished/", views.finished, name="finished"),
    path(f"{_COURSE}<slug:page_id>", views.page, name="page"),
    path(_LESSON, views.overview, name="lesson"),
    path(f"{_LESSON}finished/", views.finished, name="lesson-finished"),
    path(f"{_LESSON}<slug:page_id>", views.page, name="lesson-page"),
    path("media/<uuid:course_release_id>/<slug:media_id>", views.media, name="media"),
    path("style/<uuid:course_release_id>/<slug:scope>.css", views.style, name="style"),
]
