@data
1
