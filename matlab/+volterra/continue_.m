function y = continue_(model, steps, varargin)
% volterra.continue_  Continue a series with a model that was fitted without targets: its outputs are its next inputs.
%
%   Y = volterra.continue_(MODEL, STEPS)
%   Y = volterra.continue_(MODEL, STEPS, 'X', ROWS)   rows after the training rows that are fed first
  call_arguments = struct('model', model.Handle, 'steps', double(steps));
  call_arguments = volterra.internal.options(call_arguments, varargin, struct('X', {model.input_names}));
  found = volterra.internal.call('continue', call_arguments);
  y = found.prediction;
end
