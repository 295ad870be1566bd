/* docs/site/static/formulas.js: render the formulas of a page with KaTeX. */
document.addEventListener("DOMContentLoaded", () => {
    for (const node of document.querySelectorAll(".math")) {
        katex.render(node.textContent, node, {displayMode: node.classList.contains("display"), throwOnError: false});
    }
    /* A formula in a sentence that is wider than the sentence scrolls by itself. */
    const wide = [...document.querySelectorAll(".math.inline")].filter(
        (node) => node.getBoundingClientRect().width > node.parentElement.clientWidth && node.parentElement.clientWidth > 0);
    wide.forEach((node) => node.classList.add("wide"));
});

/* The page has changed its length: go where the address says. */
window.addEventListener("load", () => {
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (place) {
        place.scrollIntoView({behavior: "instant"});
    }
});
