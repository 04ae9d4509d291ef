/* C, which no C++ compiler takes, for the side that is cuda. */
int sum(const int* values, int count) {
  int new = 0;
  while (count-- > 0) new += values[count];
  return new;
}
