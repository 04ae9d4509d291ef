// What the bench times, and under which names.
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "bench/cudnn_steps.h"
#include "bench/measurement.h"

using namespace worklog;
using bench::Measurement;
using bench::Subject;

namespace {

template <typename T>
void launch_softmax(const Softmax<T>&, cudaStream_t) {}
template <typename T>
void launch_log_softmax(const LogSoftmax<T>&, cudaStream_t) {}
template <typename T>
void launch_loss(const NegativeLogLikelihood<T>&, cudaStream_t) {}
template <typename T>
void launch_backward(const SoftmaxBackward<T>&, cudaStream_t) {}
template <typename T>
void launch_cross_entropy(const CrossEntropy<T>&, cudaStream_t) {}
template <typename T>
void launch_attention(const Attention<T>&, cudaStream_t) {}
template <typename T>
void launch_top_k(const TopK<T>&, cudaStream_t) {}

// One of each kind that the choice of shapes tells apart.
const std::vector<Step>& some_steps() {
  static const std::vector<Step> steps = {
      {"01_serial", "", {.summation = Summation::kSerial}, WORKLOG_LAUNCHES(launch_softmax)},
      {"02_tree", "", {}, WORKLOG_LAUNCHES(launch_softmax)},
      {"02_tree", "variant", {}, WORKLOG_LAUNCHES(launch_softmax)},
      {"03_top_k", "", {}, WORKLOG_LAUNCHES(launch_top_k)},
      {"03_top_k", "variant", {}, WORKLOG_LAUNCHES(launch_top_k)},
      {"03_top_k", "any_k", {.max_k = 2048}, WORKLOG_LAUNCHES(launch_top_k)},
      {"04_log", "", {}, WORKLOG_LAUNCHES(launch_log_softmax)},
      {"04_log", "loss", {}, WORKLOG_LAUNCHES(launch_loss)},
      {"05_one_row", "", {.max_rows = 1}, WORKLOG_LAUNCHES(launch_softmax)},
      {"05_one_row", "variant", {.max_rows = 1}, WORKLOG_LAUNCHES(launch_softmax)},
      {"06_once", "", {.loads = {1}, .stores = {1}}, WORKLOG_LAUNCHES(launch_softmax)},
      {"06_once", "variant", {.loads = {1}, .stores = {1}}, WORKLOG_LAUNCHES(launch_softmax)},
      {"07_backward", "", {.loads = {2}, .stores = {1}}, WORKLOG_LAUNCHES(launch_backward)},
      {"07_backward", "variant", {.loads = {4}, .stores = {1}}, WORKLOG_LAUNCHES(launch_backward)},
      {"08_cross_entropy",
       "",
       {.loads = {1}, .stores = {1}},
       WORKLOG_LAUNCHES(launch_cross_entropy)},
      {"09_attention", "", {}, WORKLOG_LAUNCHES(launch_attention)},
  };
  return steps;
}

std::vector<Measurement> all() {
  return bench::all_measurements(some_steps(), bench::cudnn_steps());
}

std::multiset<std::string> names() {
  std::multiset<std::string> names;
  for (const Measurement& measurement : all())
    names.insert(measurement.name());
  return names;
}

}  // namespace

