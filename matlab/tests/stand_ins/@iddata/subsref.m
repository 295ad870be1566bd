function x = subsref(data, path)
  switch path(1).subs
    case 'OutputData'
      x = data.OutputData;
    case 'InputData'
      x = data.InputData;
    case 'OutputName'
      x = arrayfun(@(k) sprintf('y%d', k), 1:size(data.OutputData, 2), 'UniformOutput', false)';
    case 'InputName'
      x = arrayfun(@(k) sprintf('u%d', k), 1:size(data.InputData, 2), 'UniformOutput', false)';
  end
end
