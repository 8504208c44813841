// Sets the theme that was chosen before anything is painted; without a choice, the system's.
(() => {
    try {
        const chosen = localStorage.getItem("howsure-theme");
        if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
    } catch { /* nothing is kept here, and that is fine */ }
})();
