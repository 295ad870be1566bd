classdef Model < handle
% volterra.Model  A fitted model. See volterra.fit, volterra.tune, volterra.identify and volterra.load.
%
%   model.kernel, model.alpha (empty for identified models), model.inputs, model.outputs, model.input_names, model.output_names
%   model.Info     struct with errors, baselines and other properties
%   model.Fitted   fitted values (empty for identified and loaded models)
%
% volterra.predict, volterra.sim, volterra.compare, volterra.resid, volterra.explain and volterra.stream use it.
%
% volterra.save and volterra.load write and read files for the program, Python and R. In MATLAB, save and load also store models
% in MAT files; in Octave, which cannot save objects, use volterra.save.
  properties (SetAccess = private)
    Info = struct();
    Fitted = [];
    kernel = '';
    alpha = [];
    inputs = [];
    outputs = [];
    input_names = {};
    output_names = {};
  end
  properties (SetAccess = private, Transient)
    Handle = uint64(0);
  end
  methods
    function self = Model(found)
      self.Handle = found.model;
      for name = {'kernel', 'alpha', 'inputs', 'outputs'}
        if isfield(found, name{1})
          self.(name{1}) = found.(name{1});
        end
      end
      for name = {'input_names', 'output_names'}
        if isfield(found, name{1})
          self.(name{1}) = reshape(cellstr(found.(name{1})), 1, []);
        end
      end
      if isfield(found, 'fitted')
        self.Fitted = found.fitted;
        found = rmfield(found, 'fitted');
      end
      self.Info = rmfield(found, 'model');
    end
    function delete(self)
      if self.Handle > 0
        volterra_mex('release', self.Handle);
      end
    end
    function y = sim(self, varargin)
      y = volterra.sim(self, varargin{:});
    end
    function varargout = compare(varargin)
      [varargout{1:nargout}] = volterra.compare(varargin{:});
    end
    function varargout = resid(varargin)
      [varargout{1:nargout}] = volterra.resid(varargin{:});
    end
    function stored = saveobj(self)
      path = [tempname() '.safetensors'];
      remove = onCleanup(@() delete(path));
      volterra.save(self, path);
      file = fopen(path, 'r');
      stored = struct('Info', self.Info, 'Fitted', self.Fitted, 'bytes', fread(file, Inf, 'uint8=>uint8'));
      fclose(file);
    end
    function disp(self)
      info = self.Info;
      fprintf('volterra model\n  kernel   %s\n', info.kernel);
      if isfield(info, 'rows')
        fprintf('  data     rows: %d, inputs: %d, outputs: %d\n', info.rows, info.inputs, info.outputs);
      end
      if isfield(info, 'alpha')
        fprintf('  alpha    %.4g\n', info.alpha(1));
      end
      if isfield(info, 'heldout_r2') && info.heldout_rows > 0
        fprintf('  R2       %.4g on %d held-out rows\n', info.heldout_r2, info.heldout_rows);
      end
      if isfield(info, 'test_rmse')
        fprintf('  chosen   %s\n  test     RMSE %.4g (linear model %.4g)\n', info.chosen, info.test_rmse, info.linear_test_rmse);
      end
    end
  end
  methods (Hidden)
    function x = rows_of(self, x)
      x = volterra.internal.as_rows(x, 'x', self.input_names, self.inputs);
    end
  end
  methods (Static, Hidden)
    function self = loadobj(stored)
      path = [tempname() '.safetensors'];
      remove = onCleanup(@() delete(path));
      file = fopen(path, 'w');
      fwrite(file, stored.bytes, 'uint8');
      fclose(file);
      found = volterra.internal.call('load', struct('path', path));
      stored.Info.model = found.model;
      stored.Info.fitted = stored.Fitted;
      self = volterra.Model(stored.Info);
    end
  end
end
