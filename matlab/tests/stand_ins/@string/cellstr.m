function texts = cellstr(s)
  texts = s.texts;
end
