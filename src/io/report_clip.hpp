// The clip of a report: frames chosen evenly over a run, quantised, as differences from frame to frame, packed.
// Internal to io/report_data.cpp; viewer/src/report/clip_run.ts is the other side.
//
//   scene     packed text of a scene.json (docs/files.md) with the drawn bodies alone
//   bodies    B, drawn bodies
//   length    m, quantum of positions; speed: m/s, quantum of velocities; rotation: quanta in 1
//   frames    time, step, active, contacts (C), strongest (N s), data: packed integers, one quantity after the other:
//             position x[B], y[B], z[B]; rotation x, y, z, w: differences from the frame before (from zero in the
//             first); velocity x, y, z; contacts in the order of their first body: body a less that of the contact
//             before, body b less body a, position x, y, z from the position of the grain (a, or b when a is none), and
//             sqrt(strength / strongest) in parts of 4095
//   notes     sentences about what was left out
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "io/report.hpp"

namespace grus {

// `room`: bytes of JSON text that the clip may take. Throws like FrameReader.
nlohmann::ordered_json report_clip(const ForeignFolder& run, const ReportLimits& limits, std::size_t room);

}  // namespace grus
