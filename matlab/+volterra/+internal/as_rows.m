function [x, names] = as_rows(x, what, wanted, inputs)
% A matrix of doubles, one row per time step, and the names of its columns (empty for a matrix). X is a matrix (a vector is a
% column), a table or timetable, or the inputs of an iddata object. Columns of datetimes and durations of a table are times, not
% data. WANTED are the names of the columns that a model requires: they are selected by name if all occur. If some occur, that
% is an error; if none does, the columns are taken by position with a warning. A row vector of INPUTS numbers is one row.
  names = {};
  if nargin < 4
    wanted = {};
    inputs = 0;
  end
  if isa(x, 'iddata')
    names = x.InputName;
    x = x.InputData;
    x = x(:, chosen(names, wanted, what));
  elseif isa(x, 'timetable') || isa(x, 'table')
    names = x.Properties.VariableNames;
    names = names(~cellfun(@(name) isa(x.(name), 'datetime') || isa(x.(name), 'duration'), names));
    names = names(chosen(names, wanted, what));
    for name = names(:)'
      column = x.(name{1});
      if ~(isnumeric(column) || islogical(column)) || size(column, 2) ~= 1
        error('volterra:argument', 'column ''%s'' of %s must be one column of numbers: select the others, T(:, {''u'', ''v''})', ...
              name{1}, what);
      end
    end
    x = cellfun(@(name) double(x.(name)), names(:)', 'UniformOutput', false); % before they are joined: integers would round
    x = [x{:}];
  end
  if ~(isnumeric(x) || islogical(x)) || ~isreal(x) || ndims(x) > 2
    error('volterra:argument', '%s must be a real matrix with one row per time step', what);
  end
  x = double(full(x));
  if isrow(x) && numel(x) > 1 && isempty(names) && numel(x) ~= inputs
    x = x(:);
  end
end

% Indices of the columns WANTED among NAMES.
function index = chosen(names, wanted, what)
  index = 1:numel(names);
  [is_found, at] = ismember(wanted, names);
  if all(is_found) && ~isempty(wanted)
    index = at;
  elseif any(is_found) || (~isempty(wanted) && numel(wanted) ~= numel(names))
    error('volterra:argument', 'the columns of %s are %s, but the model requires %s: rename them, or select columns by name', what, ...
          strjoin(names, ', '), strjoin(wanted, ', '));
  elseif ~isempty(wanted)
    volterra.internal.warn(sprintf('no column of %s (%s) has a name of the model (%s): columns are used by position', what, ...
                                   strjoin(names, ', '), strjoin(wanted, ', ')));
  end
end
