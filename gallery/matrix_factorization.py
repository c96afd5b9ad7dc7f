"""Matrix factorization of film ratings, with biases, through SparseModule and a KVStore.

A rating is predicted as ``mean + user_bias + item_bias + <user_embedding, item_embedding>``.
Each batch touches few rows of the four tables, so their gradients are ``row_sparse`` and the
optimizer, which runs on the store, updates those rows alone.

Koren, Bell, Volinsky: Matrix Factorization Techniques for Recommender Systems, 2009, equation 5.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import symgraph as mx
from symgraph.errors import FormatError

DATA = Path(__file__).parent / "data" / "ml-latest-small" / "ratings.csv"
SCALE = (0.5, 5.0)
"""Lowest and highest rating; a prediction beyond is moved to the end of the scale."""


@dataclass(frozen=True)
class Recipe:
    """How to train: what :func:`train` passes to the module, chosen on split 0."""

    optimizer: str
    batch_size: int
    epochs: int
    params: dict[str, float | bool]


RECIPES = {
    "adam": Recipe("adam", 1024, 10, {"learning_rate": 0.005, "wd": 2e-4, "lazy_update": True}),
    "sgd": Recipe(
        "sgd",
        256,
        35,
        # Summed, not averaged, over the batch: a row's step is that of its own ratings.
        {"learning_rate": 0.015, "wd": 0.12, "rescale_grad": 1.0, "lazy_update": True},
    ),
}


@dataclass(frozen=True)
class Ratings:
    """Who rated what how.

    Shapes
    ------
    user, item : (n,), int64, counted from 0
    score : (n,), float32
    """

    user: np.ndarray
    item: np.ndarray
    score: np.ndarray

    @property
    def num_users(self) -> int:
        return int(self.user.max()) + 1

    @property
    def num_items(self) -> int:
        return int(self.item.max()) + 1

    def __getitem__(self, rows: np.ndarray) -> Ratings:
        return Ratings(self.user[rows], self.item[rows], self.score[rows])


def get_symbol(num_users: int, num_items: int, k: int = 64, mean: float = 0.0) -> mx.sym.Symbol:
    """The network: two embeddings, two biases, a regression output.

    Parameters
    ----------
    num_users, num_items : int
        Rows of the tables.
    k : int
        Number of latent factors.
    mean : float
        Mean rating, to which everything else is added.
    """
    user, item = mx.sym.Variable("user"), mx.sym.Variable("item")
    score = mx.sym.Variable("score")

    def table(ids: mx.sym.Symbol, rows: int, width: int, name: str) -> mx.sym.Symbol:
        return mx.sym.Embedding(
            data=ids, input_dim=rows, output_dim=width, sparse_grad=True, name=name
        )

    taste = table(user, num_users, k, "user_embedding")
    style = table(item, num_items, k, "item_embedding")
    products = mx.sym.elemwise_mul(taste, style, name="products")
    fit = mx.sym.sum_axis(products, axis=1, keepdims=True, name="inner_product")
    bias = mx.sym.elemwise_add(
        table(user, num_users, 1, "user_bias"), table(item, num_items, 1, "item_bias"), name="bias"
    )
    with mx.name.NameManager():  # the sum with a number is named here alike every time
        predicted = mx.sym.elemwise_add(fit, bias, name="prediction") + mean
    return mx.sym.LinearRegressionOutput(data=predicted, label=score, name="rating")


def load_ratings(path: Path = DATA) -> Ratings:
    """Read MovieLens ``ratings.csv``; users and items are numbered anew, without gaps.

    Raises
    ------
    FormatError
        If the file is missing or is no table of ratings.
    """
    if not path.exists():
        told = ": give the path of a MovieLens ratings.csv"
        if path == DATA:
            told = (
                ", as they are part of the source tree and not of the installed package: give "
                "--data gallery/data/ml-latest-small/ratings.csv there, or a MovieLens ratings.csv"
            )
        raise FormatError(f"there are no ratings at {path}{told}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file without rows, refused below
            table = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1, 2), ndmin=2)
    except ValueError as error:
        raise FormatError(f"{path} is no table of userId,movieId,rating: {error}") from None
    if len(table) < 2:
        raise FormatError(f"{path} holds {len(table)} ratings, but at least 2 are required")
    if not np.isfinite(table).all():
        bad = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise FormatError(f"{path}: rating {bad + 1} is {table[bad].tolist()}, which is not finite")
    user, item = (np.unique(table[:, i], return_inverse=True)[1] for i in (0, 1))
    return Ratings(user, item, table[:, 2].astype(np.float32))


def split(ratings: Ratings, seed: int) -> tuple[Ratings, Ratings]:
    """(training, test) parts; a tenth, chosen by ``seed``, is held out."""
    count = len(ratings.score)
    order = np.random.RandomState(seed).permutation(count)
    held_out = -(-count // 10)
    return ratings[order[: count - held_out]], ratings[order[count - held_out :]]


def batches(part: Ratings, batch_size: int, shuffle: bool) -> mx.io.NDArrayIter:
    """An iterator over a part of the ratings."""
    return mx.io.NDArrayIter(
        {"user": part.user, "item": part.item},
        {"score": part.score[:, None]},
        batch_size,
        shuffle=shuffle,
    )


def rmse(module: mx.mod.SparseModule, part: Ratings, batch_size: int = 4096) -> float:
    """Root mean square error of the predictions for ``part``, moved into the scale."""
    predicted = module.predict(batches(part, batch_size, shuffle=False)).asnumpy()
    error = np.clip(predicted[:, 0], *SCALE) - part.score
    return float(np.sqrt(np.mean(np.square(error, dtype=np.float64))))


def train(
    ratings: Ratings,
    recipe: Recipe,
    seed: int = 0,
    k: int = 64,
    epochs: int | None = None,
    on_epoch: Callable[[int, float], None] = lambda epoch, error: None,
) -> tuple[mx.mod.SparseModule, list[float]]:
    """Train on the training part of split ``seed``.

    Parameters
    ----------
    on_epoch : callable
        Called with the number of the epoch, from 1, and the test error after it.

    Returns
    -------
    module : SparseModule
    errors : list of float
        Test RMSE after each epoch.
    """
    mx.random.seed(seed)
    np.random.seed(seed)
    training, test = split(ratings, seed)
    mean = float(training.score.mean())
    module = mx.mod.SparseModule(
        get_symbol(ratings.num_users, ratings.num_items, k, round(mean, 4)),
        data_names=["user", "item"],
        label_names=["score"],
        update_on_kvstore=True,
    )
    errors: list[float] = []

    def measure(epoch: int, *_: object) -> None:
        errors.append(rmse(module, test))
        on_epoch(epoch + 1, errors[-1])

    module.fit(
        batches(training, recipe.batch_size, shuffle=True),
        eval_metric=mx.metric.RMSE(),
        kvstore="local",
        optimizer=recipe.optimizer,
        optimizer_params=dict(recipe.params),
        initializer=mx.init.Mixed([".*bias_weight", ".*"], [mx.init.Zero(), mx.init.Normal(0.05)]),
        num_epoch=epochs or recipe.epochs,
        epoch_end_callback=measure,
    )
    return module, errors
