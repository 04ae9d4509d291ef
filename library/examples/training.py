"""Trains a small classifier with PyTorch, once with our cross-entropy and once with PyTorch's own.

    python library/examples/training.py

The losses of both are the same, within what adding in another order makes of them.
"""

import sys

import torch

import softmax_worklog
import softmax_worklog.torch as ours

CLASSES = 10
FEATURES = 16
EPOCHS = 12
DEVICE = "cpu" if softmax_worklog.machine() == "cpu" else "cuda"


def points(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Around a centre for each class, and the classes; some are not known."""
    generator = torch.Generator().manual_seed(1)
    centres = torch.randn(CLASSES, FEATURES, generator=generator)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    x = centres[labels] + 0.8 * torch.randn(count, FEATURES, generator=generator)
    labels[::25] = -100
    return x.to(DEVICE), labels.to(DEVICE)


def train(cross_entropy) -> tuple[list[float], torch.nn.Module]:
    """The loss of each epoch, and the model."""
    torch.manual_seed(0)
    layers = torch.nn.Linear(FEATURES, 32), torch.nn.ReLU(), torch.nn.Linear(32, CLASSES)
    model = torch.nn.Sequential(*layers).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    x, labels = points(512)
    losses = []
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        loss = cross_entropy(model(x), labels, label_smoothing=0.05)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model


def main() -> int:
    losses, model = train(ours.cross_entropy)
    expected, _ = train(torch.nn.functional.cross_entropy)
    print("epoch  our loss  PyTorch's")
    for epoch, (mine, other) in enumerate(zip(losses, expected, strict=True), 1):
        print(f"{epoch:5}  {mine:8.5f}  {other:9.5f}")
    x, labels = points(512)
    likely = ours.topk(model(x), 1, probabilities=True)
    known = labels >= 0
    right = (likely.indices[:, 0] == labels)[known].float().mean().item()
    print(f"{right:.0%} of the labels are the most probable class")
    learns = losses[-1] < 0.5 * losses[0]
    same = all(abs(a - b) < 1e-4 * b for a, b in zip(losses, expected, strict=True))
    return 0 if same and learns else 1


if __name__ == "__main__":
    sys.exit(main())
