# Models: fit, search, identification, prediction, files.

# `pair`: inputs and targets of as_pair; NULL: a model from a file.
new_model <- function(found, pair = NULL, records = NULL, class = NULL) {
  found$call <- user_call()
  found$design <- pair$design
  found$formula <- if (!is.null(pair$design)) stats::formula(pair$design$terms)
  targets <- if (is.null(pair$targets)) pair$inputs else pair$targets
  found$flat <- if (is.null(pair)) found$outputs == 1 && found$ahead == 0 else targets$flat && found$outputs == 1
  found$trained_on <- nrow(pair$inputs$rows)
  if (!is.null(found$fitted)) { # the times of the targets
    index <- if (is.null(pair$inputs$index)) targets$index else pair$inputs$index
    rows <- nrow(found$fitted)
    if (rows < found$trained_on && (!is.null(records) || found$outputs > ncol(targets$rows))) index <- NULL
    index$times <- utils::tail(index$times, rows)
    shaped <- function(values) as_result(values, found$output_names, found$flat, index)
    found$residuals <- shaped(found$targets - found$fitted)
    found$fitted <- shaped(found$fitted)
    found$targets <- NULL
  }
  structure(found, class = c(class, "volt_model"))
}

# Arguments that volt_fit and volt_tune have in common.
training_arguments <- function(pair, kernel, ahead, records) {
  targets <- if (is.null(pair$targets)) pair$inputs else pair$targets
  list(X = pair$inputs$rows, Y = pair$targets$rows, kernel = kernel, ahead = ahead,
       records = record_lengths(records, nrow(pair$inputs$rows)), input_names = pair$inputs$names,
       output_names = targets$names)
}

#' Fit a model
#'
#' Fits a kernel model to one sequence of inputs and targets, as `volterra fit`. The state of the model remembers past
#' inputs; predictions continue from the end of training.
#'
#' @param x inputs, one row per time step in time order: a vector, matrix, data frame, `ts`, `zoo` or `xts` object. Columns of
#'   dates in a data frame are not inputs. Or a formula such as `y ~ u + log(v)`, `cbind(y1, y2) ~ .` or `~ u` (the next values of
#'   `u`); factors become indicator columns, and rows keep their order and missing values.
#' @param y targets, row by row with `x`, or by their times if both have times: the common ones, with a warning if others are left
#'   out. `NULL`: the next values of `x`. With a formula, the data frame may be given here.
#' @param kernel kernel text; parameters that it does not give have defaults.
#' @param ahead forecast horizon in rows, or the first and the last of several horizons. Default: 0 with `y`, 1 without.
#' @param alpha regularisation; `NULL`: chosen on held-out rows.
#' @param records record of each row; every record starts from the initial state.
#' @param intercept,scale constant term; scaling of inputs and targets.
#' @param verbose show the progress.
#' @param data data frame with the variables of a formula.
#' @param ... further options with the names of the C library: `scale_each`, `washout`, `target` ("auto", "level", "change"),
#'   `input` ("auto", "level", "change", "both"), `season` (rows, "auto", "none"), `feedback_weight`, `solver`, `landmarks`,
#'   `landmark_choice`, `initial` ("zero", "first", "mean"), `loss`, `tolerance`, `keep_factor`.
#' @return An object of class `volt_model` with the components `kernel`, `alpha`, `fitted`, `heldout_r2` (R2 on held-out
#'   rows), `heldout_rmse`, `baselines`, `rkhs_norm`, `effective_dimension`, `noise` and `residuals`.
#' @section Errors: Conditions of the class `volterra_error` and of `volterra_argument`, `volterra_kernel`, `volterra_shape`,
#'   `volterra_not_finite`, `volterra_data` or others, by the status of the library. Warnings have the class
#'   `volterra_warning`.
#' @seealso [predict.volt_model()], [volt_tune()], [volt_identify()]
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' model <- volt_fit(narma[1:200, "u"], narma[1:200, "y"])
#' model
#' predict(model, narma[201:205, "u"], coverage = 0.9)
volt_fit <- function(x, y = NULL, kernel = "volterra", ahead = NULL, alpha = NULL, records = NULL, intercept = TRUE,
                     scale = TRUE, verbose = FALSE, data = NULL, ...) {
  pair <- as_pair(x, y, data)
  found <- call_volterra("fit", alpha = alpha, intercept = intercept, scale = scale, ...,
                         .more = training_arguments(pair, kernel, ahead, records), .verbose = verbose)
  new_model(found, pair, records)
}

