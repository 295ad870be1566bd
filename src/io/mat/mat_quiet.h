/* src/io/mat/mat_quiet.h: HDF5 without its habit of printing errors. */
#ifndef IO_MAT_QUIET_H
#define IO_MAT_QUIET_H

/* How HDF5 reported errors before. */
typedef struct volt_hdf5_reports {
    int (*print)(long long stack, void *context);
    void *context;
    int is_saved;
} volt_hdf5_reports;

/* From now on HDF5 prints nothing; the caller gives `reports` back to volt_hdf5_restore. */
void volt_hdf5_silence(volt_hdf5_reports *reports);
void volt_hdf5_restore(const volt_hdf5_reports *reports);

#endif
