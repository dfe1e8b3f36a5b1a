// Named inputs: their names, ranges, starts and tables.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/compile_context.hpp"
#include "model/expression.hpp"

namespace grus {

namespace {

void check_input_name(CompileContext& context, const InputSpec& spec) {
  if (!is_formula_name(spec.name))
    context.fault(
        spec.mark,
        fmt::format("input '{}': expected a name that formulas can spell, of letters, digits, '_' and '.'", spec.name));
  else if (std::find(context.inputs.name.begin(), context.inputs.name.end(), spec.name) != context.inputs.name.end())
    context.fault(spec.mark, fmt::format("input '{}' is defined twice", spec.name));
  else if (spec.name == "t" || spec.name == "pi" || spec.name == "e" || context.spec.parameters.contains(spec.name))
    context.fault(spec.mark,
                  fmt::format("input '{}': the name is taken by the time, a constant or a parameter", spec.name));
}

void check_input_range(CompileContext& context, const InputSpec& spec, const char* what, Real value) {
  if (value >= spec.lower && value <= spec.upper) return;
  context.fault(spec.mark, fmt::format("input '{}': {} is {:g}, expected a number from {:g} to {:g}", spec.name, what,
                                       value, spec.lower, spec.upper));
}

}  // namespace

void compile_inputs(CompileContext& context) {
  for (const InputSpec& spec : context.spec.inputs) {
    check_input_name(context, spec);
    Input input{spec.start, spec.lower, spec.upper, nullptr};
    if (!(spec.lower <= spec.upper))
      context.fault(spec.mark,
                    fmt::format("input '{}': range from {:g} to {:g} is empty", spec.name, spec.lower, spec.upper));
    else
      check_input_range(context, spec, "default", spec.start);
    if (spec.table) {
      // of time alone: an input that follows another one would not be set from outside
      input.table = make_time_function(*spec.table, context.spec.parameters, {}, context.faults);
      for (const auto& point : spec.table->table)
        check_input_range(context, spec, "a value of the table", point.second);
      if (input.table) input.start = (*input.table)(0.0);
    }
    context.inputs.name.push_back(spec.name);
    context.inputs.start.push_back(input.start);
    context.input_models.push_back(std::move(input));
  }
}

}  // namespace grus
