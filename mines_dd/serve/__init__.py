"""The analyser page: a local web server (it needs the extra `serve`).

`answers` computes, `workers` are the processes that it runs in, `app` speaks HTTP, `server` listens, and `page/` has
the files for the browser.
"""
