"""bench/peer_by_draw.py: the peer's estimator with a whole draw as its only parameter.

RandomizedSearchCV draws its parameters separately, but the range of lambda depends on tau; with complete draws it tries exactly
those. A separate module, so that processes of joblib can import it.
"""

from tune_peer import VolterraRidge


class VolterraRidgeByDraw(VolterraRidge):
    """`draw` is (tau, lambda, alpha)."""

    def __init__(self, draw=(0.1, 0.1, 1.0)):
        self.draw = draw

    def fit(self, X, Y):
        self.tau, self.lambda_, self.alpha = self.draw
        return super().fit(X, Y)
