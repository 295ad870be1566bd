@data
1,inf,1e999
