"""A user's script with one mistake in each line marked ``# wrong``, which type checkers must report there, and only there."""

from __future__ import annotations

import numpy as np
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV

u, y = volterra.datasets.narma10(600, seed=1)
VolterraRidge(start="begin")  # wrong
VolterraRidge(beyond="ignore")  # wrong
VolterraRidge(target="levels")  # wrong
VolterraRidge(input="changes")  # wrong
VolterraRidge(season="daily")  # wrong
VolterraRidge(alpha="atuo")  # wrong
SequenceKernelRidge("rbf", layout="rows")  # wrong
SequenceKernelRidge(kernel=3)  # wrong
VolterraRidgeCV(race="slow")  # wrong
VolterraRidgeCV(search="grid")  # wrong
VolterraRidgeCV(method="newton")  # wrong
VolterraRidgeCV(scoring="accuracy")  # wrong
VolterraRidgeCV(folds_by="groups")  # wrong
VolterraRidgeCV(validate="free")  # wrong
VolterraRidgeCV(solver="pcg")  # wrong
model = VolterraRidge().fit(u, y)
model.predict(u, start="begin")  # wrong
model.predict(3)  # wrong
model.stream(start="auto")  # wrong
model.forecast("ten")  # wrong
model.predict_interval(u, coverage="90%")  # wrong
text: str = model.predict(u)  # wrong
model.predict(u).iloc  # wrong
volterra.baseline("mean", y)  # wrong
volterra.MCS(u, method="median")  # wrong
volterra.datasets.lorenz(100, method="euler")  # wrong
volterra.gram(u, layout="rows")  # wrong
volterra.SeriesAnomaly(score="distance")  # wrong
volterra.SeriesClassifier(scale="rows")  # wrong
volterra.VolterraClassifier(start="begin")  # wrong
model.learner(forget_what="none")  # wrong
print(np.mean(model.predict(u)))
