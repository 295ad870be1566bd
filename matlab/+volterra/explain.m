function found = explain(model, varargin)
% volterra.explain  Volterra series of a model.
%
%   S = volterra.explain(MODEL)                       options: 'lags', 'order' (2), 'band', 'shares'
%
% S.g0 is the constant (outputs), S.g1 the first-order kernel (outputs x lags x inputs), S.g2 the second-order one
% (outputs x lags x lags x inputs x inputs; zero where lags decrease), S.shares the shares of the orders in the variance.
% Without an output argument the first-order kernel is plotted.
  found = volterra.internal.call('explain', struct('model', model.Handle), varargin);
  for p = 1:found.order
    found.(sprintf('g%d', p)) = shaped(found.kernels{p}, found, p);
  end
  if isfield(found, 'g1_std')
    found.g1_std = shaped(found.g1_std, found, 1);
  end
  found = rmfield(found, 'kernels');
  if nargout == 0
    stem(0:found.lags - 1, reshape(found.g1(1, :, :), found.lags, found.inputs));
    xlabel('lag');
    ylabel('first-order kernel');
    clear found
  end
end

% The library's arrays are row-major: [output][lag]...[input]...
function x = shaped(numbers, found, order)
  dims = [found.outputs, repmat(found.lags, 1, order), repmat(found.inputs, 1, order)];
  x = permute(reshape(numbers, fliplr(dims)), numel(dims):-1:1);
end
