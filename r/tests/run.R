# run.R: compares the R package with the program (VOLTERRA_PROGRAM), bit for bit, and checks conditions and methods.
#
# `make test-r` runs it from the root of the repository; R CMD check, without the program, runs the rest.
library(volterra)
passed <- 0
failed <- 0
check <- function(name, condition) {
  if (isTRUE(condition)) {
    passed <<- passed + 1
  } else {
    failed <<- failed + 1
    cat("not ok", name, "\n")
  }
}
# Class of the error of an expression; "" without one.
error_class <- function(expression) tryCatch({ force(expression); "" }, error = function(e) class(e)[1])
# Texts of the warnings of an expression.
messages_of <- function(expression) {
  texts <- NULL
  withCallingHandlers(expression, warning = function(w) { texts <<- c(texts, conditionMessage(w)); invokeRestart("muffleWarning") })
  texts
}
error_text <- function(expression) tryCatch({ force(expression); "" }, error = conditionMessage)

read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", 8)
  header <- rawToChar(readBin(file, "raw", readBin(file, "integer", 1, size = 2, endian = "little", signed = FALSE)))
  shape <- as.integer(strsplit(gsub("[^0-9,]", "", sub(".*'shape': *\\(([^)]*)\\).*", "\\1", header)), ",")[[1]])
  numbers <- readBin(file, "double", prod(shape), endian = "little")
  if (length(shape) == 2) matrix(numbers, shape[1], shape[2], byrow = TRUE) else numbers
}
same <- function(x, y) identical(as.double(x), as.double(y))
near <- function(x, y) all(abs(x - y) <= 4 * .Machine$double.eps * abs(y)) # texts are read to the last bit or the one before

# ---- the same numbers as the program ---------------------------------------------------------------
program <- Sys.getenv("VOLTERRA_PROGRAM")
if (nzchar(program)) {
  cases <- tempfile("cases")
  stopifnot(system2("tests/bindings/make_cases.sh", c(program, cases)) == 0)
  at <- function(name) file.path(cases, name)
  narma <- read_npy(at("narma.npy"))
  lorenz <- read_npy(at("lorenz.npy"))
  u <- narma[, 1]
  y <- narma[, 2]
  old <- 1:300
  new <- 301:400

  model <- volt_fit(u[old], y[old])
  check("fitted values", same(fitted(model), read_npy(at("fitted.npy"))))
  bands <- predict(model, u[new], coverage = 0.9)
  check("predictions and intervals", same(cbind(bands$fit, bands$lo90, bands$hi90), read_npy(at("predict.npy"))))
  check("reset", same(predict(model, u[new], start = "reset"), read_npy(at("predict_reset.npy"))))
  stream <- volt_stream(model)
  streamed <- vapply(u[new], function(x) volt_feed(stream, x), 0)
  check("stream", near(streamed, scan(at("stream.txt"), quiet = TRUE)))
  given <- volt_fit(u[old], y[old], alpha = 0.01, kernel = "fir + volterra", intercept = FALSE)
  check("given alpha", same(predict(given, u[new]), read_npy(at("given.npy"))))
  fed <- volt_fit(u[old], y[old], feedback_weight = 0.5)
  check("feedback", same(predict(fed, u[new]), read_npy(at("feedback.npy"))))
  run <- rep(c("a", "b"), c(140, 260))
  check("records", same(fitted(volt_fit(u, y, records = run)), read_npy(at("records.npy"))))
  tuned <- volt_tune(u[old], y[old], draws = 24, seed = 5)
  check("tune", same(predict(tuned, u[new]), read_npy(at("tuned.npy"))))
  path <- volt_fit(lorenz)
  check("continue", same(volt_continue(path, 40), read_npy(at("continue.npy"))))
  series <- volt_forecast(lorenz[, 1], steps = 8, season = "none", all_rows = TRUE)
  table <- as.matrix(utils::read.csv(at("forecast.csv")))[, -1]
  check("forecast", near(as.matrix(as.data.frame(series)[c("Point Forecast", "error", "Lo 80", "Hi 80", "Lo 95", "Hi 95")]), table))
  identified <- volt_identify(u, y, draws = 6, seed = 2)
  check("identify: error of the output", isTRUE(all.equal(identified$output_tests$rmse, identified$test_rmse)))
  check("every figure of identify", is.null(identified$noise) && is.finite(identified$share_of_noise) && "long_run" %in% names(identified$candidates))
  check("identify", same(suppressWarnings(predict(identified, u, start = "reset")), read_npy(at("identified.npy"))))
  check("files of the program", same(predict(volt_load(at("fit.safetensors")), u[new]), predict(model, u[new])))
}

