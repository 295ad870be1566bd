@data
::
,:,
