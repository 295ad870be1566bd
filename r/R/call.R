# Calls of the library, and the forms of its inputs and results.

# Calls a function of the library. Errors are conditions of the classes volterra_ID (such as volterra_argument) and
# volterra_error; `.more` is a list of further arguments. Warnings are conditions of the class volterra_warning.
call_volterra <- function(.name, ..., .more = list(), .verbose = FALSE, .call = sys.call(-1)) {
  arguments <- c(.more, list(...))
  result <- .Call(volterra_r_call, .name, arguments[!vapply(arguments, is.null, TRUE)], .verbose)
  if (inherits(result, "volterra_error")) {
    if (result$id == "cancelled")
      stop(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = .call)))
    stop(structure(class = c(paste0("volterra_", result$id), "volterra_error", "error", "condition"),
                   list(message = result$message, call = .call)))
  }
  for (text in unlist(result$warnings))
    warning(structure(class = c("volterra_warning", "warning", "condition"), list(message = text, call = .call)))
  result$warnings <- NULL
  result
}

# Rows of a vector, matrix, data frame, ts, zoo or xts object: a matrix of numbers, its column names and its times.
as_rows <- function(x, what) {
  times <- NULL
  if (inherits(x, "zoo")) {
    times <- if (requireNamespace("zoo", quietly = TRUE)) zoo::index(x) else attr(x, "index")
    x <- if (is.null(dim(x))) as.vector(unclass(x)) else matrix(as.double(unclass(x)), nrow(x), dimnames = list(NULL, colnames(x)))
  } else if (is.data.frame(x)) {
    for (name in names(x)[vapply(x, is_iso_date, TRUE)]) x[[name]] <- as.Date(x[[name]])
    dated <- vapply(x, inherits, TRUE, c("Date", "POSIXct"))
    if (any(dated)) times <- x[[which(dated)[1]]]
    x <- x[!dated]
    bad <- !vapply(x, function(column) is.numeric(column) || is.logical(column), TRUE)
    if (any(bad))
      stop(sprintf("column '%s' of %s is not numeric: convert dates with as.Date, or select other columns",
                   names(x)[which(bad)[1]], what), call. = FALSE)
    x <- data.matrix(x)
  }
  if (!is.numeric(x) && !is.logical(x))
    stop(sprintf("%s must be numeric (got %s)", what, class(x)[1]), call. = FALSE)
  if (length(dim(x)) > 2)
    stop(sprintf("%s must have at most two dimensions (got %d)", what, length(dim(x))), call. = FALSE)
  rows <- matrix(as.double(x), nrow = NROW(x), ncol = NCOL(x))
  list(rows = rows, names = if (is.null(dim(x))) NULL else colnames(x),
       seconds = if (is.null(times)) NULL else seconds_of(times), times = times)
}

# Texts such as 2024-01-31, as read.csv returns dates.
is_iso_date <- function(x) {
  (is.character(x) || is.factor(x)) && length(x) > 0 &&
    all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x) & !is.na(as.Date(as.character(x), optional = TRUE)))
}

# Rejects missing values, with the row counted from 1.
check_complete <- function(series, what, call) {
  at <- which(!is.finite(series$rows), arr.ind = TRUE)
  if (nrow(at) == 0) return(invisible())
  column <- if (is.null(series$names)) "" else sprintf(", column '%s'", series$names[at[1, 2]])
  text <- sprintf("row %d of %s%s is %s: drop or interpolate missing values (zoo::na.approx)", at[1, 1], what, column,
                  format(series$rows[at[1, 1], at[1, 2]]))
  stop(structure(class = c("volterra_not_finite", "volterra_error", "error", "condition"), list(message = text, call = call)))
}

# Times in seconds since 1970; NULL for an index without a date.
seconds_of <- function(times) {
  if (inherits(times, "Date")) return(86400 * as.double(times))
  if (inherits(times, "POSIXct")) return(as.double(times))
  if (inherits(times, "yearmon") || inherits(times, "yearqtr"))
    return(86400 * as.double(as.Date(times)))
  NULL
}

# Lengths of the runs of equal values of `group`, the records.
record_lengths <- function(records, rows, what = "records") {
  if (is.null(records)) return(NULL)
  if (length(records) != rows)
    stop(sprintf("%s must have one value per row, %d (got %d)", what, rows, length(records)), call. = FALSE)
  found <- rle(as.vector(records))
  if (anyDuplicated(found$values))
    stop(sprintf("the rows of a record must be consecutive, and '%s' occurs twice in %s",
                 found$values[anyDuplicated(found$values)], what), call. = FALSE)
  as.double(found$lengths)
}

flag <- function(x) if (is.null(x)) NULL else as.double(isTRUE(x))

# A matrix of results, with names; a vector if there is one unnamed column.
as_result <- function(matrix, names = NULL, flat = FALSE) {
  if (!is.null(names) && length(names) == ncol(matrix)) colnames(matrix) <- names
  if (flat && ncol(matrix) == 1) matrix[, 1] else matrix
}
