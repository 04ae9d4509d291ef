"""Inputs of the module's tests, and what must come out."""

import ml_dtypes
import numpy
import scipy.special

DTYPES = {"f32": numpy.float32, "f16": numpy.float16, "bf16": ml_dtypes.bfloat16}

# A number of rows that no block size divides, and rows that begin at every alignment; a short row,
# a long one, and one of many axes.
SHAPES = [(1,), (7,), (5, 33), (9, 1000), (3, 4096), (2, 3, 1, 65), (33, 128)]
ONE_ROW_SHAPES = [(1,), (1, 33), (1, 1, 4096), (70001,)]


def logits(shape, dtype="f32", seed=0):
    """Normally distributed, with an outlier in each row that is long enough to have one."""
    x = numpy.random.default_rng(seed).normal(scale=3, size=shape)
    if x.ndim and x.shape[-1] > 4:
        x[..., 3] += 12
    return x.astype(DTYPES[dtype])


def double(x):
    return numpy.asarray(x).astype(numpy.float64)


def expected_softmax(x):
    return scipy.special.softmax(double(x), axis=-1)


def expected_log_softmax(x):
    return scipy.special.log_softmax(double(x), axis=-1)


def rounding_of(dtype):
    """Half the distance of a number in [1, 2) from the next one, and of 0 from the next."""
    info = ml_dtypes.finfo(DTYPES[dtype])
    return float(info.eps) / 2, float(info.smallest_subnormal) / 2


def roundings_of(step):
    """How often the storage type rounds what a value is made of. Those that keep exponentials in it
    round the exponential, what a sum adds up, and the quotient."""
    return 3 if step.stores_exponentials else 1
