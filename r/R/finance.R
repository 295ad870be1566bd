# Comparison of kernels, model confidence sets, covolatility, simulated systems.

#' Compare kernels
#'
#' Tunes, refits and tests several kernels, with a model confidence set, as `volterra compare`.
#'
#' @inheritParams volt_tune
#' @param x,y inputs and targets, one row per time step; or a formula and its `data`.
#' @param train number of training rows; `NULL`: three quarters.
#' @param kernels kernel texts, or names of rows; `NULL`: the kernels of the paper and others.
#' @param draws,budget candidates and seconds per kernel; default: 100 candidates.
#' @param protocol `"history"`, or `"published"` for the inputs of the paper.
#' @param seed seed of the draws and of the bootstrap.
#' @param ... further options: `gap`, `mcs_size`, `mcs_reps`.
#' @return A data frame of class `volt_comparison`, one row per kernel; the attribute `losses` has the loss of each test row.
volt_compare <- function(x, y = NULL, train = NULL, kernels = NULL, draws = NULL, budget = NULL, protocol = c("history", "published"),
                         folds = 5, seed = 0, verbose = FALSE, data = NULL, ...) {
  pair <- as_pair(x, y, data, requires_y = TRUE)
  found <- call_volterra("compare", X = pair$inputs$rows, Y = pair$targets$rows, train = train, kernels = kernels,
                         draws = draws, budget = budget, protocol = protocol[1], folds = folds, seed = seed, ...,
                         .verbose = verbose)
  table <- as_table(c(found$kernels["name"], found["nmse"], found$kernels[-1]))
  table$in_mcs <- table$in_mcs != 0
  colnames(found$losses) <- table$name
  structure(table, losses = found$losses, class = c("volt_comparison", "data.frame"))
}

#' @export
print.volt_comparison <- function(x, digits = 4, ...) {
  shown <- as.data.frame(x)[order(x$nmse), c("name", "nmse", "mcs_p", "in_mcs", "cv_score", "seconds")]
  print(shown, digits = digits, row.names = FALSE)
  for (i in which(nzchar(x$failure))) cat(x$name[i], "failed:", x$failure[i], "\n")
  invisible(x)
}

#' @export
as.data.frame.volt_comparison <- function(x, ...) {
  attr(x, "losses") <- NULL
  class(x) <- "data.frame"
  x
}

#' @export
plot.volt_comparison <- function(x, ...) {
  shown <- x[is.finite(x$nmse), ]
  graphics::dotchart(rev(sort(stats::setNames(shown$nmse, shown$name))), xlab = "test NMSE", ...)
  invisible(x)
}

#' Model confidence set
#'
#' The model confidence set of Hansen, Lunde and Nason (2011) by the stationary bootstrap.
#'
#' @param losses losses: one row per observation, one column per model.
#' @param size models with a p-value above it are included.
#' @param method `"R"` or `"max"`.
#' @param block mean block length; `NULL`: the square root of the rows; -1: the rule of Politis and White.
#' @param reps replications.
#' @param seed seed of the bootstrap.
#' @param indices rows of each replication (from 1), a matrix with `reps` rows, instead of a bootstrap.
#' @param ... not used; other names are errors.
#' @return An object of class `volt_mcs`: `pvalue`, `included`, `order`, `mean_loss`.
#' @examples
#' set.seed(1)
#' losses <- cbind(a = stats::rnorm(100)^2, b = stats::rnorm(100)^2, c = stats::rnorm(100)^2 + 2)
#' volt_mcs(losses, reps = 1000)
volt_mcs <- function(losses, size = 0.25, method = c("R", "max"), block = NULL, reps = 10000, seed = 0, indices = NULL,
                     ...) {
  rows <- as_rows(losses, "losses")
  found <- call_volterra("mcs", losses = rows$rows, size = size, method = method[1], block = block, reps = reps,
                         seed = seed, indices = if (is.null(indices)) NULL else matrix(as.double(indices), nrow(indices)), ...)
  found$included <- found$included != 0
  found$names <- if (is.null(rows$names)) paste0("model", seq_along(found$pvalue)) else rows$names
  found$size <- size
  structure(found, class = "volt_mcs")
}

