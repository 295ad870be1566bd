function y = sim(model, u, varargin)
% volterra.sim  Simulate a model on a new sequence of inputs; the same as volterra.simulate.
%
%   Y = volterra.sim(MODEL, U)
%   Y = volterra.sim(MODEL, U, 'known', Y0, 'warm_up', N)   the first N measured outputs set the state
%
% See also volterra.simulate, volterra.compare.
  y = volterra.simulate(model, u, varargin{:});
end
