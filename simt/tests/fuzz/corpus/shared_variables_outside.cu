extern __shared__ int row[];
__shared__ int table
    [4];
__device__ int use() { return row[0] + a.row + table[1]; }
__host__ void other() { table; }
