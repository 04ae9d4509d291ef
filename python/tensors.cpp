#include "python/tensors.h"

#include <nanobind/ndarray.h>

#include "python/arrays.h"

namespace nb = nanobind;

namespace worklog::python {

namespace {

// DLPack 1.3, "C exchange API": dlpack.h. Of its functions those that are used here have a type.
struct ExchangeFunctions {
  std::uint32_t major;
  std::uint32_t minor;
  const ExchangeFunctions* previous;
  void (*allocate)();
  void (*managed_from_object)();
  void (*managed_to_object)();
  int (*from_object)(void* object, nb::dlpack::dltensor* tensor);
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

constexpr std::uint32_t kMajor = 1;
constexpr const char* kCapsule = "dlpack_exchange_api";

struct Exchange {
  PyObject* type = nullptr;  // kept for ever
  const ExchangeFunctions* functions = nullptr;
  PyObject* empty_like = nullptr;
  PyObject* is_neg = nullptr;  // a method's name
};

Exchange& exchange() {
  static Exchange known;
  return known;
}

std::optional<softmax_worklog_dtype> dtype_of(nb::dlpack::dtype type) {
  const auto is = [type](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  if (is(nb::dlpack::dtype_code::Float, 32)) return SOFTMAX_WORKLOG_FLOAT32;
  if (is(nb::dlpack::dtype_code::Float, 16)) return SOFTMAX_WORKLOG_FLOAT16;
  if (is(nb::dlpack::dtype_code::Bfloat, 16)) return SOFTMAX_WORKLOG_BFLOAT16;
  return std::nullopt;
}

// Whether a tensor's bits are those of its elements negated: DLPack does not tell.
bool is_negated(nb::handle tensor) {
  const nb::object told = nb::steal(PyObject_CallMethodNoArgs(tensor.ptr(), exchange().is_neg));
  if (!told.is_valid()) PyErr_Clear();
  return told.ptr() != Py_False;
}

// In C's order, where a dimension of one element may have any stride; no dimension is empty.
bool is_dense(const nb::dlpack::dltensor& tensor) {
  std::int64_t elements = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const std::int64_t size = tensor.shape[i];
    const bool lies_well = tensor.strides == nullptr || tensor.strides[i] == elements || size == 1;
    if (size == 0 || !lies_well) return false;
    elements *= size;
  }
  return tensor.ndim > 0 && tensor.data != nullptr;
}

}  // namespace

Extent Tensor::extent() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  return {rows, shape.back()};
}

bool Tensor::is_like(const Tensor& other) const {
  return dtype == other.dtype && device == other.device && shape == other.shape;
}

bool set_tensor_exchange(nb::type_object type, const nb::capsule& exchange_api,
                         nb::object empty_like) {
  const auto* functions = static_cast<const ExchangeFunctions*>(exchange_api.data(kCapsule));
  while (functions != nullptr && functions->major != kMajor)
    functions = functions->previous;
  if (functions == nullptr || functions->from_object == nullptr ||
      functions->current_stream == nullptr)
    return false;
  exchange() = {type.release().ptr(), functions, empty_like.release().ptr(),
                PyUnicode_InternFromString("is_neg")};
  return true;
}

std::optional<Tensor> plain_tensor(nb::handle tensor) {
  const ExchangeFunctions* functions = exchange().functions;
  if (functions == nullptr || tensor.type().ptr() != exchange().type) return std::nullopt;
  nb::dlpack::dltensor found;
  if (functions->from_object(tensor.ptr(), &found) != 0) {
    PyErr_Clear();  // it has no memory of its own: sparse, nested, or one of a transformation
    return std::nullopt;
  }
  const auto dtype = dtype_of(found.dtype);
  if (!dtype || found.device.device_type != kDeviceType || !is_dense(found) || is_negated(tensor))
    return std::nullopt;
  return Tensor{static_cast<std::byte*>(found.data) + found.byte_offset, *dtype,
                std::vector<std::int64_t>(found.shape, found.shape + found.ndim),
                found.device.device_id};
}

nb::object empty_like(nb::handle tensor) {
  PyObject* made = PyObject_CallOneArg(exchange().empty_like, tensor.ptr());
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

cudaStream_t current_stream(const Tensor& tensor) {
  if (kDeviceType == nb::device::cpu::value) return nullptr;
  void* stream = nullptr;
  if (exchange().functions->current_stream(kDeviceType, tensor.device, &stream) != 0)
    throw nb::python_error();
  return static_cast<cudaStream_t>(stream);
}

}  // namespace worklog::python
