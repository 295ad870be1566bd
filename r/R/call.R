# Calls of the library, conditions, and the forms of inputs and results.

# The call of the user: the first function of this package on the stack.
user_call <- function() {
  for (k in seq_len(sys.nframe()))
    if (identical(topenv(environment(sys.function(k))), topenv())) return(sys.call(k))
}

# Errors are conditions of the classes volterra_ID (such as volterra_argument) and volterra_error, warnings of the class
# volterra_warning.
fail <- function(id, ...) {
  stop(structure(class = c(paste0("volterra_", id), "volterra_error", "error", "condition"),
                 list(message = sprintf(...), call = user_call())))
}

warn <- function(...) {
  warning(structure(class = c("volterra_warning", "warning", "condition"), list(message = sprintf(...), call = user_call())))
}

# Calls a function of the library; `.more` is a list of further arguments. Errors in the values of arguments, such as a missing
# one, are volterra_errors.
call_volterra <- function(.name, ..., .more = list(), .verbose = FALSE) {
  arguments <- tryCatch(c(.more, list(...)), error = function(e)
    if (inherits(e, "volterra_error")) stop(e) else fail("argument", "%s", conditionMessage(e)))
  result <- .Call(volterra_r_call, .name, arguments[!vapply(arguments, is.null, TRUE)], .verbose)
  if (inherits(result, "volterra_error")) {
    if (result$id == "cancelled")
      stop(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = user_call())))
    fail(result$id, "%s", result$message)
  }
  for (text in unlist(result$warnings)) warn("%s", text)
  result$warnings <- NULL
  result
}

# An object of a class of this package.
check_class <- function(x, class, what = "object") {
  if (missing(x) || !inherits(x, class)) fail("argument", "%s must have the class %s", what, class)
  x
}

# ---- inputs -------------------------------------------------------------------------------------

# Divides an object into values without times, and the index of its rows: the kind ("ts", "zoo", "xts", or "dates" of a data
# frame), the times and the frequency.
split_times <- function(x) {
  index <- NULL
  if (inherits(x, "zoo")) {
    kind <- if (inherits(x, "xts")) "xts" else "zoo"
    if (!requireNamespace(kind, quietly = TRUE)) fail("argument", "an object of class %s requires package %s", kind, kind)
    index <- list(kind = kind, times = zoo::index(x))
    x <- zoo::coredata(x)
  } else if (stats::is.ts(x)) {
    index <- list(kind = "ts", times = as.double(stats::time(x)), frequency = stats::frequency(x))
    x <- unclass(x)
    attr(x, "tsp") <- NULL
  } else if (is.data.frame(x)) {
    x <- as.data.frame(x)
    for (k in which(vapply(x, is_iso_date, TRUE))) x[[k]] <- as.Date(x[[k]])
    dated <- vapply(x, inherits, TRUE, c("Date", "POSIXct"))
    if (any(dated)) index <- list(kind = "dates", times = x[[which(dated)[1]]])
    x <- x[!dated]
  }
  list(x = x, index = index)
}

# Texts such as 2024-01-31, as read.csv returns dates.
is_iso_date <- function(x) {
  (is.character(x) || is.factor(x)) && length(x) > 0 &&
    all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x) & !is.na(as.Date(as.character(x), optional = TRUE)))
}

# Rows of a vector, matrix, data frame, ts, zoo or xts object: a matrix of numbers, its column names and its index. `names`:
# columns to select.
as_rows <- function(x, what, names = NULL) {
  if (missing(x)) fail("argument", "%s is missing", what)
  parts <- split_times(x)
  x <- select_columns(parts$x, what, names)
  if (is.data.frame(x)) {
    bad <- which(!vapply(x, function(column) is.numeric(column) || is.logical(column), TRUE))
    if (length(bad) > 0)
      fail("argument", "column '%s' of %s is not numeric (%s): convert dates with as.Date, use a formula for factors, or %s",
           names(x)[bad[1]], what, class(x[[bad[1]]])[1], "select other columns")
    x <- matrix(as.double(unlist(lapply(x, as.double))), nrow(x), length(x), dimnames = list(NULL, names(x)))
  }
  if (!is.numeric(x) && !is.logical(x)) fail("argument", "%s must be numeric (got %s)", what, class(x)[1])
  if (length(dim(x)) > 2) fail("argument", "%s must have at most two dimensions (got %d)", what, length(dim(x)))
  list(rows = matrix(as.double(x), nrow = NROW(x), ncol = NCOL(x)), names = if (!is.null(dim(x))) colnames(x),
       index = parts$index, flat = is.null(dim(x)))
}

