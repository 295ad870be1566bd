# Forecasts of series.

#' Forecast series
#'
#' Forecasts one or several series with expected errors and intervals, as `volterra forecast`. The forecast is a weighted mean of
#' kernel fits and classical methods; all choices are automatic.
#'
#' @inheritParams volt_fit
#' @param y series: a vector, matrix, data frame, `ts`, `zoo` or `xts` object, one row per time step. A column of dates in a
#'   data frame (`Date`, `POSIXct`, or texts as 2024-01-31) is the time of the rows.
#' @param steps number of rows; `NULL`: one season, at most 60, or 12 without a season.
#' @param coverage probabilities of the intervals.
#' @param season season in rows, "none" or "auto". `NULL`: the frequency of a `ts` object, rounded, if the rows have it twice;
#'   otherwise "auto".
#' @param known further inputs, with values in the rows to forecast if they are known. Times that differ from those of `y` are an
#'   error.
#' @param separate a separate model for each series.
#' @param all_rows use every row; by default the latest, limited to a few seconds of work.
#' @param budget seconds for a search of the kernel parameters.
#' @param seed seed of the search.
#' @param ... not used; other names are errors.
#' @return For one series an object of the classes `volt_forecast` and `forecast`, with `mean`, `lower`, `upper`, `level`, `x`,
#'   `error` (expected error of each step), `rmse`, `mase`, `times` and `dates`. `mean`, `lower`, `upper` and `x` are `ts` objects, and
#'   functions of package `forecast` such as `autoplot`, `autolayer` and `accuracy` accept the result. `accuracy` without test
#'   values returns the errors of the rolling forecasts; there are no fitted values. For `zoo` and `xts` objects these components are
#'   of the same class, and for a data frame with dates the dates are their names; the result then has the class `volt_forecast`
#'   only. For several series an object of the classes `volt_forecasts` and `mforecast`. `as.data.frame` returns a table with
#'   the columns `Point Forecast`, `Lo 80`, `Hi 80`, ..., `error` and `time`.
#' @examples
#' volt_forecast(datasets::AirPassengers)
volt_forecast <- function(y, steps = NULL, coverage = c(0.8, 0.95), season = NULL, known = NULL, kernel = NULL,
                          separate = FALSE, all_rows = FALSE, budget = NULL, seed = 0, verbose = FALSE, ...) {
  series <- as_series(y)
  found <- call_volterra("forecast", steps = steps, coverage = coverage, season = season_of(series, season, 0), kernel = kernel,
                         separate = separate, all_rows = all_rows, budget = budget, seed = seed, ...,
                         .more = series_arguments(series, known), .verbose = verbose)
  after <- index_after(series$index, nrow(series$rows), nrow(found$forecast), found$times)
  forecasts <- lapply(seq_len(ncol(series$rows)), function(k) one_forecast(series, found, k, coverage, after))
  if (length(forecasts) == 1) return(forecasts[[1]])
  names(forecasts) <- vapply(forecasts, function(one) one$series, "")
  structure(list(forecast = forecasts, method = vapply(forecasts, function(one) one$method, "")),
            class = c("volt_forecasts", if (inherits(forecasts[[1]], "forecast")) "mforecast"))
}

#' Evaluate forecasts
#'
#' Makes complete forecasts from earlier rows and compares them with the rows that follow, as `volterra forecast --backtest`.
#'
#' @inheritParams volt_forecast
#' @param origins number of forecasts.
#' @return An object of class `volt_backtest` with the data frame `errors`: MASE, sMAPE and RMSE of the forecast and of each
#'   method.
#' @examples
#' volt_backtest(datasets::AirPassengers, origins = 2, steps = 6)
volt_backtest <- function(y, origins = 3, steps = NULL, coverage = c(0.8, 0.95), season = NULL, known = NULL,
                          kernel = NULL, separate = FALSE, all_rows = FALSE, seed = 0, verbose = FALSE, ...) {
  series <- as_series(y)
  found <- call_volterra("backtest", origins = origins, steps = steps, coverage = coverage,
                         season = season_of(series, season, steps), kernel = kernel, separate = separate, all_rows = all_rows,
                         seed = seed, ..., .more = series_arguments(series, known), .verbose = verbose)
  structure(list(errors = data.frame(method = found$methods, found[c("mase", "smape", "rmse")]), coverage = found$coverage, steps = found$steps, origins = found$origins),
            class = "volt_backtest")
}

# Rows of a series. Rejects missing values, with the row counted from 1.
as_series <- function(y) {
  series <- as_rows(y, "y")
  at <- which(!is.finite(series$rows), arr.ind = TRUE)
  if (nrow(at) == 0) return(series)
  column <- if (is.null(series$names)) "" else sprintf(", column '%s'", series$names[at[1, 2]])
  fail("not_finite", "row %d of y%s is %s: drop or interpolate missing values (zoo::na.approx)", at[1, 1], column,
       format(series$rows[at[1, 1], at[1, 2]]))
}

