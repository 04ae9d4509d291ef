/**
 * \file
 * Softmax, its relatives and their gradients on a GPU, for C and for languages that call C.
 *
 * Arrays are row-major, rows x cols, in memory of the current device, without a gap between rows:
 * only the functions with "scale" in their names take rows that lie further apart.
 * Results follow the contract of the steps: a row with a NaN, with +inf, or of -inf only is NaN
 * throughout, any other -inf gives exactly 0 (of a log-softmax -inf).
 *
 * Every function may be called from several threads at once. One that computes puts its work on
 * `stream` and returns; it allocates no device memory and waits for nothing. What it returns tells
 * whether the work was launched; what goes wrong on the device later, the stream's next
 * synchronization tells. Each begins with cudaGetLastError(), so as not to report an error that an
 * earlier call of CUDA has left. 0 rows or 0 columns are a success at which nothing is launched
 * or written; top-k refuses 0 columns, since k is at least 1.
 */
#ifndef SOFTMAX_WORKLOG_C_H
#define SOFTMAX_WORKLOG_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What cudaStream_t is; a null one is the default stream. */
typedef struct CUstream_st* softmax_worklog_stream;

/** The type of an array's elements. Arithmetic is in fp32, whatever it is. */
typedef enum softmax_worklog_dtype {
  SOFTMAX_WORKLOG_FLOAT32 = 0, /**< float */
  SOFTMAX_WORKLOG_FLOAT16 = 1, /**< __half */
  SOFTMAX_WORKLOG_BFLOAT16 = 2 /**< __nv_bfloat16 */
} softmax_worklog_dtype;

/** What is computed, for those functions that are asked about it. */
typedef enum softmax_worklog_operation {
  SOFTMAX_WORKLOG_SOFTMAX = 0,              /**< softmax_worklog_softmax() */
  SOFTMAX_WORKLOG_LOG_SOFTMAX = 1,          /**< softmax_worklog_log_softmax() */
  SOFTMAX_WORKLOG_TOP_K = 2,                /**< softmax_worklog_top_k() */
  SOFTMAX_WORKLOG_SOFTMAX_BACKWARD = 3,     /**< softmax_worklog_softmax_backward() */
  SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD = 4, /**< softmax_worklog_log_softmax_backward() */
  SOFTMAX_WORKLOG_CROSS_ENTROPY = 5,        /**< softmax_worklog_cross_entropy() */
  SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS = 6    /**< softmax_worklog_cross_entropy_loss() */
} softmax_worklog_operation;

/** How a call went. softmax_worklog_last_error() says more of all but the first. */
typedef enum softmax_worklog_status {
  SOFTMAX_WORKLOG_SUCCESS = 0,           /**< the work is on the stream */
  SOFTMAX_WORKLOG_INVALID_ARGUMENT = 1,  /**< an argument is out of its range */
  SOFTMAX_WORKLOG_INVALID_WORKSPACE = 2, /**< it is null, too small, not aligned, or overlaps */
  SOFTMAX_WORKLOG_WRONG_DEVICE = 3,      /**< an array or the stream is not the current device's */
  SOFTMAX_WORKLOG_UNSUPPORTED_ARCHITECTURE = 4, /**< there is no kernel for this device */
  SOFTMAX_WORKLOG_CUDA_ERROR = 5,               /**< CUDA refused a launch or a question */
  SOFTMAX_WORKLOG_INTERNAL_ERROR =
      6 /**< a mistake of the library, or the host has no memory left */
} softmax_worklog_status;

/** The type of a label. */
typedef enum softmax_worklog_label_type {
  SOFTMAX_WORKLOG_INT64 = 0, /**< int64_t */
  SOFTMAX_WORKLOG_INT32 = 1  /**< int32_t */
} softmax_worklog_label_type;

/** What becomes of the losses of all rows. */
typedef enum softmax_worklog_reduction {
  SOFTMAX_WORKLOG_NO_REDUCTION = 0, /**< nothing: gradients are those of the losses' sum */
  SOFTMAX_WORKLOG_SUM = 1,          /**< their sum */
  SOFTMAX_WORKLOG_MEAN = 2 /**< their sum over the number of rows that are not ignored; NaN if all
                              are. Of 0 rows nothing is written */
} softmax_worklog_reduction;

/** What a cross-entropy may be asked for beside the plain loss. */
typedef struct softmax_worklog_cross_entropy_options {
  int64_t ignore_index;  /**< the label of rows that do not count; PyTorch's is -100 */
  float label_smoothing; /**< 0 to 1: the share of the target that all columns share */
  float z_loss; /**< 0 or more and finite: what log(sum(exp))^2 adds to a loss, times this */
  softmax_worklog_reduction reduction; /**< what becomes of the losses */
} softmax_worklog_cross_entropy_options;

