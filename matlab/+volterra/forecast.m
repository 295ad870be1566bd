function found = forecast(series, varargin)
% volterra.forecast  Forecast one or several series, with expected errors and intervals.
%
%   F = volterra.forecast(Y)                 one row per time step, one column per series
%   F = volterra.forecast(Y, 'steps', 12, 'coverage', [0.8 0.95], ...)
%
% Further options: 'season' (rows, 'auto' or 'none'), 'known', 'kernel', 'separate', 'all_rows', 'budget', 'seed', 'times'
% (seconds since 1970, one per row).
%
% F.forecast and F.error (expected errors) are steps x series, F.lower and F.upper cells with a matrix for each coverage,
% F.mase and F.season have a number for each series, F.weights the weights of the methods F.members. With regular 'times',
% F.times are those of the steps.
% Without an output argument the forecast is plotted.
  y = volterra.internal.as_rows(series, 'series');
  [row, column] = find(~isfinite(y), 1);
  if ~isempty(row)
    error('volterra:not_finite', 'row %d of series %d is %g: drop or interpolate missing values', row, column, y(row, column));
  end
  call_arguments = volterra.internal.options(struct('series', y), varargin);
  if ~isfield(call_arguments, 'coverage')
    call_arguments.coverage = [0.8 0.95];
  end
  found = volterra.internal.call('forecast', call_arguments);
  found.coverage = call_arguments.coverage;
  if nargout == 0
    n = size(y, 1);
    h = size(found.forecast, 1);
    plot(max(1, n - 5 * h):n, y(max(1, n - 5 * h):n, 1), 'k');
    hold on;
    for k = 1:numel(found.lower)
      plot(n + (1:h), [found.lower{k}(:, 1), found.upper{k}(:, 1)], 'Color', [0.6 0.6 0.6]);
    end
    plot(n + (0:h), [y(n, 1); found.forecast(:, 1)], 'b', 'LineWidth', 1.5);
    hold off;
    xlabel('row');
    clear found
  end
end
