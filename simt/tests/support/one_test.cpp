#include <doctest/doctest.h>

TEST_SUITE("the_only_suite") {
  TEST_CASE("a test that always passes") {
    CHECK(true);
  }
}

TEST_SUITE("suite_that_checks_nothing") {
  TEST_CASE("a test of something that is not there") {}
}