# ---- forms of data ---------------------------------------------------------------------------------
data <- volt_simulate("narma10", rows = 200, seed = 1)
frame <- data.frame(u = data[, 1], y = data[, 2])
options(warn = -1)
from_vectors <- volt_fit(frame$u[1:150], frame$y[1:150])
from_frame <- volt_fit(frame[1:150, "u", drop = FALSE], frame[1:150, "y", drop = FALSE])
check("data frame", same(predict(from_frame, frame[151:200, "u", drop = FALSE]), predict(from_vectors, frame$u[151:200])))
check("names of outputs", identical(colnames(predict(from_frame, frame[151:200, "u", drop = FALSE])), "y"))
check("vector in, vector out", is.null(dim(predict(from_vectors, frame$u[151:200]))))
passengers <- volt_forecast(datasets::AirPassengers)
check("ts continues", stats::start(passengers$mean)[1] == 1961 && stats::frequency(passengers$mean) == 12)
check("season of ts", passengers$model$season == 12 && length(passengers$mean) == 12)
check("class forecast", inherits(passengers, "forecast") && all(passengers$lower <= passengers$upper))
check("summary", any(grepl("theta", utils::capture.output(summary(passengers)))))
several <- volt_forecast(datasets::EuStockMarkets[1:200, 1:2], steps = 3)
check("several series", length(several$forecast) == 2 && inherits(several, "mforecast"))
weekdays <- as.Date("2024-01-01") + setdiff(0:90, c(0, 14, which(as.POSIXlt(as.Date("2024-01-01") + 0:90)$wday %in% c(0, 6)) - 1))
traded <- volt_forecast(data.frame(date = weekdays, close = sin(seq_along(weekdays))), steps = 2)
check("weekdays continue", identical(traded$dates, as.Date(c("2024-04-01", "2024-04-02")) + (max(weekdays) == as.Date("2024-04-01"))))
texts <- data.frame(date = as.character(weekdays), close = sin(seq_along(weekdays)))
check("texts of dates", identical(volt_forecast(texts, steps = 2)$dates, traded$dates))
texts$close[7] <- NA
check("missing value", error_class(volt_forecast(texts)) == "volterra_not_finite" && grepl("row 7.*close", error_text(volt_forecast(texts))))
check("other texts", grepl("'date'", error_text(volt_forecast(data.frame(date = c("a", "b", "c"), y = 1:3)))))
if (requireNamespace("xts", quietly = TRUE)) {
  days <- as.Date("2024-01-01") + 0:199
  dated <- volt_forecast(xts::xts(frame$y, days), steps = 5)
  check("dates continue", identical(dated$dates, days[200] + 1:5))
  check("class of the series", xts::is.xts(dated$mean) && all(zoo::index(dated$lower) == dated$dates) && nrow(dated$x) == 200)
  monthly <- volt_forecast(zoo::zoo(frame$y, zoo::as.yearmon(2010 + 0:199 / 12)), steps = 3)
  check("months of zoo continue", identical(format(zoo::index(monthly$mean), "%Y-%m"), c("2026-09", "2026-10", "2026-11")))
  of_xts <- volt_fit(xts::xts(cbind(u = frame$u, w = rev(frame$u)), days), xts::xts(frame$y, days))
  check("fitted values of xts", all(zoo::index(fitted(of_xts)) == days))
  check("predictions of xts", all(zoo::index(predict(of_xts, xts::xts(cbind(w = 1:4, u = 4:1), days[1:4]))) == days[1:4]))
}
irregular <- data.frame(date = as.Date("2024-01-01") + cumsum(1:40 %% 7 + 1), y = sin(1:40))
check("dates without a step", stats::is.ts(suppressWarnings(volt_forecast(irregular, steps = 2))$mean) &&
        any(grepl("from 41", messages_of(volt_forecast(irregular, steps = 2)))))
check("names of dates", identical(names(traded$mean), format(traded$dates)))
check("columns of the table", all(c("Point Forecast", "Lo 80", "Hi 95", "time") %in% names(as.data.frame(passengers))))
if (requireNamespace("forecast", quietly = TRUE) && requireNamespace("ggplot2", quietly = TRUE)) {
  test <- forecast::accuracy(volt_forecast(datasets::AirPassengers[1:132], steps = 12), datasets::AirPassengers[133:144])
  check("accuracy with test values", all(is.finite(test[, c("ME", "RMSE", "MASE")])) && rownames(test) == "Test set")
  check("accuracy without test values", same(forecast::accuracy(passengers), c(passengers$rmse, passengers$mase)))
  drawn <- function(plot) length(ggplot2::ggplot_build(plot)$data)
  check("autoplot", drawn(forecast::autoplot(passengers)) == 2 && drawn(forecast::autoplot(traded)) == 4)
  check("autolayer", drawn(ggplot2::ggplot() + forecast::autolayer(passengers)) == 1)
  check("autoplot of several series", drawn(forecast::autoplot(several)) == 3)
}
history <- sin(1:300 / 5)
check("frequency above half of the rows",
      any(class(tryCatch(volt_forecast(stats::ts(history, frequency = 260)), warning = identity)) == "volterra_warning") &&
      all(is.finite(volt_forecast(stats::ts(history, frequency = 365.25), steps = 3)$mean)))