/**
 * What is done to the logits of a softmax while they are read, and where rows lie. All strides are
 * in elements, from a row to the next, and 0 stands for cols.
 * Begin with SOFTMAX_WORKLOG_SCALE_MASK_DEFAULTS: a struct of zeros would have the scale 0.
 */
typedef struct softmax_worklog_scale_mask_options {
  float scale;         /**< what logits are multiplied by: finite; of attention 1 / sqrt(head), of a
                            temperature 1 / that */
  const void* mask;    /**< mask_matrices x mask_rows x cols elements of the logits' type that are
                            added to the scaled logits: 0, or -inf for what shall not count; null
                            for none, and then what follows of the mask is 0 */
  int64_t mask_rows;   /**< of a matrix of the mask: row r has its row r % mask_rows; 0 stands for
                            mask_matrix_rows */
  int64_t mask_stride; /**< cols or more */
  int64_t mask_matrices;    /**< row r has the matrix r / mask_matrix_rows % mask_matrices; 0 stands
                                 for 1 */
  int64_t mask_matrix_rows; /**< rows of logits in succession that have one matrix; 0 stands for
                                 rows */
  int is_causal;          /**< 1: row r is query r % queries and sees the columns up to this number
                               plus causal_offset; 0: every row sees all, and the next two are 0 */
  int64_t queries;        /**< rows of one matrix; 0 stands for rows */
  int64_t causal_offset;  /**< 0 where both begin together (PyTorch's is_causal), cols - queries
                               where they end together */
  int64_t logits_stride;  /**< cols or more */
  int64_t results_stride; /**< cols or more */
} softmax_worklog_scale_mask_options;

