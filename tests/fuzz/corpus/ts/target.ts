@targetLabel true
@data
1,2:0.5
3:0.25
