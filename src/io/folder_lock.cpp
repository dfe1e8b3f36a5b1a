#include "io/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "core/error.hpp"

namespace grus {

FolderLock::FolderLock(const std::string& folder) : folder_(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) {
  if (flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError({{{folder, 0, 0}, "another run is writing to this folder; wait for it, or give another --out"}});
}

}  // namespace grus
