"""Film styles: parsed with tinycss2, held to an allow-list, and scoped to one film (contract "film", design 8).

A style may draw a film's scenes and nothing else. It cannot load anything, show words of its own, leave the film's
frame or reach the page around it. What is checked is the parsed tokens; what a page gets is those tokens written anew
by `scope_style`, never the author's text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2
from tinycss2 import ast

from compliance.contentfile import limits
from compliance.contentfile.errors import StyleFaulty
from compliance.contentfile.faults import FaultCode, shown


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

_FAULTS_A_STYLE: Final = 100
_END: Final = "svc-end-of-style"
FORBIDDEN: Final = re.compile(r"[<\\]|-->")


@dataclass(frozen=True, slots=True)
class StyleFault:
    """One thing that is wrong in a style; `line` counts from 1 inside the style."""

    code: FaultCode
    message: str
    line: int


def check_style(css: str) -> list[StyleFault]:
    """Every fault of a style, at most a hundred."""
    return _Check(css).faults


class _Check:
    """One pass over one style."""

    def __init__(self, css: str) -> None:
        self.faults: list[StyleFault] = []
        self.rules: list[Any] = []
        size = len(css.encode("utf-8", "surrogatepass"))
        if size > limits.STYLE_BYTES:
            self.add(FaultCode.STYLE_TOO_LARGE, 1, f"has {size:,} bytes and may have {limits.STYLE_BYTES:,}")
            return
        for match in FORBIDDEN.finditer(css):
            line = css.count("\n", 0, match.start()) + 1
            self.add(FaultCode.STYLE_CHARACTER, line, f"holds {match.group()}, which no style needs; remove it")
        # A block, string or comment left open swallows whatever follows; a rule put behind the style shows it.
        rules = tinycss2.parse_stylesheet(f"{css}\n{_END}{{}}", skip_comments=True, skip_whitespace=True)
        if rules and _is_end(rules[-1]):
            rules = rules[:-1]
        else:
            # Where the author's block would have ended nobody knows: what follows from it would be guesses.
            self.add(
                FaultCode.STYLE_UNFINISHED,
                css.count("\n") + 1,
                "ends inside a block, a comment or a rule; close what was opened",
            )
            return
        if _too_deep(rules):
            self.add(FaultCode.STYLE_SYNTAX, 1, f"nests brackets more than {limits.STYLE_DEPTH} deep; make it simpler")
            return
        self.rules = rules
        self.check_rules(rules)

    def add(self, code: FaultCode, line: int, what: str) -> None:
        if len(self.faults) < _FAULTS_A_STYLE:
            self.faults.append(StyleFault(code, f"Line {line} of the style {what}.", line))

    def check_rules(self, rules: Iterable[Any]) -> None:
        for rule in rules:
            if rule.type == "at-rule":
                self.check_at_rule(rule)
            elif rule.type == "qualified-rule":
                self.check_selectors(rule.prelude, rule.source_line)
                self.check_declarations(rule.content)
            elif rule.type == "error":
                self.add(FaultCode.STYLE_SYNTAX, rule.source_line, f"is not CSS ({rule.message}); mend it")

    def check_at_rule(self, rule: Any) -> None:
        line = rule.source_line
        if rule.lower_at_keyword not in AT_RULES:
            self.add(
                FaultCode.STYLE_AT_RULE,
                line,
                f"uses @{rule.at_keyword[:40]}; a style may use @keyframes, @media and @supports",
            )
        elif rule.content is None:
            self.add(FaultCode.STYLE_SYNTAX, line, f"has @{rule.lower_at_keyword} without a block; write one")
        elif rule.lower_at_keyword == "keyframes":
            if _keyframes_name(rule) is None:
                self.add(FaultCode.STYLE_SYNTAX, line, "has @keyframes without one plain name; name it")
            self.check_frames(rule.content)
        else:
            self.check_values(rule.prelude, "")
            self.check_rules(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))

    def check_frames(self, content: list[Any]) -> None:
        for frame in tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True):
            if frame.type != "qualified-rule":
                self.add(FaultCode.STYLE_SYNTAX, frame.source_line, "holds no frame; write from, to or percentages")
                continue
            for part in _split_at_commas(frame.prelude):
                is_step = len(part) == 1 and (
                    part[0].type == "percentage" or (part[0].type == "ident" and part[0].lower_value in ("from", "to"))
                )
                if not is_step:
                    self.add(
                        FaultCode.STYLE_SYNTAX, frame.source_line, "names a frame that is not from, to or a percentage"
                    )
            self.check_declarations(frame.content)

    def check_declarations(self, content: list[Any]) -> None:
        for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
            if item.type == "declaration":
                self.check_declaration(item)
            elif item.type == "error":
                self.add(FaultCode.STYLE_SYNTAX, item.source_line, f"is not a declaration ({item.message}); mend it")
            else:
                self.add(FaultCode.STYLE_SYNTAX, item.source_line, "nests a rule in a rule; write it on its own")

    def check_declaration(self, item: Any) -> None:
        name = item.lower_name
        line = item.source_line
        if item.important:
            self.add(
                FaultCode.STYLE_IMPORTANT, line, "uses !important; the page's own rules on motion come first, remove it"
            )
        if name not in PROPERTIES and not item.name.startswith("--"):
            self.add(FaultCode.STYLE_PROPERTY, line, f"sets {shown(item.name)}, which films may not set; remove it")
        elif name == "position":
            words = _without_space(item.value)
            if len(words) != 1 or words[0].type != "ident" or words[0].lower_value not in POSITIONS:
                self.add(
                    FaultCode.STYLE_POSITION, line, "sets a position that leaves the film; use relative or absolute"
                )
                return
        self.check_values(item.value, name)

    def check_values(self, tokens: Iterable[Any], name: str) -> None:
        for token in tokens:
            kind = token.type
            line = token.source_line
            if kind == "url":
                self.add(FaultCode.STYLE_URL, line, "loads an address; name pictures as media elements instead")
            elif kind == "function":
                if token.lower_name in FETCHING_FUNCTIONS:
                    self.add(FaultCode.STYLE_URL, line, f"loads something with {token.lower_name}(); remove it")
                elif token.lower_name not in FUNCTIONS:
                    self.add(
                        FaultCode.STYLE_FUNCTION, line, f"calls {shown(token.name)}(), which films may not; remove it"
                    )
                self.check_values(token.arguments, name)
            elif kind == "string":
                if token.value and name not in PROPERTIES_WITH_STRINGS:
                    self.add(FaultCode.STYLE_TEXT, line, "holds text to show; put words into the words files")
            elif kind in ("() block", "[] block"):
                self.check_values(token.content, name)
            elif kind == "{} block":
                self.add(FaultCode.STYLE_SYNTAX, line, "has a block inside a value; remove it")
            elif kind == "error":
                self.add(FaultCode.STYLE_SYNTAX, line, f"is not CSS ({token.message}); mend it")
            elif kind == "at-keyword":
                self.add(FaultCode.STYLE_SYNTAX, line, f"has @{token.value[:40]} inside a value; remove it")

    def check_selectors(self, prelude: list[Any], line: int) -> None:
        if any(token.type == "error" for token in prelude):
            self.add(FaultCode.STYLE_SYNTAX, line, "closes a bracket that was not opened; remove it")
            return
        for part in _split_at_commas(prelude):
            reason = _selector_fault(part)
            if reason:
                self.add(FaultCode.STYLE_SELECTOR, line, f"has a selector that {reason}")


def _is_end(rule: Any) -> bool:
    if rule.type != "qualified-rule":
        return False
    words = _without_space(rule.prelude)
    return len(words) == 1 and words[0].type == "ident" and words[0].value == _END


def _children(node: Any) -> Iterator[list[Any]]:
    for name in ("prelude", "content", "arguments"):
        inner = getattr(node, name, None)
        if inner:
            yield inner


def _too_deep(rules: list[Any]) -> bool:
    stack = [(rules, 0)]
    while stack:
        nodes, depth = stack.pop()
        if depth > limits.STYLE_DEPTH:
            return True
        for node in nodes:
            if node.type[-5:] == "block" or node.type in ("function", "qualified-rule", "at-rule"):
                stack.extend((inner, depth + 1) for inner in _children(node))
    return False


def _without_space(tokens: Iterable[Any]) -> list[Any]:
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def _split_at_commas(tokens: Iterable[Any]) -> list[list[Any]]:
    """The parts between commas, without white space at their ends and without comments."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        elif token.type != "comment":
            parts[-1].append(token)
    for part in parts:
        while part and part[0].type == "whitespace":
            del part[0]
        while part and part[-1].type == "whitespace":
            del part[-1]
    return parts


