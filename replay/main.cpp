// The `replait` command: the command line over the sample kernels.
#include "examples/cpp/samples.h"

int main(int argc, char** argv) { return replait::main(argc, argv, replait::sample_kernels()); }
