// Generators: many grains from a few lines.
#include "io/scene/tables.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace grus::scene {

namespace {

// More grains than any machine that reads this file should be asked for.
constexpr Range some_count{1, 5e6};
using Kind = GeneratorSpec::Kind;

// A diameter needs no template size: "sphere" and "disk" are scaled to it.
void read_template(ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
  generator.shape.mark = entry.value->mark.source();
  if (entry.value->kind != Node::Kind::scalar) {
    read_object(reader, shape_table(), *entry.value, &generator.shape);
    return;
  }
  const auto index = reader.choice(entry.key, *entry.value, {"sphere", "disk"});
  if (!index) return;
  generator.shape.kind = *index == 0 ? ShapeKind::sphere : ShapeKind::disk;
  generator.shape.radius = 0.5;
}

struct Distribution {
  Real mean = 0.0, median = 0.0, deviation = 0.0, min = 0.0, max = 0.0;
};

void add_truncation(Describe<Distribution>& table) {
  table.number("min", &Distribution::min, some_length, "no grain is smaller")
      .required()
      .number("max", &Distribution::max, some_length, "no grain is larger")
      .required()
      .finish([](ValueReader& reader, const Node& node, Distribution& d) {
        if (d.max < d.min)
          reader.fault(*node.find("max")->value, fmt::format("max: found {:g} below min {:g}", d.max, d.min));
      });
}

const Object& uniform_table() {
  static const Object table = [] {
    Describe<Distribution> t("uniform", "Every diameter between min and max is as likely.");
    add_truncation(t);
    return t.done();
  }();
  return table;
}

const Object& normal_table() {
  static const Object table = [] {
    Describe<Distribution> t("normal", "Normal distribution of the diameter, cut at min and max.");
    t.number("mean", &Distribution::mean, some_length, "mean diameter")
        .required()
        .number("deviation", &Distribution::deviation, some_length, "standard deviation")
        .required();
    add_truncation(t);
    return t.done();
  }();
  return table;
}

const Object& lognormal_table() {
  static const Object table = [] {
    Describe<Distribution> t("lognormal", "Normal distribution of the logarithm of the diameter, cut at min and max.");
    t.number("median", &Distribution::median, some_length, "median diameter")
        .required()
        .number("deviation", &Distribution::deviation, {1e-9, 10.0}, "standard deviation of the natural logarithm")
        .required();
    add_truncation(t);
    return t.done();
  }();
  return table;
}

void read_distribution(ValueReader& reader, const Node& node, const Object& table, SizeSpec::Kind kind,
                       SizeSpec& size) {
  Distribution d;
  read_object(reader, table, node, &d);
  size.kind = kind;
  size.diameter = kind == SizeSpec::Kind::normal ? d.mean : d.median;
  size.min = d.min;
  size.max = d.max;
  size.deviation = d.deviation;
}

void read_sieve(ValueReader& reader, const Entry& entry, SizeSpec& size) {
  auto points = reader.points(entry.key, *entry.value, some_length, {0.0, 1.0});
  size.kind = SizeSpec::Kind::sieve;
  if (!points || !check_rising(reader, entry, *points)) return;
  bool good = points->size() >= 2 && points->front().second == 0.0 && points->back().second == 1.0;
  for (std::size_t i = 1; i < points->size(); ++i) good = good && (*points)[i].second >= (*points)[i - 1].second;
  if (!good) {
    reader.fault(*entry.value, "sieve: expected at least two points [diameter, fraction passing], rising from 0 to 1");
    return;
  }
  size.points = std::move(*points);
}

void read_discrete(ValueReader& reader, const Entry& entry, SizeSpec& size) {
  auto points = reader.points(entry.key, *entry.value, some_length, {0.0, largest});
  size.kind = SizeSpec::Kind::discrete;
  if (!points) return;
  Real sum = 0.0;
  for (const auto& [diameter, weight] : *points) sum += weight;
  if (sum <= 0.0) {
    reader.fault(*entry.value, "discrete: found only weights of 0");
    return;
  }
  size.points = std::move(*points);
}

const Object& size_table() {
  const auto of = [](const Object& table, SizeSpec::Kind kind) {
    return [&table, kind](ValueReader& reader, const Entry& entry, SizeSpec& size) {
      read_distribution(reader, *entry.value, table, kind, size);
    };
  };
  static const Object table =
      Describe<SizeSpec>("size",
                         "Diameters of the grains: of spheres and disks; of stones the edge of the smallest square "
                         "hole they pass; another shape is scaled so that the sphere about it has this diameter.")
          .custom("uniform", "uniform", of(uniform_table(), SizeSpec::Kind::uniform), "between two diameters")
          .elements()
          .nested(uniform_table())
          .custom("normal", "normal", of(normal_table(), SizeSpec::Kind::normal), "about a mean")
          .elements()
          .nested(normal_table())
          .custom("lognormal", "lognormal", of(lognormal_table(), SizeSpec::Kind::lognormal), "about a median")
          .elements()
          .nested(lognormal_table())
          .custom("discrete", "[[diameter, weight], ...]", read_discrete, "a few diameters, weights by number")
          .unit("m, -")
          .custom("sieve", "[[diameter, fraction], ...]", read_sieve,
                  "a sieve curve: part of the mass that passes, rising from 0 to 1")
          .unit("m, -")
          .exactly_one_of({"uniform", "normal", "lognormal", "discrete", "sieve"})
          .done();
  return table;
}

void read_size(ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
  generator.size.mark = entry.value->mark.source();
  if (entry.value->kind == Node::Kind::map) {
    read_object(reader, size_table(), *entry.value, &generator.size);
    return;
  }
  const auto diameter = reader.number(entry.key, *entry.value, some_length);
  if (diameter) generator.size.diameter = *diameter;
}

const Object& region_table() {
  static const Object table =
      Describe<GeneratorSpec>("region", "A box along the axes.")
          .vector("min", &GeneratorSpec::box_min, VectorRule::point, any_length, "lowest corner")
          .required()
          .vector("max", &GeneratorSpec::box_max, VectorRule::point, any_length, "highest corner")
          .required()
          .finish([](ValueReader& reader, const Node& node, GeneratorSpec& generator) {
            check_corners(reader, node, generator.box_min, generator.box_max);
          })
          .done();
  return table;
}

void read_cells(ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
  const std::size_t count = reader.planar ? 2 : 3;
  const Node& node = *entry.value;
  if (node.kind != Node::Kind::list || node.items.size() != count) {
    reader.mismatch(entry.key, node, fmt::format("a list of {} whole numbers", count));
    return;
  }
  generator.cells = {1, 1, 1};
  Real product = 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto cells = reader.integer(entry.key, *node.items[i], some_count);
    if (!cells) return;
    generator.cells[i] = static_cast<Index>(*cells);
    product *= static_cast<Real>(*cells);
  }
  if (!some_count.holds(product))
    reader.fault(node, fmt::format("cells: found {:g} grains, expected at most {:g}", product, some_count.max));
}

