function numbers = seconds(times)
% Seconds since 1970 of numbers (seconds already) or of a datetime array in its own time zone; a column.
  if isa(times, 'datetime')
    times.TimeZone = '';
    times = posixtime(times);
  end
  numbers = double(times(:));
end
