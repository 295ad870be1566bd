# Two gestures seen by an accelerometer with two channels.
@problemName Gestures
@timeStamps false
@missing false
@univariate false
@dimensions 2
@equalLength false
@classLabel true wave still
@data
0.1,0.5,0.9,0.4:0.2,0.1,-0.3,-0.1:wave
0.3,0.8,0.2:0.1,0.0,-0.2:wave
0.01,0.02,0.01,0.0,0.01:0.0,0.01,0.02,0.01,0.0:still
