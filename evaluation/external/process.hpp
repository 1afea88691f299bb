// The life of a process that measures one tool: what it is told and what it says is described in
// ../worker/src/lib.rs.
#pragma once
#include <algorithm>
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

struct Times {
  double record, reverse, value;
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

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

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
  std::vector<double> record, reverse;
  double all = 0;
  while ((int)record.size() < job.rounds || (job.rounds > 1 && all < 0.2 && record.size() < 60)) {
    Times t = tool.run();
    record.push_back(t.record);
    reverse.push_back(t.reverse);
    all += t.record + t.reverse;
  }
  std::printf("{\"event\":\"measured\",\"rounds\":%zu,\"cold\":{\"record\":%.9g,\"reverse\":%.9g},"
              "\"warm\":{\"record\":%.9g,\"reverse\":%.9g},\"plain\":null,\"peak_bytes\":%lld,\"tape\":null}\n",
              record.size(), cold.record, cold.reverse, median(record), median(reverse),
              (long long)std::max<std::int64_t>(memory("VmHWM:") - idle, 0));
  return 0;
}
