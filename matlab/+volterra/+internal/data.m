function [u, y] = data(u, y)
% Inputs and outputs of matrices, timetables or iddata objects; a vector is a column.
  if isa(u, 'iddata')
    y = u.OutputData;
    u = u.InputData;
  end
  u = volterra.internal.as_rows(u, 'u');
  y = volterra.internal.as_rows(y, 'y');
end
