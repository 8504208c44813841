"""The dashboard: HTML pages for people, rendered on the server. They can do nothing that the API cannot do.

A page is a function that gets a `PageRequest` and returns a response. To add one, say /agents:

1. `agents.py`: an async function `agents(request)`. It gets its data by running operations,
   `await request.run("ledger.stats", {"by": "agent"})`, so that scopes, rate limits and the actor are the API's; draws
   charts with `await request.read(lambda sure: sure.charts.decisions())`; and returns
   `request.render("agents.html", ...)`.
   The module's `PAGES` has its path and its title in the navigation: `(Page("/agents", agents, nav="Agents"),)`.
2. `templates/agents.html` extends `layout.html` and fills the blocks `title` and `main`. `macros.html` has what pages
   share: `interval`, `tag`, `figure` for a chart with its table, `field` for an input with its error, `act` for a form
   that runs an operation, `empty` for an empty list. Nothing is inline: no `style`, no `on...`, no script. Styles
   belong in `assets/pages.css`, behaviour in `assets/pages.js`, and a page has to work without scripts.
3. Buttons: an `Action` has the operation, its path, and the page to return to; its message is a code of
   `templates.MESSAGES`. `request.may("ledger.outcome")` says whether to show it at all.
4. Exports: `export = request.export("agents")` is not None if the address asks for a file; `export.respond(rows)`
   returns it, and the macro `exports` links it.
5. `site.py`: add the module to `_MODULES`. Tests then walk its routes, and open it in a browser (see
   `tests/serve/pages/test_browser.py`: add its address to `LOOKED_AT`).

Everything on a page comes from outside, and the templates escape it. Nothing is ever marked as safe.
"""
