// One run per folder: two that write the same files would spoil both. The lock is the kernel's (flock on the folder
// itself), so it ends with the process however that ends, and leaves no file behind.
#pragma once

#include <string>

#include "io/file_descriptor.hpp"

namespace grus {

class FolderLock {
 public:
  // Throws InputError when another process holds the folder. A file system that cannot lock is not held against
  // the user.
  explicit FolderLock(const std::string& folder);

  // Of the folder, as long as the lock is held.
  int descriptor() const { return folder_.get(); }

 private:
  FileDescriptor folder_;
};

}  // namespace grus
