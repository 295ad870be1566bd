function [given, pairs, u_names, y_names] = data(u, pairs, fields)
% Arguments of a call with inputs, outputs (empty: none) and the names of their columns, and options, of the arguments
% (U, Y, NAME, VALUE, ...) or (U, NAME, VALUE, ...). U may be an iddata object with both. FIELDS are the names of the inputs and
% outputs in the call.
  y = [];
  if isa(u, 'iddata')
    y = u.OutputData;
    y_names = u.OutputName;
  elseif ~isempty(pairs) && ~ischar(pairs{1}) && ~isa(pairs{1}, 'string')
    [y, y_names] = volterra.internal.as_rows(pairs{1}, 'y');
    pairs(1) = [];
  end
  [u, u_names] = volterra.internal.as_rows(u, 'u');
  if isempty(y)
    y_names = u_names;
  end
  given = struct(fields{1}, u, fields{2}, volterra.internal.as_rows(y, 'y'));
  if ~isempty(u_names)
    given.input_names = u_names(:);
  end
  if ~isempty(y_names)
    given.output_names = y_names(:);
  end
end