check("frequency that is not an integer", volt_forecast(stats::ts(history, frequency = 52.18), steps = 3)$model$season == 52)
check("backtest of a long season", is.finite(volt_backtest(stats::ts(history, frequency = 145), origins = 1)$errors$mase[1]))
check("weights", all(is.finite(volt_forecast(history[1:12], steps = 10)$model$members$weight)))
backtest <- volt_backtest(datasets::AirPassengers, origins = 2, steps = 6)
check("backtest", backtest$origins == 2 && is.finite(backtest$errors$mase[1]))

# ---- names of columns, formulas, methods -----------------------------------------------------------
both <- data.frame(u1 = frame$u, u2 = rev(frame$u), y = frame$y, group = factor(rep(c("a", "b"), 100)))
by_name <- volt_fit(both[1:150, c("u1", "u2")], both$y[1:150])
later <- both[151:200, ]
expected <- predict(by_name, later[c("u1", "u2")])
check("columns by name", same(predict(by_name, later[c("u2", "u1")]), expected) && same(predict(by_name, later), expected))
check("some names", error_class(predict(by_name, data.frame(u1 = 1, v = 2))) == "volterra_argument" &&
        grepl("u1, u2.*u1, v", error_text(predict(by_name, data.frame(u1 = 1, v = 2)))))
check("no name", grepl("a, b", tryCatch(predict(by_name, data.frame(a = 1, b = 2)), warning = conditionMessage)))
check("no names", same(predict(by_name, unname(as.matrix(later[c("u1", "u2")]))), expected))
both_ts <- stats::ts(both, start = c(2000, 1), frequency = 12)
shifted <- suppressWarnings(volt_fit(both_ts[, "u1", drop = FALSE], stats::lag(both_ts[, "y"], 20)))
check("common times", shifted$rows == 180 &&
        same(fitted(shifted), fitted(volt_fit(both$u1[1:180], both$y[21:200]))) && same(stats::tsp(fitted(shifted))[1], 2000))
check("common times: rows", grepl("180 of the 200", tryCatch(volt_fit(both_ts[, "u1"], stats::lag(both_ts[, "y"], 20)),
                                                             warning = conditionMessage)))
check("no common times", error_class(volt_fit(both_ts[, "u1"], stats::lag(both_ts[, "y"], 200))) == "volterra_data")
check("times of known inputs", grepl("row 1", error_text(volt_forecast(both_ts[, "y"], known = stats::lag(both_ts[, "u1"], 1)))))
check("names of a row", same(volt_feed(volt_stream(by_name), c(u2 = 2, u1 = 1)), volt_feed(volt_stream(by_name), c(1, 2))))
volt_save(by_name, by_name_file <- tempfile(fileext = ".safetensors"))
check("names of a file", same(predict(volt_load(by_name_file), later[c("u2", "u1")]), expected))
formula <- volt_fit(y ~ u1 + u2, both[1:150, ])
check("formula", same(fitted(formula), fitted(by_name)) && same(predict(formula, later), expected))
check("all columns of a formula", same(fitted(volt_fit(y ~ . - group, data = both[1:150, ])), fitted(by_name)))
grouped <- volt_fit(y ~ u1 + group, both)
check("factors", identical(grouped$input_names, c("u1", "groupb")) && is.finite(predict(grouped, data.frame(u1 = 1, group = "a"))))
check("residuals", isTRUE(all.equal(residuals(formula) + fitted(formula), both$y[1:150])))
ahead <- volt_fit(stats::ts(both$y), ahead = 2)
check("residuals of a horizon", isTRUE(all.equal(residuals(ahead) + fitted(ahead), stats::ts(both$y[-(1:2)], start = 3))))
check("ts of predictions", identical(stats::tsp(predict(ahead, stats::ts(both$y[1:9], start = 201))), c(203, 211, 1)))
impulse <- volt_explain(formula, lags = 3)
check("coef", same(coef(formula, lags = 3), c(impulse$g0, t(impulse$kernels$g1[1, , ]))) && names(coef(formula))[3] == "u2.lag0")
check("logLik", same(logLik(formula), formula$log_likelihood) && stats::nobs(formula) == 150)
if (requireNamespace("generics", quietly = TRUE)) {
  check("tidy", same(generics::tidy(formula, lags = 3)$estimate, coef(formula, lags = 3)))
  check("glance", nrow(generics::glance(formula)) == 1 && generics::glance(formula)$nobs == 150)
  check("augment", same(generics::augment(formula, both[1:150, ])$.resid, residuals(formula)))
}

