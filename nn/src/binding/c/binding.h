// What the generated binding is compiled against, in place of the hundreds of headers that JavaCPP
// binds as a whole: Debian's libtorch 1.13 under the Java classes of a newer release.
#include <torch/script.h>
#include <torch/torch.h>

// The newer release takes these from C++ 17; libtorch 1.13 has its own, and is compiled as C++ 14,
// which leaves the names free.
namespace std {
template <class T>
using optional = c10::optional<T>;
using c10::nullopt;
}  // namespace std

// A base class of the newer ArrayRef, with some of its methods.
namespace c10 {
template <class T>
using HeaderOnlyArrayRef = ArrayRef<T>;
}  // namespace c10

// Came with a later release. Without it the choice of kernels is oneDNN's, so Engine does without
// oneDNN where this binding is used.
#define setDeterministicMkldnn(wanted) deterministicCuDNN()
