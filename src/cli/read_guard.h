#pragma once
// What happens where a model file goes away under the program.
//
// Weights are packed while loading, but rows of the embedding are read from the mapped file for each token (a copy
// would cost hundreds of MB), so that a file that is cut short or a disk that fails raises SIGBUS at any time, on any
// thread. pread() would give an error code, but one that each read deep in the forward pass would have to carry, for a
// case in which nothing can go on. So the program, and only the program, says one line and ends; a library never does.

namespace reckon::cli {

// SIGBUS inside a mapped file: names the file and the remedy on standard error and ends with Exit::kModel. Elsewhere it
// is a bug of ours and keeps its default action. Call it once, from main().
void install_read_guard();

}  // namespace reckon::cli