#' @export
as.data.frame.volt_mcs <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(model = x$names, mean_loss = x$mean_loss, pvalue = x$pvalue, included = x$included)
}

#' @export
print.volt_mcs <- function(x, digits = 4, ...) {
  cat("Model confidence set at size", x$size, "\n")
  print(as.data.frame(x)[order(x$mean_loss), ], digits = digits, row.names = FALSE)
  invisible(x)
}

#' Log returns of prices
#' @param prices prices, one row per time.
#' @return A matrix, or a `ts`, `zoo` or `xts` object like `prices`, with one row fewer.
volt_returns <- function(prices) {
  rows <- as_rows(prices, "prices")
  index <- rows$index
  index$times <- index$times[-1]
  as_result(call_volterra("returns", prices = rows$rows)$returns, rows$names, index = index)
}

#' BEKK model of covolatility
#'
#' Estimates the diagonal BEKK(1,0,1) model by quasi maximum likelihood; means are removed.
#'
#' @inheritParams volt_fit
#' @param returns returns, one row per time.
#' @param starts number of starts of the optimiser.
#' @param seed seed.
#' @param standard_errors compute standard errors.
#' @param bekk,object a model, or a list with `C`, `a` and `b`.
#' @param nsim number of rows.
#' @param discard initial rows to discard.
#' @param ... not used; other names are errors.
#' @return `volt_bekk`: an object of class `volt_bekk` with `C`, `a`, `b`, their standard errors and `loglik`.
#'   `volt_bekk_loglik`: the log-likelihood of `returns`, without removing means, and the covariances (vech). `simulate`:
#'   `innovations`, `returns` and `covariances`.
volt_bekk <- function(returns, starts = 2, seed = 0, standard_errors = TRUE, verbose = FALSE, ...) {
  rows <- as_rows(returns, "returns")
  found <- call_volterra("bekk_fit", returns = rows$rows, starts = starts, seed = seed,
                         standard_errors = standard_errors, ..., .verbose = verbose)
  found$names <- rows$names
  found$converged <- found$converged != 0
  structure(found, class = "volt_bekk")
}

#' @rdname volt_bekk
volt_bekk_loglik <- function(bekk, returns) {
  call_volterra("bekk_loglik", returns = as_rows(returns, "returns")$rows, C = bekk$C, a = bekk$a, b = bekk$b)
}

#' @rdname volt_bekk
#' @export
simulate.volt_bekk <- function(object, nsim = 1000, seed = 0, discard = 1000, ...) {
  call_volterra("bekk_simulate", C = object$C, a = object$a, b = object$b, rows = nsim, seed = seed, discard = discard,
                ...)
}

#' @export
logLik.volt_bekk <- function(object, ...) {
  d <- length(object$a)
  structure(object$loglik, df = d * (d + 5) / 2, nobs = object$observations, class = "logLik")
}

#' @export
print.volt_bekk <- function(x, digits = 4, ...) {
  cat("Diagonal BEKK model of", length(x$a), "returns,", x$observations, "observations, log-likelihood",
      format(x$loglik, digits = 8), if (!x$converged) "(not converged)", "\n")
  parameters <- x[intersect(c("a", "b", "a_error", "b_error"), names(x))]
  print(data.frame(parameters, row.names = x$names), digits = digits)
  invisible(x)
}

#' Simulate a known system
#'
#' @param system name, or NAME:PARAMETER=VALUE,...: "lorenz", "mackey-glass", "narma10", "lorenz96", "henon" and others; see
#'   `volterra help systems`.
#' @param rows number of rows.
#' @param seed seed of the input.
#' @param discard initial rows to discard.
#' @param ... not used; other names are errors.
#' @return A matrix.
#' @examples
#' head(volt_simulate("henon", rows = 10))
volt_simulate <- function(system, rows = NULL, seed = 0, discard = NULL, ...) {
  found <- call_volterra("simulate", system = system, rows = rows, seed = seed, discard = discard, ...)
  as_result(found$data, found$columns)
}

#' Threads of the library
#' @param count number of threads; 0: the default; `NULL`: unchanged.
#' @return The number of threads.
volt_threads <- function(count = NULL) {
  as.integer(call_volterra("threads", count = count)$threads)
}
