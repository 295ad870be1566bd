function r = correlations(e, u, longest)
% Correlations of the residuals E with themselves and with the inputs U, and bounds, as in src/task/identify.c.
  [n, q] = size(e);
  d = size(u, 2);
  e = bsxfun(@minus, e, mean(e, 1));
  u = bsxfun(@minus, u, mean(u, 1));
  r.lags = 0:longest;
  r.autocorrelation = zeros(longest + 1, q);
  r.autocorrelation_bound = 1.959963984540054 / sqrt(n);
  r.cross_lags = -longest:longest;
  r.cross_correlation = zeros(2 * longest + 1, q, d);
  r.cross_bounds = zeros(q, d);
  for k = 1:q
    r.autocorrelation(:, k) = scaled(e(:, k), e(:, k), r.lags);
    for i = 1:d
      r.cross_correlation(:, k, i) = scaled(e(:, k), u(:, i), r.cross_lags);
      own = scaled(u(:, i), u(:, i), r.lags);
      spread = 1 + 2 * sum(r.autocorrelation(2:end, k) .* own(2:end));
      r.cross_bounds(k, i) = r.autocorrelation_bound * sqrt(max(1, spread));
    end
  end
end

% Correlations of A at row t with B at row t - lag; 0 if one of them is constant.
function values = scaled(a, b, lags)
  n = numel(a);
  scale = sqrt(sum(a .^ 2) * sum(b .^ 2));
  values = zeros(numel(lags), 1);
  for l = 1:numel(lags)
    if scale > 0
      rows = max(1, 1 + lags(l)):min(n, n + lags(l));
      values(l) = sum(a(rows) .* b(rows - lags(l))) / scale;
    end
  end
end
