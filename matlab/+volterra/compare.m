function [y, fit] = compare(varargin)
% volterra.compare  Compare measured and simulated outputs.
%
%   volterra.compare(DATA, MODEL, ...)                 plot with the fit of each model in percent
%   [Y, FIT] = volterra.compare(DATA, MODEL, ...)      simulated outputs and fits (outputs x 1); cells for several models
%   volterra.compare(U, Y, MODEL, ...)                 inputs and measured outputs, row by row
%   volterra.compare(..., 'warm_up', N)
%
% DATA is an iddata object, a table with the columns of the model, or a matrix [U Y]. The outputs are simulated from the inputs. The
% fit is that of the System Identification Toolbox,
%
%   100 (1 - |y - ys| / |y - mean(y)|),
%
% 100 for an exact simulation and 0 for the mean. A model with feedback takes the first N measured outputs as known (a twentieth
% of the rows, at most 100; 'warm_up', 0 starts at the mean), and its fit excludes them.
%
%   data = volterra.dataset('narma10', 600);
%   model = volterra.fit(data(1:400, 1), data(1:400, 2));
%   volterra.compare(data(401:600, :), model)
%
% See also volterra.resid, volterra.sim.
  [u, measured, models, pairs] = volterra.internal.measured(varargin);
  rows = size(u, 1);
  given = volterra.internal.only_option('warm_up', min(100, floor(rows / 20)), pairs);
  y = cell(1, numel(models));
  fit = cell(1, numel(models));
  for k = 1:numel(models)
    warm_up = given * (models{k}.Info.feedback_weight > 0);
    known = {'known', measured, 'warm_up', warm_up};
    y{k} = volterra.sim(models{k}, u, known{1:4 * (warm_up > 0)});
    tested = warm_up + 1:rows;
    centred = bsxfun(@minus, measured(tested, :), mean(measured(tested, :), 1));
    missed = measured(tested, :) - y{k}(tested, :);
    fit{k} = 100 * (1 - sqrt(sum(missed .^ 2, 1) ./ sum(centred .^ 2, 1)))';
  end
  if nargout == 0
    draw(measured, y, fit, models{1}.output_names);
    clear y
  elseif numel(models) == 1
    y = y{1};
    fit = fit{1};
  end
end

function draw(measured, y, fit, names)
  colours = [0 0.35 0.7; 0.8 0.35 0; 0.2 0.55 0.2; 0.55 0.2 0.6];
  for j = 1:size(measured, 2)
    subplot(size(measured, 2), 1, j);
    lines = plot(1:size(measured, 1), measured(:, j), 'Color', [0.55 0.55 0.55], 'LineWidth', 1.5);
    labels = {'measured'};
    hold on;
    for k = 1:numel(y)
      lines(end + 1) = plot(1:size(measured, 1), y{k}(:, j), 'Color', colours(mod(k - 1, 4) + 1, :));
      labels{end + 1} = sprintf('model %d: %.1f %%', k, fit{k}(j));
      if numel(y) == 1
        labels{end} = sprintf('simulated: %.1f %%', fit{k}(j));
      end
    end
    hold off;
    legend(lines, labels, 'Location', 'northoutside', 'Orientation', 'horizontal');
    xlim([1, size(measured, 1)]);
    xlabel('row');
    if isempty(names)
      ylabel(sprintf('output %d', j));
    else
      ylabel(names{j}, 'Interpreter', 'none');
    end
  end
end
