"""What the owner of a session knows its device by: "Firefox on Android", and never what the browser sent."""

from django.utils.translation import gettext

# In this order: each names the ones below it as well.
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
    """The browser and the system of a request's header, in words of ours alone; "" where it names none of them."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return _ON.join(part for part in (browser, system) if part)


def in_language(device: str) -> str:
    """Those words in the reader's language."""
    browser, on, system = device.partition(_ON)
    if on:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return device or gettext("A device that said nothing of itself")
