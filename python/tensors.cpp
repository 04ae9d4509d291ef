#include "python/tensors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nanobind/ndarray.h>
#include <span>
#include <stdexcept>
#include <utility>

#include "python/arrays.h"

namespace nb = nanobind;

namespace worklog::python {

namespace {

// DLPack 1.3, "C exchange API": dlpack.h. Of its functions those that are used here have a type.
struct ManagedTensor {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(ManagedTensor* self);
  std::uint64_t flags;
  nb::dlpack::dltensor tensor;
};

struct ExchangeFunctions {
  std::uint32_t major;
  std::uint32_t minor;
  const ExchangeFunctions* previous;
  int (*allocate)(nb::dlpack::dltensor* like, ManagedTensor** made, void* context,
                  void (*failed)(void* context, const char* kind, const char* message));
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
  Makers makers{};
  // Of methods, and of their arguments.
  PyObject* is_neg = nullptr;
  PyObject* new_empty = nullptr;
  PyObject* shape = nullptr;
  PyObject* dtype_alone = nullptr;  // a tuple
  // Of each device, to make others like it: an argument less to be looked at.
  std::map<int, nb::object> floats;
};

// Never destroyed: Python is gone before.
Exchange& exchange() {
  static Exchange& known = *new Exchange;
  return known;
}

// Of a tensor of the type that is told of; none where it has no memory of its own: sparse, nested,
// or one of a transformation.
std::optional<nb::dlpack::dltensor> looked_at(nb::handle tensor) {
  const ExchangeFunctions* functions = exchange().functions;
  if (functions == nullptr || tensor.type().ptr() != exchange().type) return std::nullopt;
  nb::dlpack::dltensor found;
  if (functions->from_object(tensor.ptr(), &found) == 0) return found;
  PyErr_Clear();
  return std::nullopt;
}

void* data_of(const nb::dlpack::dltensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
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

// In C's order, where a dimension of one element may have any stride; none is empty.
bool is_dense(const nb::dlpack::dltensor& tensor) {
  std::int64_t elements = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const std::int64_t size = tensor.shape[i];
    const bool lies_well = tensor.strides == nullptr || tensor.strides[i] == elements || size == 1;
    if (size == 0 || !lies_well) return false;
    elements *= size;
  }
  return tensor.data != nullptr;
}

bool is_int64(nb::dlpack::dtype type) {
  return type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) && type.bits == 64 &&
         type.lanes == 1;
}

// Whether they are as many as the rows, in the same order.
bool has_shape_of_rows(const nb::dlpack::dltensor& labels, const Tensor& rows) {
  return std::ranges::equal(std::span(labels.shape, static_cast<std::size_t>(labels.ndim)),
                            rows.shape.first(rows.shape.size() - 1));
}

// So many bytes of a device; null where that fails.
ManagedTensor* allocated(int device, std::size_t bytes) {
  auto size = static_cast<std::int64_t>(bytes);
  nb::dlpack::dltensor like{};
  like.device = {kDeviceType, device};
  like.ndim = 1;
  like.dtype = nb::dtype<std::uint8_t>();
  like.shape = &size;
  ManagedTensor* made = nullptr;
  const auto told_again = [](void*, const char*, const char*) {};
  if (exchange().functions->allocate(&like, &made, nullptr, told_again) == 0) return made;
  PyErr_Clear();
  return nullptr;
}

void* data_of_new(nb::handle tensor) {
  const auto found = looked_at(tensor);
  if (!found) throw std::logic_error("a new tensor has no memory of its own");
  return data_of(*found);
}

// x.new_empty(shape, dtype=dtype)
Made new_empty(nb::handle tensor, nb::handle shape, nb::handle dtype) {
  PyObject* given[] = {tensor.ptr(), shape.ptr(), dtype.ptr()};
  nb::object made = nb::steal(PyObject_VectorcallMethod(
      exchange().new_empty, given, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, exchange().dtype_alone));
  if (!made.is_valid()) throw nb::python_error();
  void* const data = data_of_new(made);
  return {std::move(made), data};
}

}  // namespace

Extent Tensor::extent() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  return {rows, shape.back()};
}

bool Tensor::is_like(const Tensor& other) const {
  return dtype == other.dtype && device == other.device && std::ranges::equal(shape, other.shape);
}

