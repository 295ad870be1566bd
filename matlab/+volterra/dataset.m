function [data, columns] = dataset(name, rows, varargin)
% volterra.dataset  Simulate a known system.
%
%   DATA = volterra.dataset(NAME, ROWS)        'lorenz', 'narma10', 'wiener-hammerstein', ... or 'NAME:PARAMETER=VALUE,...'
%   [DATA, COLUMNS] = volterra.dataset(..., 'seed', 1, 'discard', 100)
  call_arguments = struct('system', volterra.internal.plain(name));
  if nargin > 1
    call_arguments.rows = double(rows);
  end
  found = volterra.internal.call('simulate', volterra.internal.options(call_arguments, varargin));
  data = found.data;
  columns = {};
  if isfield(found, 'columns')
    columns = found.columns;
  end
end