#' Search the parameters of a kernel
#'
#' Draws kernel parameters and alpha, scores them by cross-validation in time order, and fits the best candidate on all rows, as
#' `volterra tune`.
#'
#' @inheritParams volt_fit
#' @param kernel kernel text; parameters that it gives are fixed. `"A | B"` searches several kernels.
#' @param draws number of candidates; `NULL`: 100, unless `budget` is given.
#' @param budget time limit in seconds.
#' @param ranges named list of ranges instead of the defaults: two numbers (logarithmic), `c("linear", low, high)`,
#'   `c("integer", low, high)`, or a vector of words.
#' @param folds number of validation blocks.
#' @param seed seed of the draws.
#' @param ... further options: those of [volt_fit()] except `alpha`, and `score`, `search` ("random", "adaptive", "cma"),
#'   `race`, `validate`, `start`, `gap`, `min_train`, `max_train`, `log`, `resume`, `feedback = 1` (searched feedback weight).
#' @return An object of the classes `volt_tuned` and `volt_model`, with the data frame `trials`.
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' best <- volt_tune(narma[1:200, "u"], narma[1:200, "y"], draws = 20)
#' best
volt_tune <- function(x, y = NULL, kernel = "volterra", draws = NULL, budget = NULL, ahead = NULL, records = NULL,
                      ranges = NULL, folds = 5, seed = 0, verbose = FALSE, data = NULL, ...) {
  pair <- as_pair(x, y, data)
  found <- call_volterra("tune", draws = draws, budget = budget, ranges = lapply(ranges, unlist), folds = folds, seed = seed, ...,
                         .more = training_arguments(pair, kernel, ahead, records), .verbose = verbose)
  found$trials <- as_table(found$trials)
  new_model(found, pair, records, "volt_tuned")
}

#' Identify a system
#'
#' Finds a simulation model from measured inputs and outputs, without choices, as `volterra identify`. The last fifth of the rows
#' is the test part unless another experiment is given.
#'
#' @inheritParams volt_tune
#' @param u,y inputs and outputs, one row per time step; or a formula and its `data`.
#' @param budget time limit in seconds.
#' @param draws number of trials of every search instead of a time limit; the result then depends only on data and seed.
#' @param test_u,test_y another experiment as the test.
#' @param records,test_records record of each row.
#' @param ... further options of the C library: `scale_each`.
#' @return An object of the classes `volt_identified` and `volt_model`, with the data frame `candidates`, `test_rmse` and
#'   `linear_test_rmse`, and the data frame `output_tests` with the errors and the standard deviation of every output on the
#'   test rows, and the figures of `volt_identification` of the C library.
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' system <- volt_identify(narma[, "u"], narma[, "y"], draws = 4)
#' system
volt_identify <- function(u, y = NULL, budget = 300, draws = NULL, test_u = NULL, test_y = NULL, records = NULL,
                          test_records = NULL, seed = 0, verbose = FALSE, data = NULL, ...) {
  pair <- as_pair(u, y, data, c("u", "y"), requires_y = TRUE)
  inputs <- pair$inputs
  outputs <- pair$targets
  test_inputs <- optional_rows(test_u, "test_u", inputs$names)
  test_outputs <- optional_rows(test_y, "test_y", outputs$names)
  found <- call_volterra("identify", U = inputs$rows, Y = outputs$rows, test_U = test_inputs, test_Y = test_outputs,
                         records = record_lengths(records, nrow(inputs$rows)),
                         test_records = record_lengths(test_records, NROW(test_inputs), "test_records"),
                         input_names = inputs$names, output_names = outputs$names, budget = budget, draws = draws,
                         seed = seed, ..., .verbose = verbose)
  found$candidates <- as_table(found$candidates)
  names(found$candidates)[1] <- "family"
  found$output_tests <- as_table(found$output_tests)
  if (!is.null(outputs$names)) rownames(found$output_tests) <- outputs$names
  found$inputs <- ncol(inputs$rows)
  found$outputs <- ncol(outputs$rows)
  found$input_names <- inputs$names
  found$output_names <- outputs$names
  new_model(found, pair, class = "volt_identified")
}

