"""The players of two steps in one page."""

import json

import pytest

from worklog_report.results.records import InputError
from worklog_report.site import players


def page(step: str, kernel: str, text: str = "code") -> str:
    place = {"file": "softmax.cu", "line": 3}
    record = {
        "title": step,
        "sources": [step],
        "launches": [
            {
                "kernel": kernel,
                "lines": [place | {"counters": {}}],
                "recorded": {"places": [place], "arrays": [], "blocks": []},
            }
        ],
        "files": [{"name": "softmax.cu", "text": text}],
    }
    data = json.dumps(record).replace("<", "\\u003c")
    return f'<p>{step}</p><script type="application/json" id="record">{data}</script><p>end</p>'


@pytest.fixture
def files(tmp_path):
    made = []
    for step, kernel in (("04_shared_memory", "four"), ("05_warp_shuffle", "five")):
        made.append(tmp_path / f"{step}.html")
        made[-1].write_text(page(step, kernel), "utf-8")
    return made


def test_a_step_stands_beside_the_one_that_it_builds_on(files):
    made = players.pages(files, {"05_warp_shuffle": "04_shared_memory/variant"})
    assert sorted(made) == ["player_04_shared_memory.html", "player_05_warp_shuffle.html"]
    record = players.record_of(files[1], made["player_05_warp_shuffle.html"])
    assert record["title"] == "05_warp_shuffle"
    assert [launch["kernel"] for launch in record["launches"]] == ["five", "four"]
    assert record["beside"] == 1
    names = ["05_warp_shuffle/softmax.cu", "04_shared_memory/softmax.cu"]
    assert [file["name"] for file in record["files"]] == names
    assert [launch["lines"][0]["file"] for launch in record["launches"]] == names
    assert [launch["recorded"]["places"][0]["file"] for launch in record["launches"]] == names


def test_a_step_that_builds_on_none_stands_alone(files):
    made = players.pages(files, {"04_shared_memory": ""})
    assert made["player_04_shared_memory.html"] == files[0].read_text("utf-8")


def test_code_neither_ends_the_script_nor_is_changed(files):
    code = r"</script>\1 \u0041 ü"
    files[0].write_text(page("04_shared_memory", "four", code), "utf-8")
    made = players.pages(files, {"05_warp_shuffle": "04_shared_memory"})
    text = made["player_05_warp_shuffle.html"]
    assert text.count("</script>") == 1
    assert players.record_of(files[1], text)["files"][1]["text"] == code
    assert text.endswith("<p>end</p>")


def test_a_page_without_a_record_is_named(files):
    files[0].write_text("<p>other</p>", "utf-8")
    with pytest.raises(InputError, match=r"04_shared_memory\.html: is no page"):
        players.pages(files, {"05_warp_shuffle": "04_shared_memory"})