struct Ratio {
  Real mean = 0.0, deviation = 0.0, min = 0.0, max = 0.0;
};

// Ratios of axes are at most 1; a splinter of a tenth is not crushed rock.
constexpr Range some_ratio{0.1, 0.98};

const Object& ratio_table() {
  static const Object table =
      Describe<Ratio>("ratio", "A ratio that differs from stone to stone: normal about a mean, or uniform in a range.")
          .number("mean", &Ratio::mean, some_ratio, "mean of a normal distribution")
          .number("deviation", &Ratio::deviation, {1e-6, 1.0}, "its standard deviation")
          .number("min", &Ratio::min, some_ratio, "smallest; alone with max: every value between is as likely")
          .number("max", &Ratio::max, some_ratio, "largest")
          .finish([](ValueReader& reader, const Node& node, Ratio& ratio) {
            const bool normal = node.find("mean") || node.find("deviation");
            for (const char* key : {"mean", "deviation"}) {
              if (normal && !node.find(key))
                reader.fault(node, fmt::format("ratio needs mean and deviation, found no {}", key));
            }
            for (const char* key : {"min", "max"}) {
              if (!normal && !node.find(key))
                reader.fault(node, fmt::format("ratio needs mean and deviation, or min and max; found no {}", key));
            }
            if (node.find("min") && node.find("max") && ratio.max < ratio.min)
              reader.fault(*node.find("max")->value,
                           fmt::format("max: found {:g} below min {:g}", ratio.max, ratio.min));
          })
          .done();
  return table;
}

auto read_ratio(RatioSpec StoneSpec::*member) {
  return [member](ValueReader& reader, const Entry& entry, StoneSpec& stone) {
    RatioSpec& ratio = stone.*member;
    if (entry.value->kind != Node::Kind::map) {
      const auto value = reader.number(entry.key, *entry.value, some_ratio);
      if (value) ratio = {*value, 0.0, *value, *value};
      return;
    }
    Ratio read;
    const std::size_t before = reader.faults().count();
    read_object(reader, ratio_table(), *entry.value, &read);
    if (reader.faults().count() != before) return;
    const bool normal = entry.value->find("mean");
    ratio.mean = normal ? read.mean : 0.5 * (read.min + read.max);
    ratio.deviation = normal ? read.deviation : std::numeric_limits<Real>::infinity();
    ratio.min = entry.value->find("min") ? read.min : some_ratio.min;
    ratio.max = entry.value->find("max") ? read.max : some_ratio.max;
  };
}

