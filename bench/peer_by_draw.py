"""bench/peer_by_draw.py: the peer's estimator with one parameter, a whole draw.

RandomizedSearchCV draws its parameters one by one, and the range of lambda depends on tau; given complete
draws it tries exactly those. A module of its own, so that processes of joblib can import it.
"""

from tune_peer import VolterraRidge


class VolterraRidgeByDraw(VolterraRidge):
    """`draw` is (tau, lambda, alpha)."""

    def __init__(self, draw=(0.1, 0.1, 1.0)):
        self.draw = draw

    def fit(self, X, Y):
        self.tau, self.lambda_, self.alpha = self.draw
        return super().fit(X, Y)
