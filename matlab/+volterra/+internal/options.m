function call_arguments = options(call_arguments, pairs, columns)
% Add name-value pairs to the arguments of a call. COLUMNS has the names of the columns of options that may be tables.
  if mod(numel(pairs), 2) ~= 0
    error('volterra:argument', 'options must be pairs of a name and a value');
  end
  for i = 1:2:numel(pairs)
    name = volterra.internal.plain(pairs{i});
    if ~ischar(name)
      error('volterra:argument', 'the name of option %d must be a text', (i + 1) / 2);
    end
    given = pairs{i + 1};
    if nargin > 2 && isfield(columns, name) && (isa(given, 'table') || isa(given, 'timetable'))
      given = volterra.internal.as_rows(given, name, columns.(name), 0);
    end
    given = volterra.internal.plain(given);
    if any(strcmp(name, {'records', 'test_records'})) && ~isempty(given)
      given = volterra.internal.lengths(given);
    end
    call_arguments.(name) = given;
  end
end
