// Draws every <figure data-chart> from the specification that it holds, once it comes into view, in the current theme.
(() => {
    const themes = JSON.parse(document.getElementById("chart-themes").textContent);
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const tip = document.getElementById("tip");

    // What is told of a mark. Only text goes in, and the place is set by script: the policy allows no style attribute.
    const told = (_, event, __, value) => {
        tip.hidden = value == null || value === "";
        if (tip.hidden) return;
        const lines = typeof value === "object" ? Object.entries(value).map(([key, one]) => (key ? `${key}: ${one}` : `${one}`)) : [`${value}`];
        tip.textContent = lines.join("\n");
        const [width, height] = [tip.offsetWidth, tip.offsetHeight];
        const x = event.clientX + 14 + width > innerWidth ? event.clientX - 14 - width : event.clientX + 14;
        const y = event.clientY + 14 + height > innerHeight ? event.clientY - 14 - height : event.clientY + 14;
        tip.style.left = `${Math.max(4, x)}px`;
        tip.style.top = `${Math.max(4, y)}px`;
    };

    const views = new Map();
    const draw = async (figure) => {
        const place = figure.querySelector(".drawing");
        const spec = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
        views.get(figure)?.finalize();
        const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: told, logLevel: vega.Error, config: themes[dark() ? "dark" : "light"] };
        try {
            const drawn = await vegaEmbed(place, spec, options);
            views.set(figure, drawn);
            figure.dataset.drawn = dark() ? "dark" : "light";
        } catch (error) {
            figure.dataset.drawn = "failed";
            place.textContent = "This chart cannot be drawn here. The table below has the same numbers.";
            console.error(error);
        }
    };

    const watching = new IntersectionObserver((entries) => {
        for (const entry of entries) {
            if (!entry.isIntersecting) continue;
            watching.unobserve(entry.target);
            draw(entry.target);
        }
    }, { rootMargin: "400px" });
    const find = (scope) => {
        for (const figure of scope.querySelectorAll("figure[data-chart]:not([data-drawn])")) {
            if (figure.querySelector(".drawing")) watching.observe(figure);
        }
    };
    find(document);
    document.addEventListener("htmx:afterSettle", (event) => find(event.target));
    document.addEventListener("howsure:refresh", () => {
        for (const [figure, drawn] of [...views]) if (!figure.isConnected) { drawn.finalize(); views.delete(figure); }
        find(document);
    });
    document.addEventListener("howsure:theme", () => { for (const figure of [...views.keys()]) draw(figure); });
    addEventListener("beforeprint", () => { for (const figure of document.querySelectorAll("figure[data-chart]:not([data-drawn])")) if (figure.querySelector(".drawing")) draw(figure); });
})();
