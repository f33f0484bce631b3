"""Rewrites a checked style so that it applies inside one film only."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import tinycss2
from tinycss2 import ast

from compliance.contentfile.errors import StyleFaulty
from compliance.contentfile.style import (
    StyleCheck,
    declarations_in,
    keyframes_name,
    rules_in,
    split_at_commas,
    without_space,
)


def scope_style(css: str, scope: str) -> str:
    """The style, rewritten so that it applies only inside elements of class `scope`.

    Selectors get the scope as a prefix, names of animations too, and the film's frame clips what is drawn inside it.
    Raises `StyleFaulty` when the style does not pass `check_style` or the scope is no plain class name.
    """
    if re.fullmatch(r"[a-z][a-z0-9-]*", scope) is None:
        raise StyleFaulty("The scope of a style must be a plain class name.")
    check = StyleCheck(css)
    if check.faults:
        raise StyleFaulty(f"The style has faults and cannot be used: {check.faults[0].message}")
    names = set(_keyframes(check.rules))
    frame = f".{scope}{{position:relative;overflow:hidden;isolation:isolate;contain:layout paint style}}\n"
    written = frame + _write_rules(check.rules, scope, names)
    if "<" in written:
        raise StyleFaulty("The style cannot be written safely.")
    return written


def _keyframes(rules: Iterable[Any]) -> Iterator[str]:
    for rule in rules:
        if rule.type != "at-rule":
            continue
        if rule.lower_at_keyword == "keyframes":
            name = keyframes_name(rule)
            if name is not None:
                yield name
        else:
            yield from _keyframes(rules_in(rule.content))


def _write_rules(rules: Iterable[Any], scope: str, names: set[str]) -> str:
    written: list[str] = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = ",".join(f".{scope} {tinycss2.serialize(part)}" for part in split_at_commas(rule.prelude))
            written.append(f"{selectors}{{{_write_declarations(rule.content, scope, names)}}}\n")
        elif rule.lower_at_keyword == "keyframes":
            frames = "".join(
                f"{tinycss2.serialize(without_space(frame.prelude))}"
                f"{{{_write_declarations(frame.content, scope, names)}}}"
                for frame in rules_in(rule.content)
            )
            written.append(f"@keyframes {scope}-{keyframes_name(rule)}{{{frames}}}\n")
        else:
            inner = rules_in(rule.content)
            prelude = tinycss2.serialize([token for token in rule.prelude if token.type != "comment"]).strip()
            written.append(f"@{rule.lower_at_keyword} {prelude}{{{_write_rules(inner, scope, names)}}}\n")
    return "".join(written)


def _write_declarations(content: list[Any], scope: str, names: set[str]) -> str:
    written: list[str] = []
    for item in declarations_in(content):
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
