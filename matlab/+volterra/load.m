function model = load(path)
% volterra.load  Read a model from a safetensors file.
%
%   model = volterra.load(PATH)
%
% See also volterra.save.
  model = volterra.Model(volterra.internal.call('load', struct('path', volterra.internal.plain(path))));
end
