# Models: fit, search, identification, prediction, files.

new_model <- function(found, call, flat, class = NULL) {
  found$call <- call
  found$flat <- flat
  if (!is.null(found$fitted)) found$fitted <- as_result(found$fitted, found$output_names, flat)
  structure(found, class = c(class, "volt_model"))
}

# Arguments that volt_fit and volt_tune have in common.
training_arguments <- function(x, y, kernel, ahead, records) {
  inputs <- as_rows(x, "x")
  targets <- if (is.null(y)) NULL else as_rows(y, "y")
  list(X = inputs$rows, Y = targets$rows, kernel = kernel, ahead = if (is.null(ahead)) NULL else as.double(ahead),
       records = record_lengths(records, nrow(inputs$rows)), input_names = inputs$names,
       output_names = if (is.null(y)) inputs$names else targets$names)
}

is_flat <- function(x, y, ahead) is.null(dim(if (is.null(y)) x else y)) && length(ahead) < 2

#' Fit a model
#'
#' Fits a kernel model to one sequence of inputs and targets, as `volterra fit`. The state of the model remembers past
#' inputs; predictions continue from the end of training.
#'
#' @param x inputs, one row per time step in time order: a vector, matrix, data frame, `ts`, `zoo` or `xts` object. Columns of
#'   dates in a data frame are not inputs.
#' @param y targets, row by row with `x`. `NULL`: the next values of `x`.
#' @param kernel kernel text; parameters that it does not give have defaults.
#' @param ahead forecast horizon in rows, or the first and the last of several horizons. Default: 0 with `y`, 1 without.
#' @param alpha regularisation; `NULL`: chosen on held-out rows.
#' @param records record of each row; every record starts from the initial state.
#' @param intercept,scale constant term; scaling of inputs and targets.
#' @param verbose show the progress.
#' @param ... further options with the names of the C library: `scale_each`, `washout`, `target` ("auto", "level", "change"),
#'   `input` ("auto", "level", "change", "both"), `season` (rows, "auto", "none"), `feedback_weight`, `solver`, `landmarks`,
#'   `landmark_choice`, `initial` ("zero", "first", "mean"), `loss`, `tolerance`, `keep_factor`.
#' @return An object of class `volt_model` with the components `kernel`, `alpha`, `fitted`, `heldout_r2` (R2 on held-out
#'   rows), `heldout_rmse`, `baselines`, `rkhs_norm`, `effective_dimension` and `noise`.
#' @section Errors: Conditions of the class `volterra_error` and of `volterra_argument`, `volterra_kernel`, `volterra_shape`,
#'   `volterra_not_finite`, `volterra_data` or others, by the status of the library. Warnings have the class
#'   `volterra_warning`.
#' @seealso [predict.volt_model()], [volt_tune()], [volt_identify()]
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' model <- volt_fit(narma[1:200, "u"], narma[1:200, "y"])
#' model
#' predict(model, narma[201:205, "u"], coverage = 0.9)
#' @export
volt_fit <- function(x, y = NULL, kernel = "volterra", ahead = NULL, alpha = NULL, records = NULL, intercept = TRUE,
                     scale = TRUE, verbose = FALSE, ...) {
  arguments <- training_arguments(x, y, kernel, ahead, records)
  found <- call_volterra("fit", alpha = alpha, intercept = flag(intercept), scale = flag(scale), ..., .more = arguments,
                         .verbose = verbose, .call = sys.call())
  found$trained_on <- nrow(arguments$X)
  new_model(found, sys.call(), is_flat(x, y, ahead))
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
#' @param ... further options: those of [volt_fit()] except `alpha`, and `score`, `search` ("random", "adaptive", "cma", "gradient"),
#'   `race`, `validate`, `start`, `gap`, `min_train`, `max_train`, `log`, `resume`, `feedback = 1` (searched feedback weight).
#' @return An object of the classes `volt_tuned` and `volt_model`, with the data frame `trials`.
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' best <- volt_tune(narma[1:200, "u"], narma[1:200, "y"], draws = 20)
#' best
#' @export
volt_tune <- function(x, y = NULL, kernel = "volterra", draws = NULL, budget = NULL, ahead = NULL, records = NULL,
                      ranges = NULL, folds = 5, seed = 0, verbose = FALSE, ...) {
  arguments <- training_arguments(x, y, kernel, ahead, records)
  if (!is.null(ranges)) ranges <- lapply(ranges, function(range) if (is.list(range)) unlist(range) else range)
  found <- call_volterra("tune", draws = draws, budget = budget, ranges = ranges, folds = folds, seed = seed, ...,
                         .more = arguments, .verbose = verbose, .call = sys.call())
  found$trials <- data.frame(kernel = unlist(found$trials$kernel), alpha = found$trials$alpha,
                             score = found$trials$score, feedback = found$trials$feedback,
                             folds = found$trials$folds)
  found$trained_on <- nrow(arguments$X)
  new_model(found, sys.call(), is_flat(x, y, ahead), "volt_tuned")
}

#' Identify a system
#'
#' Finds a simulation model from measured inputs and outputs, without choices, as `volterra identify`. The last fifth of the rows
#' is the test part unless another experiment is given.
#'
#' @param u,y inputs and outputs, one row per time step.
#' @param budget time limit in seconds.
#' @param draws number of trials of every search instead of a time limit; the result then depends only on data and seed.
#' @param test_u,test_y another experiment as the test.
#' @param records,test_records record of each row.
#' @param seed seed of the searches.
#' @param verbose show the progress.
#' @param ... further options of the C library: `scale_each`.
#' @return An object of the classes `volt_identified` and `volt_model`, with the data frame `candidates`, `test_rmse` and
#'   `linear_test_rmse`, and the data frame `output_tests` with the errors and the standard deviation of every output on the
#'   test rows.
#' @examples
#' narma <- volt_simulate("narma10", rows = 300, seed = 1)
#' system <- volt_identify(narma[, "u"], narma[, "y"], draws = 4)
#' system
#' @export
volt_identify <- function(u, y, budget = 300, draws = NULL, test_u = NULL, test_y = NULL, records = NULL,
                          test_records = NULL, seed = 0, verbose = FALSE, ...) {
  inputs <- as_rows(u, "u")
  outputs <- as_rows(y, "y")
  test_inputs <- if (is.null(test_u)) NULL else as_rows(test_u, "test_u")$rows
  test_outputs <- if (is.null(test_y)) NULL else as_rows(test_y, "test_y")$rows
  found <- call_volterra("identify", U = inputs$rows, Y = outputs$rows, test_U = test_inputs, test_Y = test_outputs,
                         records = record_lengths(records, nrow(inputs$rows)),
                         test_records = record_lengths(test_records, NROW(test_inputs), "test_records"),
                         input_names = inputs$names, output_names = outputs$names, budget = budget, draws = draws,
                         seed = seed, ..., .verbose = verbose, .call = sys.call())
  numbers <- found$candidates$numbers
  found$candidates <- data.frame(family = unlist(found$candidates$name), nmse = numbers[, 1], alpha = numbers[, 2],
                                 feedback = numbers[, 3], trials = numbers[, 4],
                                 kernel = unlist(found$candidates$kernel))
  found$output_tests <- data.frame(rmse = found$output_tests[, 1], linear_rmse = found$output_tests[, 2],
                                   std = found$output_tests[, 3], row.names = outputs$names)
  found$inputs <- ncol(inputs$rows)
  found$outputs <- ncol(outputs$rows)
  found$output_names <- outputs$names
  new_model(found, sys.call(), is.null(dim(y)), "volt_identified")
}

#' Predict with a model
#'
#' @param object a model.
#' @param newdata inputs, one row per time step. Without it the fitted values are returned.
#' @param start `"continue"`: the rows follow the training rows; `"reset"`: they are a new sequence.
#' @param coverage probabilities of prediction intervals.
#' @param std also the predictive standard deviation; requires `keep_factor = TRUE` in the fit.
#' @param known,warm_up for models with a feedback weight: measured outputs that are fed back, and the number of leading rows for
#'   which they are (default: all rows).
#' @param records record of each row of `newdata`.
#' @param beyond inputs with a larger norm than any in training: `"clip"`, `"error"` or `"allow"`.
#' @param ... not used.
#' @return A vector if the targets were a vector, otherwise a matrix. With `coverage` or `std`, a list with `fit`, `se.fit` and
#'   the ends of the intervals, such as `lo90` and `hi90`.
#' @importFrom stats predict
#' @export
predict.volt_model <- function(object, newdata, start = c("continue", "reset"), coverage = NULL, std = FALSE,
                               known = NULL, warm_up = NULL, records = NULL, beyond = NULL, ...) {
  if (missing(newdata)) {
    if (is.null(object$fitted)) stop("newdata is missing: this model has no fitted values", call. = FALSE)
    return(object$fitted)
  }
  inputs <- as_rows(newdata, "newdata")
  found <- call_volterra("predict", model = object$model, X = inputs$rows, start = match.arg(start),
                         coverage = coverage, std = if (std) 1, beyond = beyond,
                         known = if (is.null(known)) NULL else as_rows(known, "known")$rows, warm_up = warm_up,
                         records = record_lengths(records, nrow(inputs$rows)), .call = sys.call())
  values <- as_result(found$prediction, object$output_names, object$flat)
  if (is.null(coverage) && !std) return(values)
  result <- list(fit = values)
  if (std) result$se.fit <- as_result(found$std, object$output_names, object$flat)
  for (k in seq_along(coverage)) {
    suffix <- format(100 * coverage[k])
    result[[paste0("lo", suffix)]] <- as_result(found$lower[[k]], object$output_names, object$flat)
    result[[paste0("hi", suffix)]] <- as_result(found$upper[[k]], object$output_names, object$flat)
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
#' @export
volt_continue <- function(object, steps, newdata = NULL) {
  found <- call_volterra("continue", model = object$model, steps = steps,
                         X = if (is.null(newdata)) NULL else as_rows(newdata, "newdata")$rows, .call = sys.call())
  as_result(found$prediction, object$output_names, object$flat)
}

#' Volterra series of a model
#'
#' @param object a model.
#' @param lags number of lags; `NULL`: until the influence of the inputs is below 0.001.
#' @param order highest order.
#' @return An object of class `volt_explanation`: `g0`, and `kernels` with the arrays `g1` (output, lag, input) and `g2` (output,
#'   lag, lag, input, input), zero where lags decrease.
#' @export
volt_explain <- function(object, lags = NULL, order = 2) {
  found <- call_volterra("explain", model = object$model, lags = lags, order = order, .call = sys.call())
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
#' @export
volt_save <- function(object, path) {
  call_volterra("save", model = object$model, path = path.expand(path), .call = sys.call())
  invisible(object)
}

#' @rdname volt_save
#' @export
volt_load <- function(path) {
  found <- call_volterra("load", path = path.expand(path), .call = sys.call())
  new_model(found, sys.call(), found$outputs == 1 && found$ahead == 0)
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

#' @importFrom stats fitted
#' @export
fitted.volt_model <- function(object, ...) object$fitted

#' @importFrom graphics plot
#' @export
plot.volt_model <- function(x, y = NULL, output = 1, ...) {
  values <- as.matrix(x$fitted)
  if (nrow(values) == 0) stop("this model has no fitted values to plot", call. = FALSE)
  graphics::plot(values[, output], type = "l", xlab = "row", ylab = "fitted value", main = "volterra fit", ...)
  if (!is.null(y)) {
    graphics::points(as.matrix(y)[seq_len(nrow(values)) + NROW(y) - nrow(values), output], pch = 20, cex = 0.5,
                     col = "grey50")
    graphics::legend("topright", c("fitted", "measured"), lty = c(1, NA), pch = c(NA, 20), col = c("black", "grey50"),
                     bty = "n")
  }
  invisible(x)
}

#' @importFrom graphics plot
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

#' @importFrom graphics plot
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
#' @param stream a stream.
#' @param x one row, or several.
#' @param y target of the row fed last.
#' @return `volt_stream`: an object of class `volt_stream`; `volt_feed`: the predictions.
#' @examples
#' narma <- volt_simulate("narma10", rows = 200, seed = 1)
#' stream <- volt_stream(volt_fit(narma[1:150, "u"], narma[1:150, "y"]))
#' volt_feed(stream, narma[151, "u"])
#' @export
volt_stream <- function(object, start = c("continue", "reset"), learn = FALSE, window = NULL, forget = NULL) {
  found <- call_volterra("stream", model = object$model, start = match.arg(start), learn = flag(learn), window = window,
                         forget = forget, .call = sys.call())
  structure(list(stream = found$stream, output_names = object$output_names, inputs = object$inputs, flat = object$flat),
            class = "volt_stream")
}

#' @rdname volt_stream
#' @export
volt_feed <- function(stream, x) {
  rows <- if (is.null(dim(x)) && !is.null(stream$inputs) && stream$inputs > 1) matrix(x, nrow = 1) else x
  found <- call_volterra("feed", stream = stream$stream, X = as_rows(rows, "x")$rows, .call = sys.call())
  as_result(found$prediction, stream$output_names, stream$flat)
}

#' @rdname volt_stream
#' @export
volt_learn <- function(stream, y) {
  call_volterra("learn", stream = stream$stream, y = as.double(y), .call = sys.call())
  invisible(stream)
}

#' @export
print.volt_stream <- function(x, ...) {
  cat("stream of a volterra model; volt_feed(stream, x) returns the prediction of the next row\n")
  invisible(x)
}
