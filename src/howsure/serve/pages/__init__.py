"""The dashboard: pages for people, rendered here, that do nothing which the API could not do.

A page is a function that is given a `Visit` and returns a response. To add one, say /agents:

1. `agents.py`: an async function `agents(visit)`. It asks for what it shows by the names of operations,
   `await visit.do("stats", {"by": "agent"})`, so that permission, limits and the caller's name are seen to; draws with
   `await visit.look(lambda sure: sure.charts.decisions())`; and ends with `return visit.shown("agents.html", ...)`.
   The module's `PAGES` names its path and its word in the navigation, as in `(Page("/agents", agents, nav="Agents"),)`.
2. `templates/agents.html`: extends `layout.html` and fills the blocks `title` and `main`. `macros.html` has what pages
   share: `interval`, `tag`, `figure` for a chart with its table, `field` for a form's field with what is wrong with it,
   `act` for a form that does something, `empty` for what to do where there is nothing yet. Nothing stands inline: no
   `style`, no `on...`, no script; looks belong into `assets/pages.css`, behaviour into `assets/pages.js`, and a page
   has to work without it.
3. Buttons: an `Action` names the operation that it does, its path, and where it leads back to; what it says when it is
   done is a code in `words.DONE`. `visit.may("ledger.outcome")` says whether to show it at all.
4. `site.py`: the module's name in `_PLACES`. Tests then walk its routes, and look at it in four ways (see
   `tests/web/pages/test_browser.py`: add its address to `LOOKED_AT`).

Whatever a page shows comes from outside, and the templates escape it. Nothing is ever marked as safe.
"""
