#!/usr/bin/env python3
"""rodinia_inputs.py NAME FILE ... [SIZE ...]: inputs for Rodinia's programs, whose own are not in
its repository. Small, made by a fixed rule, in the format that each program reads."""

import math
import pathlib
import random
import sys


def bfs(file, nodes):
    """A graph: each node's first edge and number of edges, the source, the edges."""
    nodes, degree, chance = int(nodes), 4, random.Random(1)
    lines = [str(nodes), *(f"{node * degree} {degree}" for node in range(nodes))]
    lines += ["", "0", "", str(nodes * degree)]
    # The first edge of each leads to the next, so that all are reached.
    for node in range(nodes):
        ends = [(node + 1) % nodes, *(chance.randrange(nodes) for _ in range(degree - 1))]
        lines += [f"{end} 1" for end in ends]
    write(file, "\n".join(lines) + "\n")


def grid(file, numbers, least, most):
    """A number in each line."""
    chance = random.Random(2)
    values = (chance.uniform(float(least), float(most)) for _ in range(int(numbers)))
    write(file, "".join(f"{value:.6f}\n" for value in values))


def tree(file, commands, keys):
    """Keys of a B+ tree, and commands that search it."""
    keys = int(keys)
    write(file, "".join(f"{number}\n" for number in [keys, *range(keys)]))
    write(commands, f"j {keys // 4} {keys // 20}\n\nk {keys // 2}\n")


def mesh(file, elements):
    """Of each element its area, and of its four neighbours the number and the normal. Those of a
    ring of cells that are as long as wide; below 0 is a wall, from -2 on the far field."""
    elements = int(elements)
    lines = [str(elements)]
    sides = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    for element in range(elements):
        neighbours = ((element + 1) % elements, (element - 1) % elements, -2, -1)
        words = ["1.0"]
        for neighbour, normal in zip(neighbours, sides, strict=True):
            words += [str(neighbour + 1 if neighbour >= 0 else neighbour), *map(str, normal)]
        lines.append(" ".join(words))
    write(file, "\n".join(lines) + "\n")


def points(file, number, features):
    chance = random.Random(3)
    lines = []
    for point in range(int(number)):
        values = (f"{chance.uniform(0, 100):.3f}" for _ in range(int(features)))
        lines.append(" ".join([str(point), *values]))
    write(file, "\n".join(lines) + "\n")


def records(file_list, database, number):
    """Hurricanes in lines of 48 characters, with latitude and longitude in places 28 and 33."""
    chance, lines = random.Random(4), []
    for record in range(int(number)):
        latitude, longitude = chance.uniform(7, 63), chance.uniform(0, 358)
        head = f"1990 {record % 12 + 1:2} 10 12 {record % 30:3} storm"
        lines.append(f"{head:<28}{latitude:5.1f}{longitude:5.1f}   60  80")
    write(database, "".join(f"{line[:48]:<48}\n" for line in lines))
    write(file_list, f"{database}\n")


def picture(file, columns, rows):
    """A PGM with numbers in letters: waves."""
    columns, rows = int(columns), int(rows)
    lines = ["P2", f"{columns} {rows}", "255"]
    for row in range(rows):
        values = (128 + 100 * math.sin(row / 7) * math.cos(i / 5) for i in range(columns))
        lines.append(" ".join(str(int(value)) for value in values))
    write(file, "\n".join(lines) + "\n")


def bytes_of(file, number):
    """Bytes of which some are frequent."""
    chance = random.Random(5)
    data = bytes(min(255, int(chance.expovariate(0.05))) for _ in range(int(number)))
    path = pathlib.Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def write(file, text):
    path = pathlib.Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "ascii")


MAKERS = {maker.__name__: maker for maker in
          (bfs, grid, tree, mesh, points, records, picture, bytes_of)}  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in MAKERS:
        sys.exit(f"{__doc__}\nNAME is one of {', '.join(MAKERS)}")
    MAKERS[sys.argv[1]](*sys.argv[2:])
