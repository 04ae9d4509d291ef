"""A recorded run: what bench/run_on_gpu.sh leaves is checked and put where it belongs."""
