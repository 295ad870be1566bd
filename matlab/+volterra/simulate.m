function y = simulate(model, u, varargin)
% volterra.simulate  Simulate a model on a new sequence of inputs.
%
%   Y = volterra.simulate(MODEL, U)
%   Y = volterra.simulate(MODEL, U, 'known', Y0, 'warm_up', N)   the first N measured outputs set the state
%
% U may be a table, as in volterra.predict. The same as volterra.predict with 'start', 'reset': outputs are fed back where the model has feedback.
%
% See also volterra.sim, volterra.compare, volterra.identify, volterra.predict.
  y = volterra.predict(model, u, 'start', 'reset', varargin{:});
end
