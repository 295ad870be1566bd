#' volterra: learning dynamic systems from sequences
#'
#' Kernel models of filters with fading memory: forecasts, identification of systems, kernel ridge regression, comparison of
#' kernels, covolatility. The numbers are those of the command-line program and of the C library.
#'
#' @references L. Gonon, L. Grigoryeva, J.-P. Ortega: Reservoir kernels and Volterra series.
#' @keywords internal
#' @importFrom graphics plot
#' @importFrom stats coef fitted logLik nobs predict residuals simulate
#' @rawNamespace exportPattern("^volt_")
#' @useDynLib volterra, .registration = TRUE
"_PACKAGE"
