@timeStamps true
@data
(0,1),(1,2):(0,3),(1,4)