#' Predict with a model
#'
#' @param object a model.
#' @param newdata inputs, one row per time step. If the model and `newdata` have column names, columns are selected by name: other
#'   columns are ignored, it is an error if only some names of the model occur, and columns are used by position, with a warning,
#'   if none does. Without `newdata` the fitted values are returned.
#' @param start `"continue"`: the rows follow the training rows; `"reset"`: they are a new sequence.
#' @param coverage probabilities of prediction intervals.
#' @param std also the predictive standard deviation; requires `keep_factor = TRUE` in the fit.
#' @param known,warm_up for models with a feedback weight: measured outputs that are fed back, and the number of leading rows for
#'   which they are (default: all rows).
#' @param records record of each row of `newdata`.
#' @param beyond inputs with a larger norm than any in training: `"clip"`, `"error"` or `"allow"`.
#' @param ... not used; other names are errors.
#' @return A vector if the targets were a vector, otherwise a matrix: a `ts`, `zoo` or `xts` object if `newdata` is one; the dates of a
#'   data frame are names of the rows. With a horizon, predictions are later than the rows of `newdata`: the times of `ts` objects are
#'   shifted, and other times are omitted. With `coverage` or `std`, a list with `fit`, `se.fit` and
#'   the ends of the intervals, such as `lo90` and `hi90`.
#' @export
predict.volt_model <- function(object, newdata, start = c("continue", "reset"), coverage = NULL, std = FALSE,
                               known = NULL, warm_up = NULL, records = NULL, beyond = NULL, ...) {
  if (missing(newdata)) return(fitted(object))
  inputs <- as_inputs(object, newdata)
  found <- call_volterra("predict", model = object$model, X = inputs$rows, start = start[1], coverage = coverage, std = std,
                         beyond = beyond, known = optional_rows(known, "known", object$output_names), warm_up = warm_up,
                         records = record_lengths(records, nrow(inputs$rows)), ...)
  index <- index_ahead(inputs$index, if (is.null(object$ahead)) 0 else object$ahead)
  shaped <- function(matrix) as_result(matrix, object$output_names, object$flat, index)
  if (is.null(coverage) && !std) return(shaped(found$prediction))
  result <- list(fit = shaped(found$prediction))
  if (std) result$se.fit <- shaped(found$std)
  for (k in seq_along(coverage)) {
    suffix <- format(100 * coverage[k])
    result[[paste0("lo", suffix)]] <- shaped(found$lower[[k]])
    result[[paste0("hi", suffix)]] <- shaped(found$upper[[k]])
  }
  result
}

#' Continue a series with a model
#'
#' Feeds a model its own outputs. Requires a model that was fitted without `y`.
#'
#' @param object a model.
#' @param steps number of rows.
#' @param newdata rows after the training rows that are fed first.
#' @return A vector or matrix of `steps` rows.
#' @examples
#' lorenz <- volt_simulate("lorenz", rows = 400)
#' volt_continue(volt_fit(lorenz), 3)
volt_continue <- function(object, steps, newdata = NULL) {
  found <- call_volterra("continue", model = check_class(object, "volt_model")$model, steps = steps,
                         X = optional_rows(newdata, "newdata", object$input_names))
  as_result(found$prediction, object$output_names, object$flat)
}

