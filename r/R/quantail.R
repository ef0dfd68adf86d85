# Read what Quantail released, and call its command line. Base R is enough for tables; JSON needs jsonlite.
# The command is `quantail`, or what the option quantail.command names: options(quantail.command = c("python", "-m", "quantail")).

.run <- function(...) {
  command <- getOption("quantail.command", "quantail")
  arguments <- c(command[-1], ...)
  # R puts its own libraries on the path of every program that it starts; Python's would be replaced by them.
  bare <- if (.Platform$OS.type == "unix") "LD_LIBRARY_PATH=" else character()
  told <- suppressWarnings(system2(command[1], shQuote(arguments), stdout = TRUE, stderr = FALSE, env = bare))
  status <- attr(told, "status")
  if (!is.null(status) && status != 0) {
    stop("quantail ended with code ", status, "; run it in a terminal to read why: ",
         paste(c(command, ...), collapse = " "), call. = FALSE)
  }
  told
}

.json <- function(text) {
  if (!requireNamespace("jsonlite", quietly = TRUE)) stop("install jsonlite to read JSON", call. = FALSE)
  jsonlite::fromJSON(paste(text, collapse = "\n"))
}

.beside <- function(file, what) paste0(sub("\\.[^.]*$", "", file), ".", what)

# The data dictionary beside a synthetic file: a row a column, as text.
read_dictionary <- function(file) {
  utils::read.csv(.beside(file, "dictionary.csv"), colClasses = "character", check.names = FALSE)
}

# How the file is written, as dictionary.json says; as a plain CSV file where that is not there or cannot be read.
.written <- function(file) {
  path <- .beside(file, "dictionary.json")
  if (!file.exists(path) || !requireNamespace("jsonlite", quietly = TRUE)) {
    return(list(separator = ",", decimal = ".", encoding = "utf-8", dates = "2020-01-31", missing = ""))
  }
  found <- .json(readLines(path, encoding = "UTF-8"))
  c(found$csv, missing = found$missing)
}

# A synthetic CSV file in the types that its dictionary says; numbers that mean a missing value become NA.
read_synthetic <- function(file) {
  about <- read_dictionary(file)
  written <- .written(file)
  day <- sub("01", "%m", sub("31", "%d", sub("2020", "%Y", written$dates)))
  number <- function(values) as.numeric(sub(written$decimal, ".", values, fixed = TRUE))
  text <- utils::read.csv(file, sep = written$separator, fileEncoding = written$encoding, colClasses = "character",
                          check.names = FALSE, na.strings = "")
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

# The release card beside a file, as a list.
read_card <- function(file) .json(readLines(.beside(file, "card.json"), encoding = "UTF-8"))

# Draw a table from a model into a CSV file and read it; free of charge.
qt_sample <- function(model, output, rows = NULL, seed = NULL) {
  .run("sample", model, "-o", output, if (!is.null(rows)) c("--rows", format(rows, scientific = FALSE)),
       if (!is.null(seed)) c("--seed", seed))
  read_synthetic(output)
}

# Estimates about the population, with intervals that account for the noise of privacy: a data frame.
qt_infer <- function(model, synthetic, questions, effort = "quick", seed = NULL) {
  found <- .json(.run("infer", model, synthetic, questions, "--effort", effort, "--json",
                      if (!is.null(seed)) c("--seed", seed)))
  do.call(rbind, Map(function(question, rows) cbind(question = question, rows), found$question, found$estimates))
}

# What a budget would buy, without any data: the plan as a list.
qt_plan <- function(schema, rows, epsilon) {
  .json(.run("plan", "--schema", schema, "--rows", format(rows, scientific = FALSE), "--epsilon", epsilon, "--json"))
}
