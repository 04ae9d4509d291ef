#include <algorithm>
#include <array>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/runtime_api.h"

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr std::array kErrors = {
    ErrorText{cudaSuccess, "cudaSuccess", "no error"},
    ErrorText{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    ErrorText{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorText{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    ErrorText{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
              "invalid configuration argument"},
    ErrorText{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorText{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    ErrorText{cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
    ErrorText{cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor",
              "invalid channel descriptor"},
    ErrorText{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
              "invalid copy direction for memcpy"},
    ErrorText{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
              "invalid device function"},
    ErrorText{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorText{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
              "invalid resource handle"},
    ErrorText{cudaErrorIllegalState, "cudaErrorIllegalState",
              "the operation cannot be performed in the present state"},
    ErrorText{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    ErrorText{cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
              "an illegal memory access was encountered"},
    ErrorText{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
              "too many resources requested for launch"},
    ErrorText{cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
              "the launch timed out and was terminated"},
    ErrorText{cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
              "peer access is already enabled"},
    ErrorText{cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled",
              "peer access has not been enabled"},
    ErrorText{cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    ErrorText{cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    ErrorText{cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
              "an illegal instruction was encountered"},
    ErrorText{cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    ErrorText{cudaErrorInvalidAddressSpace, "cudaErrorInvalidAddressSpace",
              "operation not supported on global/shared address space"},
    ErrorText{cudaErrorInvalidPc, "cudaErrorInvalidPc", "invalid program counter"},
    ErrorText{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorText{cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
              "too many blocks in cooperative launch"},
    ErrorText{cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    ErrorText{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    ErrorText{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"},
    ErrorText{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
              "stream is not the one on which the capture began"},
    ErrorText{cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
              "capturing stream has unjoined work"},
    ErrorText{cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
              "the graph update was not performed because it included changes which violated "
              "constraints specific to instantiated graph update"},
    ErrorText{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find(cudaError_t code) {
  const auto* found = std::find_if(kErrors.begin(), kErrors.end(),
                                   [code](const ErrorText& error) { return error.code == code; });
  return found == kErrors.end() ? nullptr : found;
}

}  // namespace

cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(simt::take_error());
}
cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(simt::peek_error());
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* found = find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* found = find(error);
  return found == nullptr ? "unrecognized error code" : found->text;
}
