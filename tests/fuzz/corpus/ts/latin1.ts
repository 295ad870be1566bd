@classLabel true ß
@data
1:ß
