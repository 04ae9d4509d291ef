// Two libraries that differ in what one function does, which begins at the same place in both.

extern "C" int function_of_library(int (*function)(int), int value) {
#ifdef CALLS
  return function(function(value)) + 1;
#else
  static_cast<void>(function);
  return value + 1;
#endif
}
