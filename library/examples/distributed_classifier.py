"""Trains a small classifier whose classes are split among processes, and the same one unsplit.

    torchrun --nproc-per-node 4 library/examples/distributed_classifier.py

All processes have the hidden layer, and each the last layer's weights for its own classes: nobody
has a whole row of logits. The losses are those of PyTorch's cross-entropy over all classes in one
process, within what adding in another order makes of them.
"""

import os
import sys

import torch
import torch.distributed as dist

import softmax_worklog
import softmax_worklog.distributed as ours

CLASSES = 10
FEATURES = 16
HIDDEN = 32
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


def layers(columns: range) -> tuple[torch.nn.Linear, torch.nn.Linear]:
    """The hidden layer, and the last one's outputs for these classes."""
    torch.manual_seed(0)
    hidden, last = torch.nn.Linear(FEATURES, HIDDEN), torch.nn.Linear(HIDDEN, CLASSES)
    mine = torch.nn.Linear(HIDDEN, len(columns))
    with torch.no_grad():
        mine.weight.copy_(last.weight[columns.start : columns.stop])
        mine.bias.copy_(last.bias[columns.start : columns.stop])
    return hidden.to(DEVICE), mine.to(DEVICE)


def added_up(gradient: torch.Tensor) -> torch.Tensor:
    """Each process has its own classes' part of the hidden layer's gradient."""
    gradient = gradient.contiguous()
    dist.all_reduce(gradient)
    return gradient


def train(columns: range, cross_entropy) -> list[float]:
    """The loss of each epoch."""
    hidden, last = layers(columns)
    parameters = [*hidden.parameters(), *last.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.5, momentum=0.9)
    x, labels = points(512)
    losses = []
    for epoch in range(EPOCHS):
        optimizer.zero_grad()
        features = hidden(x).relu()
        if len(columns) < CLASSES:
            features.register_hook(added_up)
        loss = cross_entropy(last(features), labels, epoch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> int:
    if DEVICE == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("gloo" if DEVICE == "cpu" else "nccl")
    mine = ours.columns_of(CLASSES)

    def split(logits: torch.Tensor, labels: torch.Tensor, epoch: int) -> torch.Tensor:
        # What fits together in the first epoch does so in the next ones.
        return ours.cross_entropy(logits, labels, first_column=mine.start, check=epoch == 0)

    def unsplit(logits: torch.Tensor, labels: torch.Tensor, epoch: int) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(logits, labels)

    losses = train(mine, split)
    expected = train(range(CLASSES), unsplit)
    if dist.get_rank() == 0:
        print(f"epoch  {dist.get_world_size()} processes  one")
        for epoch, (split_loss, loss) in enumerate(zip(losses, expected, strict=True), 1):
            print(f"{epoch:5}  {split_loss:11.5f}  {loss:7.5f}")
    dist.destroy_process_group()
    learns = losses[-1] < 0.5 * losses[0]
    same = all(abs(a - b) < 1e-4 * b for a, b in zip(losses, expected, strict=True))
    return 0 if same and learns else 1


if __name__ == "__main__":
    sys.exit(main())
