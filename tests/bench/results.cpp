// What the bench writes of a measurement.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/cudnn_steps.h"
#include "bench/fields.h"
#include "bench/measurement.h"
#include "bench/reporters.h"

using namespace worklog;
using bench::Measurement;
using bench::Subject;
using nlohmann::json;
using Run = benchmark::BenchmarkReporter::Run;

namespace {

Run timed(const Measurement& measurement, double median_us) {
  Run run;
  run.run_name.function_name = measurement.name();
  run.counters["median_us"] = median_us;
  run.counters["spread"] = 0.01;
  run.report_label = "4 x 16 bytes a thread";
  return run;
}

Run refused(const Measurement& measurement) {
  Run run;
  run.run_name.function_name = measurement.name();
  run.report_label = "needs 320 GB, 139 GB are free";
  return run;
}

}  // namespace

TEST_SUITE("measurements") {
  TEST_CASE("a row says in fields what it is of") {
    const Step step{"07_top_k", "safe", {}, {}};
    const Measurement copy{Subject::kCopy, nullptr, DType::kFloat16, 64, 8192};
    const Measurement variant{Subject::kStep, &step, DType::kFloat32, 4000, 1000, 5, Cache::kWarm};
    const Measurement cudnn{Subject::kCudnn, &bench::cudnn_steps().front(), DType::kFloat32, 1,
                            1 << 20};
    Measurement equal = variant;
    equal.values = bench::Values::kEqual;

    bench::ResultsReporter reporter({copy, variant, cudnn, equal}, {{"gpu", "a GPU"}});
    std::ostringstream out;
    reporter.SetOutputStream(&out);
    reporter.ReportContext({});
    reporter.ReportRuns({timed(copy, 4.5)});
    reporter.ReportRuns({timed(variant, 1e-3), refused(cudnn), timed(equal, 2.5)});
    reporter.Finalize();

    const json written = json::parse(out.str());
    CHECK(written["context"]["gpu"] == "a GPU");
    CHECK(written["context"]["date"].get<std::string>().size() == 25);
    const json& rows = written["benchmarks"];
    REQUIRE(rows.size() == 4);
    CHECK(rows[0]["name"] == "copy/f16/64x8192/cold");
    CHECK(rows[0]["baseline"] == "copy");
    CHECK(rows[0]["dtype"] == "f16");
    CHECK(rows[0]["rows"] == 64);
    CHECK(rows[0]["cols"] == 8192);
    CHECK(rows[0]["k"] == 0);
    CHECK(rows[0]["cache"] == "cold");
    CHECK(rows[0]["median_us"] == 4.5);
    CHECK(rows[0]["real_time"] == 4.5);
    CHECK(rows[0]["label"] == "4 x 16 bytes a thread");
    CHECK_FALSE(rows[0].contains("step"));
    CHECK(rows[1]["step"] == "07_top_k");
    CHECK(rows[1]["variant"] == "safe");
    CHECK(rows[1]["k"] == 5);
    CHECK(rows[1]["cache"] == "warm");
    CHECK(rows[1]["median_us"] == 1e-3);
    CHECK_FALSE(rows[1].contains("baseline"));
    CHECK(rows[2]["baseline"] == bench::cudnn_steps().front().label());
    CHECK_FALSE(rows[1].contains("values"));
    CHECK(rows[3]["name"] == "07_top_k/safe/f32/4000x1000/k5/equal/warm");
    CHECK(rows[3]["values"] == "equal");
    CHECK(rows[2]["error_occurred"] == true);
    CHECK(rows[2]["error_message"] == "needs 320 GB, 139 GB are free");
    CHECK_FALSE(rows[2].contains("median_us"));
  }

  TEST_CASE("what would be timed is written whole or not at all") {
    const auto folder = std::filesystem::temp_directory_path() / "worklog_measurements_test";
    std::filesystem::remove_all(folder);
    const std::string file = folder / "measurements.json";
    const std::vector<Measurement> list = {{Subject::kCopy, nullptr, DType::kFloat16, 64, 8192},
                                           {Subject::kRead, nullptr, DType::kFloat32, 1, 100}};
    CHECK_THROWS_WITH_AS(bench::write_measurements(list, file), doctest::Contains(file.c_str()),
                         std::runtime_error);
    std::filesystem::create_directories(folder / "measurements.json.part");
    std::ofstream(file) << "of an earlier run";
    CHECK_THROWS_AS(bench::write_measurements(list, file), std::runtime_error);
    CHECK(std::ifstream(file).get() == 'o');

    std::filesystem::remove(folder / "measurements.json.part");
    bench::write_measurements(list, file);
    const json written = json::parse(std::ifstream(file))["measurements"];
    REQUIRE(written.size() == 2);
    CHECK(written[0] == json(bench::fields_of(list[0])));
    CHECK(written[1]["name"] == "read/f32/1x100/cold");
    std::filesystem::remove_all(folder);
  }
}