def _keyframes_name(rule: Any) -> str | None:
    words = _without_space(rule.prelude)
    return words[0].value if len(words) == 1 and words[0].type == "ident" else None


def _selector_fault(part: list[Any]) -> str:
    """Why a complex selector is refused, or nothing."""
    if not part:
        return "is empty; name what to draw"
    index = 0
    after_combinator = True  # nothing to combine with yet: `+ .a` would reach out of the film
    while index < len(part):
        token = part[index]
        following = part[index + 1] if index + 1 < len(part) else None
        index += 1
        if token.type == "whitespace":
            continue
        if token.type == "literal" and token.value in COMBINATORS:
            if after_combinator:
                return f"starts with {token.value}; it would reach out of the film"
            after_combinator = True
            continue
        after_combinator = False
        if token.type == "ident" or (token.type == "literal" and token.value == "*"):
            continue
        if token.type == "literal" and token.value == "." and following is not None and following.type == "ident":
            index += 1
            continue
        if token.type == "literal" and token.value == ":" and following is not None:
            taken, reason = _pseudo_fault(part[index : index + 2])
            if reason:
                return reason
            index += taken
            continue
        if token.type == "[] block":
            if not _is_attribute_test(token.content):
                return "tests an attribute in a way films may not"
            continue
        if token.type == "hash":
            return "names an id; ids belong to the page, use a class"
        return f"holds {shown(token.serialize()[:40])}; use classes, element names and plain pseudo-classes"
    return "ends with a combinator; name what follows" if after_combinator else ""


