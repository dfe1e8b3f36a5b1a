// Faults below the file layer and of memory: the suites that link this have open, write, fsync, rename and operator new
// of their own, which fail at a chosen call.
#pragma once

#include <string>

namespace grus::testing {

enum class FaultPlace { open, write, fsync, rename, allocation };
inline constexpr int fault_places = 5;

struct FaultPlan {
  FaultPlace place = FaultPlace::write;
  long call = 0;          // fails; from 1
  bool for_good = false;  // all later calls of the place fail too
};

// While it lives, calls of this thread that concern files beneath `folder`, and all its allocations, are counted, and
// fail as planned. Nothing waits for the disk. One at a time.
class Faults {
 public:
  explicit Faults(std::string folder, FaultPlan plan = {});
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  long calls(FaultPlace place) const;
  bool happened() const;

 private:
  std::string folder_;
};

}  // namespace grus::testing
