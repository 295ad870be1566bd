function [prediction, lower, upper] = predict(model, x, varargin)
% volterra.predict  Predict the targets of inputs.
%
%   Y = volterra.predict(MODEL, X)                     the rows of X follow the training rows
%   [Y, LOWER, UPPER] = volterra.predict(MODEL, X, 'coverage', 0.9)
%
% Options: 'start' ('continue' or 'reset'), 'coverage', 'beyond' ('clip', 'error', 'allow'), 'records', and for models with a
% feedback weight 'known' (measured outputs that are fed back) and 'warm_up' (number of leading rows for which they are).
% LOWER and UPPER are cells with a matrix for each coverage, or a matrix for one.
%
% See also volterra.simulate, volterra.fit.
  if isa(x, 'iddata')
    x = x.InputData;
  end
  call_arguments = struct('model', model.Handle, 'X', volterra.internal.as_rows(x, 'x'));
  found = volterra.internal.call('predict', volterra.internal.options(call_arguments, varargin));
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
