function seconds = posixtime(t)
  seconds = t.seconds;
end
