function model = identify(u, varargin)
% volterra.identify  Find a simulation model of a system from its inputs and outputs, without choices.
%
%   model = volterra.identify(U, Y)      or an iddata object
%   model = volterra.identify(U, Y, NAME, VALUE, ...)
%
% The last fifth of the rows is the test part, unless another experiment is given. Options:
%   'budget'             seconds (300)
%   'draws'              trials of every search instead of a budget; the result depends only on data and seed
%   'test_U', 'test_Y'   another experiment as the test (columns of tables by name)
%   'records', 'test_records'   record of each row
%   'seed', 'scale_each'
%
% model.Info.candidates has the families, model.Info.test_rmse and linear_test_rmse the errors of simulations of the test rows.
% model.Info.output_tests has rmse, linear_rmse and std (standard deviation) of every output on the test rows.
%
%   u = volterra.dataset('narma10', 400);
%   model = volterra.identify(u(:, 1), u(:, 2), 'draws', 6)
%
% See also volterra.sim, volterra.compare, volterra.resid.
  [call_arguments, pairs] = volterra.internal.data(u, varargin, {'U', 'Y'});
  names = struct('test_U', {{}}, 'test_Y', {{}});
  if isfield(call_arguments, 'input_names')
    names.test_U = call_arguments.input_names;
  end
  if isfield(call_arguments, 'output_names')
    names.test_Y = call_arguments.output_names;
  end
  call_arguments = volterra.internal.options(call_arguments, pairs, names);
  found = volterra.internal.call('identify', call_arguments);
  numbers = found.candidates.numbers;
  found.candidates = struct('name', found.candidates.name, 'kernel', found.candidates.kernel, 'nmse', num2cell(numbers(:, 1)), ...
                            'alpha', num2cell(numbers(:, 2)), 'feedback', num2cell(numbers(:, 3)), ...
                            'trials', num2cell(numbers(:, 4)));
  tests = num2cell(found.output_tests);
  found.output_tests = struct('rmse', tests(:, 1), 'linear_rmse', tests(:, 2), 'std', tests(:, 3));
  for name = {'input_names', 'output_names'}
    if isfield(call_arguments, name{1})
      found.(name{1}) = call_arguments.(name{1});
    end
  end
  model = volterra.Model(found);
end
