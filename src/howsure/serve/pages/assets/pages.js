// What pages do beyond showing: switch the theme, copy commands, refresh, and tell of trouble. All of it is an addition.
(() => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const changed = () => document.dispatchEvent(new CustomEvent("howsure:theme", { detail: { dark: dark() } }));

    const button = document.getElementById("theme");
    const name = () => { button.textContent = dark() ? "Light theme" : "Dark theme"; };
    if (button) {
        button.hidden = false;
        name();
        button.addEventListener("click", () => {
            root.dataset.theme = dark() ? "light" : "dark";
            try { localStorage.setItem("howsure-theme", root.dataset.theme); } catch { /* only for this page, then */ }
            name();
            changed();
        });
    }
    system.addEventListener("change", () => { if (button) name(); changed(); });

    const copying = (scope) => {
        for (const copy of scope.querySelectorAll("button[data-copy]")) copy.hidden = !navigator.clipboard;
    };
    copying(document);
    document.addEventListener("click", async (event) => {
        const copy = event.target.closest("button[data-copy]");
        if (!copy) return;
        await navigator.clipboard.writeText(copy.previousElementSibling.textContent);
        const before = [...copy.childNodes];
        copy.replaceChildren("Copied");
        setTimeout(() => copy.replaceChildren(...before), 1500);
    });

    // A fold that holds what went wrong is brought into view.
    const open = document.querySelector(".actions details[open] [aria-invalid=true], .actions details[open] .wrong[role=alert]");
    if (open) open.closest("details").scrollIntoView({ block: "center" });

    // Live: the content is loaded again every ten seconds, unless somebody is reading a selection or filling in a form.
    const live = document.getElementById("live");
    let extended = false; // by "Show more": the address has only the first rows
    document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.target.id === "more") extended = true; });
    const busy = () => {
        const main = document.getElementById("main");
        const active = document.activeElement;
        const filling = main.contains(active) && active.matches("input, select, textarea, button");
        const asking = main.querySelector("details[open] form, .choices li, [aria-invalid=true]");
        return document.hidden || extended || filling || asking || !getSelection().isCollapsed;
    };
    // Keys of forms differ in every response.
    const content = (main) => main.innerHTML.replace(/name="key" value="\w+"/g, "").replace(/ data-drawn="\w+"/g, "").replace(/<div class="drawing"[^]*?<script/g, "<script");
    let shown = live ? content(document.getElementById("main")) : "";
    const refresh = async () => {
        if (busy()) return;
        const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
        if (!response) { say("The server cannot be reached."); return; }
        if (!response.ok) { if (response.status === 401) location.reload(); return; }
        const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("main");
        const main = document.getElementById("main");
        if (!fresh || busy() || content(fresh) === shown) return;
        if (fresh.querySelector(".drawing") && !document.getElementById("chart-themes")) { location.reload(); return; }
        shown = content(fresh);
        fresh.querySelectorAll(".flash").forEach((one) => one.remove());
        const opened = [...main.querySelectorAll("details")].map((one) => one.open);
        main.replaceChildren(...fresh.childNodes);
        main.querySelectorAll("details").forEach((one, place) => { if (opened[place]) one.open = true; });
        htmx.process(main);
        copying(main);
        document.dispatchEvent(new CustomEvent("howsure:refresh"));
    };
    if (live) {
        const seconds = 10;
        let timer = 0;
        const set = (on) => {
            live.setAttribute("aria-pressed", String(on));
            clearInterval(timer);
            if (on) timer = setInterval(refresh, seconds * 1000);
            try { on ? sessionStorage.setItem("howsure-live", "on") : sessionStorage.removeItem("howsure-live"); } catch { /* only for this page, then */ }
        };
        live.hidden = false;
        live.addEventListener("click", () => {
            const on = live.getAttribute("aria-pressed") !== "true";
            set(on);
            live.blur();
            if (on) refresh();
        });
        let kept = null;
        try { kept = sessionStorage.getItem("howsure-live"); } catch { /* off, then */ }
        if (kept) set(true);
    }

    const trouble = document.getElementById("trouble");
    const say = (words) => { if (trouble) trouble.textContent = words; };
    document.addEventListener("htmx:beforeRequest", () => say(""));
    document.addEventListener("htmx:sendError", () => say("The server cannot be reached. Try again."));
    document.addEventListener("htmx:responseError", (event) => {
        say(`That did not work (${event.detail.xhr.status}). Load the page again.`);
    });
    document.addEventListener("htmx:afterSettle", () => {
        copying(document);
        for (const told of document.querySelectorAll(".filters .wrong")) {
            const field = document.getElementById(told.id.replace("wrong-", ""));
            if (field && told.textContent) field.setAttribute("aria-invalid", "true");
            else if (field) field.removeAttribute("aria-invalid");
        }
    });
})();
