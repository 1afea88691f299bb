// The life of a process that measures one tool: what it is told and what it says is described in
// ../worker/src/lib.rs.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

struct Job {
  std::string tool, program;
  int n, steps, rounds;
  std::string numbers, gradient;
};

/// `record` is not a number if the tool does both in one call.
struct Times {
  double record, reverse, value;
  double both() const { return (std::isnan(record) ? 0 : record) + reverse; }
};

inline double thread_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/// A line of what Linux tells of this process, in bytes.
inline std::int64_t memory(const char* name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind(name, 0) == 0) return 1024 * std::atoll(line.c_str() + std::strlen(name));
  return 0;
}

inline std::vector<double> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<double> numbers(file.tellg() / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(double));
  return numbers;
}

/// The number below which a fraction of all is; the median at one half.
inline double quantile(std::vector<double> x, double fraction) {
  std::sort(x.begin(), x.end());
  return x[std::size_t(fraction * x.size())];
}
inline std::string json(double x) { return std::isnan(x) ? "null" : std::to_string(1e9 * x) + "e-9"; }

/// `Tool(job, numbers)` has `Times run()` and `std::vector<double> gradient()`.
template <class Tool>
int serve(int argc, char** argv) {
  if (argc != 8) return 2;
  Job job{argv[1], argv[2], std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), argv[6], argv[7]};
  Tool tool(job, read(job.numbers));
  auto idle = memory("VmRSS:");
  Times cold = tool.run();
  std::vector<double> out{cold.value};
  for (double g : tool.gradient()) out.push_back(g);
  std::ofstream(job.gradient, std::ios::binary)
      .write(reinterpret_cast<const char*>(out.data()), out.size() * sizeof(double));
  std::cout << "{\"event\":\"gradient\"}" << std::endl;
  std::string answer;
  if (!std::getline(std::cin, answer) || answer != "go") return 0;
  std::vector<double> record, reverse, both;
  double all = 0;
  while ((int)record.size() < job.rounds || (job.rounds > 1 && all < 0.2 && record.size() < 60)) {
    Times t = tool.run();
    record.push_back(t.record);
    reverse.push_back(t.reverse);
    both.push_back(t.both());
    all += t.both();
  }
  auto times = [](double record, double reverse) {
    return "{\"record\":" + json(record) + ",\"reverse\":" + json(reverse) + "}";
  };
  std::cout << "{\"event\":\"measured\",\"rounds\":" << record.size()                                 //
            << ",\"quartiles\":[" << json(quantile(both, 0.25)) << "," << json(quantile(both, 0.75))    //
            << "],\"cold\":" << times(cold.record, cold.reverse)                                        //
            << ",\"warm\":" << times(quantile(record, 0.5), quantile(reverse, 0.5))                     //
            << ",\"plain\":null,\"peak_bytes\":" << std::max<std::int64_t>(memory("VmHWM:") - idle, 0)  //
            << ",\"tape\":null}" << std::endl;
  return 0;
}
