#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "common/ranks/group.h"

namespace worklog {

bool is_started_by_mpi() {
  const char* const of_launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::any_of(std::begin(of_launchers), std::end(of_launchers),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

std::unique_ptr<Group> group_of_processes() {
  throw std::runtime_error(
      "started by mpirun, but built without MPI: the program whose name ends in _mpi has it");
}

}  // namespace worklog
