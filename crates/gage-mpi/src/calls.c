/* The calls of MPI that gage-mpi makes. Counts are int, so messages go in pieces. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Starts MPI; 0, or what went wrong: 1 started already, 2 no calls from any thread. */
int gage_mpi_start(int *rank, int *size, char *host, int length) {
    int started = 0, provided = 0, count = 0;
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    MPI_Initialized(&started);
    if (started) return 1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    MPI_Get_processor_name(name, &count);
    name[count] = 0;
    strncpy(host, name, (size_t)length - 1);
    host[length - 1] = 0;
    return provided < MPI_THREAD_SERIALIZED ? 2 : 0;
}

void gage_mpi_end(void) { MPI_Finalize(); }

void gage_mpi_abort(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

/* Sends and receives all messages at once; the own ones are left out. 0, or a failure. */
int gage_mpi_exchange(int rank, int size, const void **send, const size_t *sent, void **receive,
                      const size_t *received, size_t piece) {
    size_t count = 0, next = 0;
    MPI_Request *requests;
    int failed = 0;
    for (int of = 0; of < size; of++) {
        if (of == rank) continue;
        count += (sent[of] + piece - 1) / piece + (received[of] + piece - 1) / piece;
    }
    if (count == 0) return 0;
    if (count > INT_MAX) return 1;
    requests = malloc(count * sizeof *requests);
    if (requests == NULL) return 1;
    for (int of = 0; of < size; of++) {
        if (of == rank) continue;
        for (size_t at = 0; at < received[of]; at += piece) {
            size_t bytes = received[of] - at < piece ? received[of] - at : piece;
            failed |= MPI_Irecv((char *)receive[of] + at, (int)bytes, MPI_BYTE, of, 7,
                                MPI_COMM_WORLD, &requests[next++]) != MPI_SUCCESS;
        }
    }
    for (int of = 0; of < size; of++) {
        if (of == rank) continue;
        for (size_t at = 0; at < sent[of]; at += piece) {
            size_t bytes = sent[of] - at < piece ? sent[of] - at : piece;
            failed |= MPI_Isend((const char *)send[of] + at, (int)bytes, MPI_BYTE, of, 7,
                                MPI_COMM_WORLD, &requests[next++]) != MPI_SUCCESS;
        }
    }
    failed |= MPI_Waitall((int)count, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    free(requests);
    return failed;
}
