// What the generated binding is compiled against, in place of the hundreds of headers that JavaCPP
// binds as a whole, and what older releases of libtorch lack of that of the Java classes.
#include <torch/script.h>
#include <torch/torch.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2
// Newer releases take these from C++ 17; this one has its own, and is compiled as C++ 14, which
// leaves the names free.
namespace std {
template <class T>
using optional = c10::optional<T>;
using c10::nullopt;
}  // namespace std

// Came later. Without it the choice of kernels is oneDNN's, which Engine does without here.
#define setDeterministicMkldnn(wanted) deterministicCuDNN()
#endif

#if !__has_include(<torch/headeronly/util/HeaderOnlyArrayRef.h>)
// A base class of the newer ArrayRef, with some of its methods.
namespace c10 {
template <class T>
using HeaderOnlyArrayRef = ArrayRef<T>;
}  // namespace c10
#endif
