// Findings, each kept once with a count.
#include "core.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace emulator {

namespace {
std::vector<Report> reports;
}

Report& report(Kind kind, u64 site, u64 other_site) {
    for (Report& found : reports) {
        if (found.kind == kind && found.site == site && found.other_site == other_site) {
            found.count += 1;
            return found;
        }
    }
    Report found;
    std::memset(&found, 0, sizeof found);
    found.kind = kind;
    found.count = 1;
    found.site = site;
    found.other_site = other_site;
    if (const Fiber* fiber = machine.current) {
        found.thread = fiber->id % machine.options.block;
        found.block = fiber->block;
    }
    reports.push_back(found);
    return reports.back();
}

void fail(Kind kind, u64 site, u64 other_site, const char* format, ...) {
    Report& found = report(kind, site, other_site);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(found.text, sizeof found.text, format, arguments);
    va_end(arguments);
    end_launch();
}

extern "C" u32 emulator_report_count() { return u32(reports.size()); }
extern "C" const Report* emulator_report(u32 i) { return &reports[i]; }
extern "C" void emulator_clear_reports() { reports.clear(); }

}  // namespace emulator
