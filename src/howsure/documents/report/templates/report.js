"use strict";
document.documentElement.classList.add("scripts");
for (const part of document.querySelectorAll(".scripted")) part.hidden = false;

// Tables: a button in each heading sorts by it.
for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const given = [...body.rows];
    heads.forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = head.textContent;
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const up = head.getAttribute("aria-sort") !== "ascending";
            for (const other of heads) other.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", up ? "ascending" : "descending");
            const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
            const compare = new Intl.Collator("en", { numeric: false }).compare;
            const number = (text) => (text.trim() === "" ? NaN : Number(text));
            const rows = given.map((row) => [value(row), row]);
            rows.sort(([a], [b]) => {
                const difference = number(a) - number(b);
                return (Number.isNaN(difference) ? compare(a, b) : difference) * (up ? 1 : -1);
            });
            body.append(...rows.map(([, row]) => row));
        });
    });
}

// The filter: rows that hold every word stay.
const filter = document.getElementById("filter");
const rows = [...document.querySelectorAll("#files tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
const fitting = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter(([, held]) => words.every((word) => held.includes(word))).map(([row]) => row);
};
const apply = () => {
    const kept = new Set(fitting(filter.value));
    for (const [row] of rows) row.hidden = !kept.has(row);
    document.getElementById("matches").textContent = filter.value.trim()
        ? `${kept.size} of ${rows.length} match` : "";
};
if (filter) filter.addEventListener("input", apply);

// The map: one stop for the keyboard, arrows from tile to tile, and a tip for what is under the pointer.
const tip = document.getElementById("tip");
const show = (tile) => {
    const [first, ...rest] = tile.getAttribute("aria-label").split("\n");
    const name = document.createElement("b");
    name.textContent = first;
    tip.replaceChildren(name, rest.join("\n"));
    tip.hidden = false;
    const at = tile.querySelector(".area").getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(12, at.left + at.width / 2 - own.width / 2), innerWidth - own.width - 12);
    tip.style.left = `${Math.max(12, left)}px`;
    tip.style.top = `${at.top >= own.height + 8 ? at.top - own.height - 6 : Math.min(at.bottom + 6, innerHeight - own.height - 6)}px`;
};
const hide = () => { tip.hidden = true; };
const find = (tile) => {
    const path = tile.getAttribute("aria-label").split("\n")[0];
    const found = fitting(path);
    if (!found.length) return;
    filter.value = path;
    apply();
    found[0].tabIndex = -1;
    found[0].focus();
    found[0].scrollIntoView({ block: "center" });
    hide();
};
const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
for (const map of document.querySelectorAll("svg.map")) {
    const tiles = [...map.querySelectorAll(".tile")];
    const middles = new Map();
    for (const tile of tiles) {
        const title = tile.querySelector("title");
        tile.setAttribute("role", "img");
        tile.setAttribute("aria-label", title.textContent);
        tile.setAttribute("tabindex", "-1");
        title.remove();
        const area = tile.querySelector(".area");
        const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(area.getAttribute(name)));
        middles.set(tile, [x + width / 2, y + height / 2]);
    }
    if (!tiles.length) continue;
    let current = tiles[0];
    let tapped = null;
    current.setAttribute("tabindex", "0");
    const go = (tile) => {
        current.setAttribute("tabindex", "-1");
        current = tile;
        current.setAttribute("tabindex", "0");
        current.focus();
    };
    const next = ([right, down]) => {
        const [x, y] = middles.get(current);
        let best = null;
        let least = Infinity;
        for (const [tile, [otherX, otherY]] of middles) {
            const along = (otherX - x) * right + (otherY - y) * down;
            const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
            if (along > 0.5 && along + 2 * aside < least) [best, least] = [tile, along + 2 * aside];
        }
        return best;
    };
    const of = (event) => event.target.closest(".tile");
    map.addEventListener("pointerover", (event) => { const tile = of(event); if (tile) show(tile); else hide(); });
    map.addEventListener("pointerleave", hide);
    map.addEventListener("focusin", (event) => show(of(event)));
    map.addEventListener("focusout", hide);
    map.addEventListener("click", (event) => {
        const tile = of(event);
        if (!tile) return;
        const again = tile === tapped;
        tapped = tile;
        go(tile);
        if (again || event.pointerType !== "touch") find(tile); // a finger sees the tip first
    });
    map.addEventListener("keydown", (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        if (event.key === "Escape") return hide();
        if (event.key === "Enter") return find(current);
        const ends = { Home: tiles[0], End: tiles[tiles.length - 1] };
        const tile = turns[event.key] ? next(turns[event.key]) : ends[event.key];
        if (turns[event.key] || tile) event.preventDefault();
        if (tile) go(tile);
    });
}
addEventListener("scroll", hide, { passive: true });