#' Volterra series of a model
#'
#' @param object a model.
#' @param lags number of lags; `NULL`: until the influence of the inputs is below 0.001.
#' @param order highest order.
#' @param ... further options of the C library: `band`, `shares`.
#' @return An object of class `volt_explanation`: `g0`, and `kernels` with the arrays `g1` (output, lag, input) and `g2` (output,
#'   lag, lag, input, input), zero where lags decrease.
volt_explain <- function(object, lags = NULL, order = 2, ...) {
  found <- call_volterra("explain", model = check_class(object, "volt_model")$model, lags = lags, order = order, ...)
  # the library's arrays are row-major: [output][lag]...[input]...
  shaped <- function(numbers, order) {
    dims <- c(found$outputs, rep(found$lags, order), rep(found$inputs, order))
    aperm(array(numbers, rev(dims)), rev(seq_along(dims)))
  }
  found$kernels <- lapply(seq_along(found$kernels), function(p) shaped(found$kernels[[p]], p))
  names(found$kernels) <- paste0("g", seq_along(found$kernels))
  if (!is.null(found$g1_std)) found$g1_std <- shaped(found$g1_std, 1)
  structure(found, class = "volt_explanation")
}

#' Model files
#'
#' Write and read models. The program, Python and MATLAB read the same files.
#'
#' @param object a model.
#' @param path name of a safetensors file.
#' @return `volt_load` returns a `volt_model`.
volt_save <- function(object, path) {
  call_volterra("save", model = check_class(object, "volt_model")$model, path = path.expand(path))
  invisible(object)
}

#' @rdname volt_save
volt_load <- function(path) {
  new_model(call_volterra("load", path = path.expand(path)))
}

# ---- methods ------------------------------------------------------------------------------------

#' @export
print.volt_model <- function(x, digits = 4, ...) {
  if (inherits(x, "volt_identified"))
    cat("identified by volterra:", x$chosen, "\n")
  else
    cat("volterra model of", x$rows, "rows,", x$inputs, if (x$inputs == 1) "input," else "inputs,", x$outputs,
        if (x$outputs == 1) "output\n" else "outputs\n")
  cat("kernel:", x$kernel, "\n")
  if (!is.null(x$alpha))
    cat("alpha: ", format(unique(x$alpha), digits = digits), "\n")
  if (!is.null(x$heldout_r2) && x$heldout_rows > 0)
    cat("held-out R2:", format(x$heldout_r2, digits = digits), "on", x$heldout_rows, "rows\n")
  if (!is.null(x$trials))
    cat("best of", nrow(x$trials), "trials:", x$score_name, format(x$score, digits = digits), "\n")
  if (!is.null(x$test_rmse))
    cat("test RMSE:", format(x$test_rmse, digits = digits), "(linear model",
        paste0(format(x$linear_test_rmse, digits = digits), ")"), "\n")
  invisible(x)
}

#' @export
summary.volt_model <- function(object, ...) structure(list(model = object), class = "summary.volt_model")

#' @export
print.summary.volt_model <- function(x, digits = 4, ...) {
  model <- x$model
  print(model, digits = digits)
  show <- function(label, number)
    if (!is.null(number) && all(is.finite(number))) cat(label, format(number, digits = digits), "\n")
  show("held-out RMSE:", model$heldout_rmse)
  for (name in names(model$baselines)) show(paste0("  ", name, ":"), model$baselines[[name]])
  show("R2 of the fit:", model$r2)
  show("log likelihood:", model$log_likelihood)
  show("norm of the functional:", model$rkhs_norm)
  show("effective dimension:", model$effective_dimension)
  show("noise level:", model$noise)
  if (!is.null(model$candidates)) print(model$candidates[c("family", "nmse", "trials")], digits = digits)
  invisible(x)
}

#' Methods of models
#'
#' @param object,x a model of [volt_fit()] or [volt_tune()]. Models from files and of [volt_identify()] have neither fitted values nor a
#'   likelihood.
#' @param lags number of lags; `NULL`: until the influence of the inputs is below 0.001.
#' @param data the data of the fit.
#' @param ... not used.
#' @return `fitted`, `residuals`: one row per target, with the class and the times of the inputs. `coef`: the constant and the first-order
#'   kernel of the Volterra series ([volt_explain()]), the response to inputs of each lag, as a named vector, or a matrix with one column
#'   per output. `logLik`: the log evidence of the kernel and alpha, which has no degrees of freedom. `tidy`, `glance` and `augment`
#'   (package `broom`): data frames with the coefficients and their standard errors, with one row of properties, and with the data,
#'   `.fitted` and `.resid`.
#' @examples
#' narma <- as.data.frame(volt_simulate("narma10", rows = 200, seed = 1))
#' model <- volt_fit(y ~ u, narma)
#' head(coef(model))
#' logLik(model)
#' @name model_methods
NULL