/** Nothing is scaled or masked, and no rows lie apart. */
#define SOFTMAX_WORKLOG_SCALE_MASK_DEFAULTS \
  { 1.0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * What the logits of a top-k or a cross-entropy are multiplied by while they are read, and where
 * rows lie, in elements. Rows may be those of several matrices, which lie apart themselves: so
 * without its last query each sequence of a batch has queries - 1 rows, and the next sequence
 * begins queries rows after it.
 * Begin with SOFTMAX_WORKLOG_SCALE_DEFAULTS: a struct of zeros would have the scale 0, which is
 * refused.
 */
typedef struct softmax_worklog_scale_options {
  float scale;                     /**< above 0 and finite; of a temperature 1 / that */
  int64_t logits_stride;           /**< from a row to the next: cols or more; 0 stands for cols */
  int64_t gradients_stride;        /**< likewise; looked at where there are gradients */
  int64_t matrix_rows;             /**< rows in succession that are a matrix; 0 stands for all */
  int64_t logits_matrix_stride;    /**< from the first row of a matrix to the next one's, which does
                                        not begin before the matrix ends; 0 stands for matrix_rows
                                        strides */
  int64_t gradients_matrix_stride; /**< likewise; looked at where there are gradients */
} softmax_worklog_scale_options;

/** Nothing is scaled, and no rows lie apart. */
#define SOFTMAX_WORKLOG_SCALE_DEFAULTS \
  { 1.0f, 0, 0, 0, 0, 0 }

/**
 * What logits were multiplied by before a softmax, and where the rows of its backward pass lie. All
 * strides are in elements, from a row to the next: cols or more, and 0 stands for cols.
 * Begin with SOFTMAX_WORKLOG_SCALE_BACKWARD_DEFAULTS: a struct of zeros would have the scale 0.
 */
typedef struct softmax_worklog_scale_backward_options {
  float scale;                    /**< finite: that of softmax_worklog_scale_mask_softmax() */
  int64_t results_stride;         /**< of what the softmax or the log-softmax gave */
  int64_t gradients_stride;       /**< of the gradients by that */
  int64_t logit_gradients_stride; /**< of the gradients by the logits */
} softmax_worklog_scale_backward_options;

/** Nothing was scaled, and no rows lie apart. */
#define SOFTMAX_WORKLOG_SCALE_BACKWARD_DEFAULTS \
  { 1.0f, 0, 0, 0 }

/** A workspace begins at a multiple of so many bytes, as what cudaMalloc gives does. */
#define SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT 256

/** The most rows of a call. */
#define SOFTMAX_WORKLOG_MAX_ROWS 2147483647

/** The most that top-k finds. */
#define SOFTMAX_WORKLOG_MAX_K 2048

/** "success", "invalid argument" and so on; "unknown status" for any other number. Never null. */
const char* softmax_worklog_status_name(softmax_worklog_status status);

/**
 * What was wrong with this thread's last call that did not succeed: one line that names the
 * argument, its value and its limit.
 * "" before any. It holds until the thread's next call that does not succeed. Never null.
 */
const char* softmax_worklog_last_error(void);

/** What the library was built for: compute capabilities as "80,90", or "the CPU executor". */
const char* softmax_worklog_architectures(void);

/**
 * How many bytes of workspace a call on the current device needs, into `bytes`: 0 for many shapes.
 * It depends on nothing but the arguments and the device. `k` is looked at for
 * SOFTMAX_WORKLOG_TOP_K alone.
 *
 * Errors: an unknown `operation` or `dtype`, `rows` or `cols` below 0, more rows than
 * SOFTMAX_WORKLOG_MAX_ROWS, `k` or `cols` that no kernel takes, `bytes` null; a device that the
 * library was not built for.
 */
softmax_worklog_status softmax_worklog_workspace_bytes(softmax_worklog_operation operation,
                                                       softmax_worklog_dtype dtype, int64_t rows,
                                                       int64_t cols, int k, size_t* bytes);

/**
 * Which kernel would serve a call on the current device, such as "14_row_in_registers", into
 * `step`, in memory of the library's own: for logs and measurements. Errors as for
 * softmax_worklog_workspace_bytes().
 */
softmax_worklog_status softmax_worklog_step(softmax_worklog_operation operation,
                                            softmax_worklog_dtype dtype, int64_t rows, int64_t cols,
                                            int k, const char** step);

/**
 * Softmax of each row: probabilities, which add up to 1 within rounding.
 *
 * Of a row that the chip holds (1,417,216 columns of float32 and more of the others, on an H200), a
 * float32 probability is off by 6 units in the last place at most, whatever the logits below 2^20,
 * and one of the other types by little more than half a unit.
 *
 * `logits` and `probabilities` are rows x cols of `dtype` and may be the same array, but overlap in
 * no other way. `workspace` is softmax_worklog_workspace_bytes() of device memory, aligned to
 * SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT, which the work on the stream may use until it is done; null
 * where that is 0.
 *
 * Errors: what softmax_worklog_workspace_bytes() refuses; arrays that are null, not aligned to
 * their type, of another device or overlap; a workspace that is null, too small or not aligned; a
 * stream of another device.
 */
softmax_worklog_status softmax_worklog_softmax(softmax_worklog_dtype dtype, const void* logits,
                                               void* probabilities, int64_t rows, int64_t cols,
                                               void* workspace, size_t workspace_bytes,
                                               softmax_worklog_stream stream);

/** The logarithms of the softmax of each row, x - log(sum(exp(x))). Otherwise as
 * softmax_worklog_softmax(). */
softmax_worklog_status softmax_worklog_log_softmax(softmax_worklog_dtype dtype, const void* logits,
                                                   void* log_probabilities, int64_t rows,
                                                   int64_t cols, void* workspace,
                                                   size_t workspace_bytes,
                                                   softmax_worklog_stream stream);

/**
 * Softmax of each row of scale * x + mask, rounded once, of logits x whose rows may lie apart, into
 * results of any type: what attention and sampling do before and after a softmax, in its one pass.
 *
 * `logits` is rows x cols of `dtype`, `results` rows x cols of `results_dtype`. They may be the
 * same array if type and stride are the same; else they share no element, and results none with the
 * mask. `options` may be null: SOFTMAX_WORKLOG_SCALE_MASK_DEFAULTS. What a causal mask hides
 * has no influence, whatever is there; most of it is not read. A row that sees nothing but -inf is
 * NaN throughout. Needs no workspace. Rows that begin at multiples of 16 bytes and have a multiple
 * of them are read once up to 24576 columns, others up to 16377 (fp32: 16381); longer ones twice.
 * Of logits of 2 bytes the exponentials are the GPU's fast ones (`__expf`), which are off by about
 * 2 + 1.2 |x| units in the last place for an x so far below the row's largest: results of fp32 show
 * it.
 *
 * Errors: what softmax_worklog_softmax() refuses; options that are out of their range.
 */
softmax_worklog_status softmax_worklog_scale_mask_softmax(
    softmax_worklog_dtype dtype, const void* logits, softmax_worklog_dtype results_dtype,
    void* results, int64_t rows, int64_t cols, const softmax_worklog_scale_mask_options* options,
    softmax_worklog_stream stream);

/** The logarithms of that. Otherwise as softmax_worklog_scale_mask_softmax(). */
softmax_worklog_status softmax_worklog_scale_mask_log_softmax(
    softmax_worklog_dtype dtype, const void* logits, softmax_worklog_dtype results_dtype,
    void* results, int64_t rows, int64_t cols, const softmax_worklog_scale_mask_options* options,
    softmax_worklog_stream stream);

/**
 * The `k` largest probabilities of each row's softmax and their columns, descending, of equal ones
 * the lowest column first.
 *
 * `logits` is rows x cols of `dtype`, `values` rows x k, `indices` rows x k; none overlaps another.
 * `k` is 1 to cols, and SOFTMAX_WORKLOG_MAX_K at most; the error names the smaller limit of rows
 * that are too long for that. Otherwise as softmax_worklog_softmax().
 */
softmax_worklog_status softmax_worklog_top_k(softmax_worklog_dtype dtype, const void* logits,
                                             float* values, int64_t* indices, int64_t rows,
                                             int64_t cols, int k, void* workspace,
                                             size_t workspace_bytes, softmax_worklog_stream stream);

/**
 * The `k` largest probabilities of each row's softmax of scale * x, of logits x whose rows may lie
 * apart, and their columns: what sampling at a temperature wants, and no array of scaled logits.
 *
 * Columns are put in the order of x itself, of equal logits the lowest first. A product that fp32
 * does not hold counts as infinite. `scaling` may be null: SOFTMAX_WORKLOG_SCALE_DEFAULTS. Where it
 * changes nothing, this is softmax_worklog_top_k(), and else a kernel of the library's own, which
 * reads rows of up to 253 columns of fp32, or 505 of two bytes, once where k is 128 at most (of up
 * to 256 or 512 that begin at multiples of 16 bytes and have a multiple of them), and longer ones
 * twice, or three times where its list has no room for the columns that share the k-th place, as of
 * a row with fewer allowed tokens than k. Otherwise as softmax_worklog_top_k(), its workspace and
 * limits included; also refused: scaling out of its range.
 */
softmax_worklog_status softmax_worklog_scale_top_k(softmax_worklog_dtype dtype, const void* logits,
                                                   float* values, int64_t* indices, int64_t rows,
                                                   int64_t cols, int k,
                                                   const softmax_worklog_scale_options* scaling,
                                                   void* workspace, size_t workspace_bytes,
                                                   softmax_worklog_stream stream);

/**
 * The gradient of a loss by the logits, dx = y (dy - sum(y dy)), of what softmax gave
 * (`probabilities`, y) and the gradient by that (`gradients`, dy).
 *
 * All arrays are rows x cols of `dtype`. `logit_gradients` may be either of the others, but overlap
 * them in no other way. Needs a GPU with clusters (compute capability 9.0). Otherwise as
 * softmax_worklog_softmax().
 */
softmax_worklog_status softmax_worklog_softmax_backward(
    softmax_worklog_dtype dtype, const void* probabilities, const void* gradients,
    void* logit_gradients, int64_t rows, int64_t cols, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream);

/**
 * The same for a log-softmax, dx = dy - exp(y) sum(dy), of the logarithms that it gave. Rows that
 * are longer than a cluster's registers hold are refused; the error names the limit. Needs
 * clusters, and for rows of more than 512 columns of fp32 or 1,024 of two bytes up to 227 KB of
 * shared memory for a block, too.
 */
softmax_worklog_status softmax_worklog_log_softmax_backward(
    softmax_worklog_dtype dtype, const void* log_probabilities, const void* gradients,
    void* logit_gradients, int64_t rows, int64_t cols, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream);

/**
 * The gradient of a loss by the logits x, dx = scale * y (dy - sum(y dy)), of what
 * softmax_worklog_scale_mask_softmax() gave (`probabilities`, y = softmax(scale * x + mask)) and
 * the gradient by that (`gradients`, dy): rounded once, to the logits' type. The mask needs no
 * mention, since y is 0 where it hides a column.
 *
 * `probabilities` and `gradients` are rows x cols of `dtype`, `logit_gradients` rows x cols of
 * `logits_dtype`. It may be either of the others if type and stride are the same; else it shares no
 * element with them. `options` may be null: SOFTMAX_WORKLOG_SCALE_BACKWARD_DEFAULTS. Needs no
 * workspace, and no GPU with clusters. Rows that begin at multiples of 16 bytes and have a multiple
 * of them are read once up to 16384 columns, others up to 16377 (fp32: 16381); longer ones twice.
 *
 * Errors: what softmax_worklog_softmax() refuses; options that are out of their range.
 */
softmax_worklog_status softmax_worklog_scale_softmax_backward(
    softmax_worklog_dtype dtype, const void* probabilities, const void* gradients,
    softmax_worklog_dtype logits_dtype, void* logit_gradients, int64_t rows, int64_t cols,
    const softmax_worklog_scale_backward_options* options, softmax_worklog_stream stream);

/**
 * The same of what softmax_worklog_scale_mask_log_softmax() gave, dx = scale * (dy - exp(y)
 * sum(dy)).
 */
softmax_worklog_status softmax_worklog_scale_log_softmax_backward(
    softmax_worklog_dtype dtype, const void* log_probabilities, const void* gradients,
    softmax_worklog_dtype logits_dtype, void* logit_gradients, int64_t rows, int64_t cols,
    const softmax_worklog_scale_backward_options* options, softmax_worklog_stream stream);

/**
 * What each row's label costs a classifier, and the gradients of that by the logits, in one pass
 * over them. With s the label smoothing, z the z-loss, N columns and lse = log(sum(exp(x))):
 *
 *     loss = (1 - s) (lse - x_label) + s (lse - mean(x)) + z lse^2
 *
 * `logits` and `gradients` are rows x cols of `dtype` and may be the same array. `labels` are rows
 * of `label_type`: one that is `ignore_index` has loss and gradients 0, any other outside 0 .. cols
 * - 1 gives NaN in its row. `losses` has one element a row; it may be null where there is a
 * reduction. `loss` is a single float, the sum or the mean; null where there is no reduction.
 * `options` may be null: an ignore_index of -100, no smoothing, no z-loss, no reduction. Results
 * overlap nothing else. Needs a GPU with clusters (compute capability 9.0), and for rows of more
 * than 1,024 columns up to 227 KB of shared memory for a block. Rows that are longer than a cluster
 * holds are refused; the error names the limit. Otherwise as softmax_worklog_softmax(); also
 * refused: options out of their range, an unknown `label_type` or reduction.
 */
softmax_worklog_status softmax_worklog_cross_entropy(
    softmax_worklog_dtype dtype, const void* logits, const void* labels,
    softmax_worklog_label_type label_type, float* losses, float* loss, void* gradients,
    int64_t rows, int64_t cols, const softmax_worklog_cross_entropy_options* options,
    void* workspace, size_t workspace_bytes, softmax_worklog_stream stream);

/**
 * The losses alone, one a row, without options: for validation. `labels` and `losses` have one
 * element a row; a label outside 0 .. cols - 1 gives NaN. Otherwise as softmax_worklog_softmax().
 */
softmax_worklog_status softmax_worklog_cross_entropy_loss(softmax_worklog_dtype dtype,
                                                          const void* logits, const int64_t* labels,
                                                          float* losses, int64_t rows, int64_t cols,
                                                          void* workspace, size_t workspace_bytes,
                                                          softmax_worklog_stream stream);

/**
 * A cross-entropy of scale * x, of logits x whose rows may lie apart, and its gradients by x, which
 * may lie apart as well: what training on a slice of the logits wants, without a copy of it.
 *
 * `gradients` may be the logits if they lie alike; else they share no element. `scaling` may be
 * null: SOFTMAX_WORKLOG_SCALE_DEFAULTS. Where it changes nothing, this is
 * softmax_worklog_cross_entropy(), and else a kernel of the library's own. That reads rows once
 * which begin at multiples of 16 bytes, have a multiple of them and are of up to 24576 columns, or
 * others of up to 16377 (fp32: 16381); longer ones twice. Otherwise as
 * softmax_worklog_cross_entropy(), its workspace and limits included; also refused: scaling out of
 * its range.
 */
softmax_worklog_status softmax_worklog_scale_cross_entropy(
    softmax_worklog_dtype dtype, const void* logits, const void* labels,
    softmax_worklog_label_type label_type, float* losses, float* loss, void* gradients,
    int64_t rows, int64_t cols, const softmax_worklog_cross_entropy_options* options,
    const softmax_worklog_scale_options* scaling, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream);

/** The losses of that alone, without options, in one read. Otherwise as
 * softmax_worklog_cross_entropy_loss(); also refused: scaling out of its range. */
softmax_worklog_status softmax_worklog_scale_cross_entropy_loss(
    softmax_worklog_dtype dtype, const void* logits, const int64_t* labels, float* losses,
    int64_t rows, int64_t cols, const softmax_worklog_scale_options* scaling, void* workspace,
    size_t workspace_bytes, softmax_worklog_stream stream);

#ifdef __cplusplus
}
#endif

#endif