# ---- models, covolatility, confidence sets ---------------------------------------------------------
saved <- tempfile(fileext = ".safetensors")
volt_save(from_vectors, saved)
check("save and load", same(predict(volt_load(saved), frame$u[151:200]), predict(from_vectors, frame$u[151:200])))
explained <- volt_explain(from_vectors, lags = 3)
check("explain", identical(dim(explained$kernels$g2), c(1L, 3L, 3L, 1L, 1L)) && explained$kernels$g2[1, 3, 1, 1, 1] == 0)
learner <- volt_stream(from_vectors, learn = TRUE, window = 150)
invisible(volt_feed(learner, 0.1))
volt_learn(learner, 0.2)
check("learn", is.finite(volt_feed(learner, 0.1)))
set.seed(1)
losses <- matrix(stats::rnorm(400)^2, 100)
losses[, 4] <- losses[, 4] + 2
found <- volt_mcs(losses, reps = 500)
check("mcs", !found$included[4] && found$order[1] == 4 && max(found$pvalue) == 1)
bekk <- volt_bekk(matrix(stats::rnorm(400), 200))
check("bekk", is.finite(logLik(bekk)) && attr(logLik(bekk), "df") == 7)
centred <- scale(matrix(stats::rnorm(400), 200), scale = FALSE)
check("simulate bekk", identical(dim(simulate(bekk, 10)$covariances), c(10L, 3L)))
check("loglik", is.finite(volt_bekk_loglik(bekk, centred)$loglik))
compared <- volt_compare(frame["u"], frame["y"], kernels = c("volterra", "rbf"), draws = 3)
check("compare", nrow(compared) == 2 && all(is.finite(compared$nmse)) && nrow(attr(compared, "losses")) == 50)

# ---- conditions ------------------------------------------------------------------------------------
check("unknown argument", grepl("alpha", error_text(volt_fit(frame$u, frame$y, alpah = 1))))
wrong <- list(quote(volt_fit()), quote(volt_fit(y ~ nope, frame)), quote(volt_fit(y ~ u - 1, frame)), quote(volt_fit("u", data = frame)),
              quote(volt_fit(factor(1:9), 1:9)), quote(volt_fit(frame$u, frame$y, scale = "no")), quote(volt_forecast(frame$y, stps = 3)),
              quote(volt_forecast(NULL)), quote(volt_forecast(frame$y, separate = 2)), quote(volt_stream(from_vectors, start = "end")),
              quote(volt_explain(3)), quote(volt_feed(3, 1)), quote(volt_load(3)), quote(volt_save(from_vectors)), quote(volt_identify(frame$u)),
              quote(volt_mcs(frame, method = "Z")), quote(predict(from_vectors, 1:3, covrage = 0.9)), quote(fitted(volt_load(saved))),
              quote(volt_continue(from_vectors)), quote(predict(grouped, data.frame(u1 = 1))))
for (call in wrong)
  check(deparse(call), inherits(tryCatch(eval(call), error = identity), "volterra_error"))
check("class of an error", error_class(volt_fit(frame$u, frame$y, alpha = -1)) == "volterra_argument")
check("missing value", error_class(volt_fit(c(NA, frame$u[-1]), frame$y)) == "volterra_not_finite")
check("text column", grepl("'b'", error_text(volt_fit(data.frame(b = letters), 1:26))))
check("file", error_class(volt_load("no such file")) == "volterra_io")
check("dead handle", error_class(predict(unserialize(serialize(from_vectors, NULL)), frame$u)) == "volterra_argument")
check("records", grepl("twice", error_text(volt_fit(frame$u, frame$y, records = rep(c(1, 2, 1, 2), 50)))))
check("warning", any(class(tryCatch(predict(from_vectors, 100 * frame$u), warning = identity)) == "volterra_warning"))
check("plots", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(passengers, history = 36)
  plot(from_vectors, frame$y)
  plot(explained)
  plot(compared)
  plot(several)
  plot(traded)
  TRUE
})
invisible(utils::capture.output({
  print(from_vectors)
  print(summary(from_vectors))
  print(passengers)
  print(several)
  print(found)
  print(bekk)
  print(compared)
  print(explained)
  print(backtest)
}))
cat(passed, "passed,", failed, "failed\n")
if (failed > 0) quit(status = 1)
