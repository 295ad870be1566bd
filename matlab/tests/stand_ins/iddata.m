classdef iddata
% Stands in for the class of the System Identification Toolbox.
  properties
    OutputData
    InputData
    OutputName
    InputName
  end
  methods
    function self = iddata(y, u)
      self.OutputData = y;
      self.InputData = u;
      self.OutputName = arrayfun(@(k) sprintf('y%d', k), 1:size(y, 2), 'UniformOutput', false)';
      self.InputName = arrayfun(@(k) sprintf('u%d', k), 1:size(u, 2), 'UniformOutput', false)';
    end
  end
end
