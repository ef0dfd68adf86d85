# Read what Quantail released, and call its command line. Base R is enough for tables; JSON needs jsonlite.
# The command is `quantail`, or what the option quantail.command names: options(quantail.command = c("python", "-m", "quantail")).

.run <- function(...) {
  command <- getOption("quantail.command", "quantail")
  if (!nzchar(Sys.which(command[1]))) {
    stop("the command '", command[1], "' is not on the path; name it by options(quantail.command = ...)", call. = FALSE)
  }
  arguments <- c(command[-1], ...)
  # R puts its own libraries on the path of every program that it starts; Python's would be replaced by them.
  bare <- if (.Platform$OS.type == "unix") "LD_LIBRARY_PATH=" else character()
  errors <- tempfile()
  on.exit(unlink(errors))
  told <- suppressWarnings(system2(command[1], shQuote(arguments), stdout = TRUE, stderr = errors, env = bare))
  status <- attr(told, "status")
  if (!is.null(status) && status != 0) {
    why <- readLines(errors, encoding = "UTF-8", warn = FALSE)
    stop("quantail ended with code ", status, "\n", paste(why[nzchar(why)], collapse = "\n"), call. = FALSE)
  }
  told
}

.json <- function(text) {
  if (!requireNamespace("jsonlite", quietly = TRUE)) stop("install jsonlite to read JSON", call. = FALSE)
  jsonlite::fromJSON(paste(text, collapse = "\n"))
}

.there <- function(path, advice) {
  if (!file.exists(path)) stop(path, " is not there; ", advice, call. = FALSE)
  path
}

.beside <- function(file, what) {
  .there(paste0(sub("\\.[^.]*$", "", file), ".", what),
         "a release has it beside its table: ask for it where you got the table")
}

# The data dictionary beside a synthetic file: a row a column, as text.
read_dictionary <- function(file) {
  utils::read.csv(.beside(file, "dictionary.csv"), colClasses = "character", check.names = FALSE,
                  encoding = "UTF-8", na.strings = character())
}

# How the file is written, as dictionary.json says; as a plain CSV file where that is not there or cannot be read.
.written <- function(file) {
  path <- paste0(sub("\\.[^.]*$", "", file), ".dictionary.json")
  if (!file.exists(path) || !requireNamespace("jsonlite", quietly = TRUE)) {
    return(list(separator = ",", decimal = ".", encoding = "utf-8", dates = "2020-01-31", missing = ""))
  }
  found <- .json(readLines(path, encoding = "UTF-8"))
  c(found$csv, missing = found$missing)
}

# All cells as text. What R cannot represent in its own locale would end the table early, with a warning only.
.cells <- function(file, written) {
  refuse <- function(warning) {
    if (grepl("invalid input|re-encod", conditionMessage(warning))) {
      stop(file, " cannot be read in this locale of R; start R in a UTF-8 locale, such as LC_ALL=C.UTF-8", call. = FALSE)
    }
  }
  withCallingHandlers(
    utils::read.csv(file, sep = written$separator, fileEncoding = written$encoding, colClasses = "character",
                    check.names = FALSE, na.strings = ""),
    warning = refuse
  )
}

# A synthetic CSV file in the types that its dictionary says; numbers that mean a missing value become NA.
read_synthetic <- function(file) {
  .there(file, "check the path")
  if (!grepl("\\.csv$", file, ignore.case = TRUE)) {
    stop("read_synthetic reads .csv files; read ", file, " by a package for its kind, such as haven or arrow", call. = FALSE)
  }
  about <- read_dictionary(file)
  written <- .written(file)
  day <- sub("01", "%m", sub("31", "%d", sub("2020", "%Y", written$dates)))
  number <- function(values) as.numeric(sub(written$decimal, ".", values, fixed = TRUE))
  text <- .cells(file, written)
  if (!all(about$name %in% names(text))) {
    stop("the dictionary beside ", file, " is about other columns: take both from one release", call. = FALSE)
  }
  for (k in seq_len(nrow(about))) {
    name <- about$name[k]
    values <- text[[name]]
    labels <- strsplit(about$labels[k], " | ", fixed = TRUE)[[1]]
    if (!written$missing %in% labels) values[values %in% written$missing] <- NA
    values <- switch(about$r[k],
      numeric = number(values), integer = as.integer(values), logical = as.logical(toupper(values)),
      factor = factor(values, levels = labels), ordered = factor(values, levels = labels, ordered = TRUE),
      Date = as.Date(values, format = day), POSIXct = .moment(values, day), values)
    codes <- as.numeric(strsplit(about$missing_codes[k], " | ", fixed = TRUE)[[1]])
    if (length(codes) && is.numeric(values)) values[values %in% codes] <- NA
    if (nzchar(about$label[k])) attr(values, "label") <- about$label[k]
    text[[name]] <- values
  }
  text
}

.moment <- function(values, day) {
  full <- as.POSIXct(values, tz = "UTC", format = paste(day, "%H:%M:%OS"))
  full[is.na(full)] <- as.POSIXct(values[is.na(full)], tz = "UTC", format = day)
  full
}

# The release card, as a list: of the table it stands beside, or by its own name.
read_card <- function(file) {
  path <- if (grepl("\\.card\\.json$", file)) .there(file, "check the path") else .beside(file, "card.json")
  .json(readLines(path, encoding = "UTF-8", warn = FALSE))
}

# A released model, as a list: what was released of each column.
read_model <- function(file) .json(readLines(.there(file, "check the path"), encoding = "UTF-8", warn = FALSE))

# Draw a table from a model into a CSV file and read it; free of charge.
qt_sample <- function(model, output, rows = NULL, seed = NULL, where = NULL, force = FALSE) {
  .run("sample", model, "-o", output, if (!is.null(rows)) c("--rows", format(rows, scientific = FALSE)),
       if (!is.null(seed)) c("--seed", seed), if (!is.null(where)) c("--where", where), if (force) "--force")
  read_synthetic(output)
}

# Estimates about the population, with intervals that account for the noise of privacy: a data frame.
qt_infer <- function(model, synthetic, questions, effort = "quick", seed = NULL, where = NULL) {
  found <- .json(.run("infer", model, synthetic, questions, "--effort", effort, "--json",
                      if (!is.null(seed)) c("--seed", seed), if (!is.null(where)) c("--where", where)))
  table <- do.call(rbind, Map(function(question, rows) cbind(question = question, rows), found$question, found$estimates))
  row.names(table) <- NULL
  table
}

# What a budget would buy, without any data: the plan as a list.
qt_plan <- function(schema, rows, epsilon) {
  .json(.run("plan", "--schema", schema, "--rows", format(rows, scientific = FALSE), "--epsilon", epsilon, "--json"))
}
