function t = table(varargin)
% Stands in for the class of MATLAB, which Octave does not have: table(NAME, COLUMN, NAME, COLUMN, ...).
  t = class(struct('names', {varargin(1:2:end)}, 'columns', {varargin(2:2:end)}), 'table');
end