# A component of a fitted model.
component <- function(model, name, instead) {
  if (is.null(model[[name]])) fail("argument", "this model has no %s", instead)
  model[[name]]
}

#' @rdname model_methods
#' @export
fitted.volt_model <- function(object, ...) component(object, "fitted", "fitted values: use predict with newdata")

#' @rdname model_methods
#' @export
residuals.volt_model <- function(object, ...)
  component(object, "residuals", "residuals: subtract predictions from measured values")

# The first-order kernel with its standard errors: one row per output, input and lag, and one per constant.
first_order <- function(object, lags = NULL, band = FALSE) {
  found <- call_volterra("explain", model = object$model, lags = lags, order = 1, band = band)
  named <- function(names, prefix, count) if (length(names) == count) names else paste0(prefix, seq_len(count))
  inputs <- named(object$input_names, "input", found$inputs)
  outputs <- named(object$output_names, "y", found$outputs)
  # the library's arrays are row-major: [output][lag][input]
  place <- expand.grid(input = seq_len(found$inputs), lag = seq_len(found$lags) - 1, output = seq_len(found$outputs))
  errors <- if (is.null(found$g1_std)) NA_real_ else found$g1_std
  kernel <- data.frame(response = outputs[place$output], term = paste0(inputs[place$input], ".lag", place$lag),
                       estimate = found$kernels[[1]], std.error = errors)
  constant <- data.frame(response = outputs, term = "(Intercept)", estimate = found$g0, std.error = NA_real_)
  rbind(constant, kernel)
}

#' @rdname model_methods
#' @export
coef.volt_model <- function(object, lags = NULL, ...) {
  table <- first_order(object, lags)
  columns <- split(stats::setNames(table$estimate, table$term), factor(table$response, unique(table$response)))
  if (length(columns) == 1) columns[[1]] else do.call(cbind, columns)
}

#' @rdname model_methods
#' @export
logLik.volt_model <- function(object, ...)
  structure(component(object, "log_likelihood", "likelihood"), df = NA, nobs = stats::nobs(object), class = "logLik")

#' @rdname model_methods
#' @export
nobs.volt_model <- function(object, ...)
  as.integer(if (is.null(object$fit_rows)) object$rows - object$washout else object$fit_rows)

#' @rdname model_methods
#' @exportS3Method generics::tidy
tidy.volt_model <- function(x, lags = NULL, ...) {
  table <- first_order(x, lags, band = TRUE)
  if (length(unique(table$response)) == 1) table[-1] else table
}

#' @rdname model_methods
#' @exportS3Method generics::glance
glance.volt_model <- function(x, ...) {
  one <- function(number) if (length(number) == 0) NA_real_ else number
  data.frame(r.squared = one(x$r2), heldout.r.squared = one(x$heldout_r2), heldout.rmse = one(x$heldout_rmse),
             sigma = if (x$outputs == 1) one(x$noise) else NA_real_, logLik = one(x$log_likelihood),
             df = sum(one(x$effective_dimension)), alpha = one(x$alpha[1]), nobs = stats::nobs(x), kernel = x$kernel)
}

#' @rdname model_methods
#' @exportS3Method generics::augment
augment.volt_model <- function(x, data, ...) {
  values <- as.matrix(fitted(x))
  if (missing(data)) data <- as.data.frame(matrix(0, nrow(values), 0))
  data <- as.data.frame(data)
  if (nrow(data) < nrow(values)) fail("shape", "data must have the %d rows of the fit (got %d)", nrow(values), nrow(data))
  data <- utils::tail(data, nrow(values)) # the rows of the targets
  one <- function(values) if (ncol(values) == 1) as.double(values) else unclass(values)
  data$.fitted <- one(values)
  data$.resid <- one(as.matrix(residuals(x)))
  data
}

