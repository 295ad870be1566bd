function stream = stream(model, varargin)
% volterra.stream  Run a model row by row.
%
%   s = volterra.stream(MODEL)                options: 'start' ('continue' or 'reset'), 'learn', 'window', 'forget'
%   y = feed(s, x)                            prediction of the next row
%   learn(s, y)                               its target, with 'learn', true
  call_arguments = volterra.internal.options(struct('model', model.Handle), varargin);
  found = volterra.internal.call('stream', call_arguments);
  stream = volterra.Stream(found.stream, model);
end
