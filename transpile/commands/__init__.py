"""One module a command, each with `execute(arguments) -> exit code`; imported only when its command runs."""
