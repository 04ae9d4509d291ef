/* __shared__ int x; // */ int a; // \
__shared__ int y;
#define A /* over
lines */ 1
__sha\
red__ int z;
/* no end
