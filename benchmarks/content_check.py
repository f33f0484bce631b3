"""How long checking a content file takes, and how that grows with its pages (200 pages in under 50 ms).

    python -m benchmarks.content_check [--repeats 20]

Each page holds nine blocks: heading, two texts, a list of five, a table of four rows, a callout, an image, a question
of four choices and a source. Times are the best of the repeats, in milliseconds; the ratio is to the smallest course.
"""

import argparse
import json
import time
from typing import Any

from compliance.contentfile import check_content, content_sha256

PAGES = (25, 50, 100, 200)


def page(number: int) -> dict[str, Any]:
    """A page with as many blocks as pages usually have at most."""
    name = f"page-{number}"
    return {
        "id": name,
        "title": f"{name}.title",
        "blocks": [
            {"type": "heading", "text": f"{name}.heading"},
            {"type": "text", "text": f"{name}.lead", "style": "lead"},
            {"type": "text", "text": f"{name}.body"},
            {"type": "list", "items": [f"{name}.item-{item}" for item in range(5)], "ordered": True},
            {
                "type": "table",
                "header": [f"{name}.head-{cell}" for cell in range(3)],
                "rows": [[f"{name}.cell-{row}-{cell}" for cell in range(3)] for row in range(4)],
            },
            {"type": "callout", "tone": "note", "text": f"{name}.note"},
            {"type": "image", "media": "plan"},
            {
                "type": "question",
                "id": f"question-{number}",
                "kind": "single",
                "prompt": f"{name}.prompt",
                "choices": [
                    {
                        "id": f"choice-{choice}",
                        "text": f"{name}.choice-{choice}",
                        "correct": choice == 1,
                        "feedback": f"{name}.feedback-{choice}",
                    }
                    for choice in range(4)
                ],
            },
            {"type": "sources", "items": [{"title": f"{name}.source", "url": f"{name}.address"}]},
        ],
    }


def course(pages: int) -> bytes:
    """A content file of ten lessons at most."""
    lessons = [
        {"id": f"lesson-{number}", "title": f"lesson-{number}.title", "minutes": 10, "pages": []}
        for number in range(10)
    ]
    for number in range(pages):
        lessons[number % 10]["pages"].append(page(number))  # type: ignore[attr-defined]
    return json.dumps({"schema": "svc.content/2", "lessons": lessons}, indent=2).encode()


def best(repeats: int, work: Any) -> float:
    """The shortest of the repeats, in milliseconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    print(f"{'pages':>6} {'kB':>6} {'check ms':>9} {'ratio':>6} {'json ms':>8} {'sha256 ms':>10} {'1 fault ms':>11}")
    first = 0.0
    for pages in PAGES:
        data = course(pages)
        broken = data.replace(b'"minutes": 10', b'"minutes": true', 1)
        content = json.loads(data)
        assert check_content(data).faults == ()
        assert len(check_content(broken).faults) == 1
        checked = best(repeats, lambda data=data: check_content(data))
        first = first or checked
        parsed = best(repeats, lambda data=data: json.loads(data))
        hashed = best(repeats, lambda content=content: content_sha256(content))
        faulty = best(repeats, lambda broken=broken: check_content(broken))
        print(
            f"{pages:>6} {len(data) / 1000:>6.0f} {checked:>9.1f} {checked / first:>6.1f} {parsed:>8.1f}"
            f" {hashed:>10.1f} {faulty:>11.1f}"
        )


if __name__ == "__main__":
    main()
