// The main function of every test program. On top of doctest's own:
// - a filter that matches no test case is a failure, not a success;
// - a run that checked nothing returns 77, which CTest shows as skipped;
// - a program for a GPU returns 77, which CTest shows as skipped, on a machine without one, and
//   fails there when the environment has REQUIRE_GPU=1.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime.h>

#include <cstdlib>
#include <doctest/doctest.h>
#include <iostream>
#include <string_view>

namespace {

constexpr int kSkipped = 77;
constexpr int kFailed = 1;

// How many test cases ran, and how often they checked something; doctest tells only its listeners.
// Stay -1 for queries such as --help.
struct RunCounter : doctest::IReporter {
  static inline int cases = -1;
  static inline int checks = -1;

  explicit RunCounter(const doctest::ContextOptions&) {}
  void test_run_end(const doctest::TestRunStats& run) override {
    cases = static_cast<int>(run.numTestCasesPassingFilters);
    checks = run.numAsserts;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("run-counter", 0, RunCounter);

bool gpu_is_required() {
  const char* value = std::getenv("REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess || devices == 0) {
    std::cerr << "no GPU: " << (code == cudaSuccess ? "no device" : cudaGetErrorString(code))
              << (gpu_is_required() ? " (REQUIRE_GPU=1: this is a failure)\n" : ": skipped\n");
    return gpu_is_required() ? kFailed : kSkipped;
  }

  const int result = doctest::Context(argc, argv).run();
  if (RunCounter::cases == 0) {
    std::cerr << "no test case matches the filter: this is a failure\n";
    return kFailed;
  }
  if (result == 0 && RunCounter::checks == 0) {
    std::cerr << "nothing was checked: skipped\n";
    return kSkipped;
  }
  return result;
}
