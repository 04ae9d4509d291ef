#include "bench/fields.h"

#include <fmt/format.h>

#include "common/program/write_whole.h"

namespace worklog::bench {

nlohmann::ordered_json fields_of(const Measurement& m) {
  nlohmann::ordered_json fields = {{"name", m.name()}};
  if (m.subject == Subject::kStep) {
    fields["step"] = m.step->name;
    fields["variant"] = m.step->variant;
  } else {
    fields["baseline"] = m.subject_name();
  }
  fields["dtype"] = name_of(m.dtype);
  fields["rows"] = m.rows;
  fields["cols"] = m.cols;
  fields["k"] = m.k;
  fields["cache"] = name_of(m.cache);
  if (m.values != Values::kNormal) fields["values"] = name_of(m.values);
  return fields;
}

void write_measurements(const std::vector<Measurement>& measurements, const std::string& path) {
  std::vector<std::string> lines;
  lines.reserve(measurements.size());
  for (const Measurement& measurement : measurements) {
    if (measurement.values == Values::kNormal) lines.push_back(fields_of(measurement).dump());
  }
  write_whole(path, fmt::format("{{\"measurements\": [\n{}\n]}}\n", fmt::join(lines, ",\n")));
}

}  // namespace worklog::bench