bool set_tensor_exchange(nb::type_object type, const nb::capsule& exchange_api, Makers makers) {
  const auto* functions = static_cast<const ExchangeFunctions*>(exchange_api.data(kCapsule));
  while (functions != nullptr && functions->major != kMajor)
    functions = functions->previous;
  if (functions == nullptr || functions->allocate == nullptr || functions->from_object == nullptr ||
      functions->current_stream == nullptr)
    return false;
  exchange() = {.type = type.release().ptr(),
                .functions = functions,
                .makers = std::move(makers),
                .is_neg = PyUnicode_InternFromString("is_neg"),
                .new_empty = PyUnicode_InternFromString("new_empty"),
                .shape = PyUnicode_InternFromString("shape"),
                .dtype_alone = nb::make_tuple("dtype").release().ptr(),
                .floats = {}};
  return true;
}

std::optional<Tensor> plain_tensor(nb::handle tensor) {
  const auto found = looked_at(tensor);
  if (!found) return std::nullopt;
  const auto dtype = dtype_of(found->dtype);
  if (!dtype || found->device.device_type != kDeviceType || found->ndim == 0 || !is_dense(*found) ||
      is_negated(tensor))
    return std::nullopt;
  return Tensor{data_of(*found), *dtype,
                std::span<const std::int64_t>(found->shape, static_cast<std::size_t>(found->ndim)),
                found->device.device_id};
}

std::optional<const std::int64_t*> labels_of_rows(nb::handle labels, const Tensor& rows,
                                                  std::int64_t ignored) {
  const auto found = looked_at(labels);
  if (!found || !is_int64(found->dtype) || found->device.device_type != kDeviceType ||
      found->device.device_id != rows.device || !has_shape_of_rows(*found, rows) ||
      !is_dense(*found))
    return std::nullopt;
  const auto* data = static_cast<const std::int64_t*>(data_of(*found));
  if (kDeviceType != nb::device::cpu::value) return data;
  const auto [count, classes] = rows.extent();
  const bool all_name_classes =
      std::all_of(data, data + count, [classes = classes, ignored](std::int64_t label) {
        return (label >= 0 && label < classes) || label == ignored;
      });
  return all_name_classes ? std::optional(data) : std::nullopt;
}

Made empty_like(nb::handle tensor) {
  nb::object made =
      nb::steal(PyObject_CallOneArg(exchange().makers.empty_like.ptr(), tensor.ptr()));
  if (!made.is_valid()) throw nb::python_error();
  void* const data = data_of_new(made);
  return {std::move(made), data};
}

Made new_float(nb::handle tensor, const Tensor& plain) {
  const nb::object& known = exchange().floats[plain.device];
  if (!known.is_valid()) {
    Made made = new_empty(tensor, nb::make_tuple(), exchange().makers.float32);
    exchange().floats[plain.device] = std::move(made.tensor);
  }
  return empty_like(known);
}

Made new_floats(nb::handle tensor, nb::handle labels) {
  const nb::object shape = nb::steal(PyObject_GetAttr(labels.ptr(), exchange().shape));
  if (!shape.is_valid()) throw nb::python_error();
  return new_empty(tensor, shape, exchange().makers.float32);
}

// DLPack's way makes no object of Python's. Where it fails, Python's says why.
TensorMemory::TensorMemory(nb::handle tensor, const Tensor& plain, std::size_t bytes) {
  // PyTorch's own allocators for the host, and others that it can be given, align to less.
  std::size_t room = bytes + SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT - 1;
  if (ManagedTensor* managed = allocated(plain.device, room)) {
    managed_ = managed;
    data_ = data_of(managed->tensor);
  } else {
    const nb::object size = nb::steal(PyLong_FromSize_t(room));
    if (!size.is_valid()) throw nb::python_error();
    Made made = new_empty(tensor, size, exchange().makers.uint8);
    tensor_ = std::move(made.tensor);
    data_ = made.data;
  }
  std::align(SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT, bytes, data_, room);
}

TensorMemory::~TensorMemory() {
  if (managed_ == nullptr) return;
  auto* managed = static_cast<ManagedTensor*>(managed_);
  managed->deleter(managed);
}

cudaStream_t current_stream(const Tensor& tensor) {
  if (kDeviceType == nb::device::cpu::value) return nullptr;
  void* stream = nullptr;
  if (exchange().functions->current_stream(kDeviceType, tensor.device, &stream) != 0)
    throw nb::python_error();
  return static_cast<cudaStream_t>(stream);
}

}  // namespace worklog::python