#' @export
plot.volt_model <- function(x, y = NULL, output = 1, ...) {
  values <- as.matrix(fitted(x))
  graphics::plot(values[, output], type = "l", xlab = "row", ylab = "fitted value", main = "volterra fit", ...)
  if (!is.null(y)) {
    graphics::points(as.matrix(y)[seq_len(nrow(values)) + NROW(y) - nrow(values), output], pch = 20, cex = 0.5,
                     col = "grey50")
    graphics::legend("topright", c("fitted", "measured"), lty = c(1, NA), pch = c(NA, 20), col = c("black", "grey50"),
                     bty = "n")
  }
  invisible(x)
}

#' @export
plot.volt_tuned <- function(x, ...) {
  graphics::plot(x$trials$alpha, x$trials$score, log = "x", xlab = "alpha", ylab = x$score_name, pch = 20,
                 main = "trials of the search", ...)
  invisible(x)
}

#' @export
print.volt_explanation <- function(x, digits = 4, ...) {
  cat("Volterra series of", x$outputs, if (x$outputs == 1) "output," else "outputs,", "lags 0 to", x$lags - 1,
      ", order", x$order, "\n")
  cat("constant:", format(x$g0, digits = digits), "\n")
  if (!is.null(x$shares))
    cat("shares of the variance:", format(x$shares[1, ], digits = digits), "(the last: higher orders)\n")
  invisible(x)
}

#' @export
plot.volt_explanation <- function(x, output = 1, ...) {
  g1 <- matrix(x$kernels$g1[output, , ], nrow = x$lags)
  graphics::matplot(seq_len(x$lags) - 1, g1, type = "h", lty = 1, xlab = "lag", ylab = "first-order kernel", ...)
  invisible(x)
}

# ---- row by row ---------------------------------------------------------------------------------

#' Models row by row
#'
#' A stream takes one row at a time and returns its prediction. With `learn = TRUE` it learns from targets.
#'
#' @param object a model.
#' @param start `"continue"` from the end of training, or `"reset"`.
#' @param learn learn from the targets given to `volt_learn`.
#' @param window maximum number of learned rows.
#' @param forget factor of older rows, at most 1.
#' @param ... not used; other names are errors.
#' @param stream a stream.
#' @param x one row, or several; columns are selected by name as in [predict.volt_model()].
#' @param y target of the row fed last.
#' @return `volt_stream`: an object of class `volt_stream`; `volt_feed`: the predictions.
#' @examples
#' narma <- volt_simulate("narma10", rows = 200, seed = 1)
#' stream <- volt_stream(volt_fit(narma[1:150, "u"], narma[1:150, "y"]))
#' volt_feed(stream, narma[151, "u"])
volt_stream <- function(object, start = c("continue", "reset"), learn = FALSE, window = NULL, forget = NULL, ...) {
  found <- call_volterra("stream", model = check_class(object, "volt_model")$model, start = start[1], learn = learn,
                         window = window, forget = forget, ...)
  structure(c(found["stream"], unclass(object)[c("input_names", "output_names", "inputs", "design", "flat")]),
            class = "volt_stream")
}

#' @rdname volt_stream
volt_feed <- function(stream, x) {
  check_class(stream, "volt_stream", "stream")
  if (!missing(x) && is.null(dim(x)) && !is.null(stream$inputs) && stream$inputs > 1)
    x <- matrix(x, nrow = 1, dimnames = if (!is.null(names(x))) list(NULL, names(x)))
  found <- call_volterra("feed", stream = stream$stream, X = as_inputs(stream, x, "x")$rows)
  as_result(found$prediction, stream$output_names, stream$flat)
}

#' @rdname volt_stream
volt_learn <- function(stream, y) {
  call_volterra("learn", stream = check_class(stream, "volt_stream", "stream")$stream, y = as.double(unlist(y)))
  invisible(stream)
}

#' @export
print.volt_stream <- function(x, ...) {
  cat("stream of a volterra model; volt_feed(stream, x) returns the prediction of the next row\n")
  invisible(x)
}
