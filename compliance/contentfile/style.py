"""Film styles: parsed with tinycss2 and compared with an allow-list.

A style may draw a film's scenes and nothing else. It cannot load anything, show words of its own, leave the film's
frame or affect the page around it. The parsed tokens are checked; a page gets those tokens as `scoped_style` writes
them, never the author's text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from compliance.contentfile import limits
from compliance.contentfile.allowed_style import (
    AT_RULES,
    ATTRIBUTE_MATCHERS,
    COMBINATORS,
    FETCHING_FUNCTIONS,
    FORBIDDEN,
    FUNCTIONS,
    POSITIONS,
    PROPERTIES,
    PROPERTIES_WITH_STRINGS,
    PSEUDO_CLASSES,
    PSEUDO_COUNT_FUNCTIONS,
    PSEUDO_ELEMENTS,
    PSEUDO_SELECTOR_FUNCTIONS,
)
from compliance.contentfile.faults import FaultCode, quoted

_FAULTS_A_STYLE: Final = 100
_END: Final = "svc-end-of-style"


@dataclass(frozen=True, slots=True)
class StyleFault:
    """One thing that is wrong in a style; `line` counts from 1 inside the style."""

    code: FaultCode
    message: str
    line: int


def check_style(css: str) -> list[StyleFault]:
    """Every fault of a style, at most a hundred."""
    return StyleCheck(css).faults


class StyleCheck:
    """One pass over one style: its `faults`, and its parsed `rules` where it could be parsed."""

    def __init__(self, css: str) -> None:
        self.faults: list[StyleFault] = []
        self.rules: list[Any] = []
        size = len(css.encode("utf-8", "surrogatepass"))
        if size > limits.STYLE_BYTES:
            self._add(FaultCode.STYLE_TOO_LARGE, 1, f"has {size:,} bytes and may have {limits.STYLE_BYTES:,}")
            return
        for match in FORBIDDEN.finditer(css):
            line = css.count("\n", 0, match.start()) + 1
            self._add(FaultCode.STYLE_CHARACTER, line, f"holds {match.group()}, which no style needs; remove it")
        # An open block, string or comment swallows whatever follows; a rule appended to the style detects it.
        rules = tinycss2.parse_stylesheet(f"{css}\n{_END}{{}}", skip_comments=True, skip_whitespace=True)
        if rules and _is_end(rules[-1]):
            rules = rules[:-1]
        else:
            # Nobody knows where the author's block should have ended, so later faults would be guesses.
            self._add(
                FaultCode.STYLE_UNFINISHED,
                css.count("\n") + 1,
                "ends inside a block, a comment or a rule; close what was opened",
            )
            return
        if _too_deep(rules):
            self._add(FaultCode.STYLE_SYNTAX, 1, f"nests brackets more than {limits.STYLE_DEPTH} deep; make it simpler")
            return
        self.rules = rules
        self._check_rules(rules)

    def _add(self, code: FaultCode, line: int, what: str) -> None:
        if len(self.faults) < _FAULTS_A_STYLE:
            self.faults.append(StyleFault(code, f"Line {line} of the style {what}.", line))

    def _check_rules(self, rules: Iterable[Any]) -> None:
        for rule in rules:
            if rule.type == "at-rule":
                self._check_at_rule(rule)
            elif rule.type == "qualified-rule":
                self._check_selectors(rule.prelude, rule.source_line)
                self._check_declarations(rule.content)
            elif rule.type == "error":
                self._add(FaultCode.STYLE_SYNTAX, rule.source_line, f"is not CSS ({rule.message}); mend it")

    def _check_at_rule(self, rule: Any) -> None:
        line = rule.source_line
        if rule.lower_at_keyword not in AT_RULES:
            self._add(
                FaultCode.STYLE_AT_RULE,
                line,
                f"uses @{rule.at_keyword[:40]}; a style may use @keyframes, @media and @supports",
            )
        elif rule.content is None:
            self._add(FaultCode.STYLE_SYNTAX, line, f"has @{rule.lower_at_keyword} without a block; write one")
        elif rule.lower_at_keyword == "keyframes":
            if keyframes_name(rule) is None:
                self._add(FaultCode.STYLE_SYNTAX, line, "has @keyframes without one plain name; name it")
            self._check_frames(rule.content)
        else:
            self._check_values(rule.prelude, "")
            self._check_rules(rules_in(rule.content))

    def _check_frames(self, content: list[Any]) -> None:
        for frame in rules_in(content):
            if frame.type != "qualified-rule":
                self._add(FaultCode.STYLE_SYNTAX, frame.source_line, "holds no frame; write from, to or percentages")
                continue
            for part in split_at_commas(frame.prelude):
                is_step = len(part) == 1 and (
                    part[0].type == "percentage" or (part[0].type == "ident" and part[0].lower_value in ("from", "to"))
                )
                if not is_step:
                    self._add(
                        FaultCode.STYLE_SYNTAX, frame.source_line, "names a frame that is not from, to or a percentage"
                    )
            self._check_declarations(frame.content)

    def _check_declarations(self, content: list[Any]) -> None:
        for item in declarations_in(content):
            if item.type == "declaration":
                self._check_declaration(item)
            elif item.type == "error":
                self._add(FaultCode.STYLE_SYNTAX, item.source_line, f"is not a declaration ({item.message}); mend it")
            else:
                self._add(FaultCode.STYLE_SYNTAX, item.source_line, "nests a rule in a rule; write it on its own")

    def _check_declaration(self, item: Any) -> None:
        name = item.lower_name
        line = item.source_line
        if item.important:
            self._add(
                FaultCode.STYLE_IMPORTANT, line, "uses !important; the page's own rules on motion come first, remove it"
            )
        if name not in PROPERTIES and not item.name.startswith("--"):
            self._add(FaultCode.STYLE_PROPERTY, line, f"sets {quoted(item.name)}, which films may not set; remove it")
        elif name == "position":
            words = without_space(item.value)
            if len(words) != 1 or words[0].type != "ident" or words[0].lower_value not in POSITIONS:
                self._add(
                    FaultCode.STYLE_POSITION, line, "sets a position that leaves the film; use relative or absolute"
                )
                return
        self._check_values(item.value, name)

    def _check_values(self, tokens: Iterable[Any], name: str) -> None:
        for token in tokens:
            kind = token.type
            line = token.source_line
            if kind == "url":
                self._add(FaultCode.STYLE_URL, line, "loads an address; name pictures as media elements instead")
            elif kind == "function":
                if token.lower_name in FETCHING_FUNCTIONS:
                    self._add(FaultCode.STYLE_URL, line, f"loads something with {token.lower_name}(); remove it")
                elif token.lower_name not in FUNCTIONS:
                    self._add(
                        FaultCode.STYLE_FUNCTION, line, f"calls {quoted(token.name)}(), which films may not; remove it"
                    )
                self._check_values(token.arguments, name)
            elif kind == "string":
                if token.value and name not in PROPERTIES_WITH_STRINGS:
                    self._add(FaultCode.STYLE_TEXT, line, "holds text to show; put words into the words files")
            elif kind in ("() block", "[] block"):
                self._check_values(token.content, name)
            elif kind == "{} block":
                self._add(FaultCode.STYLE_SYNTAX, line, "has a block inside a value; remove it")
            elif kind == "error":
                self._add(FaultCode.STYLE_SYNTAX, line, f"is not CSS ({token.message}); mend it")
            elif kind == "at-keyword":
                self._add(FaultCode.STYLE_SYNTAX, line, f"has @{token.value[:40]} inside a value; remove it")

    def _check_selectors(self, prelude: list[Any], line: int) -> None:
        if any(token.type == "error" for token in prelude):
            self._add(FaultCode.STYLE_SYNTAX, line, "closes a bracket that was not opened; remove it")
            return
        for part in split_at_commas(prelude):
            reason = _selector_fault(part)
            if reason:
                self._add(FaultCode.STYLE_SELECTOR, line, f"has a selector that {reason}")


def _is_end(rule: Any) -> bool:
    if rule.type != "qualified-rule":
        return False
    words = without_space(rule.prelude)
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


def rules_in(content: list[Any]) -> list[Any]:
    """The rules of a parsed block."""
    return tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True)


def declarations_in(content: list[Any]) -> list[Any]:
    """The declarations of a parsed block, and anything else between its semicolons."""
    return tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)


def without_space(tokens: Iterable[Any]) -> list[Any]:
    """The tokens that are neither white space nor comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def split_at_commas(tokens: Iterable[Any]) -> list[list[Any]]:
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


