function y = continue_(model, steps, varargin)
% volterra.continue_  Continue a series with a model that was fitted without targets: its outputs are its next inputs.
%
%   Y = volterra.continue_(MODEL, STEPS)
%   Y = volterra.continue_(MODEL, STEPS, 'X', ROWS)   rows after the training rows that are fed first
  given = struct('model', model.Handle, 'steps', double(steps));
  found = volterra.internal.call('continue', given, varargin, struct('X', {model.input_names}));
  y = found.prediction;
end
