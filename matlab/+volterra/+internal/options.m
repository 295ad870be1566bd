function call_arguments = options(call_arguments, pairs)
% Add name-value pairs to the arguments of a call.
  if mod(numel(pairs), 2) ~= 0
    error('volterra:argument', 'options must be pairs of a name and a value');
  end
  for i = 1:2:numel(pairs)
    name = pairs{i};
    if ~ischar(name)
      error('volterra:argument', 'the name of option %d must be a text', (i + 1) / 2);
    end
    given = pairs{i + 1};
    if any(strcmp(name, {'records', 'test_records'})) && ~isempty(given)
      given = volterra.internal.lengths(given);
    elseif isa(given, 'float') && ~isa(given, 'double')
      given = double(given);
    elseif isinteger(given)
      given = double(given);
    end
    call_arguments.(name) = given;
  end
end
