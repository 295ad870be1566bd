function t = subsasgn(t, path, zone)
end
