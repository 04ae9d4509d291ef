"""Counts verdicts, and says whether enough mutants are killed."""

import collections

FEWEST_KILLED = 0.95  # of those that are judged
NOT_JUDGED = ["equivalent", "needs a GPU", "does not compile"]
HEAD = ["step", "judged", "killed", "of them by time", "survived", "share", *NOT_JUDGED]


def table(rows):
    """Lines of a table: the first row is its head, words stand left and numbers right."""
    widths = [max(len(str(row[at])) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(
            [
                str(row[0]).ljust(widths[0]),
                *(str(cell).rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )


class Count:
    """The verdicts of a step's mutants."""

    def __init__(self, verdicts):
        self._of = collections.Counter(verdicts)

    @property
    def killed(self):
        return self._of["killed"] + self._of["killed by time"]

    @property
    def judged(self):
        return self.killed + self._of["survived"]

    @property
    def is_enough(self):
        return self.judged > 0 and self.killed >= FEWEST_KILLED * self.judged

    @property
    def mostly_compiles(self):
        """Else something other than the mistakes keeps the compiler from taking the mutants."""
        return self._of["does not compile"] <= self.judged

    def row(self, step):
        share = f"{100 * self.killed / self.judged:.1f} %" if self.judged else "-"
        return [
            step,
            self.judged,
            self.killed,
            self._of["killed by time"],
            self._of["survived"],
            share,
            *(self._of[verdict] for verdict in NOT_JUDGED),
        ]


def too_few_killed(counts):
    """The names of those whose tests let too many mutants through."""
    return [name for name, count in counts.items() if not count.is_enough]
