// GLUT without a window, for programs that show a picture: glutMainLoop lets the program compute
// and draw a few pictures, tells of each its sum, and presses Escape, at which such programs end.
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kPictures = 3;
constexpr unsigned char kEscape = 27;

void (*draw)() = nullptr;
void (*idle)() = nullptr;
void (*key)(unsigned char, int, int) = nullptr;

}  // namespace

extern "C" {

void glutInit(int*, char**) {}
void glutInitDisplayMode(unsigned) {}
void glutInitWindowSize(int, int) {}
int glutCreateWindow(const char*) {
  return 1;
}
void glutPostRedisplay() {}
void glutSwapBuffers() {}
void glutMouseFunc(void (*)(int, int, int, int)) {}
void glutDisplayFunc(void (*function)()) {
  draw = function;
}
void glutIdleFunc(void (*function)()) {
  idle = function;
}
void glutKeyboardFunc(void (*function)(unsigned char, int, int)) {
  key = function;
}

void glutMainLoop() {
  for (int picture = 0; picture < (idle ? kPictures : 1); ++picture) {
    if (idle) idle();
    if (draw) draw();
  }
  if (key) key(kEscape, 0, 0);
  std::exit(0);
}

void glClearColor(float, float, float, float) {}
void glClear(unsigned) {}
void glFlush() {}

/// Of four bytes a pixel, which is all that the programs draw.
void glDrawPixels(int width, int height, unsigned, unsigned, const void* pixels) {
  unsigned long long sum = 0;
  for (int i = 0; i < width * height * 4; ++i)
    sum += static_cast<const unsigned char*>(pixels)[i];
  std::printf("drew %d x %d pixels, whose bytes add up to %llu\n", width, height, sum);
}

}  // extern "C"
