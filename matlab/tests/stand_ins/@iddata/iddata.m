function data = iddata(y, u)
% Stands in for the class of the System Identification Toolbox.
  data = class(struct('OutputData', y, 'InputData', u), 'iddata');
end
