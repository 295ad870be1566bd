classdef string
% Stands in for the class of MATLAB, which Octave does not have: string scalars and arrays.
  properties
    texts
  end
  methods
    function self = string(texts)
      self.texts = cellstr(texts);
    end
    function texts = cellstr(self)
      texts = self.texts;
    end
  end
end
