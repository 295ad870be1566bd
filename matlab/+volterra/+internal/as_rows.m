function x = as_rows(x, name)
% A matrix of doubles, one row per time step; a vector is a column.
  if isa(x, 'timetable') || isa(x, 'table')
    x = x{:, vartype('numeric')};
  end
  if ~(isnumeric(x) || islogical(x)) || ~isreal(x) || ndims(x) > 2
    error('volterra:argument', '%s must be a real matrix with one row per time step', name);
  end
  x = double(full(x));
  if isrow(x) && numel(x) > 1
    x = x(:);
  end
end