const Object& stone_table() {
  static const Object table =
      Describe<StoneSpec>("stone",
                          "A library of random convex stones such as crushed rock, from the seed; each grain is one of "
                          "them at its own size. Length is the largest extent, width the largest across it, thickness "
                          "that across both.")
          .integer("vertices", &StoneSpec::vertices, {6, 200}, "corners of a stone, within an eighth")
          .custom("elongation", "number or ratio", read_ratio(&StoneSpec::elongation), "width over length")
          .elements()
          .nested(ratio_table())
          .fallback("mean 0.72, deviation 0.1, 0.5 to 0.95")
          .custom("flatness", "number or ratio", read_ratio(&StoneSpec::flatness), "thickness over width")
          .elements()
          .nested(ratio_table())
          .fallback("mean 0.7, deviation 0.12, 0.4 to 0.95")
          .number("roundness", &StoneSpec::roundness, {0.0, 1.0}, "0: cut by planes, sharp; 1: corners on an ellipsoid")
          .integer("variants", &StoneSpec::variants, {1, 1e4}, "different stones in the library")
          .done();
  return table;
}

const Object& stones_table() {
  static const Object table =
      Describe<GeneratorSpec>("stones", "A library of digitised stones.")
          .custom(
              "file", "text",
              [](ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
                generator.stone_mesh = read_mesh(reader, entry);
              },
              "an STL or OBJ file, relative to the scene file; the hull of every object in it is a stone")
          .required()
          .done();
  return table;
}

void read_stone(ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
  generator.stone.emplace();
  generator.stone->mark = entry.value->mark.source();
  read_object(reader, stone_table(), *entry.value, &*generator.stone);
}

void read_bed_path(ValueReader& reader, const Entry& entry, std::string& path) {
  if (auto found = read_file_path(reader, entry)) path = std::move(*found);
}

void read_bed_settings(ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
  if (entry.value->kind != Node::Kind::map) {
    reader.mismatch(entry.key, *entry.value, "a map of settings and numbers");
    return;
  }
  for (const Entry& setting : entry.value->entries) {
    const auto value = reader.number(setting.key, *setting.value, any_number);
    if (value) generator.bed_set.emplace_back(setting.key, *value);
  }
}

const Object& bed_table() {
  static const Object table =
      Describe<GeneratorSpec>("bed", "Stones at rest, made by `grus bed`.")
          .custom(
              "scene", "text",
              [](ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
                read_bed_path(reader, entry, generator.bed_scene);
              },
              "a scene with `settle`: the bed is made when it is first needed, and kept (docs/howto/make-a-bed.md)")
          .custom(
              "file", "text",
              [](ValueReader& reader, const Entry& entry, GeneratorSpec& generator) {
                read_bed_path(reader, entry, generator.bed_file);
              },
              "a file that `grus bed` wrote")
          .exactly_one_of({"scene", "file"})
          .custom("set", "map of numbers", read_bed_settings, "parameters and settings of the bed's scene, as by --set")
          .only_of({"scene"})
          .vector("position", &GeneratorSpec::bed_position, VectorRule::spatial, any_length, "shift of all stones")
          .done();
  return table;
}

void finish_generator(ValueReader& reader, const Node& node, GeneratorSpec& generator) {
  if (generator.kind == Kind::fill && !generator.count && !generator.solid_fraction)
    reader.fault(node, "generator of kind fill needs count, solid_fraction, or both");
  const bool has_stones = generator.stone || generator.stone_mesh;
  if (has_stones && !node.find("random_rotation")) generator.random_rotation = true;
  if (generator.kind == Kind::bed) {
    for (const char* key :
         {"shape", "shapes", "stone", "stones", "clearance", "random_rotation", "velocity", "velocity_spread"}) {
      if (const Entry* entry = node.find(key))
        reader.fault(*entry, fmt::format("'{}' has no meaning for stones of a bed", key));
    }
  } else if (const Entry* entry = node.find("bed")) {
    reader.fault(*entry, "'bed' is only for bed");
  }
  if (reader.planar) {
    for (const char* key : {"stone", "stones", "bed"}) {
      if (const Entry* entry = node.find(key))
        reader.fault(*entry, fmt::format("'{}' has no place in a planar scene", key));
    }
  }
  const bool shape_given = node.find("shape") || node.find("shapes");
  if (!shape_given) {
    generator.shape.kind = reader.planar ? ShapeKind::disk : ShapeKind::sphere;
    generator.shape.radius = 0.5;
    generator.shape.mark = generator.mark;
  }
}

}  // namespace

