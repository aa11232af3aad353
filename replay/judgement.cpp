#include "replay/judgement.h"

namespace replait {

Report Judgement::report(const std::string& file, const CommandContext& context) const {
  const ReportInputs inputs{.header = keeper_.header_,
                            .tables = *keeper_.tables_,
                            .races = races_,
                            .checks = checks_,
                            .end = summary_.end().kind,
                            .events = summary_.events()};
  return make_report(inputs, {.file = file,
                              .command = context.program,
                              .file_quoted = shell_quoted(file),
                              .arguments = "",
                              .launch = std::nullopt,
                              .rule = ""});
}

int Judgement::exit_code(const Report& report, const CommandContext& context) const {
  if (report.errors() > 0) return context.error_exit_code;
  return summary_.end().kind == EndKind::kAbandoned ? 5 : 0;
}

}  // namespace replait
