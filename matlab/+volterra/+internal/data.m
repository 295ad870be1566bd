function [u, y, pairs] = data(u, pairs)
% Inputs, outputs (empty: none) and options of the arguments (U, Y, NAME, VALUE, ...) or (U, NAME, VALUE, ...). U may be an
% iddata object with both; a vector is a column.
  y = [];
  if ~isempty(pairs) && ~ischar(pairs{1})
    y = pairs{1};
    pairs(1) = [];
  end
  if isa(u, 'iddata')
    y = u.OutputData;
    u = u.InputData;
  end
  u = volterra.internal.as_rows(u, 'u');
  y = volterra.internal.as_rows(y, 'y');
end
