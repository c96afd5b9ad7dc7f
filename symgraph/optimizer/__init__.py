"""Optimizers, and the updaters that apply them."""

from symgraph.optimizer.adadelta import AdaDelta
from symgraph.optimizer.adagrad import AdaGrad
from symgraph.optimizer.adam import Adam
from symgraph.optimizer.adamax import Adamax
from symgraph.optimizer.base import (
    LazyUpdateWarning,
    Optimizer,
    UnknownOptimizerError,
    create,
    register,
)
from symgraph.optimizer.ftrl import Ftrl
from symgraph.optimizer.nadam import Nadam
from symgraph.optimizer.nag import NAG
from symgraph.optimizer.rmsprop import RMSProp
from symgraph.optimizer.sgd import SGD
from symgraph.optimizer.signum import Signum
from symgraph.optimizer.test import Test
from symgraph.optimizer.updater import Updater, get_updater

ccSGD = SGD  # noqa: N816  MXNet's public name

__all__ = [
    "NAG",
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "LazyUpdateWarning",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "Signum",
    "Test",
    "UnknownOptimizerError",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "register",
]
