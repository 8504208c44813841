// The API browser: filter operations, and send requests to this server. Without scripts the page can still be read.
(() => {
    const MOST = 20000; // characters of a response that are shown
    const token = document.getElementById("token");
    for (const id of ["token-field", "filter-field"]) {
        const field = document.getElementById(id);
        if (field) field.hidden = false;
    }

    const filter = document.getElementById("filter");
    filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const section of document.querySelectorAll(".api")) {
            let any = false;
            for (const one of section.querySelectorAll("details")) {
                const text = one.querySelector("summary").textContent.toLowerCase();
                one.hidden = !words.every((word) => text.includes(word));
                any ||= !one.hidden;
            }
            section.hidden = !any;
        }
    });

    const pretty = (text, type) => {
        if (!type.startsWith("application/json")) return text;
        try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
    };

    const send = async (form) => {
        const headers = { Accept: "application/json" };
        if (token && token.value) headers.Authorization = `Bearer ${token.value.trim()}`;
        let path = form.getAttribute("action");
        const query = new URLSearchParams();
        for (const input of form.querySelectorAll("input[data-place]")) {
            if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
            else if (input.value !== "") for (const value of values(input.value)) query.append(input.name, value);
        }
        const options = { method: form.dataset.method, headers, credentials: "omit", cache: "no-store" };
        const body = form.querySelector("textarea");
        if (body) {
            options.body = body.value;
            headers["Content-Type"] = "application/json";
        }
        const address = query.size ? `${path}?${query}` : path;
        const started = performance.now();
        const response = await fetch(address, options);
        const text = await response.text();
        const shown = pretty(text, response.headers.get("content-type") || "");
        const milliseconds = Math.round(performance.now() - started);
        return [`${response.status} ${response.statusText} in ${milliseconds} ms`, shown];
    };

    // A list in an example is written as JSON; in an address it is repeated.
    const values = (text) => {
        if (!text.startsWith("[")) return [text];
        try { return JSON.parse(text); } catch { return [text]; }
    };

    for (const form of document.querySelectorAll("form.try")) {
        form.hidden = false;
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            const answer = form.querySelector(".answer");
            let told;
            try { told = await send(form); } catch { told = ["The server cannot be reached.", ""]; }
            answer.querySelector("p").textContent = told[0];
            answer.querySelector("pre").textContent = told[1].length > MOST ? `${told[1].slice(0, MOST)}\n...` : told[1];
            answer.hidden = false;
        });
    }

    // An address with the name of an operation opens it.
    const open = () => {
        const one = location.hash && document.getElementById(location.hash.slice(1));
        if (one && one.matches("details")) one.open = true;
    };
    addEventListener("hashchange", open);
    open();
})();
