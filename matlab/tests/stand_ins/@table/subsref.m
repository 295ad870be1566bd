function x = subsref(t, path)
  at = @(name) t.columns{strcmp(t.names, name)};
  if strcmp(path(1).subs, 'Properties')
    x = t.names;
  else
    x = at(path(1).subs);
  end
end
