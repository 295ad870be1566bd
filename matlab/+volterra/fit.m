function model = fit(x, varargin)
% volterra.fit  Fit a kernel model to one sequence of inputs and targets.
%
%   model = volterra.fit(X, Y)           targets Y, row by row with the inputs X (one row per time step)
%   model = volterra.fit(X)              the next values of X are the targets
%   model = volterra.fit(DATA)           an iddata object
%   model = volterra.fit(..., NAME, VALUE, ...)
%
% X and Y are matrices, tables or timetables; a model of a table stores the names of its columns, and volterra.predict selects them.
% Texts are char or string. Options, with the names of the C library:
%   'kernel'            kernel text, 'volterra'
%   'alpha'             regularisation; default: chosen on held-out rows
%   'ahead'             horizon in rows, or [first last]; default: 0 with Y, 1 without
%   'records'           record of each row; every record starts from the initial state
%   'intercept', 'scale', 'scale_each'    true or false
%   'washout'           leading rows of every record that are excluded from the fit
%   'target'            'auto', 'level' or 'change'
%   'input'             'auto', 'level', 'change' or 'both'
%   'season'            rows, 'auto' or 'none'
%   'feedback_weight'   > 0: past outputs are inputs
%   'solver', 'landmarks', 'landmark_choice', 'initial', 'loss', 'tolerance', 'keep_factor'
%
% Errors have the identifiers volterra:argument, volterra:kernel, volterra:shape, volterra:not_finite, volterra:data, ...
%
%   u = volterra.dataset('narma10', 300);
%   model = volterra.fit(u(:, 1), u(:, 2))
%
% See also volterra.predict, volterra.tune, volterra.identify.
  [given, pairs] = volterra.internal.data(x, varargin, {'X', 'Y'});
  model = volterra.Model(volterra.internal.call('fit', given, pairs));
end
