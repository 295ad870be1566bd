function answer = isempty(t)
  answer = isempty(t.seconds);
end