# Arguments that volt_forecast and volt_backtest have in common. The times of known inputs must be those of the series, and later.
series_arguments <- function(series, known) {
  known <- if (!is.null(known)) as_rows(known, "known")
  keys <- comparable_times(series$index, known$index)
  both <- seq_len(min(lengths(keys), if (is.null(keys)) 0 else Inf))
  differs <- which(keys[[1]][both] != keys[[2]][both])
  if (length(differs) > 0) fail("data", "the times of y and known differ in row %d", differs[1])
  list(series = series$rows, known = known$rows, names = series$names, times = seconds_of(series$index))
}

# Season: as given, or the frequency of a ts object, rounded. If the rows before the last `steps` (NULL: a season, at most 60)
# do not have the frequency twice, the library finds the season.
season_of <- function(series, season, steps) {
  if (!is.null(season)) return(season)
  frequency <- if (is.null(series$index$frequency)) 1 else series$index$frequency
  season <- round(frequency)
  if (season < 2) return(NULL)
  rows <- nrow(series$rows) - (if (is.numeric(steps)) steps[1] else min(season, 60))
  if (is.finite(rows) && 2 * season <= rows) return(season)
  warn("the frequency of the series, %s, requires more than %d rows: the season is found in the rows", format(frequency),
       nrow(series$rows))
  NULL
}

# An object with the structure of the class "forecast" of package forecast, whose functions require ts objects.
one_forecast <- function(series, found, k, coverage, after) {
  rows <- nrow(series$rows)
  past <- if (is.null(series$index) || after$kind != series$index$kind)
    list(kind = "ts", times = as.double(seq_len(rows)), frequency = 1) else series$index
  ends <- function(list)
    as_result(matrix(vapply(list, function(one) one[, k], numeric(nrow(found$forecast))), ncol = length(coverage)),
              paste0(format(100 * coverage, trim = TRUE), "%"), index = after)
  weights <- found$weights[, k]
  result <- list(
    method = paste0("volterra (", paste(found$members[which(weights > 0)], collapse = ", "), ")"),
    model = list(kernel = found$kernel, season = found$season[k], ets = found$ets[[k]], rows = found$rows,
                 origins = found$origins,
                 members = data.frame(member = found$members, weight = weights, rmse = found$member_rmse[, k])),
    mean = as_result(found$forecast[, k, drop = FALSE], flat = TRUE, index = after), level = 100 * coverage,
    x = as_result(series$rows[, k, drop = FALSE], flat = TRUE, index = past),
    series = if (is.null(series$names)) paste0("y", if (ncol(series$rows) > 1) k) else series$names[k],
    error = found$error[, k], rmse = found$rmse[k], mase = found$mase[k], times = list(past = past$times, after = after$times),
    dates = if (after$kind != "ts") after$times)
  if (length(coverage) > 0) {
    result$lower <- ends(found$lower)
    result$upper <- ends(found$upper)
  }
  structure(result, class = c("volt_forecast", if (after$kind == "ts") "forecast"))
}

# Months ("1961-03") and quarters ("1961 Q2") of a ts object; otherwise its times as numbers.
period_names <- function(series) {
  frequency <- stats::frequency(series)
  if (!frequency %in% c(4, 12)) return(as.double(stats::time(series)))
  year <- floor(as.double(stats::time(series)) + 0.5 / frequency)
  sprintf(if (frequency == 12) "%d-%02d" else "%d Q%d", as.integer(year), as.integer(stats::cycle(series)))
}

# ---- methods ------------------------------------------------------------------------------------

#' @export
as.data.frame.volt_forecast <- function(x, row.names = NULL, optional = FALSE, ...) {
  time <- if (is.null(x$dates)) period_names(x$mean) else x$dates
  table <- list(`Point Forecast` = as.double(x$mean))
  for (k in seq_along(x$level)) {
    table[[paste("Lo", format(x$level[k]))]] <- as.double(x$lower[, k])
    table[[paste("Hi", format(x$level[k]))]] <- as.double(x$upper[, k])
  }
  data.frame(table, error = x$error, time = time, check.names = FALSE,
             row.names = if (is.null(row.names)) make.unique(format(time)) else row.names)
}

#' @export
print.volt_forecast <- function(x, digits = 5, ...) {
  cat("Forecast of", length(x$mean), "steps by", x$method, "\n")
  cat("expected error (RMSE):", format(x$rmse, digits = digits), "  MASE:", format(x$mase, digits = 3),
      if (x$model$season > 0) paste("  season:", x$model$season), "\n")
  table <- as.data.frame(x)
  print(table[names(table) != "time"], digits = digits)
  invisible(x)
}

#' @export
summary.volt_forecast <- function(object, ...) {
  structure(list(forecast = object), class = "summary.volt_forecast")
}

