classdef Model < handle
% volterra.Model  A fitted model. See volterra.fit, volterra.tune, volterra.identify and volterra.load.
%
%   model.Info     struct with kernel, alpha, errors, baselines and other properties
%   model.Fitted   fitted values (empty for identified and loaded models)
%
% volterra.predict, volterra.simulate, volterra.explain, volterra.save and volterra.stream use it. A model is not stored in
% MAT files: use volterra.save and volterra.load.
  properties (SetAccess = private)
    Handle = uint64(0);
    Info = struct();
    Fitted = [];
  end
  methods
    function self = Model(found)
      self.Handle = found.model;
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
end
