"""The command line: `main` has the commands for boards, the other modules one command each."""
