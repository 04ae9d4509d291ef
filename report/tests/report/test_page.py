"""The page: self-contained, honest, and small."""

import json
import re

import synthetic


def page_of(place):
    return (place.out / "index.html").read_text("utf-8")


def test_nothing_is_fetched(full_workplace):
    html = page_of(full_workplace)
    assert not re.search(r'(src|href)="(?!#)', html)
    assert not re.search(r"@import|url\((?!#)", html)
    links = set(re.findall(r"https?://[^\"'<> ]+", html))
    assert links <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_it_stays_small(full_workplace):
    assert len(page_of(full_workplace)) < 3_000_000


def test_ids_are_unique(full_workplace):
    ids = re.findall(r'\sid="([^"]+)"', page_of(full_workplace))
    assert len(ids) == len(set(ids))


def test_references_inside_plots_lead_somewhere(full_workplace):
    html = page_of(full_workplace)
    ids = set(re.findall(r'\sid="([^"]+)"', html))
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', html))
    assert used <= ids


def test_recorded_times_are_named_as_such(full_workplace):
    html = page_of(full_workplace)
    assert "on Synthetic GPU, recorded 2026-01-01" in html
    assert "needs 320 GB, 139 GB are free" in html
    assert "0.91×" in html
    assert "fails as stated" in html


def test_without_a_gpu_it_says_so_and_shows_no_time(workplace):
    html = workplace.report()
    assert "no GPU here, and no recorded results" in html
    assert "No times: this machine has no NVIDIA GPU" in html
    assert "µs" not in html.split('<script type="application/json"')[0]


def test_wrong_results_are_loud(workplace):
    rows = synthetic.records()["records"]
    rows[3] |= {"verified": False, "failure": "row 3, column 7: got 0.5 <b>", "max_ulp": None}
    workplace.write("records.json", {"records": rows})
    html = workplace.report()
    assert "1 of 216 measurements gave WRONG RESULTS" in html
    assert 'role="alert"' in html
    assert "row 3, column 7: got 0.5 &lt;b&gt;" in html


def test_what_was_not_verified_is_named(workplace):
    rows = [row for row in synthetic.records()["records"] if row["step"] != "04_fourth"]
    workplace.write("records.json", {"records": rows})
    assert "But 1 of them NOT verified: 04_fourth." in workplace.report()


def test_a_step_of_several_ranks_is_said_to_be_verified_apart(workplace):
    for kernel in (workplace.steps / "05_topk").rglob("*.cu"):
        kernel.write_text(kernel.read_text("utf-8") + "\nWORKLOG_RANK_STEP(launch, {});\n", "utf-8")
    rows = [row for row in synthetic.records()["records"] if row["step"] != "05_topk"]
    workplace.write("records.json", {"records": rows})
    html = workplace.report()
    assert "NOT verified" not in html
    assert "4 steps and 2 variants of them, checked against double precision" in html
    assert "Step 05 and its 1 variant need several ranks: ./worklog step 05 verifies them." in html


def test_all_right_is_quiet(full_workplace):
    assert 'role="alert"' not in page_of(full_workplace)


def test_inequality_of_counts_is_shown(workplace):
    rows = synthetic.records()["records"]
    rows[5]["loads_per_element"] += 1
    workplace.write("records.json", {"records": rows})
    html = workplace.report()
    assert html.count("not equal at every shape") == 1


def test_embedded_data_is_json_and_cannot_end_its_element(full_workplace):
    html = page_of(full_workplace)
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)[1]
    data = json.loads(text)
    assert set(data["labels"]) == set(data["sources"])
    assert data["preferred"]["pair"] == ["03_third", "04_fourth"]
    column = data["countNames"].index("loads per element, counted")
    assert data["counts"]["02_second"]["f32"]["64 × 4000"][column] == 3


def test_neighbours_can_be_compared_without_a_script(full_workplace):
    static = page_of(full_workplace).split("<noscript>")[1].split("</noscript>")[0]
    assert static.count("<details>") == 7
    assert 'class="gone"' in static


# ---- the players of warps ----


def test_a_step_s_code_links_to_the_player_of_its_warps(workplace):
    step = "01_first"
    played = workplace.folder / f"{step}.html"
    played.write_text('<script type="application/json" id="record">{}</script>', "utf-8")
    html = workplace.report("--annotations", workplace.annotations, "--players", played)
    link = f"players/player_{step}.html"
    assert f'<a href="{link}">' in html
    assert (workplace.out / link).read_text("utf-8") == played.read_text("utf-8")
    assert "Watch its warps" not in workplace.report("--annotations", workplace.annotations)
