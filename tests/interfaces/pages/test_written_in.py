"""The language of a policy, by its words."""

import pytest

from compliance.interfaces.pages.written_in import opening_tag, written_in


@pytest.mark.parametrize(
    "text, language",
    [
        ("<h1>Use of devices</h1>\n<p>Lock your screen when you leave it.</p>", "en"),
        (
            "<h1>Geräte</h1><p>Sperren Sie den Bildschirm, wenn Sie das Büro verlassen, und melden Sie Verluste.</p>",
            "de",
        ),
        (
            "<h1>Appareils</h1><p>Verrouillez votre écran dès que vous quittez le bureau et signalez les pertes.</p>",
            "fr",
        ),
        ("<h1>Equipos</h1><p>Bloquee la pantalla cuando se vaya y avise de los equipos que se pierdan.</p>", "es"),
        ("<h1>استخدام الأجهزة</h1><p>أقفل شاشتك عندما تغادر مكتبك (VPN).</p>", "ar"),
        ("<h1>端末の利用</h1><p>席を離れるときは画面をロックしてください。</p>", "ja"),
        ("<h1>Использование устройств</h1><p>Блокируйте экран.</p>", "ru"),
        ("<h1>&amp;</h1>", "en"),
    ],
)
def test_a_text_tells_its_language_by_its_script_and_its_small_words(text: str, language: str) -> None:
    assert written_in(text) == language


def test_a_document_is_read_in_the_direction_of_its_language() -> None:
    assert opening_tag("<h1>\u0623\u0647\u0644\u0627</h1>") == '<html lang="ar" dir="rtl">'
    assert opening_tag("<h1>Welcome</h1>") == '<html lang="en" dir="ltr">'
