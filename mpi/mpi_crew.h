/* mpi/mpi_crew.h: the processes of a job as the crew of a search (select/search/crew.h): the first one leads, the others
 * serve.
 *
 * Every process says once that it has come, or why not; the first one says to all that the search is over, whatever
 * happened before. So nobody waits for one that will not answer. Calls of MPI come from several threads, one at a time. */
#ifndef MPI_CREW_H
#define MPI_CREW_H

#include <stdbool.h>

struct volt_crew;

/* That of this process. */
const struct volt_crew *mpi_crew(void);

/* After the search, or without one. In the first process: wait until all others have come, and tell those who do not know
 * it that the search is over; false when they do not come within a few seconds and it should not be patient. In another one:
 * where it has not come to the search, say why. */
bool mpi_crew_end(bool patiently, const char *reason);

/* Has this process taken part in the search to its end? */
bool mpi_crew_has_served(void);

/* Take what others still send and nobody waits for. */
void mpi_crew_drain(void);

#endif
