function x = only_option(name, x, pairs)
% The value of the option NAME in PAIRS, or the default X. Other options are errors.
  for i = 1:2:numel(pairs) - 1
    given = volterra.internal.plain(pairs{i});
    if ~isequal(given, name)
      error('volterra:argument', 'unknown argument ''%s''; the option is ''%s''', given, name);
    end
    x = pairs{i + 1};
  end
  if mod(numel(pairs), 2) ~= 0
    error('volterra:argument', 'options must be pairs of a name and a value');
  end
end
