classdef Stream < handle
% volterra.Stream  A model that takes one row at a time. See volterra.stream.
%
%   y = feed(stream, x)   prediction of the next row (or rows) x
%   learn(stream, y)      target of the row fed last, for streams made with 'learn', true
%
% A stream is not stored in MAT files: a loaded stream has no handle.
  properties (SetAccess = private, Transient)
    Handle = uint64(0);
  end
  properties (SetAccess = private)
    Model = [];
  end
  methods
    function self = Stream(handle, model)
      self.Handle = handle;
      self.Model = model;
    end
    function delete(self)
      if self.Handle > 0
        volterra_mex('release', self.Handle);
      end
    end
    function y = feed(self, x)
      found = volterra.internal.call('feed', struct('stream', self.Handle, 'X', rows_of(self.Model, x)));
      y = found.prediction;
    end
    function learn(self, y)
      volterra.internal.call('learn', struct('stream', self.Handle, 'y', double(y(:))));
    end
    function disp(self)
      fprintf('volterra stream\n');
    end
  end
end
