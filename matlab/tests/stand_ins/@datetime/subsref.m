function zone = subsref(t, path)
  zone = '';
end
