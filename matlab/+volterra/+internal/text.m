function text = text(item)
% A text, or a number as text.
  if ischar(item)
    text = item;
  else
    text = sprintf('%.17g', item);
  end
end
