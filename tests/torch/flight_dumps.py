"""Makes dumps of PyTorch's Flight Recorder: jobs of four ranks with gloo on the CPU, each with one planted fault.

usage: flight_dumps.py FOLDER [NAME...]

Each job writes its dumps to FOLDER/NAME: pickles (nccl_trace_rank_N), and for the job "json" JSON (rank_N.json). The jobs run one after another;
each takes some seconds, because the dumps are made while the ranks wait.
"""

import datetime
import multiprocessing
import os
import shutil
import sys
import threading
import time

import torch
import torch.distributed as dist

RANKS = 4
DUMP_AFTER_S = 4
END_AFTER_S = 6


def reduce(count, group=None, dtype=torch.float32):
    dist.all_reduce(torch.ones(count, dtype=dtype), group=group)


def stand_still():
    time.sleep(60)


def warm_up():
    for _ in range(3):
        reduce(8)


def healthy(rank):
    warm_up()
    dist.barrier()


def missing_rank(rank):
    warm_up()
    if rank == 1:
        stand_still()
    reduce(8)


def wrong_order(rank):
    warm_up()
    if rank == 2:
        dist.broadcast(torch.ones(8), 0)
    reduce(8)
    if rank != 2:
        dist.broadcast(torch.ones(8), 0)


def wrong_size(rank):
    warm_up()
    reduce(4096 if rank == 3 else 1024)
    stand_still()


def two_groups(rank):
    rows = [dist.new_group([0, 1], group_desc="row"), dist.new_group([2, 3], group_desc="row")]
    columns = [dist.new_group([0, 2], group_desc="column"), dist.new_group([1, 3], group_desc="column")]
    row, column = rows[rank // 2], columns[rank % 2]
    warm_up()
    reduce(4, row)
    reduce(4, column)
    if rank == 2:  # ranks 0 and 3 wait for it; rank 1 waits for rank 0
        stand_still()
    reduce(6, column if rank in (0,) else row)


def exception(rank):
    warm_up()
    if rank == 3:
        os._exit(1)  # leaves no dump
    reduce(8)


def slow_rank(rank):
    for _ in range(6):
        if rank == 2:
            time.sleep(0.1)
        reduce(8)


def json(rank):
    missing_rank(rank)


JOBS = {job.__name__: job for job in (healthy, missing_rank, wrong_order, wrong_size, two_groups, exception, slow_rank, json)}


def write_dump(name, folder, rank):
    recorder = torch._C._distributed_c10d
    is_json = name == "json"
    data = recorder._dump_fr_trace_json() if is_json else recorder._dump_fr_trace()
    with open(os.path.join(folder, f"rank_{rank}.json" if is_json else f"nccl_trace_rank_{rank}"), "wb") as file:
        file.write(data)


def run_rank(name, folder, rank, start):
    os.environ["TORCH_FR_BUFFER_SIZE"] = "64"
    sys.stderr = open(os.devnull, "w")

    def dump_later():
        time.sleep(max(0, start + DUMP_AFTER_S - time.time()))
        write_dump(name, folder, rank)
        time.sleep(max(0, start + END_AFTER_S - time.time()))
        os._exit(0)

    threading.Thread(target=dump_later, daemon=True).start()
    dist.init_process_group("gloo", rank=rank, world_size=RANKS, init_method=f"file://{folder}/.store", timeout=datetime.timedelta(minutes=10))
    try:
        JOBS[name](rank)
    except Exception:  # a peer ended, or its call does not fit
        pass
    stand_still()


def run_job(name, base):
    folder = os.path.join(base, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    start = time.time()
    context = multiprocessing.get_context("fork")
    ranks = [context.Process(target=run_rank, args=(name, folder, rank, start)) for rank in range(RANKS)]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join()
    os.unlink(os.path.join(folder, ".store")) if os.path.exists(os.path.join(folder, ".store")) else None


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[2:] or JOBS:
        run_job(wanted, os.path.abspath(sys.argv[1]))
