"""check_html.py SIMT: what `SIMT run --html FILE` writes, and what it says where it cannot.

docs/record.md describes the record that is looked at here.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
SIMT = sys.argv.pop(1)
ALL_LANES = 0xFFFFFFFF


def run(*words):
    command = [SIMT, "run", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def record_of(page):
    text = page.read_text("utf-8")
    return json.loads(re.search(r'<script [^>]*id="record">(.*?)</script>', text, re.S)[1])


class Html(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.html"

    def test_a_transpose_with_its_source_and_its_warps(self):
        source = HERE / "transpose.cu"
        done = run(source, "--html", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\nWrote {self.page}, which plays", done.stdout)
        record = record_of(self.page)
        self.assertEqual(record["files"], [{"name": source.name, "text": source.read_text()}])
        conflicts, padded = (launch["recorded"] for launch in record["launches"])
        self.assertEqual([block["block"] for block in conflicts["blocks"]], [0, 1])
        block = conflicts["blocks"][0]
        self.assertEqual(block["warps"], 8)
        self.assertEqual([variable["name"] for variable in block["shared"]], ["tile"])
        self.assertEqual([warp["warp"] for warp in block["recorded"]], [0, 1, 2, 3])
        self.assertEqual({array["bytes"] for array in conflicts["arrays"]}, {128 * 128 * 4})
        warp = block["recorded"][0]
        self.assertEqual((warp["lanes"], warp["left_out"]), (ALL_LANES, 0))
        kinds = ["global load", "shared store"] * 4 + ["barrier arrive", "barrier leave"]
        kinds += ["shared load", "global store"] * 4 + ["return"]
        self.assertEqual([event["kind"] for event in warp["events"]], kinds)
        load = warp["events"][0]
        self.assertEqual(conflicts["places"][load["place"]], {"file": source.name, "line": 26})
        self.assertEqual((load["first"], load["stride"], load["sectors"]), (0, 4, 4))
        self.assertEqual(warp["events"][8]["missing"], [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(warp["events"][10]["conflicts"], 31)
        padded_load = padded["blocks"][0]["recorded"][0]["events"][10]
        self.assertEqual(padded_load["wavefronts"], 1)
        self.assertNotIn("conflicts", padded_load)

    def test_a_race_is_a_finding_of_the_page(self):
        done = run(HERE / "reduction.cu", "-D", "RACE", "--html", self.page)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(
            [found["kind"] for found in record_of(self.page)["findings"]], ["shared-race"]
        )

    def test_counts_are_the_same_and_the_json_has_warps_only_beside_a_page(self):
        both = self.folder / "both.json"
        alone = self.folder / "alone.json"
        source = HERE / "scan_warp_shuffle.cu"
        self.assertEqual(run(source, "--html", self.page, "--json", both).returncode, 0)
        self.assertEqual(run(source, "--json", alone).returncode, 0)
        with_warps, without = (json.loads(file.read_text()) for file in (both, alone))
        for launch in with_warps["launches"]:
            self.assertTrue(launch.pop("recorded")["blocks"])
        self.assertEqual(with_warps, without)

    def test_a_file_that_was_there_is_replaced_whole(self):
        self.page.write_text("old" * 1_000_000)
        self.assertEqual(run(HERE / "vector_add.cu", "--html", self.page).returncode, 0)
        self.assertNotIn("oldold", self.page.read_text("utf-8"))
        self.assertEqual(list(self.folder.iterdir()), [self.page])

    def refused(self, file, says):
        done = run(HERE / "vector_add.cu", "--html", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"simt run: error: {file}: {says}", done.stderr)
        self.assertNotIn("launch", done.stdout)

    def test_a_directory_is_refused_before_the_program_runs(self):
        self.refused(self.folder, "is a directory")

    def test_so_is_a_place_that_is_not_there(self):
        file = self.folder / "none" / "page.html"
        self.refused(file, f"cannot be written: there is no directory {file.parent}")

    def test_so_is_a_file_below_a_file(self):
        self.page.write_text("text")
        self.refused(self.page / "below.html", "cannot be written: there is no directory")
        self.assertEqual(self.page.read_text(), "text")


if __name__ == "__main__":
    unittest.main()
