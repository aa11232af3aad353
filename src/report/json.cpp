#include "report/json.h"

#include <nlohmann/json.hpp>

#include "check/rules.h"

namespace replait {
namespace {

using Json = nlohmann::ordered_json;

Json stack_json(const std::vector<ReportLine>& stack) {
  Json result = Json::array();
  for (const ReportLine& line : stack) {
    result.push_back({{"file", line.file},
                      {"line", line.line},
                      {"column", line.column},
                      {"function", line.function},
                      {"text", line.text}});
  }
  return result;
}

Json access_json(const ReportAccess& access) {
  return {{"event", access.event},     {"agent", access.agent},
          {"action", access.action},   {"range", access.range},
          {"by_copy", access.by_copy}, {"stack", stack_json(access.stack)}};
}

Json race_json(const ReportRace& race) {
  return {{"rule", race.rule},
          {"severity", to_string(race.severity)},
          {"launch", race.launch},
          {"buffer", race.buffer},
          {"key", race.key},
          {"type", race.type},
          {"first", access_json(race.first)},
          {"second", access_json(race.second)},
          {"pairs", race.pairs},
          {"nearest", race.nearest},
          {"missing", race.missing},
          {"see", race.see}};
}

Json finding_json(const ReportFinding& found) {
  const Finding& finding = found.finding;
  return {{"rule", finding.rule},
          {"severity", to_string(finding.severity)},
          {"message", finding.message},
          {"details", finding.details},
          {"events", finding.events},
          {"event", finding.event ? Json(*finding.event) : Json(nullptr)},
          {"stack", stack_json(found.stack)}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json launches = Json::array();
  for (const ReportLaunch& launch : report.launches) {
    launches.push_back({{"number", launch.number},
                        {"kernel", launch.kernel},
                        {"devices", launch.devices},
                        {"cores_per_device", launch.cores_per_device}});
  }
  Json races = Json::array();
  for (const ReportRace& race : report.races) races.push_back(race_json(race));
  Json findings = Json::array();
  for (const ReportFinding& finding : report.findings) findings.push_back(finding_json(finding));
  const Json json{{"schema", "replait.report/1"},
                  {"file", report.file},
                  {"program", report.program},
                  {"scheduler", report.scheduler},
                  {"seed", report.seed},
                  {"jax_version", report.jax_version},
                  {"launches", launches},
                  {"events", report.events},
                  {"outcome", to_string(report.end)},
                  {"other_schedules_judged", report.other_schedules_judged},
                  {"races", races},
                  {"findings", findings},
                  {"reproduce", report.reproduce}};
  // Strings are printable UTF-8 already; replacing keeps a fault of ours from throwing here.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace replait
