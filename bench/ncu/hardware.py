"""What only hardware knows of a launch: bytes of DRAM, cache hits, registers, instructions,
occupancy, the limiter."""

_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = [
    "barrier",
    "branch_resolving",
    "dispatch_stall",
    "drain",
    "imc_miss",
    "lg_throttle",
    "long_scoreboard",
    "math_pipe_throttle",
    "membar",
    "mio_throttle",
    "misc",
    "no_instruction",
    "not_selected",
    "short_scoreboard",
    "sleeping",
    "tex_throttle",
    "wait",
]

# Of what a unit could do at most, in percent.
THROUGHPUTS = {
    "SM": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
}

VALUES = {
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "registers": "launch__registers_per_thread",
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "special_instructions": "smsp__inst_executed_pipe_xu.sum",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "occupancy_limit_percent": "sm__maximum_warps_per_active_cycle_pct",
}

METRICS = [*VALUES.values(), *THROUGHPUTS.values(), *(_STALL.format(name) for name in STALLS)]


def distilled(metrics: dict) -> dict:
    """Of a launch: the values, the busiest unit, and what a warp waits for most."""
    throughputs = {name: metrics[metric] for name, metric in THROUGHPUTS.items()}
    busiest = max(throughputs, key=throughputs.get)
    stalls = {name: metrics.get(_STALL.format(name), 0.0) for name in STALLS}
    # Ready, but another warp of the scheduler was: no wait for anything.
    waits = {name: value for name, value in stalls.items() if name != "not_selected"}
    waiting = max(waits, key=waits.get)
    return {
        **{name: metrics[metric] for name, metric in VALUES.items()},
        "throughput_percent": throughputs,
        "limiter": busiest,
        "limiter_percent": throughputs[busiest],
        "stall": waiting,
        "stall_share": round(waits[waiting] / (sum(stalls.values()) or 1.0), 3),
    }
