function [found, given] = call(name, given, pairs, columns)
% Call a function of the library (bindings/call.h) with the arguments GIVEN, a struct, and with options, PAIRS of names and values.
% COLUMNS has the names of the columns of options that may be tables.
  if exist('volterra_mex') ~= 3
    error('volterra:build', 'volterra_mex is missing: run build_volterra in the folder matlab, and add it to the path');
  end
  if nargin < 4
    columns = struct();
  end
  if nargin > 2
    given = with_options(given, pairs, columns);
  end
  found = volterra_mex('call', name, given);
  if isfield(found, 'error_identifier')
    error(found.error_identifier, '%s', found.error_message);
  end
  if isfield(found, 'warnings')
    cellfun(@volterra.internal.warn, found.warnings);
    found = rmfield(found, 'warnings');
  end
end

function given = with_options(given, pairs, columns)
  if mod(numel(pairs), 2) ~= 0
    error('volterra:argument', 'options must be pairs of a name and a value');
  end
  for i = 1:2:numel(pairs)
    name = volterra.internal.plain(pairs{i});
    x = pairs{i + 1};
    if ~ischar(name)
      error('volterra:argument', 'the name of option %d must be a text', (i + 1) / 2);
    end
    if isfield(columns, name) && (isa(x, 'table') || isa(x, 'timetable'))
      x = volterra.internal.as_rows(x, name, columns.(name), 0);
    end
    x = volterra.internal.plain(x);
    if any(strcmp(name, {'records', 'test_records'})) && ~isempty(x)
      x = lengths(x);
    end
    given.(name) = x;
  end
end

% Lengths of the runs of equal values: one record for each run.
function lengths = lengths(records)
  if iscellstr(records)
    [~, ~, records] = unique(records);
  end
  records = records(:);
  ends = [find(diff(records) ~= 0); numel(records)];
  if numel(unique(records(ends))) < numel(ends)
    error('volterra:argument', 'the rows of a record must be consecutive');
  end
  lengths = diff([0; ends]);
end