def keyframes_name(rule: Any) -> str | None:
    """The name of a `@keyframes` rule, None unless it is one plain name."""
    words = without_space(rule.prelude)
    return words[0].value if len(words) == 1 and words[0].type == "ident" else None


def _selector_fault(part: list[Any]) -> str:
    """Why a complex selector is refused, or an empty text."""
    if not part:
        return "is empty; name what to draw"
    index = 0
    after_combinator = True  # nothing to combine with yet: `+ .a` would select outside the film
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
        return f"holds {quoted(token.serialize()[:40])}; use classes, element names and plain pseudo-classes"
    return "ends with a combinator; name what follows" if after_combinator else ""


def _pseudo_fault(tokens: list[Any]) -> tuple[int, str]:
    """How many tokens after the colon belong to a pseudo-class or pseudo-element, and why it is refused."""
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
            reasons = (_selector_fault(part) for part in split_at_commas(first.arguments))
            return 1, next((reason for reason in reasons if reason), "")
        return 1, f"uses :{first.name[:40]}(), which films may not"
    if first.type == "literal" and first.value == ":" and len(tokens) == 2 and tokens[1].type == "ident":
        if tokens[1].lower_value in PSEUDO_ELEMENTS:
            return 2, ""
        return 2, f"uses ::{tokens[1].value[:40]}, which films may not"
    return 1, "has a colon without a pseudo-class"


def _is_attribute_test(content: list[Any]) -> bool:
    words = without_space(content)
    if len(words) not in (1, 3) or words[0].type != "ident":
        return False
    if len(words) == 1:
        return True
    return words[1].type == "literal" and words[1].value in ATTRIBUTE_MATCHERS and words[2].type in ("ident", "string")
