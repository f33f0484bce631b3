"""The name of a session's device for its owner: "Firefox on Android", never the header that the browser sent."""

from django.utils.translation import gettext

# The order matters: each browser's header also contains the names below it.
_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrom", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
_ON = " on "


def described(user_agent: str) -> str:
    """The browser and the system that a header names, in words of our own; "" where it names none that is known."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return _ON.join(part for part in (browser, system) if part)


def in_language(device: str) -> str:
    """The name in the reader's language."""
    browser, on, system = device.partition(_ON)
    if on:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return device or gettext("A device that said nothing of itself")
