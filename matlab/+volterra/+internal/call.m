function found = call(name, call_arguments)
% Call a function of the library; see bindings/call.h.
  if exist('volterra_mex') ~= 3
    error('volterra:build', 'volterra_mex is missing: run build_volterra in the folder matlab, and add it to the path');
  end
  found = volterra_mex('call', name, call_arguments);
  if isfield(found, 'error_identifier')
    error(found.error_identifier, '%s', found.error_message);
  end
  if isfield(found, 'warnings')
    cellfun(@volterra.internal.warn, found.warnings);
    found = rmfield(found, 'warnings');
  end
end
