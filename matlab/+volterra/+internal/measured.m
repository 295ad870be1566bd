function [u, y, models, pairs] = measured(items)
% Inputs, outputs, models and options of the arguments (DATA, MODEL, ..., NAME, VALUE, ...) or (U, Y, MODEL, ...). DATA is an iddata
% object, a table with the columns of the model, or a matrix with the columns of the inputs and then those of the outputs.
  is_model = cellfun(@(item) isa(item, 'volterra.Model'), items);
  first = find(is_model, 1);
  if isempty(first) || first < 2 || first > 3
    error('volterra:argument', 'the arguments must be data and a model: (DATA, MODEL) or (U, Y, MODEL)');
  end
  last = first + find([~is_model(first:end), true], 1) - 2;
  models = items(first:last);
  pairs = items(last + 1:end);
  model = models{1};
  data = items{1};
  if first == 3
    u = rows_of(model, data);
    y = volterra.internal.as_rows(items{2}, 'y', model.output_names, 0);
  elseif isa(data, 'iddata')
    u = rows_of(model, data);
    y = data.OutputData;
  elseif (isa(data, 'table') || isa(data, 'timetable')) && ~isempty(model.input_names) && ~isempty(model.output_names)
    both = volterra.internal.as_rows(data, 'the data', [model.input_names, model.output_names], 0);
    u = both(:, 1:model.inputs);
    y = both(:, model.inputs + 1:end);
  else
    both = volterra.internal.as_rows(data, 'the data');
    if size(both, 2) ~= model.inputs + model.outputs
      error('volterra:argument', 'the data have %d columns, but the model has %d inputs and %d outputs', size(both, 2), ...
            model.inputs, model.outputs);
    end
    u = both(:, 1:model.inputs);
    y = both(:, model.inputs + 1:end);
  end
  if size(y, 2) ~= model.outputs || size(y, 1) ~= size(u, 1)
    error('volterra:shape', 'the measured outputs must be %d x %d (got %d x %d)', size(u, 1), model.outputs, size(y));
  end
end
