__shared__"\
\
o;
__shared__ int x[sizeof(R"(a
b)")];
