#include <cstdlib>
#include <stdexcept>

#include "common/ranks/group.h"

namespace worklog {

bool is_started_by_mpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr;
}

std::unique_ptr<Group> group_of_processes() {
  throw std::runtime_error(
      "started by mpirun, but built without MPI: the program whose name ends in _mpi has it");
}

}  // namespace worklog
