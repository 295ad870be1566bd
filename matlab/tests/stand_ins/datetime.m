classdef datetime
% Stands in for the class of MATLAB, which Octave does not have: datetime(SECONDS, 'ConvertFrom', 'posixtime', ...).
  properties
    seconds
    TimeZone = '';
  end
  methods
    function self = datetime(seconds, varargin)
      self.seconds = seconds;
    end
    function answer = isempty(self)
      answer = isempty(self.seconds);
    end
    function seconds = posixtime(self)
      seconds = self.seconds;
    end
  end
end