const Object& generator_table() {
  static const Object table =
      Describe<GeneratorSpec>("generator",
                              "Many grains of one kind. They are named name[0], name[1], ... and form a group.")
          .text("name", &GeneratorSpec::name, TextRule::name, "group of the grains")
          .required()
          .choice(
              "kind", &GeneratorSpec::kind,
              Names<Kind>{{"fill", Kind::fill}, {"lattice", Kind::lattice}, {"rain", Kind::rain}, {"bed", Kind::bed}},
              "random places without overlap, rows, grains let fall one after the other, or stones at rest")
          .required()
          .custom("shape", "sphere, disk, or shape", read_template, "template, scaled to the size")
          .fallback("sphere, planar disk")
          .elements()
          .nested(shape_table())
          .list("shapes", &GeneratorSpec::cluster, shape_table(), "template of several shapes that move as one")
          .custom("stone", "stone", read_stone, "random stones; their size is that of the square hole they pass")
          .elements()
          .nested(stone_table())
          .section("stones", self, stones_table(), "digitised stones; their size is that of the square hole they pass")
          .at_most_one_of({"shape", "shapes", "stone", "stones"})
          .section("bed", self, bed_table(), "stones at rest")
          .only_of({"bed"})
          .required()
          .custom("size", "number (one diameter) or size", read_size, "diameters of the grains")
          .unit("m")
          .only_of({"fill", "lattice", "rain"})
          .required()
          .elements()
          .nested(size_table())
          .text("material", &GeneratorSpec::material, TextRule::name, "a name of `materials`")
          .fallback("the only material")
          .number("density", &GeneratorSpec::density, some_density, "instead of the material's")
          .section("box", self, region_table(), "space to fill, source of the rain, or for a lattice its corner at min")
          .only_of({"fill", "lattice", "rain"})
          .required()
          .integer("count", &GeneratorSpec::count, some_count,
                   "number of grains: rain exactly, fill and lattice at most")
          .only_of({"fill", "lattice", "rain"})
          .vector("cylinder_axis", &GeneratorSpec::cylinder_axis, VectorRule::direction, any_number,
                  "keep to the cylinder inside the box about this axis")
          .only_of({"fill"})
          .number("solid_fraction", &GeneratorSpec::solid_fraction, {1e-6, 0.7},
                  "stop when grains fill this part of the box")
          .only_of({"fill"})
          .choice("lattice", &GeneratorSpec::lattice,
                  Names<GeneratorSpec::Lattice>{{"cubic", GeneratorSpec::Lattice::cubic},
                                                {"hexagonal", GeneratorSpec::Lattice::hexagonal}},
                  "order of the rows")
          .only_of({"lattice"})
          .custom("cells", "[nx, ny, nz], planar [nx, ny]", read_cells, "grains along each axis")
          .only_of({"lattice"})
          .required()
          .number("spacing", &GeneratorSpec::spacing, {0.0, largest, "m"},
                  "between centres; 0: the largest grain plus clearance")
          .only_of({"lattice"})
          .number("jitter", &GeneratorSpec::jitter, {0.0, 1.0},
                  "random shift, as a part of the free space between grains")
          .only_of({"lattice"})
          .number("clearance", &GeneratorSpec::clearance, {0.0, largest, "m"},
                  "least distance between grains at the start")
          .boolean("random_rotation", &GeneratorSpec::random_rotation, "turn each grain at random")
          .fallback("false, stones true")
          .number("rate", &GeneratorSpec::rate, {1e-6, 1e9, "1/s"}, "grains per second")
          .only_of({"rain"})
          .required()
          .number("start", &GeneratorSpec::start, later, "time of the first grain")
          .only_of({"rain"})
          .vector("velocity", &GeneratorSpec::velocity, VectorRule::point, any_speed, "at the start")
          .number("velocity_spread", &GeneratorSpec::velocity_spread, {0.0, 1e6, "m/s"},
                  "added to each component, uniform between minus and plus this")
          .finish(finish_generator)
          .done();
  return table;
}

}  // namespace grus::scene
