"""record_hardware.py OUT.json GPU CSV CSV: what Nsight Compute counted of each launch of a program.

Both CSVs are of one program, for only what hardware counts alike twice is kept. They are made by

  nvcc -std=c++20 -O3 -arch=sm_90 -o program program.cu
  ncu --cache-control none --csv --page raw --print-units base --print-kernel-base function \\
    --metrics $(python3 record_hardware.py --metrics) ./program >run.csv
"""

import csv
import json
import pathlib
import sys

# Our figure, and the metric that it equals.
FIGURES = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def launches_of(file):
    """Names and figures in the order of the launches."""
    lines = pathlib.Path(file).read_text().splitlines()
    rows = csv.DictReader(line for line in lines if line.startswith('"'))
    return [
        (
            row["Kernel Name"],
            {ours: int(row[metric].replace(",", "")) for ours, metric in FIGURES.items()},
        )
        for row in rows
        if row["ID"].isdigit()  # the first row has units
    ]


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join(FIGURES.values()))
        return
    out, gpu, *files = sys.argv[1:]
    once, again = map(launches_of, files)
    launches = []
    for (name, figures), (again_name, same) in zip(once, again, strict=True):
        if name != again_name:
            sys.exit(f"the files are of different programs: {name} stands where {again_name} does")
        kept = {ours: value for ours, value in figures.items() if value == same[ours]}
        launches.append({"kernel": name, "figures": kept})
    lines = ",\n".join(json.dumps(launch) for launch in launches)
    pathlib.Path(out).write_text(f'{{"gpu": {json.dumps(gpu)}, "launches": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
