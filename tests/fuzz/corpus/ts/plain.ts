# a comment
@problemName P
@timeStamps false
@missing false
@univariate false
@dimensions 2
@equalLength true
@seriesLength 3
@classLabel true a b
@data
1,2,3:4,5,6:a
7,8,9:-1,-2.5,3e-4:b
