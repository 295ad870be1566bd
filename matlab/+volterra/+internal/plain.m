function x = plain(x)
% A value of an option as char, cells of char and doubles, which the MEX file reads: strings, tables, datetimes and other classes
% of numbers are converted, also inside cells and structs.
  if isa(x, 'string') || isa(x, 'categorical')
    x = cellstr(x);
    if numel(x) == 1
      x = x{1};
    end
  elseif iscell(x)
    x = cellfun(@volterra.internal.plain, x, 'UniformOutput', false);
  elseif isstruct(x) && numel(x) == 1
    for name = fieldnames(x)'
      x.(name{1}) = volterra.internal.plain(x.(name{1}));
    end
  elseif isa(x, 'datetime')
    x.TimeZone = '';
    x = posixtime(x); % seconds since 1970 in its own time zone
  elseif isa(x, 'table') || isa(x, 'timetable')
    x = volterra.internal.as_rows(x, 'the table');
  elseif isnumeric(x)
    x = double(full(x));
  end
end
