// Beds for the generators that ask for one: read from their files, or made by their scenes when first needed.
//
// A bed that was made is kept in the folder $GRUS_CACHE, else $XDG_CACHE_HOME/grus, else ~/.cache/grus, under a name
// that is a hash of everything it depends on: the bed's scene with its settings and files, and this very program.
// Another program, or another scene, never sees it; so a kept bed is bit for bit the one that would be made.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "model/spec.hpp"
#include "simulation/settle.hpp"

namespace grus {

// Fills in GeneratorSpec::bed and mixes the bed's content into Spec::hash. False when it was stopped. Throws InputError
// with all faults.
bool provide_beds(Spec& spec, int threads, const SettleCallbacks& callbacks);

// The kept bed of a scene with `settle`, or one that is made now, and kept. The scene's hash must tell it from others.
// Nothing when it was stopped.
std::shared_ptr<const Bed> keep_or_make_bed(const Spec& scene, int threads, const SettleCallbacks& callbacks);

// For checks: reads what is there, checks the scenes of the beds, and makes none. Faults are those of the beds; returns
// their warnings.
// `checked`: hashes of scenes of beds that were found sound; the runs of a study mostly share theirs.
std::vector<std::string> check_beds(Spec& spec, std::set<std::uint64_t>& checked);

}  // namespace grus
