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

# A synthetic CSV file in the types that its dictionary says; numbers that mean a missing value become NA.
read_synthetic <- function(file) {
  about <- read_dictionary(file)
  text <- utils::read.csv(file, colClasses = "character", check.names = FALSE, na.strings = "")
  for (k in seq_len(nrow(about))) {
    name <- about$name[k]
    values <- text[[name]]
    labels <- strsplit(about$labels[k], " | ", fixed = TRUE)[[1]]
    values <- switch(about$r[k],
      numeric = as.numeric(values), integer = as.integer(values), logical = as.logical(toupper(values)),
      factor = factor(values, levels = labels), ordered = factor(values, levels = labels, ordered = TRUE),
      Date = as.Date(values), POSIXct = as.POSIXct(values, tz = "UTC"), values)
    codes <- as.numeric(strsplit(about$missing_codes[k], " | ", fixed = TRUE)[[1]])
    if (length(codes) && is.numeric(values)) values[values %in% codes] <- NA
    if (nzchar(about$label[k])) attr(values, "label") <- about$label[k]
    text[[name]] <- values
  }
  text
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