#' @export
print.summary.volt_forecast <- function(x, digits = 4, ...) {
  print(x$forecast, digits = digits)
  cat("\nmembers of the forecast, with their errors in forecasts from earlier rows:\n")
  members <- x$forecast$model$members
  members$rmse[is.nan(members$rmse)] <- NA # unknown
  print(members[members$weight > 0 | !is.na(members$rmse), ], digits = digits, row.names = FALSE)
  cat("kernel:", x$forecast$model$kernel, "\n")
  invisible(x)
}

#' @export
print.volt_forecasts <- function(x, ...) {
  for (name in names(x$forecast)) {
    cat(name, "\n", sep = "")
    print(x$forecast[[name]], ...)
  }
  invisible(x)
}

#' @export
plot.volt_forecast <- function(x, history = NULL, xlab = "time", ylab = x$series, main = "forecast", ...) {
  shown <- utils::tail(seq_along(x$times$past), if (is.null(history)) length(x$times$past) else history)
  past <- as.double(x$x)[shown]
  past_time <- x$times$past[shown]
  steps <- x$times$after
  values <- as.double(x$mean)
  graphics::plot(range(past_time, steps), range(past, values, x$lower, x$upper, finite = TRUE), type = "n", xlab = xlab,
                 ylab = ylab, main = main, ...)
  shades <- grDevices::grey(seq(0.75, 0.9, length.out = max(1, length(x$level))))
  for (k in order(x$level, decreasing = TRUE))
    graphics::polygon(c(steps, rev(steps)), as.double(c(x$lower[, k], rev(as.double(x$upper[, k])))), col = shades[k], border = NA)
  graphics::lines(past_time, past)
  graphics::lines(c(past_time[length(past)], steps), c(past[length(past)], values), col = "blue", lwd = 2)
  invisible(x)
}

#' @export
plot.volt_forecasts <- function(x, ...) {
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(x$forecast)))
  on.exit(graphics::par(old))
  for (one in x$forecast) plot(one, ...)
  invisible(x)
}

# ---- package forecast ---------------------------------------------------------------------------

# Series with dates are not of the class "forecast"; the functions of the package see rows instead of dates.
as_forecast <- function(object) {
  object[c("x", "mean")] <- lapply(list(x = object$x, mean = object$mean), function(values)
    if (stats::is.ts(values)) values else stats::ts(as.double(values)))
  structure(object, class = "forecast")
}

#' @exportS3Method forecast::accuracy
accuracy.volt_forecast <- function(object, x = NULL, ...) {
  if (is.null(x))
    return(matrix(c(object$rmse, object$mase), 1, dimnames = list("Rolling forecasts", c("RMSE", "MASE"))))
  if (inherits(x, "zoo")) x <- x[match(object$dates, zoo::index(x))]
  plain <- as_forecast(object)
  plain$fitted <- plain$residuals <- plain$x * NA
  forecast::accuracy(plain, if (stats::is.ts(x)) x else as.double(x), ...)["Test set", , drop = FALSE]
}

#' @exportS3Method forecast::accuracy
accuracy.volt_forecasts <- function(object, x = NULL, ...) {
  one <- function(k) {
    row <- accuracy.volt_forecast(object$forecast[[k]], if (!is.null(x)) x[, k], ...)
    rownames(row) <- paste(object$forecast[[k]]$series, rownames(row))
    row
  }
  do.call(rbind, lapply(seq_along(object$forecast), one))
}

#' @exportS3Method ggplot2::autoplot
autoplot.volt_forecast <- function(object, ...) {
  if (stats::is.ts(object$mean)) return(ggplot2::autoplot(as_forecast(object), ...))
  table <- as.data.frame(object)
  .data <- ggplot2::.data
  plot <- ggplot2::ggplot() + ggplot2::labs(x = "time", y = object$series, title = paste("Forecasts from", object$method))
  for (k in order(object$level, decreasing = TRUE))
    plot <- plot + ggplot2::geom_ribbon(ggplot2::aes(x = .data$time, ymin = .data$low, ymax = .data$high),
                                        data.frame(time = table$time, low = table[[2 * k]], high = table[[2 * k + 1]]),
                                        fill = "blue", alpha = 0.2)
  line <- ggplot2::aes(x = .data$time, y = .data$value)
  plot + ggplot2::geom_line(line, data.frame(time = object$times$past, value = as.double(object$x))) +
    ggplot2::geom_line(line, data.frame(time = table$time, value = table[[1]]), colour = "blue")
}

#' @exportS3Method forecast::autolayer
autolayer.volt_forecast <- function(object, ...) forecast::autolayer(as_forecast(object), ...)

#' @export
print.volt_backtest <- function(x, digits = 4, ...) {
  cat(x$origins, "forecasts of", x$steps, "steps from earlier rows\n")
  print(x$errors, digits = digits, row.names = FALSE)
  invisible(x)
}