TEST_SUITE("measurements") {
  TEST_CASE("no name comes twice") {
    const std::multiset<std::string> known = names();
    for (const std::string& name : known)
      CHECK_MESSAGE(known.count(name) == 1, name);
  }

  TEST_CASE("a step and cuDNN have the copy and the read of the same bytes beside them") {
    const std::multiset<std::string> known = names();
    for (const Measurement& m : all()) {
      for (const Subject transfer : {Subject::kCopy, Subject::kRead}) {
        CHECK(known.contains(
            Measurement{transfer, nullptr, m.dtype, m.rows, m.cols, 0, m.cache}.name()));
      }
    }
  }

  TEST_CASE("a backward pass is held to the reading of two arrays and the writing of one") {
    const std::multiset<std::string> known = names();
    for (const char* shape : {"bf16/8192x4096", "bf16/8192x32768", "bf16/4096x128256",
                              "bf16/32768x1024", "f32/4000x25000", "f32/8192x50257"}) {
      for (const char* subject :
           {"07_backward", "07_backward/variant", "combine", "copy", "read"}) {
        const std::string name = std::string(subject) + "/" + shape + "/cold";
        CHECK_MESSAGE(known.contains(name), name);
      }
    }
    CHECK(known.contains("06_once/bf16/32768x1024/cold"));
    for (const char* name :
         {"06_once/bf16/8192x4096/cold", "cudnn/softmax_fast/bf16/8192x4096/cold",
          "07_backward/f32/10x1000/cold", "combine/f32/10x1000/cold"}) {
      CHECK_MESSAGE(!known.contains(name), name);
    }
    for (const Measurement& m : all()) {
      CAPTURE(m.name());
      const bool is_backward = m.step != nullptr && m.step->is_backward();
      if (!is_backward && m.subject != Subject::kCombine) continue;
      CHECK(m.ceiling() == Subject::kCombine);
      CHECK(m.bytes() == 3 * m.rows * m.cols * static_cast<std::int64_t>(size_of(m.dtype)));
      CHECK(known.contains(
          Measurement{Subject::kCombine, nullptr, m.dtype, m.rows, m.cols, 0, m.cache}.name()));
    }
  }

  TEST_CASE(
      "cross-entropy is timed where training is, against the copy, and losses against the read") {
    const std::multiset<std::string> known = names();
    for (const char* shape : {"bf16/8192x32000", "bf16/4096x128256", "f32/8192x50257"}) {
      for (const char* subject : {"08_cross_entropy", "04_log/loss", "copy", "read"}) {
        const std::string name = std::string(subject) + "/" + shape + "/cold";
        CHECK_MESSAGE(known.contains(name), name);
      }
    }
    CHECK(!known.contains("08_cross_entropy/f32/10x1000/cold"));
    CHECK(known.contains("04_log/loss/f32/10x1000/cold"));
  }

  TEST_CASE("attention is timed at shapes of its own, where no other step is, and held to none") {
    const std::multiset<std::string> known = names();
    for (const char* shape : {"f32/4096x4096", "f16/4096x4096", "bf16/16384x16384"}) {
      for (const char* subject : {"09_attention", "copy", "read"}) {
        const std::string name = std::string(subject) + "/" + shape + "/cold";
        CHECK_MESSAGE(known.contains(name), name);
      }
    }
    CHECK(!known.contains("09_attention/f32/10x1000/cold"));
    CHECK(!known.contains("06_once/f32/4096x4096/cold"));
    for (const Measurement& m : all()) {
      if (m.step == nullptr || !m.step->takes<Attention>()) continue;
      CHECK(!m.ceiling());
      CHECK(m.bytes() == 4 * m.rows * kHeadDim * static_cast<std::int64_t>(size_of(m.dtype)));
    }
  }

  TEST_CASE("what writes little is held to the read, all else to the copy") {
    for (const Measurement& m : all()) {
      if (!m.ceiling() || m.ceiling() == Subject::kCombine) continue;
      CAPTURE(m.name());
      const bool writes_little =
          m.subject == Subject::kRead || m.k > 0 || m.name().starts_with("04_log/loss");
      CHECK(m.ceiling() == (writes_little ? Subject::kRead : Subject::kCopy));
    }
  }

  TEST_CASE("one row from 1 K to 64 M elements: softmax alone, of the ladder and of cuDNN") {
    const std::multiset<std::string> known = names();
    for (const char* cols : {"1024", "4096", "16384", "65536", "262144", "1048576", "4194304",
                             "16777216", "67108864"}) {
      const std::string shape = std::string("/f32/1x") + cols + "/cold";
      CAPTURE(shape);
      for (const char* subject : {"copy", "02_tree", "05_one_row", "05_one_row/variant",
                                  "cudnn/softmax_accurate", "cudnn/softmax_fast"}) {
        CHECK_MESSAGE(known.contains(subject + shape), subject);
      }
      for (const char* subject : {"02_tree/variant", "04_log", "cudnn/log_softmax"})
        CHECK_MESSAGE(!known.contains(subject + shape), subject);
    }
  }

  TEST_CASE("a step is timed at no more rows than it takes") {
    for (const Measurement& m : all()) {
      if (m.step != nullptr) CHECK(m.rows <= m.step->info.max_rows);
    }
  }

  TEST_CASE("a thread takes no row alone that would take it long") {
    const std::multiset<std::string> known = names();
    CHECK(known.contains("01_serial/f32/1x65536/cold"));
    CHECK(known.contains("01_serial/f32/128x131072/cold"));
    CHECK(!known.contains("01_serial/f32/1x262144/cold"));
  }

  TEST_CASE("the shapes of the sources") {
    const std::multiset<std::string> known = names();
    for (const char* name : {
             "02_tree/f32/4000x25000/cold",
             "02_tree/variant/f32/4000x25000/cold",
             "02_tree/f32/4000x25000/warm",
             "02_tree/f32/1024x1024/cold",
             "02_tree/f32/1024x32768/cold",
             "02_tree/f32/128x131072/cold",
             "04_log/f32/256x30000/cold",
             "cudnn/log_softmax/f32/256x30000/cold",
             "02_tree/f16/32x512/cold",
             "02_tree/f16/64x8192/cold",
             "cudnn/softmax_fast/f16/64x8192/cold",
             "cudnn/softmax_accurate/bf16/4000x4096/cold",
         }) {
      CHECK_MESSAGE(known.contains(name), name);
    }
  }

  TEST_CASE(
      "a cache full of stores: steps that read once, at the shapes that show how near they come") {
    const std::multiset<std::string> known = names();
    for (const char* shape : {"/f32/4000x4000", "/f32/10x1000000", "/f32/1x16777216",
                              "/bf16/32768x4096", "/bf16/8192x262144"}) {
      CAPTURE(shape);
      for (const char* subject : {"copy", "read", "06_once"}) {
        CHECK_MESSAGE(known.contains(std::string(subject) + shape + "/written"), subject);
        CHECK_MESSAGE(known.contains(std::string(subject) + shape + "/cold"), subject);
      }
      for (const char* subject : {"02_tree", "06_once/variant", "cudnn/softmax_fast"})
        CHECK_MESSAGE(!known.contains(std::string(subject) + shape + "/written"), subject);
    }
    CHECK(!known.contains("06_once/f32/4000x1024/written"));
    CHECK(!known.contains("06_once/f16/4000x4000/written"));
  }

  TEST_CASE("all variants of a top-k are timed at every K of the paper's sweep") {
    const std::multiset<std::string> known = names();
    for (const char* k : {"5", "10", "15", "30", "64", "128"}) {
      const std::string shape = std::string("/f32/4000x25000/k") + k + "/cold";
      CHECK_MESSAGE(known.contains("03_top_k" + shape), shape);
      CHECK_MESSAGE(known.contains("03_top_k/variant" + shape), shape);
    }
  }

  TEST_CASE("a top-k is timed at the largest K alone if it takes them") {
    const std::multiset<std::string> known = names();
    for (const char* shape : {"/f32/4000x4096/k8", "/bf16/8192x50257/k50"}) {
      CHECK_MESSAGE(known.contains(std::string("03_top_k") + shape + "/cold"), shape);
      CHECK_MESSAGE(known.contains(std::string("03_top_k/any_k") + shape + "/cold"), shape);
    }
    for (const char* shape :
         {"/f32/4000x100000/k256", "/f32/4000x100000/k2048", "/f32/256x131072/k2048"}) {
      CHECK_MESSAGE(!known.contains(std::string("03_top_k") + shape + "/cold"), shape);
      CHECK_MESSAGE(known.contains(std::string("03_top_k/any_k") + shape + "/cold"), shape);
    }
  }

  TEST_CASE("a top-k of the ladder's own is timed with hard values, at the K that shapes name") {
    const std::multiset<std::string> known = names();
    for (const char* values :
         {"ascending", "descending", "equal", "two_values", "adjacent", "few_finite"}) {
      for (const char* shape : {"4000x25000/k5", "4000x25000/k64", "4000x4096/k8"}) {
        const std::string name = std::string("03_top_k/f32/") + shape + "/" + values + "/cold";
        CHECK_MESSAGE(known.count(name) == 1, name);
      }
      const std::string at = std::string("/") + values + "/cold";
      CHECK_FALSE(known.contains("03_top_k/f32/4000x100000/k256" + at));  // more than it takes
      CHECK_FALSE(known.contains("03_top_k/any_k/f32/4000x100000/k256" + at));  // a variant
      CHECK_FALSE(known.contains("03_top_k/f32/4000x25000/k10" + at));
      CHECK_FALSE(known.contains("03_top_k/f32/10x25000/k5" + at));
      CHECK_FALSE(known.contains("02_tree/f32/4000x25000" + at));
    }
  }

  TEST_CASE("cuDNN moves the bytes that a step moves") {
    const Step& cudnn = bench::cudnn_steps().front();
    const Measurement of_cudnn{Subject::kCudnn, &cudnn, DType::kFloat16, 6, 7};
    CHECK(of_cudnn.name() == "cudnn/softmax_accurate/f16/6x7/cold");
    CHECK(of_cudnn.bytes() == 2 * 6 * 7 * 2);
  }
}
