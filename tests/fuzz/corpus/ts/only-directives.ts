@
@ 
@@
@data x
