"""The analyser page: a local web server (installed with the extra `serve`).

`answers` is the work, `workers` the processes it is done in, `app` what is said over HTTP, `server` the listening, and
`page/` what the browser gets.
"""
