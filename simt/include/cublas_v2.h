/// \file
/// By this name programs include cuBLAS: simt/docs/cublas.md says what of it works, and what is
/// refused.
#pragma once

#define CUBLAS_V2_H_  ///< by which other headers know that this one is there

#include "simt/include/cublas_api.h"

// What these are called in NVIDIA's library itself, where its header gives them the names above.
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasGetVersion_v2 cublasGetVersion
#define cublasSetWorkspace_v2 cublasSetWorkspace
#define cublasSetStream_v2 cublasSetStream
#define cublasGetStream_v2 cublasGetStream
#define cublasGetPointerMode_v2 cublasGetPointerMode
#define cublasSetPointerMode_v2 cublasSetPointerMode
#define cublasIsamax_v2 cublasIsamax
#define cublasIsamin_v2 cublasIsamin
#define cublasSaxpy_v2 cublasSaxpy
#define cublasScopy_v2 cublasScopy
#define cublasSswap_v2 cublasSswap
#define cublasSscal_v2 cublasSscal
#define cublasSgemv_v2 cublasSgemv
#define cublasStrsv_v2 cublasStrsv
#define cublasStrmv_v2 cublasStrmv
#define cublasSgemm_v2 cublasSgemm
#define cublasSsymm_v2 cublasSsymm
#define cublasSsyrk_v2 cublasSsyrk
#define cublasSsyr2k_v2 cublasSsyr2k
#define cublasStrsm_v2 cublasStrsm
#define cublasStrmm_v2 cublasStrmm
#define cublasIdamax_v2 cublasIdamax
#define cublasIdamin_v2 cublasIdamin
#define cublasDaxpy_v2 cublasDaxpy
#define cublasDcopy_v2 cublasDcopy
#define cublasDswap_v2 cublasDswap
#define cublasDscal_v2 cublasDscal
#define cublasDgemv_v2 cublasDgemv
#define cublasDtrsv_v2 cublasDtrsv
#define cublasDtrmv_v2 cublasDtrmv
#define cublasDgemm_v2 cublasDgemm
#define cublasDsymm_v2 cublasDsymm
#define cublasDsyrk_v2 cublasDsyrk
#define cublasDsyr2k_v2 cublasDsyr2k
#define cublasDtrsm_v2 cublasDtrsm
#define cublasDtrmm_v2 cublasDtrmm
#define cublasIcamax_v2 cublasIcamax
#define cublasIcamin_v2 cublasIcamin
#define cublasCaxpy_v2 cublasCaxpy
#define cublasCcopy_v2 cublasCcopy
#define cublasCswap_v2 cublasCswap
#define cublasCscal_v2 cublasCscal
#define cublasCgemv_v2 cublasCgemv
#define cublasCtrsv_v2 cublasCtrsv
#define cublasCtrmv_v2 cublasCtrmv
#define cublasCgemm_v2 cublasCgemm
#define cublasCsymm_v2 cublasCsymm
#define cublasCsyrk_v2 cublasCsyrk
#define cublasCsyr2k_v2 cublasCsyr2k
#define cublasCtrsm_v2 cublasCtrsm
#define cublasCtrmm_v2 cublasCtrmm
#define cublasIzamax_v2 cublasIzamax
#define cublasIzamin_v2 cublasIzamin
#define cublasZaxpy_v2 cublasZaxpy
#define cublasZcopy_v2 cublasZcopy
#define cublasZswap_v2 cublasZswap
#define cublasZscal_v2 cublasZscal
#define cublasZgemv_v2 cublasZgemv
#define cublasZtrsv_v2 cublasZtrsv
#define cublasZtrmv_v2 cublasZtrmv
#define cublasZgemm_v2 cublasZgemm
#define cublasZsymm_v2 cublasZsymm
#define cublasZsyrk_v2 cublasZsyrk
#define cublasZsyr2k_v2 cublasZsyr2k
#define cublasZtrsm_v2 cublasZtrsm
#define cublasZtrmm_v2 cublasZtrmm
#define cublasSdot_v2 cublasSdot
#define cublasSrot_v2 cublasSrot
#define cublasSger_v2 cublasSger
#define cublasSsymv_v2 cublasSsymv
#define cublasSsyr_v2 cublasSsyr
#define cublasSsyr2_v2 cublasSsyr2
#define cublasDdot_v2 cublasDdot
#define cublasDrot_v2 cublasDrot
#define cublasDger_v2 cublasDger
#define cublasDsymv_v2 cublasDsymv
#define cublasDsyr_v2 cublasDsyr
#define cublasDsyr2_v2 cublasDsyr2
#define cublasCdotu_v2 cublasCdotu
#define cublasCdotc_v2 cublasCdotc
#define cublasCgeru_v2 cublasCgeru
#define cublasCgerc_v2 cublasCgerc
#define cublasZdotu_v2 cublasZdotu
#define cublasZdotc_v2 cublasZdotc
#define cublasZgeru_v2 cublasZgeru
#define cublasZgerc_v2 cublasZgerc
#define cublasSnrm2_v2 cublasSnrm2
#define cublasSasum_v2 cublasSasum
#define cublasDnrm2_v2 cublasDnrm2
#define cublasDasum_v2 cublasDasum
#define cublasScnrm2_v2 cublasScnrm2
#define cublasScasum_v2 cublasScasum
#define cublasDznrm2_v2 cublasDznrm2
#define cublasDzasum_v2 cublasDzasum
#define cublasCsscal_v2 cublasCsscal
#define cublasZdscal_v2 cublasZdscal
