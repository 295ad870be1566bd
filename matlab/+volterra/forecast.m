function found = forecast(series, varargin)
% volterra.forecast  Forecast one or several series, with expected errors and intervals.
%
%   F = volterra.forecast(Y)                 one row per time step, one column per series; a table or timetable with times
%   F = volterra.forecast(Y, 'steps', 12, 'coverage', [0.8 0.95], ...)
%   volterra.forecast(...)                   plot of the first six series with intervals
%
% Further options: 'season' (rows, 'auto' or 'none'), 'known' (further inputs, a matrix or table), 'kernel', 'separate',
% 'all_rows', 'budget', 'seed', 'times' (one per row: a datetime array, or seconds since 1970; default: the times of a timetable,
% or the column of datetimes of a table).
%
% F.forecast and F.error (expected errors) are steps x series, F.lower and F.upper cells with a matrix for each coverage,
% F.mase and F.season have a number for each series, F.weights the weights of the methods F.members. F.names are the columns of a
% table. With regular times, F.times are those of the steps, of the class of the times given.
  [y, names] = volterra.internal.as_rows(series, 'series');
  [row, column] = find(~isfinite(y), 1);
  if ~isempty(row)
    error('volterra:not_finite', 'row %d of series %d is %g: drop or interpolate missing values', row, column, y(row, column));
  end
  times = times_of(series);
  for i = 1:2:numel(varargin) - 1
    if isequal(volterra.internal.plain(varargin{i}), 'times')
      times = varargin{i + 1};
    end
  end
  given = struct('series', y, 'coverage', [0.8 0.95]);
  if ~isempty(times)
    given.times = volterra.internal.plain(times);
  end
  if ~isempty(names)
    given.names = names(:);
  end
  [found, given] = volterra.internal.call('forecast', given, varargin);
  found.coverage = given.coverage;
  found.names = names;
  if nargout == 0
    draw(y, found, given);
    clear found
  elseif isfield(found, 'times') && isa(times, 'datetime')
    zone = times.TimeZone;
    times = datetime(found.times(:), 'ConvertFrom', 'posixtime'); % local
    times.TimeZone = zone;
    found.times = times;
  end
end

% Times of a timetable, or the only column of datetimes of a table; empty: none.
function times = times_of(series)
  times = [];
  if isa(series, 'timetable')
    times = series.Properties.RowTimes;
    if ~isa(times, 'datetime')
      times = [];
    end
  elseif isa(series, 'table')
    names = series.Properties.VariableNames;
    names = names(cellfun(@(name) isa(series.(name), 'datetime'), names));
    if numel(names) == 1
      times = series.(names{1});
    end
  end
end

function draw(y, found, given)
  [h, shown] = size(found.forecast);
  shown = min(6, shown);
  n = size(y, 1);
  first = max(1, n - max(48, 4 * h) + 1);
  x = (1:n + h)';
  is_dated = isfield(found, 'times');
  if is_dated
    x = [given.times(:); found.times(:)] / 86400 + 719529; % datenum
  end
  [~, wide_first] = sort(found.coverage, 'descend');
  shades = linspace(0.85, 0.65, numel(found.coverage))';
  for j = 1:shown
    subplot(shown, 1, j);
    bands = [];
    hold off;
    for b = 1:numel(wide_first)
      k = wide_first(b);
      low = [y(n, j); found.lower{k}(:, j)];
      high = [y(n, j); found.upper{k}(:, j)];
      bands(b) = fill([x(n:n + h); flipud(x(n:n + h))], [low; flipud(high)], shades(b) * [1 1 1] + [-0.12 -0.02 0.1], ...
                      'EdgeColor', 'none');
      hold on;
    end
    history = plot(x(first:n), y(first:n, j), 'k');
    hold on;
    values = plot(x(n:n + h), [y(n, j); found.forecast(:, j)], 'Color', [0 0.35 0.7], 'LineWidth', 1.5);
    hold off;
    xlim([x(first), x(n + h)]);
    set(gca(), 'Layer', 'top', 'Box', 'on');
    if is_dated
      span = x(n + h) - x(first);
      formats = {'HH:MM', 'mm-dd HH:MM', 'yyyy-mm-dd', 'yyyy-mm', 'yyyy'};
      datetick('x', formats{1 + sum(span > [1 5 200 2500])}, 'keeplimits');
    else
      xlabel('row');
    end
    if ~isempty(found.names)
      ylabel(found.names{j}, 'Interpreter', 'none');
    end
    if j == 1
      labels = arrayfun(@(c) sprintf('%g %% interval', 100 * c), found.coverage(wide_first), 'UniformOutput', false);
      legend([history, values, bands], [{'series', 'forecast'}, labels(:)'], 'Location', 'northoutside', 'Orientation', 'horizontal');
    end
  end
end
