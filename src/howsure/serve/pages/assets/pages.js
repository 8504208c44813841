// What pages do beyond showing: switch the theme, copy commands, and tell of trouble. All of it is an addition.
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
