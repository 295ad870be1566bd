function t = datetime(seconds, varargin)
% Stands in for the class of MATLAB, which Octave does not have: datetime(SECONDS, 'ConvertFrom', 'posixtime', ...).
  t = class(struct('seconds', seconds), 'datetime');
end
