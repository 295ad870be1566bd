function [data, columns] = dataset(name, rows, varargin)
% volterra.dataset  Simulate a known system.
%
%   DATA = volterra.dataset(NAME, ROWS)        'lorenz', 'narma10', 'wiener-hammerstein', ... or 'NAME:PARAMETER=VALUE,...'
%   [DATA, COLUMNS] = volterra.dataset(..., 'seed', 1, 'discard', 100)
  given = struct('system', volterra.internal.plain(name));
  if nargin > 1
    given.rows = double(rows);
  end
  found = volterra.internal.call('simulate', given, varargin);
  data = found.data;
  columns = {};
  if isfield(found, 'columns')
    columns = found.columns;
  end
end
