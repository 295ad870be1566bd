function found = mcs(losses, varargin)
% volterra.mcs  Model confidence set of the columns of a matrix of losses.
%
%   S = volterra.mcs(LOSSES)                  options: 'size' (0.25), 'method' ('R', 'max'), 'block', 'reps', 'seed'
%
% S.pvalue, S.included, S.mean_loss and S.order have a number for each column.
  found = volterra.internal.call('mcs', struct('losses', volterra.internal.as_rows(losses, 'losses')), varargin);
  found.included = found.included ~= 0;
end