# Columns by the names of the model; by position if one of them has no names.
select_columns <- function(x, what, names) {
  given <- if (is.data.frame(x)) names(x) else colnames(x)
  if (is.null(names) || is.null(given) || identical(names, given)) return(x)
  if (all(names %in% given) && !anyDuplicated(names)) return(x[, match(names, given), drop = FALSE])
  lists <- sprintf("model: %s; %s: %s", toString(names), what, toString(given))
  if (any(names %in% given)) fail("argument", "%s does not have all columns of the model (%s)", what, lists)
  warn("columns of %s are used by position (%s)", what, lists)
  x
}

optional_rows <- function(x, what, names = NULL) if (!is.null(x)) as_rows(x, what, names)$rows

# Inputs and targets, from two objects, or from a formula and data (also as `y`). `design` has what the formula requires to
# compute inputs from other data.
as_pair <- function(x, y, data = NULL, what = c("x", "y"), requires_y = FALSE) {
  if (missing(x)) fail("argument", "%s is missing", what[1])
  if (!is.null(data) && !inherits(x, "formula")) fail("argument", "data requires a formula as %s", what[1])
  pair <- if (inherits(x, "formula")) formula_rows(x, if (is.null(data)) y else data) else
    list(inputs = as_rows(x, what[1]), targets = if (!is.null(y)) as_rows(y, what[2]))
  if (requires_y && is.null(pair$targets)) fail("argument", "%s is missing", what[2])
  pair_times(pair, what)
}

# Numbers for two indexes, equal for equal times; NULL if the times cannot be compared.
comparable_times <- function(first, second) {
  if (is.null(first) || is.null(second)) return(NULL)
  if (first$kind == "ts" && second$kind == "ts" && isTRUE(all.equal(first$frequency, second$frequency)))
    return(list(round(first$times * first$frequency), round(second$times * second$frequency)))
  keys <- list(seconds_of(first), seconds_of(second))
  if (!is.null(keys[[1]]) && !is.null(keys[[2]])) keys
}

# Inputs and targets of the times that both have.
pair_times <- function(pair, what) {
  keys <- comparable_times(pair$inputs$index, pair$targets$index)
  if (is.null(keys) || identical(keys[[1]], keys[[2]])) return(pair)
  rows <- match(keys[[1]], keys[[2]])
  if (all(is.na(rows))) fail("data", "%s and %s have no common times", what[1], what[2])
  warn("%d of the %d rows of %s are used: %s has the same times", sum(!is.na(rows)), length(rows), what[1], what[2])
  take <- function(part, kept) {
    part$rows <- part$rows[kept, , drop = FALSE]
    part$index$times <- part$index$times[kept]
    part
  }
  list(inputs = take(pair$inputs, which(!is.na(rows))), targets = take(pair$targets, rows[!is.na(rows)]))
}

formula_rows <- function(formula, data, design = NULL) {
  parts <- split_times(data)
  frame <- if (is.null(data)) environment(formula) else as.data.frame(parts$x)
  result <- tryCatch({
    terms <- if (is.null(design)) stats::terms(formula, data = frame) else stats::delete.response(design$terms)
    if (attr(terms, "intercept") == 0) stop("use intercept = FALSE instead of a formula without intercept")
    if (!is.null(attr(terms, "offset"))) stop("offset is not supported in a formula")
    absent <- setdiff(design$variables, names(frame)) # otherwise they could be found outside of the data
    if (length(absent) > 0) stop("newdata does not have the variables of the formula: ", toString(absent))
    values <- stats::model.frame(terms, frame, na.action = stats::na.pass, xlev = design$xlevels)
    if (!is.null(data) && nrow(values) != nrow(frame))
      stop("the data have ", nrow(frame), " rows, and the variables of the formula ", nrow(values))
    inputs <- stats::model.matrix(terms, values, contrasts.arg = design$contrasts)
    terms <- attr(values, "terms")
    list(x = inputs[, -1, drop = FALSE], y = stats::model.response(values),
         design = list(terms = terms, variables = intersect(all.vars(stats::delete.response(terms)), names(frame)),
                       xlevels = stats::.getXlevels(terms, values), contrasts = attr(inputs, "contrasts")))
  }, error = function(e) fail("argument", "%s", conditionMessage(e)))
  inputs <- as_rows(result$x, "the formula")
  targets <- if (!is.null(result$y)) as_rows(result$y, "the response")
  inputs$index <- if (is.null(parts$index)) targets$index else parts$index
  list(inputs = inputs, targets = targets, design = result$design)
}

