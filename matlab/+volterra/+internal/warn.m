function warn(text)
% A warning with the identifier volterra:warning, without the functions that lead to it.
  before = warning('off', 'backtrace');
  warning('volterra:warning', '%s', text);
  warning(before);
end
