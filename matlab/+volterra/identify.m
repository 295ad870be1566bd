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
  [given, pairs, u_names, y_names] = volterra.internal.data(u, varargin, {'U', 'Y'});
  found = volterra.internal.call('identify', given, pairs, struct('test_U', {u_names}, 'test_Y', {y_names}));
  found.candidates = rows_of_table(found.candidates);
  found.output_tests = rows_of_table(found.output_tests);
  found.input_names = u_names;
  found.output_names = y_names;
  model = volterra.Model(found);
end

% A struct for each row of a table, a struct of columns.
function rows = rows_of_table(table)
  columns = struct2cell(table);
  is_number = cellfun(@isnumeric, columns);
  columns(is_number) = cellfun(@num2cell, columns(is_number), 'UniformOutput', false);
  fields = [fieldnames(table)'; columns'];
  rows = struct(fields{:});
end
