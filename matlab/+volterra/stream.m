function stream = stream(model, varargin)
% volterra.stream  Run a model row by row.
%
%   s = volterra.stream(MODEL)                options: 'start' ('continue' or 'reset'), 'learn', 'window', 'forget'
%   y = feed(s, x)                            prediction of the next row
%   learn(s, y)                               its target, with 'learn', true
  found = volterra.internal.call('stream', struct('model', model.Handle), varargin);
  stream = volterra.Stream(found.stream, model);
end
