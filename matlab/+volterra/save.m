function save(model, path)
% volterra.save  Write a model to a safetensors file, which the program, Python and R read.
%
%   volterra.save(MODEL, PATH)
%
% See also volterra.load.
  volterra.internal.call('save', struct('model', model.Handle, 'path', volterra.internal.plain(path)));
end
