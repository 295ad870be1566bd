function model = tune(x, varargin)
% volterra.tune  Search the parameters of a kernel by cross-validation in time order, and fit the best.
%
%   model = volterra.tune(X, Y, NAME, VALUE, ...)     X only: the next values of X are the targets
%
% Options: those of volterra.fit except 'alpha', and
%   'draws'    number of candidates (100, unless 'budget' is given)
%   'budget'   seconds
%   'ranges'   struct of ranges: [low high] (logarithmic), {'linear', low, high}, {'integer', low, high}, or a cell of words
%   'search'   'random', 'adaptive' or 'cma'
%   'score', 'folds', 'race', 'validate', 'start', 'gap', 'min_train', 'max_train', 'seed', 'log', 'resume'
%   'feedback' 1: past outputs are inputs, with a searched weight
%
% model.Info.trials has the candidates, model.Info.score the score of the best.
%
%   u = volterra.dataset('narma10', 300);
%   best = volterra.tune(u(:, 1), u(:, 2), 'draws', 20)
%
% See also volterra.fit.
  [given, pairs] = volterra.internal.data(x, varargin, {'X', 'Y'});
  model = volterra.Model(volterra.internal.call('tune', given, pairs));
end
