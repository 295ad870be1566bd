function [prediction, lower, upper] = predict(model, x, varargin)
% volterra.predict  Predict the targets of inputs.
%
%   Y = volterra.predict(MODEL, X)                     the rows of X follow the training rows
%   [Y, LOWER, UPPER] = volterra.predict(MODEL, X, 'coverage', 0.9)
%
% X is a matrix, a table, a timetable or an iddata object. Columns of a table are selected by the names of the model's inputs. If
% only some of them occur, that is an error; if none does, columns are taken by position, with a warning.
%
% Options: 'start' ('continue' or 'reset'), 'coverage', 'beyond' ('clip', 'error', 'allow'), 'records', and for models with a
% feedback weight 'known' (measured outputs that are fed back) and 'warm_up' (number of leading rows for which they are).
% LOWER and UPPER are cells with a matrix for each coverage, or a matrix for one.
%
% See also volterra.simulate, volterra.fit.
  given = struct('model', model.Handle, 'X', rows_of(model, x));
  found = volterra.internal.call('predict', given, varargin, struct('known', {model.output_names}));
  prediction = found.prediction;
  lower = [];
  upper = [];
  if isfield(found, 'lower')
    lower = found.lower;
    upper = found.upper;
    if numel(lower) == 1
      lower = lower{1};
      upper = upper{1};
    end
  end
end
