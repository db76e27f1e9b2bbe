/* mpi_program [BARRIERS]: every rank calls collectives (also in place), sends messages to the next rank, and uses a
 * communicator of half the ranks. Each rank counts calls and bytes as the report does (the larger of sent and
 * received). Rank 0 prints one line "NAME CALLS BYTES" for counts on which all ranks agree. Before all other calls,
 * each rank calls BARRIERS barriers, about 2 ms apart. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 1000, ROUNDS = 5 };

int main(int argc, char **argv)
{
    int rank, size;
    double *in = calloc(COUNT * 8, sizeof *in), *out = calloc(COUNT * 8, sizeof *out);
    int counts[8], starts[8];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 8 || !in || !out)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int barriers = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < barriers; i++) {
        usleep(2000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        starts[i] = i * 16;
    }
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, out, COUNT, MPI_DOUBLE, MPI_SUM, half);
        MPI_Bcast(in, COUNT, MPI_FLOAT, 0, MPI_COMM_WORLD);
        MPI_Reduce(in, out, COUNT, MPI_INT, MPI_MAX, size - 1, MPI_COMM_WORLD);
        MPI_Allgather(in, 10, MPI_DOUBLE, out, 10, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Allgatherv(in, rank + 1, MPI_DOUBLE, out, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Alltoall(in, 100, MPI_DOUBLE, out, 100, MPI_DOUBLE, MPI_COMM_WORLD);
        if (rank == 0) /* MPI uses these arguments only on the root, so the other ranks pass invalid values */
            MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 20, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        else
            MPI_Gather(in, 20, MPI_DOUBLE, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Request request;
        MPI_Irecv(out, COUNT, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
        MPI_Send(in, COUNT, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (rank == 0) {
        printf("allreduce %d %d\n", 2 * ROUNDS, 2 * ROUNDS * COUNT * 8);
        printf("broadcast %d %d\n", ROUNDS, ROUNDS * COUNT * 4);
        printf("reduce %d %d\n", ROUNDS, ROUNDS * COUNT * 4);
        printf("allgather %d %d\n", 2 * ROUNDS, ROUNDS * (10 * size + size * (size + 1) / 2) * 8);
        printf("all_to_all %d %d\n", ROUNDS, ROUNDS * 100 * size * 8);
        /* the root and the other ranks have different counts of bytes, so no count is printed */
        printf("gather %d -\n", ROUNDS);
        printf("barrier %d 0\n", barriers + ROUNDS);
        printf("send %d %d\n", ROUNDS, ROUNDS * COUNT * 8);
        printf("irecv %d %d\n", ROUNDS, ROUNDS * COUNT * 8);
        printf("wait %d 0\n", ROUNDS);
    }
    return 0;
}
