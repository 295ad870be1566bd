function [e, r] = resid(varargin)
% volterra.resid  Residuals of a model, their autocorrelation and their correlation with the inputs.
%
%   volterra.resid(DATA, MODEL)             plot
%   [E, R] = volterra.resid(DATA, MODEL)    residuals (rows x outputs) and correlations
%   volterra.resid(U, Y, MODEL)             inputs and measured outputs, row by row
%   volterra.resid(..., 'lags', 25)         largest lag
%
% DATA is an iddata object, a table with the columns of the model, or a matrix [U Y]. Residuals are measured outputs less
% predictions: one-step predictions from the measured outputs before if the model has feedback, otherwise simulations. The first
% rows (a twentieth, at most 100) set the state and are excluded from R.
%
% R.lags are 0 to 25, R.autocorrelation (lags x outputs) belongs to them, R.autocorrelation_bound is the bound of 95 % for white
% residuals. R.cross_lags are -25 to 25, R.cross_correlation (cross_lags x outputs x inputs) is the correlation of the residuals with
% the inputs `lag` rows before, R.cross_bounds (outputs x inputs) the bounds of 95 % for residuals that are independent of the input
% (Bartlett's formula; docs/math.md, Diagnosis of a model). Values outside the bounds at lags >= 0 show dynamics that the
% model lacks.
%
%   data = volterra.dataset('narma10', 600);
%   model = volterra.fit(data(1:400, 1), data(1:400, 2));
%   volterra.resid(data(401:600, :), model)
%
% See also volterra.compare, volterra.sim.
  [u, y, models, pairs] = volterra.internal.measured(varargin);
  lags = volterra.internal.only_option('lags', 25, pairs);
  if numel(models) > 1
    error('volterra:argument', 'resid takes one model');
  end
  kept = min(100, floor(size(u, 1) / 20)) + 1:size(u, 1);
  if ~(isscalar(lags) && lags >= 1 && lags == floor(lags) && lags < numel(kept))
    error('volterra:argument', 'lags must be an integer from 1 to %d', numel(kept) - 1);
  end
  if models{1}.Info.feedback_weight > 0
    e = y - volterra.predict(models{1}, u, 'start', 'reset', 'known', y);
  else
    e = y - volterra.sim(models{1}, u);
  end
  r = volterra.internal.correlations(e(kept, :), u(kept, :), lags);
  if nargout == 0
    draw(r, models{1});
    clear e
  end
end

function draw(r, model)
  [q, d] = size(r.cross_bounds);
  for k = 1:q
    panel(q, d, k, 1, r.lags, r.autocorrelation(:, k), r.autocorrelation_bound);
    title(['autocorrelation of the residuals' suffix(model.output_names, k, q)], 'Interpreter', 'none');
    for i = 1:d
      panel(q, d, k, 1 + i, r.cross_lags, r.cross_correlation(:, k, i), r.cross_bounds(k, i));
      title(['correlation with input' suffix(model.input_names, i, d)], 'Interpreter', 'none');
    end
  end
end

function panel(q, d, k, column, lags, values, bound)
  subplot(q * (d + 1), 1, (k - 1) * (d + 1) + column);
  fill([lags(1) lags(end) lags(end) lags(1)], bound * [-1 -1 1 1], [0.82 0.89 0.97], 'EdgeColor', 'none');
  hold on;
  stem(lags, values, 'filled', 'MarkerSize', 3, 'Color', [0 0.35 0.7]);
  hold off;
  xlim([lags(1), lags(end)]);
  set(gca(), 'Layer', 'top');
  if k == q && column == d + 1
    xlabel('lag in rows; shaded: 95 %');
  end
end

function text = suffix(names, k, count)
  text = '';
  if ~isempty(names)
    text = [' ' names{k}];
  elseif count > 1
    text = sprintf(' %d', k);
  end
end
