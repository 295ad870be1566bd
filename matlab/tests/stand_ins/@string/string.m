function s = string(texts)
% Stands in for the class of MATLAB, which Octave does not have: string scalars and arrays.
  s = class(struct('texts', {cellstr(texts)}), 'string');
end
