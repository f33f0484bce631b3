"""What a film's style may contain: rules, properties, functions, selectors. `style` and `plain_style` use it."""

import re
from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


AT_RULES: Final = frozenset({"keyframes", "media", "supports"})
POSITIONS: Final = frozenset({"static", "relative", "absolute"})
FETCHING_FUNCTIONS: Final = frozenset(
    {"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "element", "paint"}
)
FUNCTIONS: Final = _names(
    """
    var calc min max clamp abs sign round mod rem sin cos tan hypot sqrt pow rgb rgba hsl hsla hwb lab lch oklab
    oklch color color-mix light-dark linear-gradient radial-gradient conic-gradient repeating-linear-gradient
    repeating-radial-gradient repeating-conic-gradient matrix matrix3d perspective rotate rotate3d rotatex
    rotatey rotatez scale scale3d scalex scaley scalez skew skewx skewy translate translate3d translatex
    translatey translatez cubic-bezier steps linear blur brightness contrast drop-shadow grayscale hue-rotate
    invert opacity saturate sepia circle ellipse inset polygon minmax repeat fit-content counter
    """
)
PROPERTIES: Final = _names(
    """
    accent-color align-content align-items align-self animation animation-delay animation-direction
    animation-duration animation-fill-mode animation-iteration-count animation-name animation-play-state
    animation-timing-function aspect-ratio backdrop-filter backface-visibility background background-blend-mode
    background-clip background-color background-image background-origin background-position background-repeat
    background-size block-size border border-block border-block-end border-block-start border-bottom
    border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style
    border-bottom-width border-collapse border-color border-inline border-inline-end border-inline-start
    border-left border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style border-top
    border-top-color border-top-left-radius border-top-right-radius border-top-style border-top-width
    border-width bottom box-decoration-break box-shadow box-sizing caret-color clip-path color column-gap
    columns content counter-increment counter-reset cursor direction display filter flex flex-basis
    flex-direction flex-flow flex-grow flex-shrink flex-wrap float clear font font-family font-feature-settings
    font-size font-stretch font-style font-variant font-variant-numeric font-weight gap grid grid-area
    grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-column-end grid-column-start grid-row
    grid-row-end grid-row-start grid-template grid-template-areas grid-template-columns grid-template-rows
    height hyphens inline-size inset inset-block inset-block-end inset-block-start inset-inline inset-inline-end
    inset-inline-start isolation justify-content justify-items justify-self left letter-spacing line-height
    list-style list-style-position list-style-type margin margin-block margin-block-end margin-block-start
    margin-bottom margin-inline margin-inline-end margin-inline-start margin-left margin-right margin-top
    mask-image max-block-size max-height max-inline-size max-width min-block-size min-height min-inline-size
    min-width mix-blend-mode object-fit object-position opacity order outline outline-color outline-offset
    outline-style outline-width overflow overflow-wrap overflow-x overflow-y padding padding-block
    padding-block-end padding-block-start padding-bottom padding-inline padding-inline-end padding-inline-start
    padding-left padding-right padding-top perspective perspective-origin place-content place-items place-self
    pointer-events position right rotate row-gap scale table-layout tab-size text-align text-decoration
    text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness text-indent
    text-overflow text-shadow text-transform text-underline-offset text-wrap top transform transform-box
    transform-origin transform-style transition transition-delay transition-duration transition-property
    transition-timing-function translate unicode-bidi user-select vertical-align visibility white-space width
    will-change word-break word-spacing writing-mode z-index
    """
)
PROPERTIES_WITH_STRINGS: Final = frozenset(
    {"font", "font-family", "font-feature-settings", "grid", "grid-template", "grid-template-areas"}
)
PSEUDO_CLASSES: Final = _names(
    """
    first-child last-child only-child first-of-type last-of-type only-of-type empty hover focus focus-visible
    focus-within active checked disabled enabled
    """
)
PSEUDO_ELEMENTS: Final = frozenset({"before", "after", "first-letter", "first-line", "marker"})
PSEUDO_SELECTOR_FUNCTIONS: Final = frozenset({"is", "not", "where"})
PSEUDO_COUNT_FUNCTIONS: Final = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
COMBINATORS: Final = frozenset({">", "+", "~"})
ATTRIBUTE_MATCHERS: Final = frozenset({"=", "~=", "^=", "$=", "*=", "|="})
FORBIDDEN: Final = re.compile(r"[<\\]|-->")
"""Characters that no style needs and that could end the element that holds it."""