def _pseudo_fault(tokens: list[Any]) -> tuple[int, str]:
    """How many tokens behind the colon belong to a pseudo-class or pseudo-element, and why it is refused."""
    first = tokens[0]
    if first.type == "ident":
        if first.lower_value in PSEUDO_CLASSES | {"before", "after"}:
            return 1, ""
        return 1, f"uses :{first.value[:40]}, which films may not"
    if first.type == "function":
        if first.lower_name in PSEUDO_COUNT_FUNCTIONS:
            plain = all(
                inner.type in ("whitespace", "ident", "number", "dimension")
                or (inner.type == "literal" and inner.value in "+-")
                for inner in first.arguments
            )
            return 1, "" if plain else f"counts with :{first.lower_name}() in a way films may not"
        if first.lower_name in PSEUDO_SELECTOR_FUNCTIONS:
            reasons = (_selector_fault(part) for part in _split_at_commas(first.arguments))
            return 1, next((reason for reason in reasons if reason), "")
        return 1, f"uses :{first.name[:40]}(), which films may not"
    if first.type == "literal" and first.value == ":" and len(tokens) == 2 and tokens[1].type == "ident":
        if tokens[1].lower_value in PSEUDO_ELEMENTS:
            return 2, ""
        return 2, f"uses ::{tokens[1].value[:40]}, which films may not"
    return 1, "has a colon without a pseudo-class"


def _is_attribute_test(content: list[Any]) -> bool:
    words = _without_space(content)
    if len(words) not in (1, 3) or words[0].type != "ident":
        return False
    if len(words) == 1:
        return True
    return words[1].type == "literal" and words[1].value in ATTRIBUTE_MATCHERS and words[2].type in ("ident", "string")


def scope_style(css: str, scope: str) -> str:
    """The style, written anew so that it applies only inside elements of class `scope`.

    Selectors get the scope in front, animations its name, and the film's frame keeps what is drawn inside it. Raises
    `StyleFaulty` when the style does not pass `check_style` or the scope is no plain class name.
    """
    if re.fullmatch(r"[a-z][a-z0-9-]*", scope) is None:
        raise StyleFaulty("The scope of a style must be a plain class name.")
    check = _Check(css)
    if check.faults:
        raise StyleFaulty(f"The style has faults and cannot be used: {check.faults[0].message}")
    names = {
        name
        for rule in check.rules
        if rule.type == "at-rule" and rule.lower_at_keyword == "keyframes"
        if (name := _keyframes_name(rule)) is not None
    }
    names |= set(_nested_keyframes(check.rules))
    frame = f".{scope}{{position:relative;overflow:hidden;isolation:isolate;contain:layout paint style}}\n"
    written = frame + _write_rules(check.rules, scope, names)
    if "<" in written:
        raise StyleFaulty("The style cannot be written safely.")
    return written


def _nested_keyframes(rules: Iterable[Any]) -> Iterator[str]:
    for rule in rules:
        if rule.type != "at-rule":
            continue
        if rule.lower_at_keyword == "keyframes":
            name = _keyframes_name(rule)
            if name is not None:
                yield name
        else:
            yield from _nested_keyframes(
                tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            )


def _write_rules(rules: Iterable[Any], scope: str, names: set[str]) -> str:
    written: list[str] = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = ",".join(f".{scope} {tinycss2.serialize(part)}" for part in _split_at_commas(rule.prelude))
            written.append(f"{selectors}{{{_write_declarations(rule.content, scope, names)}}}\n")
        elif rule.lower_at_keyword == "keyframes":
            frames = "".join(
                f"{tinycss2.serialize(_without_space(frame.prelude))}"
                f"{{{_write_declarations(frame.content, scope, names)}}}"
                for frame in tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            )
            written.append(f"@keyframes {scope}-{_keyframes_name(rule)}{{{frames}}}\n")
        else:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            prelude = tinycss2.serialize([token for token in rule.prelude if token.type != "comment"]).strip()
            written.append(f"@{rule.lower_at_keyword} {prelude}{{{_write_rules(inner, scope, names)}}}\n")
    return "".join(written)


def _write_declarations(content: list[Any], scope: str, names: set[str]) -> str:
    written: list[str] = []
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        value = [token for token in item.value if token.type != "comment"]
        if item.lower_name in ("animation", "animation-name"):
            value = [
                ast.IdentToken(token.source_line, token.source_column, f"{scope}-{token.value}")
                if token.type == "ident" and token.value in names
                else token
                for token in value
            ]
        name = item.name if item.name.startswith("--") else item.lower_name
        written.append(f"{name}:{tinycss2.serialize(value).strip()}")
    return ";".join(written)
