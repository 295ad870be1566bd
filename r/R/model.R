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

volt_fit <- function(x, y = NULL, kernel = "volterra", ahead = NULL, alpha = NULL, records = NULL, intercept = TRUE,
                     scale = TRUE, verbose = FALSE, ...) {
  arguments <- training_arguments(x, y, kernel, ahead, records)
  found <- call_volterra("fit", alpha = alpha, intercept = flag(intercept), scale = flag(scale), ..., .more = arguments,
                         .verbose = verbose, .call = sys.call())
  found$trained_on <- nrow(arguments$X)
  new_model(found, sys.call(), is_flat(x, y, ahead))
}

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
  found$outputs <- ncol(outputs$rows)
  found$output_names <- outputs$names
  new_model(found, sys.call(), is.null(dim(y)), "volt_identified")
}

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

volt_continue <- function(object, steps, newdata = NULL) {
  found <- call_volterra("continue", model = object$model, steps = steps,
                         X = if (is.null(newdata)) NULL else as_rows(newdata, "newdata")$rows, .call = sys.call())
  as_result(found$prediction, object$output_names, object$flat)
}

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

volt_save <- function(object, path) {
  call_volterra("save", model = object$model, path = path.expand(path), .call = sys.call())
  invisible(object)
}

volt_load <- function(path) {
  found <- call_volterra("load", path = path.expand(path), .call = sys.call())
  new_model(found, sys.call(), found$outputs == 1 && found$ahead == 0)
}

# ---- methods ------------------------------------------------------------------------------------

print.volt_model <- function(x, digits = 4, ...) {
  if (inherits(x, "volt_identified"))
    cat("identified by volterra:", x$chosen, "\n")
  else
    cat("volterra model of", x$rows, "rows,", x$inputs, if (x$inputs == 1) "input," else "inputs,", x$outputs,
        if (x$outputs == 1) "output\n" else "outputs\n")
  cat("kernel:", x$kernel, "\n")
  if (!is.null(x$alpha))
    cat("alpha: ", format(unique(x$alpha), digits = digits), "\n")
  if (!is.null(x$prequential_r2) && x$heldout_rows > 0)
    cat("held-out R2:", format(x$prequential_r2, digits = digits), "on", x$heldout_rows, "rows\n")
  if (!is.null(x$trials))
    cat("best of", nrow(x$trials), "trials:", x$score_name, format(x$score, digits = digits), "\n")
  if (!is.null(x$test_rmse))
    cat("test RMSE:", format(x$test_rmse, digits = digits), "(linear model",
        paste0(format(x$linear_test_rmse, digits = digits), ")"), "\n")
  invisible(x)
}

summary.volt_model <- function(object, ...) structure(list(model = object), class = "summary.volt_model")

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

fitted.volt_model <- function(object, ...) object$fitted

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

plot.volt_tuned <- function(x, ...) {
  graphics::plot(x$trials$alpha, x$trials$score, log = "x", xlab = "alpha", ylab = x$score_name, pch = 20,
                 main = "trials of the search", ...)
  invisible(x)
}

print.volt_explanation <- function(x, digits = 4, ...) {
  cat("Volterra series of", x$outputs, if (x$outputs == 1) "output," else "outputs,", "lags 0 to", x$lags - 1,
      ", order", x$order, "\n")
  cat("constant:", format(x$g0, digits = digits), "\n")
  if (!is.null(x$shares))
    cat("shares of the variance:", format(x$shares[1, ], digits = digits), "(the last: higher orders)\n")
  invisible(x)
}

plot.volt_explanation <- function(x, output = 1, ...) {
  g1 <- matrix(x$kernels$g1[output, , ], nrow = x$lags)
  graphics::matplot(seq_len(x$lags) - 1, g1, type = "h", lty = 1, xlab = "lag", ylab = "first-order kernel", ...)
  invisible(x)
}
