# Forecasts of series.

#' Forecast series
#'
#' Forecasts one or several series with expected errors and intervals, as `volterra forecast`. The forecast is a weighted mean of
#' kernel fits and classical methods; all choices are automatic.
#'
#' @param y series: a vector, matrix, data frame, `ts`, `zoo` or `xts` object, one row per time step. A column of dates in a
#'   data frame (`Date`, `POSIXct`, or texts as 2024-01-31) is the time of the rows.
#' @param steps number of rows; `NULL`: one season, at most 60, or 12 without a season.
#' @param coverage probabilities of the intervals.
#' @param season season in rows, "none" or "auto". `NULL`: the frequency of a `ts` object, otherwise "auto".
#' @param known further inputs, with values in the rows to forecast if they are known.
#' @param kernel kernel text.
#' @param separate a separate model for each series.
#' @param all_rows use every row; by default the latest, limited to a few seconds of work.
#' @param budget seconds for a search of the kernel parameters.
#' @param seed seed of the search.
#' @param verbose show the progress.
#' @return For one series an object of the classes `volt_forecast` and `forecast`, with `mean`, `lower`, `upper`, `level`, `x`,
#'   `error` (expected error of each step), `rmse` and `mase`. Functions of package `forecast` such as `accuracy` accept it. For
#'   several series an object of class `mforecast`.
#' @examples
#' volt_forecast(datasets::AirPassengers)
#' @export
volt_forecast <- function(y, steps = NULL, coverage = c(0.8, 0.95), season = NULL, known = NULL, kernel = NULL,
                          separate = FALSE, all_rows = FALSE, budget = NULL, seed = 0, verbose = FALSE) {
  series <- as_rows(y, "y")
  check_complete(series, "y", sys.call())
  found <- call_volterra("forecast", series = series$rows, steps = steps, coverage = coverage,
                         season = season_of(y, season), known = known_rows(known), kernel = kernel,
                         separate = flag(separate), all_rows = flag(all_rows), budget = budget, seed = seed,
                         names = series$names, times = series$seconds, .verbose = verbose, .call = sys.call())
  forecasts <- lapply(seq_len(ncol(series$rows)), function(k) one_forecast(y, series, found, k, coverage))
  if (length(forecasts) == 1) return(forecasts[[1]])
  names(forecasts) <- if (is.null(series$names)) paste0("y", seq_along(forecasts)) else series$names
  structure(list(forecast = forecasts, method = "volterra"), class = c("volt_forecasts", "mforecast"))
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
#' @export
volt_backtest <- function(y, origins = 3, steps = NULL, coverage = c(0.8, 0.95), season = NULL, known = NULL,
                          kernel = NULL, separate = FALSE, all_rows = FALSE, seed = 0, verbose = FALSE) {
  series <- as_rows(y, "y")
  check_complete(series, "y", sys.call())
  found <- call_volterra("backtest", series = series$rows, origins = origins, steps = steps, coverage = coverage,
                         season = season_of(y, season), known = known_rows(known), kernel = kernel,
                         separate = flag(separate), all_rows = flag(all_rows), seed = seed, names = series$names,
                         times = series$seconds, .verbose = verbose, .call = sys.call())
  table <- data.frame(method = found$methods, mase = found$mase, smape = found$smape, rmse = found$rmse)
  structure(list(errors = table, coverage = found$coverage, steps = found$steps, origins = found$origins),
            class = "volt_backtest")
}

known_rows <- function(known) if (is.null(known)) NULL else as_rows(known, "known")$rows

# Season: as given, the frequency of a ts object, or found by the library.
season_of <- function(y, season) {
  if (!is.null(season)) return(if (is.character(season)) season else as.double(season))
  if (stats::is.ts(y) && stats::frequency(y) > 1 && stats::frequency(y) == round(stats::frequency(y)))
    return(as.double(stats::frequency(y)))
  NULL
}

# An object with the structure of the class "forecast" of package forecast.
one_forecast <- function(y, series, found, k, coverage) {
  history <- if (stats::is.ts(y)) {
    if (is.matrix(y)) y[, k] else y
  } else {
    stats::ts(series$rows[, k])
  }
  step <- 1 / stats::frequency(history)
  after <- function(values) stats::ts(values, start = stats::tsp(history)[2] + step, frequency = stats::frequency(history))
  ends <- function(list) {
    matrix <- vapply(list, function(one) one[, k], numeric(nrow(found$forecast)))
    dim(matrix) <- c(nrow(found$forecast), length(coverage))
    matrix <- after(matrix)
    colnames(matrix) <- paste0(format(100 * coverage, trim = TRUE), "%")
    matrix
  }
  result <- list(
    method = paste0("volterra (", paste(found$members[found$weights[, k] > 0], collapse = ", "), ")"),
    model = list(kernel = found$kernel, season = found$season[k], ets = unlist(found$ets)[k], rows = found$rows,
                 origins = found$origins,
                 members = data.frame(member = found$members, weight = found$weights[, k], rmse = found$member_rmse[, k])),
    mean = after(found$forecast[, k]), level = 100 * coverage, x = history, fitted = history * NA, residuals = history * NA,
    series = if (is.null(series$names)) "y" else series$names[k],
    error = found$error[, k], rmse = found$rmse[k], mase = found$mase[k], dates = future_dates(series, found$times))
  if (length(coverage) > 0) {
    result$lower <- ends(found$lower)
    result$upper <- ends(found$upper)
  }
  structure(result, class = c("volt_forecast", "forecast"))
}

# Times of the steps as dates, if the library continues those of the rows.
future_dates <- function(series, seconds) {
  if (is.null(seconds) || !inherits(series$times, c("Date", "POSIXct"))) return(NULL)
  if (inherits(series$times, "Date")) return(as.Date(round(seconds / 86400), origin = "1970-01-01"))
  zone <- attr(series$times, "tzone")
  as.POSIXct(seconds, origin = "1970-01-01", tz = if (is.null(zone)) "" else zone[1])
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
  table <- data.frame(time = time, forecast = as.double(x$mean), error = x$error)
  for (k in seq_along(x$level)) {
    table[[paste0("lo", format(x$level[k]))]] <- as.double(x$lower[, k])
    table[[paste0("hi", format(x$level[k]))]] <- as.double(x$upper[, k])
  }
  if (!is.null(row.names)) row.names(table) <- row.names
  table
}

#' @export
print.volt_forecast <- function(x, digits = 5, ...) {
  cat("Forecast of", length(x$mean), "steps by", x$method, "\n")
  cat("expected error (RMSE):", format(x$rmse, digits = digits), "  MASE:", format(x$mase, digits = 3),
      if (x$model$season > 0) paste("  season:", x$model$season), "\n")
  print(as.data.frame(x), digits = digits, row.names = FALSE)
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
  print(x$forecast$model$members, digits = digits, row.names = FALSE)
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

#' @importFrom graphics plot
#' @export
plot.volt_forecast <- function(x, history = NULL, xlab = "time", ylab = x$series, main = "forecast", ...) {
  rows <- length(x$x)
  shown <- seq(max(1, rows - (if (is.null(history)) rows else history) + 1), rows)
  past <- as.double(x$x)[shown]
  past_time <- as.double(stats::time(x$x))[shown]
  steps <- as.double(stats::time(x$mean))
  values <- as.double(x$mean)
  graphics::plot(range(past_time, steps), range(past, values, x$lower, x$upper, finite = TRUE), type = "n", xlab = xlab,
                 ylab = ylab, main = main, ...)
  shades <- grDevices::grey(seq(0.75, 0.9, length.out = max(1, length(x$level))))
  for (k in order(x$level, decreasing = TRUE))
    graphics::polygon(c(steps, rev(steps)), c(x$lower[, k], rev(x$upper[, k])), col = shades[k], border = NA)
  graphics::lines(past_time, past)
  graphics::lines(c(past_time[length(past)], steps), c(past[length(past)], values), col = "blue", lwd = 2)
  invisible(x)
}

#' @export
print.volt_backtest <- function(x, digits = 4, ...) {
  cat(x$origins, "forecasts of", x$steps, "steps from earlier rows\n")
  print(x$errors, digits = digits, row.names = FALSE)
  invisible(x)
}