# Inputs of a model or stream.
as_inputs <- function(object, newdata, what = "newdata") {
  if (is.null(object$design)) as_rows(newdata, what, object$input_names) else formula_rows(NULL, newdata, object$design)$inputs
}

# Times in seconds since 1970; NULL for an index without a date.
seconds_of <- function(index) {
  times <- index$times
  if (inherits(times, c("yearmon", "yearqtr"))) times <- zoo::as.Date(times)
  if (inherits(times, "Date")) 86400 * as.double(times) else if (inherits(times, "POSIXct")) as.double(times)
}

# Lengths of the runs of equal values of `group`, the records.
record_lengths <- function(records, rows, what = "records") {
  if (is.null(records)) return(NULL)
  if (length(records) != rows) fail("argument", "%s must have one value per row, %d (got %d)", what, rows, length(records))
  found <- rle(as.vector(records))
  twice <- anyDuplicated(found$values)
  if (twice)
    fail("argument", "the rows of a record must be consecutive, and '%s' occurs twice in %s", found$values[twice], what)
  as.double(found$lengths)
}

# ---- results ------------------------------------------------------------------------------------

# A matrix of results with names, or a vector if `flat` and there is one column; as ts, zoo or xts object, or with dates as
# names of the rows, by the index.
as_result <- function(matrix, names = NULL, flat = FALSE, index = NULL) {
  if (!is.null(names) && length(names) == ncol(matrix)) colnames(matrix) <- names
  values <- if (flat && ncol(matrix) == 1) matrix[, 1] else matrix
  if (is.null(index) || NROW(values) == 0) return(values)
  switch(index$kind,
         ts = stats::ts(values, start = index$times[1], frequency = index$frequency),
         zoo = zoo::zoo(values, index$times),
         xts = xts::xts(values, index$times),
         dates = {
           if (is.matrix(values)) rownames(values) <- format(index$times) else names(values) <- format(index$times)
           values
         })
}

# A data frame of a list of columns.
as_table <- function(columns) data.frame(lapply(columns, unlist))

# Index of predictions `ahead` rows after the rows of an index; NULL if the times are unknown.
index_ahead <- function(index, ahead) {
  if (ahead == 0 || is.null(index)) return(index)
  if (index$kind != "ts") return(NULL)
  index$times <- index$times + ahead / index$frequency
  index
}

# Index of the steps after an index: `seconds` if the library continues the dates; otherwise numbers with one step. Without
# either, the steps are numbered after the `rows`.
index_after <- function(index, rows, steps, seconds) {
  times <- index$times
  step <- if (length(times) > 1) as.double(times[2]) - as.double(times[1]) else 1
  if (inherits(times, "Date")) {
    times <- if (!is.null(seconds)) as.Date(round(seconds / 86400), origin = "1970-01-01")
  } else if (inherits(times, "POSIXct")) {
    zone <- attr(times, "tzone")
    times <- if (!is.null(seconds)) as.POSIXct(seconds, origin = "1970-01-01", tz = if (is.null(zone)) "" else zone[1])
  } else if (is.numeric(unclass(times)) && max(abs(diff(as.double(times)) - step)) < 1e-6 * abs(step)) {
    if (index$kind == "ts") step <- 1 / index$frequency
    times <- structure(as.double(times[length(times)]) + seq_len(steps) * step, class = class(times))
  } else {
    times <- NULL
  }
  if (is.null(times)) {
    if (!is.null(index)) warn("the times of the series have no regular step: the steps are numbered from %d", rows + 1)
    return(list(kind = "ts", times = as.double(rows + seq_len(steps)), frequency = 1))
  }
  index$times <- times
  index
}
